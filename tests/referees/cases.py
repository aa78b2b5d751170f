"""Which bodies the referees are asked about, and in which modes.

Knows the corpus index; must not know how an SDK is run or what it answered.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .server import Body

CHECKOUT = Path(__file__).resolve().parents[2]
CORPUS = CHECKOUT.parent / "shared" / "corpus"

# protocol of the corpus -> the modes in which its streams are read
STREAM_MODES = {
    "openai-chat": ("create", "stream"),
    "openai-responses": ("create", "stream"),
    "anthropic-messages": ("stream", "beta"),
    "gemini": ("create",),
    "ollama": ("create",),
    "cohere": ("create",),
    "bedrock-converse": ("create",),
    "bedrock-invoke": ("create",),
}
CONTENT_TYPES = {
    "sse": "text/event-stream",
    "ndjson": "application/x-ndjson",
    "eventstream": "application/vnd.amazon.eventstream",
    "json": "application/json",
}
# framings and paths of an older or a different interface than the one that the SDK reads
NOT_READ_FRAMINGS = {("gemini", "json-array")}
NOT_READ_PATHS = {("cohere", "/v1/chat"), ("openai-chat", "/v1/completions")}


@dataclass(frozen=True)
class Case:
    """One body, to be read by one SDK in one mode."""

    protocol: str
    mode: str
    id: str
    body: Body
    kind: str = "stream"

    def digest(self) -> str:
        """What the answer depends on, of all that is in the case (its name is not)."""
        content = hashlib.sha256(self.body.path.read_bytes()).hexdigest()
        parts = (self.protocol, self.mode, str(self.body.status), self.body.content_type, content)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def corpus_rows(protocol: str) -> Iterator[dict[str, Any]]:
    """The rows of the index for one protocol; none where the corpus is absent."""
    index = CORPUS / "index.jsonl"
    if index.exists():
        with index.open(encoding="utf-8") as lines:
            yield from (row for row in map(json.loads, lines) if row["protocol"] == protocol)


def corpus_cases(protocol: str) -> Iterator[Case]:
    """Every body of the protocol that its SDK reads, once for each mode."""
    for row in corpus_rows(protocol):
        content_type = row["content_type"] or CONTENT_TYPES.get(row["framing"], "application/json")
        body = Body(CORPUS / row["file"], row["status"], content_type)
        for mode in modes(row):
            yield Case(protocol, mode, row["id"], body, row["kind"])


def modes(row: dict[str, Any]) -> tuple[str, ...]:
    """The modes of one row: none where no SDK reads such a body at all."""
    protocol, path = row["protocol"], row["url_path"] or ""
    if (protocol, row["framing"]) in NOT_READ_FRAMINGS or (protocol, path) in NOT_READ_PATHS:
        return ()
    if (protocol, path) == ("ollama", "/api/generate"):
        return ("generate",) if row["kind"] == "stream" else ("whole-generate",)
    if row["kind"] == "nonstream":
        return ("whole",)
    if row["kind"] == "stream" and "inner:anthropic" in row["features"]:
        return ("create", "anthropic")
    return STREAM_MODES[protocol] if row["kind"] == "stream" else STREAM_MODES[protocol][:1]
