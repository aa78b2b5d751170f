"""Gemma 4 and FunctionGemma: `call:name{key:value, …}`, whose texts stand between marks of their own.

Facts: the chat templates of both; waybarrios/vllm-mlx#267; vllm-project/vllm#51284 (plain quotes come too). A value without any mark is a
number, a truth value or null; anything else is text.
"""

import re
from collections.abc import Sequence
from typing import Final

from weft.filters.tool_markup import Block, ToolMarkup, WrittenCall
from weft.filters.tool_markup.declared import Declared, arguments, is_json, quoted

_DEPTH: Final = 64
_HEAD: Final = re.compile(r"\s*call:\s*([\w.:-]+)\s*(?=\{)")
_REST: Final = re.compile(r"\s*\Z")
_TOKEN: Final = re.compile(
    r"""\s*(?:
        <\|"\|>(?P<text>.*?)<\|"\|> | <escape>(?P<escaped>.*?)<escape>
        | (?P<json>"(?:[^"\\]|\\.)*") | '(?P<single>[^']*)'
        | (?P<mark>[{}\[\],:])
        | (?P<bare>[^\s{}\[\],:"'<][^{}\[\],:"<]*)
    )""",
    re.DOTALL | re.VERBOSE,
)


def _calls(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    """One call, or several one after the other."""
    calls: list[WrittenCall] = []
    at = 0
    try:
        while _REST.match(inside, at) is None:
            head = _HEAD.match(inside, at)
            if head is None:
                return None
            values = _Values(inside, head.end(), declared, head[1])
            calls.append(WrittenCall(head[1], values.object()))
            at = values.at
    except ValueError:
        return None
    return calls


class _Values:
    """Reads one value after another from a place in the text, and gives them as JSON. ValueError: there is none."""

    def __init__(self, text: str, at: int, declared: Declared, tool: str) -> None:
        self.at = at
        self._text = text
        self._declared = declared
        self._tool = tool
        self._depth = 0

    def object(self) -> str:
        """Everything from `{` to its `}`."""
        self._next("{")
        pairs: list[tuple[str, str]] = []
        while not self._is("}"):
            if pairs:
                self._next(",")
            key = self._key()
            self._next(":")
            pairs.append((key, self._value(key)))
        self._next("}")
        return arguments(pairs)

    def _array(self) -> str:
        self._next("[")
        items: list[str] = []
        while not self._is("]"):
            if items:
                self._next(",")
            items.append(self._value(""))
        self._next("]")
        return "[" + ", ".join(items) + "]"

    def _value(self, key: str) -> str:
        for opens, read in (("{", self.object), ("[", self._array)):
            if self._is(opens):
                self._depth += 1
                if self._depth > _DEPTH:
                    raise ValueError("nested too deeply")
                value = read()
                self._depth -= 1
                return value
        token = self._take()
        if token["bare"] is not None:
            return self._declared.value(self._tool, key if not self._depth else "", token["bare"].strip())
        return _quoted(token)

    def _key(self) -> str:
        token = self._take()
        return token["bare"].strip() if token["bare"] is not None else _said(token)

    def _is(self, mark: str) -> bool:
        token = _TOKEN.match(self._text, self.at)
        return token is not None and token["mark"] == mark

    def _next(self, mark: str) -> None:
        if not self._is(mark):
            raise ValueError(f"{mark} was due")
        self._take()

    def _take(self) -> re.Match[str]:
        token = _TOKEN.match(self._text, self.at)
        if token is None:
            raise ValueError("the text ends, or is none of these")
        self.at = token.end()
        return token


def _said(token: re.Match[str]) -> str:
    """The text of a token that is one."""
    for name in ("text", "escaped", "single"):
        if token[name] is not None:
            return token[name]
    if token["json"] is not None:
        return token["json"][1:-1]
    raise ValueError("a mark is no text")


def _quoted(token: re.Match[str]) -> str:
    """A text as JSON. One in JSON's own quotes is that already, if its escapes are."""
    if token["json"] is not None and is_json(token["json"]):
        return token["json"]
    return quoted(_said(token))


class GemmaTools(ToolMarkup):
    """The markup of Gemma 4 and of FunctionGemma."""

    blocks = (
        Block("<|tool_call>", "<tool_call|>", _HEAD.pattern, _calls),
        Block("<start_function_call>", "<end_function_call>", _HEAD.pattern, _calls),
    )
