"""What no engine may ever be given.

Qdrant Edge accepts NaN, loses its shard for ever on a sparse vector of unequal lengths, and applies
a batch with one bad point in part; so every point is checked before the first one is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pincite.errors import InvalidPoint
from pincite.model import CollectionSpec, Point, SparseVector

_ID = re.compile(r"[0-9a-f]{32}")
_NORM_TOLERANCE = 1e-3  # float32 rounding of 4,096 dimensions stays under 1e-4


def check_points(spec: CollectionSpec, points: Sequence[Point]) -> None:
    """Raise InvalidPoint for the first point that is not fit for a collection of this spec."""
    for point in points:
        where = f"{point.chunk.path}, lines {point.chunk.start_line}-{point.chunk.end_line}"
        if not _ID.fullmatch(point.chunk.id):
            raise InvalidPoint(f"chunk id {point.chunk.id!r} of {where} is not 32 hex digits")
        check_sparse(point.sparse, where)
        _check_dense(spec, point, where)
        _check_text(point, where)


def check_sparse(vector: SparseVector, where: str) -> None:
    """Raise InvalidPoint unless indices are ascending, unique u32 with finite values."""
    indices, values = vector.indices, vector.values
    if len(indices) != len(values):
        raise InvalidPoint(
            f"sparse vector of {where} has {len(indices)} indices and {len(values)} values"
        )
    if indices and (indices[0] < 0 or indices[-1] >= 2**32):
        raise InvalidPoint(f"sparse vector of {where} has an index outside 0..2^32-1")
    if any(left >= right for left, right in pairwise(indices)):
        raise InvalidPoint(f"sparse vector of {where} has indices that do not ascend")
    if not all(map(math.isfinite, values)):
        raise InvalidPoint(f"sparse vector of {where} has a value that is not finite")


def _check_dense(spec: CollectionSpec, point: Point, where: str) -> None:
    if point.dense is None:
        if spec.dense is not None:
            raise InvalidPoint(f"{where} has no dense vector, and {spec.name} wants one")
        return
    if spec.dense is None:
        raise InvalidPoint(f"{where} has a dense vector, and {spec.name} is lexical")
    if point.dense.shape != (spec.dimensions,):
        raise InvalidPoint(
            f"dense vector of {where} has shape {point.dense.shape}, not ({spec.dimensions},)"
        )
    norm = math.sqrt(float(point.dense.dot(point.dense)))
    if not math.isfinite(norm) or abs(norm - 1.0) > _NORM_TOLERANCE:
        raise InvalidPoint(f"dense vector of {where} has norm {norm}, not 1")


def _check_text(point: Point, where: str) -> None:
    chunk = point.chunk
    optional = (chunk.url or "", chunk.plain or "")
    for text in (chunk.text, chunk.path, chunk.title, *optional, *chunk.headings, *chunk.symbols):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidPoint(f"text of {where} is not valid Unicode: {error.reason}") from error


def check_known(collection: str, known: Iterable[str]) -> None:
    """Raise InvalidPoint for a collection that does not exist."""
    names = sorted(known)
    if collection not in names:
        raise InvalidPoint(f"no collection {collection!r}; there are: {', '.join(names) or 'none'}")
