"""What `import weft` gives, and what it costs."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import weft
from weft.pipe import PipeOptions

SOURCES = Path(weft.__file__).parent

# The names that users rely on. LATER are those whose part of the project is not there yet; a name leaves it in the change that brings it.
PROMISED = {
    "Choice", "Context", "Message", "Pipe", "StreamAdapter", "ToolCallAccumulator", "ToolIdentityMap", "VSCodeStreamAdapter",
    "acollect", "aread", "collect", "convert", "error_from_http", "from_json", "lint", "read", "replay_turn", "run", "to_json",
}  # fmt: skip
LATER: set[str] = set()

# What the first import must not pay for. Third-party modules besides msgspec are refused without being named.
HEAVY = {
    "asyncio", "concurrent", "dataclasses", "email", "http", "importlib.metadata", "json", "logging", "multiprocessing", "pathlib",
    "random", "socket", "ssl", "subprocess", "tempfile", "threading", "urllib.request", "weft.cli", "weft.gateway", "weft.testing",
}  # fmt: skip

ADDED_BY_IMPORT = """
import sys, msgspec
before = set(sys.modules)
import weft
print(*sorted(set(sys.modules) - before), sep="\\n")
"""


def modules_added_by_import() -> set[str]:
    # -I: neither the caller's environment nor the working directory decide what is imported.
    child = subprocess.run(
        [sys.executable, "-I", "-c", ADDED_BY_IMPORT], capture_output=True, text=True, timeout=60, check=True
    )
    return set(child.stdout.split())


def test_names_promised_are_there():
    assert set() == PROMISED - LATER - set(weft.__all__)


def test_names_that_came_are_no_longer_called_later():
    assert set() == LATER & set(weft.__all__)


def test_all_is_complete():
    public = {
        name for name, value in vars(weft).items() if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert set() == public - set(weft.__all__)


def test_all_names_resolve_once():
    assert sorted(set(weft.__all__)) == sorted(name for name in weft.__all__ if hasattr(weft, name))


def test_everything_that_reads_takes_the_same_keywords():
    keywords = "dialect strict filters steps limits keep verbatim watch context status headers".split()
    for function in (weft.read, weft.aread, weft.Pipe):
        parameters = inspect.signature(function).parameters.values()
        assert keywords == [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    assert set(keywords) == PipeOptions.__annotations__.keys()


def test_context_takes_the_request_first():
    assert weft.Context(request={"model": "m"}, created=5, response_id="r") == weft.Context({"model": "m"}, 5, "r")


def modules_with_exports() -> list[str]:
    """Every module that says what it exports."""
    found: list[str] = []
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        if any(isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in tree.body):
            parts = path.relative_to(SOURCES.parent).with_suffix("").parts
            found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


@pytest.mark.parametrize("name", modules_with_exports())
def test_every_module_has_what_it_exports_and_documents_it(name: str):
    module = importlib.import_module(name)
    missing = [export for export in module.__all__ if not hasattr(module, export)]
    assert ([], len(set(module.__all__))) == (missing, len(module.__all__))
    things = {export: getattr(module, export) for export in module.__all__}
    silent = [
        export for export, thing in things.items() if isinstance(thing, type | FunctionType) and not thing.__doc__
    ]
    assert [] == silent


def test_all_is_sorted():
    # As ruff sorts it: constants, classes, functions.
    assert sorted(weft.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)) == list(weft.__all__)


def test_import_pulls_in_nothing_heavy():
    assert set() == modules_added_by_import() & HEAVY


@pytest.mark.parametrize(
    ("without", "program", "extra"),
    [
        ("anyio", "import weft; weft.run", "runner"),
        ("anyio", "import weft; weft.orchestrate", "runner"),
        ("anyio", "from weft.testing import FakeClock; FakeClock()", "runner"),
        ("aiohttp", "from weft.io.http import post", "http"),
        ("jsonschema", "from weft.steps.contract import Contract; Contract({'type': 'object'})", "contract"),
        ("uvicorn", "from weft.replay.server import server_of; server_of(None)", "replay"),
    ],
)
def test_what_needs_an_extra_says_which(without: str, program: str, extra: str):
    child = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules[{without!r}] = None; {program}"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    last = child.stderr.splitlines()[-1]
    assert last.startswith("ImportError: ")
    assert f"pip install 'weft[{extra}]'" in last


def test_import_pulls_in_no_third_party_but_msgspec():
    roots = {name.split(".")[0] for name in modules_added_by_import()}
    assert {"weft"} == roots - sys.stdlib_module_names - {"msgspec"}
