"""The second parse: which members of a frame does nobody read?

Knows: how to hold a plain value against a wire type. Used by strict mode, lint, inspect and full loss reports, never in the common path.
Must not know: any protocol; its list of members that are known and not read comes in as data.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from msgspec import inspect as shape

from weft.jsontext import is_array, is_object


def unread_members(value: Any, wire: Any, ignores: frozenset[str] = frozenset()) -> Iterator[str]:
    """Dotted paths of members that the wire type does not have.

    `ignores` lists paths without list positions (`choices.delta.role`), or `*.name` for a member wherever it stands.
    """
    yield from _walk(value, _shape_of(wire), "", "", ignores)


@cache
def _shape_of(wire: Any) -> shape.Type:
    return shape.type_info(wire)


def _walk(value: Any, kind: shape.Type, path: str, plain: str, ignores: frozenset[str]) -> Iterator[str]:
    if isinstance(kind, shape.UnionType):
        kind = _branch(value, kind)
    if isinstance(kind, shape.Metadata):
        kind = kind.type
    if isinstance(kind, shape.StructType) and is_object(value):
        yield from _members(value, kind, path, plain, ignores)
    elif isinstance(kind, shape.CollectionType) and is_array(value):
        for at, item in enumerate(value):
            yield from _walk(item, kind.item_type, f"{path}[{at}]", plain, ignores)


def _members(
    value: dict[str, Any], kind: shape.StructType, path: str, plain: str, ignores: frozenset[str]
) -> Iterator[str]:
    fields = _fields_of(kind.cls)
    for name, member in value.items():
        is_known = name in fields
        if is_known and not (is_object(member) or is_array(member)):
            continue
        here = f"{path}.{name}" if path else name
        there = f"{plain}.{name}" if plain else name
        if is_known:
            yield from _walk(member, fields[name], here, there, ignores)
        elif name != kind.tag_field and there not in ignores and f"*.{name}" not in ignores:
            yield here


@cache
def _fields_of(wire: type) -> dict[str, shape.Type]:
    """The members that a Struct has, by the names that they have in JSON."""
    kind = _shape_of(wire)
    return {field.encode_name: field.type for field in kind.fields} if isinstance(kind, shape.StructType) else {}


def _branch(value: Any, union: shape.UnionType) -> shape.Type:
    """The member of a union that this value would be read as."""
    wanted = shape.StructType if is_object(value) else shape.CollectionType if is_array(value) else None
    fits: list[shape.Type] = [kind for kind in union.types if wanted is not None and isinstance(kind, wanted)]
    for kind in fits:
        if isinstance(kind, shape.StructType) and is_object(value) and value.get(kind.tag_field or "") == kind.tag:
            return kind
    return fits[0] if fits else shape.AnyType()
