"""Every first turn goes back to every target: exactly the items of the golden, which the review reads.

python -m tests.turns.test_pairs     writes the goldens
"""

from pathlib import Path

import pytest

import weft
from tests.turns.turn_one import TARGETS, TURNS, plain, shown, turn_one
from weft.protocol import BUILT_IN, resolve

GOLDENS = Path(__file__).parent / "goldens"


def told(name: str) -> str:
    message = turn_one(name)
    return "".join(shown(target, weft.replay_turn(message, target)) for target in TARGETS)


@pytest.mark.parametrize("name", TURNS)
def test_goes_back_as_its_golden(name: str):
    golden = (GOLDENS / f"{name}.txt").read_text(encoding="utf-8")
    assert golden.splitlines() == told(name).splitlines()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", TURNS)
def test_items_are_plain_and_the_same_each_time(name: str, target: str):
    first, again = (weft.replay_turn(turn_one(name), target) for _ in range(2))
    assert first == again
    assert first.items == plain(first.items)


def test_every_target_of_the_goldens_takes_turns_back():
    takers = [name for name in BUILT_IN if resolve(name)[0].turn is not None]
    assert sorted(TARGETS) == sorted(takers)


if __name__ == "__main__":
    for turn in TURNS:
        (GOLDENS / f"{turn}.txt").write_text(told(turn), encoding="utf-8")
