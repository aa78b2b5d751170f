"""What became of a stream, and what it was taken for: in one line for people, and as an exit status.

Knows: outcomes and the words for them. Must not know: files, or how a stream is read.
"""

from weft import jsontext
from weft.cli.command import Refused
from weft.cli.words import one_line, percent
from weft.detect import LIKELY, Candidate, detect
from weft.errors import Error, is_error_body
from weft.events import End
from weft.framing.unreadable import unreadable

COMPLETED, UNFINISHED = 0, 3

_ANY_PROTOCOL = "openai-chat"
"""An error body reads the same whoever sent it."""


def reason(end: End, failed_at: int | None, size: int) -> str:
    """Why a stream did not complete: what happened, where, and whose fault."""
    if end.error is None:
        finish = next((finish for finish in end.finishes if finish.reason not in ("stop", "tool_calls", None)), None)
        word = f": the source finished with {one_line(finish.raw or finish.reason or '')}" if finish else ""
        return f"{end.outcome}{word}"
    where = failed_at if failed_at is not None else size
    return f"{end.outcome} at byte {where}: {error_line(end.error)}"


def error_line(error: Error) -> str:
    """An error: its words, its names, and whose fault it is."""
    names = error.type if error.code == error.type else f"{error.type}, {error.code}"
    extra = [f"status {error.status}"] if error.status else []
    extra += [f"at {error.parameter}"] if error.parameter else []
    extra += [f"fault of the {error.fault}"]
    extra += (
        [f"retry after {error.retry_after:g} s"] if error.retry_after else ["worth a retry"] if error.retryable else []
    )
    return one_line(f"{error.message} ({names}; {', '.join(extra)})")


def sureness(best: Candidate) -> str:
    """How sure, and by what."""
    return (
        f"{percent(best.confidence)} sure: {', '.join(best.evidence[:3])}" if best.evidence else "any protocol would do"
    )


def other_than(protocol: str, head: bytes) -> Candidate | None:
    """What the input looks like, if that is another protocol than it was said to be."""
    best = next(iter(detect(head)), None)
    if best is None or best.confidence < LIKELY or best.protocol == protocol.partition("/")[0]:
        return None
    return best


def chosen(candidates: list[Candidate], head: bytes, status: int | None, name: str) -> Candidate:
    """What a stream is to be read as. Refused where that would be a guess, save for errors, which read the same in any protocol."""
    best = candidates[0] if candidates else None
    if best is not None and best.reads and best.confidence >= LIKELY:
        return best
    if (status is not None and status >= 400) or _is_error(head):
        told = next((candidate for candidate in candidates if candidate.reads), None)
        return told or Candidate(protocol=_ANY_PROTOCOL, title="", confidence=0.0)
    if not head.strip():
        raise Refused(f"{name} is empty")
    if best is not None and not best.reads and best.confidence >= LIKELY:
        raise Refused(f"{name} looks like {best.title}, which Weft does not read")
    if (why := unreadable(head)) is not None:
        raise Refused(f"cannot read {name}: {why[1]}")
    guess = f" (best guess: {best.name}, {percent(best.confidence)})" if best is not None and best.reads else ""
    raise Refused(f"cannot tell which protocol {name} is{guess}; say it with --from")


def _is_error(head: bytes) -> bool:
    try:
        return is_error_body(jsontext.decode(head))
    except ValueError:
        return False
