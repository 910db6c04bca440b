"""Descriptions of folders and files. They are stored with the source and shown with its
passages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path

import msgspec

from pincite.collection.members import all_members, visible
from pincite.engine.open_index import OpenIndex
from pincite.errors import UsageError
from pincite.model import SourceRecord
from pincite.model.descriptions import described, place_of
from pincite.ports import CollectionInfo, LeasedIndex, Waiting
from pincite.scope.tagged_index import named_infos
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings
from pincite.settings.sections.sources import configured_at
from pincite.support.arguments import require_kind, shown, texts_of
from pincite.support.drives import has_drive
from pincite.support.fields import replace

_HINT = "a folder or a file that is indexed, or SOURCE:PATH; to list them: `pincite ls`"


class Description(msgspec.Struct, frozen=True):
    """The description of `path`, a folder or a file of a source; `""` is the whole source.
    `indexed`: the description is part of the text that encoders read."""

    collection: str
    source: str
    path: str
    text: str
    indexed: bool = False


class Describer(OpenIndex):
    """Describes folders and files."""

    async def describe(
        self,
        place: str | PathLike[str],
        text: str,
        *,
        collections: str | Iterable[str] = (),
        waiting: Waiting = Waiting(WAIT_S),
    ) -> tuple[Description, ...]:
        """Describe a folder or a file. Searches show the description with all passages below it. It
        is not part of any text or citation.

        Arguments:
            place: a folder or a file of an indexed source: a path on this machine, or
                `SOURCE:PATH`. `SOURCE:` alone is the whole source.
            text: the description, a sentence or two; empty removes it.
            collections: only in these collections.
            waiting: how many seconds to wait for other writers.

        Returns the new descriptions of that place, one for each collection. Raises UsageError if
        the place is not indexed, if `pincite.toml` describes it, or if the text has more than 1,000
        characters, and IndexUnavailable if another writer takes too long.

        >>> (said,) = await pincite.describe("docs", "Guides for those who run the service")
        >>> (said.path, said.text)
        ('docs', 'Guides for those who run the service')
        """
        require_kind("text", text, str, "a text")
        require_kind("waiting", waiting, Waiting, "a Waiting")
        if not isinstance(place, str | PathLike):
            raise UsageError(f"place is {shown(place)}; it takes {_HINT}")
        among = texts_of("collections", collections)
        return await put_description(
            self.client(), self.settings, fspath(place), text, among, waiting
        )

    async def descriptions(self) -> tuple[Description, ...]:
        """List descriptions of folders and files, in order of collection, source and path.

        >>> said = await pincite.describe("docs", "Guides for those who run the service")
        >>> [one.path for one in await pincite.descriptions()]
        ['docs']
        >>> said = await pincite.describe("docs", "")
        """
        infos = visible(await self.client().collections())
        found = {
            (info.spec.public_name, record.source.name, path): Description(
                *(info.spec.public_name, record.source.name, path, text),
                indexed=record.source.index_descriptions,
            )
            for info in infos
            for record in info.sources
            for path, text in record.source.descriptions.items()
        }
        return tuple(found[key] for key in sorted(found))


async def put_description(
    index: LeasedIndex,
    settings: Settings,
    place: str,
    text: str,
    collections: Sequence[str],
    waiting: Waiting,
) -> tuple[Description, ...]:
    """Store a description of a place in every member of each collection that contains the place.
    Raises the errors of `Describer.describe`."""
    infos = named_infos(visible(await index.collections()), collections)
    found = _found(infos, place)
    for record, path in dict.fromkeys((one[1].source.name, one[2]) for one in found):
        await _require_there(index, infos, record, path)
    _refuse_configured(settings, found)
    told: list[Description] = []
    for base, name, path in dict.fromkeys(
        (info.spec.public_name, record.source.name, path) for info, record, path in found
    ):
        async with index.leases.take(base, f"describing {place}", waiting):
            told += await _keep(index, base, name, path, text)
    return tuple(told)


async def _keep(
    index: LeasedIndex, base: str, name: str, path: str, text: str
) -> list[Description]:
    told: dict[str, Description] = {}
    for info in all_members(await index.collections(), base):
        for record in info.sources:
            source = record.source
            if source.name != name:
                continue
            try:
                kept = described(source.descriptions, {path or ".": text})
            except ValueError as error:
                raise UsageError(str(error)) from error
            await index.put_source(
                info.spec.name, replace(record, source=replace(source, descriptions=kept))
            )
            if path in kept:
                said = (base, name, path, kept[path])
                told[base] = Description(*said, indexed=source.index_descriptions)
    return list(told.values())


def _found(
    infos: Sequence[CollectionInfo], place: str
) -> list[tuple[CollectionInfo, SourceRecord, str]]:
    """Return the sources that contain the place, with its path in each: the source that `place`
    names, otherwise the innermost sources on this machine. Raises UsageError if there is none."""
    every = [(info, record) for info in infos for record in info.sources]
    every = [(info, one) for info, one in every if one.source.kind != "records"]
    name, colon, rest = place.partition(":")
    named = [(info, one) for info, one in every if colon and one.source.name == name]
    try:
        if named:
            return [(info, one, place_of(rest)) for info, one in named]
        there = Path(place).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{shown(place)}: {error}", hint=_HINT) from error
    names = ", ".join(sorted({one.source.name for _, one in every})) or "none"
    if colon and "/" not in name and not has_drive(place) and not os.path.lexists(place):
        raise UsageError(f"no source is named {shown(name)}; known sources: {names}", hint=_HINT)
    found = []
    for info, one in every:
        root = Path(one.source.location)
        if there == root or root in there.parents:
            path = there.relative_to(root).as_posix()
            found.append((info, one, "" if path == "." else path))
    if not found:
        raise UsageError(f"{shown(place)} is not indexed; known sources: {names}", hint=_HINT)
    innermost = max(len(one.source.location) for _, one, _ in found)
    return [each for each in found if len(each[1].source.location) == innermost]


async def _require_there(
    index: LeasedIndex, infos: Sequence[CollectionInfo], source: str, path: str
) -> None:
    """Raise UsageError if no indexed file is at the path, because a typo would go unnoticed."""
    for info in infos:
        for known in await index.documents(info.spec.name, source):
            if not path or known.path == path or known.path.startswith(f"{path}/"):
                return
    raise UsageError(f"no indexed file is at {source}:{shown(path)}", hint=_HINT)


def _refuse_configured(
    settings: Settings, found: Sequence[tuple[CollectionInfo, SourceRecord, str]]
) -> None:
    """Raise UsageError if `pincite.toml` describes the place."""
    for _, record, path in found:
        root = Path(record.source.location)
        for within in ("", *record.within):
            config = configured_at((root / within).resolve(), settings.sources)
            theirs = described({}, config.descriptions, within) if config else {}
            if path in theirs:
                raise UsageError(
                    f"{settings.config} describes {shown(path or record.source.name)}: change"
                    " it there",
                    hint="to apply the change: pincite index",
                )
