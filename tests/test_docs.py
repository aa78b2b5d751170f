"""The programs in the pages are programs: they compile, and every name of ours that they use is there."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


def blocks() -> list[Any]:
    return [
        pytest.param(found[1], id=f"{page.name}:{page.read_text('utf-8').count(chr(10), 0, found.start()) + 2}")
        for page in PAGES
        for found in BLOCK.finditer(page.read_text("utf-8"))
    ]


def dotted(node: ast.AST) -> str:
    """`weft.events.TextDelta` of such an expression; empty if it is none."""
    if isinstance(node, ast.Attribute) and (stem := dotted(node.value)):
        return f"{stem}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def names(tree: ast.AST) -> set[tuple[str, str]]:
    """Every name of ours that a program uses, with the module or object that it is to be found in."""
    found: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "weft":
            found |= {(str(node.module), alias.name) for alias in node.names}
        elif isinstance(node, ast.Attribute) and dotted(node).startswith("weft."):
            found.add((dotted(node.value), node.attr))
    return found


def is_there(home: str, name: str) -> bool:
    """Does that module, or what stands in one, have it?"""
    try:
        importlib.import_module(f"{home}.{name}")
    except ImportError:
        try:
            return hasattr(importlib.import_module(home), name)
        except ImportError:
            stem, _, last = home.rpartition(".")
            return hasattr(getattr(importlib.import_module(stem), last, None), name)
    return True


@pytest.mark.parametrize("program", blocks())
def test_programs_compile_and_name_what_is_there(program: str):
    tree = compile(program, "page", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    assert [] == sorted(f"{home}.{name}" for home, name in names(tree) if not is_there(home, name))


def test_a_name_that_is_not_there_is_found():
    program = (
        "import weft\nfrom weft.events import Endd\nweft.reed(data, 'anthropic')\nweft.Pipe.losses\nweft.Pipe.gains"
    )
    missing = {f"{home}.{name}" for home, name in names(ast.parse(program)) if not is_there(home, name)}
    assert {"weft.events.Endd", "weft.reed", "weft.Pipe.gains"} == missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path):
    links = set(LINK.findall(page.read_text("utf-8")))
    assert [] == sorted(link for link in links if not (page.parent / link).exists())


def test_the_readmes_first_commands_run():
    text = (ROOT / "README.md").read_text("utf-8")
    told = [line.partition("#")[0].split() for line in re.findall(r"^weft .*", text, re.MULTILINE)]
    assert ["inspect", "collect", "convert"] == [words[1] for words in told]
    for words in told:
        done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, timeout=60, check=False)
        assert 0 == done.returncode, done.stderr.decode()
