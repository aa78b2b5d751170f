"""The objects of the official SDKs are a source like any other: openai, anthropic, google-genai, ollama, cohere, boto3; sync and async."""

import json
import os
import subprocess

import pytest

from tests.referees.cases import CHECKOUT
from tests.referees.oracle import PYTHON, available

pytestmark = [
    pytest.mark.referees,
    pytest.mark.skipif(not available(), reason="no .venv-referees here; `make test` makes it"),
]


def test_objects_read_as_the_bytes_they_came_from():
    environment = {**os.environ, "PYTHONPATH": f"{CHECKOUT / 'src'}{os.pathsep}{CHECKOUT}"}
    done = subprocess.run(
        [str(PYTHON), "-m", "tests.referees.read_objects"],
        capture_output=True, text=True, timeout=110, check=False, cwd=CHECKOUT, env=environment,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-2000:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert 13 == len(told)
    assert "Warning" not in done.stderr
    for line in told:
        assert line["bytes"] == line["objects"], line["input"]
        assert line["bytes"] == line["async"], line["input"]
        assert "completed" == line["bytes"]["outcome"], line["input"]
