"""The one shape in which every SDK's result is written down.

Knows nothing of SDKs and nothing of Weft: plain text, calls, finish, usage, with the SDK's own names inside `usage`
and `blocks`.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Call:
    """A tool call as an SDK holds it: `arguments` is text where the SDK has text, an object where it has one.

    `raw` is the text of the fragments where the SDK shows only the parsed object.
    """

    id: str | None = None
    name: str | None = None
    arguments: Any = None
    raw: str | None = None
    executor: str = "client"

    def extend(self, fragment: Any) -> None:
        """Append text to text; anything else is what it is (some servers send objects, SDKs pass them on)."""
        if isinstance(fragment, str) and isinstance(self.arguments, str):
            self.arguments += fragment
        elif fragment is not None:
            self.arguments = fragment

    def as_dict(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "id": self.id,
            "name": self.name,
            "arguments": self.arguments,
            "executor": self.executor,
        }
        return shown if self.raw is None else {**shown, "raw": self.raw}


@dataclass
class Choice:
    """One of the answers (most streams have one)."""

    index: int = 0
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    calls: dict[Any, Call] = field(default_factory=dict)
    finish_raw: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "text": "".join(self.text),
            "reasoning": "".join(self.reasoning),
            "refusal": "".join(self.refusal),
            "tool_calls": [call.as_dict() for call in self.calls.values()],
            "finish_raw": self.finish_raw,
        }


@dataclass
class Reply:
    """What one SDK accumulated from one body, filled in as it goes, so that a failure keeps what came before it.

    `blocks` are the SDK's own items as plain data; `final` is a second reading, where a protocol repeats itself.
    """

    id: str | None = None
    model: str | None = None
    choices: dict[int, Choice] = field(default_factory=dict)
    usage: dict[str, Any] | None = None
    finish_detail: str | None = None
    plan: list[str] = field(default_factory=list)
    blocks: list[Any] = field(default_factory=list)
    final: "Reply | None" = None
    error: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)

    def choice(self, index: int | None = 0) -> Choice:
        """The choice of that index, made when it is first named; no index means the first."""
        return self.choices.setdefault(index or 0, Choice(index or 0))

    def seen(self, id: str | None, model: str | None) -> None:
        """The first id and model that were said."""
        self.id = self.id or id
        self.model = self.model or model

    def note(self, text: str) -> None:
        """Something that the SDK's surface could not say, once."""
        if text not in self.notes:
            self.notes.append(text)

    def as_dict(self) -> dict[str, Any]:
        """The JSON line of the driver: choice 0's fields stand at the top, as on Weft's Message."""
        first = self.choices.get(0) or Choice()
        return {
            "ok": self.error is None,
            "error": self.error,
            "response_id": self.id,
            "model": self.model,
            **{name: value for name, value in first.as_dict().items() if name != "index"},
            "finish_detail": self.finish_detail,
            "usage": self.usage,
            "plan": "".join(self.plan),
            "choices": [choice.as_dict() for _, choice in sorted(self.choices.items())],
            "blocks": self.blocks,
            "final": self.final.as_dict() if self.final else None,
            "notes": self.notes,
        }
