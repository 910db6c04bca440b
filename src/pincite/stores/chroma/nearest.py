"""The dense side of a search in Chroma."""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pincite.model import Hit, Vector
from pincite.stores.chroma.database import Database
from pincite.stores.chroma.records import HAS_DENSE, Record
from pincite.stores.payload import REVISION
from pincite.stores.ranked import ordered

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection


class Nearest:
    """The dense side: Chroma's graph finds the best hits; scores of other points are computed."""

    def __init__(
        self,
        database: Database,
        chroma: Collection,
        query: Vector,
        having: Sequence[Record],
        *,
        whole: bool,
    ) -> None:
        self._database = database
        self._chroma = chroma
        self._query = query
        self._having = {record.chunk.id: record for record in having}
        self._whole = whole

    async def best(self, limit: int) -> list[Hit]:
        if not self._having:
            return []
        names = {record.key: key for key, record in self._having.items()}
        revisions = sorted({record.revision for record in self._having.values()})
        where: Any = {"$and": [{HAS_DENSE: True}, {REVISION: {"$in": revisions}}]}
        found: Any = await self._database.ask(
            f"search {self._chroma.name}",
            lambda: self._chroma.query(
                query_embeddings=self._query[None, :],
                ids=None if self._whole else list(names),
                where=where if self._whole else None,
                n_results=min(limit, len(names)),
                include=[],
            ),
        )
        return ordered(await self.of([names[key] for key in found["ids"][0] if key in names]))

    async def of(self, ids: Several[str]) -> Mapping[str, float]:
        chosen = [self._having[key] for key in ids if key in self._having]
        query = self._query.astype(np.float64) / np.linalg.norm(self._query.astype(np.float64))
        held = await read_vectors(self._database, self._chroma, chosen)
        return {
            key: float(np.einsum("i,i->", vector.astype(np.float64), query)) / _length(vector)
            for key, vector in held.items()
        }


def _length(vector: Vector) -> float:
    wide = vector.astype(np.float64)
    return float(np.sqrt(np.einsum("i,i->", wide, wide)))


async def read_vectors(
    database: Database, chroma: Collection, chosen: Sequence[Record]
) -> Mapping[str, Vector]:
    """Return the dense vectors of these records, by chunk id."""
    names = {record.key: record.chunk.id for record in chosen}
    if not names:
        return {}
    found: Any = await database.ask(
        f"read {chroma.name}", lambda: chroma.get(ids=list(names), include=["embeddings"])
    )
    return {
        names[key]: np.array(vector, dtype=np.float32)
        for key, vector in zip(found["ids"], found["embeddings"], strict=True)
    }
