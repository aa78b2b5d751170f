"""Times on Google's wires. Knows RFC 3339; must not know what a time is of."""

from datetime import UTC, datetime


def seconds(stamp: str | None) -> float | None:
    """A time as seconds, if it is one."""
    try:
        time = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
