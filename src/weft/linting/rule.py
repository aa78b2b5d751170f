"""What a rule is, what a finding is, and what a client can do about a stream that breaks a rule.

Knows: the shapes, and how an effect is told. Must not know: any rule, any protocol.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

Effect = Literal["crash", "hang", "wrong", "ignore"]

EFFECTS: Final[dict[str, str]] = {
    "crash": "an exception or a stream error: the user gets no answer, or loses the rest of it",
    "hang": "waits for what never comes, or asks again and again",
    "wrong": "no error, but another result than was meant",
    "ignore": "the frame, or what it says, is silently dropped",
}
"""From the worst to the least."""

CLIENTS: Final[dict[str, str]] = {
    "openai-python": "openai 3.51 for Python, mostly its `.stream()` helpers",
    "openai-js": "openai 7.55 for JavaScript, `.stream()`",
    "openai-go": "openai for Go before 3.43, as reported",
    "ai-sdk": "Vercel's ai 7.0.173: its reader of UI streams and its provider packages",
    "ai-sdk-compatible": "@ai-sdk/openai-compatible",
    "codex": "Codex CLI, read in its source",
    "grok-cli": "Grok CLI and other readers with closed types, as reported",
    "anthropic-python": "anthropic 2.10 for Python",
    "anthropic-js": "@anthropic-ai/sdk 1.10",
    "claude-code": "Claude Code, as reported by those who serve it",
    "amp": "Amp, as reported",
    "google-genai-python": "google-genai 3.3 for Python",
    "google-genai-js": "@google/genai 3.1",
    "ollama-python": "ollama 0.6.3 for Python",
    "ollama-js": "ollama for JavaScript, read in its source",
    "boto3": "botocore 1.44, its model of ConverseStream",
    "cohere-python": "cohere for Python, read in its source",
    "ag-ui": "@ag-ui/client 1.0.0",
    "uicp": "consumers of Stream Event v1, by its contract",
    "chunk-reader": "readers of ProcessedChunk, by seed 000's contract",
    "vscode": "VS Code's response parts, by their API",
    "weft": "Weft's own reader of events",
}
"""The clients that rules speak of. Versions are those that were run, or whose source was read."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule. `title` says what must hold, `effects` which client does what when it does not, `reference` how that is known."""

    id: str
    title: str
    effects: dict[str, Effect]
    reference: str
    explain: str


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One place where a stream breaks a rule. `offset` is where the frame or line begins; `more` counts those of the rule that are not listed."""

    rule: str
    offset: int
    severity: Effect
    message: str
    clients: dict[str, Effect]
    more: int = 0

    @property
    def effect(self) -> str:
        """What becomes of it, in words."""
        return told(self.clients)


def rules(*all_of_them: Rule) -> dict[str, Rule]:
    """A table of rules by id."""
    return {rule.id: rule for rule in all_of_them}


def all_of(effect: Effect, clients: str) -> dict[str, Effect]:
    """The same effect for each of some clients."""
    return dict.fromkeys(clients.split(), effect)


def worst(effects: Iterable[Effect]) -> Effect:
    """The worst of some effects."""
    order: list[Effect] = ["crash", "hang", "wrong", "ignore"]
    return min(effects, key=order.index)


_VERBS: Final = {"crash": "fails", "hang": "hangs", "wrong": "gets it wrong", "ignore": "ignores it"}
_PLURAL: Final = {"crash": "fail", "hang": "hang", "wrong": "get it wrong", "ignore": "ignore it"}


def told(clients: Mapping[str, Effect]) -> str:
    """`codex hangs; openai-python and openai-js fail`, the worst first."""
    parts: list[str] = []
    for effect in EFFECTS:
        who = [client for client, does in clients.items() if does == effect]
        if who:
            verb = _VERBS[effect] if len(who) == 1 else _PLURAL[effect]
            parts.append(f"{' and '.join([', '.join(who[:-1]), who[-1]]) if len(who) > 1 else who[0]} {verb}")
    return "; ".join(parts)
