"""Tables that grow as their rows are measured, and the rows that miss their goal.

Knows: text. Must not know what is measured.
"""

from collections.abc import Sequence

MISSED: list[str] = []
"""What every table said OVER or UNDER of, in words."""


class Table:
    """Prints its title at once and each row when it is known. A column is its name and its width."""

    def __init__(self, title: str, *columns: tuple[str, int]) -> None:
        self._title = title
        self._widths = [width for _, width in columns]
        print(f"\n{title}", flush=True)
        self.row(*(name for name, _ in columns))
        self.row(*("-" * len(name) for name, _ in columns))

    def row(self, *cells: str) -> None:
        """One row."""
        print(
            "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, self._widths, strict=True)).rstrip(),
            flush=True,
        )

    def judged(self, cells: Sequence[str], value: float, goal: float, unit: str = "") -> str:
        """A value with its goal, which is the most that it may be; remembered if it is more."""
        good = value <= goal
        if not good:
            MISSED.append(f"{self._title}: {', '.join(cells)}: {value:.2f}{unit}, goal {goal}{unit}")
        return f"{value:.2f}{unit} {'ok' if good else 'OVER'} (goal {goal}{unit})"


def tell_missed() -> None:
    """What is to be known when all is done."""
    if MISSED:
        print(f"\nThese miss their goal in this run, or could not be measured ({len(MISSED)}):")
        for line in MISSED:
            print(f"  {line}")
    else:
        print("\nEvery row is within its goal.")
