"""Seed 000's values: the chunk that a stream adapter gives, what stands in it, and its JSON in the seed's words.

    ProcessedChunk("text", "Hi")
    ProcessedChunk("function_call", function_call=FunctionCall("look", {"at": "sky"}))
    ProcessedChunk("error", error=ProviderError("rate_limit", "Slow down.", "429", retryable=True))
    ProcessedChunk("done", metadata={"finishReason": "stop"})

Knows: these shapes, and what stands for them in our own taxonomy. Must not know: who makes them, or what becomes of them.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from weft import jsontext
from weft.errors import Error, error_from_body, make_error, to_seed000

__all__ = [
    "ChunkType",
    "FunctionCall",
    "ProcessedChunk",
    "ProviderError",
    "ProviderErrorType",
    "RawStreamChunk",
    "ThoughtLogEntry",
    "error_of",
    "from_json",
    "provider_error",
    "to_json",
]

ChunkType = Literal["text", "function_call", "error", "done"]
ThoughtKind = Literal["summary", "raw"]
ProviderErrorType = Literal[
    "api_error", "rate_limit", "content_blocked", "timeout", "provider_overloaded", "model_error", "unknown"
]

# Seed 000's types that say more than `api_error`, in our words.
_TYPES: Final[dict[str, Any]] = {
    "rate_limit": "rate_limit",
    "content_blocked": "content_blocked",
    "timeout": "timeout",
    "provider_overloaded": "overloaded",
    "model_error": "not_found",
}


class RawStreamChunk(msgspec.Struct, frozen=True):
    """What a generator of the seed yields: the provider's own chunk, and whose it is. Adapters take the bare chunk as well."""

    data: Any
    provider: str = ""
    metadata: dict[str, Any] = {}


class ThoughtLogEntry(msgspec.Struct, frozen=True):
    """A piece of what the model thought, raw or as a summary. It is never visible text."""

    kind: ThoughtKind
    content: str


class FunctionCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call to execute. The three members after `args` are its provider's: they go back as they came with the tool's result.

    `id` and `raw` (the arguments' own text) are for programs; the seed's JSON has no place for them.
    """

    name: str
    args: dict[str, Any] = {}
    thought_signature: str | None = msgspec.field(default=None, name="thoughtSignature")
    reasoning_details: Sequence[dict[str, Any]] | None = None
    deepseek_reasoning_content: str | None = msgspec.field(default=None, name="deepseekReasoningContent")
    id: str | None = None
    raw: str | None = None


class ProviderError(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a provider failed with. `original_error` is the raw error, for logs alone; `user_message` is already fit for people.

    `cause` is our own account of it, if there is one: it knows whose fault it is and how long to wait. The seed's JSON has no place for it.
    """

    type: ProviderErrorType
    message: str
    code: str
    retryable: bool
    original_error: Any = None
    user_message: str | None = None
    cause: Error | None = None


class ProcessedChunk(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """One of four: text, a function call, an error, or done. Thoughts may come with any of them. One that lacks what its type names is refused."""

    type: ChunkType
    content: str | None = None
    function_call: FunctionCall | None = None
    error: ProviderError | None = None
    thoughts: Sequence[ThoughtLogEntry] = ()
    serving_provider: str | None = None
    metadata: dict[str, Any] = {}

    def __post_init__(self) -> None:
        kind = self.type
        if kind == "text":
            there = isinstance(self.content, str)  # pyright: ignore[reportUnnecessaryIsInstance] - authors may err
        elif kind == "function_call":
            there = isinstance(self.function_call, FunctionCall)
        elif kind == "error":
            there = isinstance(self.error, ProviderError)
        else:
            there = kind == "done"
        if not there:
            raise ValueError(f"a ProcessedChunk of type {kind!r} needs what its type names")


def provider_error(error: Error, original: Any = None) -> ProviderError:
    """One of our errors in the seed's words. `original` is the raw error where there is one at hand."""
    said = to_seed000(error)
    raw = error.original if original is None else original
    return ProviderError(said["type"], error.message, error.code, error.retryable, raw, cause=error)


def error_of(error: ProviderError) -> Error:
    """Our own account of the seed's error: its cause, else what its type, code and message amount to."""
    if error.cause is not None:
        return error.cause
    kind = _TYPES.get(error.type) or error_from_body({"code": error.code, "message": error.message}).type
    return make_error(
        kind, error.message, code=error.code, retryable=error.retryable, original=error.original_error
    )  # fmt: skip


def to_json(chunk: ProcessedChunk) -> bytes:
    """The chunk as one line of the seed's JSON, without the line end. Arguments are the source's own text where that is known."""
    if chunk.function_call is None and chunk.error is None:
        return jsontext.line(chunk)
    said: dict[str, Any] = {"type": chunk.type}
    if chunk.content is not None:
        said["content"] = chunk.content
    if chunk.function_call is not None:
        said["functionCall"] = _call(chunk.function_call)
    if chunk.error is not None:
        said["error"] = _error(chunk.error)
    said |= {word: value for name, word in _BESIDE.items() if (value := getattr(chunk, name))}
    return jsontext.line(said)


def from_json(line: bytes | str) -> ProcessedChunk:
    """The chunk that a line of the seed's JSON is. Raises `msgspec.DecodeError` on anything else."""
    return _decode(line)


_BESIDE: Final = {"thoughts": "thoughts", "serving_provider": "servingProvider", "metadata": "metadata"}
_CONTINUITY: Final = {
    "thought_signature": "thoughtSignature",
    "reasoning_details": "reasoning_details",
    "deepseek_reasoning_content": "deepseekReasoningContent",
}
_decode = msgspec.json.Decoder(ProcessedChunk).decode


def _call(call: FunctionCall) -> dict[str, Any]:
    args: Any = call.args if call.raw is None else msgspec.Raw(jsontext.one_line(call.raw))
    back = {word: value for name, word in _CONTINUITY.items() if (value := getattr(call, name)) is not None}
    return {"name": call.name, "args": args, **back}


def _error(error: ProviderError) -> dict[str, Any]:
    said = {name: getattr(error, name) for name in ("type", "message", "code", "retryable")}
    said["originalError"] = msgspec.to_builtins(error.original_error, enc_hook=str, str_keys=True)
    return said if error.user_message is None else said | {"userMessage": error.user_message}
