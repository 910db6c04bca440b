"""Resolve ids, paths, citations and other locators to indexed files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import MappingProxyType
from typing import TypeVar

from pincite.citations.current_folder import find_from_here, is_from_here
from pincite.citations.forms import Span, forms, misread, places, spans
from pincite.citations.listing import CitedIndex, cited_within
from pincite.citations.passage import IndexedFile, indexed_file
from pincite.collection.members import visible
from pincite.errors import UsageError
from pincite.model import Attributes, Chunk, SourceRecord
from pincite.model.citation import Citation, parse_citation
from pincite.model.revisions import names_content, same_revision
from pincite.ports import CollectionInfo, PagedIndex
from pincite.readers.urls import url_for
from pincite.scope.tagged_index import named_infos
from pincite.support.fields import replace

_SHOWN = 300
_WHAT_THERE_IS = "pincite ls"
T = TypeVar("T")


class NotNamed(UsageError):
    """No document that may be read has this name. The locator may be valid in another form."""


class NoFile(NotNamed):
    """No document that may be read has this name, and nothing else is known of it."""

    def __init__(self, locator: str, *, hint: str = "") -> None:
        super().__init__(not_named(locator), hint=hint or _WHAT_THERE_IS)


class Ambiguous(UsageError):
    """Several documents that may be read have this name."""


class NoChunk(NotNamed):
    """No chunk that may be read has an id with this beginning."""


async def open_within(
    index: PagedIndex,
    tags: Attributes,
    collections: Sequence[str] = (),
    bounds: Attributes = MappingProxyType({}),
    here: str | None = None,
) -> CitedIndex:
    """Return the documents of the named collections, or of all, that are within tags and bounds,
    for a caller whose current folder is `here`. Raises UsageError, TagsRequired."""
    infos = named_infos(visible(await index.collections()), collections)
    return cited_within(index, infos, tags, bounds, here)


def of_collection(index: CitedIndex, name: str) -> CitedIndex:
    """Return the documents of one collection of an index, by its name for users. What has been read
    stays known. Raises UsageError for an unknown name."""
    return replace(index, infos=named_infos(index.infos, (name,)))


async def read_any(
    locator: str,
    as_written: Callable[[str], Awaitable[T]],
    of_span: Callable[[Span], Awaitable[T]],
) -> T:
    """Return the result for the first form of a locator that names something: for each form,
    `as_written` is tried, then `of_span` for each place that it may mean. Raises the first NotNamed
    of `as_written` if there is none, and other errors of both."""
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
    raise missed or NoFile(locator)


async def find_span(index: CitedIndex, span: Span) -> tuple[IndexedFile, Citation | None]:
    """Return the indexed file of a span, and its name as a citation, None if it is none. Raises as
    `find_path`."""
    cited = parse_citation(span.name)
    names = {record.source.name for info in index.infos for record in info.sources}
    if cited is not None and cited.source in names:
        return await find_cited_file(index, cited), cited
    return await find_path(index, span.name, ref=span.ref), None


async def find_cited_file(index: CitedIndex, cited: Citation) -> IndexedFile:
    """Return the indexed file of a citation. Raises as `find_path`."""
    return await find_path(index, cited.place, cited.source, cited.ref)


async def find_chunk(index: CitedIndex, prefix: str) -> tuple[CollectionInfo, Chunk]:
    """Return the chunk whose id begins with `prefix`, and its collection. Raises NoChunk if there
    is none, UsageError if there are several."""
    found = []
    for info in index.infos:
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
    index: CitedIndex,
    path: str,
    source: str | None = None,
    ref: str = "",
) -> IndexedFile:
    """Return the indexed file with this name: its path, the end of its path, `source:path`,
    `source/path`, its address, an absolute path or a permalink. Complete names are preferred, and
    of several files the one that is indexed at the revision `ref`. A path without a source may also
    count from the caller's folder, see `current_folder`.

    Raises NotNamed if there is none, Ambiguous if there are several.
    """
    first = is_from_here(path)
    if source is None and first and (found := await find_from_here(index, path)) is not None:
        return only_one(found, path, ref)
    held = await _find_named(index, path, source)
    try:
        return only_one(held, path, ref)
    except (NoFile, Ambiguous):
        if source is None and not first and (found := await find_from_here(index, path)):
            return only_one(found, path, ref)
        raise


async def _find_named(index: CitedIndex, path: str, source: str | None) -> list[IndexedFile]:
    """Return the indexed files with this name, those with the complete name if there are any."""
    wanted = path.removeprefix("./")
    sources = [
        one.source
        for info in index.infos
        for one in info.sources
        if source in (None, one.source.name)
    ]
    others = places(wanted, sources)
    exact, partial = await find_records(index, wanted, source), []
    for info in index.infos:
        for record in info.sources:
            name = record.source.name
            if source not in (None, name) or record.source.kind == "records":
                continue
            there = {place for one, place in others if one in (None, record.source)}
            for known in await index.documents(info.spec.name, name):
                item = indexed_file(info.spec.name, record, known)
                if known.path in there or wanted in (known.path, f"{name}:{known.path}"):
                    exact.append(item)
                elif (
                    known.path.endswith(f"/{wanted}")
                    or wanted == f"{name}/{known.path}"  # as in results of several sources
                    or _is_address(wanted, record, known.path)
                ):
                    partial.append(item)
    return exact or partial


async def find_records(
    index: CitedIndex, path: str, source: str | None = None
) -> list[IndexedFile]:
    """Return the indexed records with this path, or with the path after `source:`. There may be
    millions of records, so they are looked up, not listed."""
    found: list[IndexedFile] = []
    for info in index.infos:
        for record in info.sources:
            name = record.source.name
            if record.source.kind != "records" or source not in (None, name):
                continue
            wanted = path.removeprefix(f"{name}:") if source is None else path
            for place in dict.fromkeys((path, wanted)):
                known = await index.record(info.spec.name, name, place)
                if known is not None:
                    found.append(indexed_file(info.spec.name, record, known))
    return found


def only_one(held: Sequence[IndexedFile], path: str, ref: str = "") -> IndexedFile:
    """Return the only one of these files, or the only one that is indexed at the revision `ref`. A
    file that several collections have, or nested sources, is one, and so are files of this revision
    with the same name and content. Raises NoFile if there is none, Ambiguous if there are
    several."""
    if ref:
        of_ref = [
            one
            for one in held
            if same_revision(ref, one.ref) or names_content(ref, one.content_hash)
        ]
        if len({(one.record.source.name, one.path, one.content_hash) for one in of_ref}) == 1:
            return of_ref[0]
        held = of_ref or held
    found = _once(held)
    if not found:
        raise NoFile(path)
    if len(found) == 1:
        return found[0]
    names = sorted({f"{one.record.source.name}:{one.path}" for one in found})
    said = f"{shortened(path)} is ambiguous"
    if len(names) == 1:
        among = sorted({one.collection for one in held})
        raise Ambiguous(
            f"{said}: the collections {', '.join(among[:5])} have {names[0]}: name one of them",
            hint=f"--collection {among[0]}",
        )
    records = all(one.record.source.kind == "records" for one in held)
    more = "name the source" if records else "give more of the path"
    raise Ambiguous(f"{said} between {', '.join(names[:5])}: {more}")


def _once(held: Sequence[IndexedFile]) -> list[IndexedFile]:
    """Return each file once: of those that several sources or collections have, that of the
    innermost source, else the first."""
    found: dict[tuple[str, ...], IndexedFile] = {}
    for one in held:
        source = one.record.source
        key: tuple[str, ...] = one.record.machine, f"{source.location.rstrip('/')}/{one.path}"
        if source.kind == "records":
            key = source.name, source.location, one.path
        kept = found.get(key)
        if kept is None or len(source.location) > len(kept.record.source.location):
            found[key] = one
    return list(found.values())


def _is_address(wanted: str, record: SourceRecord, path: str) -> bool:
    if "://" not in wanted:
        return False
    return url_for(path, record.source.url_rule) == wanted.partition("#")[0]


def not_named(path: str) -> str:
    return f"no indexed file is named {shortened(path)}"


def shortened(text: str) -> str:
    """Return a locator for messages: quoted, with at most 300 characters."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
