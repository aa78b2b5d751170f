"""Adapters by name: other packages', and one for every source.

Knows: where names are looked up. Must not know: any adapter in particular.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from weft.adapters.adapter import StreamAdapter
from weft.adapters.built_in import ProtocolAdapter
from weft.protocol import ProtocolSpec, plugins, resolve_source, specs

AdapterFactory = Callable[[], StreamAdapter]
"""Makes the adapter of one attempt."""

ADAPTER_GROUP: Final = "weft.adapters"


def adapter_for(source: str | ProtocolSpec, **options: Any) -> AdapterFactory:
    """What makes adapters of that name: one that another package brought, else the protocol's (or `protocol/dialect`'s). `options` go to each."""
    if isinstance(source, str) and (point := plugins(ADAPTER_GROUP).get(source)) is not None:
        factory = point.load()
        return partial(factory, **options) if options else factory
    resolve_source(source, options.get("dialect"))
    return partial(ProtocolAdapter, source, **options)


def adapter_names() -> list[str]:
    """All names that `adapter_for` knows, dialects aside."""
    return sorted({spec.name for spec in specs() if spec.decoder is not None} | plugins(ADAPTER_GROUP).keys())
