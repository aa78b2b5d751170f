"""Arguments that come as values at paths, written as the text of one JSON object while they come.

Knows: paths (`$.trip.legs[0].city`), which containers are open, how a string goes on over several pieces.
Must not know: calls, frames, who asked. A piece costs what it weighs: nothing written is looked at again.
"""

import re
from typing import Final

_STEP: Final = re.compile(
    r"""\.([^.\[]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_MAX_DEPTH: Final = 200
_JSON_TEXT: Final = {code: f"\\u{code:04x}" for code in range(0x20)} | {
    ord(char): f"\\{name}" for char, name in zip('"\\\n\r\t\b\f', '"\\nrtbf', strict=True)
}

Step = str | int


class OutOfOrderError(Exception):
    """A path leads back to what was written already, or past what should come next: its value has no place in the text."""


class _Container:
    """An open object or array, and which of its children is being written."""

    __slots__ = ("child", "count", "is_array", "names")

    def __init__(self, *, is_array: bool) -> None:
        self.is_array = is_array
        self.child: Step | None = None
        self.count = 0
        self.names: set[Step] = set()

    def enter(self, step: Step) -> str:
        """Begin the next child; gives what is written before it."""
        in_order = step == self.count if self.is_array else isinstance(step, str) and step not in self.names
        if not in_order:
            raise OutOfOrderError
        comma = "," if self.count else ""
        self.child = step
        self.count += 1
        if self.is_array:
            return comma
        self.names.add(step)
        return f'{comma}"{_escaped(str(step))}":'


class ArgsWriter:
    """Writes one object. What its methods give, put together, is the object's text."""

    def __init__(self) -> None:
        self._open: list[_Container] = []
        self._path = ""
        self._in_string = False

    def string(self, path: str, piece: str) -> str:
        """A string, or more of the one at this path: it ends where another value begins."""
        text = _escaped(piece)
        if self._in_string and path == self._path:
            return text
        text = f'{self._at(path)}"{text}'
        self._in_string = True
        return text

    def value(self, path: str, text: str) -> str:
        """A value that is whole, as JSON text."""
        return self._at(path) + text

    def close(self) -> str:
        """The rest: all that is open is closed. An object that nothing was written to has no text."""
        return self._end_string() + self._close_to(0)

    def _at(self, path: str) -> str:
        """Go to where the value at a path stands: close what it is not in, open what it is in."""
        steps = steps_of(path)
        written = [self._end_string()]
        self._path = path
        if not self._open:
            self._open.append(_Container(is_array=False))
            written.append("{")
        kept = 0
        while kept < min(len(self._open), len(steps)) - 1 and self._open[kept].child == steps[kept]:
            kept += 1
        written.append(self._close_to(kept + 1))
        for at in range(kept, len(steps)):
            written.append(self._open[-1].enter(steps[at]))
            if at + 1 < len(steps):
                is_array = isinstance(steps[at + 1], int)
                self._open.append(_Container(is_array=is_array))
                written.append("[" if is_array else "{")
        return "".join(written)

    def _end_string(self) -> str:
        ended, self._in_string = self._in_string, False
        return '"' if ended else ""

    def _close_to(self, depth: int) -> str:
        closed = "".join("]" if container.is_array else "}" for container in reversed(self._open[depth:]))
        del self._open[depth:]
        return closed


def _escaped(text: str) -> str:
    """Text as it stands in a string of JSON. Most has nothing to escape, and to see that costs least."""
    return text if text.isprintable() and '"' not in text and "\\" not in text else text.translate(_JSON_TEXT)


def steps_of(path: str) -> list[Step]:
    """The names and positions of a path, the first a name. Raises `OutOfOrderError` for one that is none."""
    steps: list[Step] = []
    path = path[1:] if path.startswith("$") else f".{path}"
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise OutOfOrderError
        name, position, single, double = found.groups()
        steps.append(int(position) if position else name or _ESCAPE.sub(r"\1", single or double or ""))
        at = found.end()
    if not steps or isinstance(steps[0], int) or len(steps) > _MAX_DEPTH:
        raise OutOfOrderError
    return steps
