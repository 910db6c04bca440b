"""The library for the page of `pincite serve`: the documents that a key may read, as in `/v1`.

All requests go through the workspace with the `Access` of the key, as in every other route.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pincite.citations.passage import Passage
from pincite.citations.pictures import PagePicture
from pincite.diagnostics.explain import StageView, explain
from pincite.errors import UsageError
from pincite.model import Answer, AnswerEvent, Evidence, EvidencePack
from pincite.model.citation import line_range, place_of
from pincite.model.records import PAGE_NUMBER
from pincite.presets import preset_names, unknown_preset
from pincite.support.concurrency import both, run_in
from pincite.support.counted import counted
from pincite.support.fields import replace
from pincite.surfaces.http.notices import told, told_answer
from pincite.surfaces.http.problems import told_problem
from pincite.surfaces.http.resources import Resources
from pincite.surfaces.http.routes.spaces import require_within
from pincite.surfaces.page.library import Named, Opened, SearchResults
from pincite.surfaces.page.profiles import profile_views
from pincite.surfaces.page.requests import Ask, Judge, Place
from pincite.surfaces.text.parts import page_words
from pincite.trace import Trace
from pincite.version import VERSION
from pincite.workspace import Access, Document
from pincite.workspace.files.uploads import is_pictured, picture_of

_LOADED: Final = "load"  # after this stage, all candidates are readable


@dataclass(frozen=True, slots=True)
class WorkspaceLibrary:
    """The documents that `may` can currently read. `request_id` identifies the request in the
    log."""

    resources: Resources
    may: Access
    request_id: str

    async def about(self) -> Mapping[str, Any]:
        """See `Library`."""
        async with self.resources.workspaces.of(self.may.user_id) as session:
            spaces = [one for one in await session.spaces() if self.may.reaches(one.id)]
        model = self.resources.workspace.llm or "no language model"
        collections = await self.resources.workspace.collections(self.may)
        dense = [one.model for one in collections if one.is_searched]
        return {
            "words": [counted(len(spaces), "space"), model, VERSION],
            **profile_views(self.resources.workspace.settings, dense, ""),
            "judging": False,
        }

    async def find(self, asked: Ask) -> SearchResults:
        """See `Library`."""
        workspace = self.resources.workspace
        pack, languages = await both(
            workspace.search(self.may, asked.text, preset=_preset(asked)),
            workspace.languages(),
        )
        return SearchResults(told(pack, self.request_id), languages)

    async def explain(self, asked: Ask) -> tuple[EvidencePack, Sequence[StageView]]:
        """See `Library`."""
        trace = Trace(time.perf_counter)
        preset = _preset(asked)
        pack = await self.resources.workspace.search(
            self.may, asked.text, trace=trace, preset=preset
        )
        shown = {one.chunk_id for one in (*pack.evidence, *pack.closest)}
        return pack, readable_stages(explain(trace), shown)

    async def read(self, asked: Place, context: int) -> Opened:
        """See `Library`."""
        passage = await self.resources.workspace.get(self.may, asked.citation, context)
        document, space = await self._document(passage)
        pictured = is_pictured(document.filename)
        page = f"{passage.page_unit} {passage.page}".capitalize() if passage.page else ""
        return Opened(passage, document.filename, space, page, pictured, not pictured)

    async def picture(self, asked: Place) -> PagePicture:
        """See `Library`."""
        passage = await self.resources.workspace.get(self.may, asked.citation)
        document, _ = await self._document(passage)
        if not is_pictured(document.filename):
            raise UsageError(f"{document.filename} is not a PDF: it has no pages")
        showing, ocr = self.resources.showing, self.resources.workspace.reads_pictures
        async with showing.turns.of(self.may.user_id):
            raw = await self.resources.files.read(document.space_id, document.content_hash)
            work = partial(picture_of, raw, document.filename, passage, ocr=ocr)
            return await run_in(showing.pictures, work)

    async def judge(self, asked: Judge) -> None:  # noqa: ARG002 - others do
        """Raise UsageError: a server for many users has no golden set of one user."""
        raise UsageError("this server keeps no judgements")

    async def answer(self, asked: Ask) -> AsyncIterator[AnswerEvent]:
        """See `Library`."""
        workspace, preset = self.resources.workspace, _preset(asked)
        events = workspace.answer_stream(self.may, asked.text, preset=preset)
        async with aclosing(events):  # type: ignore[type-var]
            async for event in events:
                yield told_answer(event, self.request_id) if isinstance(event, Answer) else event

    def named(self, one: Evidence) -> Named:
        """Return the names of a passage, with the user's name of its document instead of the id."""
        name = str(one.attributes.get("filename") or one.path)
        if one.page is not None:
            return Named(place_of(replace(one, path=name)), page_words(one))
        if page := one.attributes.get(PAGE_NUMBER):  # indexed by an earlier version
            return Named(f"{name}#page={page}", f"Page {page}")
        if not one.end_line:
            return Named(name)
        return Named(f"{name}#{line_range(one)}")

    def failed(self, error: Exception) -> Mapping[str, str]:
        """See `Library`."""
        problem = told_problem(error, self.request_id)
        return {"message": problem.detail or problem.title, "hint": problem.hint}

    async def _document(self, passage: Passage) -> tuple[Document, str]:
        """Return the document of a passage, and the name of its space. Raises NotFound."""
        id_ = passage.path.rpartition("/")[2]
        async with self.resources.workspaces.of(self.may.user_id) as session:
            found = await session.document(id_)
            require_within(self.may, found.space_id, "document", id_)
            return found, (await session.space(found.space_id)).name


def _preset(asked: Ask) -> str | None:
    """Return the preset. Raises UsageError for an unknown one."""
    if asked.preset and asked.preset not in preset_names():
        raise UsageError(unknown_preset(asked.preset))
    return asked.preset or None


def readable_stages(stages: Sequence[StageView], shown: Collection[str]) -> list[StageView]:
    """Return the stages without information on unreadable candidates in the first ones: neither
    their number nor their ranks. `shown` are the ids of results."""
    loads = [at for at, stage in enumerate(stages) if stage.stage == _LOADED]
    allowed = {one.id for at in loads for one in stages[at].candidates} | set(shown)
    before = loads[-1] if loads else len(stages)
    return [_readable(one, allowed) for one in stages[:before]] + list(stages[before:])


def _readable(stage: StageView, allowed: set[str]) -> StageView:
    kept = tuple(one for one in stage.candidates if one.id in allowed)
    summary = counted(len(kept), "candidate") if kept else ""
    return replace(stage, summary=summary, candidates=kept, dropped=())
