"""The example's adapter, and streams of its provider."""

import importlib.util
from pathlib import Path
from typing import Any

_spec = importlib.util.spec_from_file_location(
    "parrot_adapter", Path(__file__).parent.parent.parent / "examples" / "parrot_adapter.py"
)
assert _spec is not None
assert _spec.loader is not None
_module: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

ParrotAdapter = _module.ParrotAdapter
Squawk = _module.Squawk

STREAM = [
    {"think": "Hm."},
    {"say": "Polly wants"},
    {"say": " a cracker."},
    {"call": "fetch"},
    {"with": '{"what":'},
    {"with": '"cracker"}'},
    {"go": True},
    {"bye": "done"},
]
