"""The linter: which rules of strict clients a stream breaks, where, and what each client does about it.

Knows: the public names. Must not know: any rule. A rule is a row of data in the file of its protocol, beside the machine that finds it.
"""

from weft.linting.checklist import PROTOCOLS
from weft.linting.linter import Linter, all_rules, lint
from weft.linting.rule import CLIENTS, EFFECTS, Effect, Finding, Rule

__all__ = ["CLIENTS", "EFFECTS", "PROTOCOLS", "Effect", "Finding", "Linter", "Rule", "all_rules", "lint"]
