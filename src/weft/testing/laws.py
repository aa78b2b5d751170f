"""The laws as functions: each takes a protocol and a recorded stream, and raises `LawBrokenError` with what it saw.

Knows: DESIGN's laws 1, 2 and 3 as they concern reading. Must not know: any protocol in particular.
Everything random is drawn from a generator with a fixed seed, so that a failure can be had again.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from weft import events as ev
from weft.grammar import Checker, GrammarError
from weft.message import Message, collect
from weft.protocol import Dialect, ProtocolSpec
from weft.reader import Reader

Spec = str | ProtocolSpec
SEED = 20261118


class LawBrokenError(AssertionError):
    """A protocol does what no protocol may do."""


def check_protocol(
    spec: Spec, samples: Iterable[bytes | str | Path], *, dialect: str | Dialect | None = None, rounds: int = 40
) -> int:
    """Hold every law against every sample (bytes, or paths of files with raw bytes). Gives the number of samples."""
    count = 0
    for sample in samples:
        data = sample if isinstance(sample, bytes) else Path(sample).read_bytes()
        check_grammar(spec, data, dialect=dialect)
        check_cuts(spec, data, dialect=dialect, rounds=rounds)
        check_line_ends(spec, data, dialect=dialect)
        check_prefixes(spec, data, dialect=dialect, rounds=rounds)
        check_garbage(spec, data, dialect=dialect, rounds=rounds)
        count += 1
    if not count:
        raise LawBrokenError("there is no sample to hold the laws against")
    return count


def read_all(spec: Spec, pieces: Iterable[bytes], *, dialect: str | Dialect | None = None) -> list[ev.Event]:
    """The events of a stream that arrives in these pieces. What escapes is a broken law."""
    events: list[ev.Event] = []
    try:
        reader = Reader(spec, events.append, dialect=dialect)
        for piece in pieces:
            reader.feed(piece)
        reader.close()
    except Exception as error:
        raise LawBrokenError(f"law 3: bytes made the reader raise {type(error).__name__}: {error}") from error
    return events


def check_grammar(spec: Spec, data: bytes, *, dialect: str | Dialect | None = None) -> Message:
    """The events are in order, with exactly one terminal, at the end."""
    events = read_all(spec, [data], dialect=dialect)
    _in_order(events)
    return collect(events)


def check_cuts(spec: Spec, data: bytes, *, dialect: str | Dialect | None = None, rounds: int = 40) -> None:
    """Law 1: however the bytes are cut, the events are the same."""
    whole = read_all(spec, [data], dialect=dialect)
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for pieces in _cuts(data, chance, rounds):
        _same("law 1: the cuts of the input changed the events", whole, read_all(spec, pieces, dialect=dialect))


def check_line_ends(spec: Spec, data: bytes, *, dialect: str | Dialect | None = None) -> None:
    """Law 1: CRLF or CR for LF, and comments between frames, change nothing but offsets."""
    if b"\r" in data or not data.lstrip().startswith((b"data:", b"event:", b":", b"id:")):
        return
    whole = _without_offsets(read_all(spec, [data], dialect=dialect))
    for name, other in (
        ("CRLF", data.replace(b"\n", b"\r\n")),
        ("CR", data.replace(b"\n", b"\r")),
        ("comments", data.replace(b"\n\n", b"\n\n: keep-alive\n\n")),
    ):
        events = _without_offsets(read_all(spec, [other], dialect=dialect))
        _same(f"law 1: {name} changed the events", whole, events)


def check_prefixes(spec: Spec, data: bytes, *, dialect: str | Dialect | None = None, rounds: int = 40) -> None:
    """Law 2: every prefix ends in one terminal, and none that lacks content of the whole is reported as complete."""
    whole = collect(read_all(spec, [data], dialect=dialect))
    for size in _prefix_sizes(data, rounds):
        events = read_all(spec, [data[:size]], dialect=dialect)
        _in_order(events)
        part = collect(events)
        if part.outcome == "completed" and _content(part) != _content(whole):
            raise LawBrokenError(
                f"law 2: the first {size} of {len(data)} bytes are reported as complete, yet content follows"
            )


def check_garbage(spec: Spec, data: bytes, *, dialect: str | Dialect | None = None, rounds: int = 40) -> None:
    """Law 3: damaged bytes, wrong types and noise never raise, still end in one terminal, and what comes of them can be written as JSON."""
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(rounds):
        damaged = data
        for _ in range(chance.randint(1, 4)):
            damaged = chance.choice(DAMAGES)(damaged, chance)
        events = read_all(spec, [damaged], dialect=dialect)
        _in_order(events)
        _as_json(events)


def check_whole_reply(spec: Spec, stream: bytes, reply: bytes, *, dialect: str | Dialect | None = None) -> None:
    """The stream and the whole reply of the same answer give the same message, up to made ids."""
    streamed = collect(read_all(spec, [stream], dialect=dialect))
    whole = collect(read_all(spec, [reply], dialect=dialect))
    for name in ("text", "reasoning", "refusal", "finish", "outcome"):
        if getattr(streamed, name) != getattr(whole, name):
            raise LawBrokenError(
                f"stream and reply differ in {name}: {getattr(streamed, name)!r}, {getattr(whole, name)!r}"
            )
    calls = [
        [(call.name, call.arguments, call.complete) for call in message.tool_calls] for message in (streamed, whole)
    ]
    if calls[0] != calls[1]:
        raise LawBrokenError(f"stream and reply differ in their tool calls: {calls[0]}, {calls[1]}")


def _in_order(events: list[ev.Event]) -> None:
    checker = Checker()
    try:
        for event in events:
            checker.feed(event)
        checker.close()
    except GrammarError as error:
        raise LawBrokenError(f"law 2: {error}") from error


def _as_json(events: list[ev.Event]) -> None:
    """The wire may hold half characters, numbers beyond all bounds and values without end: none may stand in what we hand on."""
    try:
        for event in events:
            ev.to_json(event)
        collect(events).to_json()
    except Exception as error:
        raise LawBrokenError(f"law 3: what was read cannot be written as JSON: {error!r}") from error


def _same(law: str, expected: list[ev.Event], actual: list[ev.Event]) -> None:
    if expected == actual:
        return
    at = next((at for at, pair in enumerate(zip(expected, actual, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        raise LawBrokenError(f"{law}: {len(expected)} events, then {len(actual)}")
    raise LawBrokenError(f"{law}: event {at} was {expected[at]}, then {actual[at]}")


def _without_offsets(events: list[ev.Event]) -> list[ev.Event]:
    return [
        msgspec.structs.replace(event, offset=None) if isinstance(event, ev.Note | ev.Unknown) else event
        for event in events
    ]


def _content(message: Message) -> list[tuple[str, str, list[tuple[str, str]]]]:
    return [
        (choice.text, choice.reasoning, [(call.name, call.raw) for call in choice.tool_calls])
        for choice in message.choices
    ]


def _cuts(data: bytes, chance: random.Random, rounds: int) -> Iterator[list[bytes]]:
    """Byte by byte where that is bearable, then cuts at random."""
    if len(data) <= 4096:
        yield [data[at : at + 1] for at in range(len(data))]
    for _ in range(rounds):
        marks = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randint(1, 12)))
        yield [data[a:b] for a, b in zip([0, *marks], [*marks, len(data)], strict=True)]


def _prefix_sizes(data: bytes, rounds: int) -> list[int]:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    edges = [at for at in range(1, len(data)) if data[at - 1 : at] in (b"\n", b"}")]
    if len(edges) > 4 * rounds:
        edges = chance.sample(edges, 4 * rounds)
    return sorted({0, *edges, *(chance.randrange(len(data) + 1) for _ in range(rounds))})


def _flip(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) or 1)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _delete(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) or 1)
    return data[:at] + data[at + chance.randint(1, 40) :]


def _repeat(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) or 1)
    return data[:at] + data[max(0, at - chance.randint(1, 200)) :]


def _noise(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) or 1)
    return data[:at] + chance.randbytes(chance.randint(1, 40)) + data[at:]


_VALUES = (
    b"null",
    b"0",
    b"-1",
    b'""',
    b'"x"',
    b"[]",
    b"{}",
    b"[null]",
    b"[[]]",
    b'{"a":{}}',
    b"true",
    b"1e400",
    b'"\\ud83d"',
)


def _retype(data: bytes, chance: random.Random) -> bytes:
    """Put another JSON value after some colon."""
    colons = [
        at for at in range(len(data) - 1) if data[at : at + 1] == b":" and data[at + 1 : at + 2] in b'"{[0123456789ntf '
    ]
    if not colons:
        return data
    at = chance.choice(colons) + 1
    try:
        _, end = _value_end(data, at)
    except ValueError:
        return data
    return data[:at] + chance.choice(_VALUES) + data[end:]


def _value_end(data: bytes, at: int) -> tuple[object, int]:
    import json

    text = data[at:].decode("utf-8", "replace")
    value, length = json.JSONDecoder().raw_decode(text.lstrip())
    return value, at + len(text) - len(text.lstrip()) + length


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (_flip, _delete, _repeat, _noise, _retype, _retype)
