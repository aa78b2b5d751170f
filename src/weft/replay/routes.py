"""Which protocol a client speaks, by the path that it asks for, and whether it wants a stream.

Knows: the paths of the providers' own APIs, as rows. Must not know: captures, or how anything is answered.
"""

import re
from typing import Any, Final, Literal
from urllib.parse import unquote

import msgspec

from weft.jsontext import is_object

Wish = Literal["stream", "whole", "asked", "unless"]
"""A stream, a whole reply, a stream if the body's `stream` says so, or a stream unless it says no."""


class Route(msgspec.Struct, frozen=True):
    """One row: a path, what it speaks, and where its wish for a stream stands. A group `model` in the path is the model's name."""

    path: re.Pattern[str]
    protocol: str
    wish: Wish


class Asked(msgspec.Struct, frozen=True):
    """What a request asks for."""

    protocol: str | None
    stream: bool
    model: str | None


def _row(path: str, protocol: str, wish: Wish) -> Route:
    return Route(re.compile(f".*{path}"), protocol, wish)


ROUTES: Final = (
    _row(r"/chat/completions", "openai-chat", "asked"),
    _row(r"/responses", "openai-responses", "asked"),
    _row(r"/messages", "anthropic", "asked"),
    _row(r"/models/(?P<model>.+):streamGenerateContent", "gemini", "stream"),
    _row(r"/models/(?P<model>.+):generateContent", "gemini", "whole"),
    _row(r"/api/(?:chat|generate)", "ollama", "unless"),
    _row(r"/model/(?P<model>[^/]+)/converse-stream", "bedrock", "stream"),
    _row(r"/model/(?P<model>[^/]+)/converse", "bedrock", "whole"),
    _row(r"/v2/chat", "cohere", "asked"),
)


def asked(path: str, body: Any) -> Asked:
    """What this path and this decoded body ask for; a path that nobody knows gets what is there, as it is."""
    members: dict[str, Any] = body if is_object(body) else {}
    for route in ROUTES:
        if found := route.path.fullmatch(path):
            model = found.groupdict().get("model") or members.get("model")
            wanted = members.get("stream")
            stream = {"stream": True, "whole": False, "asked": wanted is True, "unless": wanted is not False}[
                route.wish
            ]
            return Asked(route.protocol, stream, unquote(model) if isinstance(model, str) else None)
    return Asked(None, True, None)
