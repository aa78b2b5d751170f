"""Failures A: tool calls, their identity, name and arguments. One test for each mode, with where it was seen."""

import json

import pytest

import weft
from tests.gallery.shown import answer, as_anthropic_reads, as_responses_reads, chat, converted, frames, shown
from tests.protocols import anthropic_wire as claude
from tests.protocols import gemini_wire as gemini
from tests.protocols import responses_wire as responses
from tests.protocols.chat_wire import call, calls, chunk, codes, end, read, read_events, reply, text, told
from tests.protocols.wire import message, sse
from weft.events import ArgsDelta, BlockEnd, BlockStart
from weft.tools import ToolIdentity, ToolIdentityMap

FILE = '{"path":"a.txt"}'


def offered(*names: str, kind: str = "function") -> weft.Context:
    """The context of a request that offered these tools."""
    return weft.Context(
        tools=ToolIdentityMap(
            ToolIdentity(provider_name=name, requested_name=name, requested_type=kind) for name in names
        )
    )


def test_a01_same_index_for_every_call():
    """Every call comes with index 0: a new id on a used index is a new call.

    ollama/ollama#15457, vercel/ai#14277
    """
    got = message(shown("openai-chat/a01-same_index.sse"), "openai-chat")
    assert [("call_read", "read", FILE), ("call_list", "list", '{"path":"/srv"}')] == told(got)


def test_a02_index_missing():
    """No fragment has an index: an id or a name opens a call, a bare fragment continues the last one.

    openai/openai-python#2806, ollama/ollama#7881
    """
    got = message(shown("openai-chat/a02-no_index.sse"), "openai-chat")
    assert [("call_1", "read", FILE), ("call_2", "list", "{}")] == told(got)


def test_a03_id_missing():
    """No call has an id: each gets one that is made, marked as such, and the same in every event and at every reading.

    continuedev/continue#13225, anomalyco/opencode#25925
    """
    data = shown("openai-chat/a03-no_id.sse")
    got = message(data, "openai-chat")
    assert [(None, "read", FILE), (None, "list", "{}")] == told(got)
    assert 2 == len({each.id for each in got.tool_calls})
    assert [each.id for each in got.tool_calls] == [each.id for each in message(data, "openai-chat").tool_calls]
    written = as_responses_reads(converted(data, "openai-responses"))
    assert [each.id for each in got.tool_calls] == [id for id, _, _ in written.calls]


def test_a04_name_and_id_on_every_chunk():
    """Each fragment repeats the head of its call: it is one call, and we send its name once.

    NousResearch/hermes-agent#8259, open-webui/open-webui#22235
    """
    data = shown("openai-chat/a04-head_on_every_chunk.sse")
    assert [("call_1", "read", FILE)] == told(message(data, "openai-chat"))
    assert 1 == weft.convert(data, "openai-chat", "openai-chat").count(b'"name"')


def test_a05_name_split_over_chunks():
    """A name comes in two pieces, which only a source's own row can declare: elsewhere the first name wins, with a note.

    continuedev/continue#5849, openclaw/openclaw#130532
    """
    pieces = calls(call(0, "c", "edit_ex")), calls(call(0, name="isting_file")), calls(call(0, args="{}"))
    assert [("c", "edit_existing_file", "{}")] == told(read(*pieces, end("tool_calls"), dialect="google"))
    plain = read(*pieces, end("tool_calls"))
    assert [("c", "edit_ex", "{}")] == told(plain)
    assert ["name_changed"] == codes(plain)


def test_a06_arguments_as_an_object():
    """Arguments come as JSON, not as text of JSON: their own text is kept, and a string is sent on.

    huggingface/text-generation-inference#2461, ggml-org/llama.cpp#20198
    """
    data = chat(calls(call(0, "c", "f", {"n": 1.0, "p": "a"})), end("tool_calls"))
    got = message(data, "openai-chat").tool_calls[0]
    assert ('{"n": 1.0, "p": "a"}', {"n": 1.0, "p": "a"}) == (got.raw, got.arguments)
    assert (("c", "f", got.raw),) == as_responses_reads(converted(data, "openai-responses")).calls


def test_a07_empty_arguments():
    """A call without parameters has no arguments at all: it is whole, its arguments are `{}`, and `raw` tells that they were empty.

    NousResearch/hermes-agent#83937, openai/openai-python#3502
    """
    chat_calls = message(shown("openai-chat/a07-empty_arguments.sse"), "openai-chat").tool_calls
    block = message(claude.stream(claude.call(0)), "anthropic").tool_calls
    assert [("", {}, True)] * 3 == [(each.raw, each.arguments, each.complete) for each in [*chat_calls, *block]]


def test_a08_null_instead_of_absent():
    """A continuation has `null` for what it leaves out: it reads as absent, and none is sent on.

    pydantic/pydantic-ai#3571, pydantic/pydantic-ai#1802
    """
    nulls = {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": "{}"}}
    empty = {"index": 0, "id": None, "function": {"name": None, "arguments": None}}
    data = chat(calls(call(0, "c", "f", "")), calls(nulls), calls(empty), end("tool_calls"))
    assert [("c", "f", "{}")] == told(message(data, "openai-chat"))
    fragments = [
        fragment
        for frame in converted(data, "openai-chat")[:-1]
        for choice in frame["choices"]
        for fragment in choice["delta"].get("tool_calls", ())
    ]
    assert None not in [value for each in fragments for value in (*each.values(), *each["function"].values())]


@pytest.mark.parametrize("cut", ["length", "the end of the bytes"])
def test_a09_cut_arguments_never_become_a_call(cut: str):
    """Arguments are cut: the call is not complete, has no arguments to run it with, and its raw text is kept.

    langchain-ai/langchain#39275, cline/cline#13001
    """
    data = shown("openai-chat/a09-cut_arguments.sse")
    got = message(data if cut == "length" else data[: data.rindex(b"data: {")], "openai-chat")
    assert [("remove", '{"path":"/tmp","dry_run":tr', None, False)] == [
        (each.name, each.raw, each.arguments, each.complete) for each in got.tool_calls
    ]
    assert ("incomplete" if cut == "length" else "truncated") == got.outcome


def test_a10_not_final_at_the_first_prefix_that_parses():
    """`{}` is followed by more: a call ends by the protocol's own signal, not because it parses.

    vercel/ai#13137, vercel/ai#16838
    """
    got = read_events(calls(call(0, "c", "f", "{}")), calls(call(0, args=" ")), calls(call(0, args="\n")), end())
    assert [ArgsDelta, ArgsDelta, ArgsDelta, BlockEnd] == [type(each) for each in got[2:6]]
    growing = [claude.opened(0, claude.tool()), claude.args(0, ""), claude.args(0, '{"a":1'), claude.args(0, "}")]
    got = message(claude.stream(growing, claude.closed(0)), "anthropic")
    assert [{"a": 1}] == [each.arguments for each in got.tool_calls]


@pytest.mark.parametrize("target", ["anthropic", "openai-responses", "openai-chat"])
def test_a11_first_fragment_beside_the_name(target: str):
    """Name and first arguments share a delta: both are said, so that the sum of the deltas is the input.

    BerriAI/litellm#25321, BerriAI/litellm#25212
    """
    out = weft.convert(answer(calls(call(0, "c", "f", '{"a')), calls(call(0, args='":1}'))), "openai-chat", target)
    assert [("c", "f", '{"a":1}')] == told(message(out, target))


def test_a12_tool_call_as_text():
    """A call is written into the text: a filter that is asked for takes it out, if its tool was offered, and corrects the finish.

    vllm-project/vllm#31207, vercel/ai#3521
    """
    data = shown("openai-chat/a12-call_as_text.sse")
    got = message(data, "openai-chat", filters=["qwen-tools"], context=offered("read"))
    assert ("Let me look. ", "tool_calls") == (got.text, got.finish)
    assert [("read", {"path": "a.txt"}, True)] == [
        (each.name, each.arguments, each.complete) for each in got.tool_calls
    ]
    plain = message(data, "openai-chat")
    other = message(data, "openai-chat", filters=["qwen-tools"], context=offered("write"))
    assert ([], plain.text, "stop") == (other.tool_calls, other.text, other.finish)


def test_a13_complete_calls_only_at_the_end():
    """Nothing but empty deltas, then a final message with the calls: they are blocks like any others, before the end.

    mozilla-ai/any-llm#1160, openclaw/openclaw#130532
    """
    last = reply({"content": "", "tool_calls": [call(0, "c", "f", "{}", type="function")]}, "tool_calls")
    got = read_events(chunk({"content": ""}), chunk({}), last)
    assert ["start", "block-start", "args-delta", "block-end", "end"] == [each.type for each in got]
    assert "tool_call" == got[1].kind


def test_a14_done_event_without_deltas():
    """The arguments come in the `done` event alone: they are emitted; where deltas said something else, that is noted.

    BerriAI/litellm#27144, qxcnm/Codex-Manager#238
    """
    head = responses.added(0, responses.call_item(0, status="in_progress"))
    whole = [responses.args_done(0, FILE), responses.done(0, responses.call_item(0, FILE))]
    assert [FILE] == [each.raw for each in message(responses.stream(head, whole), "openai-responses").tool_calls]
    tail = message(responses.stream(head, responses.args(0, FILE[:5]), whole), "openai-responses")
    assert [FILE] == [each.raw for each in tail.tool_calls]
    other = message(responses.stream(head, responses.args(0, '{"x":'), whole), "openai-responses")
    assert 1 == len([note for note in other.notes if "differ" in note.code])


def test_a15_index_jumps_between_head_and_tail():
    """The head of the second call says index 0, its tail index 1: the id opens it, the tail follows the last one opened.

    agno-agi/agno#8879
    """
    heads = calls(call(0, "a", "f", "{}")), calls(call(0, "b", "g", "{"))
    assert [("a", "f", "{}"), ("b", "g", "{}")] == told(read(*heads, calls(call(1, args="}")), end("tool_calls")))


def test_a16_first_index_is_not_zero():
    """The only call has index 1, since a text took 0: an index is a key, and we count from 0.

    vercel/ai#18333, vercel/ai#18382
    """
    data = chat(text("Hm."), calls(call(1, "c", "f", "{}")), end("tool_calls"))
    assert [("c", "f", "{}")] == told(message(data, "openai-chat"))
    written = [frame["choices"][0]["delta"].get("tool_calls") for frame in converted(data, "openai-chat")[:-1]]
    assert {0} == {each["index"] for fragments in written for each in fragments or ()}


def test_a17_a_counter_that_starts_anew_in_each_chunk():
    """Each chunk of Gemini holds one call without an id: made ids are counted over the stream, so they never collide.

    mozilla-ai/any-llm#1159, envoyproxy/ai-gateway#1524
    """
    data = sse(gemini.chunk(gemini.call("look")), gemini.chunk(gemini.call("look"), finish="STOP"))
    assert 2 == len({each.id for each in message(data, "gemini").tool_calls})


INTERLEAVED = chat(
    calls(call(0, "a", "f", '{"n":')), calls(call(1, "b", "g", '{"m":')), calls(call(0, args="1}")),
    calls(call(1, args="2}")), end("tool_calls"),
)  # fmt: skip


def test_a18_interleaved_arguments():
    """Two calls grow in turns: a target with one block at a time gets them one after the other, none corrupt or lost.

    farion1231/cc-switch#2303, maximhq/bifrost#1829
    """
    both = (("a", "f", '{"n":1}'), ("b", "g", '{"m":2}'))
    assert both == as_anthropic_reads(converted(INTERLEAVED, "anthropic")).calls
    assert both == as_responses_reads(converted(INTERLEAVED, "openai-responses")).calls
    live = weft.Pipe("openai-chat", "anthropic")
    first = live.feed(INTERLEAVED[: INTERLEAVED.index(b"[DONE]") // 3])
    assert b"partial_json" in first


def test_a19_several_calls_and_text_in_one_delta():
    """One delta holds reasoning, text and two calls: all of it is said, in that order.

    saberjack/SHTUCodeProxy#1, BerriAI/litellm#35289
    """
    delta = {"tool_calls": [call(0, "a", "f", "{}"), call(1, "b", "g", "{}")], "content": "hi", "reasoning": "so"}
    got = [each for each in read_events(chunk(delta), end("tool_calls")) if isinstance(each, BlockStart)]
    assert ["reasoning", "text", "tool_call", "tool_call"] == [each.kind for each in got]
    assert ["a", "b"] == [each.id for each in got[2:]]


def test_a20_cumulative_arguments():
    """Each fragment repeats all of the arguments: declared by a dialect or a filter, never guessed from equal text.

    saberjack/SHTUCodeProxy#1, open-webui/open-webui#22235
    """
    grown = [
        calls(call(0, "c", "f", '{"p":')),
        calls(call(0, "c", "f", '{"p":"a')),
        calls(call(0, "c", "f", '{"p":"a"}')),
    ]
    assert [("c", "f", '{"p":"a"}')] == told(read(*grown, end("tool_calls"), dialect="snapshots"))
    twice = (
        calls(call(0, "c", "f", '["a",')),
        calls(call(0, args='"a",')),
        calls(call(0, args='"a",')),
        calls(call(0, args="1]")),
    )
    assert [("c", "f", '["a","a","a",1]')] == told(read(*twice, end("tool_calls")))


def test_a21_id_repeated_in_another_message():
    """`call_0` comes again in the next turn: ids belong to their message, nothing is kept, and made ids differ between turns.

    vercel/ai#18837, pydantic/pydantic-ai#6241
    """
    turns = [read(calls(call(0, "call_0", "f", "{}")), end("tool_calls")) for _ in range(2)]
    assert ["call_0", "call_0"] == [turn.tool_calls[0].id for turn in turns]
    made = [
        read(chunk({"tool_calls": [call(0, None, "f", "{}")]}) | {"id": f"turn_{number}"}, end("tool_calls"))
        for number in (1, 2)
    ]
    assert 2 == len({turn.tool_calls[0].id for turn in made})


def test_a22_id_that_the_target_would_refuse():
    """An id is longer, or has other characters, than the target takes: it becomes a legal one, the same each time; a legal one stays.

    The way back, in the next request, is the gateway's. mikeyobrien/pi-provider-kiro#137, Portkey-AI/gateway#1062
    """
    foreign = [f"call_x{tail}|fc_{'y' * 74}" for tail in "ab"]
    data = chat(*(calls(call(at, id, "f", "{}")) for at, id in enumerate([*foreign, "call_ok"])), end("tool_calls"))
    ids = [id for id, _, _ in as_anthropic_reads(converted(data, "anthropic")).calls]
    assert ids == [id for id, _, _ in as_anthropic_reads(converted(data, "anthropic")).calls]
    assert all(len(id) <= 64 and "|" not in id for id in ids)
    assert (3, "call_ok") == (len(set(ids)), ids[2])


def test_a23_malformed_call():
    """The arguments ended, and are no JSON: the call is not complete, its text is kept beside it, and the outcome is as the source said.

    What goes into the next request is the gateway's. pydantic/pydantic-ai#7042
    """
    got = read(calls(call(0, "c", "f", '{"a": nope}')), end("tool_calls"))
    assert [(None, '{"a": nope}', False)] == [(each.arguments, each.raw, each.complete) for each in got.tool_calls]
    assert "completed" == got.outcome


def test_a24_internal_wrapper_tool():
    """The model calls `parallel`, which nobody offered: it is taken apart if all calls inside were offered.

    vercel/ai#19098
    """
    uses = json.dumps({"tool_uses": [{"recipient_name": "functions.read", "parameters": {"path": "a.txt"}}]})
    frames = calls(call(0, "c", "parallel", uses)), end("tool_calls")
    apart = read(*frames, filters=["parallel"], context=offered("read"))
    assert ["read"] == [each.name for each in apart.tool_calls]
    whole = read(*frames, filters=["parallel"], context=offered("write"))
    assert ["parallel"] == [each.name for each in whole.tool_calls]


def test_a25_custom_tools():
    """A custom tool went to the provider as a function with one string: its input streams out unwrapped, under its own kind.

    router-for-me/CLIProxyAPI#5753, awsl-project/maxx#813
    """
    data = chat(calls(call(0, "c", "apply", '{"input":"*** Be')), calls(call(0, args='gin\\n"}')), end("tool_calls"))
    out = converted(data, "openai-responses", context=offered("apply", kind="custom"))
    deltas = [frame["delta"] for frame in out if frame["type"] == "response.custom_tool_call_input.delta"]
    assert ["*** Be", "gin\n"] == deltas
    item = out[-1]["response"]["output"][0]
    assert ("custom_tool_call", "apply", "*** Begin\n") == (item["type"], item["name"], item["input"])


def test_a26_values_inside_the_arguments():
    """Numbers, escapes and braces in strings: arguments pass as the text that came.

    vllm-project/vllm#42128, pydantic/pydantic-ai#6519
    """
    args = '{"n": 1.0, "big": 12345678901234567890, "s": "}{\\u00e9\\"", "none": "none", "e": 1E2}'
    data = answer(calls(call(0, "c", "f", args[:9])), calls(call(0, args=args[9:])))
    assert (("c", "f", args),) == as_anthropic_reads(converted(data, "anthropic")).calls
    assert (("c", "f", args),) == as_responses_reads(converted(data, "openai-responses")).calls


def test_a27_finish_says_tool_calls_without_a_call():
    """`stop_reason: tool_use` with no content: the content decides, so it is a stop, with the raw reason beside it.

    mastra-ai/mastra#12581
    """
    got = message(claude.stream(end=claude.ended("tool_use")), "anthropic")
    assert ("stop", "tool_use", "completed") == (got.finish, got.finish_raw, got.outcome)
    out = frames(weft.convert(claude.stream(end=claude.ended("tool_use")), "anthropic", "openai-chat"))
    assert "stop" == out[-3]["choices"][0]["finish_reason"]
