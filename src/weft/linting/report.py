"""Where findings go: each rule is listed so many times and then only counted.

Knows: the offset of the frame under way, and which clients read this protocol. Must not know: what is checked.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from weft.linting.rule import Effect, Finding, Rule, worst

LISTED: Final = 20
"""How many findings of one rule are listed: a stream that breaks one in every frame must not hide the rest, nor fill the memory."""


class Report:
    """Takes what the checks find. `at` is where in the input the frame under way begins."""

    def __init__(self, emit: Callable[[Finding], object], rules: Mapping[str, Rule], clients: Iterable[str]) -> None:
        self.at = 0
        self.counts: dict[str, int] = {}
        self._emit = emit
        self._rules = rules
        self._clients = frozenset(clients)

    def add(self, rule: str, message: str, *, at: int | None = None, clients: Iterable[str] | None = None) -> None:
        """Report one finding, unless none of the clients that read this protocol minds; `clients` narrows the rule's own."""
        effects = self._rules[rule].effects
        named = effects if clients is None else clients
        minding: dict[str, Effect] = {name: effects[name] for name in named if name in self._clients}
        if not minding:
            return
        count = self.counts[rule] = self.counts.get(rule, 0) + 1
        if count <= LISTED:
            where = self.at if at is None else at
            severity = worst(minding.values())
            self._emit(Finding(rule=rule, offset=where, severity=severity, message=message, clients=minding))

    def unlisted(self) -> dict[str, int]:
        """How many more of each rule there were than were listed."""
        return {rule: count - LISTED for rule, count in self.counts.items() if count > LISTED}
