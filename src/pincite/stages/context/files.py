"""Read the documents of candidates: of each file, the chunks around its candidates."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from pincite.errors import EnginePanicked, PinciteError
from pincite.model import Candidate, Chunk, Notice
from pincite.ports import EVERYTHING, Filter, Searchable
from pincite.ports.outlines import Outlined
from pincite.ports.predicate import matches
from pincite.scope.document_records import asks_of_passages, within_document
from pincite.stages.context.document import DocumentChunks, NotRead
from pincite.stages.context.outlined import OutlinedChunks
from pincite.support.concurrency import gather_outcomes

#: Chunks to read on each side of a candidate. If a document needs more, twice as many are read each
#: time, on each side of the chunk that is needed, up to `_MOST`. With 1, 2, 3, 4, 6, a question
#: needs 3.1, 1.7, .6, .1, 0 further reads. The time is the same from 2 to 4 (0016).
_AROUND = 4
_MOST = 64

#: The filters of a caller who may read everything.
EVERYWHERE: Final[Mapping[str, Filter]] = MappingProxyType({})

_File = tuple[str, str, str]  # collection, source, path


class OutlineOutdated(Exception):
    """A document was replaced since its outline was read, or its chunks cannot be read."""


@dataclass(slots=True)
class Files:
    """The documents of the candidates, each opened once. Chunks that do not match the filter of
    their collection in `readable` are lost to their documents. With `outlines`, only the outline of
    a document is read if it has one, and if all of its chunks match this filter or none does."""

    by_name: Mapping[str, Searchable]
    readable: Mapping[str, Filter]
    outlines: bool = True
    notices: list[Notice] = field(default_factory=list)
    _documents: dict[_File, DocumentChunks | None] = field(default_factory=dict)
    _missing: set[_File] = field(default_factory=set)
    _noted: set[_File] = field(default_factory=set)
    _reach: dict[_File, int] = field(default_factory=dict)

    async def of(self, candidates: Sequence[Candidate]) -> list[DocumentChunks | None]:
        """Return the document of each candidate, None if there is none, with the chunks around the
        candidate. Collections are read at the same time."""
        keys = [one.file for one in candidates]
        wanted: dict[str, dict[_File, list[Chunk]]] = {}
        for key, one in zip(keys, candidates, strict=True):
            if self.by_name[key[0]].foreign or not key[2]:
                self._documents[key] = None
            else:
                wanted.setdefault(key[0], {}).setdefault(key, []).append(one.chunk)
        await _all([self._open(name, files) for name, files in wanted.items()])
        return [self._documents[key] for key in keys]

    async def more(self, needed: Iterable[NotRead]) -> None:
        """Read the chunks that were needed, and those around them. A chunk that cannot be read is
        lost to its document."""
        keys = {id(document): key for key, document in self._documents.items() if document}
        places: dict[str, dict[_File, set[int]]] = {}
        for one in needed:
            key = keys[id(one.document)]
            self._reach[key] = min(2 * self._reach.get(key, _AROUND), _MOST)
            near = one.document.around(one.place, self._reach[key])
            places.setdefault(key[0], {}).setdefault(key, set()).update(near)
        await _all([self._read(name, files) for name, files in places.items()])

    async def _open(self, name: str, files: Mapping[_File, Sequence[Chunk]]) -> None:
        """Open the documents of one collection. A document without an outline is read as a whole if
        the ids of its chunks are unknown, or if it was replaced since the search or before its
        chunks were read."""
        await self._open_outlined(name, files)
        new = [key for key in files if key not in self._documents]
        for key, ids in zip(new, await self._ids(name, new), strict=True):
            document = DocumentChunks(ids)
            if len(document.places_of(one.id for one in files[key])) == len(files[key]):
                self._documents[key] = document
        whole = [key for key in new if key not in self._documents]
        places: dict[_File, set[int]] = {}
        for key, found in files.items():
            opened = self._documents.get(key)
            if opened and not isinstance(opened, OutlinedChunks):
                ids = [one.id for one in found]
                near = [opened.around(place, _AROUND) for place in opened.places_of(ids)]
                places[key] = set().union(*near)
        await _all([self._read(name, places), *(self._read_whole(key) for key in whole)])
        changed = [
            key
            for key in new
            if key not in whole and key not in self._noted and key in self._missing
        ]
        await _all([self._read_whole(key) for key in changed])

    async def _open_outlined(self, name: str, files: Mapping[_File, Sequence[Chunk]]) -> None:
        """Open the documents that have an outline, and add the results to them. A document that
        does not fit its results is left out."""
        index = self.by_name[name].index
        new = [key for key in files if key not in self._documents]
        if new and isinstance(index, Outlined) and self._has_outlines(name):
            try:
                found = await index.outlines(name, [key[1:] for key in new])
            except EnginePanicked:
                raise
            except PinciteError:
                found = ()
            for key, outlined in zip(new, found, strict=bool(found)):
                if outlined is not None:
                    self._documents[key] = OutlinedChunks(outlined)
        for key, results in files.items():
            document = self._documents.get(key)
            if isinstance(document, OutlinedChunks):
                fits = [document.take(one) for one in results]
                if key in new and not all(fits):
                    del self._documents[key]

    def _has_outlines(self, name: str) -> bool:
        spec, filter_ = self.by_name[name].spec, self.readable.get(name, EVERYTHING)
        return self.outlines and not asks_of_passages(filter_, spec)

    async def complete(self, ranges: Iterable[tuple[DocumentChunks, tuple[int, int]]]) -> None:
        """Read the unread chunks of these ranges of documents with an outline. Raises
        OutlineOutdated if one cannot be read: without outlines, other ranges are chosen."""
        keys = {id(document): key for key, document in self._documents.items() if document}
        places: dict[str, dict[_File, list[int]]] = {}
        outlined = []
        for document, reach in ranges:
            if isinstance(document, OutlinedChunks) and (unread := document.unread(*reach)):
                outlined.append(document)
                key = keys[id(document)]
                places.setdefault(key[0], {}).setdefault(key, []).extend(unread)
        await _all([self._read(name, files) for name, files in places.items()])
        if any(document.lost for document in outlined):
            raise OutlineOutdated

    async def _ids(self, name: str, new: Sequence[_File]) -> Sequence[Sequence[str]]:
        """Return the ids of the chunks of these documents, () where they are unknown."""
        if not new:
            return ()
        try:
            return await self.by_name[name].index.chunk_ids(name, [key[1:] for key in new])
        except EnginePanicked:
            raise
        except PinciteError:
            return ((),) * len(new)

    async def _read(self, name: str, files: Mapping[_File, Iterable[int]]) -> None:
        """Read the chunks at these places. Chunks that are missing, or that may not be shown, are
        lost to their documents."""
        opened = {key: self._documents[key] for key in files}
        asked = {
            key: [(place, document.ids[place]) for place in sorted(files[key])]
            for key, document in opened.items()
            if document
        }
        ids = [id_ for places in asked.values() for _, id_ in places]
        if not ids:
            return
        chunks = {}
        try:
            found = await self.by_name[name].index.load(name, ids)
            chunks = {one.chunk.id: one.chunk for one in found}
        except PinciteError as error:
            for key in asked:
                self._note(key, error)
        for key, places in asked.items():
            if document := opened[key]:
                own = {place: chunks[id_] for place, id_ in places if id_ in chunks}
                if len(own) < len(places):
                    self._missing.add(key)
                document.add(self._shown(name, own), [place for place, _ in places])

    def _shown(self, name: str, chunks: Mapping[int, Chunk]) -> dict[int, Chunk]:
        """Return the chunks that may be shown, by place. The revision of their document is that of
        its candidate, which was found within the filter."""
        filter_ = within_document(self.readable.get(name, EVERYTHING))
        return {place: one for place, one in chunks.items() if matches(filter_, "", one)}

    async def _read_whole(self, key: _File) -> None:
        name, source, path = key
        self._documents[key] = None
        try:
            chunks = await self.by_name[name].index.document(name, source, path)
        except PinciteError as error:
            self._note(key, error)
        else:
            document = self._documents[key] = DocumentChunks([one.id for one in chunks])
            document.add(self._shown(name, dict(enumerate(chunks))), range(len(chunks)))

    def _note(self, key: _File, error: PinciteError) -> None:
        """Add a notice, at most one for each file. Raises an error that ends the whole search."""
        if isinstance(error, EnginePanicked):
            raise error
        if key not in self._noted:
            self._noted.add(key)
            said = f"{key[2]} is shown without its surroundings: {error.message}"
            self.notices.append(Notice("context_unavailable", said))


async def _all(works: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run all to their ends, then raise the first error, if any."""
    for outcome in await gather_outcomes(works):
        if isinstance(outcome, BaseException):
            raise outcome
