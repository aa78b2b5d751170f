"""The comparison with others comes to its end, whatever they do."""

import subprocess
import sys

import pytest
from benchmarks import beside
from benchmarks.beside import Other, lines, printed, row


def test_another_that_hangs_is_stopped_and_what_it_said_is_kept():
    command = [sys.executable, "-c", "import time; print('{}', flush=True); time.sleep(60)"]
    silences: list[float] = []
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE) as process:
        said = [*printed(process, 2.0, silences)]
    assert (["{}\n", ""], [2.0]) == (said, silences)


def test_another_without_an_environment_is_a_row_that_says_so(monkeypatch: pytest.MonkeyPatch):
    missed: list[str] = []
    monkeypatch.setattr(beside, "MISSED", missed)
    other = Other("nobody", ".venv-nobody", 5)
    told = [row(other, line, 1) for line in lines(other, "nowhere", 1.0)]
    assert [("nobody", "", "events", "no .venv-nobody here; `make bench` makes it", "", "")] == told
    assert ["nobody: not measured: no .venv-nobody here; `make bench` makes it"] == missed
