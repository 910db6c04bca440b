"""The work of commands, between the options of the command line and the engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pincite.asking import SearchOptions
from pincite.diagnostics.explain import StageView, explain, explain_table
from pincite.diagnostics.status import Status, status, status_table
from pincite.errors import SourceError, UsageError
from pincite.model import Answer, EvidencePack, SourceType
from pincite.support.fields import replace
from pincite.surfaces.text.render import pack_from_json
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.citations.check_item import Checked
    from pincite.engine import AsyncPincite

__all__ = [
    "SearchOptions",
    "SourceType",
    "StageView",
    "Status",
    "explain",
    "explain_table",
    "read_file",
    "search",
    "status",
    "status_table",
    "verify",
]


async def search(
    engine: AsyncPincite, asked: SearchOptions, *, explained: bool = False, debug: bool = False
) -> tuple[EvidencePack, Trace]:
    """Return the pack and its trace. `explained` asks for a trace of every step; `debug` adds
    requests to services and their answers to the pack. Raises the errors of
    `AsyncPincite.search`."""
    trace = Trace(time.perf_counter, detailed=explained or debug)
    pack = await engine.find(asked, trace=trace)
    return (replace(pack, debug=trace.debug()) if debug else pack), trace


async def verify(
    engine: AsyncPincite, raw: bytes, tags: Mapping[str, object]
) -> tuple[Checked, ...]:
    """Check a pack in JSON, or the sources of an answer, within tags. Raises UsageError for any
    other input."""
    try:
        found = msgspec.json.decode(raw)
        if isinstance(found, dict) and "sources" in found:
            return await engine.verify(Answer.from_dict(found), tags=tags)
        pack = pack_from_json(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(
            f"invalid evidence pack: {error}",
            hint='pincite search "..." --json > pack.json',
        ) from error
    return await engine.verify(pack, tags=tags)


def read_file(path: Path) -> bytes:
    """Return the bytes of a file that the user named. Raises SourceError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
