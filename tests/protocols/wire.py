"""Short ways to write a provider's bytes and to read them."""

import json
from typing import Any

import weft
from weft.events import End, Event
from weft.message import Message


def sse(*frames: Any, done: bool = False, event: bool = False) -> bytes:
    """Objects (or ready-made strings) as server-sent events; `event` writes their `type` as the event's name too."""
    out: list[str] = []
    for frame in frames:
        name = f"event: {frame['type']}\n" if event and isinstance(frame, dict) and "type" in frame else ""
        text = frame if isinstance(frame, str) else json.dumps(frame, ensure_ascii=False)
        out.append(f"{name}data: {text}\n\n")
    if done:
        out.append("data: [DONE]\n\n")
    return "".join(out).encode()


def ndjson(*frames: Any) -> bytes:
    """Objects as lines."""
    return "".join(json.dumps(frame, ensure_ascii=False) + "\n" for frame in frames).encode()


def events(data: Any, protocol: str, **options: Any) -> list[Event]:
    """All events of a stream."""
    return list(weft.read(data, protocol, **options))


def message(data: Any, protocol: str, **options: Any) -> Message:
    """The message of a stream."""
    return weft.collect(weft.read(data, protocol, **options))


def end(data: Any, protocol: str, **options: Any) -> End:
    """The terminal of a stream."""
    last = events(data, protocol, **options)[-1]
    assert isinstance(last, End)
    return last


def note_codes(data: Any, protocol: str, **options: Any) -> list[str]:
    """The codes of all notes of a stream, in order."""
    return [event.code for event in weft.read(data, protocol, **options) if isinstance(event, weft.events.Note)]
