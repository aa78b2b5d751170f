"""What nearly all frames of a source are is read by a smaller type: nothing that is said may depend on that."""

import pytest

from tests.encoders.test_pairs import fixtures_of, named
from weft.protocol import BUILT_IN, resolve
from weft.reader import Reader

QUICK = [name for name in BUILT_IN if getattr(resolve(name)[0].decoder, "usual", None)]
CASES = [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for name in QUICK for path in fixtures_of(name)]
ANTHROPIC = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":%b}\n\n'
OLLAMA = b'{"model":"m","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant",%b},"done":false}\n'


def events_of(data: bytes, protocol: str, size: int) -> list:
    events: list = []
    reader = Reader(protocol, events.append)
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    reader.close()
    return events


def slowly(monkeypatch, data: bytes, protocol: str, size: int) -> list:
    """The events where every frame is read by the type that takes all."""
    with monkeypatch.context() as patch:
        patch.setattr(resolve(protocol)[0].decoder, "usual", {})
        return events_of(data, protocol, size)


@pytest.mark.parametrize("path", CASES)
@pytest.mark.parametrize("size", [1 << 20, 190])
def test_fixtures_are_read_alike(monkeypatch, path, size):
    data, protocol = path.read_bytes(), named(path)
    assert slowly(monkeypatch, data, protocol, size) == events_of(data, protocol, size)


@pytest.mark.parametrize(
    "odd",
    [
        b'{"type":"text_delta","text":7}',
        b'{"type":"text_delta"}',
        b'{"type":"thinking_delta","thinking":"t","signature":"s"}',
        b'{"type":"citations_delta","citation":{"type":"char_location","cited_text":"c"}}',
        b'{"type":"news_delta","text":"b"}',
        b'{"text":"b"}',
        b"null",
        b"{",
    ],
)
@pytest.mark.parametrize("times", [1, 20])
def test_deltas_of_another_form_are_read_alike(monkeypatch, odd, times):
    data = (ANTHROPIC % b'{"type":"text_delta","text":"a"}' + ANTHROPIC % odd) * times
    for size in (1 << 20, 60):
        assert slowly(monkeypatch, data, "anthropic", size) == events_of(data, "anthropic", size)


@pytest.mark.parametrize(
    "odd",
    [
        b'"content":"b","tool_calls":[{"function":{"name":"f","arguments":{"x":1}}}]',
        b'"content":["b"]',
        b'"content":null',
        b'"content":"","thinking":"t"',
        b'"content":"b","channel":"final"',
        b'"content":"b"},"logprobs":[{"token":"b"}],"x":{',
    ],
)
@pytest.mark.parametrize("times", [1, 20])
def test_lines_of_another_form_are_read_alike(monkeypatch, odd, times):
    data = (OLLAMA % b'"content":"a"' + OLLAMA % odd) * times
    for size in (1 << 20, 60):
        assert slowly(monkeypatch, data, "ollama", size) == events_of(data, "ollama", size)


def test_text_between_lines_is_on_no_channel_whichever_type_reads_the_lines(monkeypatch):
    data = OLLAMA % b'"content":"a"' + b"plain words\n" + OLLAMA % b'"content":"b"'
    assert slowly(monkeypatch, data, "ollama", 1 << 20) == events_of(data, "ollama", 1 << 20)
