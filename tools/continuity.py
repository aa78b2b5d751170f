"""What becomes of each kind of part when a turn goes back, found out by sending one of each to every target.

Knows how to probe; must not know what any target does. Used by docs.py.
"""

from typing import Any

import weft
from weft import events as ev
from weft.message import Choice, FilePart, Message, Reasoning, ReasoningPiece, Refusal, Text, ToolCall, ToolResult
from weft.protocol import BUILT_IN, resolve

ELSEWHERE = "elsewhere"
HEAD = ("target", "its own reasoning", "another's reasoning", "another's tools", "refusal", "custom tool call", "image", "citation")  # fmt: skip


def takers() -> list[str]:
    """The targets that take turns back."""
    return [name for name in BUILT_IN if resolve(name)[0].turn is not None]


def rows() -> list[tuple[str, ...]]:
    """A row for each target: as it was, as text, as another thing, or lost."""
    return [(f"`{target}`", *(_fate(target, *probe) for probe in _probes(target))) for target in takers()]


def _probes(target: str) -> list[tuple[str, list[Any]]]:
    """Whose answer it is, and the part in question first."""
    said = Text(index=9, text="Done.", complete=True)
    own = ev.Signature(0, "c3RhdGU=", ev.Origin(target, item="rs_1"), encrypted=target == "openai-responses")
    foreign = ev.Signature(0, "c3RhdGU=", ev.Origin(ELSEWHERE))
    note = ev.Annotation(0, "url_citation", 0, 4, "https://a.example", "A")
    pieces = [ReasoningPiece("Hm.")]
    signed = [own] if target not in ("ollama", "cohere") else []
    ran = [
        ToolCall(index=0, id="s1", name="search", raw="{}", arguments={}, executor="provider", complete=True),
        ToolResult(index=1, call_id="s1", content="found", complete=True),
    ]
    return [
        (target, [Reasoning(index=0, pieces=pieces, signatures=signed, complete=True), said]),
        (ELSEWHERE, [Reasoning(index=0, pieces=pieces, signatures=[foreign], complete=True), said]),
        (ELSEWHERE, [*ran, said]),
        (ELSEWHERE, [Refusal(index=0, text="No.", complete=True)]),
        (ELSEWHERE, [ToolCall(index=0, id="c1", name="run", raw="ls", tool="custom", complete=True)]),
        (ELSEWHERE, [FilePart(index=0, media_type="image/png", data="aW1n", complete=True), said]),
        (ELSEWHERE, [Text(index=0, text="Here.", annotations=[note], complete=True)]),
    ]


def _fate(target: str, protocol: str, parts: list[Any]) -> str:
    replay = weft.replay_turn(Message(id="m1", protocol=protocol, choices=[Choice(parts)]), target)
    losses = {loss.what: loss.why for loss in replay.losses}
    if not losses:
        return "unchanged"
    if any("marked text" in why for why in losses.values()):
        return "as marked text"
    if "refusal" in losses:
        return "as text"
    if "tool_kind" in losses:
        return "as a function call"
    if losses.keys() == {"signature"}:
        return "as reasoning, without its state"
    return "left out"
