"""Write an ONNX file in the protobuf wire format: six messages, no parser.

The `onnx` package, which could do it, adds 31 MB to every installation for a step that runs once
per machine. Field and enum numbers are those of `onnx.proto`
(https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), protobuf encoding is
https://protobuf.dev/programming-guides/encoding/. Equal arguments give equal bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Attribute = int | float | Sequence[int]

FLOAT, INT64 = 1, 7  #: TensorProto.DataType
ELEMENT_TYPES = {"float32": FLOAT, "int8": 3, "int64": INT64}
IR_VERSION = 9  #: the format of ONNX 1.15, the first with operator set 20

_VARINT, _BYTES, _FIXED32 = 0, 2, 5  # wire types
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7  # AttributeProto.AttributeType


def varint(number: int) -> bytes:
    """Encode a number with seven bits a byte, lowest first; negatives as 64-bit two's
    complement."""
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number: int, value: int | float | str | bytes) -> bytes:
    """Encode one field: int as varint, float as 32 bits, text and embedded messages with length."""
    if isinstance(value, int):
        return varint(number << 3 | _VARINT) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | _FIXED32) + struct.pack("<f", value)
    encoded = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | _BYTES) + varint(len(encoded)) + encoded


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """Encode a TensorProto of a float32, int8 or int64 array, little endian."""
    contiguous = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    shape = b"".join(field(1, size) for size in values.shape)
    element_type = field(2, ELEMENT_TYPES[values.dtype.name])
    return shape + element_type + field(8, name) + field(9, contiguous.tobytes())


def attribute(name: str, value: Attribute) -> bytes:
    """Encode an AttributeProto of an integer, a float or a list of integers."""
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, _ATTRIBUTE_INT)
    if isinstance(value, float):
        return field(1, name) + field(2, value) + field(20, _ATTRIBUTE_FLOAT)
    numbers = b"".join(field(8, number) for number in value)
    return field(1, name) + numbers + field(20, _ATTRIBUTE_INTS)


def node(
    operator: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    attributes: Mapping[str, Attribute],
    domain: str = "",
) -> bytes:
    """Encode a NodeProto: one operation between named values."""
    return (
        b"".join(field(1, name) for name in inputs)
        + b"".join(field(2, name) for name in outputs)
        + field(4, operator)
        + b"".join(field(5, attribute(name, value)) for name, value in attributes.items())
        + (field(7, domain) if domain else b"")
    )


def value_info(name: str, element_type: int, shape: Iterable[int | str]) -> bytes:
    """Encode a ValueInfoProto of a graph's input or output; a named dimension is variable."""
    sizes = (field(1, size) if isinstance(size, int) else field(2, size) for size in shape)
    dimensions = b"".join(field(1, size) for size in sizes)
    return field(1, name) + field(2, field(1, field(1, element_type) + field(2, dimensions)))


def graph(
    name: str,
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
) -> bytes:
    """Encode a GraphProto; `nodes` are in an order in which they can run."""
    return (
        b"".join(field(1, item) for item in nodes)
        + field(2, name)
        + b"".join(field(5, item) for item in constants)
        + b"".join(field(11, item) for item in inputs)
        + b"".join(field(12, item) for item in outputs)
    )


def model(graph: bytes, producer: str, operator_sets: Mapping[str, int]) -> bytes:
    """Encode a ModelProto, the whole file. `operator_sets` maps domain ("" is ONNX itself) to
    version."""
    imports = (field(1, domain) + field(2, version) for domain, version in operator_sets.items())
    return (
        field(1, IR_VERSION)
        + field(2, producer)
        + field(7, graph)
        + b"".join(field(8, item) for item in imports)
    )
