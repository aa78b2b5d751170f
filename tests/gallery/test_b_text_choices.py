"""Failures B: text, choices, the shape of chunks. One test for each mode, with where it was seen."""

import weft
from tests.gallery.shown import answer, as_anthropic_reads, chat, converted
from tests.protocols import anthropic_wire as claude
from tests.protocols import gemini_wire as gemini
from tests.protocols.chat_wire import call, calls, chunk, codes, end, envelope, read, read_events, text, told, usage
from tests.protocols.wire import events, message, sse
from weft.events import BlockStart, TextDelta
from weft.message import FilePart, Text


def lost(data: bytes, target: str, source: str = "openai-chat") -> set[str]:
    """What a conversion says it could not carry."""
    pipe = weft.Pipe(source, target)
    pipe.feed(data)
    pipe.close()
    return {loss.what for loss in pipe.losses}


def test_b01_empty_choices():
    """A chunk has no choice: its filters and its usage are read all the same.

    microsoft/foundry-local#905, awslabs/llmeter#34
    """
    filters = [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": False}}}]
    got = read(envelope([], prompt_filter_results=filters), text("Hi"), end(), envelope([], usage=usage(3, 4, 7)))
    assert ("Hi", 7, filters) == (got.text, got.usage.total_tokens, got.meta["prompt_filter_results"])


def test_b02_null_choices_and_deltas():
    """`choices: null`, `delta: null`, no delta: these chunks say what stands beside, and nothing else.

    langchain-ai/langchain#18977, microsoft/autogen#6465
    """
    bare = envelope([{"index": 0, "finish_reason": None, "content_filter_results": {"hate": {"severity": "safe"}}}])
    null = envelope([{"index": 0, "delta": None, "finish_reason": None}])
    got = read(envelope(None), null, bare, text("Hi"), end())
    assert ("Hi", "completed", {"hate": {"severity": "safe"}}) == (
        got.text,
        got.outcome,
        got.meta["content_filter_results"],
    )


def test_b03_blank_identity():
    """Id and model are blank at first, and the id changes with each chunk: the first that says something stays.

    mlflow/mlflow#12767, pydantic/pydantic-ai#5496
    """
    blank = {**envelope([]), "id": "", "model": "", "object": "", "created": 0}
    data = chat(blank, {**text("Hi"), "id": "one"}, {**end(), "id": "two"})
    got = message(data, "openai-chat")
    assert ("one", "m") == (got.id, got.model)
    assert {"one"} == {frame["id"] for frame in converted(data, "openai-chat")[:-1]}


def test_b04_role_anywhere_or_nowhere():
    """The role comes on no chunk, on all, or as null: it moves nothing, and we say it once, first.

    vercel/ai#16530, router-for-me/CLIProxyAPI#530
    """
    for roles in ({}, {"role": "assistant"}, {"role": None}):
        data = answer(chunk({**roles, "content": "a"}), chunk({**roles, "content": "b"}))
        deltas = [frame["choices"][0]["delta"] for frame in converted(data, "openai-chat")[:-1]]
        assert ["assistant"] == [delta["role"] for delta in deltas if "role" in delta]
        assert "role" in deltas[0]
        assert "ab" == message(data, "openai-chat").text


def test_b05_content_as_a_list():
    """Content is a list of parts: text is text, thinking is reasoning.

    vercel/ai#8072
    """
    thinking = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]
    got = read(chunk({"content": thinking}), chunk({"content": [{"type": "text", "text": "Hi"}]}), text("!"), end())
    assert ("Hm.", "Hi!") == (got.reasoning, got.text)


def test_b06_text_and_finish_in_one_chunk():
    """The last text comes with the finish: both are read.

    vllm-project/vllm#35705, maximhq/bifrost#4964
    """
    got = read(text("Hi"), chunk({"content": "!"}, "stop"))
    assert ("Hi!", "stop") == (got.text, got.finish)


def test_b07_cumulative_text():
    """Each chunk repeats all of the text: that is declared. Without it equal pieces are equal words, and stay.

    QwenLM/qwen-code#3896, elizaOS/eliza#17123
    """
    grown = text("He"), text("Hello"), text("Hello"), text("Hello w"), end()
    assert "Hello w" == read(*grown, dialect="snapshots").text
    assert ("haha", "1500150") == (
        read(text("ha"), text("ha"), end()).text,
        read(text("1500"), text("150"), end()).text,
    )


def test_b08_several_choices():
    """Two answers come in turns: each keeps its own text, and a target that carries one says that it dropped the other.

    BerriAI/litellm#38185, envoyproxy/ai-gateway#1487
    """
    data = chat(text("Azure."), text("Blue.", 1), end("stop"), end("length", 1))
    got = message(data, "openai-chat")
    assert [("Azure.", "stop"), ("Blue.", "length")] == [(each.text, each.finish) for each in got.choices]
    assert "Azure." == as_anthropic_reads(converted(data, "anthropic")).text
    assert "choices" in lost(data, "anthropic")


def test_b09_logprobs():
    """Log probabilities stay with the text that they belong to; a target without them says so.

    sgl-project/sglang#28456, kekzl/imp#1588
    """
    tokens = [{"token": "Hi", "logprob": -0.1, "bytes": None, "top_logprobs": []}]
    one = envelope([{"index": 0, "delta": {"content": "Hi"}, "logprobs": {"content": tokens}, "finish_reason": None}])
    data = answer(one, text("!"))
    deltas = [each for each in events(data, "openai-chat") if isinstance(each, TextDelta)]
    assert [("Hi", tokens), ("!", None)] == [(each.text, each.logprobs) for each in deltas]
    assert "logprobs" in lost(data, "anthropic")


def test_b10_images():
    """A delta holds an image and nothing else: it is a block, and a target that cannot carry it says so.

    maximhq/bifrost#7032, agentjido/req_llm#933
    """
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0="}}
    data = answer(chunk({"images": [image]}))
    got = message(data, "openai-chat").blocks[0]
    assert isinstance(got, FilePart)
    assert ("image/png", "iVBORw0=") == (got.media_type, got.data)
    assert {**image, "index": 0} in [
        each for frame in converted(data, "openai-chat")[:-1] for each in frame["choices"][0]["delta"].get("images", ())
    ]
    assert "file" in lost(data, "anthropic")


def test_b11_grounding_on_a_middle_chunk():
    """Citations come with the middle chunk, and a chunk with counts alone follows: they are annotations of the text that they cite.

    Their offsets are told where the first chunk announces grounding, as Gemini's do. laravel/ai#912, agentgateway/agentgateway#3515
    """
    grounds = {
        "groundingChunks": [{"web": {"uri": "https://a.example", "title": "A"}}],
        "groundingSupports": [
            {"segment": {"startIndex": 0, "endIndex": 5, "text": "Rain."}, "groundingChunkIndices": [0]}
        ],
    }
    counts = {"usageMetadata": gemini.usage(), "modelVersion": "gemini-x", "responseId": "resp_1"}
    data = sse(
        gemini.chunk(gemini.text("Rain."), groundingMetadata={}),
        gemini.chunk(gemini.text(" Wind."), groundingMetadata=grounds, finish="STOP"),
        counts,
    )
    block = message(data, "gemini").blocks[0]
    assert isinstance(block, Text)
    assert [(0, 5, "https://a.example")] == [(each.start, each.end, each.url) for each in block.annotations]


def test_b12_empty_deltas():
    """`content: ""` stands between pieces of arguments: a delta that says nothing opens and closes nothing.

    agentgateway/agentgateway#2147, pydantic/pydantic-ai#1875
    """
    empty = chunk({"content": "", "reasoning": ""})
    got = read_events(
        empty, calls(call(0, "c", "f", '{"a":')), empty, calls(call(0, args="1}")), empty, end("tool_calls")
    )
    assert ["tool_call"] == [each.kind for each in got if isinstance(each, BlockStart)]


def test_b13_order_of_blocks():
    """Text, a call, text, reasoning: the order of first appearance is kept.

    tensorzero/tensorzero#2336, langchain-ai/langchain#37434
    """
    thinking = [claude.opened(3, claude.THINKING), claude.thought(3, "Hm."), claude.closed(3)]
    parts = [claude.text(0, "a"), claude.call(1, "{}"), claude.text(2, "b"), thinking]
    data = claude.stream(*parts)
    kinds = ["text", "tool_call", "text", "reasoning"]
    assert kinds == [each.__struct_config__.tag for each in message(data, "anthropic").blocks]
    again = weft.convert(data, "anthropic", "anthropic")
    assert kinds == [each.__struct_config__.tag for each in message(again, "anthropic").blocks]


def test_b14_server_tools():
    """The provider runs a tool between two texts: its blocks are carried whole to the same protocol, numbered like all others.

    maximhq/bifrost#4890, router-for-me/CLIProxyAPI#3868
    """
    search = [claude.opened(1, claude.SEARCH), claude.args(1, '{"query":"x"}'), claude.closed(1)]
    found = [claude.opened(2, claude.FOUND), claude.closed(2)]
    data = claude.stream(claude.text(0, "a"), search, found, claude.text(3, "b"))
    starts = [each for each in converted(data, "anthropic", "anthropic") if each["type"] == "content_block_start"]
    assert [0, 1, 2, 3] == [each["index"] for each in starts]
    assert claude.FOUND == starts[2]["content_block"]
    assert "ab" == as_anthropic_reads(converted(data, "anthropic", "anthropic")).text
    assert {"executor", "tool_result"} <= lost(data, "openai-chat", "anthropic")


def test_b15_equal_chunks():
    """A hundred equal chunks are an answer like any other: nothing guards against repetition.

    BerriAI/litellm, measured in section 0.2 of the survey.
    """
    got = read(*[text("no ")] * 150, end())
    assert ("no " * 150, "completed", []) == (got.text, got.outcome, codes(got))


def test_b16_drift():
    """An event nobody knows is carried as it came; a known one with a wrong body loses the wrong member, and both are noted.

    langchain-ai/langchain#36925, vercel/ai#17010
    """
    new = {"type": "content_block_hint", "index": 0, "hint": "soon"}
    wrong = claude.opened(1, {"type": "tool_use", "id": ["x"], "name": "look", "input": {}})
    got = message(claude.stream(new, claude.text(0, "a"), wrong, claude.closed(1)), "anthropic")
    assert [new] == [each.raw for each in got.unknown]
    assert {"unknown_frame", "member_dropped"} == set(codes(got))
    assert ("a", "completed", [(None, "look", "")]) == (got.text, got.outcome, told(got))
