"""Find the reason why a file that a locator names is not indexed, on disk or in the catalog."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final, get_args

from pincite.asking import within_sources
from pincite.citations.forms import forms, places, spans
from pincite.citations.listing import CitedIndex
from pincite.citations.resolve import NotNamed
from pincite.errors import PinciteError, SourceError
from pincite.model import SourceRecord
from pincite.model.citation import parse_citation
from pincite.model.left_out import code_of, detail_of, path_of
from pincite.readers import content_hash_of, extracted_suffix
from pincite.readers.extraction.result import reason_of
from pincite.readers.extraction.run import extract_soon
from pincite.readers.given_types import type_of
from pincite.sources import OpenSource, SkipCode, UnreadableFile, reject_content
from pincite.sources.entries import NAME_IS_NO_TEXT
from pincite.sources.reopening import reopen_source
from pincite.support.terminal import one_line

_WAIT_S = 2.0  # guess, unmeasured: for the extraction of a file that is not indexed
#: Sources that are read completely when they are opened. Their content rarely changes, so the list
#: in the catalog is enough.
_SLOW = ("archive", "wheel")
_Reason = tuple[str, str]  # code and detail
_Listed = tuple[str, str, str]  # path, code and detail
#: Reasons that `reason_now` finds again, so that a listed one may be of an earlier content.
_FOUND_AGAIN: Final = frozenset(get_args(SkipCode))
_NOT_EXTRACTED_YET: Final[_Reason] = "", "its text is not extracted yet"
_Name = tuple[str, bool]  # a path in a source, and whether it may be the end of a path


async def left_out_file(index: CitedIndex, locator: str) -> NotNamed | None:
    """Return the error, with the reason, for a locator of a file that is in a source and not
    indexed; None if there is no such file. Reads that file, except in archives: the reason is that
    of its current content."""
    asked: list[tuple[SourceRecord, list[_Name]]] = []
    for info in index.infos:
        for record in () if info.foreign else info.sources:
            if record.source.kind != "records":
                known = await index.documents(info.spec.name, record.source.name)
                indexed = {one.path for one in known}
                found = _names(locator, record, index.here)
                names = dict.fromkeys(one for one in found if one[0])
                asked.append((record, [one for one in names if one[0] not in indexed]))
    return await asyncio.to_thread(_left_out, asked)


def _left_out(asked: Sequence[tuple[SourceRecord, Sequence[_Name]]]) -> NotNamed | None:
    for record, names in asked:
        found = _listed(record, names)
        if names and record.source.kind not in _SLOW:
            found = _now(record, names, found)
        if found is not None:
            return _error(*found)
    return None


def _names(locator: str, record: SourceRecord, here: str | None) -> Iterator[_Name]:
    """Yield the paths in a source that a locator may mean, and whether each may be the end of a
    path. A path with a revision, or from the folder `here`, is complete."""
    for form in forms(locator):
        for one in (form, *(span.name for span in spans(form)), form.partition("#")[0]):
            cited = parse_citation(one)
            if cited is not None and cited.source == record.source.name:
                yield cited.place, not cited.ref
            if here is not None:
                there = within_sources(posixpath.join(here, one), [record.source])
                yield from ((path, False) for _, path in there)
            yield one.removeprefix("./"), True
            if one.startswith(f"{record.source.name}/"):  # as in results of several sources
                yield one[len(record.source.name) + 1 :], True
            yield from ((path, True) for _, path in places(one, [record.source]) if path)


def _listed(record: SourceRecord, names: Sequence[_Name]) -> _Listed | None:
    """Return the path, code and detail of a skipped file in the catalog with one of these names."""
    for line in record.skipped_paths:
        path = path_of(line)
        if any(path == name or (end and path.endswith(f"/{name}")) for name, end in names):
            return path, code_of(line), detail_of(line)
    return None


def _now(record: SourceRecord, names: Sequence[_Name], listed: _Listed | None) -> _Listed | None:
    """Return the listed path, or the first of these paths, that is a file now, with the code and
    detail of the reason to skip it; "" if there is no reason. None if there is no such file. Of a
    source that cannot be opened, and where no look tells the reason, return what is listed."""
    try:
        with reopen_source(record, only_read=True) as opened:
            if listed is not None and (found := _listed_now(opened, listed)) is not None:
                return found
            for path, _ in names:
                with suppress(PinciteError):  # an invalid path
                    if (reason := reason_now(opened, path)) is not None:
                        return path, *reason
    except PinciteError:
        return listed
    return None


def _listed_now(opened: OpenSource, listed: _Listed) -> _Listed | None:
    path, code, detail = listed
    if detail == NAME_IS_NO_TEXT:  # the listed path is not that on disk
        return listed
    with suppress(PinciteError):
        if (reason := reason_now(opened, path)) is None:
            return None
        if reason[0] or (code in _FOUND_AGAIN and reason != _NOT_EXTRACTED_YET):
            return path, *reason
    return listed


def reason_now(opened: OpenSource, path: str) -> _Reason | None:
    """Return the code and the detail of the reason to skip a file with its current name and
    content, an empty code if there is none. None if there is no such file. Raises SourceError."""
    if (left_out := opened.left_out(path)) is not None:
        return left_out.code, left_out.detail
    entry = opened.find(path)
    if entry is None:
        return None
    try:
        raw = opened.read(entry)
        if extracted_suffix(path):
            ocr = opened.source.ocr
            found = extract_soon(path, raw, content_hash_of(raw), _WAIT_S, ocr=ocr)
            return _NOT_EXTRACTED_YET if found is None else ("", "")
    except UnreadableFile as error:
        return "unreadable", error.reason
    except SourceError as error:
        return reason_of(error)
    if (rejected := reject_content(path, raw)) is not None:
        return rejected.code, rejected.detail
    is_known = type_of(opened.source, path, raw[:256]) is not None
    return ("", "") if is_known else ("unsupported", "")


def _error(path: str, code: str, detail: str) -> NotNamed:
    shown = one_line(path)
    if not code:
        return NotNamed(f"{shown} is there, but it is not indexed", hint="pincite index")
    said = f"{shown} is left out of the index: {code}"
    return NotNamed(f"{said} ({one_line(detail)})" if detail else said, hint="pincite status")
