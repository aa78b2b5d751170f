"""How text and numbers from outside are shown to people.

Knows: characters and what they do to a terminal. Must not know: what they mean.
"""

import unicodedata

_WRITTEN = {"\n": "⏎", "\r": "", "\t": " "}
_UNITS = ("bytes", "kB", "MB", "GB")


def one_line(text: str) -> str:
    """Text as one line that does nothing to a terminal: what is not to be seen is written out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _written(char) for char in text)


def _written(char: str) -> str:
    return _WRITTEN[char] if char in _WRITTEN else repr(char)[1:-1]


def shortened(text: str, width: int) -> str:
    """As much of a text as fits into this many cells of a terminal."""
    if len(text) * 2 <= width or (text.isascii() and len(text) <= width):
        return text
    used = 0
    for at, char in enumerate(text):
        used += cells(char)
        if used > width or (used == width and at + 1 < len(text)):
            return text[:at] + "…"
    return text


def cells(char: str) -> int:
    """How many cells of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def sized(count: int) -> str:
    """A number of bytes."""
    amount, at = float(count), 0
    while amount >= 1000 and at < len(_UNITS) - 1:
        amount, at = amount / 1000, at + 1
    return f"{amount:.1f} {_UNITS[at]}" if at else counted(count, "byte")


def cause(error: OSError | ValueError) -> str:
    """Why the system refuses, in its own words, small as they go on in a sentence."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return text[:1].lower() + text[1:]


def counted(count: int, thing: str) -> str:
    """So many things."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def percent(share: float) -> str:
    """A share of 1; never rounded up to all."""
    return f"{int(share * 100)} %"
