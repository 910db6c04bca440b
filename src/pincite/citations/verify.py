"""Check the items of a pack with the current files and the cited revisions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType

import msgspec

from pincite.citations.check_item import Checked, check_item, check_stored
from pincite.citations.current_file import Renames, status_of
from pincite.citations.item_place import at_address, not_checkable
from pincite.citations.listing import CitedIndex, cited_within
from pincite.collection.members import visible
from pincite.errors import PinciteError
from pincite.model import Attributes, Evidence, EvidencePack, SourceRecord
from pincite.ports import CollectionInfo, PagedIndex, Readable
from pincite.sources import OpenSource
from pincite.sources.entries import content_of
from pincite.sources.reopening import reopen_source
from pincite.support.fields import replace

_GONE = "it is no longer in the index"
_NOTHING = "its text was cut to nothing that can be compared"
#: An item to check with its source. The last value is for `OpenSource.named`.
_Read = tuple[Evidence, SourceRecord, Mapping[str, str]]


async def verify(
    index: PagedIndex,
    pack: EvidencePack,
    foreign: Mapping[str, Readable] = MappingProxyType({}),
    folder: Path | None = None,
    *,
    tags: Attributes = MappingProxyType({}),
    bounds: Attributes = MappingProxyType({}),
    told: Callable[[int, int], object] | None = None,
) -> tuple[Checked, ...]:
    """Return the result of checking each item of a pack, in their order, with the current files and
    the cited revisions; see `citations.check_item`. Items of `foreign` collections are compared
    with the stored chunks; see `citations.check_item.check_stored`. Records are in the index
    `folder`.

    An item is `unknown` if its citation and its fields name different places, or if its text was
    shortened to nothing. An item that is cited by an address that its file no longer has is not
    `fresh`, but `moved`. An item outside of `tags` and `bounds` is `deleted`. Raises TagsRequired
    if a collection of an item requires other tags.

    `told` is called in another thread, with the number of distinct items that have been checked,
    and with the number of all.
    """
    infos = visible(await index.collections())
    places = {
        (name, record.source.name): (info, record)
        for info in infos
        for name in (info.spec.public_name, info.spec.name)
        for record in info.sources
    }
    asked = {name for item in pack.evidence for name in (item.collection, _before(item.collection))}
    needed = [info for info in infos if {info.spec.name, info.spec.public_name} & asked]
    within = cited_within(index, needed, tags, bounds)
    text_cut = any(notice.code == "text_cut" for notice in pack.warnings)
    planned: list[Checked | _Read] = []
    given: dict[tuple[str, str], Mapping[str, str]] = {}
    distinct, places_of = _distinct(pack.evidence)
    for item in distinct:
        key = item.collection, item.repo
        if key not in places:  # the member of this model was dropped: use the base
            key = _before(item.collection), item.repo
        if text_cut and not item.text.strip():  # every text begins with ""
            planned.append(Checked(item.number, item.citation, "unknown", _NOTHING))
            continue
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
                planned.append(_of_no_source(item, narrowed=within.narrowed))
                continue
            record = places[key][1]
            if why := not_checkable(item):
                planned.append(Checked(item.number, item.citation, "unknown", why))
                continue
            planned.append((item, record, await _given(within, of_item, record, given)))
        except PinciteError as error:  # the index does not answer, and the files were not compared
            planned.append(Checked(item.number, item.citation, "unknown", error.message))
    # A source may be in a database that does not answer: the event loop does not wait for it.
    checked = await asyncio.to_thread(
        _check_all, planned, folder, text_cut=text_cut, renamed=not within.narrowed, told=told
    )
    return tuple(
        replace(checked[place], number=item.number)
        for item, place in zip(pack.evidence, places_of, strict=True)
    )


def _distinct(items: Sequence[Evidence]) -> tuple[list[Evidence], list[int]]:
    """Return the items without repetitions, which differ only in their number, and for each item
    its position among them."""
    distinct: list[Evidence] = []
    known: dict[bytes, int] = {}
    places = []
    for item in items:
        key = msgspec.msgpack.encode(replace(item, number=0))
        if (place := known.setdefault(key, len(distinct))) == len(distinct):
            distinct.append(item)
        places.append(place)
    return distinct, places


async def _given(
    within: CitedIndex,
    infos: Sequence[CollectionInfo],
    record: SourceRecord,
    known: dict[tuple[str, str], Mapping[str, str]],
) -> Mapping[str, str]:
    """Return the contents, by path, that were indexed under the ref that was given for a source.
    `known` caches them by collection and source."""
    found: dict[str, str] = {}
    for info in infos if record.source.pinned else ():
        key = info.spec.name, record.source.name
        if key not in known:
            known[key] = content_of(await within.documents(*key), record.source.ref)
        found |= known[key]
    return found


def _check_all(
    planned: Sequence[Checked | _Read],
    folder: Path | None,
    *,
    text_cut: bool,
    renamed: bool,
    told: Callable[[int, int], object] | None,
) -> tuple[Checked, ...]:
    """Return the results of the planned checks. Each source is opened once."""
    opened: dict[tuple[str, str], OpenSource] = {}
    renames = Renames() if renamed else None
    checked: list[Checked] = []
    with ExitStack() as stack:
        for one in planned:
            if told is not None:
                told(len(checked), len(planned))
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
                found = check_item(opened[key], item, text_cut=text_cut, renames=renames)
                checked.append(at_address(found, item, record.source.url_rule))
            except PinciteError as error:
                status = status_of(error, record)
                checked.append(Checked(item.number, item.citation, status, error.message))
    return tuple(checked)


def _of_no_source(item: Evidence, *, narrowed: bool) -> Checked:
    """Return the result for an item whose source the index does not have: nothing is known of its
    file. Within tags, it is that of any document outside of them, whose source is not revealed."""
    if narrowed:
        return Checked(item.number, item.citation, "deleted", _GONE)
    said = f"source {item.repo!r} is not in this index"
    return Checked(item.number, item.citation, "unknown", said)


def _names(info: CollectionInfo) -> tuple[str, str]:
    return info.spec.name, info.spec.public_name


def _before(collection: str) -> str:
    """Return the base name of a member collection, "" for a name without a base."""
    return collection.rpartition("__")[0]


async def _may_be_checked(
    within: CitedIndex, infos: Sequence[CollectionInfo], item: Evidence
) -> bool:
    """Return whether the item's document is within the tags. If tags and bounds exclude nothing in
    these collections, the document need not be indexed: its file may have been renamed."""
    if not any(within.keeps_back(info.spec.name) for info in infos):
        return True
    for info in infos:
        if await within.record(info.spec.name, item.repo, item.path):
            return True
    return False
