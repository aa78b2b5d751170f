"""Names of members: the wire's are in camel case, those of Google's Python SDK and of proto dumps in snake case.

Knows: how one becomes the other, and where names are not Google's but the caller's. Must not know: what any name means.
"""

import re
from typing import Any, Final

import msgspec

from weft.jsontext import is_array, is_object

_SNAKE: Final = re.compile(
    rb'"(?:finish_reason|usage_metadata|function_calls?|prompt_feedback|model_version|response_id|thought_signature|'
    rb"code_execution_result|executable_code|inline_data|file_data|tool_call|tool_response|grounding_metadata|"
    rb'citation_metadata)"\s*:'
)
_WORD: Final = re.compile(r"_([a-z0-9])")
_CALLERS: Final = {
    "functionCall": "args",
    "functionCalls": "args",
    "toolCall": "args",
    "functionResponse": "response",
    "toolResponse": "response",
}
"""Member -> the member in it whose names are the caller's own."""
_BASE64: Final = frozenset({"thoughtSignature", "data"})
_WIRE_ALPHABET: Final = str.maketrans("-_", "+/")
_MAX_DEPTH: Final = 16


def is_snake(frame: bytes) -> bool:
    """Is this frame written in snake case?"""
    return _SNAKE.search(frame) is not None


def framed(value: Any) -> tuple[bytes, str]:
    """A chunk as an object, of the SDK or parsed, as it would stand on the wire. The wire of interactions has snake case itself."""
    own = is_object(value) and ("event_type" in value or value.get("object") == "interaction")
    return msgspec.json.encode(value if own else camel(value), enc_hook=str), ""


def camel(value: Any, parent: str = "", depth: int = 0) -> Any:
    """The same value under the wire's names. Base64 that the SDK wrote in the URL's alphabet is put in the wire's."""
    if depth > _MAX_DEPTH:
        return value
    if is_array(value):
        return [camel(item, parent, depth + 1) for item in value]
    if not is_object(value):
        return value
    named: dict[str, Any] = {}
    for snake, member in value.items():
        name = _WORD.sub(_capital, str(snake))
        if name in _BASE64 and isinstance(member, str):
            named[name] = member.translate(_WIRE_ALPHABET)
        else:
            ours = name != "error" and name != _CALLERS.get(parent)
            named[name] = camel(member, name, depth + 1) if ours else member
    return named


def _capital(found: re.Match[str]) -> str:
    return found[1].upper()
