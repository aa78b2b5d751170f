"""The component's events, read by OpenAI's own SDK."""

from pathlib import Path
from typing import Any

import pytest

import weft
from tests.reconstruction.driven import USAGE, bridged, call
from tests.referees.cases import Case
from tests.referees.oracle import answers, available
from tests.referees.server import Body
from weft.reconstruction import ResponseSseEncoder

pytestmark = [
    pytest.mark.referees,
    pytest.mark.skipif(not available(), reason="no .venv-referees here; `make test` makes it"),
]

STREAMS: dict[str, list[Any]] = {
    "all kinds": [
        *[{"reasoning": "Hm"}, {"text": "Hel"}, {"text": "lo"}, {"refusal": "No."}],
        *[call(0, "c1", "f", '{"a"'), call(0, None, None, ":1}"), {"text": "!"}, call(1, "c2", "g", "{}")],
        *[{"finishReason": "tool_calls"}, {"usage": USAGE}],
    ],
    "restored": [
        *[call(0, "c1", "sh", '{"cmd":["ls"]}'), call(1, "c2", "shell", '{"commands":["ls"]}')],
        *[
            call(2, "c3", "patch", '{"operation":{"type":"delete_file","path":"a"}}'),
            call(3, "c4", "grep_", '{"input":"x"}'),
        ],
        {"finishReason": "tool_calls"},
    ],
    "cut": [{"text": "Hel"}, call(arguments='{"a"'), {"finishReason": "length"}],
    "failed": [{"text": "Hel"}, {"error": {"code": "rate_limit_exceeded", "message": "Slow down."}}],
    "empty": [],
}


@pytest.mark.parametrize("mode", ["create", "stream"])
def test_the_sdk_reads_what_we_mean(mode: str, tmp_path: Path):
    cases, meant = [], []
    for name, deltas in STREAMS.items():
        encoder = ResponseSseEncoder()
        data = b"".join(encoder.encode(event) for event in bridged(*deltas))
        (tmp_path / name).write_bytes(data)
        cases.append(Case("openai-responses", mode, name, Body(tmp_path / name)))
        meant.append(weft.collect(weft.read(data, "openai-responses")))
    for message, (case, answer) in zip(meant, answers(cases), strict=True):
        calls = [(one.id, one.name, one.raw) for one in message.tool_calls if one.tool in ("function", "custom")]
        assert message.outcome == answer["finish_raw"], case.id
        assert (message.text, message.refusal) == (answer["text"], answer["refusal"]), case.id
        assert message.reasoning == answer["reasoning"], case.id
        assert calls == [(one["id"], one["name"], one["arguments"]) for one in answer["tool_calls"]], case.id
