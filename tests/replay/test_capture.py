"""Capture files and bare bodies: what is read is what came."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.replay.capture import Capture, CaptureError, Chunk, captures_in, frames_of, load, written

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"

HEAD = b'{"capture":1,"headers":{"content-type":"text/event-stream"},"protocol":"anthropic"}\n'


def test_capture_file_has_pieces_and_times(tmp_path: Path):
    file = tmp_path / "kite.capture.jsonl"
    file.write_bytes(
        HEAD + b'{"at":0.5,"text":"data: {}\\n\\n"}\n{"at":0.75,"base64":"/wA="}\n{"at":1.0,"end":"cut"}\n'
    )
    [capture] = captures_in([file])
    assert Capture(
        name="kite", protocol="anthropic", headers={"content-type": "text/event-stream"}, cut=True,
        chunks=(Chunk(0.5, b"data: {}\n\n"), Chunk(0.75, b"\xff\x00")),
    ) == capture  # fmt: skip


@given(st.lists(st.tuples(st.floats(0, 1e6), st.binary(max_size=40))), st.booleans())
def test_capture_that_is_written_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[float, bytes]], cut: bool
):
    capture = Capture(
        name="x", chunks=tuple(Chunk(at, data) for at, data in told), protocol="gemini", status=503, cut=cut
    )
    file = tmp_path_factory.mktemp("captures") / "x.capture.jsonl"
    file.write_bytes(written(capture))
    assert capture == load(file, "x")


def test_bare_body_comes_frame_by_frame_at_its_pace(tmp_path: Path):
    (tmp_path / "a.sse").write_bytes(b'data: {"type":"message_start"}\n\ndata: {"type":"message_stop"}\n\n')
    [capture] = captures_in([tmp_path / "a.sse"], pace=0.5)
    assert (
        Chunk(0.0, b'data: {"type":"message_start"}\n\n'),
        Chunk(0.5, b'data: {"type":"message_stop"}\n\n'),
    ) == capture.chunks
    assert "anthropic" == capture.protocol


def test_sizes_beside_a_body_are_its_pieces(tmp_path: Path):
    (tmp_path / "a.sse").write_bytes(b"data: {}\n\ndata: {}\n\n")
    (tmp_path / "a.chunks.json").write_bytes(b"[3,4]")
    [capture] = captures_in([tmp_path])
    assert [b"dat", b"a: {", b"}\n\ndata: {}\n\n"] == [chunk.data for chunk in capture.chunks]


def test_frames_of_every_fixture_join_to_its_body():
    bodies = [file.read_bytes() for file in FIXTURES.rglob("*") if file.suffix in {".sse", ".ndjson", ".eventstream"}]
    assert bodies
    assert bodies == [b"".join(frames_of(body)) for body in bodies]


def test_folder_names_its_captures_by_path_and_leaves_goldens_out():
    names = {capture.name for capture in captures_in([FIXTURES])}
    assert "fixtures/anthropic/text" in names
    assert "fixtures/anthropic+bedrock/claude" in names
    assert [] == [name for name in names if name.endswith((".events", ".targets"))]


def test_every_fixture_of_a_provider_is_told_by_its_bytes():
    told = {capture.name: capture.protocol for capture in captures_in([FIXTURES / "anthropic", FIXTURES / "gemini"])}
    assert {"anthropic", "gemini"} == {
        (told[name] or "").partition("/")[0] for name in ("anthropic/text", "gemini/tools")
    }


def test_error_body_has_the_status_that_it_means(tmp_path: Path):
    (tmp_path / "e.json").write_bytes(b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}')
    [capture] = captures_in([tmp_path])
    assert 503 == capture.status


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.capture.jsonl", b"{}", "is no capture"),
        ("a.capture.jsonl", b"", "is no capture"),
        ("a.capture.jsonl", HEAD + b'{"at":-1}', "is no capture"),
        ("a.capture.jsonl", HEAD + b'{"at":1,"base64":"*"}', "is no capture"),
        ("a.chunks.json", b'["x"]', "no list of sizes"),
    ],
)
def test_what_is_no_capture_is_told_by_its_path(tmp_path: Path, name: str, content: bytes, word: str):
    (tmp_path / "a.sse").write_bytes(b"data: {}\n\n")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CaptureError, match=word) as refused:
        captures_in([tmp_path])
    assert name in str(refused.value)


@pytest.mark.parametrize(
    ("name", "word"), [("morse", "there is no protocol 'morse'"), ("text", "can be written, not read")]
)
def test_what_is_said_to_be_of_a_protocol_that_nobody_reads_is_refused(tmp_path: Path, name: str, word: str):
    """It was served until somebody asked for it in another protocol."""
    (tmp_path / "a.sse").write_bytes(b"data: {}\n\n")
    (tmp_path / "b.capture.jsonl").write_bytes(f'{{"capture":1,"protocol":"{name}"}}\n'.encode())
    with pytest.raises(CaptureError, match=word):
        captures_in([tmp_path / "a.sse"], protocol=name)
    with pytest.raises(CaptureError, match=word):
        captures_in([tmp_path / "b.capture.jsonl"])


def test_missing_file_and_empty_folder_are_told(tmp_path: Path):
    with pytest.raises(CaptureError, match="cannot read"):
        captures_in([tmp_path / "nothing.sse"])
    with pytest.raises(CaptureError, match="holds no recorded streams"):
        captures_in([tmp_path])
