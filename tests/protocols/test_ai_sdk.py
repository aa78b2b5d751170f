"""The AI SDK's fullStream parts: every version's names, text and reasoning, sources and files."""

import json

import pytest

import weft
from tests.protocols.ai_sdk_parts import (
    CALL,
    FINISH,
    STEP,
    VERSION_4,
    VERSION_5,
    every_version,
    finish_step,
    read,
)
from tests.protocols.wire import events, message, ndjson, sse
from weft.detect import detect
from weft.message import FilePart, OpaquePart, Reasoning, Text, ToolCall


@every_version
def test_every_version_says_the_same(parts):
    """A15 of the checklist: textDelta, text and delta; args and input, object or text; usage in each shape."""
    got = read(*parts)
    assert ("completed", "Hi", "Hm", "tool_calls") == (got.outcome, got.text, got.reasoning, got.finish)
    assert [("c", "look", '{"at":"sky"}', True)] == [(c.id, c.name, c.raw, c.complete) for c in got.tool_calls]
    assert (1, 2, 3) == (got.usage.input_tokens, got.usage.output_tokens, got.usage.total_tokens)


@every_version
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
    ("metadata", "protocol", "encrypted", "more"),
    [
        ({"anthropic": {"signature": "s"}}, "anthropic", False, False),
        ({"anthropic": {"redactedData": "s"}}, "anthropic", True, False),
        ({"amazonBedrock": {"signature": "s"}}, "bedrock", False, False),
        ({"bedrock": {"redactedContent": "s"}}, "bedrock", True, True),
        ({"google": {"thoughtSignature": "s"}}, "gemini", False, False),
        ({"google": {"thoughtSignature": "s", "groundingMetadata": {}}}, "gemini", False, True),
        ({"azure": {"itemId": "rs_1", "reasoningEncryptedContent": "s"}}, "openai-responses", True, False),
        ({"lighthouse": {"signature": "s"}}, "lighthouse", False, True),
    ],
)
def test_whose_state_it_is(metadata, protocol, encrypted, more):
    """What the state alone does not say again stays as it is."""
    got = read(
        {"type": "reasoning-start", "id": "0"},
        {"type": "reasoning-end", "id": "0", "providerMetadata": metadata},
        FINISH,
    )
    (signature,) = got.blocks[0].signatures
    assert ("s", protocol, encrypted) == (signature.value, signature.origin.protocol, signature.encrypted)
    assert (metadata if more else None) == (got.blocks[0].opaque and got.blocks[0].opaque.raw)


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


@every_version
def test_strict_mode_takes_what_the_sdk_sends(parts):
    got = message(ndjson(*parts), "ai-sdk", strict=True)
    assert ("completed", []) == (got.outcome, [note.message for note in got.notes])


@every_version
def test_it_is_recognised(parts):
    assert "ai-sdk" == detect(ndjson(*parts))[0].protocol


@pytest.mark.parametrize("protocol", ["ai-sdk", "ai-sdk-ui"])
def test_half_a_character_in_the_state_of_a_provider_nobody_knows_is_mended(protocol):
    """Found by the fuzzer: such state is wrapped to see whether it can be told again."""
    data = (
        b'{"type":"reasoning-start","id":"0"}\n'
        b'{"type":"reasoning-end","id":"0","providerMetadata":{"nobody":{"signature":"\\ud83d"}}}\n'
    )
    states = [event.value for event in weft.read(data, protocol) if isinstance(event, weft.events.Signature)]
    assert ["\ufffd"] == states
