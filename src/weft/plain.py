"""The objects of the vendors' SDKs as plain data.

Knows: how such objects are dumped. Must not know: what they mean.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

# What most frames are stands first.
_PLAIN: Final[tuple[type[Any], ...]] = (dict, list, tuple, int, float, msgspec.Struct, type(None), Mapping)


def plain(value: Any) -> Any:
    """An SDK's object as plain data. Pydantic's are dumped under the names of the wire, without what was not sent.

    That a provider sent what its SDK has no type for is no matter to warn the caller of.
    """
    if isinstance(value, _PLAIN):
        return value  # pyright: ignore[reportUnknownVariableType] - whatever it holds
    if (dump := getattr(value, "model_dump", None)) is not None:
        return dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    if (dump := getattr(value, "to_dict", None)) is not None:
        return dump()
    members: dict[str, Any] | None = getattr(value, "__dict__", None)
    return str(value) if members is None else dict(members)
