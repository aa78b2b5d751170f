"""Token counts: how snapshots are merged, and where each number is from.

Knows: the canonical split (input includes cached, output includes reasoning) and the merge rules a source may declare.
Must not know: any provider's field names; decoders hand over canonical numbers.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from weft.events import Usage, UsageSource

Merge = Literal["replace", "max", "add"]
Field = Literal[
    "input_tokens", "output_tokens", "total_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"
]
FIELDS: tuple[Field, ...] = get_args(Field)


class UsageLedger:
    """Merges one source's snapshots by its declared rule. None keeps; numbers are never guessed."""

    def __init__(self, rule: Merge = "replace", per_field: Mapping[str, Merge] | None = None) -> None:
        self._rules: dict[str, Merge] = {**dict.fromkeys(FIELDS, rule), **(per_field or {})}
        self._values: dict[str, int] = {}
        self._sources: dict[str, UsageSource] = {}
        self._raw: Any = None

    def add(self, counts: Mapping[str, int | None], source: Mapping[str, UsageSource], raw: Any = None) -> bool:
        """Take one snapshot; true if any number changed. `source` names the fields that are not plainly reported. Nothing is less than zero."""
        changed = False
        for field in FIELDS:
            value = counts.get(field)
            if value is None or value < 0:
                continue
            if (merged := self._merged(field, value)) != self._values.get(field):
                self._values[field] = merged
                changed = True
            self._sources[field] = source.get(field, "reported")
        if raw is not None:
            self._raw = raw
        return changed

    def snapshot(self) -> Usage | None:
        """What is known now, or None if no number was ever seen. A missing total is the sum, marked as derived."""
        if not self._values:
            return None
        values, sources = dict(self._values), dict(self._sources)
        if "total_tokens" not in values and {"input_tokens", "output_tokens"} <= values.keys():
            values["total_tokens"] = values["input_tokens"] + values["output_tokens"]
            sources["total_tokens"] = "derived"
        return Usage(**values, sources={field: sources[field] for field in FIELDS if field in sources}, raw=self._raw)

    def _merged(self, field: str, value: int) -> int:
        old = self._values.get(field)
        if old is None:
            return value
        rule = self._rules[field]
        if rule == "add":
            return old + value
        return max(old, value) if rule == "max" else value
