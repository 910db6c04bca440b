"""Fields of our values, which are structs or dataclasses."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import msgspec


def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a struct or a dataclass, in their order; none for other
    types."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()
