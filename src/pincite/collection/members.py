"""A base is what users call a collection; its members are collections of one dense model each.

A collection that was made under its own name is the first member of its own base.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b

from pincite.errors import UsageError
from pincite.model import CollectionSpec, SourceRecord, SourceType
from pincite.ports import CollectionInfo
from pincite.support.fields import replace

_LONGEST = 64  # what a store takes
_UNSAFE = re.compile(r"[^a-z0-9]+")


def member_name(
    base: str, model: str, dimensions: int, fingerprint: str, taken: Collection[str] = ()
) -> str:
    """`{base}__{model}_{dimensions}`, as in `chunks__text_embedding_3_small_1536`: the model's name
    in lower case, everything but letters and digits as `_`. Where that is `taken`, or longer than a
    store allows, it ends with eight digits of the fingerprint's BLAKE2b."""
    safe = _UNSAFE.sub("_", model.lower()).strip("_")
    name = f"{base}__{safe}_{dimensions}" if dimensions else f"{base}__{safe}"
    if name not in taken and len(name) <= _LONGEST:
        return name
    mark = blake2b(fingerprint.encode(), digest_size=4).hexdigest()
    return f"{name[: _LONGEST - 9]}_{mark}"


def members(infos: Iterable[CollectionInfo], base: str) -> tuple[CollectionInfo, ...]:
    """The members that searches ask, in the order in which they were made."""
    everything = tuple(infos)
    unseen = hidden(everything)
    return tuple(info for info in all_members(everything, base) if info.spec.name not in unseen)


def all_members(infos: Iterable[CollectionInfo], base: str) -> tuple[CollectionInfo, ...]:
    """Those that are hidden, too."""
    found = (info for info in infos if info.spec.public_name == base)
    return tuple(sorted(found, key=lambda info: (info.spec.serial, info.spec.name)))


def hidden(infos: Iterable[CollectionInfo]) -> frozenset[str]:
    """The collections that are no part of a search: one that is being filled, and those that a
    later one stands in for."""
    specs = [info.spec for info in infos]
    serials = {spec.name: spec.serial for spec in specs}
    replaced = {
        name
        for spec in specs
        if not spec.pending
        for name in spec.replaces
        if serials.get(name, spec.serial) < spec.serial
    }
    return frozenset(replaced | {spec.name for spec in specs if spec.pending})


def visible(infos: Iterable[CollectionInfo]) -> tuple[CollectionInfo, ...]:
    """The collections that are searched, in the same order."""
    everything = tuple(infos)
    unseen = hidden(everything)
    return tuple(info for info in everything if info.spec.name not in unseen)


def next_serial(infos: Iterable[CollectionInfo]) -> int:
    """Later than all of these."""
    return max((info.spec.serial for info in infos), default=-1) + 1


def all_sources(infos: Iterable[CollectionInfo]) -> tuple[SourceRecord, ...]:
    """The sources of all of them by name, as the last that has it knows it; one is complete where
    it is in all that have it."""
    found: dict[str, SourceRecord] = {}
    for info in infos:
        for record in info.sources:
            before = found.get(record.source.name)
            complete = record.complete and (before is None or before.complete)
            within = tuple(sorted({*record.within, *(before.within if before else ())}))
            found[record.source.name] = replace(record, complete=complete, within=within)
    return tuple(found[name] for name in sorted(found))


def as_one(infos: Sequence[CollectionInfo], spec: CollectionSpec) -> CollectionInfo:
    """Members as one collection with the spec of one of them."""
    kinds = Counter[SourceType]()
    for info in infos:
        kinds.update(info.kinds)
    return CollectionInfo(
        spec=spec,
        kinds=kinds,
        sources=all_sources(infos),
        documents=sum(info.documents for info in infos),
        chunks=sum(info.chunks for info in infos),
        tokens=sum(info.tokens for info in infos),
        lost=sum(info.lost for info in infos),
        unembedded=sum(info.unembedded for info in infos),
        broken=next((info.broken for info in infos if info.broken), ""),
    )


def by_base(infos: Iterable[CollectionInfo]) -> tuple[CollectionInfo, ...]:
    """What searches ask as users see it: every base once, by name, with the spec of its last
    member."""
    everything = tuple(infos)
    bases = sorted({info.spec.public_name for info in visible(everything)})
    groups = (members(everything, base) for base in bases)
    return tuple(as_one(of, replace(of[-1].spec, name=of[-1].spec.public_name)) for of in groups)


def require_base(infos: Iterable[CollectionInfo], name: str) -> None:
    """Raise UsageError for the name of a single member where all of them are meant."""
    for info in infos:
        if info.spec.name == name != info.spec.public_name:
            raise UsageError(
                f"{name!r} is a member of the collection {info.spec.public_name!r}",
                hint=f"name the collection, with --model {info.spec.model or 'bundled'}",
            )
