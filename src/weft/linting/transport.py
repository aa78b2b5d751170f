"""The lines of a stream, whatever they say: what of the formats of server-sent events and JSON lines real clients cannot read.

Knows: lines, fields and the order of frames. Must not know: what a payload says. Which protocol a rule concerns follows from its clients.
"""

import re
from collections.abc import Iterator
from typing import Final, Protocol

from weft.framing.lines import Lines as LineReader
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="transport/framing",
        title="the stream comes in a framing that the clients of its protocol read",
        effects={
            **all_of("crash", "openai-python openai-js ai-sdk ai-sdk-compatible anthropic-python anthropic-js claude-code"),
            **all_of("crash", "google-genai-python google-genai-js ollama-python ollama-js boto3 ag-ui"),
            **all_of("ignore", "cohere-python uicp codex weft"),
            **all_of("crash", "chunk-reader vscode"),
        },
        reference="measured",
        explain="A body that is one JSON document, an HTML page or another framing has no frames for a streaming client: it ends with no "
        "answer at all. An error before the first frame belongs into the HTTP status and a JSON body; after that it is a frame.",
    ),
    Rule(
        id="transport/comment",
        title="no comment lines where a client takes every line for data",
        effects={"google-genai-python": "crash"},
        reference="measured",
        explain="google-genai for Python takes any line that does not begin with `data: ` for JSON. Keep the connection alive with extra blank "
        "lines there. Comments are fine for every other client that was measured.",
    ),
    Rule(
        id="transport/comment-frame",
        title="a comment line is not followed by a blank line of its own",
        effects={"openai-go": "crash"},
        reference="maximhq/bifrost@8755fcc3c",
        explain="openai for Go before 3.43 takes the blank line behind a comment for the end of a frame, whose empty data is no JSON. A comment "
        "right before the next frame does no harm to it. No client of today minds, so that this is told only when former clients are asked for.",
    ),
    Rule(
        id="transport/event-without-data",
        title="a frame that names an event has data",
        effects=all_of("crash", "openai-python openai-js"),
        reference="measured",
        explain="The OpenAI clients parse the data of every frame that has any field. `event: ping` alone is an empty document to them: send a "
        "comment line as keep-alive.",
    ),
    Rule(
        id="transport/event-line",
        title="no `event:` lines on a Gemini stream",
        effects={"google-genai-python": "crash", "google-genai-js": "ignore"},
        reference="measured",
        explain="google-genai for Python parses the line as JSON; the one for JavaScript skips a frame that begins with anything but `data:`.",
    ),
    Rule(
        id="transport/empty-data",
        title="the data of a frame is not empty",
        effects=all_of("crash", "openai-python openai-js ai-sdk ai-sdk-compatible ag-ui google-genai-python"),
        reference="measured",
        explain="An empty document is not JSON. As a keep-alive send a comment, or what the protocol itself has for it.",
    ),
    Rule(
        id="transport/no-final-blank-line",
        title="the last frame is followed by a blank line",
        effects={
            **all_of("ignore", "openai-python ai-sdk ai-sdk-compatible anthropic-python ag-ui"),
            "google-genai-js": "crash",
        },
        reference="measured",
        explain="The format says that a frame without its blank line is dropped, and most clients do so: they lose the end of the answer.",
    ),
    Rule(
        id="transport/id-or-retry",
        title="no `id:` and no `retry:` lines",
        effects=all_of("crash", "openai-python google-genai-python"),
        reference="measured",
        explain="After an `id:` line openai for Python takes every blank line for the end of a frame, also the one behind a comment, and fails over "
        "its empty data; `retry:` alone does the same. google-genai takes the line for JSON.",
    ),
    Rule(
        id="transport/space-after-colon",
        title="`data:` is followed by one space",
        effects={"google-genai-python": "crash"},
        reference="measured",
        explain="The format makes the space optional; google-genai for Python looks for `data: ` to the letter.",
    ),
    Rule(
        id="transport/multi-line-data",
        title="the data of a frame is one line",
        effects=all_of("crash", "google-genai-js ag-ui"),
        reference="measured",
        explain="Several `data:` lines are one document with line breaks in it. google-genai for JavaScript removes the field's name once only, and a "
        "break inside a string is not JSON for @ag-ui/client.",
    ),
    Rule(
        id="transport/unknown-field",
        title="every line is a field of the format, a comment or blank",
        effects={"google-genai-python": "crash", "google-genai-js": "crash", **all_of("ignore", "openai-python openai-js ai-sdk anthropic-python anthropic-js claude-code codex ag-ui")},
        reference="measured",
        explain="What stands in no field is no part of any frame: JSON written without `data:` is not read. An error told like this is lost.",
    ),
    Rule(
        id="transport/crlf",
        title="lines end with LF",
        effects={"ag-ui": "crash"},
        reference="measured",
        explain="@ag-ui/client splits frames at LF LF only, so that the whole stream becomes one frame that is not JSON.",
    ),
    Rule(
        id="transport/line-break",
        title="U+2028, U+2029 and U+0085 are escaped inside JSON",
        effects=all_of("crash", "google-genai-python ollama-python"),
        reference="measured",
        explain="They are legal there, but Python's own line splitting takes them for line ends, and with it every client that reads lines by it. "
        "Write `\\u2028`, `\\u2029` and `\\u0085`.",
    ),
    Rule(
        id="transport/done-marker",
        title="no `[DONE]` where the protocol has none",
        effects=all_of("crash", "google-genai-python google-genai-js ag-ui ollama-python ollama-js"),
        reference="measured",
        explain="The marker is OpenAI's. It is not JSON, and clients of protocols that do not have it try to parse it.",
    ),
    Rule(
        id="transport/not-json",
        title="every frame is JSON",
        effects={
            **all_of("crash", "openai-python openai-js ai-sdk ai-sdk-compatible anthropic-python anthropic-js claude-code"),
            **all_of("crash", "google-genai-python google-genai-js ollama-python ollama-js boto3 ag-ui"),
            **all_of("ignore", "codex cohere-python uicp weft"),
            **all_of("crash", "chunk-reader vscode"),
        },
        reference="measured; Codex and Cohere's SDK skip such a frame (source)",
        explain="A frame that does not parse ends the stream in nearly every client. Often it is half a frame, because two writers wrote at once, or "
        "two frames without a blank line between them.",
    ),
    Rule(
        id="transport/not-object",
        title="every frame is a JSON object",
        effects={
            **all_of("crash", "openai-python openai-js ai-sdk ai-sdk-compatible anthropic-python anthropic-js claude-code"),
            **all_of("wrong", "google-genai-python google-genai-js"),
            **all_of("crash", "ollama-python ollama-js ag-ui boto3"),
            **all_of("ignore", "codex cohere-python uicp weft"),
            **all_of("crash", "chunk-reader vscode"),
        },
        reference="measured for `data: [{…}]` and `data: null`; else inferred from the clients' types",
        explain="Arrays, strings and null carry nothing that a client of a streaming protocol looks for.",
    ),
    Rule(
        id="transport/broken-frame",
        title="no frame breaks off, and its checksum is right",
        effects={
            **all_of("crash", "google-genai-js boto3 ollama-python ollama-js chunk-reader vscode"),
            **all_of("ignore", "openai-python openai-js ai-sdk ai-sdk-compatible anthropic-python anthropic-js claude-code codex"),
            **all_of("ignore", "google-genai-python cohere-python uicp ag-ui weft"),
        },
        reference="measured",
        explain="Half a frame at the end means that the stream was cut. Write whole frames, each in one write.",
    ),
    Rule(
        id="transport/blank-line",
        title="no blank lines between JSON lines",
        effects={"ollama-python": "crash"},
        reference="measured",
        explain="ollama for Python parses every line. To keep the connection alive, put spaces before the next object.",
    ),
)  # fmt: skip

_BREAKS: Final = re.compile(rb"\xe2\x80[\xa8\xa9]|\xc2\x85")
_FIELDS: Final = frozenset({b"data", b"event", b"id", b"retry"})
_CR: Final = 13


class Lines(Protocol):
    """Judges the lines of a stream."""

    def feed(self, data: bytes) -> None: ...

    def close(self) -> None: ...


def lines_of(framing: str, report: Report) -> Lines | None:
    """What judges the lines of a framing; nothing for those that have none."""
    return {"sse": EventLines, "ndjson": JSONLines}[framing](report) if framing in {"sse", "ndjson"} else None


class EventLines:
    """The lines of server-sent events."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._lines = LineReader()
        self._base = 0
        self._cr_seen = False
        self._begin_frame()

    def feed(self, data: bytes) -> None:
        """Take a read of any size."""
        if not self._cr_seen and _CR in data:
            self._cr_seen = True
            self._report.add("transport/crlf", "a line ends with CR", at=self._base + data.index(_CR))
        for line, at in _each(self._lines, data, self._base):
            self._line(line, at)
        self._base += len(data)

    def close(self) -> None:
        """Take the end: a frame that is still open was not followed by its blank line."""
        last = self._lines.flush()
        if last:
            self._line(last, self._lines.at)
        if self._data_lines and not self._is_marker:
            self._report.add("transport/no-final-blank-line", "the stream ends without a blank line", at=self._frame)

    def _begin_frame(self) -> None:
        self._frame = -1
        self._named = False
        self._data_lines = 0
        self._has_text = self._is_marker = False
        self._comment = -1

    def _line(self, line: bytes, at: int) -> None:
        if not line:
            self._end_frame()
            return
        if line[:1] == b":":
            self._report.add("transport/comment", "a comment line", at=at)
            self._comment = at if self._comment < 0 else self._comment
            return
        if self._frame < 0:
            self._frame = at
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data(value, at)
        elif field == b"event":
            self._named = True
            self._report.add("transport/event-line", "an `event:` line", at=at)
        elif field in _FIELDS:
            self._report.add("transport/id-or-retry", f"a line `{field.decode()}:`", at=at)
        else:
            self._report.add("transport/unknown-field", f"a line that is no field: {line[:40]!r}"[:80], at=at)

    def _data(self, value: bytes, at: int) -> None:
        self._data_lines += 1
        text = value.strip()
        self._has_text = self._has_text or bool(text)
        self._is_marker = text == b"[DONE]"
        if text and value[:1] != b" ":
            self._report.add("transport/space-after-colon", "no space after `data:`", at=at)
        if self._data_lines == 2:
            self._report.add("transport/multi-line-data", "a second `data:` line in one frame", at=at)
        if found := _BREAKS.search(value):
            self._report.add("transport/line-break", f"{_named(found[0])} stands unescaped in the data", at=at)

    def _end_frame(self) -> None:
        if self._named and not self._data_lines:
            self._report.add("transport/event-without-data", "an event has a name and no data", at=self._frame)
        elif self._frame < 0 and self._comment >= 0:
            self._report.add("transport/comment-frame", "a blank line follows a comment", at=self._comment)
        elif self._data_lines and not self._has_text:
            self._report.add("transport/empty-data", "a frame's data is empty", at=self._frame)
        self._begin_frame()


class JSONLines:
    """The lines of newline-delimited JSON."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._lines = LineReader()
        self._base = 0

    def feed(self, data: bytes) -> None:
        """Take a read of any size."""
        for line, at in _each(self._lines, data, self._base):
            self._line(line, at)
        self._base += len(data)

    def close(self) -> None:
        """Take the end; a last line needs no line end."""
        last = self._lines.flush()
        if last:
            self._line(last, self._lines.at)

    def _line(self, line: bytes, at: int) -> None:
        if not line.strip():
            self._report.add("transport/blank-line", "a blank line", at=at)
        elif found := _BREAKS.search(line):
            self._report.add("transport/line-break", f"{_named(found[0])} stands unescaped in the line", at=at)


def _each(lines: LineReader, data: bytes, base: int) -> Iterator[tuple[bytes, int]]:
    """The lines that end in a read, and where each begins."""
    pos = 0
    while pos < len(data):
        pos = lines.advance(data, pos, len(data), base)
        if lines.line is not None:
            yield lines.line, lines.at


def _named(char: bytes) -> str:
    return f"U+{ord(char.decode()):04X}"
