"""Lookup of citations: reading their lines, and checking that evidence still holds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Concatenate, ParamSpec, TypeVar

from pincite.citations.changed_warning import with_warning
from pincite.citations.forms import LINES, Span, forms, misread, places, spans
from pincite.citations.listing import ReadOnce
from pincite.citations.reading import IndexedFile, Passage, read_cited, read_columns, read_lines
from pincite.citations.suggestions import hint_for
from pincite.citations.verify import Checked, CitationStatus, Renames, check, check_stored
from pincite.collection.members import visible
from pincite.errors import PinciteError, SourceError, StoreError, UsageError
from pincite.model import (
    Attributes,
    Chunk,
    Evidence,
    EvidencePack,
    SourceRecord,
)
from pincite.model.citation import Citation, chars_of, parse_citation
from pincite.model.revisions import same_revision
from pincite.ports import CollectionInfo, Readable, ReadableIndex
from pincite.readers.urls import url_for
from pincite.scope.tagged_index import TaggedIndex, named_infos, within_tags
from pincite.sources import OpenSource
from pincite.sources.entries import content_of
from pincite.sources.reopening import reopen_source

__all__ = ["Checked", "Passage", "get", "verify"]

_NUMBER = r"[0-9]{1,9}"
_PLACE = re.compile(
    rf"(?P<path>.+?)(?::(?P<line>{_NUMBER}))?(?::(?P<count>{_NUMBER}))?\Z", re.DOTALL
)
_SHOWN = 300
_GONE = "it is no longer in the index"
_WHAT_THERE_IS = "pincite ls"
_CHUNK = re.compile(r"#?(?P<id>[0-9a-f]{8,32})\Z")
P = ParamSpec("P")
T = TypeVar("T")
#: Evidence that is held against a source.
_Read = tuple[Evidence, SourceRecord, Mapping[str, str]]  # the last: see `OpenSource.named`
#: May text of the document with this path be read?
Admits = Callable[[str], Awaitable[bool]]


class NotNamed(UsageError):
    """Nothing that may be read has this name; it may be meant in another form."""


class NoChunk(NotNamed):
    """No chunk that may be read has an id that begins like that."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How what a locator names is read."""

    locator: str
    folder: Path | None
    admit: Admits | None

    async def of(
        self,
        read: Callable[Concatenate[IndexedFile, P], Passage],
        known: IndexedFile,
        *rest: P.args,
        **named: P.kwargs,
    ) -> Passage:
        """Read it in a thread: it may be in a database that does not answer. Raises NotNamed where
        it is not admitted."""
        if self.admit is not None and not await self.admit(known.path):
            raise NotNamed(_not_named(self.locator), hint=_WHAT_THERE_IS)
        return await asyncio.to_thread(read, known, *rest, **named)

    async def since(
        self, passage: Passage, known: IndexedFile, ref: str, first: int = 1, last: int = 10**9
    ) -> Passage:
        """The passage, with a warning if the cited revision may have other text at these lines."""
        if not ref or (same_revision(ref, known.ref) and not passage.changed):
            return passage
        return await asyncio.to_thread(with_warning, passage, known, self.folder, ref, first, last)


async def get(
    index: ReadableIndex,
    locator: str,
    context: int = 0,
    folder: Path | None = None,
    *,
    tags: Attributes = MappingProxyType({}),
    bounds: Attributes = MappingProxyType({}),
    collections: Sequence[str] = (),
    admit: Admits | None = None,
) -> Passage:
    """`#id` (8 hex digits or more), `path`, `path:line`, `path:line:count`, a citation or another
    of `pincite.citations.forms`, with so many lines of context before and after, read from disk.

    A path may be shortened from the left as long as it is unambiguous, and `source:path` names
    the source. A citation gives the lines as they are now, of whatever revision. Records are read
    from the index `folder`, by their id in place of the path, or by a citation with characters.
    With `tags` or `bounds`, or in some `collections` alone, there is nothing else; see
    `within_tags`. A document whose path `admit` refuses is not there either; it is asked before
    the document is read.
    Raises UsageError, TagsRequired, or SourceError where the file is gone.
    """
    within = await open_within(index, tags, collections, bounds)
    reading = _Reading(locator, folder, admit)

    async def of_span(span: Span) -> Passage:
        known, cited = await find_span(within, within.infos, span)
        if cited is not None and (cited.end_char is not None or cited.page is not None):
            passage = await reading.of(read_cited, known, folder, cited, context)
            return await reading.since(passage, known, cited.ref)
        if span.page is not None:
            start, end = span.chars or (None, None)
            place = (span.page, span.page_unit, span.rows)
            named = Citation(*(("",) * 3), *((None,) * 4), start, end, *place)
            return await reading.of(read_cited, known, folder, named, context)
        first, last = span.first or 1, span.last or 10**9
        if span.first is not None and span.last is None:
            last = first + LINES - 1
        passage = await reading.of(read_lines, known, first, last, context, folder)
        return await reading.since(passage, known, cited.ref if cited else span.ref, first, last)

    async def as_written(form: str) -> Passage:
        return await _get(within, form, context, reading)

    try:
        return await read_any(locator, as_written, of_span)
    except NotNamed as error:
        if within.narrowed or admit is not None or error.hint != _WHAT_THERE_IS:
            raise
        hint = ""
        with suppress(StoreError):
            hint = await hint_for(within, within.infos, locator)
        raise NotNamed(error.message, hint=hint or _WHAT_THERE_IS) from error


async def read_any(
    locator: str,
    as_written: Callable[[str], Awaitable[T]],
    of_span: Callable[[Span], Awaitable[T]],
) -> T:
    """What the locator names, as it is written or else in the first of the forms that names
    something. Raises NotNamed as for what is written, and what the two raise."""
    missed: NotNamed | None = None
    for form in forms(locator):
        try:
            return await as_written(form)
        except NotNamed as error:
            missed = missed or error
        for span in spans(form):
            try:
                return await of_span(span)
            except NotNamed:
                continue
    if wrong := misread(forms(locator)[-1]):
        why, better = wrong
        said = f"cannot read lines from {shortened(locator)}: {why}"
        raise NotNamed(said, hint=f"pincite get {better}")
    if missed is None:
        raise NotNamed(_not_named(locator), hint=_WHAT_THERE_IS)
    raise missed


async def find_span(
    index: TaggedIndex, infos: Sequence[CollectionInfo], span: Span
) -> tuple[IndexedFile, Citation | None]:
    """The indexed file that a span is of, and the citation that its name is, if it is one. Raises
    UsageError as `find_path`."""
    cited = parse_citation(span.name)
    names = {record.source.name for info in infos for record in info.sources}
    if cited is not None and cited.source in names:
        return await find_path(index, infos, cited.place, cited.source), cited
    return await find_path(index, infos, span.name), None


async def _get(within: TaggedIndex, locator: str, context: int, reading: _Reading) -> Passage:
    """As `get`, of a locator as it is written."""
    infos = within.infos
    chunk = _CHUNK.match(locator)
    if chunk:
        info, found = await find_chunk(within, infos, chunk["id"])
        record = next(r for r in info.sources if r.source.name == found.repo)
        known = IndexedFile(info.spec.name, record, found.path, found.ref, found.content_hash)
        if (chars := chars_of(found)) is not None:
            named = Citation("", "", "", start_char=chars[0], end_char=chars[1])
            return await reading.of(read_cited, known, reading.folder, named, context)
        return await reading.of(
            read_lines, known, found.start_line, found.end_line, context, reading.folder
        )
    cited = parse_citation(locator)
    names = {record.source.name for info in infos for record in info.sources}
    # a name, a path and nothing else may also be SOURCE:PATH:LINE:COUNT
    by_place = cited and (
        cited.ref or cited.start_line or cited.end_char is not None or cited.page is not None
    )
    if cited and by_place and (within.narrowed or cited.source in names):
        try:
            known = await find_path(within, infos, cited.place, cited.source)
        except UsageError as error:
            if within.narrowed:  # the same whether or not there is a source of that name
                raise NotNamed(_not_named(locator), hint=_WHAT_THERE_IS) from error
            raise
        first, last = await _cited_lines(within, known, cited)
        if cited.end_char is not None or cited.page is not None:
            passage = await reading.of(read_cited, known, reading.folder, cited, context)
        elif not context and (cited.start_column or cited.end_column):
            passage = await reading.of(read_columns, known, reading.folder, cited)
        else:
            passage = await reading.of(read_lines, known, first, last, context, reading.folder)
        return await reading.since(passage, known, cited.ref, first, last)
    place = _PLACE.match(locator)
    if place is None:
        raise NotNamed(
            f"{shortened(locator)} is neither an id nor a path", hint="pincite get PATH:10:20"
        )
    if place["line"] and (ours := await find_records(within, infos, locator)):
        # an id may have colons in it
        known = _only(ours, locator)
        return await reading.of(read_lines, known, 1, 10**9, context, reading.folder)
    start = int(place["line"] or 1)
    count = int(place["count"] or (10**9 if place["line"] is None else LINES))
    known = await find_path(within, infos, place["path"])
    return await reading.of(read_lines, known, start, start + count - 1, context, reading.folder)


async def open_within(
    index: ReadableIndex,
    tags: Attributes,
    collections: Sequence[str] = (),
    bounds: Attributes = MappingProxyType({}),
) -> TaggedIndex:
    """What tags and bounds let be read of the collections, of all if none is named.
    Raises UsageError, TagsRequired."""
    infos = named_infos(visible(await index.collections()), collections)
    return within_tags(ReadOnce(index), infos, tags, bounds)


async def find_chunk(
    index: TaggedIndex, infos: Sequence[CollectionInfo], prefix: str
) -> tuple[CollectionInfo, Chunk]:
    """The chunk whose id begins with `prefix`, and its collection. Raises NoChunk where there is
    none, UsageError where there is more than one."""
    found = []
    for info in infos:
        page = await index.beginning(info.spec.name, prefix, 2) if len(prefix) < 32 else ()
        full = await index.load(info.spec.name, [prefix]) if len(prefix) == 32 else ()
        chunks = [*page, *(stored.chunk for stored in full)]
        found += [(info, chunk) for chunk in chunks if chunk.id.startswith(prefix)]
    if not found:
        raise NoChunk(f"no chunk id begins with {prefix}", hint="pincite search ...")
    if len({chunk.id for _, chunk in found}) > 1:
        raise UsageError(f"several chunk ids begin with {prefix}: give more digits")
    return found[0]


async def find_path(
    index: TaggedIndex, infos: Sequence[CollectionInfo], path: str, source: str | None = None
) -> IndexedFile:
    """The indexed file that is named by its path, the end of it, `source:path`, `source/path`, its
    address, an absolute path or a permalink.

    Raises NotNamed where there is none, UsageError where there is more than one.
    """
    wanted = path.removeprefix("./")
    sources = [
        one.source for info in infos for one in info.sources if source in (None, one.source.name)
    ]
    others = frozenset(places(wanted, sources))
    exact, partial = await find_records(index, infos, wanted, source), []
    for info in infos:
        for record in info.sources:
            name = record.source.name
            if source not in (None, name) or record.source.kind == "records":
                continue
            for known in await index.documents(info.spec.name, name):
                item = IndexedFile(
                    info.spec.name, record, known.path, known.ref, known.content_hash
                )
                same = {(None, known.path), (name, known.path)} & others
                if same or wanted in (known.path, f"{name}:{known.path}"):
                    exact.append(item)
                elif (
                    known.path.endswith(f"/{wanted}")
                    or wanted == f"{name}/{known.path}"  # as results of several sources are shown
                    or _is_address(wanted, record, known.path)
                ):
                    partial.append(item)
    return _only(exact or partial, path)


def _only(held: Sequence[IndexedFile], path: str) -> IndexedFile:
    """The one that a path names. Raises NotNamed where there is none, UsageError where there is
    more than one."""
    found = {(one.record.source.name, one.path): one for one in held}
    if not found:
        raise NotNamed(_not_named(path), hint=_WHAT_THERE_IS)
    if len(found) > 1:
        names = ", ".join(sorted(f"{name}:{p}" for name, p in found)[:5])
        records = all(one.record.source.kind == "records" for one in held)
        more = "name the source" if records else "give more of the path"
        raise UsageError(f"{shortened(path)} is ambiguous between {names}: {more}")
    return next(iter(found.values()))


def _not_named(path: str) -> str:
    return f"no indexed file is named {shortened(path)}"


def shortened(text: str) -> str:
    """A locator as messages show it."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


async def find_records(
    index: TaggedIndex, infos: Sequence[CollectionInfo], path: str, source: str | None = None
) -> list[IndexedFile]:
    """The indexed records of this path, at most one of a source and one whose id begins with the
    name of its source. There may be millions of them: none but these are looked at."""
    found: dict[str, IndexedFile] = {}
    for info in infos:
        for record in info.sources:
            name = record.source.name
            if record.source.kind != "records" or source not in (None, name):
                continue
            wanted = path.removeprefix(f"{name}:") if source is None else path
            for place in dict.fromkeys((path, wanted)):
                for chunk in (await index.document(info.spec.name, name, place))[:1]:
                    known = (info.spec.name, record, place, chunk.ref, chunk.content_hash)
                    found[f"{name}:{place}"] = IndexedFile(*known)
    return list(found.values())


async def _cited_lines(index: TaggedIndex, known: IndexedFile, cited: Citation) -> tuple[int, int]:
    """The lines of a citation, of the section that its anchor names, or else of the whole page."""
    if cited.start_line is None and "#" in cited.place:
        chunks = await index.document(known.collection, known.record.source.name, known.path)
        section = [chunk for chunk in chunks if chunk.url == cited.place]
        if section:
            return section[0].start_line, section[-1].end_line
    return cited.start_line or 1, cited.end_line or 10**9


def _is_address(wanted: str, record: SourceRecord, path: str) -> bool:
    if "://" not in wanted:
        return False
    return url_for(path, record.source.url_rule) == wanted.partition("#")[0]


async def verify(
    index: ReadableIndex,
    pack: EvidencePack,
    foreign: Mapping[str, Readable] = MappingProxyType({}),
    folder: Path | None = None,
    *,
    tags: Attributes = MappingProxyType({}),
    bounds: Attributes = MappingProxyType({}),
) -> tuple[Checked, ...]:
    """Hold every item of a pack against the files as they are now and the revision that it cites,
    in the order of the items; see `citations.verify.check`. Items of `foreign` collections are
    held against what these have; see `citations.verify.check_stored`. Records are in the index
    `folder`. Raises TagsRequired where a collection of an item requires others than `tags` and
    `bounds`; what is not within them is `deleted`."""
    infos = visible(await index.collections())
    places = {
        (name, record.source.name): (info, record)
        for info in infos
        for name in (info.spec.public_name, info.spec.name)
        for record in info.sources
    }
    asked = {name for item in pack.evidence for name in (item.collection, _before(item.collection))}
    needed = [info for info in infos if {info.spec.name, info.spec.public_name} & asked]
    within = within_tags(index, needed, tags, bounds)
    text_cut = any(notice.code == "text_cut" for notice in pack.warnings)
    planned: list[Checked | _Read] = []
    given: dict[tuple[str, str], Mapping[str, str]] = {}
    for item in pack.evidence:
        key = item.collection, item.repo
        if key not in places:  # that model's collection is gone, not what it was made from
            key = _before(item.collection), item.repo
        try:
            if item.collection in foreign:
                there = foreign[item.collection]
                planned.append(await check_stored(there, item, text_cut=text_cut))
                continue
            of_item = [info for info in needed if {*_names(info)} & {item.collection, key[0]}]
            if not await _may_be_checked(within, of_item, item):
                planned.append(Checked(item.number, item.citation, "deleted", _GONE))
                continue
            if key not in places:
                raise SourceError(f"source {item.repo!r} is no longer in the index")
            record = places[key][1]
            planned.append((item, record, await _given(within, of_item, record, given)))
        except PinciteError as error:
            state: CitationStatus = "unknown" if item.collection in foreign else "deleted"
            planned.append(Checked(item.number, item.citation, state, error.message))
    # A source may be in a database that does not answer: the event loop does not wait for it.
    return await asyncio.to_thread(
        _check_all, planned, folder, text_cut=text_cut, renamed=not within.narrowed
    )


async def _given(
    within: TaggedIndex,
    infos: Sequence[CollectionInfo],
    record: SourceRecord,
    known: dict[tuple[str, str], Mapping[str, str]],
) -> Mapping[str, str]:
    """Return which content was indexed under the ref that was given for a source. Each collection
    of a source is read once and then `known`."""
    found: dict[str, str] = {}
    for info in infos if record.source.pinned else ():
        key = info.spec.name, record.source.name
        if key not in known:
            known[key] = content_of(await within.documents(*key), record.source.ref)
        found |= known[key]
    return found


def _check_all(
    planned: Sequence[Checked | _Read], folder: Path | None, *, text_cut: bool, renamed: bool
) -> tuple[Checked, ...]:
    """What is checked already, and the others held against their sources, each opened once."""
    opened: dict[tuple[str, str], OpenSource] = {}
    renames = Renames() if renamed else None
    checked = []
    with ExitStack() as stack:
        for one in planned:
            if isinstance(one, Checked):
                checked.append(one)
                continue
            item, record, named = one
            key = item.collection, item.repo
            try:
                if key not in opened:
                    again = reopen_source(record, folder=folder, only_read=True)
                    again.named = named
                    opened[key] = stack.enter_context(again)
                checked.append(check(opened[key], item, text_cut=text_cut, renames=renames))
            except StoreError as error:  # a database that is away says nothing of what is in it
                checked.append(Checked(item.number, item.citation, "unknown", error.message))
            except PinciteError as error:
                checked.append(Checked(item.number, item.citation, "deleted", error.message))
    return tuple(checked)


def _names(info: CollectionInfo) -> tuple[str, str]:
    return info.spec.name, info.spec.public_name


def _before(collection: str) -> str:
    """The base of a member of that name, "" where it is none."""
    return collection.rpartition("__")[0]


async def _may_be_checked(
    within: TaggedIndex, infos: Sequence[CollectionInfo], item: Evidence
) -> bool:
    """Is the item's document within the tags? Of a collection without any it need not be known:
    a file may have been renamed."""
    if not any(within.keeps_back(info.spec.name) for info in infos):
        return True
    for info in infos:
        if await within.document(info.spec.name, item.repo, item.path):
            return True
    return False
