"""Many files at once: each converted by itself, into a file of a folder, in as many processes as asked.

Knows: how outputs are named, and how what became of each is told. Must not know: how one file is converted.
"""

import copy
import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Final

from weft.cli.command import Refused, say
from weft.cli.reading import Reading
from weft.cli.words import counted, one_line
from weft.protocol import ProtocolSpec

Convert = Callable[[Any], Reading]

_ENDINGS: Final = {"sse": ".sse", "ndjson": ".ndjson", "aws": ".eventstream", "text": ".txt"}
_UNREADABLE: Final = 2


def convert_many(files: Sequence[str], arguments: Any, spec: ProtocolSpec, convert: Convert) -> int:
    """The worst exit status of all. One that fails does not stop the others; the last line says which did."""
    if arguments.output is None:
        raise Refused("several files need a folder for their outputs: -o FOLDER")
    if "-" in files:
        raise Refused("standard input cannot be combined with files")
    ending = ".json" if arguments.whole else _ENDINGS.get(spec.framing, ".out")
    outputs = outputs_of([*dict.fromkeys(files)], f".{arguments.target.replace('/', '-')}{ending}")
    _make(arguments.output, outputs)
    worst, unfinished = 0, list[str]()
    with ProcessPoolExecutor(max_workers=min(arguments.jobs, len(outputs))) as pool:
        jobs = {pool.submit(_one, convert, _of_one(arguments, file, output)): file for file, output in outputs.items()}
        for done, job in enumerate(as_completed(jobs), 1):
            status, lines = job.result()
            worst = max(worst, status)
            file = one_line(jobs[job])
            unfinished += [file] if status else []
            if lines or not arguments.quiet:
                say(": ".join([f"weft: {done} of {len(outputs)}: {file}", *lines]))
    if unfinished:
        more = f" and {counted(len(unfinished) - 1, 'more file')}" if len(unfinished) > 1 else ""
        say(f"weft: {unfinished[0]}{more} did not complete")
    return worst


def outputs_of(files: Sequence[str], ending: str) -> dict[str, str]:
    """Input -> its output within the folder: its name, or where others have the same, its place below the folder that they share."""
    stems = Counter(Path(file).stem for file in files)
    below = os.path.commonpath([Path(file).absolute().parent for file in files])
    return {
        file: f"{Path(file).stem if stems[Path(file).stem] == 1 else os.path.relpath(file, below)}{ending}"
        for file in files
    }


def _make(folder: str, outputs: dict[str, str]) -> None:
    try:
        for output in outputs.values():
            (Path(folder) / output).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"cannot make {folder!r}: {error.strerror}") from None


def _of_one(arguments: Any, file: str, output: str) -> Any:
    """What would have been said on the command line for this file alone."""
    one = copy.copy(arguments)
    one.file, one.more, one.quiet = file, [], True
    one.output = str(Path(arguments.output) / output)
    one.losses = arguments.losses and f"{one.output}.losses.json"
    return one


def _one(convert: Convert, arguments: Any) -> tuple[int, list[str]]:
    """Its exit status, and what there is to say."""
    try:
        reading = convert(arguments)
    except Refused as refused:
        return _UNREADABLE, [str(refused)]
    return reading.status, reading.verdict()
