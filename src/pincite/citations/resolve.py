"""Resolve ids, paths, citations and other locators to indexed files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import MappingProxyType
from typing import TypeVar

from pincite.citations.forms import Span, forms, misread, places, spans
from pincite.citations.listing import CitedIndex, cited_within
from pincite.citations.passage import IndexedFile
from pincite.collection.members import visible
from pincite.errors import UsageError
from pincite.model import Attributes, Chunk, SourceRecord
from pincite.model.citation import Citation, parse_citation
from pincite.ports import CollectionInfo, PagedIndex
from pincite.readers.urls import url_for
from pincite.scope.tagged_index import named_infos

_SHOWN = 300
WHAT_THERE_IS = "pincite ls"
T = TypeVar("T")


class NotNamed(UsageError):
    """No document that may be read has this name. The locator may be valid in another form."""


class NoChunk(NotNamed):
    """No chunk that may be read has an id with this beginning."""


async def open_within(
    index: PagedIndex,
    tags: Attributes,
    collections: Sequence[str] = (),
    bounds: Attributes = MappingProxyType({}),
) -> CitedIndex:
    """Return the documents of the named collections, or of all, that are within tags and bounds.
    Raises UsageError, TagsRequired."""
    infos = named_infos(visible(await index.collections()), collections)
    return cited_within(index, infos, tags, bounds)


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
    if missed is None:
        raise NotNamed(not_named(locator), hint=WHAT_THERE_IS)
    raise missed


async def find_span(
    index: CitedIndex, infos: Sequence[CollectionInfo], span: Span
) -> tuple[IndexedFile, Citation | None]:
    """Return the indexed file of a span, and its name as a citation, None if it is none. Raises as
    `find_path`."""
    cited = parse_citation(span.name)
    names = {record.source.name for info in infos for record in info.sources}
    if cited is not None and cited.source in names:
        return await find_path(index, infos, cited.place, cited.source), cited
    return await find_path(index, infos, span.name), None


async def find_chunk(
    index: CitedIndex, infos: Sequence[CollectionInfo], prefix: str
) -> tuple[CollectionInfo, Chunk]:
    """Return the chunk whose id begins with `prefix`, and its collection. Raises NoChunk if there
    is none, UsageError if there are several."""
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
    index: CitedIndex, infos: Sequence[CollectionInfo], path: str, source: str | None = None
) -> IndexedFile:
    """Return the indexed file with this name: its path, the end of its path, `source:path`,
    `source/path`, its address, an absolute path or a permalink. Complete names are preferred.

    Raises NotNamed if there is none, UsageError if there are several.
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
                    or wanted == f"{name}/{known.path}"  # as in results of several sources
                    or _is_address(wanted, record, known.path)
                ):
                    partial.append(item)
    return only_one(exact or partial, path)


async def find_records(
    index: CitedIndex, infos: Sequence[CollectionInfo], path: str, source: str | None = None
) -> list[IndexedFile]:
    """Return the indexed records with this path, or with the path after `source:`. There may be
    millions of records, so they are looked up, not listed."""
    found: dict[str, IndexedFile] = {}
    for info in infos:
        for record in info.sources:
            name = record.source.name
            if record.source.kind != "records" or source not in (None, name):
                continue
            wanted = path.removeprefix(f"{name}:") if source is None else path
            for place in dict.fromkeys((path, wanted)):
                known = await index.record(info.spec.name, name, place)
                if known is not None:
                    found[f"{name}:{place}"] = IndexedFile(
                        info.spec.name, record, place, known.ref, known.content_hash
                    )
    return list(found.values())


def only_one(held: Sequence[IndexedFile], path: str) -> IndexedFile:
    """Return the only one of these files. Raises NotNamed if there is none, UsageError if there are
    several."""
    found = {(one.record.source.name, one.path): one for one in held}
    if not found:
        raise NotNamed(not_named(path), hint=WHAT_THERE_IS)
    if len(found) > 1:
        names = ", ".join(sorted(f"{name}:{p}" for name, p in found)[:5])
        records = all(one.record.source.kind == "records" for one in held)
        more = "name the source" if records else "give more of the path"
        raise UsageError(f"{shortened(path)} is ambiguous between {names}: {more}")
    return next(iter(found.values()))


def _is_address(wanted: str, record: SourceRecord, path: str) -> bool:
    if "://" not in wanted:
        return False
    return url_for(path, record.source.url_rule) == wanted.partition("#")[0]


def not_named(path: str) -> str:
    return f"no indexed file is named {shortened(path)}"


def shortened(text: str) -> str:
    """Return a locator for messages: quoted, with at most 300 characters."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
