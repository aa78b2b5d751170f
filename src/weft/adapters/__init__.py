"""Seed 000's stream adapters: a provider's chunks in, `ProcessedChunk`s out, and errors in words for people.

Knows: what of them is public. Must not know: streams' transports, sinks.
"""

from weft.adapters.adapter import StreamAdapter
from weft.adapters.built_in import EventAdapter, ProtocolAdapter
from weft.adapters.chunk_reader import ChunkReader, aprocess, process
from weft.adapters.descriptions import Trouble, describe, trouble_of
from weft.adapters.registry import AdapterFactory, adapter_for, adapter_names

__all__ = [
    "AdapterFactory",
    "ChunkReader",
    "EventAdapter",
    "ProtocolAdapter",
    "StreamAdapter",
    "Trouble",
    "adapter_for",
    "adapter_names",
    "aprocess",
    "describe",
    "process",
    "trouble_of",
]
