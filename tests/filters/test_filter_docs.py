"""The page about filters speaks of each of them."""

import re
from pathlib import Path

from weft.filters.named import NAMED

PAGE = Path(__file__).parent.parent.parent / "docs" / "filters.md"


def test_every_filter_has_a_row():
    table = PAGE.read_text(encoding="utf-8").split("## What holds")[0]
    assert sorted(NAMED) == sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE))
