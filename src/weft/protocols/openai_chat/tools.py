"""A tool call's id, name, arguments and signature, wherever a fragment or a whole call has them.

Knows: the shapes of calls. Must not know: which call a fragment belongs to, or blocks.

Arguments that came as JSON where text was due keep the source's own text: numbers and order of members are not ours to change. The common
parse keeps values, so a frame with such arguments is parsed a second time, for their text alone.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from weft import jsontext
from weft.jsontext import is_object
from weft.protocols.openai_chat.wire import Function, Json, ToolCall


class Fragment(msgspec.Struct, frozen=True):
    """What a fragment says of its call. `whole`: the arguments are complete."""

    index: int | None
    id: str | None
    name: str | None
    args: str | None
    tool: str = "function"
    whole: bool = False
    signature: str | None = None


class ToolReader:
    """Reads the calls of one stream, frame by frame."""

    def __init__(self) -> None:
        self._frame = b""
        self._texts: Iterator[bytes] = iter(())

    def call(self, call: ToolCall, frame: bytes) -> Fragment:
        """A fragment, or a whole call, of this frame."""
        id = str(call.id) if call.id is not None else None
        signature = call.thought_signature or thought_signature(call.extra_content or call.provider_specific_fields)
        custom = call.custom
        if custom is not None and (custom.name or custom.input):
            return Fragment(call.index, id, custom.name, custom.input, "custom", signature=signature)
        function = call.function or Function(call.name, call.arguments)
        args, whole = self._text(function.arguments, frame)
        return Fragment(call.index, id, function.name, args, whole=whole, signature=signature)

    def function(self, function: Function, frame: bytes) -> Fragment:
        """The one call of the old days, which has neither id nor index."""
        args, whole = self._text(function.arguments, frame)
        return Fragment(0, None, function.name, args, "function_call", whole)

    def _text(self, args: str | Json | list[Any] | None, frame: bytes) -> tuple[str | None, bool]:
        if args is None or isinstance(args, str):
            return args, False
        return self.text(args, frame), True

    def text(self, value: Any, frame: bytes) -> str:
        """The source's text of this value, which stands in the frame behind those asked for before."""
        if frame is not self._frame:
            self._frame, self._texts = frame, iter(_texts(frame))
        for text in self._texts:
            if jsontext.decode(text) == value:
                return text.decode()
        return jsontext.encode(value).decode()


def thought_signature(extra: Json | None) -> str | None:
    """Google's state of a call or text: in its own place, or where LiteLLM puts it."""
    google = extra.get("google", extra) if extra else None
    value = google.get("thought_signature") if is_object(google) else None
    return value if isinstance(value, str) else None


class _Function(msgspec.Struct):
    arguments: msgspec.Raw = msgspec.Raw()


class _Call(msgspec.Struct):
    function: _Function | None = None
    arguments: msgspec.Raw = msgspec.Raw()


class _Delta(msgspec.Struct):
    tool_calls: list[_Call] | None = None
    toolCalls: list[_Call] | None = None  # noqa: N815 - as in wire
    executed_tools: list[_Call] | None = None
    function_call: _Function | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    message: _Delta | None = None


class _Chunk(_Delta):
    """Cloudflare's own form has calls at its top, or in a result."""

    choices: list[_Choice] | None = None
    result: _Delta | None = None


_parse = msgspec.json.Decoder(_Chunk).decode
_NO_JSON = (b"", b"n", b'"')
"""How arguments begin that are absent, null, or text already."""


def _texts(frame: bytes) -> list[bytes]:
    """The texts of all object arguments of a frame, in order."""
    try:
        chunk = _parse(frame)
    except (msgspec.MsgspecError, UnicodeError):
        return []
    deltas = [delta for choice in chunk.choices or () for delta in (choice.delta, choice.message)]
    texts = (bytes(raw) for delta in (*deltas, chunk, chunk.result) if delta is not None for raw in _of_delta(delta))
    return [text for text in texts if text[:1] not in _NO_JSON]


def _of_delta(delta: _Delta) -> Iterable[msgspec.Raw]:
    for call in [*(delta.tool_calls or delta.toolCalls or ()), *(delta.executed_tools or ())]:
        yield call.function.arguments if call.function is not None else call.arguments
    if delta.function_call is not None:
        yield delta.function_call.arguments
