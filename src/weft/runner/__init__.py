"""The runner: one answer out of several attempts, over keys and models, with clocks, cooldowns and a commit point.

    async with weft.run(attempts) as run:
        async for event in run: ...

Knows: what it takes from its own files. It needs anyio, and runs on asyncio and trio.
"""

import importlib

try:
    importlib.import_module("anyio")
except ImportError as error:
    raise ImportError("the runner needs anyio: pip install 'weft[runner]'") from error

from weft.runner.attempt import Ask, Attempt, Key, Upstream, expand
from weft.runner.breaker import Breaker, Trip
from weft.runner.clocks import Alarm, Clocks, Time
from weft.runner.commit import VISIBLE, Reset
from weft.runner.history import Tried
from weft.runner.keys import KeyRing
from weft.runner.recourse import RECOURSES, Backoff, Recourse
from weft.runner.running import Run, run

__all__ = [
    "RECOURSES",
    "VISIBLE",
    "Alarm",
    "Ask",
    "Attempt",
    "Backoff",
    "Breaker",
    "Clocks",
    "Key",
    "KeyRing",
    "Recourse",
    "Reset",
    "Run",
    "Time",
    "Tried",
    "Trip",
    "Upstream",
    "expand",
    "run",
]
