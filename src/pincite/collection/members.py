"""Bases and their members: a base is a collection for users, and each member has one dense model.

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

_LONGEST = 64  # characters, the limit of a store
_UNSAFE = re.compile(r"[^a-z0-9]+")


def member_name(
    base: str, model: str, dimensions: int, fingerprint: str, taken: Collection[str] = ()
) -> str:
    """Return the name of a member, `{base}__{model}_{dimensions}`, as in
    `chunks__text_embedding_3_small_1536`: the model's name in lower case, with `_` for everything
    but letters and digits. If this name is `taken`, or longer than a store allows, it ends with
    eight digits of the fingerprint's BLAKE2b."""
    safe = _UNSAFE.sub("_", model.lower()).strip("_")
    name = f"{base}__{safe}_{dimensions}" if dimensions else f"{base}__{safe}"
    if name not in taken and len(name) <= _LONGEST:
        return name
    mark = blake2b(fingerprint.encode(), digest_size=4).hexdigest()
    return f"{name[: _LONGEST - 9]}_{mark}"


def members(infos: Iterable[CollectionInfo], base: str) -> tuple[CollectionInfo, ...]:
    """Return the members of a base that are searched, in the order in which they were made."""
    everything = tuple(infos)
    unseen = hidden(everything)
    return tuple(info for info in all_members(everything, base) if info.spec.name not in unseen)


def all_members(infos: Iterable[CollectionInfo], base: str) -> tuple[CollectionInfo, ...]:
    """Return all members of a base, including hidden ones, in the order in which they were made."""
    found = (info for info in infos if info.spec.public_name == base)
    return tuple(sorted(found, key=lambda info: (info.spec.serial, info.spec.name)))


def hidden(infos: Iterable[CollectionInfo]) -> frozenset[str]:
    """Return the names of the collections that are not searched: those that are being filled, and
    those that a later one replaces."""
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
    """Return the collections that are searched, in the given order."""
    everything = tuple(infos)
    unseen = hidden(everything)
    return tuple(info for info in everything if info.spec.name not in unseen)


def next_serial(infos: Iterable[CollectionInfo]) -> int:
    """Return a serial that is later than those of all these collections."""
    return max((info.spec.serial for info in infos), default=-1) + 1


def all_sources(infos: Iterable[CollectionInfo]) -> tuple[SourceRecord, ...]:
    """Return the sources of all collections by name, each with the record of the last collection
    that has it. A source is complete if it is complete in all of them."""
    found: dict[str, SourceRecord] = {}
    for info in infos:
        for record in info.sources:
            before = found.get(record.source.name)
            complete = record.complete and (before is None or before.complete)
            within = tuple(sorted({*record.within, *(before.within if before else ())}))
            found[record.source.name] = replace(record, complete=complete, within=within)
    return tuple(found[name] for name in sorted(found))


def as_one(infos: Sequence[CollectionInfo], spec: CollectionSpec) -> CollectionInfo:
    """Return members as one collection with the given spec."""
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
    """Return the searched collections as users see them: each base once, by name, with the spec of
    its last member."""
    everything = tuple(infos)
    bases = sorted({info.spec.public_name for info in visible(everything)})
    groups = (members(everything, base) for base in bases)
    return tuple(as_one(of, replace(of[-1].spec, name=of[-1].spec.public_name)) for of in groups)


def require_base(infos: Iterable[CollectionInfo], name: str) -> None:
    """Raise UsageError for the name of a single member, where the name of a base is expected."""
    for info in infos:
        if info.spec.name == name != info.spec.public_name:
            raise UsageError(
                f"{name!r} is a member of the collection {info.spec.public_name!r}",
                hint=f"name the collection, with --model {info.spec.model or 'bundled'}",
            )
