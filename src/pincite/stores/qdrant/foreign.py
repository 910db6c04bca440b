"""Search a collection that another program made. Nothing is written to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from qdrant_client import models

from pincite.errors import UsageError
from pincite.model import Chunk, CollectionSpec, DocumentRecord, Hit, Ranking, SignalName, Vector
from pincite.ports import SearchRequest, Stored
from pincite.stores.fields import Foreign
from pincite.stores.foreign_ids import PointIds
from pincite.stores.qdrant import shape
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.foreign_filter import to_filter
from pincite.stores.qdrant.shape import Shape
from pincite.stores.qdrant.translate import to_sparse
from pincite.stores.ranked import Side, rankings_of
from pincite.stores.validate import check_prefix, check_request, is_id
from pincite.support.fields import replace


class ForeignCollection:
    """`pincite.ports.Readable` over one collection of a server. No request is sent before the first
    use; the description of the collection is then cached."""

    def __init__(self, connection: Connection, foreign: Foreign, spec: CollectionSpec) -> None:
        self._connection = connection
        self._foreign = foreign
        self._spec = spec
        self._ids = PointIds(foreign.name)
        self._shape: Shape | None = None

    async def look(self) -> Shape:
        """Return the collection's description. Raises StoreError, and UsageError if it cannot be
        searched as configured."""
        if self._shape is None:
            self._shape = await shape.look(self._connection, self._foreign)
        return self._shape

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """See `Store.search`. The kind of the dense ranking depends on the collection's
        distance."""
        seen = await self.look()
        check_request(replace(self._spec, dense=None), request)
        self._require_size(request.dense, seen)
        branches = [b for b in self._branches(request, seen) if b is not None]
        filter_ = to_filter(request.filter, self._foreign.fields, seen.words, self._ids)
        heads: list[list[Hit]] = [[] for _ in branches]
        if filter_ is not False:
            heads = await self._ask([(b, filter_, b.limit) for b in branches])
        sides: dict[SignalName, Side] = {
            branch.name: _Asked(self, branch, head)
            for branch, head in zip(branches, heads, strict=True)
        }
        spec = replace(self._spec, name=collection, idf=seen.idf)
        found = await rankings_of(spec, request, sides)
        return tuple(replace(r, kind=seen.kind) if r.signal == "dense" else r for r in found)

    async def load(
        self,
        collection: str,  # noqa: ARG002 - there is one
        ids: Sequence[str],
        *,
        vectors: bool = False,
    ) -> tuple[Stored, ...]:
        """See `Store.load`. Points without a text are left out."""
        seen = await self.look()
        keys = [self._ids.point_id(key) for key in dict.fromkeys(ids) if is_id(key)]
        if not keys:
            return ()
        wanted: Any = vectors and ([seen.vector] if seen.vector else True)
        records = await self._connection.ask(
            f"read {self._foreign.collection}",
            lambda client: client.retrieve(
                self._foreign.collection, keys, with_payload=True, with_vectors=wanted
            ),
        )
        found = {}
        for record in records:
            chunk = self._chunk(record)
            if chunk is not None:
                vector = _unit(shape.vector_of(record, seen.vector)) if vectors else None
                found[chunk.id] = Stored(chunk, vector)
        return tuple(found[key] for key in ids if key in found)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:  # noqa: ARG002 - there is one
        """See `Store.page`. Points without a text are left out, so a page may have fewer than
        `limit` chunks."""
        check_prefix(after)
        records, _ = await self._connection.ask(
            f"read {self._foreign.collection}",
            lambda client: client.scroll(
                self._foreign.collection,
                offset=None if after is None else self._ids.point_id(after.ljust(32, "0")),
                limit=limit + 1,  # the first may be `after` itself
                with_payload=True,
                with_vectors=False,
            ),
        )
        kept = [record for record in records if self._ids.chunk_id(record.id) != after][:limit]
        return tuple(chunk for record in kept if (chunk := self._chunk(record)) is not None)

    async def documents(
        self,
        collection: str,
        source: str | None = None,  # noqa: ARG002 - of none
    ) -> tuple[DocumentRecord, ...]:
        """Raise UsageError: the documents of the collection are unknown."""
        raise UsageError(
            f"{collection} was made by another program: it does not support filters by"
            " revision or path glob",
            hint="use --where 'path ^= \"docs/\"' instead of --path, --not-path and --ref",
        )

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """Raise UsageError: the order of the points is unknown."""
        named = path or source
        raise UsageError(f"{collection} was made by another program: {named} is not indexed")

    async def chunk_ids(
        self,
        collection: str,
        documents: Sequence[tuple[str, str]],  # noqa: ARG002 - none of them
    ) -> tuple[tuple[str, ...], ...]:
        """Raise UsageError: the order of the points is unknown."""
        raise UsageError(f"{collection} was made by another program: its order is unknown")

    def _chunk(self, record: models.Record) -> Chunk | None:
        return self._foreign.fields.chunk(self._ids.chunk_id(record.id), record.payload or {})

    def _require_size(self, vector: Vector | None, seen: Shape) -> None:
        if vector is not None and vector.shape != (seen.dimensions,):
            raise UsageError(
                f"the collection {self._foreign.name}: the vectors of"
                f" {self._foreign.collection} have {seen.dimensions} dimensions, but"
                f" {self._foreign.model} makes {len(vector)}: the collection was made with another"
                " model, or with fewer dimensions",
                hint=(
                    f"fix `model` in [collections.{self._foreign.name}];"
                    f" MODEL@{seen.dimensions} selects that number of dimensions"
                ),
            )

    def _branches(self, request: SearchRequest, seen: Shape) -> list[_Branch | None]:
        params = models.SearchParams(hnsw_ef=request.hnsw_ef, exact=request.exact)
        dense = sparse = None
        if request.dense is not None:
            query = request.dense.tolist()
            dense = _Branch("dense", query, seen.vector, request.dense_limit, params)
        if request.sparse is not None and self._foreign.sparse:
            query = to_sparse(request.sparse)
            sparse = _Branch("sparse", query, self._foreign.sparse, request.sparse_limit)
        return [dense, sparse]

    async def _ask(
        self, asked: Sequence[tuple[_Branch, models.Filter | None, int]]
    ) -> list[list[Hit]]:
        """Return the hits of each branch by (-score, id), all in one request."""
        if not asked:
            return []
        seen = await self.look()
        queries = [
            models.QueryRequest(
                query=branch.query,
                using=branch.using,
                filter=filter_,
                params=branch.params,
                limit=limit,
                with_payload=False,
            )
            for branch, filter_, limit in asked
        ]
        name = self._foreign.collection
        answers = await self._connection.ask(
            f"search {name}", lambda client: client.query_batch_points(name, queries)
        )
        found = []
        for (branch, _, _), answer in zip(asked, answers, strict=True):
            better = seen.similarity if branch.name == "dense" else float
            hits = [Hit(self._ids.chunk_id(p.id), better(float(p.score))) for p in answer.points]
            found.append(sorted(hits, key=lambda hit: (-hit.score, hit.id)))
        return found

    async def scores(self, branch: _Branch, ids: Collection[str]) -> Mapping[str, float]:
        """Return the scores of these points on one side."""
        only = models.Filter(
            must=[models.HasIdCondition(has_id=[self._ids.point_id(key) for key in ids])]
        )
        exact = models.SearchParams(exact=True) if branch.params else None
        (hits,) = await self._ask([(replace(branch, params=exact), only, len(ids))])
        return {hit.id: hit.score for hit in hits}


@dataclass(frozen=True, slots=True)
class _Branch:
    """One side of a request."""

    name: SignalName
    query: Any
    using: str | None
    limit: int
    params: models.SearchParams | None = None


class _Asked:
    """A `stores.ranked.Side` whose best hits are known."""

    def __init__(self, index: ForeignCollection, branch: _Branch, head: list[Hit]) -> None:
        self._index = index
        self._branch = branch
        self._head = head

    async def best(self, limit: int) -> list[Hit]:
        return self._head[:limit]

    async def of(self, ids: Collection[str]) -> Mapping[str, float]:
        return await self._index.scores(self._branch, ids) if ids else {}


def _unit(values: Sequence[float]) -> Vector | None:
    vector: Vector = np.array(values, dtype=np.float32)
    norm = float(np.linalg.norm(vector))
    unit: Vector = vector / np.float32(norm or 1.0)
    return unit if norm else None
