"""Times on the wire: RFC 3339 text.

Knows: how a number of seconds is written. Must not know: what a time is of, or what the time is now.
"""

from datetime import UTC, datetime


def stamp(seconds: float) -> str | None:
    """A time as text, in UTC; None if it is out of the calendar's range."""
    try:
        time = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return time.isoformat().replace("+00:00", "Z")
