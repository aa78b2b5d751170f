"""Everything about the orchestrator is tested on both of anyio's backends, unless it says that it is of one."""

import pytest


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param
