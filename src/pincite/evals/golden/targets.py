"""Find the chunks of an index that count for expected items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile
from typing import Final

from pincite.errors import UsageError
from pincite.evals.golden.questions import Expected, GoldenQuery, GoldenSet
from pincite.model import Chunk
from pincite.model.citation import page_of, place_of
from pincite.ports import Readable, Searchable
from pincite.support.counted import listed

Key = tuple[str, str]  #: collection, chunk id
_PAGE = 512
#: The most file names with which a path is compared by letters, and the letters of each: 1.5 s for
#: very similar names, some milliseconds for others.
_COMPARED: Final = (2_000, 100)
_ALIKE: Final = 100  # files of one name, such as index.md, whose folders are compared


@dataclass(frozen=True, slots=True)
class Targets:
    """`items[query][chunk]` has the positions in `query.expected` that the chunk counts for.
    `missing` has the expected items without any chunk in the index, by query. `unknown` has the
    files and candidates of these that the index does not have at all, of `named` altogether.
    `example` is one of them, and `nearest` the most similar indexed path, empty if there is none;
    `is_record` says that it is the id of a record.
    """

    items: Mapping[str, Mapping[Key, tuple[int, ...]]]
    missing: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...] = ()
    named: int = 0
    example: str = ""
    nearest: str = ""
    is_record: bool = False


def counts_for(chunk: Chunk, item: Expected) -> bool:
    """Return whether the chunk counts for the item. It does if it is the same candidate. It also
    does if it is in the same file and has at least half of the lines of the shorter one in common,
    or, without lines, if it is in the same file, and on the same page if one is given."""
    if item.candidate_id:
        return item.candidate_id in (chunk.candidate_id, chunk.id)
    if item.repo and item.repo != chunk.repo:
        return False
    if item.source_type and item.source_type != chunk.source_type:
        return False
    if item.page and chunk.page:
        unit = page_of(chunk)[1]
        return item.path == f"{chunk.path}#{unit}={chunk.page}"
    if chunk.path != item.path:
        return False
    if not item.start_line:
        return True
    first = max(chunk.start_line, item.start_line)
    last = min(chunk.end_line, item.end_line)
    shorter = min(chunk.end_line - chunk.start_line, item.end_line - item.start_line) + 1
    return 2 * (last - first + 1) >= shorter


def named_path(chunk: Chunk) -> str:
    """Return the name of a chunk's file as expected items have it, with its page if it has one."""
    return place_of(chunk) if chunk.page else chunk.path


async def find_targets(
    queries: Sequence[GoldenQuery], collections: Iterable[Searchable]
) -> Targets:
    """Find the chunks that count for the expected items, in one pass over the collections."""
    known: dict[str, list[tuple[str, int, Expected]]] = {}
    for query in queries:
        for place, item in enumerate(query.expected):
            names = {item.path, item.file} - {""} or {_chunk_id(item)}
            for named_so in names:
                known.setdefault(named_so, []).append((query.id, place, item))
    items: dict[str, dict[Key, list[int]]] = {q.id: defaultdict(list) for q in queries}
    paths: set[str] = set()
    records: set[str] = set()
    ids: set[str] = set()
    for collection in collections:
        name = collection.spec.name
        async for chunk in every_chunk(collection.index, name):
            paths.add(chunk.path)
            if chunk.cited_in == "char":
                records.add(chunk.path)
            ids |= {chunk.id, chunk.candidate_id} if chunk.id in known else set()
            for query_id, place, item in (*known.get(chunk.path, ()), *known.get(chunk.id, ())):
                if counts_for(chunk, item):
                    items[query_id][name, chunk.id].append(place)
    missing = {}
    for query in queries:
        found = {place for places in items[query.id].values() for place in places}
        lost = [
            item.name
            for place, item in enumerate(query.expected)
            if place not in found and item.grade > 0
        ]
        if lost:
            missing[query.id] = tuple(lost)
    wanted = [item for query in queries for item in query.expected if item.grade > 0]
    named = {
        (item.path if item.path in paths else item.file) or item.candidate_id for item in wanted
    }
    unknown = tuple(sorted(named - paths - ids))
    example, nearest = _nearest(unknown, paths)
    return Targets(
        {
            key: {chunk: tuple(places) for chunk, places in found.items()}
            for key, found in items.items()
        },
        missing,
        unknown,
        len(named),
        example,
        nearest,
        nearest in records,
    )


def require_indexed(golden: GoldenSet, targets: Targets) -> None:
    """Raise UsageError if the index has none of the expected items of the golden set: all measures
    would be 0 and meaningless."""
    if not targets.unknown or len(targets.unknown) < targets.named:
        return
    like = f"; the nearest indexed path is {targets.nearest}" if targets.nearest else ""
    raise UsageError(
        f"none of the {targets.named} files that {golden.name} expects is indexed, such as"
        f" {targets.example}{like}",
        hint=_hint(targets.example, targets.nearest, is_record=targets.is_record),
    )


def not_indexed(targets: Targets) -> str:
    """Return a notice about expected items that are not in the index; empty if all are."""
    lost = sum(map(len, targets.missing.values()))
    if not lost:
        return ""
    if targets.unknown:
        like = f" (nearest to {targets.example}: {targets.nearest})" if targets.nearest else ""
        names = f"{listed(targets.unknown)}{like}"
        why = f"{len(targets.unknown)} of {targets.named} files are not indexed: {names}"
    else:
        query, items = next(iter(targets.missing.items()))
        why = f"such as {items[0]} of {query}"
    return f"{lost} expected items are not in the index and count as not found: {why}"


def _nearest(unknown: Sequence[str], paths: Iterable[str]) -> tuple[str, str]:
    """Return one of the unknown paths, and the indexed path with the same last parts, as many as
    possible. If no path ends alike, return the first unknown path and the path with the most
    similar name; empty if there is none. Ties go to the shorter, then to the alphabetically first
    path."""
    if not unknown:
        return "", ""
    endings: dict[str, list[str]] = {}
    for one in sorted(paths, key=lambda one: (len(one), one)):
        endings.setdefault(_name(one), []).append(one)
    alike = [
        (-_shared_parts(one, other), place, len(other), other)
        for place, one in enumerate(unknown)
        for other in endings.get(_name(one), ())[:_ALIKE]
    ]
    if alike:
        _, place, _, best = min(alike)
        return unknown[place], best
    most, longest = _COMPARED
    names = {name[:longest]: found[0] for name, found in sorted(endings.items())[:most]}
    close = get_close_matches(_name(unknown[0])[:longest], names, n=1)
    return unknown[0], names[close[0]] if close else ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _shared_parts(one: str, other: str) -> int:
    pairs = zip(reversed(one.split("/")), reversed(other.split("/")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _hint(expected: str, nearest: str, *, is_record: bool) -> str:
    """Return advice to make the paths of index and golden set match."""
    if nearest and expected.endswith(f"/{nearest}"):
        folder = expected[: -len(nearest)]
        if is_record:
            return f"remove {folder} from the paths in the golden set: they are ids of records"
        return (
            "you indexed a folder inside the checkout: index the folder that contains"
            f" {folder}, or remove {folder} from the paths in the golden set"
        )
    if nearest and nearest.endswith(f"/{expected}"):
        folder = nearest[: -len(expected)]
        if is_record:
            return f"add {folder} before the paths in the golden set: they are ids of records"
        return f"index {folder} itself, or add {folder} before the paths in the golden set"
    return "check the collection (-c) and the index (--index) with: pincite status"


async def every_chunk(index: Readable, collection: str) -> AsyncIterator[Chunk]:
    """Yield every chunk that searches of the collection can see, by id."""
    after: str | None = None
    while chunks := await index.page(collection, after, _PAGE):
        for chunk in chunks:
            yield chunk
        after = chunks[-1].id


def _chunk_id(item: Expected) -> str:
    """Return the last part of a candidate's id."""
    return item.candidate_id.rpartition(":")[2]
