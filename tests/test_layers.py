"""Law 8: who may import whom, as tables, held against every import in the sources.

A new file in a known package is covered at once. A new name straight under src/weft fails until LAYERS says where it stands.
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src"

# From the bottom up; a module may import from its own layer and from those below. "weft" is the package's own __init__.
LAYERS = (
    {
        "events",
        "errors",
        "error_reading",
        "error_tables",
        "context",
        "tools",
        "jsontext",
        "logprobs",
        "nearest",
        "plain",
        "timestamps",
        "partial",
        "partial_string",
    },
    {
        "grammar",
        "rules",
        "carried",
        "toolids",
        "calls",
        "wrapper",
        "usage",
        "finish",
        "ending",
        "place",
        "blocks",
        "facts",
        "unnamed",
        "fragments",
        "step",
        "assembler",
        "framing",
        "lenient",
        "strict",
    },
    {
        "protocol",
        "protocols",
        "filters",
        "steps",
        "message",
        "unfold",
        "accumulator",
        "chunks",
        "losses",
        "encoder",
        "provider_state",
        "planned",
        "turn_writer",
        "turns",
        "run_calls",
    },
    {
        "reader",
        "writer",
        "forward",
        "verbatim",
        "pipe",
        "sources",
        "detect",
        "linting",
        "adapters",
        "stream_events",
        "reconstruction",
        "vscode",
        "trace",
        "pairs",
        "whole",
    },
    {"io", "runner", "orchestrator"},
    {"weft"},
    {"replay"},
    {"gateway", "cli", "testing", "__main__"},
)
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}

# Neighbours that know nothing of each other; the pipe puts them in a row.
APART = {"protocols", "filters", "steps"}

# All but these are the core: pure, deterministic, and at home with what CORE_MAY_IMPORT names.
OUTER = {"io", "runner", "replay", "gateway", "cli", "testing", "__main__"}
CORE_MAY_IMPORT = {
    "abc", "base64", "binascii", "bisect", "codecs", "collections", "copy", "datetime", "enum", "functools", "hashlib", "itertools",
    "math", "msgspec", "operator", "re", "string", "struct", "types", "typing", "unicodedata", "urllib.parse", "weft", "zlib",
}  # fmt: skip

# What one module alone may import besides, and why.
GRANTS = {
    "weft.jsontext": {"json"},  # reads what msgspec refuses: lone surrogates, numbers out of range
    "weft": {"importlib"},  # imports the heavier names when they are asked for
    "weft.filters.named": {"importlib"},  # likewise
    "weft.protocol": {"importlib"},  # finds protocols by name, those of other packages too
    "weft.adapters.catalogue": {"gettext", "importlib"},  # what people are told lies beside the code
    "weft.adapters.descriptions": {"gettext"},  # the type of a catalogue
    "weft.orchestrator": {"importlib"},  # imports what waits when it is asked for
    "weft.orchestrator.loop": {"anyio"},  # the one file of the orchestrator that waits
    "weft.orchestrator.clock": {"anyio"},  # likewise
    "weft.linting.checklist": {"importlib"},  # imports the rules of the protocol that is asked for
    "weft.nearest": {"difflib"},  # hints at a misspelt name
    "weft.vscode.adapter": {"logging"},  # the default of an option whose default is the console
    "weft.stream_events.collect": {"importlib"},  # what keeps a timeout is an extra, imported when one is given
    "weft.steps.contract": {"importlib"},  # the schema's validator is an extra, imported when one is given
}


def files() -> list[Path]:
    return sorted((SOURCES / "weft").rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def top(module: str) -> str:
    """The name straight under weft that a module belongs to."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "weft"


def is_module(name: str) -> bool:
    path = SOURCES.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def imports(source: str) -> Iterator[str]:
    """Every module that a source imports, anywhere in it. `from weft import events` imports weft.events."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                name = f"{module}.{alias.name}"
                yield name if is_module(name) else module


def breaches(module: str, source: str) -> list[str]:
    """What a module's imports do against the tables, in words."""
    home, own = top(module), ".".join(module.split(".")[:3])
    found: list[str] = []
    for name in imports(source):
        if name.split(".")[0] != "weft":
            allowed = CORE_MAY_IMPORT | GRANTS.get(module, set())
            if home not in OUTER and not any(name == ok or name.startswith(f"{ok}.") for ok in allowed):
                found.append(f"{module}: the core does not import {name}")
        elif HEIGHT.get(top(name), -1) > HEIGHT.get(home, len(LAYERS)):
            found.append(f"{module}: {name} stands in a higher layer")
        elif top(name) != home and {top(name), home} <= APART:
            found.append(f"{module}: {home} and {top(name)} know nothing of each other")
        elif (
            name.startswith("weft.protocols.")
            and own.startswith("weft.protocols.")
            and name.split(".")[2] != own.split(".")[2]
        ):
            found.append(f"{module}: protocols never import each other, and this imports {name}")
    return found


@pytest.mark.parametrize("path", files(), ids=module_name)
def test_module_imports_what_its_layer_may(path: Path):
    assert [] == breaches(module_name(path), path.read_text(encoding="utf-8"))


def test_every_module_stands_in_a_layer():
    homeless = sorted({top(module_name(path)) for path in files()} - HEIGHT.keys())
    assert [] == homeless, (
        f"say in LAYERS of {Path(__file__).name} which layer {homeless} belongs to: the lowest that it can do with"
    )


def test_every_grant_is_used():
    sources = {module_name(path): path.read_text(encoding="utf-8") for path in files()}
    unused = [
        f"{module}: {name}"
        for module, names in GRANTS.items()
        for name in names
        if name not in imports(sources.get(module, ""))
    ]
    assert [] == unused


def test_no_import_goes_round_in_a_circle():
    graph = {module_name(path): set(imports(path.read_text(encoding="utf-8"))) for path in files()}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize(
    ("module", "source", "word"),
    [
        ("weft.events", "from weft.assembler import Assembler", "higher layer"),
        ("weft.steps.limits", "import weft.pipe", "higher layer"),
        ("weft.reader", "def f():\n    from weft import Pipe", "higher layer"),
        ("weft.steps.limits", "from weft.protocols.gemini import decode", "nothing of each other"),
        ("weft.protocols.gemini.decode", "from weft.protocols.anthropic.wire import Block", "each other"),
        ("weft.framing.sse", "import os.path", "does not import os.path"),
        ("weft.framing.sse", "from json import loads", "does not import json"),
        ("weft", "import asyncio", "does not import asyncio"),
    ],
)
def test_breach_is_found(module: str, source: str, word: str):
    (found,) = breaches(module, source)
    assert word in found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("weft.jsontext", "import json"),
        ("weft.pipe", "from weft.protocols.gemini.decode import Decoder"),
        ("weft.protocols.gemini.decode", "from weft.protocols.gemini import wire"),
        ("weft.protocols", "from weft.protocols.gemini import decode"),
        ("weft.io.serve", "import asyncio"),
        ("weft.cli", "import weft"),
    ],
)
def test_what_the_tables_allow_passes(module: str, source: str):
    assert [] == breaches(module, source)
