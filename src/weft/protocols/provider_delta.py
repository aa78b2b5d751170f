"""Seed 001's ProviderStreamDelta, one JSON object a delta: the contract by which GodeX's providers speak to its state machine.

Knows: the contract and the path of what breaks it. Every delta is validated; a bad one ends the stream as failed.
Must not know: other protocols. Parsed objects may be handed in as well as lines.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import msgspec

from weft.assembler import Assembler
from weft.errors import BRIDGE_INVALID_TRANSITION, error_from_body, make_error
from weft.jsontext import is_object
from weft.protocol import Dialect, ProtocolSpec, Sign
from weft.rules import Rules

_COUNTS = ("input_tokens", "output_tokens", "total_tokens")
_CACHED = ("input_tokens_details", "cached_tokens")
_REASONED = ("output_tokens_details", "reasoning_tokens")


def _string(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield path


def _index(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        yield path


def _finish(value: Any, path: str) -> Iterator[str]:
    if value is not None and not isinstance(value, str):
        yield path


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_CALL: dict[str, Callable[[Any, str], Iterator[str]]] = {
    "index": _index,
    "id": _string,
    "type": _string,
    "name": _string,
    "arguments": _string,
}


def _tool_call(value: Any, path: str) -> Iterator[str]:
    if not is_object(value) or not value:
        yield path
        return
    for name, member in value.items():
        check = _CALL.get(name)
        if check is None:
            yield f"{path}.{name}"
        else:
            yield from check(member, f"{path}.{name}")


def _usage(value: Any, path: str) -> Iterator[str]:
    if not is_object(value):
        yield path
        return
    yield from (f"{path}.{name}" for name in _COUNTS if not _number(value.get(name)))
    for name, inner in (_CACHED, _REASONED):
        details = value.get(name)
        if details is None:
            continue
        if not is_object(details):
            yield f"{path}.{name}"
        elif inner in details and not _number(details[inner]):
            yield f"{path}.{name}.{inner}"


def _error(value: Any, path: str) -> Iterator[str]:
    if not is_object(value):
        yield path
        return
    if not isinstance(value.get("message"), str):
        yield f"{path}.message"
    if "code" in value and not isinstance(value["code"], str):
        yield f"{path}.code"


CONTRACT: dict[str, Callable[[Any, str], Iterator[str]]] = {
    "text": _string,
    "reasoning": _string,
    "refusal": _string,
    "toolCall": _tool_call,
    "usage": _usage,
    "finishReason": _finish,
    "error": _error,
}
"""member -> the paths of what is wrong with it. Members not named here are wrong themselves."""


def breaches(delta: Any) -> Iterator[str]:
    """Seed 001's `parameter` for everything in a delta that breaks the contract."""
    if not is_object(delta) or not delta:
        yield "delta"
        return
    for name, member in delta.items():
        check = CONTRACT.get(name)
        if check is None:
            yield name
        else:
            yield from check(member, name)


class TextAlone(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A delta as nearly all of them are: its type is its validation."""

    text: str


class ProviderDeltaDecoder:
    """One stream of deltas."""

    wire: ClassVar[Any] = Any
    usual: ClassVar = {"": TextAlone}

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out

    def feed(self, delta: Any, name: str) -> None:
        """One delta: validated, then said. Reasoning comes before text, text before the call, the finish last."""
        if isinstance(delta, TextAlone):
            self.out.text(delta.text)
        elif (path := next(breaches(delta), None)) is not None:
            self._reject(path)
        else:
            self.say(delta)

    def say(self, delta: dict[str, Any]) -> None:
        """A delta that is known to keep the contract."""
        out = self.out
        if "error" in delta:
            error = delta["error"]
            out.fail(error_from_body({"code": error.get("code", "server_error"), "message": error["message"]}))
            return
        if "usage" in delta:
            out.usage(_canonical(delta["usage"]), None, delta["usage"])
        for kind in ("reasoning", "refusal", "text"):
            if text := delta.get(kind):
                getattr(out, kind)(text)
        if (call := delta.get("toolCall")) is not None:
            tool = "custom" if call.get("type") == "custom" else "function"
            out.tool_call(call.get("index"), call.get("id"), call.get("name"), call.get("arguments"), tool=tool)
        if "finishReason" in delta:
            out.finish(delta["finishReason"])

    def text_line(self, line: str) -> None:
        """A line that is not JSON is no delta."""
        self._reject("delta")

    def close(self) -> None:
        """Nothing is held back here."""

    def _reject(self, path: str) -> None:
        message = f"the delta breaks the contract at {path}"
        self.out.fail(make_error("protocol", message, code=BRIDGE_INVALID_TRANSITION, parameter=path))


def _canonical(usage: dict[str, Any]) -> dict[str, int | None]:
    """Whole numbers of the counts; what else stands in the usage is left out, as the seed says."""
    counts: dict[str, int | None] = {name: int(usage[name]) for name in _COUNTS}
    for ours, (name, inner) in {"cache_read_tokens": _CACHED, "reasoning_tokens": _REASONED}.items():
        details: Any = usage.get(name)
        counts[ours] = int(details[inner]) if is_object(details) and inner in details else None
    return counts


PROTOCOL = ProtocolSpec(
    name="provider-delta",
    title="ProviderStreamDelta (GodeX, seed 001)",
    framing="ndjson",
    never=frozenset(
        "choices steps usage_early file file_partial annotation annotation_offsets logprobs refusal signature executor tool_result opaque channel".split()
    ),
    decoder=ProviderDeltaDecoder,
    dialect=Dialect(rules=Rules(ends_on=frozenset({"finish"}))),
    signs=(Sign("finishReason", None, 0.6), Sign("toolCall", None, 0.8), Sign("text", None, 0.2)),
)
