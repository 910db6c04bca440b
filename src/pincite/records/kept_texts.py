"""Give indexed records new attributes in the members that have them.

A run with another model than the members of its base adds a member of its own. If only attributes
have changed, nothing would be written to that member, so it is not made.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from pincite.collection.union import UnionIndex
from pincite.errors import InvalidRecord
from pincite.ingestion.attributes.schema import settle_schema
from pincite.ingestion.dense_model import choose_model
from pincite.ingestion.run import IndexRun
from pincite.ingestion.sources.revisions import fingerprints, revision_of
from pincite.ingestion.target import of_model
from pincite.model import CollectionSpec, KeptRecord
from pincite.records.batches import Given
from pincite.records.normalise import accept
from pincite.sources.record_store import RecordState, RecordStore
from pincite.support.fields import replace


def would_add_member(run: IndexRun) -> bool:
    """Return whether the run would add a member to a base that has some. Its model is compared by
    name, without opening it."""
    options, held = run.options, run.held
    if not (options.beside and held) or options.rebuild or options.upgrade:
        return False
    specs = [info.spec for info in held]
    if options.lexical:
        return all(spec.dense is not None for spec in specs)
    name = choose_model(run.settings, of_model(run.settings, held, options), options)
    return not any(spec.dense is not None and spec.model == name for spec in specs)


class KeptTexts:
    """The records of `source` in the members of a run's base. `rewritten` and `unchanged` count the
    records that were taken so far."""

    def __init__(self, run: IndexRun, store: RecordStore, source: str) -> None:
        self._run, self._store, self._source = run, store, source
        self._specs = [info.spec for info in run.held]
        *others, last = self._specs
        self._index = UnionIndex(run.client, last.name, others)
        self.rewritten = self.unchanged = 0

    async def take(self, batch: Sequence[Given]) -> list[Given]:
        """Write the new attributes of records whose texts are unchanged, and return the other
        records. All are returned if an earlier run has left work, or if the attributes of the
        collection change. Raises StoreError."""
        if not await self._is_settled():
            return list(batch)
        accepted = [self._accepted(one) for one in batch]
        paths = [one.path for one in accepted if one is not None]
        states = await asyncio.to_thread(self._states, paths)
        times = Counter(paths)
        left: list[Given] = []
        changed: list[KeptRecord] = []
        for given, record in zip(batch, accepted, strict=True):
            state = None if record is None else states.get(record.path)
            if record is None or times[record.path] > 1 or not self._has_text(state, record):
                left.append(given)
            elif state is not None and state.attributes == record.attributes:
                self.unchanged += 1
            else:
                changed.append(record)
        if changed:
            await self._write(changed)
        return left

    async def _is_settled(self) -> bool:
        run, specs = self._run, self._specs
        schema = await settle_schema(run, ())
        same = all(schema.attributes.keys() <= one.attributes.keys() for one in specs)
        if not same or any(schema.require != one.require for one in specs):
            return False
        if any(info.lost for info in run.held):
            return False
        place = run.collection, self._source
        pending = await asyncio.to_thread(self._store.page, *place, "", 1, pending=True)
        return not (pending or await asyncio.to_thread(self._store.going, *place, 1))

    def _accepted(self, given: Given) -> KeptRecord | None:
        """Return the record, None if it is invalid or has a new attribute."""
        position, record = given
        last = self._specs[-1]
        declared = frozenset(self._run.settings.attributes)
        try:
            found = accept(record, position, last.attributes, last.require, declared)
        except InvalidRecord:
            return None
        return None if found.new or found.title_cut else found.record

    def _states(self, paths: Sequence[str]) -> dict[str, RecordState]:
        return self._store.states(self._run.collection, self._source, paths)

    def _has_text(self, state: RecordState | None, record: KeptRecord) -> bool:
        """Return whether a member has the chunks of this text."""
        if state is None or not state.settled or state.indexed is None:
            return False
        if (state.content_hash, state.shape) != (record.content_hash, record.shape):
            return False
        key = (self._source, state.path, state.content_hash)
        return any(
            revision_of(*key, way) == state.indexed.revision
            for spec in self._specs
            for way in _ways(spec, state)
        )

    async def _write(self, records: Sequence[KeptRecord]) -> None:
        name, place = self._specs[-1].name, (self._run.collection, self._source)
        await asyncio.to_thread(self._store.put, *place, records)
        states = await asyncio.to_thread(self._states, [one.path for one in records])
        touched = [
            replace(one.indexed, attributes=one.attributes)
            for one in states.values()
            if one.indexed is not None
        ]
        await self._index.touch(name, touched)
        await asyncio.to_thread(self._store.settle, self._run.collection, touched)
        await self._index.settle(name)
        await asyncio.to_thread(self._store.flush)
        self.rewritten += len(touched)


def _ways(spec: CollectionSpec, state: RecordState) -> tuple[str, ...]:
    return fingerprints(spec, (state.shape,), spec.made_with)
