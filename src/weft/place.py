"""Where in the input we are.

Knows: the frame being read and its offset; faults and made ids are told by them. Must not know: how frames are cut, or what they say.
"""

from collections.abc import Callable


class Place:
    """The reader makes it. `inner` reads a frame that was found inside this one, by payload and name, as if it had come in its place.

    `guest` gives the same for frames of another protocol, by its name: what a host serves may not be its own.
    """

    inner: Callable[[bytes, str], object]
    guest: Callable[[str], Callable[[bytes, str], object]]

    def __init__(self, frame: Callable[[], bytes] = bytes, offset: Callable[[], int] = int) -> None:
        self.frame = frame
        self.offset = offset
