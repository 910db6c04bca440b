"""What an index tells of its collections."""

from __future__ import annotations

from pincite.errors import StoreError
from pincite.model import CollectionSpec
from pincite.ports import Catalog, CollectionInfo, Measured


async def describe_collection(
    spec: CollectionSpec,
    catalog: Catalog,
    measured: Measured | None,
    lost: int,
    broken: StoreError | None,
) -> CollectionInfo:
    """A collection and what is in it; a broken one cannot be measured."""
    totals = await catalog.totals(spec.name)
    if broken is not None:
        measured = None
    return CollectionInfo(
        spec=spec,
        sources=await catalog.sources(spec.name),
        documents=totals.documents,
        chunks=totals.chunks,
        tokens=totals.tokens,
        kinds=totals.kinds,
        lost=lost,
        bytes=measured.bytes(spec.name) if measured else 0,
        optimising=measured.optimising(spec.name) if measured else False,
        broken=broken.message if broken else "",
    )
