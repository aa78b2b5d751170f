"""Where a text may be cut without breaking what people see as one character.

Knows: combining marks, joiners, syllables, flags, line ends. Must not know: why it is cut.
"""

import unicodedata
from typing import Final

LOOK_BACK: Final = 64
"""Clusters longer than this are cut: nobody writes them, and a search has to end."""

_JOINER: Final = "\u200d"
_FLAG_LETTERS: Final = ("\U0001f1e6", "\U0001f1ff")
_SKIN_TONES: Final = ("\U0001f3fb", "\U0001f3ff")
_SYLLABLE_PARTS: Final = ("\u1160", "\u11ff")
_VIRAMA: Final = 9
"""The class of the marks that tie a letter of an Indic script to the next one."""


def cluster_start(text: str, at: int, following: str) -> int:
    """The last place up to `at`, but after 0, that is not inside a cluster. `following` is what comes after the text."""
    for place in range(at, max(0, at - LOOK_BACK), -1):
        after = text[place] if place < len(text) else following
        if not _joined(text, place, after):
            return place
    return at


def _joined(text: str, place: int, after: str) -> bool:
    """Do the characters on both sides of this place belong together?"""
    before = text[place - 1]
    if _JOINER in (after, before) or unicodedata.category(after).startswith("M"):
        return True
    if _SYLLABLE_PARTS[0] <= after <= _SYLLABLE_PARTS[1] or unicodedata.combining(before) == _VIRAMA:
        return True
    if _SKIN_TONES[0] <= after <= _SKIN_TONES[1] or (before == "\r" and after == "\n"):
        return True
    return _is_flag(after) and _is_flag(before) and _flags_before(text, place) % 2 == 1


def _is_flag(char: str) -> bool:
    return _FLAG_LETTERS[0] <= char <= _FLAG_LETTERS[1]


def _flags_before(text: str, place: int) -> int:
    """How many letters of flags stand in a row before this place; two are a flag."""
    count = 0
    while count < min(place, LOOK_BACK) and _is_flag(text[place - 1 - count]):
        count += 1
    return count
