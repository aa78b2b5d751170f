"""The recorded streams of one protocol, and what its vendor's SDK made of them."""

import json
from collections.abc import Iterator
from typing import Any

import weft
from tests.conftest import CORPUS
from tests.referees.exceptions import agreed_failures, oracle_fields
from tests.referees.oracle import corpus_answers
from weft.message import Message, Reasoning


def rows(protocol: str, *kinds: str) -> list[dict[str, Any]]:
    """The rows of the index of these kinds (stream, nonstream, error)."""
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["protocol"] == protocol and row["kind"] in kinds]


def read(row: dict[str, Any], name: str) -> Message:
    """The message of a row, read as the protocol of that name."""
    return weft.collect(weft.read((CORPUS / row["file"]).read_bytes(), name, status=row["status"]))


def judged(
    protocol: str, name: str, fields: frozenset[str]
) -> Iterator[tuple[str, dict[str, Any], Message, frozenset[str]]]:
    """For each body that the SDK read: its id, the answer, our message, and the fields about which the answer is to be believed."""
    for case, answer in corpus_answers(protocol):
        failure = answer["error"]
        if case.kind == "error" or (failure is not None and (protocol, failure["class"]) in agreed_failures()):
            continue
        believed = oracle_fields(case, answer, fields)
        if believed:
            message = weft.collect(weft.read(case.body.path.read_bytes(), name))
            yield f"{case.id} ({case.mode})", answer, message, believed


def reasoning(message: Message) -> str:
    """All reasoning, glued as an SDK does that knows no blocks."""
    return "".join(part.text for part in message.blocks if isinstance(part, Reasoning))
