"""`weft inspect --html`: one page, with everything on it, that a hostile stream cannot break out of."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.browser import Tree, dom
from tests.cli.run import WEFT, environment, told, weft
from tests.cli.test_commands import CALL, CHAT
from weft.cli import page_frames
from weft.cli.markup import joined, seen, tag
from weft.cli.transcript import Frame

EVILS = (
    "<script>document.title = 'taken'</script>",
    "</pre></code></article><script>document.title = 'taken'</script>",
    "</style></script><img src=x onerror=\"document.title = 'taken'\">",
    '" onmouseover="document.title = \'taken\'" x="',
    "' --> <!-- ]]> &lt;b&gt; &#60;i&#62; javascript:alert(1)",
    "\u202e\u2066turned\u0000\u001b[2J",
)


def chunk(finish: str | None = None, **delta) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    frame = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(frame).encode() + b"\n\n"


def long_stream(count: int) -> bytes:
    return b"".join([*(chunk(content=f"word {n} ") for n in range(count)), chunk("stop"), b"data: [DONE]\n\n"])


@pytest.fixture
def written(tmp_path: Path):
    """Writes the page of a stream; gives its path."""

    def write(stream: bytes, *words: str, name: str = "reply.sse") -> Path:
        path, page = tmp_path / name, tmp_path / "page.html"
        path.write_bytes(stream)
        done = weft("inspect", "--html", page, *words, path)
        assert b"" == done.stdout
        assert done.returncode in {0, 3}
        return page

    return write


def tree_of(page: Path) -> Tree:
    return Tree(page.read_text(encoding="utf-8"))


# -- content -------------------------------------------------------------------------------------------------------------


def test_frames_events_and_output_stand_side_by_side(written):
    tree = tree_of(written(CALL, "--from", "anthropic", "--to", "openai-chat"))
    frames = [frame for frame in CALL.decode().split("\n\n") if frame.strip()]
    rows = tree.all("article", class_="row")
    assert len(frames) == len([row for row in rows if row["id"] != f"f{len(frames) + 1}"])
    for row, frame in zip(rows, frames, strict=False):
        assert frame in row["text"]
    (call,) = [row for row in rows if "block-start" in row["text"] and "get_weather" in row["text"]]
    assert '"name":"get_weather"' in call["text"]  # what openai-chat is sent
    assert '"name": "get_weather"' in call["text"]  # what came


def test_nothing_of_the_output_is_missing(written, tmp_path: Path):
    page = written(CALL, "--from", "anthropic", "--to", "openai-chat")
    sent = weft("convert", "--from", "anthropic", "--to", "openai-chat", tmp_path / "reply.sse").stdout.decode()
    shown = "".join(cell["text"] for cell in tree_of(page).all("pre", class_="sent"))
    assert re.sub(r"\s", "", sent) == re.sub(r"\s", "", shown)


def test_blocks_and_usage_are_told(written):
    tree = tree_of(written(CALL, "--from", "anthropic", "--to", "openai-chat"))
    assert ["b0", "b1", "b2"] == [lane["id"] for lane in tree.all("details", class_="lane")]
    assert ["bar reasoning", "bar text", "bar tool_call"] == [
        e["class"] for e in tree.all("span") if "bar" in e.get("class", "")
    ]
    assert "792" in [cell["text"] for cell in tree.all("td", class_="number")]
    assert "completed" in tree.one("span", class_="badge good")["text"]


def test_losses_lead_to_their_blocks(written):
    tree = tree_of(written(CALL, "--from", "anthropic", "--to", "text"))
    assert "tool_call" in tree.one("section", id="losses")["text"]
    links = [e["href"] for e in tree.all("a") if "losses" in e["in"]]
    assert "#b2" in links


def test_without_a_target_nothing_is_said_of_one(written):
    tree = tree_of(written(CALL, "--from", "anthropic"))
    assert [] == tree.all("section", id="losses") + tree.all("pre", class_="sent")


def test_target_that_loses_nothing_says_so(written):
    assert "Nothing was lost" in tree_of(written(CHAT, "--to", "openai-chat")).one("section", id="losses")["text"]


def test_fault_is_told_with_its_place_and_whose_it_is(written):
    overloaded = CALL[: CALL.index(b"event: content_block_stop")] + (
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    )
    tree = tree_of(written(overloaded, "--from", "anthropic"))
    why = tree.one("section", id="why")
    assert "Overloaded" in why["text"]
    assert "fault of the provider" in why["text"]
    at = overloaded.index(b"event: error")
    assert f"at byte {at:,}" in why["text"]
    (link,) = [e for e in tree.all("a") if "why" in e["in"]]
    assert f"byte {at:,}" in tree.one("article", id=link["href"][1:])["text"]


def test_cut_stream_failed_at_the_end_of_the_input(written):
    tree = tree_of(written(CHAT[: CHAT.index(b"data: ", 10)], "--from", "openai-chat"))
    assert "truncated" in tree.one("span", class_="badge bad")["text"]
    (link,) = [e for e in tree.all("a") if "why" in e["in"]]
    assert "end of the input" == link["text"]
    assert "outcome=" in tree.one("article", id=link["href"][1:])["text"]


def test_notes_lead_to_their_frames(written):
    odd = CHAT.replace(b"data: [DONE]", b"data: {broken\n\ndata: [DONE]")
    tree = tree_of(written(odd, "--from", "openai-chat"))
    assert "broken_frame" in tree.one("section", id="notes")["text"]
    (link,) = [e for e in tree.all("a") if "notes" in e["in"]]
    assert "{broken" in tree.one("article", id=link["href"][1:])["text"]


def test_binary_frames_and_output_are_shown_by_name(written, tmp_path: Path):
    binary = weft("convert", "--from", "anthropic", "--to", "bedrock", stdin=CALL).stdout
    rows = tree_of(written(binary, "--from", "bedrock", "--to", "bedrock")).all("article", class_="row")
    assert "messageStart" in rows[0]["text"]
    assert all("\ufffd" not in row["text"] for row in rows)
    assert any("contentBlockDelta" in row["text"].split("event-type")[0] for row in rows)


def test_whole_reply_is_one_frame(written):
    whole = weft("convert", "--from", "anthropic", "--to", "anthropic", "--whole", stdin=CALL).stdout
    rows = tree_of(written(whole, "--from", "anthropic", name="reply.json")).all("article", class_="row")
    assert "get_weather" in rows[0]["text"]
    assert "args-delta" in rows[0]["text"]


def test_live_stream_has_times(tmp_path: Path):
    page = tmp_path / "page.html"
    assert 0 == weft("inspect", "--html", page, "--from", "anthropic", stdin=CALL).returncode
    tree = tree_of(page)
    assert "+0." in tree.one("article", id="f1")["text"]
    assert "by time" in tree.one("section", id="blocks")["text"]


def test_long_runs_are_folded(written):
    tree = tree_of(written(long_stream(2_000), "--from", "openai-chat"))
    folds = tree.all("details", class_="fold")
    rows = [fold["text"].count("data: {") for fold in folds]
    assert 5 == len(folds)
    assert all(300 < count <= 500 for count in rows)
    assert all("open" not in fold for fold in folds)
    assert 2_002 == len([row for row in tree.all("article", class_="row") if "data: " in row["text"]])


def test_of_a_huge_stream_the_beginning_and_the_end_are_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page_frames, "MOST", 4)
    frames = [Frame(number, number, None, b"{}", "") for number in range(1, 10)]
    page = page_frames.section(frames, target=False)
    shown = [number for number in range(1, 10) if f'id="f{number}"' in page]
    assert ([1, 2, 8, 9], True) == (shown, "5 frames in between are not shown" in page)


def test_long_frame_is_cut(written):
    page = written(chunk(content="x" * 1_000_000) + CHAT, "--from", "openai-chat")
    assert page.stat().st_size < 100_000
    assert "more" in tree_of(page).one("article", id="f1")["text"]


# -- escaping ------------------------------------------------------------------------------------------------------------


def hostile() -> bytes:
    frames = []
    for index, evil in enumerate(EVILS):
        frames += [chunk(content=evil), f"event: {evil.splitlines()[0]}\n".encode() + chunk(content="x")]
        call = {
            "index": index,
            "id": evil,
            "type": "function",
            "function": {"name": evil, "arguments": json.dumps({"a": evil})},
        }
        frames.append(chunk(tool_calls=[call]))
        frames.append(f"data: {{{evil}\n\n".encode())
        frames.append(b"data: " + json.dumps({"choices": [], evil: evil}).encode() + b"\n\n")
    frames.append(
        b"data: " + json.dumps({"error": {"message": EVILS[1], "code": EVILS[2], "type": EVILS[3]}}).encode() + b"\n\n"
    )
    start = json.loads(chunk(content="")[6:])
    return b"data: " + json.dumps({**start, "id": EVILS[0], "model": EVILS[1]}).encode() + b"\n\n" + b"".join(frames)


ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "div", "span", "small", "strong", "h1", "h2", "p", "a",
    "b", "i", "q", "pre", "code", "dl", "dt", "dd", "table", "tbody", "tr", "th", "td", "details", "summary", "article", "input", "button",
    "output", "script",
}  # fmt: skip
MARKUP = {"class", "id", "href", "style", "charset", "http-equiv", "content", "name", "lang", "type", "placeholder", "aria-label", "data-open", "colspan", "open"}  # fmt: skip


def assert_unharmed(tree: Tree) -> None:
    """Only our elements and attributes, one script, links within the page."""
    assert [] == [e["tag"] for e in tree.elements if e["tag"] not in ALLOWED]
    assert [] == [name for e in tree.elements for name in e.keys() - MARKUP - {"tag", "text", "in"}]
    assert 1 == len(tree.all("script")) == len(tree.all("style"))
    assert [] == [e["href"] for e in tree.all("a") if not re.fullmatch(r"#[bf]\d+", e["href"])]
    assert "taken" not in tree.one("title")["text"]


def test_hostile_stream_stays_content(written):
    page = written(hostile(), "--from", "openai-chat", "--to", "anthropic", name="<b>&x'.sse")
    tree = tree_of(page)
    assert_unharmed(tree)
    assert EVILS[1] in tree.one("section", id="why")["text"]
    assert EVILS[0] in tree.one("main")["text"]
    text = page.read_text(encoding="utf-8")
    assert [] == [char for char in text if not char.isprintable() and char != "\n"]


def test_page_needs_nothing_else(written):
    page = written(CALL, "--from", "anthropic", "--to", "openai-chat").read_text(encoding="utf-8")
    tree = Tree(page)
    assert [] == [
        e for e in tree.elements if {"src", "srcset", "action"} & e.keys() or e["tag"] in {"link", "iframe", "object"}
    ]
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|import\(", page)
    (policy,) = [e["content"] for e in tree.all("meta") if "http-equiv" in e]
    assert policy.startswith("default-src 'none'")


def test_markup_escapes_what_is_not_markup():
    assert '<a href="&quot;&lt;">&lt;b&gt;&amp;</a>' == tag("a", "<b>&", href='"<')
    assert "<p><b>x</b>&lt;/p&gt;</p>" == tag("p", tag("b", "x"), None, "</p>")
    assert '<details class="a" data-x="1" open></details>' == tag(
        "details", class_="a", data_x=1, open=True, hidden=False
    )
    assert "&lt;<i></i>" == joined("<", tag("i"))


def test_what_cannot_be_seen_is_written_out():
    assert "a\n\\x1b\\u202eb" == seen("a\n\x1b\u202eb", 100)
    assert "abc… and 2 more" == seen("abcde", 3)


# -- the command ---------------------------------------------------------------------------------------------------------


def test_page_to_standard_output():
    done = weft("inspect", "--html", "-", "--from", "anthropic", stdin=CALL)
    assert done.stdout.startswith(b"<!DOCTYPE html>")
    assert "" == done.stderr


def test_page_is_written_anew(tmp_path: Path):
    page = tmp_path / "page.html"
    for _ in range(2):
        assert 0 == weft("inspect", "--html", page, "--from", "anthropic", stdin=CALL).returncode


def test_interrupted_stream_still_has_its_page(tmp_path: Path):
    page = tmp_path / "page.html"
    with subprocess.Popen(
        [*WEFT, "inspect", "--html", str(page), "--from", "anthropic"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(WEFT_TRACEBACK=""),
    ) as child:
        child.stdin.write(CALL[:600])
        child.stdin.flush()
        try:
            _until_read(child)
            child.send_signal(2)
            assert 130 == child.wait(20)
        finally:
            child.kill()
    assert "cancelled" in page.read_text(encoding="utf-8")


def _until_read(child) -> None:
    """Wait until the pipe is empty: the child has taken what was written."""
    import fcntl
    import struct
    import termios
    import time

    for _ in range(200):
        (waiting,) = struct.unpack("i", fcntl.ioctl(child.stdin.fileno(), termios.FIONREAD, b"\0" * 4))
        if not waiting:
            break
        time.sleep(0.05)
    time.sleep(0.2)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--to", "ai-sdk"], "can be read but not written"),
        (["--html", "-", "--frames"], "cannot be combined"),
        (["--html", "-", "-o", "x"], "cannot be combined"),
        (["--html", "-", "--to", "ai-sdk"], "can be read but not written"),
    ],
)
def test_what_does_not_go_together_is_refused(words: list[str], reason: str):
    done = weft("inspect", *words, stdin=CALL)
    assert 2 == done.returncode
    assert reason in told(done)


# -- in a browser --------------------------------------------------------------------------------------------------------


def test_browser_shows_a_hostile_stream_as_content(written):
    page = written(hostile(), "--from", "openai-chat", "--to", "anthropic", name="<b>&x'.sse")
    tree = dom(page)
    assert_unharmed(tree)
    assert EVILS[0] in tree.one("main")["text"]


def test_browser_opens_the_fold_of_the_frame_that_is_linked(written):
    page = written(long_stream(2_000), "--from", "openai-chat")
    tree = dom(page, "#f700")
    opened = [fold for fold in tree.all("details", class_="fold") if "open" in fold]
    assert 1 == len(opened)
    assert "word 699" in opened[0]["text"]
