"""Rows of Parquet as Python values. Needs pyarrow.

Python has no nanoseconds and no year after 9999: times are cut to microseconds, and a row with a
later time is reported. A map becomes a mapping, as a struct does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow
from pyarrow import types

_NOT_PYTHON = (ValueError, OverflowError, LookupError)  # the last: an unknown time zone


def rows_of(batch: pyarrow.RecordBatch) -> Iterator[Mapping[str, Any] | str]:
    """Yield each row by its columns, or a message for a row with a value that Python cannot
    represent."""
    names = batch.schema.names
    columns = [_in_micros(one) for one in batch.columns]
    try:
        held = [_values(one) for one in columns]
    except _NOT_PYTHON:
        for number in range(batch.num_rows):
            yield _row(names, [one.slice(number, 1) for one in columns])
        return
    for values in zip(*held, strict=True):
        yield dict(zip(names, values, strict=True))


def _row(names: list[str], columns: list[pyarrow.Array]) -> Mapping[str, Any] | str:
    found = {}
    for name, column in zip(names, columns, strict=True):
        try:
            (found[name],) = _values(column)
        except _NOT_PYTHON as error:
            return f"the value of {name!r} cannot be read: {error}"
    return found


def _values(column: pyarrow.Array) -> list[Any]:
    """Return the values of a column. Raises one of `_NOT_PYTHON`."""
    if not types.is_map(column.type):
        return list(column.to_pylist())
    return [None if pairs is None else _mapping(pairs) for pairs in column.to_pylist()]


def _mapping(pairs: list[tuple[Any, Any]]) -> Mapping[Any, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _in_micros(column: pyarrow.Array) -> pyarrow.Array:
    """Return the column with times cut to microseconds."""
    kind = _type_in_micros(column.type)
    if kind == column.type:
        return column
    try:
        return column.cast(kind, safe=False)
    except pyarrow.ArrowException:  # some versions cannot do so within nested types
        return column


def _type_in_micros(kind: pyarrow.DataType) -> pyarrow.DataType:
    if types.is_timestamp(kind) and kind.unit == "ns":
        return pyarrow.timestamp("us", kind.tz)
    if types.is_time64(kind):
        return pyarrow.time64("us")
    if types.is_struct(kind):
        fields = [kind.field(number) for number in range(kind.num_fields)]
        return pyarrow.struct([one.with_type(_type_in_micros(one.type)) for one in fields])
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        inner = kind.value_field.with_type(_type_in_micros(kind.value_type))
        if types.is_large_list(kind):
            return pyarrow.large_list(inner)
        return pyarrow.list_(inner, kind.list_size if types.is_fixed_size_list(kind) else -1)
    if types.is_map(kind):
        return pyarrow.map_(kind.key_type, _type_in_micros(kind.item_type))
    return kind
