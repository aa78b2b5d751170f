"""Recorded streams: the sniffer finds their framing, no cut changes what is told, and nothing is lost."""

import json
import random

import pytest

from tests.framing.told import Fault, cut, tell
from weft.framing import Sniffer

SUFFIXES = {"sse": ".sse", "ndjson": ".ndjson", "aws": ".eventstream"}


@pytest.mark.parametrize("default", SUFFIXES)
def test_recorded_streams_are_told_the_same_whatever_the_cuts(corpus, default):
    paths = sorted(corpus.rglob("*" + SUFFIXES[default]))
    assert paths
    for path in paths:
        data = path.read_bytes()
        whole = tell(Sniffer, data, default=default)
        chance = random.Random(len(data))
        assert whole == tell(Sniffer, *cut(data, chance.choices(range(len(data) + 1), k=40)), default=default), (
            path.name
        )
        assert whole == tell(Sniffer, *[data[at : at + 7] for at in range(0, len(data), 7)], default=default), path.name


def test_recorded_streams_have_a_frame_for_each_data_line(corpus):
    """Where a frame is one data line, as it nearly always is, a plain look at the lines is a second opinion."""
    checked = 0
    for path in sorted(corpus.rglob("*.sse")):
        stream = path.read_bytes().lstrip().replace(b"\r\n", b"\n")
        several = any(
            1 < sum(line.startswith(b"data:") for line in frame.split(b"\n")) for frame in stream.split(b"\n\n")
        )
        raw = any(line.startswith((b"{", b"[")) for line in stream.split(b"\n"))
        if several or raw or not stream.endswith(b"\n\n"):
            continue
        fields = [line.partition(b":") for line in stream.split(b"\n") if line.startswith((b"data:", b"error: {"))]
        expected = [value.removeprefix(b" ") for _, _, value in fields if value.strip()]
        assert expected == tell(Sniffer, path.read_bytes()).payloads, path.name
        checked += 1
    assert checked > 100


def test_recorded_replies_of_one_object_are_one_frame(corpus):
    for path in sorted(corpus.rglob("nonstream/*.json")):
        data = path.read_bytes()
        if isinstance(json.loads(data), dict):
            told = tell(Sniffer, data)
            assert [json.loads(data)] == [json.loads(payload) for payload in told.payloads], path.name
            assert [] == [item for item in told if isinstance(item, Fault)], path.name
