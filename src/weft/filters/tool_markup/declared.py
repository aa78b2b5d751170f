"""The tools that a model may call, as far as the caller said.

Knows: how requests of the known protocols declare tools. Must not know: markup.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from weft import jsontext
from weft.context import Context
from weft.jsontext import is_array, is_object


class Declared:
    """Names of tools, and of each the schema of its parameters. Without names everything may be called."""

    def __init__(self, tools: dict[str, Any] | None = None) -> None:
        self._tools = tools

    @classmethod
    def of(cls, context: Context | None, names: Iterable[str] | None = None) -> "Declared":
        """What is declared by these names; without them what the context's tools and its request declare together."""
        request: Any = context.request if context is not None else None
        schemas = dict(_declarations(request.get("tools") if is_object(request) else None))
        if names is not None:
            return cls({name: schemas.get(name) for name in names})
        if context is not None and context.tools is not None:
            schemas |= {tool.provider_name: schemas.get(tool.provider_name) for tool in context.tools}
        return cls(schemas or None)

    def has(self, name: str) -> bool:
        """May this tool be called?"""
        return self._tools is None or name in self._tools

    def value(self, tool: str, parameter: str, text: str) -> str:
        """The JSON of a parameter that was written without quotes: text where the schema says so, else JSON if it is that, else text."""
        schema: Any = (self._tools or {}).get(tool)
        properties: Any = schema.get("properties") if is_object(schema) else None
        kind: Any = properties.get(parameter) if is_object(properties) else None
        if not (is_object(kind) and kind.get("type") == "string") and is_json(text):
            return text.strip()
        return quoted(text)


def is_json(text: str) -> bool:
    """Is this JSON of any kind?"""
    try:
        jsontext.decode(text)
    except ValueError:
        return False
    return True


def quoted(text: str) -> str:
    """Text as a JSON string."""
    return msgspec.json.encode(text.encode("utf-8", "replace").decode()).decode()


def arguments(pairs: Iterable[tuple[str, str]]) -> str:
    """An object of these names and JSON values."""
    return "{" + ", ".join(f"{quoted(name)}: {value}" for name, value in pairs) + "}"


def _declarations(tools: Any) -> Iterator[tuple[str, Any]]:
    """Name and parameters of each tool, as chat.completions, Responses, Anthropic or Gemini have them."""
    for tool in tools if is_array(tools) else ():
        if not is_object(tool):
            continue
        yield from _declarations(tool.get("functionDeclarations"))
        function = tool.get("function")
        said = function if is_object(function) else tool
        name = said.get("name")
        if isinstance(name, str):
            yield name, said.get("parameters") or said.get("input_schema")
