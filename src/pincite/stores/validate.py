"""Check everything that a store receives.

Qdrant Edge accepts NaN, loses its shard for ever on a sparse vector of unequal lengths, and applies
a batch with one invalid point in part. So every point is checked before the first one is written.
"""

from __future__ import annotations

import asyncio
import math
import operator
import re
from collections.abc import Collection, Mapping, Sequence

import msgspec

from pincite.errors import InvalidPoint, StoreError, UsageError
from pincite.model import Chunk, CollectionSpec, Point, SparseVector, Vector
from pincite.ports import Condition, SearchRequest
from pincite.stores.attributes import check_attributes, check_field
from pincite.support.decodable import ready

_ID_CHARS = 32
_ID = re.compile(rf"[0-9a-f]{{{_ID_CHARS}}}")
_HEX = re.compile("[0-9a-f]*")
_PREFIX = re.compile(r"[0-9a-f]{0,32}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_AT_ONCE = 16  # points, a millisecond
_NORM_TOLERANCE = 1e-3  # float32 rounding of 4,096 dimensions stays under 1e-4
_LEAST, _MOST = 1.2e-38, 3.4e38  # what float32 holds
_CHUNK_FIELDS = Chunk.__struct_fields__
_CHUNKS = msgspec.msgpack.Decoder(ready(Chunk))
_LARGEST = 2**63 - 1


def is_id(key: str) -> bool:
    """Return whether this is a complete chunk id."""
    return _ID.fullmatch(key) is not None


def complete_ids(keys: Sequence[str]) -> list[str]:
    """Return those of these keys that are complete chunk ids, each once."""
    found = list(dict.fromkeys(keys))
    if set(map(len, found)) == {_ID_CHARS} and _HEX.fullmatch("".join(found)):
        return found  # a tenth of the time of a look at each
    return [key for key in found if is_id(key)]


def check_name(collection: str) -> None:
    """Raise UsageError for a name that is not a valid folder name on all systems."""
    if not isinstance(collection, str) or not _NAME.fullmatch(collection):
        raise UsageError(
            f"{collection!r} cannot name a collection: use up to 64 letters, digits, - and _"
        )


def check_spec(spec: CollectionSpec, dimensions: int) -> None:
    """Raise UsageError for an invalid name, StoreError if the spec is inconsistent or if stored
    vectors have other `dimensions`."""
    check_name(spec.name)
    if (spec.dense is None) != (spec.dimensions == 0):
        raise StoreError(f"collection {spec.name!r}: {spec.dimensions} dimensions of {spec.dense}")
    if 0 != dimensions != spec.dimensions != 0:
        raise StoreError(
            f"collection {spec.name!r} has vectors of {dimensions} dimensions, but"
            f" {spec.dimensions} are expected",
            hint=f"pincite collections rebuild {spec.name}",
        )


def check_known(collection: str, known: Collection[str]) -> None:
    """Raise UsageError for a collection that does not exist."""
    if collection not in known:
        names = ", ".join(sorted(known)) or "none"
        raise UsageError(f"no collection is named {collection!r}; known collections: {names}")


def check_points(spec: CollectionSpec, points: Sequence[Point]) -> None:
    """Raise InvalidPoint for the first point that is invalid for a collection of this spec. A point
    may get its dense vector later."""
    for point in points:
        chunk = point.chunk
        _check_fields(spec, point)
        if not is_id(chunk.id):
            raise InvalidPoint(f"chunk id {chunk.id!r} of {_where(chunk)} is not 32 hex digits")
        if wrong := _wrong_sparse(point.sparse):
            raise InvalidPoint(f"sparse vector of {_where(chunk)} has {wrong}")
        if point.dense is not None:
            if spec.dense is None:
                raise InvalidPoint(
                    f"{_where(chunk)} has a dense vector, but {spec.name} is lexical"
                )
            _check_dense(point.dense, spec.dimensions, _where(chunk))
        box = chunk.on_page.box if chunk.on_page is not None else None
        if box is not None and not all(map(math.isfinite, box)):
            raise InvalidPoint(f"{_where(chunk)} has a box that is not finite: {box}")
    check_attributes(spec, points)


def _where(chunk: Chunk) -> str:
    return f"{chunk.path!r}, lines {chunk.start_line}-{chunk.end_line}"


async def check_revisions(spec: CollectionSpec, revisions: Mapping[str, Sequence[Point]]) -> None:
    """Raise InvalidPoint as `check_points`, and for an id in two revisions. Other tasks run
    meanwhile."""
    owners: dict[str, str] = {}
    checked = 0
    for revision, points in revisions.items():
        for point in points:
            checked += 1
            if checked % _AT_ONCE == 0:
                await asyncio.sleep(0)
            check_points(spec, [point])
            other = owners.setdefault(point.chunk.id, revision)
            if other != revision:
                raise InvalidPoint(
                    f"chunk id {point.chunk.id} of {point.chunk.path!r} is also in revision"
                    f" {other!r}, but within one call, each id may occur once"
                )


def check_sparse(vector: SparseVector, where: str) -> None:
    """Raise InvalidPoint unless indices are ascending, unique u32 with positive values."""
    if wrong := _wrong_sparse(vector):
        raise InvalidPoint(f"sparse vector of {where} has {wrong}")


def _wrong_sparse(vector: SparseVector) -> str:
    indices, values = vector.indices, vector.values
    if len(indices) != len(values):
        return f"{len(indices)} indices and {len(values)} values"
    if indices and (indices[0] < 0 or indices[-1] >= 2**32):
        return "an index outside 0..2^32-1"
    if any(map(operator.ge, indices, indices[1:])):
        return "indices that are not ascending"
    # The sum is finite unless a value is not.
    if values and not (
        min(values) >= _LEAST and max(values) <= _MOST and math.isfinite(sum(values))
    ):
        return "a value that is not a positive float32"
    return ""


def check_request(spec: CollectionSpec, request: SearchRequest) -> None:
    """Raise UsageError for an invalid request, InvalidPoint for an invalid vector."""
    if min(request.dense_limit, request.sparse_limit, request.hnsw_ef) < 1:
        raise UsageError("dense_limit, sparse_limit and hnsw_ef must be at least 1")
    if min(request.fusion_k, request.fusion_limit) < 1:
        raise UsageError("fusion_k and fusion_limit must be at least 1")
    for condition in request.filter.conditions:
        _check_condition(spec, condition)
    if request.sparse is not None:
        check_sparse(request.sparse, "the query")
    if request.dense is not None and spec.dense is not None:
        _check_dense(request.dense, spec.dimensions, "the query")


def _check_condition(spec: CollectionSpec, condition: Condition) -> None:
    try:
        msgspec.msgpack.encode(condition)
    except UnicodeEncodeError as error:
        raise UsageError(f"a filter is not valid Unicode: {error.object!r}") from error
    except OverflowError as error:
        raise UsageError(f"a filter has a number that is outside of 64 bits: {error}") from error
    check_field(spec, condition)


def check_prefix(after: str | None) -> None:
    """Raise UsageError unless this is an id or the beginning of one."""
    if after is not None and not _PREFIX.fullmatch(after):
        raise UsageError(f"{after!r} is not the beginning of an id: use up to 32 of 0-9 and a-f")


def _check_dense(vector: Vector, dimensions: int, where: str) -> None:
    if vector.shape != (dimensions,):
        raise InvalidPoint(
            f"dense vector of {where} has shape {vector.shape}, but ({dimensions},) is expected"
        )
    norm = math.sqrt(float(vector.dot(vector)))
    if not abs(norm - 1.0) <= _NORM_TOLERANCE:
        raise InvalidPoint(f"dense vector of {where} has norm {norm}, but 1 is expected")


def _check_fields(spec: CollectionSpec, point: Point) -> None:
    """Raise InvalidPoint if a field has another type, is not valid Unicode, or is an integer
    outside of 64 bits."""
    chunk = point.chunk
    try:
        # Writing and reading it takes a few µs, less than a check of each field.
        held = _CHUNKS.decode(msgspec.msgpack.encode(chunk))
        most = max(held.start, held.end, held.start_line, held.end_line, held.named_values)
        if max(most, held.start_column or 0, held.end_column or 0, held.page) <= _LARGEST:
            return
        reason = "an integer is outside of 64 bits"
    except (ValueError, OverflowError, TypeError) as error:
        reason = str(error)
    for name in _CHUNK_FIELDS:
        value = getattr(chunk, name)
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and not text.isascii():
                try:
                    text.encode()
                except UnicodeEncodeError as error:
                    raise InvalidPoint(
                        f"{name} of {_where(chunk)} is not valid Unicode: {error.reason}"
                    ) from error
    if isinstance(chunk.attributes, Mapping):
        check_attributes(spec, [point])  # names the attribute
    raise InvalidPoint(f"{_where(chunk)}: {reason}")
