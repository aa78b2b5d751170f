"""An adapter that somebody writes: what it may return, what it may get wrong, and how its stream ends."""

import subprocess
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

import weft
from tests.adapters.parrot import STREAM, ParrotAdapter, Squawk
from weft.adapters import ChunkReader, StreamAdapter, aprocess, process
from weft.chunks import FunctionCall, ProcessedChunk, ProviderError, ThoughtLogEntry
from weft.testing import LawBrokenError, check_adapter

HI = ProcessedChunk("text", "Hi")
DONE = ProcessedChunk("done")


class Saying(StreamAdapter):
    """Raw chunks are what it returns, or raises."""

    def process_chunk(self, raw):
        if isinstance(raw, Exception):
            raise raw
        return raw


def told(*raws, error=None) -> list[ProcessedChunk]:
    reader = ChunkReader(Saying())
    return [chunk for raw in raws for chunk in reader.feed(raw)] + reader.close(error)


def test_the_example_is_told():
    chunks = list(process(STREAM, ParrotAdapter()))
    assert [
        ProcessedChunk("text", "", thoughts=[ThoughtLogEntry("raw", "Hm.")]),
        ProcessedChunk("text", "Polly wants"),
        ProcessedChunk("text", " a cracker."),
        ProcessedChunk("function_call", function_call=FunctionCall("fetch", {"what": "cracker"})),
        ProcessedChunk("done", metadata={"finishReason": "stop"}),
    ] == chunks


def test_the_example_keeps_the_laws():
    assert 2 == check_adapter(ParrotAdapter, [STREAM, [{"say": "Polly"}, {"bye": "tired"}]])


def test_one_many_or_none_may_be_returned():
    assert [HI, HI, HI, DONE] == told(HI, None, (), [HI, HI], DONE)


def test_a_stream_without_an_end_is_truncated():
    chunks = told(HI)
    assert ["text", "error"] == [chunk.type for chunk in chunks]
    assert ("truncated", True) == (chunks[-1].error.code, chunks[-1].error.retryable)


def test_an_adapter_may_say_at_the_end_that_it_was_the_end():
    class Silent(Saying):
        def finish(self, error=None):
            return super().finish(error) or DONE

    assert [HI, DONE] == list(process([HI], Silent()))


def test_done_waits_for_what_follows_and_is_said_once():
    """The seed: the orchestrator records the metadata and goes on."""
    first = ProcessedChunk("done", metadata={"finishReason": "stop"}, thoughts=[ThoughtLogEntry("raw", "a")])
    usage = ProcessedChunk("done", metadata={"usage": {"inputTokens": 3}}, serving_provider="p")
    end = ProcessedChunk(
        "done",
        thoughts=[ThoughtLogEntry("raw", "a")],
        serving_provider="p",
        metadata={"finishReason": "stop", "usage": {"inputTokens": 3}},
    )
    assert [HI, end] == told(first, usage, HI)


def test_nothing_follows_an_error():
    error = ProcessedChunk("error", error=ProviderError("rate_limit", "No.", "429", True))
    assert [HI, error] == told(HI, [error, HI], HI, DONE)


def test_an_error_after_done_brings_its_metadata():
    error = ProcessedChunk("error", error=ProviderError("api_error", "No.", "x", False), metadata={"a": 1})
    assert {"b": 2, "a": 1} == told(ProcessedChunk("done", metadata={"b": 2}), error)[-1].metadata


def test_a_line_that_breaks_after_done_harms_nothing():
    assert [HI, DONE] == told(HI, DONE, error=ConnectionResetError("peer went away"))


def test_what_the_source_raises_is_classified_by_the_adapter():
    def source():
        yield {"say": "Pol"}
        raise Squawk("hungry")

    *_, last = process(source(), ParrotAdapter())
    assert ("error", "rate_limit", "hungry", True) == (
        last.type, last.error.type, last.error.code, last.error.retryable,
    )  # fmt: skip
    assert isinstance(last.error.original_error, Squawk)


def test_what_an_sdk_raises_within_the_adapter_is_classified_too():
    class Strict(ParrotAdapter):
        def process_chunk(self, raw):
            raise Squawk("angry")

    *_, last = process(STREAM, Strict())
    assert ("api_error", "angry") == (last.error.type, last.error.code)


@pytest.mark.parametrize("mistake", [KeyError("say"), TypeError("no"), AttributeError("x")])
def test_a_mistake_of_the_adapter_is_an_error_and_no_network_fault(mistake):
    chunks = told(HI, mistake, HI)
    assert ["text", "error"] == [chunk.type for chunk in chunks]
    assert ("adapter_failed", mistake) == (chunks[-1].error.code, chunks[-1].error.original_error)


def test_what_is_no_chunk_is_a_mistake():
    assert ["adapter_failed"] == [chunk.error.code for chunk in told("Hi") if chunk.error]


def test_a_handler_that_fails_is_replaced():
    class Broken(Saying):
        def handle_provider_error(self, error):
            raise RuntimeError("oh")

    reader = ChunkReader(Broken())
    assert "timeout" == reader.close(TimeoutError())[-1].error.type


@pytest.mark.anyio
async def test_an_async_stream_is_told_the_same():
    async def source():
        for raw in STREAM:
            yield raw

    assert list(process(STREAM, ParrotAdapter())) == [chunk async for chunk in aprocess(source(), ParrotAdapter())]


@pytest.mark.anyio
async def test_whoever_leaves_an_async_stream_closes_its_source():
    """K2: `break` left the upstream to the garbage collector."""
    left: list[str] = []

    async def source():
        try:
            yield {"say": "Pol"}
            yield {"say": "ly"}
        finally:
            left.append("source")

    async with aclosing(aprocess(source(), ParrotAdapter())) as chunks:
        async for chunk in chunks:
            assert "Pol" == chunk.content
            break
    assert ["source"] == left


@pytest.mark.anyio
async def test_an_async_source_that_raises_ends_in_an_error():
    async def source():
        yield {"say": "Pol"}
        raise Squawk("hungry")

    chunks = [chunk async for chunk in aprocess(source(), ParrotAdapter())]
    assert ["text", "error"] == [chunk.type for chunk in chunks]


def test_an_adapter_has_to_process_chunks():
    with pytest.raises(TypeError, match="process_chunk"):
        StreamAdapter()


@pytest.mark.parametrize("chunk", [("text",), ("function_call",), ("error",), ("other", "x")])
def test_a_chunk_that_lacks_what_its_type_names_cannot_be_made(chunk):
    with pytest.raises(ValueError, match="ProcessedChunk"):
        ProcessedChunk(*chunk)


def test_adapters_of_other_packages_are_found_by_name(tmp_path):
    """A real distribution on the path, asked for in a fresh interpreter."""
    example = Path(__file__).parent.parent.parent / "examples" / "parrot_adapter.py"
    (tmp_path / "parrot_adapter.py").write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    info = tmp_path / "parrot-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[weft.adapters]\nparrot = parrot_adapter:ParrotAdapter\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import weft\n"
        "from weft.adapters import adapter_names, process\n"
        "assert {'parrot', 'anthropic'} <= set(adapter_names())\n"
        "factory = weft.adapter_for('parrot')\n"
        "assert factory() is not factory()\n"
        "assert ['Hi'] == [c.content for c in process([{'say': 'Hi'}, {'bye': 'done'}], factory()) if c.content]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_names_that_nobody_knows_are_refused_at_once():
    with pytest.raises(ValueError, match="anthropic"):
        weft.adapter_for("antropic")
    with pytest.raises(ValueError, match="target only"):
        weft.adapter_for("vscode")


# -- the laws find out who breaks them ---------------------------------------------------------------------------------


class Shared(Saying):
    """Bug 13 of the real system: state that outlives the attempt."""

    count = 0

    def process_chunk(self, raw):
        Shared.count += 1
        return ProcessedChunk("text", str(Shared.count)) if raw != "end" else DONE


class Early(Saying):
    def process_chunk(self, raw):
        return [HI, DONE]


class Raises(Saying):
    def process_chunk(self, raw):
        return raw["nothing"]


class Tells(Saying):
    def create_error_description(self, error, locale="en"):
        return str(error.original_error)


class Careless(Saying):
    def handle_provider_error(self, error):
        return ProviderError("api_error", "No.", "", False)


@pytest.mark.parametrize(
    ("broken", "sample", "words"),
    [
        (Shared, ["a", "end"], "second attempt"),
        (Early, ["a", "b"], "told as done"),
        (Raises, [{}], "raised on a chunk"),
        (Tells, [DONE], "credential"),
        (Careless, [DONE], "a code"),
    ],
)
def test_an_adapter_that_breaks_a_law_is_found_out(broken, sample, words):
    with pytest.raises(LawBrokenError, match=words):
        check_adapter(broken, [sample])


def test_no_sample_is_no_proof():
    with pytest.raises(LawBrokenError, match="no sample"):
        check_adapter(ParrotAdapter, [])
