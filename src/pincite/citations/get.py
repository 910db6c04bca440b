"""Read the text that a locator names, from the current file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Concatenate, ParamSpec

from pincite.citations.as_indexed import IndexedText
from pincite.citations.changed_warning import Followed, follow
from pincite.citations.forms import LINES, Span, misread
from pincite.citations.left_out import left_out_file
from pincite.citations.lines_and_columns import misordered
from pincite.citations.listing import CitedIndex
from pincite.citations.named_places import find_place
from pincite.citations.passage import (
    IndexedFile,
    Passage,
    no_such_column,
    read_cited,
    read_columns,
    read_lines,
)
from pincite.citations.resolve import (
    NoFile,
    NotNamed,
    find_chunk,
    find_cited_file,
    find_path,
    find_records,
    find_span,
    only_one,
    open_within,
    read_any,
    shortened,
)
from pincite.citations.suggestions import hint_for
from pincite.errors import StoreError, UsageError
from pincite.model import Attributes
from pincite.model.citation import Citation, cited_in, parse_citation
from pincite.model.revisions import same_revision
from pincite.ports import PagedIndex
from pincite.support.fields import replace

_NUMBER = r"[0-9]{1,9}"
_PLACE = re.compile(
    rf"(?P<path>.+?)(?::(?P<line>{_NUMBER}))?(?::(?P<count>{_NUMBER}))?\Z", re.DOTALL
)
_CHUNK = re.compile(r"#?(?P<id>[0-9a-f]{8,32})\Z")
P = ParamSpec("P")
#: Returns whether text of the document with this path may be read.
Admits = Callable[[str], Awaitable[bool]]


@dataclass(slots=True)
class _Reading:
    """One reading: its locator, the index folder, the test for documents, and the last document
    that it read."""

    locator: str
    folder: Path | None
    admit: Admits | None = None
    known: IndexedFile | None = None

    async def of(
        self,
        read: Callable[Concatenate[IndexedFile, P], Passage],
        known: IndexedFile,
        *rest: P.args,
        **named: P.kwargs,
    ) -> Passage:
        """Call `read` in a thread, because the source may be in a database that does not answer.
        Raises NotNamed if the document is not admitted, and the errors of `read`."""
        if self.admit is not None and not await self.admit(known.path):
            raise NoFile(self.locator)
        self.known = known
        return await asyncio.to_thread(read, known, *rest, **named)

    async def cited(
        self, within: CitedIndex, known: IndexedFile, cited: Citation, context: int
    ) -> Passage:
        """Return the passage of a citation at the current place of its text. If that place is not
        the cited one, or is unknown, the passage has a warning. Raises as `of`."""
        try:
            passage = await self._at(known, cited, context)
        except NotNamed:
            raise
        except UsageError:  # the file no longer has this place; the text may be elsewhere
            found = await self._follow(within, known, cited, changed=True) if cited.ref else None
            if found is None or found.now is None:
                raise
            passage = await self._at(known, found.now, context)
            return replace(passage, warning=found.warning)
        read = parse_citation(passage.citation)
        known_to_be_same = same_revision(cited.ref, known.ref) and not passage.changed
        if not cited.ref or read is None or same_revision(cited.ref, read.ref) or known_to_be_same:
            if not context and (said := no_such_column(cited, passage)):
                raise UsageError(said)
            return passage
        found = await self._follow(within, known, cited, changed=passage.changed)
        if found.now is not None:
            passage = await self._at(known, found.now, context)
        return replace(passage, warning=found.warning)

    async def _follow(
        self, within: CitedIndex, known: IndexedFile, cited: Citation, *, changed: bool
    ) -> Followed:
        """Return the current place of the text of the citation. If the file has `changed`, the text
        is taken from the index if that has it."""
        indexed = None
        if changed:
            place = known.collection, known.record.source.name, known.path
            indexed = IndexedText(await within.document(*place)).part(cited)
        return await asyncio.to_thread(follow, known, self.folder, cited, indexed)

    async def _at(self, known: IndexedFile, cited: Citation, context: int) -> Passage:
        if cited.end_char is not None or cited.page is not None:
            return await self.of(read_cited, known, self.folder, cited, context)
        if cited.start_column is not None or cited.end_column is not None:
            start = 1 if cited.start_line is None else cited.start_line
            end = start if cited.end_line is None else cited.end_line
            if said := misordered(start, end, cited.columns):
                raise UsageError(f"{shortened(self.locator)} names no place: {said}")
            return await self.of(read_columns, known, self.folder, cited, context)
        first = 1 if cited.start_line is None else cited.start_line
        last = 10**9 if cited.end_line is None else cited.end_line
        return await self.of(read_lines, known, first, last, context, self.folder)


async def get(
    index: PagedIndex,
    locator: str,
    context: int = 0,
    folder: Path | None = None,
    *,
    tags: Attributes = MappingProxyType({}),
    bounds: Attributes = MappingProxyType({}),
    collections: Sequence[str] = (),
    admit: Admits | None = None,
    here: str | None = None,
) -> Passage:
    """Return the text that a locator names, read from the current file, with `context` lines before
    and after it. Locators are `#id` (8 hex digits or more), `path`, `path:line`, `path:line:count`,
    a citation, or another form of `pincite.citations.forms`.

    A path may be shortened from the left as long as it is unambiguous, and `source:path` names the
    source. `here` is the caller's folder, None if paths do not count from it, see `current_folder`.
    For a citation of another revision, the text is searched in the current file; if it is elsewhere
    now, or cannot be found, the passage has a warning. Records are read from the index `folder`, by
    their id instead of the path, or by a citation with characters.

    Documents outside of `tags`, `bounds` and, if some are named, `collections` count as not
    indexed; see `within_tags`. So do documents whose path `admit` refuses; it is called before the
    document is read. Raises UsageError, TagsRequired, or SourceError if the file no longer exists.
    """
    within = await open_within(index, tags, collections, bounds, here)
    return (await read_within(within, locator, context, folder, admit=admit))[1]


async def read_within(
    within: CitedIndex,
    locator: str,
    context: int = 0,
    folder: Path | None = None,
    *,
    admit: Admits | None = None,
    hinted: bool = True,
) -> tuple[IndexedFile, Passage]:
    """Return what `get` returns, after the document that it was read from. Without `hinted`, errors
    name no similar paths. Raises as `get`."""
    reading = _Reading(locator, folder, admit)
    try:
        passage = await _read(within, reading, context)
    except NoFile as error:
        hint = ""
        if not (within.narrowed or admit is not None):
            if left_out := await left_out_file(within, locator):
                raise left_out from error
            if hinted:
                with suppress(StoreError):
                    hint = await hint_for(within, locator)
        raise NoFile(locator, hint=hint) from error
    assert reading.known is not None
    return reading.known, passage


async def _read(within: CitedIndex, reading: _Reading, context: int) -> Passage:
    locator = reading.locator

    async def of_span(span: Span) -> Passage:
        known, cited = await find_span(within, span)
        if cited is not None and (cited.end_char is not None or cited.page is not None):
            return await reading.cited(within, known, cited, context)
        last = span.last
        if span.first is not None and last is None:
            last = span.first + LINES - 1
        named = span.citation((cited.ref if cited else "") or span.ref, last)
        return await reading.cited(within, known, named, context)

    async def as_written(form: str) -> Passage:
        return await _get(within, form, context, reading)

    try:
        return await read_any(locator, as_written, of_span)
    except NoFile:
        hidden = within.narrowed or reading.admit is not None
        span = await find_place(within, locator, hidden=hidden)
        if span is None:
            raise
        return await of_span(span)


async def _get(within: CitedIndex, locator: str, context: int, reading: _Reading) -> Passage:
    """Return the passage of a locator in exactly this form. Raises NotNamed if there is none."""
    chunk = _CHUNK.match(locator)
    if chunk:
        info, found = await find_chunk(within, chunk["id"])
        record = next(r for r in info.sources if r.source.name == found.repo)
        known = IndexedFile(info.spec.name, record, found.path, found.ref, found.content_hash)
        return await reading.cited(within, known, cited_in(found), context)
    cited = parse_citation(locator)
    names = {record.source.name for info in within.infos for record in info.sources}
    # a citation without revision and lines may also be SOURCE:PATH:LINE:COUNT
    by_place = cited and (
        cited.ref
        or cited.start_line is not None
        or cited.end_char is not None
        or cited.page is not None
    )
    if cited and by_place and (within.narrowed or cited.source in names):
        _require_order(cited, locator)
        try:
            known = await find_cited_file(within, cited)
        except UsageError as error:
            if within.narrowed:  # do not reveal whether the source exists
                raise NoFile(locator) from error
            raise
        located = await _with_section(within, known, cited)
        return await reading.cited(within, known, located, context)
    place = _PLACE.match(locator)
    if place is None:
        raise NotNamed(
            f"{shortened(locator)} is neither an id nor a path", hint="pincite get PATH:10:20"
        )
    if place["line"] and (ours := await find_records(within, locator)):
        # an id of a record may contain colons
        known = only_one(ours, locator)
        return await reading.of(read_lines, known, 1, 10**9, context, reading.folder)
    start = int(place["line"] or 1)
    count = int(place["count"] or (10**9 if place["line"] is None else LINES))
    known = await find_path(within, place["path"])
    return await reading.of(read_lines, known, start, start + count - 1, context, reading.folder)


def _require_order(cited: Citation, locator: str) -> None:
    """Raise UsageError, with the correct locator as a hint, if the cited lines end before they
    begin."""
    start, end = cited.start_line, cited.end_line
    if start is None or end is None or not (said := misordered(start, end)):
        return
    wrong = misread(locator)
    hint = f"pincite get {wrong[1]}" if wrong else ""
    raise UsageError(f"{shortened(locator)} names no place: {said}", hint=hint)


async def _with_section(index: CitedIndex, known: IndexedFile, cited: Citation) -> Citation:
    """Return the citation; if it has an address with an anchor and no lines, with the lines of that
    section."""
    if cited.start_line is None and cited.end_char is None and "#" in cited.place:
        chunks = await index.document(known.collection, known.record.source.name, known.path)
        section = [chunk for chunk in chunks if chunk.url == cited.place]
        if section:
            first, last = section[0].start_line, section[-1].end_line
            return replace(cited, start_line=first, end_line=last)
    return cited
