"""How Gemini's frames may be wrapped, spelled and cut: wrappers, arrays, snake case, objects of the SDK."""

import json
from typing import Any

import pytest

import weft
from tests.protocols.gemini_wire import call, chunk, text, thought, usage
from tests.protocols.wire import message, note_codes, sse
from weft.message import FilePart, Message
from weft.testing import check_cuts

G = "gemini"
FRAMES = [
    chunk(thought("Hm.")),
    chunk(text("Hi"), counts=usage(7, 2, 9)),
    chunk(call("look", {"some_key": 1, "function_call": "x"}) | {"thoughtSignature": "ab+/"}),
    chunk(finish="STOP", counts=usage(7, 5, 12)),
]
PLAIN = weft.collect(weft.read(sse(*FRAMES), G))


def gist(got: Message) -> Any:
    return (
        got.id,
        got.model,
        got.outcome,
        got.finish_raw,
        got.reasoning,
        got.text,
        [(each.name, each.arguments, [s.value for s in each.signatures]) for each in got.tool_calls],
        got.usage and (got.usage.input_tokens, got.usage.output_tokens, got.usage.total_tokens),
    )


def snake(value: Any, skip: str = "") -> Any:
    """The same under the names of Google's Python SDK; arguments are the caller's own."""
    if isinstance(value, list):
        return [snake(item) for item in value]
    if not isinstance(value, dict) or skip == "args":
        return value
    return {
        "".join(f"_{char.lower()}" if char.isupper() else char for char in name): snake(member, name)
        for name, member in value.items()
    }


# -- framings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_array_is_a_stream(indent: int | None):
    """A10, E13: no alt=sse."""
    data = json.dumps(FRAMES, indent=indent).encode()
    assert gist(PLAIN) == gist(message(data, G))
    check_cuts(G, data, rounds=6)


def test_an_array_is_read_as_it_comes():
    seen: list[weft.events.Event] = []
    reader = weft.reader.Reader(G, seen.append)
    reader.feed(json.dumps(FRAMES[1:2]).encode()[:-1])
    assert any(isinstance(event, weft.events.TextDelta) for event in seen)


def test_frames_may_lack_the_blank_lines_between_them():
    """A recorded stream of AI Studio's: one event by the rules of SSE, four frames by their content."""
    data = sse(*FRAMES).replace(b"\n\n", b"\n")
    assert gist(PLAIN) == gist(message(data, G))
    assert ["frames_unseparated", "unterminated_frame"] == note_codes(data, G)


def test_a_frame_may_be_spread_over_data_lines():
    """Q-G7."""
    lines = json.dumps(FRAMES[1], indent=1).splitlines()
    data = "".join(f"data: {line}\n" for line in lines).encode() + b"\n" + sse(*FRAMES[2:])
    assert "Hi" == message(data, G).text


def test_a_huge_signature_is_one_frame():
    """E8, Q-G7."""
    data = sse(chunk(text("Hi", thoughtSignature="A" * 5_000_000), finish="STOP"))
    got = weft.collect(weft.read((data[at : at + 65536] for at in range(0, len(data), 65536)), G))
    assert [5_000_000] == [len(signature.value) for signature in got.blocks[0].signatures]


# -- wrappers and spellings ----------------------------------------------------------------------------------------


def test_code_assist_wraps_each_frame():
    """Q-G11."""
    got = message(sse(*({"response": frame, "traceId": "t"} for frame in FRAMES)), G)
    assert gist(PLAIN) == gist(got)
    assert ([], PLAIN.usage) == (got.notes, got.usage)


def test_a_wrapper_in_a_wrapper_is_carried():
    data = b'{"response":' * 2000 + b"{}" + b"}" * 2000
    assert "truncated" == message(b"data: " + data + b"\n\n", G).outcome


def test_snake_case_is_read():
    """A9: how Google's Python SDK names things."""
    got = message(sse(*map(snake, FRAMES)), G)
    assert gist(PLAIN) == gist(got)
    assert [] == got.notes


def test_snake_case_inside_a_text_is_text():
    frame = chunk(text('{"finish_reason": "STOP", "function_call": {}}'))
    del frame["usageMetadata"]
    got = message(sse(frame, chunk(finish="STOP")), G)
    assert '{"finish_reason": "STOP", "function_call": {}}' == got.text


def test_parsed_frames_are_read():
    assert gist(PLAIN) == gist(message(FRAMES, G))
    assert gist(PLAIN) == gist(message([snake(frame) for frame in FRAMES], G))


class SDKObject:
    """Dumps as google-genai's objects do: with nulls for what was absent and base64 in the alphabet of URLs."""

    def __init__(self, frame: dict[str, Any]) -> None:
        self._frame = frame

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return json.loads(json.dumps(snake(self._frame) | {"parsed": None}).replace("ab+/", "ab-_"))


def test_sdk_objects_are_read():
    assert gist(PLAIN) == gist(message([SDKObject(frame) for frame in FRAMES], G))


def test_bytes_in_a_dump_are_base64():
    image = {"inline_data": {"mime_type": "image/png", "data": b"\xfb\xff"}}
    got = message([{"candidates": [{"content": {"parts": [image]}, "finish_reason": "STOP"}]}], G)
    part = got.blocks[0]
    assert isinstance(part, FilePart)
    assert ("image/png", "+/8=") == (part.media_type, part.data)


@pytest.mark.parametrize("form", ["functionCalls", "function_calls", "functionCall", "function_call"])
def test_calls_may_stand_at_the_top(form: str):
    """A9, seed 000: how some SDKs show a chunk."""
    own = {"name": "look", "args": {"a": 1}, "id": "c1"}
    frame = {form: [own] if form.endswith("s") else own, "responseId": "r"}
    got = message(sse(frame, chunk(finish="STOP")), G)
    assert [("c1", {"a": 1})] == [(each.id, each.arguments) for each in got.tool_calls]


def test_calls_at_the_top_repeat_those_of_the_parts():
    frame = chunk(call("look", {"a": 1}), finish="STOP") | {"functionCalls": [{"name": "look", "args": {"a": 1}}]}
    assert 1 == len(message(sse(frame), G).tool_calls)


def test_text_at_the_top_is_read_where_there_are_no_candidates():
    """Seed 000."""
    assert "Hi" == message(sse({"text": "Hi"}, chunk(finish="STOP")), G).text
    assert "Hi" == message(sse(chunk(text("Hi"), finish="STOP") | {"text": "Hi"}), G).text
