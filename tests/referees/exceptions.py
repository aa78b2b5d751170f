"""Where a referee's word does not hold: the reader of exceptions.toml.

Knows the file's rules and the shape of an answer; must not know how answers are got, nor what Weft says.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .cases import Case

FILE = Path(__file__).with_suffix(".toml")
EVERYTHING = "*"


@dataclass(frozen=True)
class Reservation:
    """One entry of the file: to which answers it applies, and which of their fields are then no oracle."""

    protocol: str
    modes: tuple[str, ...]
    fields: frozenset[str]
    reason: str
    right: str
    rows: frozenset[str] = frozenset()
    error: tuple[str, str] | None = None
    note: str | None = None

    def applies(self, case: Case, answer: dict[str, Any]) -> bool:
        if case.protocol != self.protocol or case.mode not in self.modes:
            return False
        return case.id in self.rows or self.note in answer["notes"] or self._fails_so(answer["error"])

    def _fails_so(self, error: dict[str, Any] | None) -> bool:
        if self.error is None or error is None:
            return False
        kind, message = self.error
        return error["class"] == kind and message in str(error["message"])


@cache
def reservations() -> tuple[Reservation, ...]:
    """All entries of the file."""
    return tuple(map(_read, tomllib.loads(FILE.read_text(encoding="utf-8"))["exception"]))


def _read(entry: dict[str, Any]) -> Reservation:
    error = entry.get("error")
    return Reservation(
        protocol=entry["protocol"],
        modes=tuple(entry["modes"]),
        fields=frozenset(entry["fields"]),
        reason=entry["reason"],
        right=entry["right"],
        rows=frozenset(entry.get("rows", ())),
        error=(error["class"], error["message"]) if error else None,
        note=entry.get("note"),
    )


@cache
def agreed_failures() -> frozenset[tuple[str, str]]:
    """Protocols and error classes with which an SDK rightly fails on a stream that carried an error."""
    return frozenset((entry["protocol"], entry["error"]) for entry in tomllib.loads(FILE.read_text())["agreed"])


def applying(case: Case, answer: dict[str, Any]) -> Iterator[Reservation]:
    """The entries that apply to one answer."""
    return (entry for entry in reservations() if entry.applies(case, answer))


def oracle_fields(case: Case, answer: dict[str, Any], fields: frozenset[str]) -> frozenset[str]:
    """Of `fields`, those about which this answer is to be believed."""
    excused = frozenset[str]().union(*(entry.fields for entry in applying(case, answer)))
    return frozenset() if EVERYTHING in excused else fields - excused
