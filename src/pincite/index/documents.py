"""What an index takes at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pincite.errors import InvalidPoint, UsageError
from pincite.model import IndexedDocument
from pincite.stores.validate import check_sparse

AT_ONCE = 16  #: small documents: a millisecond


async def require_fit(documents: Sequence[IndexedDocument]) -> None:
    """Raise UsageError where two of the documents are the same one, InvalidPoint where the points
    of one are not those that its record counts, or have weights that cannot be rounded."""
    places: set[tuple[str, str]] = set()
    revisions: dict[str, str] = {}
    for number, (record, points) in enumerate(documents, start=1):
        if number % AT_ONCE == 0:
            await asyncio.sleep(0)  # a search may go first
        place = (record.source, record.path)
        if place in places:
            raise UsageError(f"{record.path!r} of {record.source!r} is there twice in one call")
        if other := revisions.get(record.revision):
            raise UsageError(f"{record.path!r} and {other!r} have one revision: {record.revision}")
        places.add(place)
        revisions[record.revision] = record.path
        ids = len({point.chunk.id for point in points})
        if not len(points) == ids == record.chunks:
            raise InvalidPoint(
                f"{record.path!r} has {len(points)} points with {ids} ids, not {record.chunks}"
            )
        for point in points:
            check_sparse(point.sparse, repr(record.path))
