"""Gemini as a source: text, thoughts, signatures, candidates and other parts. References are to the failure gallery and the protocol atlas."""

import json

import pytest

from tests.protocols.gemini_wire import call, chunk, text, thought, usage
from tests.protocols.wire import events, message, note_codes, sse
from weft.events import BlockStart, Event, Opaque, TextDelta, Usage
from weft.message import FilePart, OpaquePart, Reasoning, Text, ToolCall, ToolResult
from weft.reader import Reader
from weft.testing import check_whole_reply

G = "gemini"


# -- text and the message ------------------------------------------------------------------------------------------


def test_text_is_read():
    got = message(sse(chunk(text("Hel")), chunk(text("lo"), finish="STOP")), G)
    assert ("resp_1", "gemini-x", "Hello") == (got.id, got.model, got.text)
    assert ("completed", "stop", "STOP", []) == (got.outcome, got.finish, got.finish_raw, got.notes)


def test_a_chunk_with_text_and_finish_gives_both():
    """B6."""
    assert ["Hi"] == [
        event.text for event in events(sse(chunk(text("Hi"), finish="STOP")), G) if isinstance(event, TextDelta)
    ]


def test_creation_time_is_seconds():
    frame = chunk(text("Hi"), finish="STOP") | {"createTime": "2026-04-07T16:49:58.5Z"}
    assert 1775580598.5 == message(sse(frame), G).created
    assert message(sse(frame | {"createTime": "noon"}), G).created is None


@pytest.mark.parametrize(
    "candidate",
    [{}, {"content": None}, {"content": {}}, {"content": {"role": "model"}}, {"content": {"parts": None}}],
    ids=str,
)
def test_a_candidate_may_have_nothing_to_say(candidate: dict[str, object]):
    """Q-G2, Q-G14: no content, no parts, null."""
    bare = chunk() | {"candidates": [candidate]}
    got = message(sse(chunk(text("Hi")), bare, chunk(finish="STOP")), G)
    assert ("Hi", "completed", []) == (got.text, got.outcome, got.notes)


def test_null_is_absent():
    """A8: what a dump of the SDK's own objects looks like."""
    nothing = dict.fromkeys(["functionCall", "inlineData", "thought", "thoughtSignature", "executableCode", "toolCall"])
    frame = chunk(text("Hi", **nothing), groundingMetadata=None, citationMetadata=None, finishMessage=None)
    frame["usageMetadata"] |= {"thoughtsTokenCount": None}
    last = chunk(finish="STOP") | {"promptFeedback": None, "error": None}
    got = message(sse(frame, last), G)
    assert ("Hi", "completed", [], 1) == (got.text, got.outcome, got.notes, len(got.blocks))


def test_empty_text_changes_nothing():
    """B12."""
    got = message(sse(chunk(text("A")), chunk(text("")), chunk({}), chunk(text("B"), finish="STOP")), G)
    assert ["AB"] == [part.text for part in got.blocks if isinstance(part, Text)]


def test_candidates_are_never_glued():
    """B8."""
    whole = {"candidates": [{"content": {"parts": [text(word)]}, "finishReason": "STOP"} for word in ("A", "B")]}
    whole["candidates"][1]["index"] = 1
    got = message(sse(whole), G)
    assert ["A", "B"] == [choice.text for choice in got.choices]
    assert ["stop", "stop"] == [choice.finish for choice in got.choices]


def test_a_candidate_may_come_alone_in_its_chunk():
    frames = [chunk(text(word), index=at) for at, word in ((0, "A"), (1, "B"), (1, "b"), (0, "a"))]
    ends = [chunk(finish="STOP", index=at) for at in (0, 1)]
    got = message(sse(*frames, *ends), G)
    assert (["Aa", "Bb"], "completed") == ([choice.text for choice in got.choices], got.outcome)


def test_candidates_without_an_index_are_numbered_by_place():
    got = message(sse({"candidates": [{"content": {"parts": [text(word)]}} for word in "AB"]}), G)
    assert ["A", "B"] == [choice.text for choice in got.choices]


def test_a_frame_of_another_kind_is_carried():
    """B16."""
    got = message(sse(chunk(text("Hi")), {"weather": "fine"}, chunk(finish="STOP")), G)
    assert ("Hi", [{"weather": "fine"}]) == (got.text, [frame.raw for frame in got.unknown])


# -- thoughts ------------------------------------------------------------------------------------------------------


def test_thoughts_are_a_summary():
    """F11: what a part with `thought` says is a summary; the state itself is in the signature."""
    got = message(sse(chunk(thought("Let me ")), chunk(thought("see.")), chunk(text("Yes"), finish="STOP")), G)
    first = got.blocks[0]
    assert isinstance(first, Reasoning)
    assert [("Let me see.", "summary")] == [(piece.text, piece.form) for piece in first.pieces]
    assert "Yes" == got.text


def test_thought_and_text_in_one_chunk_are_told_apart():
    """F4."""
    got = message(sse(chunk(thought("Hm."), text("Yes"), finish="STOP")), G)
    assert ("Hm.", "Yes") == (got.reasoning, got.text)


def test_a_thought_that_is_false_is_text():
    assert "Hi" == message(sse(chunk({"text": "Hi", "thought": False}, finish="STOP")), G).text


# -- signatures ----------------------------------------------------------------------------------------------------


def shape(data: bytes) -> list[tuple[str, str, list[str]]]:
    """Kind, text and signatures of each block."""
    return [
        (type(part).__name__, getattr(part, "text", "") or getattr(part, "raw", ""), [s.value for s in part.signatures])
        for part in message(data, G).blocks
    ]


def test_a_signed_part_does_not_merge_with_its_neighbours():
    """F5, Q-G5: the signature is for just that part."""
    data = sse(chunk(text("A")), chunk(text("B", thoughtSignature="s")), chunk(text("C")), chunk(finish="STOP"))
    assert [("Text", "A", []), ("Text", "B", ["s"]), ("Text", "C", [])] == shape(data)


def test_a_signature_on_an_empty_text_part_has_a_block_of_its_own():
    """Q-G5."""
    data = sse(chunk(text("A")), chunk(text("", thoughtSignature="s"), finish="STOP"))
    assert [("Text", "A", []), ("Text", "", ["s"])] == shape(data)


def test_a_signature_alone_is_one_on_empty_text():
    assert [("Text", "", ["s"])] == shape(sse(chunk({"thoughtSignature": "s"}, finish="STOP")))


def test_a_signed_thought_is_a_block_of_its_own():
    data = sse(chunk(thought("A")), chunk(thought("B", thoughtSignature="s"), thought("C")), chunk(finish="STOP"))
    assert [("Reasoning", "A", []), ("Reasoning", "B", ["s"]), ("Reasoning", "C", [])] == shape(data)


def test_a_signature_on_a_call_stays_on_the_call():
    """F8: of parallel calls only the first has one."""
    data = sse(chunk(call("f") | {"thoughtSignature": "s"}, call("g"), finish="STOP"))
    assert [("ToolCall", "{}", ["s"]), ("ToolCall", "{}", [])] == shape(data)


def test_a_signature_knows_where_it_is_from():
    """F6."""
    part = message(sse(chunk(text("A", thoughtSignature="s"), finish="STOP")), G).blocks[0]
    assert ("gemini", "gemini-x") == (part.signatures[0].origin.protocol, part.signatures[0].origin.model)


# -- code, media, tools of Google's --------------------------------------------------------------------------------

CODE = {"executableCode": {"language": "PYTHON", "code": "print(6*7)"}}
RESULT = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "42\n"}}


def test_code_that_google_ran_is_a_call_that_google_executes():
    got = message(sse(chunk(CODE), chunk(RESULT), chunk(text("42"), finish="STOP")), G)
    ran, result = got.blocks[0], got.blocks[1]
    assert isinstance(ran, ToolCall)
    assert isinstance(result, ToolResult)
    assert ("code_execution", "provider", True, CODE["executableCode"]) == (
        ran.name,
        ran.executor,
        ran.complete,
        ran.arguments,
    )
    assert (ran.id, RESULT["codeExecutionResult"], False) == (result.call_id, result.content, result.is_error)
    assert ("stop", "42") == (got.finish, got.text)


def test_results_without_an_id_answer_the_calls_in_order():
    failed = {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "no"}}
    blocks = message(sse(chunk(CODE, CODE), chunk(RESULT, failed), chunk(finish="STOP")), G).blocks
    calls = [part.id for part in blocks if isinstance(part, ToolCall)]
    results = [(part.call_id, part.is_error) for part in blocks if isinstance(part, ToolResult)]
    assert [(calls[0], False), (calls[1], True)] == results


def test_results_with_an_id_answer_their_call():
    numbered = [{"executableCode": CODE["executableCode"] | {"id": id}} for id in "ab"]
    results = [{"codeExecutionResult": RESULT["codeExecutionResult"] | {"id": id}} for id in "ba"]
    blocks = message(sse(chunk(*numbered, *results, finish="STOP")), G).blocks
    assert ["a", "b"] == [part.id for part in blocks if isinstance(part, ToolCall)]
    assert ["b", "a"] == [part.call_id for part in blocks if isinstance(part, ToolResult)]


def test_what_google_ran_is_also_carried_in_its_own_form():
    """B14."""
    told = events(sse(chunk(CODE, RESULT, finish="STOP")), G)
    assert [CODE, RESULT] == [event.raw for event in told if isinstance(event, Opaque)]


def test_server_side_tools_leave_a_trace():
    asked = {"toolCall": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "args": {"query": "x"}}, "thoughtSignature": "a"}
    answered = {"toolResponse": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"hits": 1}}}
    got = message(sse(chunk(asked), chunk(answered | {"thoughtSignature": "b"}), chunk(text("Hi"), finish="STOP")), G)
    ran, result = got.blocks[0], got.blocks[1]
    assert isinstance(ran, ToolCall)
    assert isinstance(result, ToolResult)
    assert ("t1", "GOOGLE_SEARCH_WEB", "provider", {"query": "x"}) == (ran.id, ran.name, ran.executor, ran.arguments)
    assert ("t1", {"hits": 1}) == (result.call_id, result.content)
    assert ["a", "b"] == [part.signatures[0].value for part in (ran, result)]
    assert ({"toolCall": asked["toolCall"]}, {"toolResponse": answered["toolResponse"]}) == (
        ran.opaque and ran.opaque.raw,
        result.opaque and result.opaque.raw,
    )
    assert "stop" == got.finish


def test_media_are_files_in_their_place():
    """B10, B13."""
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}, "thoughtSignature": "s"}
    place = {"fileData": {"fileUri": "gs://b/f.pdf", "mimeType": "application/pdf", "displayName": "f.pdf"}}
    got = message(sse(chunk(text("A"), image, text("B")), chunk(place, finish="STOP")), G)
    assert ["Text", "FilePart", "Text", "FilePart"] == [type(part).__name__ for part in got.blocks]
    image_part, file_part = got.blocks[1], got.blocks[3]
    assert isinstance(image_part, FilePart)
    assert isinstance(file_part, FilePart)
    assert ("image/png", "aGk=", ["s"]) == (
        image_part.media_type,
        image_part.data,
        [signature.value for signature in image_part.signatures],
    )
    assert ("application/pdf", "gs://b/f.pdf", "f.pdf") == (file_part.media_type, file_part.url, file_part.name)


def test_each_piece_of_audio_is_a_file():
    pieces = [{"inlineData": {"mimeType": "audio/L16;rate=24000", "data": data}} for data in ("AAA=", "BBB=")]
    got = message(sse(chunk(pieces[0]), chunk(pieces[1], finish="STOP")), G)
    assert ["AAA=", "BBB="] == [part.data for part in got.blocks if isinstance(part, FilePart)]


def test_an_image_drawn_while_thinking_is_on_another_channel():
    image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}, "thought": True}
    opened = [event for event in events(sse(chunk(image, finish="STOP")), G) if isinstance(event, BlockStart)]
    assert [("file", "thought")] == [(event.kind, event.channel) for event in opened]


def test_a_part_that_nobody_has_named_is_carried_in_its_place():
    new = {"hologram": {"depth": 3}}
    got = message(sse(chunk(text("A"), new, text("B"), {"smell": "rose"}, finish="STOP")), G)
    kept = [part for part in got.blocks if isinstance(part, OpaquePart)]
    assert [new, {"smell": "rose"}] == [part.opaque.raw for part in kept if part.opaque is not None]
    assert ["Text", "OpaquePart", "Text", "OpaquePart"] == [type(part).__name__ for part in got.blocks]


# -- counts --------------------------------------------------------------------------------------------------------


def counts(data: bytes) -> tuple[int | None, ...]:
    told = message(data, G).usage
    assert told is not None
    return told.input_tokens, told.output_tokens, told.total_tokens, told.cache_read_tokens, told.reasoning_tokens


def test_counts_are_canonical():
    """atlas 6.4, G5, G6: the prompt includes what is cached, thoughts are not among the candidates' tokens."""
    full = usage(
        10, 20, 75, thoughtsTokenCount=30, cachedContentTokenCount=4, toolUsePromptTokenCount=15, serviceTier="flex"
    )
    got = message(sse(chunk(text("Hi"), finish="STOP", counts=full)), G)
    assert (25, 50, 75, 4, 30) == counts(sse(chunk(text("Hi"), finish="STOP", counts=full)))
    assert got.usage is not None
    assert {"input_tokens": "derived", "output_tokens": "derived"}.items() <= got.usage.sources.items()
    assert (full, "flex") == (got.usage.raw, got.meta["service_tier"])


def test_snapshots_are_not_added_up():
    """G1, Q-U1."""
    frames = [chunk(text("x"), counts=usage(7, n, 7 + n)) for n in (1, 2, 3)]
    assert (7, 4, 11, None, None) == counts(sse(*frames, chunk(finish="STOP", counts=usage(7, 4, 11))))


def test_what_a_later_snapshot_lacks_stands():
    """Q-G3: a snapshot without thoughts, then one with nothing but the traffic's type."""
    frames = [
        chunk(thought("a"), counts=usage(7, None, 37, thoughtsTokenCount=30)),
        chunk(text("b"), counts=usage(7, 2, 38, thoughtsTokenCount=31)),
        chunk(text("b"), counts=usage(7, 2, 39, thoughtsTokenCount=32)),
        chunk(text("c"), counts=usage(7, 5, 44)),
        chunk(text("d"), counts={"trafficType": "ON_DEMAND"}),
        chunk(finish="STOP", counts={"candidatesTokenCount": 6}),
    ]
    assert (7, 38, 44, None, 32) == counts(sse(*frames))


def test_the_last_word_on_a_count_holds_though_it_is_smaller():
    """The prompt's first count is an estimate; recorded streams correct it downwards."""
    assert (85, 14, 99, None, None) == counts(
        sse(chunk(text("a"), counts=usage(145, None, 145)), chunk(finish="STOP", counts=usage(85, 14, 99)))
    )


def test_counts_are_said_with_the_first_chunk_and_with_the_finish():
    """Not with each: they say all so far."""
    seen: list[Event] = []
    reader = Reader(G, seen.append)
    reader.feed(sse(*(chunk(text("x"), counts=usage(7, n, 7 + n)) for n in (1, 2, 3))))
    reader.feed(sse(chunk(finish="STOP", counts=usage(7, 4, 11))))
    assert [1, 4] == [event.output_tokens for event in seen if isinstance(event, Usage)]


def test_zeros_are_a_placeholder():
    """G3."""
    assert message(sse(chunk(text("a"), finish="STOP", counts=usage(0, 0, 0))), G).usage is None


def test_counts_after_the_finish_are_read():
    """G2, Q-U5."""
    late = {"usageMetadata": usage(7, 9, 16)}
    assert (7, 9, 16, None, None) == counts(sse(chunk(text("a"), counts={}), chunk(finish="STOP", counts={}), late))


def test_counts_of_a_stream_that_broke_off_are_told():
    """D12: also those that came with a chunk that needed no word."""
    frames = [chunk(text("x"), counts=usage(7, n, 7 + n)) for n in (1, 2, 3)]
    assert (7, 3, 10, None, None) == counts(sse(*frames))
    assert (7, 3, 10, None, None) == counts(sse(*frames, {"error": {"code": 503, "status": "UNAVAILABLE"}}))


def test_counts_may_be_written_as_text():
    frame = chunk(call("f", {"a": 1.50}), finish="STOP", counts={"promptTokenCount": "7", "totalTokenCount": "9"})
    got = message(sse(json.dumps(frame).replace("1.5", "1.50")), G)
    assert got.usage is not None
    assert (7, 9, '{"a": 1.50}') == (got.usage.input_tokens, got.usage.total_tokens, got.tool_calls[0].raw)


# -- logprobs ------------------------------------------------------------------------------------------------------


def test_logprobs_come_with_the_text():
    """B9."""
    chosen = [{"token": "Hi", "tokenId": 5, "logProbability": -0.25}]
    rivals = [{"candidates": [{"token": "Hi", "logProbability": -0.25}, {"token": "Yo", "logProbability": -2}]}]
    result = {"chosenCandidates": chosen, "topCandidates": rivals}
    got = message(sse(chunk(text("Hi"), finish="STOP", logprobsResult=result)), G)
    part = got.blocks[0]
    assert isinstance(part, Text)
    top = [{"token": "Hi", "logprob": -0.25}, {"token": "Yo", "logprob": -2}]
    assert [{"token": "Hi", "logprob": -0.25, "token_id": 5, "top_logprobs": top}] == part.logprobs
    assert "Hi" == got.text


def test_logprobs_may_lack_rivals_and_a_probability_of_one():
    result = {"chosenCandidates": [{"token": "Hi"}, {"token": "!"}], "topCandidates": [{"candidates": []}]}
    part = message(sse(chunk(text("Hi!"), finish="STOP", logprobsResult=result)), G).blocks[0]
    assert isinstance(part, Text)
    sure = [{"token": token, "logprob": 0.0, "top_logprobs": []} for token in ("Hi", "!")]
    assert sure == part.logprobs
    assert [] == message(sse(chunk(logprobsResult={"chosenCandidates": 5})), G).blocks


# -- whole replies -------------------------------------------------------------------------------------------------


def test_a_whole_reply_is_a_stream_of_one_frame():
    parts = [thought("Hm."), text("It is "), text("fine."), call("look", {"a": [1]})]
    stream = sse(*(chunk(part) for part in parts), chunk(finish="STOP"))
    reply = json.dumps(chunk(parts[0], text("It is fine."), parts[3], finish="STOP"), indent=2).encode()
    check_whole_reply(G, stream, reply)
    assert [] == note_codes(reply, G)
