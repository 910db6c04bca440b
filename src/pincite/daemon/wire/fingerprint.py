"""The fingerprint of all messages between client and daemon.

`python -m pincite.daemon.wire.fingerprint` prints the line that `protocol_versions.SHAPES` needs
once a message has changed.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import msgspec

from pincite.daemon.wire import protocol
from pincite.daemon.wire.messages import Place
from pincite.profile import Profile

#: Types that are sent as bytes inside other messages, and the form of an error.
_INSIDE: tuple[Any, ...] = (tuple[Place, ...], Profile, tuple[str, str, str])


def fingerprint() -> str:
    """Return 16 hex digits that change with every operation, type, field, order of fields, and type
    of a field of all messages."""
    return hashlib.sha256(description().encode()).hexdigest()[:16]


def description() -> str:
    """Return the text behind the fingerprint, a line for each type and operation."""
    known: dict[type, str] = {}
    lines = [f"inside {_name(type_, known)}" for type_ in _INSIDE]
    for name in sorted(protocol.operations()):
        operation = protocol.operation(name)
        arguments = _name(operation.arguments, known)
        lines.append(f"{name} {operation.names} {arguments} -> {_name(operation.result, known)}")
    types = sorted(f"{type_.__qualname__} = {text}" for type_, text in known.items())
    return "\n".join([*types, *lines])


def line_for(number: int) -> str:
    """Return the entry of `shapes.SHAPES` for the current messages."""
    return f'    {number}: "{fingerprint()}",'


def _name(type_: Any, known: dict[type, str]) -> str:
    return _describe(msgspec.inspect.type_info(type_), known)


def _describe(type_: Any, known: dict[type, str]) -> str:
    """Return a type as text. Types with fields get an entry in `known` and are then referred to by
    name."""
    kind = type(type_).__name__.removesuffix("Type")
    if not hasattr(type_, "fields"):
        values = (getattr(type_, name) for name in type_.__struct_fields__)
        said = [_value(value, known) for value in values if value is not None]
        return f"{kind}({', '.join(said)})" if said else kind
    if type_.cls not in known:
        known[type_.cls] = ""  # it may contain itself
        fields = [
            f"{each.encode_name}{'' if each.required else '?'}: {_describe(each.type, known)}"
            for each in type_.fields
        ]
        how = [str(getattr(type_, name)) for name in _HOW if getattr(type_, name, None)]
        kind = "Fields" if kind in ("Dataclass", "Struct") else kind  # these two are sent alike
        known[type_.cls] = f"{kind}({', '.join([*how, *fields])})"
    return str(type_.cls.__qualname__)


_HOW = ("tag_field", "tag", "array_like")


def _value(value: Any, known: dict[type, str]) -> str:
    if isinstance(value, msgspec.inspect.Type):
        return _describe(value, known)
    if isinstance(value, tuple):
        return f"({', '.join(_value(each, known) for each in value)})"
    return getattr(value, "__qualname__", None) or repr(value)


if __name__ == "__main__":
    sys.stdout.write(f"{line_for(protocol.PROTOCOL + 1)}\n")
