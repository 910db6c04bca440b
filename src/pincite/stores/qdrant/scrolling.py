"""Read all points of a collection that match a filter."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from qdrant_client import models

from pincite.stores.qdrant.connection import Connection

_PAGE = 1_000


async def scroll(
    connection: Connection,
    name: str,
    filter_: models.Filter,
    *,
    vectors: bool = False,
    page: int = _PAGE,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> list[models.Record]:
    """Return all points that match the filter, hidden or not, read `page` by `page` with these
    further options of the request."""
    found: list[models.Record] = []
    offset: Any = None
    while True:
        records, offset = await connection.ask(
            f"read {name}",
            lambda client, o=offset: client.scroll(  # type: ignore[misc]
                name,
                scroll_filter=filter_,
                limit=page,
                offset=o,
                with_payload=True,
                with_vectors=vectors,
                **options,
            ),
        )
        found += records
        if offset is None:
            return found
