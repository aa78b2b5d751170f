"""One JSON string that is still coming.

Knows: escapes, and that any of them may be cut. Must not know: where in a value the string stands.
"""

import re
from typing import Final

_plain: Final = re.compile(r'[^"\\\x00-\x1f]+').match
_escape: Final = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9a-fA-F]{4}))').match
_cut_escape: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z").match
_ESCAPED: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class PartialString:
    """Reads what follows a quote, up to the next. `rest` is the half of an escape that is to be seen again before the next piece."""

    def __init__(self) -> None:
        self.over = False
        self.wrong = False
        self.rest = ""
        self._pieces: list[str] = []
        self._high = ""

    def take(self, text: str, at: int) -> int:
        """Read a run of characters, an escape or the closing quote; gives the place after it. `wrong`: nothing of these stands there."""
        if (plain := _plain(text, at)) is not None:
            self._say(plain[0])
            return plain.end()
        if text[at] == '"':
            self._say("")
            self.over = True
            return at + 1
        if (escape := _escape(text, at)) is not None:
            short, code = escape.groups()
            self._say(_ESCAPED[short]) if short else self._say_code(int(code, 16))
            return escape.end()
        if _cut_escape(text, at) is not None:
            self.rest = text[at:]
            return len(text)
        self.wrong = True
        return at

    def so_far(self) -> str:
        """What is there of it. Asking costs its length, if there is more than the last time."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def _say(self, piece: str) -> None:
        if self._high:
            self._pieces.append(self._high)
            self._high = ""
        if piece:
            self._pieces.append(piece)

    def _say_code(self, code: int) -> None:
        """A character by its number. The first half of a pair waits for the second, which may be only in the next piece."""
        if self._high and 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((ord(self._high) - 0xD800) << 10) + (code - 0xDC00)
            self._high = ""
        self._say("")
        if 0xD800 <= code < 0xDC00:
            self._high = chr(code)
        else:
            self._pieces.append(chr(code))
