"""Failures I: what Codex and the SDKs refuse of a Responses stream. One test for each mode, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import answer, as_responses_reads, chat, converted, frames, shown, types
from tests.protocols import responses_wire as responses
from tests.protocols.chat_wire import call, calls, chunk, end, text
from tests.protocols.wire import message, sse

MADE = {"response.created", "response.in_progress", "response.output_item.added", "response.output_item.done"}


def out_of(name: str) -> list[dict]:
    """What a fixture of chat.completions becomes."""
    return converted(shown(f"openai-chat/{name}"), "openai-responses")


def test_i01_whole_lifecycle():
    """Only created, text and completed are sent, and clients show nothing: each item and part is announced, filled and closed.

    Sophomoresty/gemini-web2api#57, Wei-Shaw/sub2api#2926
    """
    message_item = [
        "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done",
        "output_item.done",
    ]  # fmt: skip
    call_item = [
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
    ]
    whole = ["created", "in_progress", *message_item, *call_item, "completed"]
    assert [f"response.{name}" for name in whole] == types(out_of("i01-text_and_a_call.sse"))


def test_i01_a_call_alone_is_closed():
    """A function call is never closed, and the session hangs: it is done before the response is.

    Wei-Shaw/sub2api#2926
    """
    out = converted(chat(calls(call(0, "c", "f", "{}")), end("tool_calls")), "openai-responses")
    assert ["response.output_item.done", "response.completed"] == [each["type"] for each in out[-2:]]


def test_i02_required_members():
    """`sequence_number`, `output`, `status`, `logprobs` or an id is missing, and a strict reader stops: all are always there.

    diegosouzapw/OmniRoute#13964, onyx-dot-app/onyx#13624
    """
    out = out_of("i01-text_and_a_call.sse")
    assert list(range(len(out))) == [each["sequence_number"] for each in out]
    needed = {
        "id",
        "object",
        "created_at",
        "status",
        "error",
        "incomplete_details",
        "model",
        "output",
        "usage",
        "tools",
    }
    assert [set()] * 3 == [needed - each["response"].keys() for each in out if "response" in each]
    assert all(each["item"].keys() >= {"id", "type", "status"} for each in out if "item" in each)
    texts = [each for each in out if each["type"].startswith("response.output_text.")]
    assert all({"logprobs", "item_id", "content_index", "output_index"} <= each.keys() for each in texts)
    assert all(each.keys() >= {"output_index"} for each in out if each["type"] not in MADE and "response" not in each)


def test_i03_output_index():
    """An index counts blocks, or has gaps, or two items are open: it is the place in the final output, one item after the other.

    agentgateway/agentgateway#2965, openai/openai-python#3125
    """
    heads = calls(call(0, "a", "f", "{"), call(1, "b", "g", "{"))
    data = answer(chunk({"reasoning": "So"}), text("Hi"), heads, calls(call(1, args="}")), calls(call(0, args="}")))
    out = converted(data, "openai-responses")
    places = [each["output_index"] for each in out if "output_index" in each]
    assert sorted(places) == places
    done = {each["output_index"]: each["item"] for each in out if each["type"] == "response.output_item.done"}
    assert out[-1]["response"]["output"] == [done[at] for at in range(4)]


TERMINALS = {"response.completed", "response.incomplete", "response.failed"}


def test_i04_terminal_that_codex_knows():
    """The stream ends with nothing, or with an `error` event that Codex ignores: it is always exactly one of its three terminals.

    openai/codex#41340, router-for-me/CLIProxyAPI#2358
    """
    out = out_of("i04-cut_after_text.sse")
    assert ["response.failed"] == [each["type"] for each in out if each["type"] in TERMINALS | {"error"}]
    assert "response.failed" == out[-1]["type"]
    assert ["incomplete"] == [item["status"] for item in out[-1]["response"]["output"]]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"code": "context_length_exceeded"}, "context_length_exceeded"),
        ({"code": "insufficient_quota"}, "insufficient_quota"),
        ({"code": 529, "type": "overloaded_error"}, "server_is_overloaded"),
        ({"code": 429}, "rate_limit_exceeded"),
        ({"code": "whatever"}, "server_error"),
    ],
)
def test_i04_codes_that_codex_acts_on(said: dict, code: str):
    """A failure reaches Codex under a code it does not know: each class of error goes out under the one it acts on.

    openai/codex#41340, ding113/claude-code-hub#938
    """
    failed = converted(chat({"error": {"message": "No.", **said}}, done=False), "openai-responses")[-1]["response"]
    assert ("failed", code) == (failed["status"], failed["error"]["code"])
    wait = {"error": {"message": "No.", "code": 429, "metadata": {"headers": {"retry-after": "7"}}}}
    slow = converted(chat(wait, done=False), "openai-responses")[-1]["response"]
    assert slow["error"]["message"].endswith("try again in 7s.")


def test_i05_output_in_completed():
    """`output` is empty in the last event: it holds all items, equal to what the deltas said.

    router-for-me/CLIProxyAPI@fd45dece7, maximhq/bifrost#5386
    """
    out = out_of("i01-text_and_a_call.sse")
    said = "".join(each["delta"] for each in out if each["type"] == "response.output_text.delta")
    args = "".join(each["delta"] for each in out if each["type"] == "response.function_call_arguments.delta")
    assert ("I will look.", (("call_1", "read", args),)) == as_responses_reads(out)[::2]
    assert "I will look." == said


def test_i06_no_null_where_text_is_due():
    """`delta: null` and `text: null` stop a reader: what has no text is not said, and what is said is a string.

    maximhq/bifrost#2935
    """
    nulls = chunk({"content": None, "tool_calls": [call(0, "c", "f")]})
    out = converted(
        answer(nulls, chunk({"content": None}), chunk({"refusal": None, "content": ""})), "openai-responses"
    )
    assert [] == [each for each in out for name in ("delta", "text", "arguments") if each.get(name, "") is None]
    assert "{}" == next(each["arguments"] for each in out if each["type"] == "response.function_call_arguments.done")


def test_i07_text_and_a_call():
    """A message and a call stand in one response: the call is not lost on the way to chat, whichever comes first.

    BerriAI/litellm#17246
    """
    for parts in (
        [responses.text(0, "Hi"), responses.call(1, "{}")],
        [responses.call(0, "{}"), responses.text(1, "Hi")],
    ):
        got = message(weft.convert(responses.stream(*parts), "openai-responses", "openai-chat"), "openai-chat")
        assert ("Hi", ["look"], "tool_calls") == (got.text, [each.name for each in got.tool_calls], got.finish)


def test_i08_stable_ids():
    """An item has another id in its last event than in its first: one id, with the prefix of its kind, from the first to the last.

    router-for-me/CLIProxyAPI#4901, icebear0828/codex-proxy#83
    """
    out = converted(answer(chunk({"reasoning": "So"}), text("Hi"), calls(call(0, "c", "f", "{}"))), "openai-responses")
    ids: dict[int, set[str]] = {}
    for each in out:
        if "output_index" in each:
            ids.setdefault(each["output_index"], set()).add(each.get("item_id") or each["item"]["id"])
    assert [1, 1, 1] == [len(each) for each in ids.values()]
    assert ["rs", "msg", "fc"] == [each.pop().partition("_")[0] for each in ids.values()]


def test_i09_created_at_once():
    """`response.created` waits for the first token: it goes out as soon as the source has answered at all.

    vercel/ai#18154
    """
    pipe = weft.Pipe("openai-chat", "openai-responses")
    first = frames(pipe.feed(sse(chunk({"role": "assistant", "content": ""}))))
    assert ["response.created", "response.in_progress"] == [each["type"] for each in first]


def test_i10_verbatim_or_rebuilt():
    """Events of the source and rebuilt ones are mixed: a stream goes one way, byte for byte or rebuilt, from its first frame to its last.

    maximhq/bifrost#5504, router-for-me/CLIProxyAPI@134a9eac9
    """
    data = responses.stream(responses.text(0, "Hi"))
    assert data == weft.convert(data, "openai-responses", "openai-responses", verbatim=True)
    rebuilt = converted(data, "openai-responses", "openai-responses")
    assert list(range(len(rebuilt))) == [each["sequence_number"] for each in rebuilt]
    with pytest.raises(ValueError, match="steps and filters have no place"):
        weft.Pipe("openai-responses", "openai-responses", verbatim=True, filters=["think"])
    cut = data[: data.rindex(b"event: response.completed")]
    out = weft.convert(cut, "openai-responses", "openai-responses", verbatim=True)
    assert out.startswith(cut)
    assert "response.failed" == frames(out)[-1]["type"]
