"""Ids of calls that a target accepts: the source's own where it is legal, else a deterministic one in its place.

Knows: how to make an id fit a pattern. Must not know: which target has which pattern; encoders say so.
"""

import re
from hashlib import sha256
from typing import Final
from zlib import crc32

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def fitted(id: str, illegal: re.Pattern[str], longest: int = 64) -> str:
    """The id itself if it is legal; else its legal characters and a checksum, so that two ids stay two and call and result agree."""
    if id and len(id) <= longest and not illegal.search(id):
        return id
    kept = illegal.sub("_", id)[: longest - 9]
    return f"{kept}_{crc32(id.encode('utf-8', 'replace')):08x}"


def coded(id: str, length: int) -> str:
    """The id itself if it is just so many letters and digits; else as many that are made of it, the same each time."""
    if len(id) == length and id.isascii() and id.isalnum():
        return id
    number = int.from_bytes(sha256(id.encode("utf-8", "replace")).digest())
    return "".join(_ALPHABET[number // len(_ALPHABET) ** place % len(_ALPHABET)] for place in range(length))
