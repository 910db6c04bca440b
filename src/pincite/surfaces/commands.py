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
from pincite.model import Corpus, EvidencePack, Question, SourceType
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
    """A question and how it is answered. A preset stands in for the configured profile, `limit` for
    its `select.results`, `by` for its `retrieve.mode`, `corpus` for its names where it has none;
    `explained` asks for a trace of every step, `debug` for what services were asked and answered,
    in the pack."""

    question: Question
    limit: int | None = None
    show_all: bool = False
    preset: str | None = None
    around: Around | None = None
    explained: bool = False
    by: SearchMode | None = None
    debug: bool = False
    corpus: Corpus | None = None


async def search(engine: AsyncPincite, options: SearchOptions) -> tuple[EvidencePack, Trace]:
    """The pack and how it came about. Raises UsageError for a filter that cannot be, before
    anything is asked."""
    parse_where(options.question.scope.where, None)  # attributes are not known yet
    settings = engine.settings
    chosen = settings.preset(options.preset) if options.preset else settings.profile
    profile = chosen.showing(options.limit or chosen.select.results)
    if options.corpus and not profile.corpus.name:
        profile = replace(profile, corpus=options.corpus)
    if options.show_all:
        profile = replace(profile, select=replace(profile.select, on_none="keep"))
    if options.by:
        profile = replace(profile, retrieve=replace(profile.retrieve, mode=options.by))
    if options.around:
        profile = replace(profile, context=replace(profile.context, around=options.around))
    trace = Trace(time.perf_counter, detailed=options.explained or options.debug)
    pack = await engine.ask(options.question, profile=profile, trace=trace)
    return (replace(pack, debug=trace.debug()) if options.debug else pack), trace


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
