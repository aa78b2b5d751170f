"""What the real TomoriBot gets wrong (requirements 3.2, by number), and what is right. 8 stands in test_errors.py, 16 in tests/orchestrator."""

from typing import Any

import pytest

import weft
from tests.protocols import chat_wire as chat
from tests.protocols import gemini_wire as gemini
from tests.protocols.wire import ndjson, sse
from weft.adapters import ChunkReader, process
from weft.chunks import ProcessedChunk


def told(protocol: str, *frames: Any, done: bool = False) -> list[ProcessedChunk]:
    return list(process(sse(*frames, done=done, event=protocol == "anthropic"), weft.adapter_for(protocol)()))


def calls(chunks: list[ProcessedChunk]) -> list[tuple[str, dict[str, Any]]]:
    return [(chunk.function_call.name, chunk.function_call.args) for chunk in chunks if chunk.function_call]


def text(chunks: list[ProcessedChunk]) -> str:
    return "".join(chunk.content or "" for chunk in chunks)


def thoughts(chunks: list[ProcessedChunk]) -> str:
    return "".join(entry.content for chunk in chunks for entry in chunk.thoughts)


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def claude(*blocks: list[dict[str, Any]], stop: str = "end_turn") -> list[ProcessedChunk]:
    begin = {"type": "message_start", "message": {"id": "m", "model": "claude", "usage": {"input_tokens": 3}}}
    end = [
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]
    return told("anthropic", begin, *(frame for each in blocks for frame in each), *end)


TWO = [("look", {"at": "sky"}), ("look", {"at": "sea"})]


def test_1_every_parallel_call_is_told():
    fragments = [chat.call(0, "a", "look", '{"at":"sky"}'), chat.call(1, "b", "look", '{"at":"sea"}')]
    assert TWO == calls(told("openai-chat", chat.calls(*fragments), chat.end("tool_calls")))
    parts = [gemini.call("look", {"at": "sky"}), gemini.call("look", {"at": "sea"})]
    assert TWO == calls(told("gemini", gemini.chunk(*parts, finish="STOP")))
    blocks = [
        block(at, {"type": "tool_use", "id": f"t{at}", "name": name, "input": {}}, {"type": "input_json_delta", "partial_json": args})
        for at, (name, args) in enumerate([("look", '{"at":"sky"}'), ("look", '{"at":"sea"}')])
    ]  # fmt: skip
    assert TWO == calls(claude(*blocks, stop="tool_use"))


def test_2_a_call_has_its_id():
    chunks = told("openai-chat", chat.calls(chat.call(0, "call_7", "look", "{}")), chat.end("tool_calls"))
    assert ["call_7"] == [chunk.function_call.id for chunk in chunks if chunk.function_call]


@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
@pytest.mark.parametrize("index", [0, 1])
def test_3_a_whole_call_is_told_whatever_the_finish_and_the_index(finish, index):
    fragment = chat.call(index, "a", "look", '{"at":"sky"}')
    assert TWO[:1] == calls(told("openai-chat", chat.calls(fragment), chat.end(finish)))


def test_3_a_call_that_the_limit_may_have_cut_is_not_executed_and_not_silent():
    adapter = weft.adapter_for("openai-chat")()
    frames = [chat.calls(chat.call(0, "a", "look", '{"at":"sky"}')), chat.end("length")]
    chunks = list(process(sse(*frames, done=True), adapter))
    assert ([], True, "tool_call") == (calls(chunks), chunks[-1].metadata["outputTruncated"], adapter.losses[0].what)


def test_3_a_call_whose_stream_broke_off_is_not_executed_and_not_silent():
    chunks = told("openai-chat", chat.calls(chat.call(0, "a", "look", '{"at":')))
    assert ([], "truncated") == (calls(chunks), chunks[-1].error.code)


def test_4_arguments_that_do_not_parse_are_not_executed_as_empty_ones():
    adapter = weft.adapter_for("openai-chat")()
    frames = [chat.calls(chat.call(0, "a", "drop_tables", '{"only":')), chat.end("tool_calls")]
    assert [] == calls(list(process(sse(*frames, done=True), adapter)))
    assert ["tool_call"] == [loss.what for loss in adapter.losses]


def test_4_a_name_that_comes_again_is_one_name():
    fragments = [chat.calls(chat.call(0, "a", "look", "{")), chat.calls(chat.call(0, "a", "look", "}"))]
    assert [("look", {})] == calls(told("openai-chat", *fragments, chat.end("tool_calls")))


def test_5_the_content_of_the_last_chunk_is_kept_and_the_finish_told():
    chunks = told("openai-chat", chat.chunk({"content": "Hi"}), chat.chunk({"content": " you"}, "length"))
    assert ("Hi you", "length", True) == (
        text(chunks), chunks[-1].metadata["finishReason"], chunks[-1].metadata["outputTruncated"],
    )  # fmt: skip


def test_5_a_filtered_answer_is_blocked():
    chunks = told("openai-chat", chat.text("Hi"), chat.end("content_filter"))
    assert ("content_blocked", False) == (chunks[-1].error.type, chunks[-1].error.retryable)


@pytest.mark.parametrize(
    ("finish", "kind"),
    [("MAX_TOKENS", "done"), ("MALFORMED_FUNCTION_CALL", "error"), ("STOP", "done"), ("SAFETY", "error")],
)
def test_5_every_finish_of_gemini_ends_the_stream_and_loses_no_text(finish, kind):
    chunks = told("gemini", gemini.chunk(gemini.text("Hi"), finish=finish))
    assert ("Hi", kind, finish) == (text(chunks), chunks[-1].type, chunks[-1].metadata["rawFinishReason"])


def test_6_a_finish_of_another_kind_is_no_safety_block():
    chunks = told("gemini", gemini.chunk(gemini.text("Hi"), finish="OTHER"))
    assert ("done", "other") == (chunks[-1].type, chunks[-1].metadata["finishReason"])


def test_7_retryable_is_the_taxonomys_in_mid_stream_too():
    chunks = told("openai-chat", chat.text("Hi"), {"error": {"code": 503, "message": "no capacity"}})
    assert ("provider_overloaded", True) == (chunks[-1].error.type, chunks[-1].error.retryable)


def test_9_repetition_is_no_overlap():
    laughs = ["ha ha ha ha ", "ha ha ha ha ", "| --- | --- |\n", "| --- | --- |\n"]
    assert "".join(laughs) == text(told("openai-chat", *map(chat.text, laughs), chat.end()))


def test_10_text_that_ends_in_a_bracket_is_text():
    adapter = weft.adapter_for("openai-chat", filters=["think"])()
    chunks = list(process(sse(chat.text("x <"), chat.end(), done=True), adapter))
    assert ("x <", "") == (text(chunks), thoughts(chunks))


def test_11_the_content_beside_reasoning_details_is_kept():
    delta = {"content": "Hi", "reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}
    chunks = told("openai-chat/openrouter", chat.chunk(delta), chat.end())
    assert ("Hi", "Hm.") == (text(chunks), thoughts(chunks))


def test_12_frames_of_several_lines_and_one_without_an_end_are_read():
    data = b'data: {"id":"c","choices":[{"index":0,\r\ndata: "delta":{"content":"Hi"}}]}\r\n\r\ndata: nonsense\n\n'
    last = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
    chunks = list(process([data, last], weft.adapter_for("openai-chat")()))
    assert ("Hi", "done") == (text(chunks), chunks[-1].type)


def test_13_streams_at_once_do_not_disturb_each_other():
    factory = weft.adapter_for("openai-chat")
    readers = [ChunkReader(factory()) for _ in range(2)]
    heard: list[list[ProcessedChunk]] = [[], []]
    for piece in ('{"n"', ":1}"):
        for at, reader in enumerate(readers):
            heard[at] += reader.feed(chat.calls(chat.call(0, f"c{at}", f"f{at}", piece)))
    for at, reader in enumerate(readers):
        heard[at] += reader.feed(chat.end("tool_calls")) + reader.close()
    assert [[("f0", {"n": 1})], [("f1", {"n": 1})]] == [calls(chunks) for chunks in heard]


def test_14_what_claude_wants_back_goes_with_its_call():
    thinking = block(
        0, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "Hm."}, {"type": "signature_delta", "signature": "c2ln"}
    )  # fmt: skip
    hidden = block(1, {"type": "redacted_thinking", "data": "eHh4"})
    use = block(2, {"type": "tool_use", "id": "t", "name": "look", "input": {}})
    [call] = [chunk.function_call for chunk in claude(thinking, hidden, use, stop="tool_use") if chunk.function_call]
    assert [("Hm.", "c2ln", None), (None, None, "eHh4")] == [
        (detail.get("text"), detail.get("signature"), detail.get("data")) for detail in call.reasoning_details
    ]


@pytest.mark.parametrize("stop", ["refusal", "pause_turn"])
def test_14_refusals_and_pauses_are_told(stop):
    chunks = claude(block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"}), stop=stop)
    assert ("Hi", stop) == (text(chunks), chunks[-1].metadata["rawFinishReason"])


def test_14_an_http_error_is_no_empty_text():
    [chunk] = process(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}, weft.adapter_for("anthropic")()
    )
    assert ("error", "provider_overloaded") == (chunk.type, chunk.error.type)


def test_15_a_second_choice_is_not_glued_to_the_first_and_not_lost_in_silence():
    adapter = weft.adapter_for("openai-chat")()
    frames = [chat.text("one"), chat.text("two", 1), chat.end("stop", 0), chat.end("stop", 1)]
    chunks = list(process(sse(*frames, done=True), adapter))
    assert ("one", ["choices"]) == (text(chunks), [loss.what for loss in adapter.losses])


def test_1_2_continuity_of_gemini_and_deepseek():
    """The seed: these fields must be preserved when the tool's result goes back."""
    part = {**gemini.call("look", {"at": "sky"}), "thoughtSignature": "U0lH"}
    [call] = [c.function_call for c in told("gemini", gemini.chunk(part, finish="STOP")) if c.function_call]
    assert "U0lH" == call.thought_signature
    frames = [
        chat.chunk({"reasoning_content": "Hm."}, model="deepseek-reasoner"),
        chat.calls(chat.call(0, "a", "look", "{}")),
        chat.end("tool_calls"),
    ]
    [call] = [c.function_call for c in told("openai-chat/deepseek", *frames) if c.function_call]
    assert "Hm." == call.deepseek_reasoning_content


def test_the_serving_backend_is_told():
    frames = [{**chat.text("Hi"), "provider": "Fireworks"}, chat.end()]
    assert "Fireworks" == told("openai-chat/openrouter", *frames)[-1].serving_provider


def test_ollamas_lines_are_read_by_the_same_three_methods():
    data = ndjson(
        {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": True, "done_reason": "stop"}
    )
    assert ["text", "done"] == [chunk.type for chunk in process(data, weft.adapter_for("ollama")())]
