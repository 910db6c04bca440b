"""Our values are structs or dataclasses; these functions take both."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a struct or a dataclass, in their order; none for other
    types."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    if dataclasses.is_dataclass(kind):
        return tuple(one.name for one in dataclasses.fields(kind))
    return ()


def replace(value: T, /, **changes: Any) -> T:
    """Return the same value with other values of these fields, checked as a new one. Raises
    TypeError for an unknown field. `dataclasses.replace` would accept a struct for mypy, and fail
    when it runs."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **changes)  # noqa: TID251 - here alone
    return dataclasses.replace(value, **changes)  # type: ignore[type-var]  # noqa: TID251
