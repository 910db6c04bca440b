"""Looks at the files of sources, as a catalog has recorded them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pincite.current_files.files import FilesOnDisk
from pincite.model import Source, SourceRecord
from pincite.ports import Quote, Seen
from pincite.sources import SourceLimits
from pincite.support.fields import replace
from pincite.support.machine import this_machine


def record(place: Path, **values: object) -> SourceRecord:
    source = Source("acme", str(place), "folder")
    return replace(SourceRecord(source, machine=this_machine()), **values)


def files_of(*records: SourceRecord, limits: SourceLimits = SourceLimits()) -> FilesOnDisk:
    async def sources(collection: str) -> Sequence[SourceRecord]:
        assert collection == "main"
        return records

    return FilesOnDisk(sources, limits)


def look(files: FilesOnDisk, *quotes: Quote, limit_s: float = 30.0) -> tuple[Seen, ...]:
    return asyncio.run(files.look(quotes, limit_s))
