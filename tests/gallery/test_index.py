"""The index of the gallery: every failure that was collected has a test here, or a reason why no stream can show it."""

import importlib.util
from collections import Counter

from tests.gallery.shown import FIXTURES

_spec = importlib.util.spec_from_file_location("gallery", FIXTURES.parent / "tools" / "gallery.py")
assert _spec is not None
assert _spec.loader is not None
gallery = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(gallery)

MODES = {
    "A": 27,
    "B": 16,
    "C": 14,
    "D": 12,
    "E": 17,
    "F": 11,
    "G": 10,
    "H": 10,
    "I": 10,
    "J": 7,
    "K": 11,
    "L": 4,
    "M": 7,
}
"""How many modes each group has."""

STARRED = "A1 A2 A3 A4 A7 A9 A12 C1 C2 D1 D3 E1 E3 F1 F2 F5 F7 G1 G2 H1 I1 I4".split()
"""The most frequent and the most painful: each has its bytes in `fixtures/`."""

NOT_HERE = {
    "E9": "Two writers on one socket: one writer with whole frames is the gateway's; what a pipe gives is whole frames.",
    "E10": "Proxies that buffer: headers and flushing are the gateway's.",
    "E12": "A decompressor that is made anew for each read: bytes come here decompressed.",
    "G9": "A provider refuses `stream_options`: what is asked for is the request's.",
    "H10": "Silence while the source thinks: a ping at an interval needs a clock, which the gateway has.",
    "K9": "Resuming after a reload: a store, and cursors into it, are the gateway's.",
    "M1": "The time to the first piece is told as the whole time: spans need a clock, which the gateway has.",
    "M2": "A span ends with the headers, or a stream that broke off ends well: spans are the gateway's; how it ended is the terminal's.",
    "M3": "A stream is logged with no tokens at all: logs are the gateway's; the counts are the terminal's.",
    "M4": "A span and the one around it count the same tokens: spans are the gateway's.",
    "M5": "The context of a span is lost when the consumer leaves: spans are the gateway's.",
}
"""What is no matter of reading or writing a stream, and whose it is."""

CASES = gallery.cases()


def test_every_mode_is_tested_or_elsewhere():
    tested = {case.mode for case in CASES}
    modes = {f"{group}{number}" for group, count in MODES.items() for number in range(1, count + 1)}
    assert set() == tested & NOT_HERE.keys()
    assert modes == tested | NOT_HERE.keys()


def test_every_test_stands_with_its_group():
    assert [] == [case.name for case in CASES if not case.file.startswith(f"test_{case.mode[0].lower()}_")]


def test_every_test_says_what_it_shows_and_where_it_was_seen():
    assert [] == [case.name for case in CASES if not case.what.endswith(".")]
    assert {"B15", "H8"} == {case.mode for case in CASES if not case.seen}


def test_names_tell_tests_apart():
    assert [] == [name for name, count in Counter(case.name for case in CASES).items() if count > 1]


def test_starred_modes_have_a_fixture_that_their_test_reads():
    for mode in STARRED:
        prefix = f"{mode[0].lower()}{int(mode[1:]):02}"
        [path] = FIXTURES.glob(f"*/{prefix}-*.events.jsonl")
        raw = f"{path.parent.name}/{path.name.removesuffix('.events.jsonl')}."
        [file] = {case.file for case in CASES if case.mode == mode}
        assert raw.rpartition("/")[2] in (gallery.GALLERY / file).read_text(encoding="utf-8"), raw
