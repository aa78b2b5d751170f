"""One of several model calls: a finish and a usage of its own, beside those of the whole.

Knows: how a step's finish is worded and its counts are kept. Must not know: blocks, phases, wires.
"""

from collections.abc import Mapping
from typing import Any

from weft.ending import Ending
from weft.events import FinishReason, StepEnd
from weft.rules import Rules
from weft.usage import UsageLedger


def step_end(
    rules: Rules,
    number: int,
    raw: str | None,
    reason: FinishReason | None,
    counts: Mapping[str, int | None],
    raw_usage: Any,
) -> StepEnd:
    """The event that ends a step."""
    ledger = UsageLedger(rules.usage, rules.usage_fields)
    ledger.add(counts, {}, raw_usage)
    ending = Ending(rules)
    ending.finish(raw, reason, 0)
    return StepEnd(number, ending.reason(0), raw, ledger.snapshot())
