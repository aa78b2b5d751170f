"""What holds for every framer and any bytes: cuts change nothing, nothing raises, work and memory are bounded."""

import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.framing.told import ALL, PIECES, Fault, Frame, aws_event, bytewise, cut, listen, tell, tell_in_two
from weft.framing import FRAMERS, SSE

LIMITS = st.sampled_from([1 << 20, 1 << 20, 17, 40, 90])
CUTS = st.lists(st.integers(0, 400), max_size=4)
PAYLOADS = st.lists(st.sampled_from([b'{"n":1}', b"[DONE]", b"plain", '{"t":"…\u2028"}'.encode(), b": x"]), max_size=8)
NAMES = st.sampled_from(["", "message", "content_block_delta"])


def streams(name):
    pieces = st.lists(st.sampled_from(PIECES[name]) | st.binary(max_size=3), max_size=16)
    return pieces.map(b"".join)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=400)
@given(data=st.data())
def test_cuts_change_nothing_and_no_bytes_raise(name, data):
    stream, limit = data.draw(streams(name)), data.draw(LIMITS)
    options = {"default": data.draw(st.sampled_from(list(FRAMERS)))} if name == "sniff" else {}
    # One byte at a time no framer sees a frame whole: this is its format, the others are its fast paths against it.
    whole = tell_in_two(ALL[name], bytewise(stream), limit=limit, **options)
    assert whole == tell_in_two(ALL[name], [stream], limit=limit, **options)
    assert whole == tell_in_two(ALL[name], cut(stream, data.draw(CUTS)), limit=limit, **options)


@pytest.mark.parametrize("name", ALL)
@given(stream=st.binary(max_size=300), cuts=CUTS)
def test_garbage_never_raises(name, stream, cuts):
    assert tell(ALL[name], stream) == tell(ALL[name], *cut(stream, cuts))


@given(frames=st.lists(st.tuples(NAMES, PAYLOADS), max_size=6), end=st.sampled_from([b"\n", b"\r\n", b"\r"]), cuts=CUTS)
def test_what_was_written_as_sse_is_read_back(frames, end, cuts):
    lines = []
    for name, payloads in frames:
        lines += [b"event: " + name.encode()] if name else [b": ping"]
        lines += [b"data: " + payload for payload in payloads]
        lines += [b""]
    stream = b"".join(line + end for line in lines)
    expected = [(b"\n".join(payloads), name) for name, payloads in frames if payloads]
    assert expected == tell(SSE, *cut(stream, cuts)).frames


@pytest.mark.parametrize("name", ["sse", "ndjson"])
@settings(max_examples=300)
@given(data=st.data())
def test_the_kind_of_line_end_changes_no_frame(name, data):
    stream = data.draw(streams(name)).replace(b"\r", b"")
    expected = tell(ALL[name], stream)
    for end in (b"\r\n", b"\r"):
        told = tell(ALL[name], stream.replace(b"\n", end))
        assert (expected.frames, expected.faults) == (told.frames, told.faults)


@given(frames=st.lists(st.sampled_from(["data: 1", "event: x\ndata: 2", "data: 3\ndata: 4"]), max_size=9), cuts=CUTS)
def test_offsets_point_at_the_first_byte_of_a_frame(frames, cuts):
    stream = "".join(frame + "\n\n" for frame in frames).encode()
    expected = [
        stream.index(frame.encode(), len("".join(f + "\n\n" for f in frames[:i]))) for i, frame in enumerate(frames)
    ]
    assert expected == tell(SSE, *cut(stream, cuts)).offsets


@pytest.mark.parametrize("name", FRAMERS)
@given(data=st.data())
def test_nothing_is_told_after_a_fatal_fault(name, data):
    told = tell(ALL[name], *cut(data.draw(streams(name)), data.draw(CUTS)), limit=data.draw(st.integers(1, 30)))
    assert [] == [item for item in told[:-1] if isinstance(item, Fault) and item.fatal]


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
def test_the_end_is_taken_once(name, data):
    framer, told = listen(ALL[name])
    framer.feed(data.draw(streams(name)))
    framer.close()
    before = list(told)
    framer.close()
    assert before == told


@pytest.mark.parametrize("name", FRAMERS)
@given(data=st.data())
def test_frames_are_told_in_the_order_of_the_input(name, data):
    offsets = [item.offset for item in tell(ALL[name], data.draw(streams(name))) if isinstance(item, Frame)]
    assert sorted(set(offsets)) == offsets


def in_reads(size):
    return lambda data: [data[at : at + size] for at in range(0, len(data), size)]


def in_one(data):
    return [data]


# What a careless reader does in quadratic time: the input of n pieces, and how it is read.
SHAPES = {
    "sse: a long line": ("sse", lambda n: b"data: " + b"x" * n * 50 + b"\n\n", in_reads(64)),
    "sse: many data lines": ("sse", lambda n: b"data: 12345678\n" * n + b"\n", in_reads(64)),
    "sse: a long line behind a name": (
        "sse",
        lambda n: b"event: x\nid: 3\ndata: " + b"x" * n * 50 + b"\n\n",
        in_reads(64),
    ),
    "sse: odd frames in one read": ("sse", lambda n: b"data:1\n\ndata: 2\n\nid: 1\ndata: 3\n\n" * n, in_one),
    "sse: blank lines": ("sse", lambda n: b"data: 1\n\n" + b"\n" * n * 9, in_one),
    "sse: comments": ("sse", lambda n: b": ping\n" * n, in_reads(64)),
    "sse: a carriage return before many line feeds": ("sse", lambda n: b"\r" + b"data: 1\n\n" * n, in_one),
    "sse: line feeds before a CRLF": ("sse", lambda n: b"data: 1\n\n" * n + b"data: 2\r\n\r\n", in_one),
    "sse: raw JSON over many lines": ("sse", lambda n: b'{"a":[\n' + b'"x",\n' * n + b"1]}\n", in_reads(64)),
    "sse: raw JSON that stays open": ("sse", lambda n: b'{"a":[\n' + b"data: 1\n\n" * n, in_one),
    "ndjson: a long line": ("ndjson", lambda n: b'{"a":"' + b"x" * n * 50 + b'"}\n', in_reads(64)),
    "ndjson: many objects on a line": ("ndjson", lambda n: b'{"a":1}' * n + b"\n", in_one),
    "ndjson: an object over many lines": (
        "ndjson",
        lambda n: b'{"a":[\n' + b" " * 70 + b"\n" * n + b"]}\n",
        in_reads(64),
    ),
    "ndjson: odd lines in one read": ("ndjson", lambda n: b'{"a":{}}{}\ntext\n' * n, in_one),
    "json_array: a long string": ("json_array", lambda n: b'[{"a":"' + b"x\\\\" * n * 20 + b'"}]', in_reads(64)),
    "json_array: many brackets": ("json_array", lambda n: b"[" + b'[{"a":"b"}],' * n + b"]", in_one),
    "json_array: a deep value": ("json_array", lambda n: b"[" + b"[" * n * 2 + b"]" * n * 2 + b"]", in_reads(64)),
    "aws: a long frame": ("aws", lambda n: aws_event(b"x", b"x" * n * 50), in_reads(64)),
    "aws: many frames in one read": ("aws", lambda n: aws_event(b"x", b"{}") * n, in_one),
    "sniff: white space": ("sniff", lambda n: b" " * n * 20, in_reads(16)),
}


def seconds(name, reads):
    """CPU time, the least of three: what else the machine does is not ours."""
    spent = []
    for _ in range(3):
        begin = time.process_time()
        tell(ALL[name], *reads)
        spent.append(time.process_time() - begin)
    return min(spent)


@pytest.mark.parametrize("shape", SHAPES)
def test_eight_times_the_input_takes_about_eight_times_as_long(shape):
    """Quadratic work would take 64 times as long; a noisy machine is asked again before it is believed."""
    name, make, read = SHAPES[shape]
    small_reads, large_reads = read(make(500)), read(make(4000))
    seconds(name, small_reads)
    ratios = []
    for _ in range(5):
        small, large = seconds(name, small_reads), seconds(name, large_reads)
        ratios.append((large - 0.002) / max(small, 1e-6))
        if ratios[-1] < 24:
            return
    raise AssertionError(f"{ratios} times as long")


ENDLESS = {
    "sse: a line": ("sse", b"data: ", b"x" * 4096),
    "sse: data lines": ("sse", b"", b"data: x\n" * 512),
    "sse: comment lines": ("sse", b"", b":\n" * 2048),
    "sse: raw JSON": ("sse", b'{"a":[\n', b'"x",\n' * 800),
    "ndjson: a line": ("ndjson", b'{"a":"', b"x" * 4096),
    "ndjson: a value": ("ndjson", b'{"a":[\n', b"1,\n" * 1200),
    "json_array: a value": ("json_array", b"[[", b"1," * 2048),
    "json_array: a word": ("json_array", b"[", b"1" * 4096),
    "sniff: a page": ("sniff", b"<", b"x" * 4096),
}


@pytest.mark.parametrize("shape", ENDLESS)
def test_a_frame_without_end_takes_no_more_memory_than_the_limit_allows(shape):
    name, head, read = ENDLESS[shape]
    limit = 1 << 18
    framer, told = listen(ALL[name], limit=limit)
    tracemalloc.start()
    framer.feed(head)
    for _ in range(3 * limit // len(read)):
        framer.feed(read)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.5 * limit  # a growing buffer is moved now and then, and is there twice meanwhile
    assert ([] if name == "sniff" else [("frame_too_large", True)]) == told.faults
