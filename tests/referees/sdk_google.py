"""What the google-genai SDK makes of Gemini bodies.

Runs in the referees' environment. Knows the SDK's objects; must not know Weft, nor correct what the SDK gets wrong.
The SDK hands out each frame's parts and assembles nothing: joining them plainly is what every one of its users does.
"""

from functools import cache
from typing import Any

from google import genai
from google.genai import types

from .reply import Call, Reply


@cache
def _shared() -> genai.Client:
    return genai.Client(api_key="x", vertexai=False)


def _config(url: str) -> types.GenerateContentConfig:
    return types.GenerateContentConfig(http_options=types.HttpOptions(base_url=url, timeout=20_000))


def stream(url: str, reply: Reply) -> None:
    """`generate_content_stream`, chunk by chunk."""
    for chunk in _shared().models.generate_content_stream(model="m", contents="x", config=_config(url)):
        _take_response(reply, chunk)


def whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed."""
    _take_response(reply, _shared().models.generate_content(model="m", contents="x", config=_config(url)))


def _take_response(reply: Reply, chunk: types.GenerateContentResponse) -> None:
    reply.seen(chunk.response_id, chunk.model_version)
    if chunk.usage_metadata:
        reply.usage = _plain(chunk.usage_metadata)
    if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
        reply.finish_detail = f"blocked: {chunk.prompt_feedback.block_reason.value}"
    for candidate in chunk.candidates or []:
        told = reply.choice(candidate.index)
        if candidate.finish_reason:
            told.finish_raw = candidate.finish_reason.value
        for part in (candidate.content and candidate.content.parts) or []:
            reply.blocks.append(_plain(part))
            if part.text is not None:
                (told.reasoning if part.thought else told.text).append(part.text)
            if part.function_call:
                told.calls[len(told.calls)] = _call(part.function_call, reply)


def _call(function: types.FunctionCall, reply: Reply) -> Call:
    """A call that comes in pieces is shown as the SDK shows it: each piece for itself."""
    if function.partial_args or function.will_continue is not None:
        reply.note("tool call in pieces")
    pieces = _plain(function.partial_args) if function.partial_args else None
    return Call(function.id, function.name, function.args if pieces is None else pieces)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.model_dump(mode="json", exclude_none=True)
