"""Every recorded chat.completions stream, whole reply and error, and what OpenAI's own SDK makes of the same bytes."""

import json
from typing import Any

import pytest

import weft
from tests.conftest import CORPUS
from tests.referees.exceptions import agreed_failures, oracle_fields
from tests.referees.oracle import available, corpus_answers
from weft.errors import BRIDGE_INVALID_TRANSITION
from weft.finish import finish_reason
from weft.grammar import STRICT_CODES
from weft.message import Choice, Message

PROTOCOL = "openai-chat"
KINDS = {"openai-chat", "openai-completions"}
"""The old completions endpoint is read as well."""
BROKEN = {"huggingfacejs.packages-inference-test-tapes-315-4c7b155a"}
"""A stray quotation mark of the recorder's ends it in the middle of its last frame."""
ENDLESS = {"openllmetry.test-completions-test-writer~c-streaming-completions-legacy-c1c0631c"}
"""Writer's old endpoint sends words and nothing else: that they were all is not said."""
FAILED = {"ruby_llm.chat-with-extended-thinking~hinking-content-when-available-0cc39fcd"}
"""gpustack's error is a field of its own, not a frame."""
NOTED = {"content_after_finish", "call_echo"}
"""What may be odd about a recorded stream."""
BRIDGE_CODES = {BRIDGE_INVALID_TRANSITION, *STRICT_CODES.values()}
"""How strict mode calls an oddity of the bytes."""


def rows(*kinds: str) -> list[dict[str, Any]]:
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["protocol"] in KINDS and row["kind"] in kinds]


def read(row: dict[str, Any], **options: Any) -> Message:
    data = (CORPUS / row["file"]).read_bytes()
    return weft.collect(weft.read(data, PROTOCOL, **options))


def test_streams_and_replies_end_as_they_say(corpus: Any):
    for row in rows("stream", "nonstream"):
        message, odd = read(row), set(row["odd"])
        said = {finish_reason(raw) for raw in row["finish"]} - {None}
        if "odd:error-frame-in-200-stream" in odd or row["id"] in FAILED:
            assert "failed" == message.outcome, row["id"]
        elif row["id"] in BROKEN | ENDLESS:
            assert "truncated" == message.outcome, row["id"]
        elif said & {"length", "content_filter"}:
            assert "incomplete" == message.outcome, row["id"]
        else:
            assert "completed" == message.outcome, row["id"]


def test_finishes_are_what_the_content_bears_out(corpus: Any):
    for row in rows("stream", "nonstream"):
        for choice in read(row).choices:
            if choice.finish in {"stop", "tool_calls"}:
                complete = [call for call in choice.tool_calls if call.executor == "client" and call.complete]
                broken = [call for call in choice.tool_calls if call.executor == "client" and not call.complete]
                assert ("tool_calls" if complete or broken else "stop") == choice.finish, row["id"]


def test_recorded_bytes_are_read_without_a_word_of_complaint(corpus: Any):
    for row in rows("stream", "nonstream"):
        message = read(row)
        assert [] == message.unknown, row["id"]
        if row["id"] not in BROKEN and "odd:sse-unknown-field-lines" not in row["odd"]:
            assert {note.code for note in message.notes} <= NOTED, row["id"]


def test_no_member_of_the_recorded_bytes_is_unheard_of(corpus: Any):
    for row in rows("stream", "nonstream"):
        if row["id"] not in BROKEN and not {note.code for note in read(row).notes}:
            error = read(row, strict=True).error
            assert error is None or error.code not in BRIDGE_CODES, (row["id"], error)


def test_what_the_index_says_is_there(corpus: Any):
    """The tags of the index are a help, not an oracle: each names something that a reader must not miss."""
    for row in rows("stream", "nonstream"):
        message, features = read(row), set(row["features"])
        choices = message.choices
        if "usage" in features and message.outcome != "failed":
            assert message.usage is not None, row["id"]
        if "text" in features:
            assert any(choice.text or choice.refusal or choice.tool_calls for choice in choices), row["id"]
        if "tool-calls" in features and "legacy-function-call" not in features:
            assert any(choice.tool_calls for choice in choices), row["id"]
        if "reasoning" in features:
            assert any(_thinks(choice) for choice in choices), row["id"]
        if "reasoning-encrypted" in features:
            assert any(sign.encrypted for choice in choices for part in choice.blocks for sign in part.signatures), row[
                "id"
            ]
        if "n>1" in features:
            assert len(choices) > 1, row["id"]


def _thinks(choice: Choice) -> bool:
    return any(part.__struct_config__.tag == "reasoning" or part.signatures for part in choice.blocks)


def test_calls_are_executable_if_their_arguments_are_an_object(corpus: Any):
    for row in rows("stream", "nonstream"):
        message = read(row)
        for call in [call for choice in message.choices for call in choice.tool_calls]:
            fits = isinstance(_json(call.raw or "{}"), dict) or call.tool == "custom"
            if message.outcome == "completed":
                assert fits == call.complete, (row["id"], call.raw)
            assert fits or not call.complete, (row["id"], call.raw)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def test_errors_are_errors(corpus: Any):
    for row in rows("error"):
        message = read(row, status=row["status"])
        assert ("failed", row["status"]) == (message.outcome, message.error and message.error.status), row["id"]


# -- what the vendor's SDK says ------------------------------------------------------------------------------------

referees = pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
FIELDS = frozenset({"text", "reasoning", "refusal", "tool_calls", "finish_raw", "usage"})


@referees
@pytest.mark.referees
@pytest.mark.timeout(600)
def test_the_sdk_agrees(corpus: Any):
    judged = 0
    for case, answer in corpus_answers(PROTOCOL):
        failure = answer["error"]
        if case.kind == "error" or (failure is not None and (PROTOCOL, failure["class"]) in agreed_failures()):
            continue
        fields = oracle_fields(case, answer, FIELDS)
        message = weft.collect(weft.read(case.body.path.read_bytes(), PROTOCOL))
        told, ours = of_sdk(answer, fields), of_weft(message, fields)
        assert told == ours, (case.id, case.mode)
        judged += bool(fields)
    assert judged > 0


def of_sdk(answer: dict[str, Any], fields: frozenset[str]) -> Any:
    choices = [
        {
            **{name: choice[name] or "" for name in ("text", "reasoning", "refusal", "finish_raw")},
            "tool_calls": [(call["id"] or "", call["name"], call["arguments"]) for call in choice["tool_calls"]],
        }
        for choice in answer["choices"]
    ]
    return _only(choices, answer["usage"], fields)


def of_weft(message: Message, fields: frozenset[str]) -> Any:
    choices = [
        {
            **{name: getattr(choice, name) or "" for name in ("text", "reasoning", "refusal", "finish_raw")},
            "tool_calls": [
                ("" if call.made_id else call.id, call.name, call.raw)
                for call in choice.tool_calls
                if call.executor == "client"
            ],
        }
        for choice in message.choices
    ]
    return _only(choices, message.usage.raw if message.usage else None, fields)


def _only(choices: list[dict[str, Any]], usage: Any, fields: frozenset[str]) -> Any:
    shown = [{name: value for name, value in choice.items() if name in fields} for choice in choices]
    return shown if fields - {"usage"} else None, (usage or None) if "usage" in fields else None
