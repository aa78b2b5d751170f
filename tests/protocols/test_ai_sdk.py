"""The AI SDK's fullStream parts: every version's names, steps, calls and results, files, failures, the end."""

import json
from typing import Any

import pytest

import weft
from tests.protocols.wire import end, events, message, ndjson, note_codes, sse
from weft.detect import detect
from weft.message import FilePart, OpaquePart, Reasoning, Text, ToolCall, ToolResult

STEP = {"type": "start-step", "request": {}, "warnings": []}
FINISH = {"type": "finish", "finishReason": "stop", "totalUsage": {}}
CALL = {"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": {"at": "sky"}}


def read(*parts: Any, **options: Any):
    return message(ndjson(*parts), "ai-sdk", **options)


def finish_step(reason: str = "stop", **more: Any) -> dict[str, Any]:
    return {"type": "finish-step", "finishReason": reason, "usage": {}, "response": {}, **more}


def pieces(*texts: str, id: str = "c") -> list[dict[str, Any]]:
    """A call's input in pieces, as versions 5 and later send it."""
    start = {"type": "tool-input-start", "id": id, "toolName": "look"}
    deltas = [{"type": "tool-input-delta", "id": id, "delta": text} for text in texts]
    return [start, *deltas, {"type": "tool-input-end", "id": id}]


VERSION_4 = [
    {"type": "reasoning", "textDelta": "Hm"},
    {"type": "text-delta", "textDelta": "Hi"},
    {"type": "tool-call-streaming-start", "toolCallId": "c", "toolName": "look"},
    {"type": "tool-call-delta", "toolCallId": "c", "toolName": "look", "argsTextDelta": '{"at":"sky"}'},
    {"type": "tool-call", "toolCallId": "c", "toolName": "look", "args": {"at": "sky"}},
    {"type": "finish", "finishReason": "tool-calls", "usage": {"promptTokens": 1, "completionTokens": 2}},
]
VERSION_5 = [
    {"type": "start"},
    STEP,
    {"type": "reasoning-start", "id": "0"},
    {"type": "reasoning-delta", "id": "0", "text": "Hm"},
    {"type": "reasoning-end", "id": "0"},
    {"type": "text-start", "id": "1"},
    {"type": "text-delta", "id": "1", "text": "Hi"},
    {"type": "text-end", "id": "1"},
    *pieces('{"at":', '"sky"}'),
    CALL,
    finish_step("tool-calls"),
    {"type": "finish", "finishReason": "tool-calls", "totalUsage": {"inputTokens": 1, "outputTokens": 2}},
]
PROVIDER = [
    {"type": "stream-start", "warnings": []},
    {"type": "reasoning-start", "id": "0"},
    {"type": "reasoning-delta", "id": "0", "delta": "Hm"},
    {"type": "reasoning-end", "id": "0"},
    {"type": "text-start", "id": "1"},
    {"type": "text-delta", "id": "1", "delta": "Hi"},
    {"type": "text-end", "id": "1"},
    *pieces('{"at":', '"sky"}'),
    {"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": '{"at":"sky"}'},
    {
        "type": "finish",
        "finishReason": {"unified": "tool-calls", "raw": "tool_use"},
        "usage": {"inputTokens": {"total": 1}, "outputTokens": {"total": 2}},
    },
]


@pytest.mark.parametrize("parts", [VERSION_4, VERSION_5, PROVIDER], ids=["4", "5 and later", "provider"])
def test_every_version_says_the_same(parts):
    """A15 of the checklist: textDelta, text and delta; args and input, object or text; usage in each shape."""
    got = read(*parts)
    assert ("completed", "Hi", "Hm", "tool_calls") == (got.outcome, got.text, got.reasoning, got.finish)
    assert [("c", "look", '{"at":"sky"}', True)] == [(c.id, c.name, c.raw, c.complete) for c in got.tool_calls]
    assert (1, 2, 3) == (got.usage.input_tokens, got.usage.output_tokens, got.usage.total_tokens)


@pytest.mark.parametrize("parts", [VERSION_4, VERSION_5, PROVIDER], ids=["4", "5 and later", "provider"])
def test_parsed_parts_and_other_framings_read_the_same(parts):
    lines = list(weft.read(ndjson(*parts), "ai-sdk"))
    whole = json.dumps(parts).encode()
    for source in (parts, whole, sse(*parts)):
        other = message(source, "ai-sdk")
        assert weft.collect(lines).to_dict()["blocks"] == other.to_dict()["blocks"]
        assert "completed" == other.outcome


@pytest.mark.parametrize("cut", range(len(VERSION_5)))
def test_a_run_that_stops_before_its_finish_is_truncated(cut):
    """Law 2: nothing but the finish part is the end, not even the last step's."""
    assert "truncated" == read(*VERSION_5[:cut]).outcome


# -- text and reasoning ----------------------------------------------------------------------------------------------


def test_a_delta_that_nobody_announced_opens_its_text():
    """J1."""
    got = read({"type": "text-delta", "id": "x", "text": "a"}, {"type": "text-delta", "id": "x", "text": "b"}, FINISH)
    assert ["ab"] == [part.text for part in got.blocks]


def test_ids_that_repeat_in_another_step_are_other_parts():
    """J2."""
    step = [STEP, {"type": "text-start", "id": "0"}, {"type": "text-delta", "id": "0", "text": "a"}, finish_step()]
    got = read(*step, *step, FINISH)
    assert [(0, "a"), (1, "a")] == [(part.step, part.text) for part in got.blocks]
    assert [] == got.notes


def test_text_and_reasoning_may_have_the_same_id():
    got = read(
        {"type": "reasoning-start", "id": "0"},
        {"type": "text-start", "id": "0"},
        {"type": "reasoning-delta", "id": "0", "text": "r"},
        {"type": "text-delta", "id": "0", "text": "t"},
        {"type": "reasoning-end", "id": "0"},
        {"type": "text-delta", "id": "0", "text": "t"},
        FINISH,
    )
    assert ("r", "tt", 2) == (got.reasoning, got.text, len(got.blocks))


def test_texts_in_parallel_are_kept_apart():
    got = read(
        *({"type": "text-start", "id": id} for id in ("a", "b")),
        *({"type": "text-delta", "id": id, "text": id * 2} for id in ("a", "b", "a")),
        {"type": "text-end", "id": "a"},
        {"type": "text-delta", "id": "b", "text": "!"},
        FINISH,
    )
    assert ["aaaa", "bb!"] == [part.text for part in got.blocks]


@pytest.mark.parametrize("id", ["__proto__", "constructor", 7, ""])
def test_an_id_is_only_a_key(id):
    """J7."""
    got = read({"type": "text-start", "id": id}, {"type": "text-delta", "id": id, "text": "a"}, FINISH)
    assert ("a", 1, []) == (got.text, len(got.blocks), got.notes)


def test_state_in_the_metadata_is_a_signature_of_its_origin():
    """F5: it goes back to whom it came from, by their own protocol."""
    got = read(
        {"type": "response-metadata", "modelId": "heron"},
        {"type": "reasoning-start", "id": "0", "providerMetadata": {"openai": {"itemId": "rs_1"}}},
        {"type": "reasoning-delta", "id": "0", "text": "Hm", "providerMetadata": {"google": {"thoughtSignature": "g"}}},
        {
            "type": "reasoning-end",
            "id": "0",
            "providerMetadata": {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "e"}},
        },
        FINISH,
    )
    (block,) = got.blocks
    assert "rs_1" == block.item_id
    assert ["e"] == [signature.value for signature in block.signatures]
    origin = block.signatures[0].origin
    assert ("openai-responses", "openai", "heron", "rs_1") == (
        origin.protocol,
        origin.provider,
        origin.model,
        origin.item,
    )
    said = [event for event in events(ndjson(*VERSION_4), "ai-sdk") if isinstance(event, weft.events.Signature)]
    assert [] == said


@pytest.mark.parametrize(
    ("metadata", "protocol", "encrypted"),
    [
        ({"anthropic": {"signature": "s"}}, "anthropic", False),
        ({"anthropic": {"redactedData": "s"}}, "anthropic", True),
        ({"amazonBedrock": {"signature": "s"}}, "bedrock", False),
        ({"bedrock": {"redactedContent": "s"}}, "bedrock", True),
        ({"google": {"thoughtSignature": "s"}}, "gemini", False),
        ({"azure": {"reasoningEncryptedContent": "s"}}, "openai-responses", True),
        ({"lighthouse": {"signature": "s"}}, "lighthouse", False),
    ],
)
def test_whose_state_it_is(metadata, protocol, encrypted):
    got = read(
        {"type": "reasoning-start", "id": "0"},
        {"type": "reasoning-end", "id": "0", "providerMetadata": metadata},
        FINISH,
    )
    (signature,) = got.blocks[0].signatures
    assert ("s", protocol, encrypted) == (signature.value, signature.origin.protocol, signature.encrypted)
    assert metadata == got.blocks[0].opaque.raw


@pytest.mark.parametrize("metadata", [{"anthropic": "x"}, {"anthropic": {"signature": 5}}, {}, {"a": None}])
def test_metadata_without_state_say_nothing(metadata):
    got = read({"type": "text-start", "id": "0", "providerMetadata": metadata}, FINISH)
    assert [] == got.blocks[0].signatures


def test_metadata_that_come_after_their_step_are_late():
    end_late = {"type": "text-end", "id": "0", "providerMetadata": {"anthropic": {"signature": "s"}}}
    got = read(STEP, {"type": "text-delta", "id": "0", "text": "a"}, finish_step(), end_late, FINISH)
    assert ("a", 1, "completed") == (got.text, len(got.blocks), got.outcome)


def test_signed_and_redacted_reasoning_of_version_4():
    got = read(
        {"type": "reasoning", "textDelta": "Hm"},
        {"type": "reasoning-signature", "signature": "s"},
        {"type": "redacted-reasoning", "data": "hidden"},
        {"type": "reasoning", "textDelta": "So"},
        FINISH,
    )
    assert [("Hm", ["s"]), ("", ["hidden"]), ("So", [])] == [
        (block.text, [signature.value for signature in block.signatures]) for block in got.blocks
    ]
    assert [False, True] == [signature.encrypted for block in got.blocks for signature in block.signatures]


# -- calls and results -----------------------------------------------------------------------------------------------


def test_a_call_said_in_pieces_and_as_a_whole_is_one():
    """Deduped by its id; the text of the arguments is what came first."""
    got = read(*pieces('{ "at" :', ' "sky" }'), CALL, FINISH)
    assert [('{ "at" : "sky" }', True)] == [(call.raw, call.complete) for call in got.tool_calls]
    assert [] == got.notes


def test_a_call_without_pieces_comes_whole_in_its_own_text():
    line = b'{"type":"tool-call","toolCallId":"c","toolName":"f","input":{"n": 1.50, "s":"\\u00e9"}}\n'
    (call,) = message(line + ndjson(FINISH), "ai-sdk").tool_calls
    assert ('{"n": 1.50, "s":"\\u00e9"}', {"n": 1.5, "s": "é"}) == (call.raw, call.arguments)
    starts = [e for e in events(line, "ai-sdk") if isinstance(e, weft.events.BlockStart)]
    assert ["whole"] == [start.arrival for start in starts]


def test_the_tail_that_the_pieces_lack_is_added():
    got = read(*pieces('{"at":'), {**CALL, "input": '{"at":"sky"}'}, FINISH)
    assert [('{"at":"sky"}', True)] == [(call.raw, call.complete) for call in got.tool_calls]


def test_a_whole_that_contradicts_its_pieces_is_noted():
    """What was said cannot be unsaid; a tool's own defaults are filled in between."""
    data = ndjson(*pieces('{"at":"sky"}'), {**CALL, "input": {"at": "sky", "deep": False}}, FINISH)
    assert ["input_changed"] == note_codes(data, "ai-sdk")
    assert ['{"at":"sky"}'] == [call.raw for call in message(data, "ai-sdk").tool_calls]


@pytest.mark.parametrize("input", [{}, None, "", "{}"])
def test_a_call_without_input_has_empty_arguments(input):
    """A7."""
    got = read({"type": "tool-call", "toolCallId": "c", "toolName": "now", "input": input}, FINISH)
    assert [({}, True)] == [(call.arguments, call.complete) for call in got.tool_calls]


def test_pieces_without_their_call_are_whole_at_the_finish():
    """D18 of the checklist: what was streamed is flushed when the run ends well."""
    got = read(*VERSION_4[2:4], {"type": "finish", "finishReason": "tool-calls"})
    assert [({"at": "sky"}, True)] == [(call.arguments, call.complete) for call in got.tool_calls]


@pytest.mark.parametrize(
    "last",
    [{"type": "abort"}, {"type": "finish", "finishReason": "length"}, {"type": "finish", "finishReason": "error"}],
)
def test_pieces_without_their_call_are_not_to_be_executed_after_anything_else(last):
    """A9, D18: cleared when aborted."""
    assert [False] == [call.complete for call in read(*VERSION_4[2:4], last).tool_calls]


def test_a_piece_of_a_call_that_version_1_providers_do_not_announce():
    got = read(
        {"type": "tool-call-delta", "toolCallId": "c", "toolName": "f", "argsTextDelta": '{"a"'},
        {"type": "tool-call-delta", "toolCallId": "c", "toolName": "f", "argsTextDelta": ":1}"},
        FINISH,
    )
    assert [("f", '{"a":1}')] == [(call.name, call.raw) for call in got.tool_calls]


def test_a_piece_of_a_call_that_nobody_knows_is_noted():
    assert ["args_without_call"] == note_codes(ndjson({"type": "tool-input-delta", "id": "x", "delta": "{"}), "ai-sdk")


def test_parallel_calls_are_kept_apart():
    """A18."""
    a, b = pieces('{"a"', ":1}", id="a"), pieces('{"b"', ":2}", id="b")
    mixed = [part for pair in zip(a, b, strict=True) for part in pair]
    got = read(*mixed, FINISH)
    assert ['{"a":1}', '{"b":2}'] == [call.raw for call in got.tool_calls]


def test_a_call_said_twice_is_one_and_another_under_its_id_is_two():
    """A21."""
    assert ["call_repeated"] == note_codes(ndjson(CALL, CALL, FINISH), "ai-sdk")
    data = ndjson(CALL, {**CALL, "input": {"at": "sea"}}, FINISH)
    first, second = message(data, "ai-sdk").tool_calls
    assert ({"at": "sky"}, {"at": "sea"}) == (first.arguments, second.arguments)
    assert ("c", True) == (first.id, second.made_id)
    assert ["call_id_reused"] == note_codes(data, "ai-sdk")


def test_a_call_id_of_another_step_is_another_call():
    """A21."""
    got = read(STEP, CALL, finish_step("tool-calls"), STEP, CALL, finish_step("tool-calls"), FINISH)
    assert [(0, "c"), (1, "c")] == [(call.step, call.id) for call in got.tool_calls]
    assert [] == got.notes


def test_a_call_that_the_sdk_finds_invalid_is_not_complete():
    """Whether its text is broken or only not what the tool takes."""
    got = read({**CALL, "invalid": True, "error": {}}, {"type": "tool-error", "toolCallId": "c", "error": "no"}, FINISH)
    call, result = got.blocks
    assert (False, None, '{"at": "sky"}') == (call.complete, call.arguments, call.raw)
    assert ("no", True) == (result.content, result.is_error)


def test_a_freeform_input_is_text():
    start = {"type": "tool-input-start", "id": "c", "toolName": "patch", "inputEncoding": "text"}
    delta = {"type": "tool-input-delta", "id": "c", "delta": "*** Begin"}
    got = read(
        start, delta, {"type": "tool-call", "toolCallId": "c", "toolName": "patch", "input": "*** Begin"}, FINISH
    )
    assert [("custom", "*** Begin", True)] == [(call.tool, call.raw, call.complete) for call in got.tool_calls]


def test_a_result_says_who_executed():
    """In an agent's run the host answers its own calls; server tools are the provider's."""
    got = read(
        CALL,
        {"type": "tool-result", "toolCallId": "c", "toolName": "look", "input": {}, "output": {"colour": "grey"}},
        {**CALL, "toolCallId": "p", "providerExecuted": True},
        {"type": "tool-result", "toolCallId": "p", "toolName": "look", "result": [1]},
        FINISH,
    )
    assert ["client", "provider"] == [call.executor for call in got.tool_calls]
    results = [part for part in got.blocks if isinstance(part, ToolResult)]
    assert [("c", "look", {"colour": "grey"}), ("p", "look", [1])] == [(r.call_id, r.name, r.content) for r in results]
    data = ndjson(CALL, {"type": "tool-result", "toolCallId": "c", "output": 1})
    blocks = [e for e in events(data, "ai-sdk") if isinstance(e, weft.events.BlockStart)]
    assert ["client", "client"] == [block.executor for block in blocks]


def test_first_looks_at_a_result_are_replaced_by_the_last():
    data = ndjson(
        CALL,
        {"type": "tool-result", "toolCallId": "c", "output": "half", "preliminary": True},
        {"type": "tool-result", "toolCallId": "c", "output": "whole"},
        FINISH,
    )
    assert ["whole"] == [part.content for part in message(data, "ai-sdk").blocks if isinstance(part, ToolResult)]
    assert ["half", "whole"] == [e.content for e in events(data, "ai-sdk") if isinstance(e, weft.events.Result)]


def test_failed_and_denied_tools_have_results_too():
    got = read(
        CALL,
        {"type": "tool-error", "toolCallId": "c", "toolName": "look", "error": {"message": "dark"}},
        {**CALL, "toolCallId": "d"},
        {"type": "tool-output-denied", "toolCallId": "d", "toolName": "look"},
        FINISH,
    )
    results = [(part.content, part.is_error) for part in got.blocks if isinstance(part, ToolResult)]
    assert [({"message": "dark"}, True), ({"type": "execution-denied"}, True)] == results


def test_a_result_ends_the_pieces_of_its_call():
    got = read(*pieces('{"at":"sky"}'), {"type": "tool-result", "toolCallId": "c", "output": 1}, STEP)
    assert [True] == [call.complete for call in got.tool_calls]


# -- steps, usage, the finish ----------------------------------------------------------------------------------------


def test_a_stop_after_answered_calls_is_a_stop():
    """The calls of earlier steps were answered within the run."""
    got = read(
        STEP,
        CALL,
        finish_step("tool-calls"),
        STEP,
        {"type": "text-delta", "id": "0", "text": "a"},
        finish_step(),
        FINISH,
    )
    assert ("stop", ["tool_calls", "stop"]) == (got.finish, [step.finish for step in got.steps])


def test_a_stop_with_a_call_of_the_provider_s_own_is_a_stop():
    assert "stop" == read({**CALL, "providerExecuted": True}, FINISH).finish
    assert "tool_calls" == read(CALL, FINISH).finish


USAGE = {"inputTokens": 10, "outputTokens": 4, "totalTokens": 14}


def test_the_usage_of_the_run_is_not_added_to_that_of_its_steps():
    total = {"inputTokens": 20, "outputTokens": 8, "totalTokens": 28}
    step = [STEP, {"type": "text-delta", "id": "0", "text": "a"}, finish_step(usage=USAGE)]
    got = read(*step, *step, {"type": "finish", "finishReason": "stop", "totalUsage": total})
    assert (20, 8, 28, "reported") == (
        got.usage.input_tokens,
        got.usage.output_tokens,
        got.usage.total_tokens,
        got.usage.source,
    )
    assert [10, 10] == [step.usage.input_tokens for step in got.steps]
    assert total == got.usage.raw


def test_a_run_that_was_cut_has_the_usage_of_its_steps():
    """G11 of the checklist: usage from finish-step; here the sum, which says that we made it."""
    one = read(STEP, finish_step(usage=USAGE))
    assert (10, "reported") == (one.usage.input_tokens, one.usage.source)
    two = read(STEP, finish_step(usage=USAGE), STEP, finish_step(usage=USAGE))
    assert (20, 8, 28, "derived") == (
        two.usage.input_tokens,
        two.usage.output_tokens,
        two.usage.total_tokens,
        two.usage.source,
    )


@pytest.mark.parametrize(
    "usage",
    [
        {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15, "cachedInputTokens": 4, "reasoningTokens": 2},
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "totalTokens": 15,
            "inputTokenDetails": {"noCacheTokens": 6, "cacheReadTokens": 4},
            "outputTokenDetails": {"textTokens": 3, "reasoningTokens": 2},
        },
        {
            "inputTokens": {"total": 10, "noCache": 6, "cacheRead": 4, "cacheWrite": None},
            "outputTokens": {"total": 5, "text": 3, "reasoning": 2},
            "raw": {"prompt_tokens": 10},
        },
    ],
    ids=["V2", "V3 and later, by the app", "V3 and later, by the provider"],
)
def test_the_shapes_of_usage(usage):
    got = read({"type": "finish", "finishReason": "stop", "usage": usage}).usage
    assert (10, 5, 15, 4, None, 2) == (
        got.input_tokens,
        got.output_tokens,
        got.total_tokens,
        got.cache_read_tokens,
        got.cache_write_tokens,
        got.reasoning_tokens,
    )


def test_usage_that_nobody_knew_is_none():
    """G3: NaN becomes null in JSON."""
    usage = {"promptTokens": None, "completionTokens": None, "totalTokens": None}
    assert None is read({"type": "finish", "finishReason": "stop", "usage": usage}).usage


@pytest.mark.parametrize(
    ("part", "finish", "raw", "outcome"),
    [
        ({"finishReason": "stop"}, "stop", "stop", "completed"),
        ({"finishReason": "length"}, "length", "length", "incomplete"),
        ({"finishReason": "content-filter"}, "content_filter", "content-filter", "incomplete"),
        ({"finishReason": "error"}, "error", "error", "failed"),
        ({"finishReason": "interrupted"}, "error", "interrupted", "failed"),
        ({"finishReason": "other"}, "other", "other", "completed"),
        ({"finishReason": "unknown"}, "other", "unknown", "completed"),
        ({"finishReason": "brand-new"}, "other", "brand-new", "completed"),
        ({}, None, None, "completed"),
        ({"finishReason": "stop", "rawFinishReason": "end_turn"}, "stop", "end_turn", "completed"),
        ({"finishReason": {"unified": "length", "raw": "MAX_TOKENS"}}, "length", "MAX_TOKENS", "incomplete"),
        ({"finishReason": {"unified": "content-filter", "raw": "refusal"}}, "refusal", "refusal", "completed"),
        ({"finishReason": {"unified": "stop", "raw": "pause_turn"}}, "pause", "pause_turn", "completed"),
        ({"finishReason": {"unified": "other", "raw": "eos"}}, "stop", "eos", "completed"),
        ({"finishReason": {"unified": "other", "raw": "what"}}, "other", "what", "completed"),
        ({"finishReason": {"unified": "tool-calls", "raw": "STOP"}}, "stop", "STOP", "completed"),
    ],
)
def test_the_words_of_the_finish(part, finish, raw, outcome):
    """Atlas 6.1. Without any call a tool finish is a stop; where a provider's word is finer than the SDK's, it counts."""
    got = read({"type": "text-delta", "id": "0", "text": "a"}, {"type": "finish", **part})
    assert (finish, raw, outcome) == (got.finish, got.finish_raw, got.outcome)


def test_an_interrupted_run_says_that_it_was_cut():
    assert "truncated" == end(ndjson({"type": "finish", "finishReason": "interrupted"}), "ai-sdk").error.type


def test_who_answered():
    """A provider says it first, an app with the end of its first step."""
    known = {"id": "r1", "modelId": "heron", "timestamp": "1970-01-01T00:01:00Z"}
    got = read({"type": "response-metadata", **known}, FINISH)
    assert ("r1", "heron", 60) == (got.id, got.model, got.created)
    late = read(STEP, {"type": "text-delta", "id": "0", "text": "a"}, finish_step(response=known), FINISH)
    assert ("heron", 60, "r1") == (late.model, late.created, late.meta["id"])
    assert "msg-1" == read({"type": "step-start", "messageId": "msg-1"}, FINISH).id


def test_warnings_and_metadata_of_the_run_are_facts():
    got = read({"type": "stream-start", "warnings": ["w"]}, {**FINISH, "providerMetadata": {"gateway": {"cost": 1}}})
    assert {"warnings": ["w"], "provider_metadata": {"gateway": {"cost": 1}}} == got.meta


# -- sources, files, what only one provider has ----------------------------------------------------------------------


def test_a_source_belongs_to_the_text_that_is_being_said():
    source = {"type": "source", "sourceType": "url", "id": "s", "url": "https://a.example", "title": "A"}
    got = read({"type": "text-start", "id": "0"}, source, {"type": "text-delta", "id": "0", "text": "a"}, FINISH)
    (block,) = got.blocks
    (note,) = block.annotations
    assert ("source-url", "https://a.example", "A", source) == (note.kind, note.url, note.title, note.raw)


def test_sources_between_texts_share_a_text_of_their_own():
    """Version 4 nests them; documents have no URL."""
    nested = {"type": "source", "source": {"sourceType": "url", "id": "s", "url": "https://b.example"}}
    document = {"type": "source", "sourceType": "document", "id": "d", "mediaType": "text/plain", "title": "D"}
    start = {"type": "text-start", "id": "0"}
    got = read(nested, document, start, {"type": "text-delta", "id": "0", "text": "a"}, FINISH)
    assert [("", 2), ("a", 0)] == [(part.text, len(part.annotations)) for part in got.blocks]
    assert [("source-url", "https://b.example", None), ("source-document", None, "D")] == [
        (note.kind, note.url, note.title) for note in got.blocks[0].annotations
    ]


FILES = [
    ({"file": {"mediaType": "image/png", "base64": "AQID"}}, {"data": "AQID"}),
    ({"file": {"mediaType": "image/png", "base64Data": "AQID"}}, {"data": "AQID"}),
    ({"file": {"mediaType": "image/png", "uint8Array": {"0": 1, "1": 2, "2": 3}}}, {"data": "AQID"}),
    ({"file": {"mediaType": "image/png", "uint8ArrayData": [1, 2, 3]}}, {"data": "AQID"}),
    ({"mediaType": "image/png", "data": {"type": "Buffer", "data": [1, 2, 3]}}, {"data": "AQID"}),
    ({"mimeType": "image/png", "data": "AQID"}, {"data": "AQID"}),
    ({"mediaType": "image/png", "data": {"type": "data", "data": {"0": 1, "1": 2, "2": 3}}}, {"data": "AQID"}),
    ({"mediaType": "image/png", "data": {"type": "url", "url": "https://a/b"}}, {"url": "https://a/b"}),
    ({"mediaType": "image/png", "url": "https://a/b"}, {"url": "https://a/b"}),
    ({"mediaType": "image/png", "data": "data:image/png;base64,AQID"}, {"data": "AQID"}),
    ({"mediaType": "image/png", "data": {"type": "reference", "reference": {"openai": "f1"}}}, {"file_id": "f1"}),
    ({"mediaType": "image/png", "data": {"type": "text", "text": "\x01\x02\x03"}}, {"data": "AQID"}),
    ({"mediaType": "image/png", "data": [1, 999]}, {}),
    ({"mediaType": "image/png", "data": {"type": "reference"}}, {}),
    ({"mediaType": "image/png"}, {}),
]


@pytest.mark.parametrize(("part", "held"), FILES, ids=str)
def test_a_file_however_it_is_held(part, held):
    """B15 of the checklist."""
    (file,) = read({"type": "file", **part}, FINISH).blocks
    assert isinstance(file, FilePart)
    got = {name: value for name in ("data", "url", "file_id") if (value := getattr(file, name)) is not None}
    assert ("image/png", held) == (file.media_type, got)


def test_a_file_of_the_reasoning_says_so():
    data = ndjson({"type": "reasoning-file", "file": {"mediaType": "image/png", "base64": "AQID"}}, FINISH)
    assert ["reasoning"] == [e.channel for e in events(data, "ai-sdk") if isinstance(e, weft.events.BlockStart)]


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ({"type": "custom", "kind": "openai.compaction", "providerMetadata": {}}, "openai.compaction"),
        ({"type": "tool-approval-request", "approvalId": "a"}, "tool-approval-request"),
        ({"type": "tool-approval-response", "approvalId": "a", "approved": True}, "tool-approval-response"),
        ({"type": "steering-message", "id": "s", "message": {}}, "steering-message"),
    ],
)
def test_what_has_no_words_here_is_carried(part, name):
    (block,) = read(part, FINISH).blocks
    assert isinstance(block, OpaquePart)
    assert (name, part) == (block.name, block.opaque.raw)


def test_the_provider_s_own_chunks_and_keep_alives_say_nothing():
    got = read({"type": "raw", "rawValue": {"choices": []}}, {"type": "ping"}, FINISH)
    assert ([], [], [], "completed") == (got.blocks, got.notes, got.unknown, got.outcome)


def test_a_part_that_nobody_knows_is_carried_and_noted():
    got = read({"type": "brand-new", "x": 1}, FINISH)
    assert [{"type": "brand-new", "x": 1}] == [unknown.raw for unknown in got.unknown]
    assert ("completed", ["unknown_frame"]) == (got.outcome, [note.code for note in got.notes])


def test_the_order_of_what_was_said_is_kept():
    text = {"type": "text-delta", "textDelta": "a"}
    got = read(text, CALL, text, {"type": "file", "data": "AQID"}, text, FINISH)
    assert [Text, ToolCall, Text, FilePart, Text] == [type(part) for part in got.blocks]
    assert Reasoning not in map(type, got.blocks)


@pytest.mark.parametrize("parts", [VERSION_4, VERSION_5, PROVIDER], ids=["4", "5 and later", "provider"])
def test_strict_mode_takes_what_the_sdk_sends(parts):
    got = message(ndjson(*parts), "ai-sdk", strict=True)
    assert ("completed", []) == (got.outcome, [note.message for note in got.notes])


# -- failures --------------------------------------------------------------------------------------------------------

OVERLOADED = {
    "name": "AI_APICallError",
    "url": "https://api.example/v1/messages",
    "statusCode": 529,
    "isRetryable": True,
    "responseBody": '{"type":"error","error":{"type":"overloaded_error","message":"too many boats"}}',
}


@pytest.mark.parametrize(
    ("error", "type", "message"),
    [
        (OVERLOADED, "overloaded", "too many boats"),
        (
            {"name": "AI_RetryError", "reason": "maxRetriesExceeded", "lastError": OVERLOADED},
            "overloaded",
            "too many boats",
        ),
        ({"name": "AI_APICallError", "statusCode": 401, "isRetryable": False}, "authentication", None),
        ("the lamp went out", "server", "the lamp went out"),
        ({"message": "slow down", "type": "rate_limit_error"}, "rate_limit", "slow down"),
        (None, "server", None),
        ({}, "server", None),
    ],
)
def test_an_error_of_any_shape(error, type, message):
    last = end(ndjson({"type": "error", "error": error}), "ai-sdk")
    assert ("failed", type) == (last.outcome, last.error.type)
    assert message in (None, last.error.message)


def test_what_follows_an_error_is_read():
    """It ends nothing: the rest of the step, its finish and the usage come behind it."""
    got = read(
        STEP,
        {"type": "text-delta", "id": "0", "text": "a"},
        {"type": "error", "error": "first"},
        {"type": "text-delta", "id": "0", "text": "b"},
        {"type": "error", "error": "second"},
        finish_step("error", usage=USAGE),
        {"type": "finish", "finishReason": "error", "totalUsage": USAGE},
    )
    assert ("failed", "first", "ab", 10) == (got.outcome, got.error.message, got.text, got.usage.input_tokens)
    assert ([], ["error"]) == (got.notes, [step.finish for step in got.steps])


def test_an_aborted_run_is_cancelled():
    got = read({"type": "text-delta", "id": "0", "text": "a"}, {"type": "abort", "reason": "the user left"})
    assert ("incomplete", "cancelled", "the user left") == (got.outcome, got.error.type, got.error.message)
    assert [False] == [part.complete for part in got.blocks]


def test_an_error_before_the_abort_is_the_failure():
    got = read({"type": "error", "error": "broken"}, {"type": "abort"})
    assert ("failed", "broken") == (got.outcome, got.error.message)


def test_an_error_in_place_of_a_part_fails():
    assert "rate_limit" == end(b'{"error":{"type":"rate_limit_error","message":"x"}}\n', "ai-sdk").error.type


def test_what_follows_the_finish_is_dropped():
    got = read(FINISH, {"type": "text-delta", "id": "0", "text": "late"})
    assert ("completed", "") == (got.outcome, got.text)


# -- detection -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [VERSION_4, VERSION_5, PROVIDER], ids=["4", "5 and later", "provider"])
def test_it_is_recognised(parts):
    assert "ai-sdk" == detect(ndjson(*parts))[0].protocol
