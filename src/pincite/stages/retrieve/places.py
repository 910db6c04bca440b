"""Search for the places of files that a question names, such as the frames of a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pincite.model import DocumentRecord
from pincite.ports import AnyOf, Range, Searchable, SearchRequest
from pincite.questions.frames import MOST_FILES, Frame
from pincite.support.concurrency import gather_outcomes, with_timeout
from pincite.support.fields import replace

_FRAMES: Final = 8  # places of one question
_CHUNKS: Final = 4  # of each place and side; a long line has several chunks
_LISTING_S: Final = 1.0  # guess: a thousand documents take 10 ms


async def at_places(
    request: SearchRequest,
    collection: Searchable,
    frames: Sequence[Frame],
    left_ms: float | None,
    *,
    apart: bool,
) -> list[SearchRequest]:
    """Return one request for each of the first `frames` whose file the collection has: the same
    one, limited to chunks of this file that have the line.

    The path of a frame begins at another folder than those of the index, so all documents are
    listed, as for a scope with paths. Only those count whose path has most in common with the
    frame, and none if there are more than four; for a caller who is kept `apart` from others, all
    of them. [] without frames, or if the index fails or does not answer within a second and the
    rest of the time budget.
    """
    limit_s = _LISTING_S if left_ms is None else min(_LISTING_S, left_ms / 1000)
    if not frames or limit_s <= 0:
        return []
    name = collection.spec.name
    listing = with_timeout(name, collection.index.documents(name), limit_s)
    (records,) = await gather_outcomes([listing])
    if isinstance(records, BaseException):
        return []
    files = _files(frames, records, apart=apart)
    return [_at(request, one, files[one]) for one in frames if one in files][:_FRAMES]


def _files(
    frames: Iterable[Frame], records: Iterable[DocumentRecord], *, apart: bool
) -> Mapping[Frame, Sequence[str]]:
    """Return the revisions of the files of each frame."""
    of_name: dict[str, list[Frame]] = {}
    for one in frames:
        of_name.setdefault(_name(one.path), []).append(one)
    found: dict[Frame, dict[str, int]] = {}
    for record in records:
        for one in of_name.get(_name(record.path), ()):
            if same := one.fits(record.path):
                found.setdefault(one, {})[record.revision] = same
    if apart:
        return {one: tuple(same) for one, same in found.items()}
    files = {one: _longest(same) for one, same in found.items()}
    return {one: revisions for one, revisions in files.items() if len(revisions) <= MOST_FILES}


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _longest(found: Mapping[str, int]) -> Sequence[str]:
    most = max(found.values())
    return tuple(revision for revision, same in found.items() if same == most)


def _at(request: SearchRequest, frame: Frame, revisions: Sequence[str]) -> SearchRequest:
    here = (
        AnyOf("revision", tuple(revisions)),
        Range("start_line", lte=frame.line),
        Range("end_line", gte=frame.line),
    )
    return replace(
        request,
        dense_limit=_CHUNKS,
        sparse_limit=_CHUNKS,
        fusion_limit=_CHUNKS,
        filter=replace(request.filter, must=(*request.filter.must, *here)),
    )
