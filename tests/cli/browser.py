"""A real browser without a screen, for pages that we wrote. Tests skip with a message where there is none."""

import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--virtual-time-budget=2000",
)  # fmt: skip


def dom(page: Path, profile: Path, fragment: str = "") -> "Tree":
    """The page as it stands in a browser after its script has run."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    done = subprocess.run(
        [browser, *OPTIONS, f"--user-data-dir={profile}", "--dump-dom", page.as_uri() + fragment],
        capture_output=True,
        timeout=60,
        check=True,
    )
    return Tree(done.stdout.decode())


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
