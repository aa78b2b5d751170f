"""HTML that cannot be broken out of: whatever is not markup made here is escaped when it becomes part of some.

Knows: elements, attributes and characters. Must not know: any page.
"""

from html import escape

from weft.cli.words import one_line

_VOID = frozenset({"meta", "input", "link"})


class Html(str):
    """Markup. All other strings are content."""

    __slots__ = ()


def tag(element: str, *children: str | None, **attributes: object) -> Html:
    """An element. `class_` is class and `data_x` is data-x; an attribute that is None or False is left out, True stands alone."""
    words = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    closing = "" if element in _VOID else f"</{element}>"
    return Html(f"<{element}{words}>{joined(*children)}{closing}")


def joined(*children: str | None) -> Html:
    """Several pieces, one after the other."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children if child))


def seen(text: str, most: int) -> str:
    """A text from outside as it is to be seen: control characters and those that turn the direction are written out, a long one is cut."""
    cut = text[:most]
    shown = cut if cut.isprintable() else "\n".join(map(one_line, cut.split("\n")))
    return f"{shown}… and {len(text) - most:,} more" if len(text) > most else shown
