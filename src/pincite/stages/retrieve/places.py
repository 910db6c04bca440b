"""Search for the places of files that a question names, such as the frames of a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from pincite.model import Chunk, DocumentRecord, Ranking
from pincite.model.places import FileKey, FrameFiles
from pincite.ports import AnyOf, Filter, Ids, Range, Searchable, SearchRequest
from pincite.questions.file_ends import FileEnds
from pincite.questions.frames import MOST_ASKED, MOST_FILES, Frame
from pincite.scope.choosing import Admit, admitted_records
from pincite.scope.document_records import matches_record
from pincite.stages.retrieve.rankings import ask
from pincite.support.concurrency import gather, gather_outcomes, limited_s, with_timeout
from pincite.support.fields import replace

_CHUNKS: Final = 4  # of each place and side; a long line has several chunks
_MOST_CHUNKS: Final = 64  # of a place in files that only their chunks can tell apart; guess
_LISTING_S: Final = 1.0  # guess: a thousand documents take 10 ms


class Places(msgspec.Struct, frozen=True):
    """The `requests` for places, each with its frame and the files that it asks for, None if only
    chunks can tell them apart, and the `files` of each frame. `is_known` is false if the collection
    may have others."""

    requests: tuple[tuple[Frame, SearchRequest, FrameFiles | None], ...] = ()
    files: tuple[FrameFiles, ...] = ()
    is_known: bool = False


async def at_places(
    requests: Mapping[Frame, SearchRequest],
    collection: Searchable,
    left_ms: float | None,
    admit: Admit | None,
) -> Places:
    """Return one request for each of the first eight frames whose file the collection has: the
    given one, limited to chunks of this file that have the line. The given ones have the same
    filter.

    The path of a frame begins at another folder than those of the index, so all documents are
    listed, as for a scope with paths. Only those count that the filter matches and `admit` allows,
    so that no other document decides which file is meant. Of these, the files that fit best are
    asked for, unless they are more than four. If only chunks tell what the filter matches, all that
    fit are asked for. Nothing is asked for without frames, or if the index fails or does not answer
    within a second and the rest of the time budget.
    """
    limit_s = limited_s(_LISTING_S, left_ms)
    if not requests or limit_s <= 0:
        return Places()
    looking = _look(requests, collection, admit)
    (found,) = await gather_outcomes([with_timeout(collection.spec.name, looking, limit_s)])
    return Places() if isinstance(found, BaseException) else found


async def _look(
    requests: Mapping[Frame, SearchRequest], collection: Searchable, admit: Admit | None
) -> Places:
    filter_ = next(iter(requests.values())).filter
    names = {one.name for one in requests}
    listed = await collection.index.documents(collection.spec.name)
    named = [one for one in listed if one.path.rpartition("/")[2] in names]
    within = _within(filter_, named, collection)
    if admit is not None:
        admitted = await admitted_records(within, admit)
        within = {one: within[one] and known for one, known in admitted.items()}
    ends = FileEnds(requests, within)
    is_known = all(within.values())
    return _best(requests, collection, ends) if is_known else _all(requests, ends)


def _within(
    filter_: Filter, records: Iterable[DocumentRecord], collection: Searchable
) -> dict[DocumentRecord, bool]:
    """Return the documents that the filter may match, and whether their records tell so."""
    held = {one: matches_record(filter_, one, collection.spec) for one in records}
    return {one: known is True for one, known in held.items() if known is not False}


def _best(
    requests: Mapping[Frame, SearchRequest], collection: Searchable, ends: FileEnds[DocumentRecord]
) -> Places:
    asked: list[tuple[Frame, SearchRequest, FrameFiles | None]] = []
    files = []
    for frame, request in requests.items():
        if len(asked) == MOST_ASKED:
            break
        if (best := ends.best(frame)) is None:
            continue
        fit, records = best
        some = records[: MOST_FILES + 1]
        first = tuple(FileKey(one.source, one.path, one.ref) for one in some)
        files.append(FrameFiles(collection.spec.name, frame, fit, len(records), first))
        if len(records) <= MOST_FILES:
            asked.append((frame, _at(request, frame, records, _CHUNKS), files[-1]))
    return Places(tuple(asked), tuple(files), is_known=True)


def _all(requests: Mapping[Frame, SearchRequest], ends: FileEnds[DocumentRecord]) -> Places:
    found: list[tuple[Frame, SearchRequest, FrameFiles | None]] = []
    for frame, request in requests.items():
        if len(found) < MOST_ASKED and (records := ends.all_of(frame)):
            most = min(_MOST_CHUNKS, _CHUNKS * len(records))
            found.append((frame, _at(request, frame, records, most), None))
    return Places(tuple(found))


def _at(
    request: SearchRequest, frame: Frame, records: Sequence[DocumentRecord], most: int
) -> SearchRequest:
    of_files = AnyOf("revision", tuple(one.revision for one in records))
    begins, ends = Range("start_line", lte=frame.line), Range("end_line", gte=frame.line)
    return request.only(of_files, begins, ends, most=most)


async def beside_places(
    places: Places,
    answers: Sequence[Sequence[Ranking]],
    requests: Mapping[Frame, SearchRequest],
    collection: Searchable,
    left_ms: float | None,
) -> tuple[Places, list[tuple[Frame, tuple[Ranking, ...]]]]:
    """Return the places with the ids of the passages next to the lines that no passage has, and the
    rankings that find these. A blank line is in no passage, nor are parts that were left out.
    `answers` are those to the requests for the places, `requests` as for `at_places`. Nothing is
    added if the index fails or does not answer within a second and the rest of the time budget."""
    lacking = [
        files
        for (_, _, files), found in zip(places.requests, answers, strict=True)
        if files is not None and not any(one.hits for one in found)
    ]
    limit_s = limited_s(_LISTING_S, left_ms)
    if not lacking or limit_s <= 0:
        return places, []
    looking = gather([_look_beside(one, requests[one.frame], collection) for one in lacking])
    (found,) = await gather_outcomes([with_timeout(collection.spec.name, looking, limit_s)])
    if isinstance(found, BaseException):
        return places, []
    beside = dict(zip((one.frame for one in lacking), found, strict=True))
    files = tuple(
        replace(one, beside=frozenset(hit.id for each in beside[one.frame] for hit in each.hits))
        if one.frame in beside
        else one
        for one in places.files
    )
    return replace(places, files=files), list(beside.items())


async def _look_beside(
    files: FrameFiles, request: SearchRequest, collection: Searchable
) -> tuple[Ranking, ...]:
    """Return the rankings of the passages before the line, one of each file, or after it, if there
    is none before. A line behind the last passage has none: the file may be shorter."""
    index, name = collection.index, files.collection
    reads = [index.document(name, one.source, one.path) for one in files.files]
    nearest = [_nearest(chunks, files.frame.line) for chunks in await gather(reads)]
    ids = tuple(one.id for one in nearest if one is not None)
    return await ask(collection, request.only(Ids(ids), most=len(ids))) if ids else ()


def _nearest(chunks: Sequence[Chunk], line: int) -> Chunk | None:
    lined = [one for one in chunks if one.end_line]
    after = [one for one in lined if one.start_line > line]
    if not after:
        return None
    before = [one for one in lined if one.end_line < line]
    if before:
        return max(before, key=lambda one: (one.end_line, one.start_line))
    return min(after, key=lambda one: (one.start_line, one.end_line))
