"""The filters that can be asked for by name, on the command line or in a dialect's row.

Knows: the names and where each is made. Must not know: how any of them works.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from weft.context import Context
from weft.nearest import UnknownNameError

NAMED: dict[str, tuple[str, str]] = {
    "parallel": ("weft.filters.parallel", "Parallel"),
    "snapshots": ("weft.filters.snapshots", "Snapshots"),
    "surrogates": ("weft.filters.surrogates", "Surrogates"),
    "think": ("weft.filters.think", "Think"),
    "think-open": ("weft.filters.think", "ThinkOpen"),
    "think-anywhere": ("weft.filters.think", "ThinkAnywhere"),
    "deepseek-tools": ("weft.filters.tool_markup.deepseek", "DeepSeekTools"),
    "gemma-tools": ("weft.filters.tool_markup.gemma", "GemmaTools"),
    "glm-tools": ("weft.filters.tool_markup.glm", "GLMTools"),
    "kimi-tools": ("weft.filters.tool_markup.kimi", "KimiTools"),
    "minimax-tools": ("weft.filters.tool_markup.minimax", "MiniMaxTools"),
    "qwen-tools": ("weft.filters.tool_markup.qwen", "QwenTools"),
    "harmony": ("weft.filters.tool_markup.harmony", "Harmony"),
}
"""name -> module, maker. A maker takes the next stage and the caller's context, and gives the filter."""


def filter_named(name: str, context: Context | None = None) -> Callable[[Any], Any]:
    """The maker of a filter. Raises `ValueError`, which names the nearest, for a name that nobody has."""
    if name not in NAMED:
        raise UnknownNameError("filter", name, NAMED)
    module, maker = NAMED[name]
    return partial(getattr(import_module(module), maker), context=context)
