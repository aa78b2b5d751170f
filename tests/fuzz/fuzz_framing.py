"""Feeds a framer what nobody should send: python tests/fuzz/fuzz_framing.py NAME SECONDS

NAME is sse, ndjson, json_array, aws or sniff. The framer must not raise, and must tell the same however its input is
cut. Guided by coverage where atheris is installed, by chance where it is not. Exit status 1 if it was found out.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "src"))

try:
    import atheris
except ImportError:
    atheris = None

if atheris:
    with atheris.instrument_imports(include=["weft.framing"]):
        import weft.framing  # noqa: F401 the tests' own modules need not be traced

from tests.framing.told import ALL, PIECES, bytewise, cut, tell_in_two  # noqa: E402 it is found only now

SETTINGS = 6  # the first bytes of a blob: limit, default of the sniffer, four cuts
LIMITS = (1 << 20, 1 << 20, 17, 40, 64, 130)
DEFAULTS = [name for name in ALL if name != "sniff"]


def try_out(name: str, blob: bytes) -> None:
    settings, data = blob[:SETTINGS].ljust(SETTINGS, b"\0"), blob[SETTINGS:]
    options = {"limit": LIMITS[settings[0] % len(LIMITS)]}
    if name == "sniff":
        options["default"] = DEFAULTS[settings[1] % len(DEFAULTS)]
    whole = tell_in_two(ALL[name], [data], **options)
    for reads in (bytewise(data), cut(data, (place * len(data) // 255 for place in settings[2:]))):
        told = tell_in_two(ALL[name], reads, **options)
        if told != whole:
            raise AssertionError(f"{name} {options}\nin one read {whole}\nin {reads}\n{told}")


def blob_by_chance(chance: random.Random, name: str) -> bytes:
    data = bytearray().join(chance.choices(PIECES[name], k=chance.randint(1, 24)))
    while data and chance.random() < 0.3:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return chance.randbytes(SETTINGS) + data


def by_chance(name: str, seconds: float) -> int:
    seed = time.time_ns()
    chance, executions, end = random.Random(seed), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        blob = blob_by_chance(chance, name)
        executions += 1
        try:
            try_out(name, blob)
        except Exception as error:  # noqa: BLE001 whatever is raised is a finding
            print(f"{name}: found after {executions} executions (seed {seed}): {blob!r}\n{error!r}")
            return 1
    print(f"{name}: {executions} executions, nothing found")
    return 0


def by_coverage(name: str, seconds: float) -> None:
    """Ends the process: libFuzzer prints its own count of executions."""
    with tempfile.TemporaryDirectory() as corpus:
        chance = random.Random(0)
        for number in range(200):
            Path(corpus, str(number)).write_bytes(blob_by_chance(chance, name))
        options = [
            f"-max_total_time={int(seconds)}",
            "-error_exitcode=1",
            f"-artifact_prefix={corpus}/",
            "-max_len=512",
        ]
        atheris.Setup([sys.argv[0], *options, corpus], lambda blob: try_out(name, blob))
        atheris.Fuzz()


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ALL:
        print(__doc__)
        return 2
    name, seconds = sys.argv[1], float(sys.argv[2])
    if atheris:
        by_coverage(name, seconds)
    return by_chance(name, seconds)


if __name__ == "__main__":
    sys.exit(main())
