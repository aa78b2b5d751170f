"""The AI SDK's UI message stream: parts and their ids, tools, data, metadata, failures, the end."""

from typing import Any

import pytest

import weft
from tests.protocols.wire import end, events, message, note_codes, sse
from weft.detect import detect
from weft.message import FilePart, OpaquePart, Text, ToolCall, ToolResult
from weft.testing import check_grammar

START, STEP, STEP_END = {"type": "start"}, {"type": "start-step"}, {"type": "finish-step"}
FINISH = {"type": "finish", "finishReason": "stop"}
CALL = {"type": "tool-input-available", "toolCallId": "c", "toolName": "look", "input": {"at": "sky"}}


def text(delta: str, id: str = "0") -> dict[str, Any]:
    return {"type": "text-delta", "id": id, "delta": delta}


def read(*chunks: Any, done: bool = True, **options: Any):
    return message(sse(*chunks, done=done), "ai-sdk-ui", **options)


GOLDEN = [
    {"type": "start", "messageId": "msg-1"},
    STEP,
    {"type": "reasoning-start", "id": "0"},
    {"type": "reasoning-delta", "id": "0", "delta": "Hm"},
    {"type": "reasoning-end", "id": "0"},
    {"type": "tool-input-start", "toolCallId": "c", "toolName": "look"},
    {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"at":'},
    {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '"sky"}'},
    CALL,
    {"type": "tool-output-available", "toolCallId": "c", "output": "grey"},
    STEP_END,
    STEP,
    {"type": "text-start", "id": "0"},
    text("Grey."),
    {"type": "text-end", "id": "0"},
    STEP_END,
    FINISH,
]


def test_a_run_of_two_steps():
    """A16 of the checklist."""
    got = read(*GOLDEN)
    assert ("msg-1", "completed", "stop", "Hm", "Grey.") == (got.id, got.outcome, got.finish, got.reasoning, got.text)
    assert [("c", "look", '{"at":"sky"}', True)] == [(c.id, c.name, c.raw, c.complete) for c in got.tool_calls]
    assert [("c", "grey", False)] == [
        (part.call_id, part.content, part.is_error) for part in got.blocks if isinstance(part, ToolResult)
    ]
    assert ([], 2) == (got.notes, len(got.steps))


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("cut", range(len(GOLDEN)))
def test_without_its_finish_it_is_truncated(cut, done):
    """Law 2: [DONE] is the transport's; it comes after a cut as well."""
    assert "truncated" == read(*GOLDEN[:cut], done=done).outcome


def test_the_transport_s_terminator_is_not_needed():
    assert "completed" == read(*GOLDEN, done=False).outcome


@pytest.mark.parametrize(
    ("word", "finish", "outcome"),
    [
        ("stop", "stop", "completed"),
        ("length", "length", "incomplete"),
        ("content-filter", "content_filter", "incomplete"),
        ("tool-calls", "stop", "completed"),
        ("error", "error", "failed"),
        ("interrupted", "error", "failed"),
        ("other", "other", "completed"),
        (None, None, "completed"),
    ],
)
def test_the_words_of_the_finish(word, finish, outcome):
    """Older senders do not say any; a tool finish without a call is a stop."""
    got = read(text("a"), {"type": "finish", "finishReason": word})
    assert (finish, outcome) == (got.finish, got.outcome)


# -- text and reasoning ----------------------------------------------------------------------------------------------


def test_a_delta_that_nobody_announced_opens_its_part():
    """J1."""
    got = read(text("a", "x"), {"type": "reasoning-delta", "id": "x", "delta": "r"}, text("b", "x"), FINISH)
    assert ("ab", "r", 2) == (got.text, got.reasoning, len(got.blocks))


def test_ids_that_repeat_in_another_step_are_other_parts():
    """J2, and the late end that newer clients bear."""
    late = {"type": "text-end", "id": "0", "providerMetadata": {"openai": {"itemId": "x"}}}
    got = read(STEP, text("a"), STEP_END, late, STEP, text("a"), STEP_END, FINISH)
    assert [(0, "a"), (1, "a")] == [(part.step, part.text) for part in got.blocks]
    assert [] == got.notes


def test_a_part_that_is_announced_twice_is_two():
    data = sse({"type": "text-start", "id": "0"}, text("a"), {"type": "text-start", "id": "0"}, text("b"), FINISH)
    assert ["a", "b"] == [part.text for part in message(data, "ai-sdk-ui").blocks]
    assert ["block_reopened"] == note_codes(data, "ai-sdk-ui")


def test_state_in_the_metadata_is_a_signature_of_its_origin():
    """F5."""
    metadata = {"anthropic": {"signature": "s"}}
    got = read(
        {"type": "reasoning-start", "id": "0"}, {"type": "reasoning-end", "id": "0", "providerMetadata": metadata}
    )
    (signature,) = got.blocks[0].signatures
    assert ("s", "anthropic", None) == (signature.value, signature.origin.protocol, got.blocks[0].opaque)


# -- tools -----------------------------------------------------------------------------------------------------------


def test_what_is_available_is_what_counts():
    """A call without pieces, one whose pieces lack the tail, one that nothing but its output ends."""
    got = read(
        CALL,
        {"type": "tool-input-start", "toolCallId": "d", "toolName": "look"},
        {"type": "tool-input-delta", "toolCallId": "d", "inputTextDelta": '{"at":'},
        {**CALL, "toolCallId": "d", "input": '{"at":"sea"}'},
        {"type": "tool-input-start", "toolCallId": "e", "toolName": "look"},
        {"type": "tool-input-delta", "toolCallId": "e", "inputTextDelta": '{"at":"land"}'},
        {"type": "tool-output-available", "toolCallId": "e", "output": None},
        FINISH,
    )
    assert [("c", {"at": "sky"}), ("d", {"at": "sea"}), ("e", {"at": "land"})] == [
        (call.id, call.arguments) for call in got.tool_calls
    ]
    assert [] == got.notes


def test_the_input_keeps_its_own_text():
    frame = b'data: {"type":"tool-input-available","toolCallId":"c","toolName":"f","input":{"n": 1.50}}\n\n'
    assert ['{"n": 1.50}'] == [call.raw for call in message(frame + sse(FINISH), "ai-sdk-ui").tool_calls]


@pytest.mark.parametrize("last", [{"type": "abort"}, {"type": "finish", "finishReason": "length"}])
def test_a_call_that_was_never_available_is_not_to_be_executed(last):
    """A9."""
    start = {"type": "tool-input-start", "toolCallId": "c", "toolName": "look"}
    delta = {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{}"}
    assert [False] == [call.complete for call in read(start, delta, last).tool_calls]


def test_an_input_that_does_not_fit_is_no_call_to_execute():
    got = read({**CALL, "type": "tool-input-error", "errorText": "no sky"}, FINISH)
    call, result = got.blocks
    assert (False, "no sky", True, "stop") == (call.complete, result.content, result.is_error, got.finish)


def test_outputs_of_every_kind():
    got = read(
        CALL,
        {"type": "tool-output-available", "toolCallId": "c", "output": 1, "preliminary": True},
        {"type": "tool-output-available", "toolCallId": "c", "output": 2},
        {**CALL, "toolCallId": "p", "providerExecuted": True},
        {"type": "tool-output-error", "toolCallId": "p", "errorText": "dark", "providerExecuted": True},
        {**CALL, "toolCallId": "d"},
        {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "d"},
        {"type": "tool-output-denied", "toolCallId": "d"},
        FINISH,
    )
    results = [part for part in got.blocks if isinstance(part, ToolResult)]
    assert [("c", 2, False), ("p", "dark", True), ("d", {"type": "execution-denied"}, True)] == [
        (part.call_id, part.content, part.is_error) for part in results
    ]
    assert ["client", "provider", "client"] == [call.executor for call in got.tool_calls]
    assert [None] * 3 == [part.name for part in results]


# -- sources, files, data --------------------------------------------------------------------------------------------


def test_sources_belong_to_the_text_that_is_being_said():
    url = {"type": "source-url", "sourceId": "s", "url": "https://a.example", "title": "A"}
    document = {"type": "source-document", "sourceId": "d", "mediaType": "text/plain", "title": "D"}
    got = read({"type": "text-start", "id": "0"}, text("a"), url, {"type": "text-end", "id": "0"}, document, FINISH)
    assert [["source-url"], ["source-document"]] == [[note.kind for note in part.annotations] for part in got.blocks]
    (note,) = got.blocks[0].annotations
    assert ("https://a.example", "A", url) == (note.url, note.title, note.raw)


@pytest.mark.parametrize(
    ("chunk", "held"),
    [
        ({"url": "data:image/png;base64,AQID", "mediaType": "image/png"}, ("image/png", "AQID", None)),
        ({"url": "data:image/png;base64,AQID"}, ("image/png", "AQID", None)),
        ({"url": "https://a/b.pdf", "mediaType": "application/pdf"}, ("application/pdf", None, "https://a/b.pdf")),
        ({"url": "data:text/plain,hello", "mediaType": "text/plain"}, ("text/plain", None, "data:text/plain,hello")),
    ],
)
def test_a_file_is_a_url_that_may_hold_it(chunk, held):
    (file,) = read({"type": "file", **chunk}, FINISH).blocks
    assert isinstance(file, FilePart)
    assert held == (file.media_type, file.data, file.url)


@pytest.mark.parametrize(
    ("chunk", "name"),
    [
        ({"type": "data-progress", "id": "p", "data": {"percent": 5}, "transient": True}, "data-progress"),
        ({"type": "custom", "kind": "openai.compaction"}, "openai.compaction"),
        ({"type": "steering-message", "id": "s", "message": {}}, "steering-message"),
    ],
)
def test_what_has_no_words_here_is_carried(chunk, name):
    (block,) = read(chunk, FINISH).blocks
    assert isinstance(block, OpaquePart)
    assert (name, chunk) == (block.name, block.opaque.raw)


def test_data_between_texts_keep_their_place():
    got = read(text("a", "1"), {"type": "data-x", "data": 1}, CALL, text("b", "2"), FINISH)
    assert [Text, OpaquePart, ToolCall, Text] == [type(part) for part in got.blocks]


def test_a_chunk_that_nobody_knows_is_carried_and_noted():
    got = read({"type": "brand-new"}, FINISH)
    assert ([{"type": "brand-new"}], ["unknown_frame"]) == (
        [unknown.raw for unknown in got.unknown],
        [note.code for note in got.notes],
    )


def test_strict_mode_takes_what_the_sdk_sends():
    got = read(*GOLDEN[:-1], {"type": "data-x", "id": "1", "data": 1}, FINISH, strict=True)
    assert ("completed", []) == (got.outcome, [note.message for note in got.notes])


# -- metadata and steps ----------------------------------------------------------------------------------------------


def test_the_app_s_metadata_are_facts_and_may_hold_the_usage():
    """Atlas 2.10: these chunks have no other place for it."""
    usage = {"inputTokens": 3, "outputTokens": 4, "cachedInputTokens": 1, "outputTokenDetails": {"reasoningTokens": 2}}
    got = read(
        {"type": "start", "messageMetadata": {"by": "app"}},
        {"type": "message-metadata", "messageMetadata": {"by": "app", "usage": usage}},
        FINISH,
    )
    assert {"by": "app", "usage": usage} == got.meta["message_metadata"]
    assert (3, 4, 7, 1, 2) == (
        got.usage.input_tokens,
        got.usage.output_tokens,
        got.usage.total_tokens,
        got.usage.cache_read_tokens,
        got.usage.reasoning_tokens,
    )


@pytest.mark.parametrize("metadata", [5, "x", [], {}, {"usage": "much"}, {"usage": {"inputTokens": "many"}}, None])
def test_other_metadata_are_no_usage(metadata):
    got = read({"type": "finish", "messageMetadata": metadata})
    assert (None, "completed") == (got.usage, got.outcome)


def test_a_stop_after_answered_calls_is_a_stop():
    got = read(
        STEP,
        CALL,
        {"type": "tool-output-available", "toolCallId": "c", "output": 1},
        STEP_END,
        STEP,
        text("a"),
        STEP_END,
        FINISH,
    )
    assert "stop" == got.finish
    assert "tool_calls" == read(STEP, CALL, STEP_END, FINISH).finish


def test_an_output_may_come_in_the_step_after_its_call():
    got = read(
        STEP, CALL, STEP_END, STEP, {"type": "tool-output-available", "toolCallId": "c", "output": 1}, STEP_END, FINISH
    )
    assert [("c", 1)] == [(part.call_id, part.step) for part in got.blocks if isinstance(part, ToolResult)]


def test_a_step_that_begins_anew_leaves_what_it_said_cut_off():
    data = sse(STEP, {"type": "text-start", "id": "0"}, text("a"), {"type": "reset-step"}, text("b"), STEP_END, FINISH)
    got = message(data, "ai-sdk-ui")
    assert [("a", False), ("b", True)] == [(part.text, part.complete) for part in got.blocks if isinstance(part, Text)]
    assert ["step_reset"] == note_codes(data, "ai-sdk-ui")


# -- failures --------------------------------------------------------------------------------------------------------


def test_what_follows_an_error_is_read():
    got = read(STEP, text("a"), {"type": "error", "errorText": "An error occurred."}, text("b"), STEP_END, FINISH)
    assert ("failed", "An error occurred.", "ab", []) == (got.outcome, got.error.message, got.text, got.notes)


@pytest.mark.parametrize("tail", [[], [STEP_END], [STEP_END, {"type": "finish", "finishReason": "error"}]])
def test_an_error_fails_however_the_stream_ends(tail):
    last = end(
        sse(STEP, text("a"), {"type": "error", "errorText": "Rate limit exceeded"}, *tail, done=True), "ai-sdk-ui"
    )
    assert ("failed", "rate_limit") == (last.outcome, last.error.type)


def test_an_aborted_message_is_cancelled():
    """J3: what was open is closed, and not as whole."""
    got = read(text("a"), {"type": "abort", "reason": "the user left"})
    assert ("incomplete", "cancelled", "the user left") == (got.outcome, got.error.type, got.error.message)
    assert [False] == [part.complete for part in got.blocks]


def test_chunks_before_any_start_are_read():
    """A server that was told not to send its start and finish."""
    got = read(text("a"), done=False)
    assert ("a", "truncated") == (got.text, got.outcome)


@pytest.mark.parametrize(
    "frame", ['{"type":"text-delta","id":null,"delta":null}', '{"type":5}', '{"type":null}', "{}", "[]"]
)
def test_a_chunk_of_another_shape_does_no_harm(frame):
    check_grammar("ai-sdk-ui", sse(START, frame, text("a"), FINISH))
    assert "a" == read(START, frame, text("a"), FINISH).text


def test_it_is_recognised():
    assert "ai-sdk-ui" == detect(sse(*GOLDEN))[0].protocol
    assert "ai-sdk-ui" == detect(sse(*GOLDEN[:2], *GOLDEN[11:], done=True))[0].protocol


def test_recorded_streams_read_without_a_complaint(corpus):
    """What the reference implementation wrote: nothing is unknown, nothing odd, and each call has its output."""
    found = sorted((corpus / "ai-sdk-ui").glob("*.sse"))
    assert found
    for path in found:
        got = message(path.read_bytes(), "ai-sdk-ui", strict=True)
        assert ("completed", [], []) == (got.outcome, got.notes, got.unknown)
        outputs = [part.call_id for part in got.blocks if isinstance(part, ToolResult)]
        assert [call.id for call in got.tool_calls] == outputs
        assert all(call.complete for call in got.tool_calls)
        assert all(isinstance(event, weft.events.Event) for event in events(path.read_bytes(), "ai-sdk-ui"))
