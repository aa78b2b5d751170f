"""The text inside `{"input": "..."}`, as it streams: what a custom tool is told when it went to the provider as a function.

Knows: that one form, at any cut. Must not know: tools.
"""

import re
from typing import Final

from weft import jsontext

_BEGIN: Final = re.compile(r'\s*\{\s*"input"\s*:\s*"')
_PLAIN: Final = re.compile(r'[^"\\]*(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*)*')
_SURROGATE: Final = re.compile(r"(?:^|[^\\])(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})$")
_LONGEST_BEGIN: Final = 64


class Unwrapper:
    """`feed` pieces of the arguments, get pieces of the input. `sound` tells at the end whether it was that form at all."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._rest = ""
        self._inside = False
        self._over = False
        self._given = 0

    def feed(self, text: str) -> str:
        """Take a piece; give what of the input is known by it."""
        self._pieces.append(text)
        if self._over:
            return ""
        self._rest += text
        if not self._inside:
            begun = _BEGIN.match(self._rest)
            if begun is None:
                self._over = len(self._rest) > _LONGEST_BEGIN
                return ""
            self._inside, self._rest = True, self._rest[begun.end() :]
        return self._taken()

    def finish(self) -> tuple[str, bool]:
        """What is still to be given out, and whether the whole was sound. What is not sound is given out raw, if nothing was given out before."""
        raw = "".join(self._pieces)
        value = jsontext.decode_object(raw)
        whole = value.get("input") if value is not None else None
        if isinstance(whole, str):
            return whole[self._given :], True
        return "" if self._given else raw, False

    def _taken(self) -> str:
        """Everything up to the closing quote, or up to where an escape or a character is cut in half."""
        found = _PLAIN.match(self._rest)
        plain = found.group() if found is not None else ""
        if half := _SURROGATE.search(plain):
            plain = plain[: half.start(1)]
        self._rest = self._rest[len(plain) :]
        self._over = self._rest.startswith('"')
        if not plain:
            return ""
        try:
            text = str(jsontext.decode(f'"{plain}"'))
        except ValueError:
            self._over = True
            return ""
        self._given += len(text)
        return text
