"""What of the lines themselves real clients cannot read, and who of them."""

import pytest

from tests.linting.streams import aws_event, line, named, sse
from tests.linting.test_anthropic import GOLDEN as ANTHROPIC
from tests.linting.test_chat import GOLDEN as CHAT
from tests.linting.test_others import AG, BEDROCK, GEMINI, OLLAMA
from weft.linting import PROTOCOLS, all_rules, lint
from weft.linting.transport import RULES

STREAMS = {
    "openai-chat": b"".join(map(sse, CHAT)),
    "anthropic": b"".join(map(named, ANTHROPIC)),
    "gemini": b"".join(map(sse, GEMINI)),
    "ollama": b"".join(map(line, OLLAMA)),
    "ag-ui": b"".join(map(sse, AG)),
    "bedrock": b"".join(map(aws_event, BEDROCK)),
}


def after_first(protocol: str, addition: bytes) -> tuple[bytes, int]:
    """The good stream with something behind its first frame, and where that stands."""
    stream = STREAMS[protocol]
    at = stream.index(b"\n") + 1 if protocol == "ollama" else stream.index(b"\n\n") + 2
    return stream[:at] + addition + stream[at:], at


ADDED = [
    ("transport/comment", "gemini", b": hi\n\n"),
    ("transport/event-without-data", "openai-chat", b"event: ping\n\n"),
    ("transport/event-line", "gemini", b"event: x\ndata: {}\n\n"),
    ("transport/empty-data", "openai-chat", b"data: \n\n"),
    ("transport/empty-data", "ag-ui", b"data:\n\n"),
    ("transport/id-or-retry", "openai-chat", b"id: 7\n\n"),
    ("transport/id-or-retry", "openai-chat", b"retry: 1000\n\n"),
    ("transport/space-after-colon", "gemini", b"data:{}\n\n"),
    ("transport/multi-line-data", "gemini", b"data: {\ndata: }\n\n"),
    ("transport/unknown-field", "openai-chat", b"nonsense: 1\n\n"),
    ("transport/line-break", "gemini", 'data: {"x":"a\u2028b"}\n\n'.encode()),
    ("transport/line-break", "gemini", 'data: {"x":"a\x85b"}\n\n'.encode()),
    ("transport/done-marker", "gemini", b"data: [DONE]\n\n"),
    ("transport/done-marker", "ag-ui", b"data: [DONE]\n\n"),
    ("transport/not-json", "openai-chat", b'data: {"half":\n\n'),
    ("transport/not-json", "openai-chat", b"data: ping\n\n"),
    ("transport/not-object", "gemini", b'data: [{"candidates":[]}]\n\n'),
    ("transport/not-object", "openai-chat", b"data: null\n\n"),
    ("transport/blank-line", "ollama", b"\n"),
]


@pytest.mark.parametrize(("rule", "protocol", "addition"), ADDED)
def test_rule_finds(rule: str, protocol: str, addition: bytes):
    stream, at = after_first(protocol, addition)
    places = {(finding.rule, finding.offset) for finding in lint(stream, protocol)}
    second = at + addition.find(b"\ndata: }") + 1  # the line, where that is what is wrong
    assert {(rule, second if rule == "transport/multi-line-data" else at)} == places


@pytest.mark.parametrize(
    ("rule", "protocol", "stream", "at"),
    [
        ("transport/framing", "openai-chat", b'{"error":{"message":"m"}}', 0),
        ("transport/framing", "ollama", STREAMS["openai-chat"], 0),
        ("transport/framing", "anthropic", b"\x1f\x8b\x08\x00\x00\x00\x00\x00", 0),
        ("transport/framing", "ollama", "{}".encode("utf-16"), 0),
        ("transport/framing", "anthropic", b"<html><body>502</body></html>", 0),
        ("transport/crlf", "ag-ui", STREAMS["ag-ui"].replace(b"\n", b"\r\n"), STREAMS["ag-ui"].index(b"\n")),
        ("transport/no-final-blank-line", "gemini", STREAMS["gemini"][:-1], STREAMS["gemini"].rindex(b"data:")),
        ("transport/no-final-blank-line", "anthropic", STREAMS["anthropic"][:-2], STREAMS["anthropic"].rindex(b"event:")),
        ("transport/line-break", "ollama", STREAMS["ollama"].replace(b"Hi", "\u2029".encode()), 0),
    ],
    ids=str,
)  # fmt: skip
def test_rule_finds_in_the_whole(rule: str, protocol: str, stream: bytes, at: int):
    assert [(rule, at)] == [(finding.rule, finding.offset) for finding in lint(stream, protocol)]


def test_half_a_frame_at_the_end():
    stream = STREAMS["openai-chat"].removesuffix(b"data: [DONE]\n\n")
    found = lint(stream + b'data: {"object":"chat.com', "openai-chat")
    assert ("transport/broken-frame", len(stream)) in [(finding.rule, finding.offset) for finding in found]


def test_checksum_that_is_wrong():
    stream = bytearray(STREAMS["bedrock"])
    stream[-1] ^= 1
    assert ["transport/broken-frame"] == [finding.rule for finding in lint(bytes(stream), "bedrock")]


@pytest.mark.parametrize(
    ("protocol", "addition"),
    [
        ("openai-chat", b": keep-alive\n\n"),
        ("openai-chat", b"\n\n"),
        ("openai-chat", 'data: {"object":"chat.completion.chunk","choices":[],"x":"\u2028"}\n\n'.encode()),
        ("anthropic", b": keep-alive\n\n"),
        ("ag-ui", b": keep-alive\n\n"),
        ("gemini", b"\n\n"),
        ("ollama", b"   "),
    ],
)
def test_keep_alives_that_are_safe(protocol: str, addition: bytes):
    assert [] == lint(after_first(protocol, addition)[0], protocol)


@pytest.mark.parametrize("protocol", ["openai-chat", "anthropic", "gemini"])
def test_crlf_is_fine(protocol: str):
    assert [] == lint(STREAMS[protocol].replace(b"\n", b"\r\n"), protocol)


def test_a_comment_with_a_blank_line_fails_a_former_client_only():
    stream, at = after_first("openai-chat", b": keep-alive\n\n")
    found = lint(stream, "openai-chat", former=True)
    assert [("transport/comment-frame", at, {"openai-go": "crash"})] == [(f.rule, f.offset, f.clients) for f in found]
    assert [] == lint(after_first("openai-chat", b": keep-alive\n")[0], "openai-chat", former=True)


def test_last_marker_needs_no_blank_line():
    assert [] == lint(STREAMS["openai-chat"][:-1], "openai-chat")


def test_array_of_gemini_has_no_lines_to_judge():
    body = b"[" + b",\r\n".join(line(frame) for frame in GEMINI) + b"]"
    assert [] == lint(body, "gemini")


def test_every_rule_is_tried():
    tried = {rule for rule, *_ in ADDED} | {"transport/comment-frame", "transport/framing", "transport/crlf", "transport/no-final-blank-line", "transport/broken-frame"}  # fmt: skip
    assert RULES.keys() == tried


def test_every_rule_of_the_transport_concerns_a_protocol():
    assert RULES.keys() <= {name for protocol in PROTOCOLS for name in all_rules(protocol)}
