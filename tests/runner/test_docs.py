"""The page about the runner: its first program runs, and its figures are the code's."""

import re
from pathlib import Path

import msgspec
import pytest

from tests.runner.loopback import failed, serving
from tests.runner.test_http import ANSWER
from weft.runner import VISIBLE, Clocks, Key
from weft.runner.commit import WITHHELD
from weft.runner.course import Budget

PAGE = (Path(__file__).parent.parent.parent / "docs" / "runner.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_first_program_runs(capsys: pytest.CaptureFixture[str]):
    names: dict = {}
    exec(PROGRAMS[0], names)
    with serving((failed(429),), ANSWER) as server:
        message = await names["ask"](server.url, "Hi", [Key("a", "1"), Key("b", "2")])
    assert "Hello there" == message.text
    assert "Hello there1 large a failed rate_limit\n2 large b completed None\n" == capsys.readouterr().out


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_python(program: str):
    compile(program, "docs/runner.md", "exec")


def test_figures_are_those_of_the_code():
    for name, seconds in msgspec.structs.asdict(Clocks()).items():
        if name != "pings":
            assert f"| `{name}` | {'none' if seconds is None else f'{seconds:g} s'} |" in PAGE
    budget = Budget()
    assert f"`keys_per_model` ({budget.keys_per_model})" in PAGE
    assert f"`max_attempts` ({budget.attempts})" in PAGE
    assert f"`longest_wait` ({budget.longest_wait:g} s)" in PAGE
    assert f"More than {WITHHELD:,} events" in PAGE
    assert {"text", "refusal", "tool_call", "tool_result", "file", "opaque"} == VISIBLE
