"""The exceptions of the official SDKs, as they really raise them: type, whether to try again, and what people are told."""

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

EXPECTED = [
    ["openai rate", "rate_limit", True, "rate_limit", 7.0],
    ["openai quota", "api_error", False, "billing", None],
    ["openai key", "api_error", False, "authentication", None],
    ["openai line", "api_error", True, "transport", None],
    ["openai late", "timeout", True, "timeout", None],
    ["anthropic busy", "provider_overloaded", True, "overloaded", None],
    ["anthropic balance", "api_error", False, "balance", None],
    ["google rate", "rate_limit", True, "rate_limit", None],
    ["google bad", "api_error", False, "invalid_request", None],
    ["google busy", "provider_overloaded", True, "overloaded", None],
    ["ollama model", "api_error", False, "model", None],
    ["aws rate", "rate_limit", True, "rate_limit", None],
    ["aws key", "api_error", False, "permission", None],
    ["aws late", "timeout", True, "timeout", None],
    ["httpx late", "timeout", True, "timeout", None],
    ["httpx line", "api_error", True, "transport", None],
]


def test_what_the_sdks_raise_is_classified():
    environment = {**os.environ, "PYTHONPATH": f"{CHECKOUT / 'src'}{os.pathsep}{CHECKOUT}"}
    done = subprocess.run(
        [str(PYTHON), "-m", "tests.adapters.sdk_errors"],
        capture_output=True, text=True, timeout=110, check=False, cwd=CHECKOUT, env=environment,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr[-2000:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert EXPECTED == [line[:-1] for line in told]
    assert [] == [line for line in told if "abcdefghijkl" in line[-1]]
