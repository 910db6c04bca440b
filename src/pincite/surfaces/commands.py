"""What the commands do, between the options of the command line and the engine."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pincite.diagnostics.explain import StageView, explain, explain_table
from pincite.diagnostics.status import Status, status, status_table
from pincite.errors import SourceError, UsageError
from pincite.model import Corpus, EvidencePack, Scope, SourceType, TaskMode
from pincite.scope.where import parse_where
from pincite.surfaces.render import pack_from_json
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.citations.locate import Checked
    from pincite.engine import AsyncPincite
    from pincite.stages.context import Around
    from pincite.stages.retrieve import SearchMode

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


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The options of `pincite search`. A preset stands in for the configured profile, `limit` for
    its `select.results`, `by` for its `retrieve.mode`, `corpus` for its names where it has none;
    `explained` asks for a trace of every step, `debug` for what services were asked and answered,
    in the pack."""

    text: str
    limit: int | None = None
    collections: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    kinds: tuple[SourceType, ...] = ()
    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    ref: str | None = None
    where: str = ""
    show_all: bool = False
    mode: TaskMode = "explain"
    preset: str | None = None
    budget_ms: int | None = None
    around: Around | None = None
    explained: bool = False
    by: SearchMode | None = None
    debug: bool = False
    corpus: Corpus | None = None


async def search(engine: AsyncPincite, request: SearchOptions) -> tuple[EvidencePack, Trace]:
    """The pack and how it came about. Raises UsageError for a filter that cannot be, before
    anything is asked."""
    parse_where(request.where)
    settings = engine.settings
    chosen = settings.preset(request.preset) if request.preset else settings.profile
    profile = chosen.showing(request.limit or chosen.select.results)
    if request.corpus and not profile.corpus.name:
        profile = replace(profile, corpus=request.corpus)
    if request.show_all:
        profile = replace(profile, select=replace(profile.select, on_none="keep"))
    if request.by:
        profile = replace(profile, retrieve=replace(profile.retrieve, mode=request.by))
    if request.around:
        profile = replace(profile, context=replace(profile.context, around=request.around))
    scope = Scope(
        collections=request.collections,
        sources=request.sources,
        source_types=request.kinds,
        ref=request.ref,
        allow=request.allow,
        block=request.block,
        where=request.where,
    )
    trace = Trace(time.perf_counter, detailed=request.explained or request.debug)
    pack = await engine.search(
        request.text,
        mode=request.mode,
        budget_ms=request.budget_ms,
        scope=scope,
        profile=profile,
        trace=trace,
    )
    return (replace(pack, debug=trace.debug()) if request.debug else pack), trace


async def verify(engine: AsyncPincite, raw: bytes) -> tuple[Checked, ...]:
    """Check a pack in JSON. Raises UsageError for anything else."""
    try:
        pack = pack_from_json(raw)
    except msgspec.DecodeError as error:
        raise UsageError(
            f"this is not an evidence pack: {error}",
            hint='pincite search "..." --json > pack.json',
        ) from error
    return await engine.verify(pack)


def read_file(path: Path) -> bytes:
    """The bytes of a file that the user named. Raises SourceError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
