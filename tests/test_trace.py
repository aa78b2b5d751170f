"""Both sides of a conversion, raw, with a bound on what is kept."""

import weft
from tests.protocols.wire import sse
from weft.errors import make_error
from weft.trace import Traced, TraceRecord

HELLO = sse({"id": "c1", "choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]})


def traced(pieces, **bounds):
    records: list[TraceRecord] = []
    pipe = Traced(weft.Pipe("openai-chat", "text"), records.append, **bounds)
    out = [pipe.feed(piece) for piece in pieces]
    return [*out, pipe.close()], records


def test_each_side_is_recorded_as_it_came_and_went():
    out, records = traced([HELLO[:20], HELLO[20:]])
    assert (HELLO, b"".join(out)) == tuple(
        b"".join(record.data for record in records if record.side == side) for side in ("raw", "transformed")
    )
    assert [("raw", 0, 20), ("raw", 20, len(HELLO) - 20), ("transformed", 0, 2)] == [
        (record.side, record.offset, record.size) for record in records[:3]
    ]


def test_the_output_is_the_pipes_own():
    out, _ = traced([HELLO])
    assert weft.convert(HELLO, "openai-chat", "text") == b"".join(out)


def test_a_record_keeps_no_more_than_its_bound_and_says_how_much_there_was():
    _, records = traced([HELLO], payload=10)
    assert (HELLO[:10], len(HELLO), True) == (records[0].data, records[0].size, records[0].cut)


def test_all_records_together_keep_no_more_than_theirs():
    _, records = traced([HELLO] * 100, payload=100, total=150)
    assert 150 == sum(len(record.data) for record in records)
    assert 100 == sum(record.side == "raw" for record in records)


def test_parsed_frames_and_a_failure_are_recorded_too():
    records: list[TraceRecord] = []
    pipe = Traced(weft.Pipe("openai-chat", "stream-event-v1"), records.append)
    pipe.feed_object({"choices": []})
    pipe.close(make_error("transport"))
    assert b'{"choices":[]}' == records[0].data
    assert b'"TransportError"' in records[-1].data
    assert "failed" == pipe.pipe.outcome
