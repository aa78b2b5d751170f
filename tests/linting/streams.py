"""Good streams, and ways to spoil them: a case says which rule an edit breaks, and at which frame that is told."""

import copy
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.protocols import aws
from weft.linting import Finding, lint

Frames = list[Any]
Edit = Callable[[Frames], object]
END = -1


class Case(NamedTuple):
    """A rule, what breaks it, and the frame (of the spoilt stream) at which that is told; END is behind the last byte."""

    rule: str
    edit: Edit
    where: int

    def __repr__(self) -> str:
        return self.rule


def drop(at: int) -> Edit:
    return lambda frames: frames.pop(at)


def put(at: int, *new: Any) -> Edit:
    def edit(frames: Frames) -> None:
        frames[at:at] = copy.deepcopy(list(new))

    return edit


def twice(at: int) -> Edit:
    return lambda frames: frames.insert(at, copy.deepcopy(frames[at]))


def cut(at: int) -> Edit:
    def edit(frames: Frames) -> None:
        del frames[at:]

    return edit


def change(at: int, path: str, value: Any) -> Edit:
    def edit(frames: Frames) -> None:
        parent, name = holder(frames[at], path)
        parent[name] = value

    return edit


def without(at: int, path: str) -> Edit:
    def edit(frames: Frames) -> None:
        parent, name = holder(frames[at], path)
        del parent[name]

    return edit


def both(*edits: Edit) -> Edit:
    def edit(frames: Frames) -> None:
        for one in edits:
            one(frames)

    return edit


def holder(frame: Any, path: str) -> tuple[Any, Any]:
    """What holds the member at a path, and its name there; numbers go into arrays."""
    *way, name = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        frame = frame[step]
    return frame, name


def sse(frame: Any) -> bytes:
    return frame if isinstance(frame, bytes) else b"data: " + dumped(frame) + b"\n\n"


def named(frame: Any) -> bytes:
    """Named by its type, as Anthropic and OpenAI do."""
    return frame if isinstance(frame, bytes) else f"event: {frame.get('type', 'none')}\n".encode() + sse(frame)


def line(frame: Any) -> bytes:
    return frame if isinstance(frame, bytes) else dumped(frame) + b"\n"


def aws_event(frame: Any) -> bytes:
    """A pair of the event's name and its payload."""
    return frame if isinstance(frame, bytes) else aws.event(*frame)


def dumped(frame: Any) -> bytes:
    return json.dumps(frame).encode()


def judged(protocol: str, write: Callable[[Any], bytes], golden: Frames, edit: Edit) -> tuple[list[Finding], list[int]]:
    """What is found in a stream that was spoilt, and where its frames begin; the last offset is its end."""
    frames = [copy.deepcopy(frame) for frame in golden]
    edit(frames)
    pieces = [write(frame) for frame in frames]
    offsets = [sum(map(len, pieces[:at])) for at in range(len(pieces) + 1)]
    return lint(b"".join(pieces), protocol), offsets


def check(protocol: str, write: Callable[[Any], bytes], golden: Frames, case: Case) -> None:
    """Exactly the rule is found, and first of all where the case says."""
    found, offsets = judged(protocol, write, golden, case.edit)
    assert {case.rule} == {finding.rule for finding in found}, found
    assert offsets[case.where] == found[0].offset
