"""What all tests share: how hard hypothesis tries, and where the recorded streams lie."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

CORPUS = Path(__file__).parent.parent.parent / "shared" / "corpus"

# A slow machine is no failure, hence no deadline. The everyday profile is the same on every run; the deep one looks for what is new.
settings.register_profile("everyday", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("everyday")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of recorded streams; a test that asks for it is skipped where there is none, and counts as marked `corpus`."""
    if not CORPUS.is_dir():
        pytest.skip("no recorded streams: ../shared/corpus is not beside this checkout")
    return CORPUS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "corpus" in getattr(item, "fixturenames", ()):
            item.add_marker("corpus")
