"""A real browser without a screen, for pages that we wrote. Tests skip with a message where there is none."""

import json
import platform
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

NODE = Path(__file__).parent.parent / "referees" / "node"
HERE = ("linux", "x86_64") == (sys.platform, platform.machine())


def dom(page: Path, fragment: str = "") -> "Tree":
    """The page as it stands in a browser after its script has run without a fault, and asked for nothing but itself."""
    node = shutil.which("node")
    if node is None or not HERE or not (NODE / "node_modules" / "@sparticuz").is_dir():
        pytest.skip("no browser here: it wants Linux on x86-64 and Node 20, and `make test` to install it")
    command = [node, "browse.mjs", page.as_uri() + fragment]
    seen = json.loads(subprocess.run(command, cwd=NODE, stdout=subprocess.PIPE, timeout=90, check=True).stdout)
    assert ([], [page.as_uri()]) == (seen["errors"], seen["requests"])
    return Tree(seen["dom"])


class Tree(HTMLParser):
    """The elements of a page, each with its attributes and all the text in it."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[dict] = []
        self._open: list[dict] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        element = {"tag": tag, "text": "", **dict(attrs)}
        element["in"] = [outer.get("id") or outer["tag"] for outer in self._open]
        self.elements.append(element)
        if tag not in {"meta", "input", "link", "img", "br"}:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()["tag"] != tag:
            pass

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element["text"] += data

    def all(self, tag: str, **attributes: str) -> list[dict]:
        """Every element of this name with these attributes."""
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [e for e in self.elements if e["tag"] == tag and all(e.get(n) == v for n, v in wanted.items())]

    def one(self, tag: str, **attributes: str) -> dict:
        """The only such element."""
        (element,) = self.all(tag, **attributes)
        return element
