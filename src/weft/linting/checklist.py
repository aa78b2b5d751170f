"""What the linter needs to judge one protocol, and where each is found.

Knows: the shape, and the names. Must not know: what any of them checks.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final
from typing import Protocol as Shape

import msgspec

from weft.linting.report import Report
from weft.linting.rule import Rule
from weft.nearest import UnknownNameError


class Machine(Shape):
    """Follows one stream and reports where it goes wrong. Whatever a frame holds, it does not raise."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one frame, and its name if its framing has such."""
        ...

    def done(self) -> None:
        """Take the `[DONE]` marker."""
        ...

    def close(self) -> None:
        """The stream is over: say what never came."""
        ...


class Checklist(msgspec.Struct, frozen=True, kw_only=True):
    """One protocol's rules, the clients that read it, and the machine that follows it. `framings` are those that its clients can read.

    `former` are clients that read it too and were repaired since: they count when asked for, since what only they mind is common and legal.
    """

    protocol: str
    framings: tuple[str, ...]
    clients: tuple[str, ...]
    rules: dict[str, Rule]
    machine: Callable[[Report], Machine]
    former: tuple[str, ...] = ()


_HOMES: Final = {
    "openai-chat": "weft.linting.chat",
    "openai-responses": "weft.linting.responses",
    "anthropic": "weft.linting.anthropic",
    "gemini": "weft.linting.gemini",
    "ollama": "weft.linting.ollama",
    "bedrock": "weft.linting.bedrock",
    "cohere": "weft.linting.cohere",
    "ai-sdk-ui": "weft.linting.ai_sdk_ui",
    "ag-ui": "weft.linting.ag_ui",
    "stream-event-v1": "weft.linting.stream_event_v1",
    "processed-chunk": "weft.linting.processed_chunk",
    "vscode": "weft.linting.vscode",
    "events": "weft.linting.events",
}

PROTOCOLS: Final = tuple(_HOMES)
"""The protocols that can be judged."""


@cache
def checklist(protocol: str) -> Checklist:
    """The checklist of a protocol; what stands behind a slash, its dialect, is for readers."""
    name = protocol.partition("/")[0]
    if name not in _HOMES:
        raise UnknownNameError("protocol to lint", name, _HOMES)
    return import_module(_HOMES[name]).CHECKLIST
