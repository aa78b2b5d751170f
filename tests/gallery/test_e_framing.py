"""Failures E: transport and framing. One test for each mode that concerns bytes, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import answer, chat, converted, shown
from tests.protocols import bedrock_frames as bedrock
from tests.protocols import gemini_wire as gemini
from tests.protocols import ollama_lines as ollama
from tests.protocols import responses_wire as responses
from tests.protocols.chat_wire import codes, end, text
from tests.protocols.wire import events, message, ndjson, sse
from weft.framing import SSE

WHOLE = answer(text("Hi"), text(" there"))


def test_e01_keep_alives():
    """Comments, an empty `data:`, a ping event, an `id:` line with a comment behind it: none of them is a frame that means something.

    Which keep-alive a client gets is the gateway's. openai/openai-python#2722, coder/coder#28185
    """
    got = message(shown("openai-chat/e01-keep_alives.sse"), "openai-chat")
    assert ("Still here.", "completed", []) == (got.text, got.outcome, got.unknown)


def test_e02_keep_alive_sent_as_data():
    """A keep-alive comes as `data: : PROCESSING`: it is noted, nothing goes out for it, and `last_activity` stays where it was.

    mnfst/llm-gateway#2053, envoyproxy/ai-gateway#2549
    """
    pipe = weft.Pipe("openai-chat", "anthropic")
    pipe.feed(sse(text("Hi")))
    active = pipe.last_activity
    assert b"" == pipe.feed(b"data: : PROCESSING\n\n: ping\n\n")
    assert active == pipe.last_activity
    assert ["keepalive_as_data"] == [note.code for note in pipe.notes]


def test_e03_characters_cut_by_reads():
    """A character of several bytes comes in two reads: at every possible cut the events are the same.

    api7/aisix#111, musistudio/claude-code-router#1672
    """
    data = shown("openai-chat/e03-characters_of_several_bytes.sse")
    whole = events(data, "openai-chat")
    assert "你好, wörld 🧵 weft" == weft.collect(whole).text
    for at in range(len(data)):
        assert whole == events([data[:at], data[at:]], "openai-chat")


@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "openai-responses"])
def test_e04_line_breaks_of_unicode(target: str):
    """U+2028, U+2029 and U+0085 stand inside JSON: they end no line; on output they are escaped, for clients to whom they do.

    florimondmanca/httpx-sse#34, BerriAI/litellm#28566
    """
    odd = "a\u2028b\u2029c\u0085d"
    data = answer(text(odd))
    assert odd == message(data, "openai-chat").text
    out = weft.convert(data, "openai-chat", target)
    assert out.decode().splitlines() == out.decode().split("\n")[:-1]
    assert odd == message(out, target).text


def test_e05_data_without_a_space():
    """`data:{...}`: the space is optional, and one at most belongs to the field.

    openai/openai-python#498, envoyproxy/ai-gateway#2470
    """
    assert events(WHOLE, "openai-chat") == events(WHOLE.replace(b"data: ", b"data:"), "openai-chat")
    heard: list[bytes] = []
    framer = SSE(lambda data, _name: heard.append(data), lambda *_fault: None)
    framer.feed(b"data:  x\n\n")
    assert [b" x"] == heard


@pytest.mark.parametrize("ends", [b"\r\n", b"\r"])
def test_e06_line_ends(ends: bytes):
    """CRLF, CR, or a mixture, cut anywhere: the same events as with LF.

    hey-api/hey-api#3054, envoyproxy/ai-gateway#1425
    """
    expected = events(WHOLE, "openai-chat")
    other = WHOLE.replace(b"\n", ends)
    mixed = WHOLE.replace(b"\n\n", ends * 2, 1)
    for data in (other, mixed):
        for at in range(0, len(data), 3):
            assert expected == events([data[:at], data[at:]], "openai-chat")


def test_e07_frames_over_reads_and_lines():
    """One read has half a line, another the name without its data, a payload stands on several lines: all are one frame each.

    envoyproxy/ai-gateway#2162, graniet/llm#90
    """
    whole = responses.stream(responses.text(0, "Hi"))
    lines = whole.splitlines(keepends=True)
    assert events(whole, "openai-responses") == events(lines, "openai-responses")
    spread = WHOLE.replace(b', "choices"', b',\ndata: "choices"')
    assert spread != WHOLE
    assert events(WHOLE, "openai-chat") == events(spread, "openai-chat")


def test_e08_huge_line():
    """One line is megabytes long: it is read; what is longer than the stated limit ends the stream with an error of that type.

    nextlevelbuilder/goclaw#1348, looplj/axonhub#554
    """
    data = answer(text("x" * (4 << 20)))
    assert 4 << 20 == len(message(data, "openai-chat").text)
    small = message(
        [data[at : at + 65536] for at in range(0, len(data), 65536)], "openai-chat", limits=weft.Limits(frame=1 << 20)
    )
    assert ("failed", "limit", "frame_too_large") == (small.outcome, small.error.type, small.error.code)


def test_e11_framing_by_the_bytes():
    """The header names another type than what comes: the first bytes decide. Lengths and headers of our own are the gateway's.

    maximhq/bifrost#3956, envoyproxy/ai-gateway#2392
    """
    plain = {"content-type": "application/json", "content-length": "12"}
    assert "Hi there" == message(WHOLE, "openai-chat", status=200, headers=plain).text
    lines = ndjson(text("Hi"), end())
    assert "Hi" == message(lines, "openai-chat", headers={"content-type": "text/event-stream"}).text


def test_e13_lines_and_arrays():
    """Ollama sends lines, Gemini one JSON array over many lines: each object is an event as soon as it is whole.

    nyo16/nous#26, BerriAI/litellm#34320
    """
    assert "Hi" == message(ndjson(ollama.line("Hi"), ollama.DONE), "ollama").text
    chunks = [gemini.chunk(gemini.text("Hi")), gemini.chunk(gemini.text("!"), finish="STOP")]
    array = b"[" + b",\n".join(ndjson(each).strip() for each in chunks) + b"\n]"
    pipe = weft.Pipe("gemini", "text")
    assert [b"Hi", b"!"] == [out for at in range(len(array)) if (out := pipe.feed(array[at : at + 1]))]


def test_e14_binary_prelude_cut_by_reads():
    """The length of an AWS frame is cut by a read: the decoder waits for the rest of it.

    agentgateway/agentgateway#2113
    """
    whole = events(bedrock.TEXT, "bedrock")
    for at in range(len(bedrock.TEXT)):
        assert whole == events([bedrock.TEXT[:at], bedrock.TEXT[at:]], "bedrock")


def test_e15_no_raw_bytes_of_the_provider_leak():
    """A signature of many kilobytes is cut by reads: nothing leaves before it is converted, so no byte of Gemini's form does.

    envoyproxy/ai-gateway#1829
    """
    signed = gemini.chunk(gemini.call() | {"thoughtSignature": "QUJD" * 20000}, finish="STOP")
    data = sse(gemini.chunk(gemini.text("Hi")), signed)
    pipe = weft.Pipe("gemini", "openai-chat")
    out = b"".join(pipe.feed(data[at : at + 4096]) for at in range(0, len(data), 4096)) + pipe.close()
    assert b"candidates" not in out
    assert "Hi" == message(out, "openai-chat").text


def test_e16_last_frame_without_its_blank_line():
    """The bytes end right after the last frame's data: a whole frame counts, half of one does not.

    a2aproject/a2a-rs#79, nyo16/nous
    """
    data = chat(text("Hi"), end(), done=False)
    assert "completed" == message(data.rstrip(b"\n"), "openai-chat").outcome
    assert "truncated" == message(data.rstrip(b"\n")[:-2], "openai-chat").outcome


def test_e17_frames_over_another_transport():
    """The same events come over a websocket, as parsed objects or as text: the core knows no transport. Close codes are the gateway's.

    router-for-me/CLIProxyAPI#4444, maximhq/bifrost#3204
    """
    frames = [responses.created(), *responses.text(0, "Hi"), responses.completed()]
    expected = message(sse(*frames, event=True), "openai-responses")
    parsed = message(frames, "openai-responses")
    assert (expected.text, expected.finish, expected.usage) == (parsed.text, parsed.finish, parsed.usage)
    assert "response.completed" == converted(frames, "openai-responses", "openai-responses")[-1]["type"]
    assert [] == codes(parsed)
