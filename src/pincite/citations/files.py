"""List indexed files, and read several of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from pincite.citations.get import read_within
from pincite.citations.listing import CitedIndex
from pincite.citations.passage import Passage, with_text
from pincite.citations.resolve import Ambiguous, NotNamed, of_collection, open_within
from pincite.errors import SourceError, UsageError
from pincite.model import Attributes, DocumentRecord, PlacedPath, Scope, SourceType
from pincite.model.citation import Citation, format_citation, with_chars, with_lines
from pincite.model.descriptions import descriptions_of
from pincite.ports import CollectionInfo, PagedIndex
from pincite.readers import extracted_suffix
from pincite.scope.paths import ListedPaths, path_test
from pincite.support.fields import replace
from pincite.support.terminal import one_line

Why = Literal["too_many", "too_large", "not_found", "unreadable"]
#: Returns what a path or pattern means in the indexed sources, as `asking.Placing.path` does.
Place: TypeAlias = Callable[[str], Awaitable[Sequence[PlacedPath]]]

MOST_FILES: Final = 50
MOST_BYTES: Final = 200_000


@dataclass(frozen=True, slots=True)
class IndexedPath:
    """An indexed file or record. `size` is in bytes, `ref` is the indexed revision. `descriptions`
    are those of its folders and of the file, outermost first."""

    collection: str
    source: str
    path: str
    kind: SourceType
    ref: str
    size: int
    chunks: int
    descriptions: tuple[str, ...] = ()

    @property
    def locator(self) -> str:
        """Return the locator of the whole file, for `get`."""
        return format_citation(Citation(self.source, self.ref, self.path))


@dataclass(frozen=True, slots=True)
class Listing:
    """Files, sorted by collection, source and path. `left_out` is the number of files above the
    limit."""

    files: tuple[IndexedPath, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A requested file that is not among the passages, and the reason."""

    name: str
    why: Why
    detail: str


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages of files in the requested order, each once, and the files that were left out."""

    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Most:
    """The limits of one request: the number of `files`, the `lines` of each (0 for all), and the
    `size` of all passages together, in bytes. Raises UsageError for other values."""

    files: int = MOST_FILES
    lines: int = 0
    size: int = MOST_BYTES

    def __post_init__(self) -> None:
        for name, least in (("files", 1), ("lines", 0), ("size", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise UsageError(
                    f"{name} is {value!r}; it takes a whole number of at least {least}"
                )


async def list_files(index: PagedIndex, scope: Scope = Scope(), most: int = 1_000) -> Listing:
    """Return up to `most` indexed files within the paths, tags and collections of a scope, sorted
    by collection, source and path. Raises UsageError, TagsRequired."""
    found = await _listed(await open_within(index, scope.tags, scope.collections, scope.bounds))
    if scope.paths:
        found = _matching(found, scope)
    return Listing(tuple(found[:most]), max(0, len(found) - most))


async def _listed(within: CitedIndex) -> list[IndexedPath]:
    found = [
        IndexedPath(
            collection=info.spec.public_name,
            source=record.source,
            path=record.path,
            kind=record.source_type,
            ref=record.ref,
            size=record.size,
            chunks=record.chunks,
            descriptions=_descriptions(info, record),
        )
        for info in within.infos
        for record in await within.documents(info.spec.name)
    ]
    found.sort(key=lambda one: (one.collection, one.source, one.path))
    return found


def _matching(files: Sequence[IndexedPath], scope: Scope) -> list[IndexedPath]:
    """Return the files that match one of the paths of a scope."""
    of = {name: path_test(scope.paths_in(name)) for name in {one.collection for one in files}}
    return [one for one in files if of[one.collection](one.source, one.path)]


def _descriptions(info: CollectionInfo, record: DocumentRecord) -> tuple[str, ...]:
    source = next((one.source for one in info.sources if one.source.name == record.source), None)
    return () if source is None else descriptions_of(source, record.path)


async def get_many(
    index: PagedIndex,
    names: Sequence[str],
    most: Most = Most(),
    folder: Path | None = None,
    *,
    place: Place | None = None,
    here: str | None = None,
    tags: Attributes = MappingProxyType({}),
    bounds: Attributes = MappingProxyType({}),
    collections: Sequence[str] = (),
) -> Passages:
    """Return the passages of these names and patterns. A name that is a locator of `get` is read;
    any other is a folder or a pattern, and means what `place` returns, else itself. Names without a
    file, and files above the limits, are in `left_out`; a smaller file may still fit after a larger
    one did not. `folder` and `here` are as in `get`. Raises UsageError if no name is given, and for
    unknown collections; TagsRequired.
    """
    if not names:
        raise UsageError("no file is named", hint="pincite multi-get 'docs/*.md' src/app.py:10:20")
    within = await open_within(index, tags, collections, bounds, here)
    listed, reading = _Listed(within), _Reading(within, most, folder)
    for name in names:
        try:
            try:
                await reading.take(name)
            except (NotNamed, Ambiguous):
                places = (PlacedPath(name),) if place is None else await place(name)
                files = await listed.matching(name, places)
                if not files:
                    raise
                for file in files:
                    await reading.take_listed(file)
        except UsageError as error:
            reading.leave(name, "not_found", error.message)
    return Passages(tuple(reading.passages), tuple(reading.left_out))


class _Listed:
    """The documents of an index, listed when they are first needed."""

    def __init__(self, within: CitedIndex) -> None:
        self._within = within
        self._files: list[IndexedPath] | None = None
        self._paths = ListedPaths(())

    async def matching(self, name: str, places: Sequence[PlacedPath]) -> list[IndexedPath]:
        """Return the files that match what a name means. Raises UsageError."""
        if self._files is None:
            self._files = await _listed(self._within)
            self._paths = ListedPaths((one.source, one.path) for one in self._files)
        held = tuple(one for one in places if one.pattern in self._paths)
        return _matching(self._files, Scope(paths=(name,), placed=held)) if held else []


class _Reading:
    """The passages read so far, and the remaining bytes."""

    def __init__(self, within: CitedIndex, most: Most, folder: Path | None) -> None:
        self.passages: list[Passage] = []
        self.left_out: list[LeftOut] = []
        self._within = within
        self._most = most
        self._folder = folder
        self._room = most.size
        self._seen: set[tuple[str, str]] = set()

    def leave(self, name: str, why: Why, detail: str) -> None:
        """Add a file that is left out."""
        self.left_out.append(LeftOut(name, why, one_line(detail)))

    async def take_listed(self, file: IndexedPath) -> None:
        """Call `take` for an indexed file, unless its size is above the remaining bytes. The size
        of a file whose text is extracted is not considered."""
        name, known = file.path, not extracted_suffix(file.path)
        if known and file.size > self._room and not self._most.lines:
            self.leave(
                name,
                "too_large",
                f"it has {file.size:,} bytes, and {self._room:,} are left of the limit",
            )
            return
        try:
            await self._take(name, of_collection(self._within, file.collection), file.locator)
        except (NotNamed, Ambiguous) as error:
            self.leave(name, "not_found", error.message)

    async def take(self, locator: str) -> None:
        """Read the text that a locator of the caller names, and add it if it fits. Raises
        UsageError."""
        await self._take(locator, self._within, locator)

    async def _take(self, name: str, within: CitedIndex, locator: str) -> None:
        if len(self.passages) >= self._most.files:
            self.leave(name, "too_many", f"at most {self._most.files} files are read at once")
            return
        try:
            _, found = await read_within(within, locator, folder=self._folder, hinted=False)
        except SourceError as error:
            self.leave(name, "unreadable", error.message)
            return
        passage = _cut(found, self._most.lines)
        key = passage.citation, passage.text
        if key in self._seen:
            return
        size = len(passage.raw)
        if size > self._room:
            self.leave(
                name,
                "too_large",
                f"it has {size:,} bytes, and {self._room:,} are left of the limit",
            )
            return
        self._seen.add(key)
        self._room -= size
        self.passages.append(passage)


def _cut(passage: Passage, lines: int) -> Passage:
    """Return the first `lines` lines of a passage, with their citation; all of them for 0."""
    given = passage.text.split("\n")
    if not lines or len(given) <= lines:
        return passage
    text = "\n".join(given[:lines])
    last = passage.start_line + lines - 1 if passage.start_line else 0
    if passage.start_char is not None:
        end = passage.start_char + len(text)
        citation = with_chars(passage.citation, passage.start_char, end)
        cut = replace(passage, text=text, newline=True, end_char=end)
    else:
        citation = with_lines(passage.citation, passage.start_line, last)
        cut = with_text(passage, text, newline=True)
    return replace(cut, citation=citation, end_line=last)
