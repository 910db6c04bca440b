"""The library for `pincite ui`: one index, restricted to the tags of the command."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pincite.asking import SearchOptions, checked_tags
from pincite.asking.answers import AnswerOptions
from pincite.citations.pictures import PagePicture, page_picture
from pincite.diagnostics.explain import StageView, explain
from pincite.engine import AsyncPincite
from pincite.errors import IndexNotFound, PinciteError
from pincite.model import AnswerEvent, Evidence, EvidencePack
from pincite.model.citation import place_of
from pincite.support.concurrency import both
from pincite.surfaces.page.judging import grades_of, judge
from pincite.surfaces.page.library import Named, Opened, SearchResults
from pincite.surfaces.page.profiles import profile_views
from pincite.surfaces.page.requests import Ask, Judge, Place
from pincite.surfaces.page.streaming import problem_view
from pincite.surfaces.text.parts import page_words
from pincite.surfaces.traced_search import traced_search
from pincite.version import VERSION

log = logging.getLogger("pincite.page")


@dataclass(frozen=True, slots=True)
class IndexLibrary:
    """The library over one index. `tags` are added to every search and reading; `golden` is the
    file of judgements."""

    engine: AsyncPincite
    golden: Path
    tags: Mapping[str, Any] = field(default_factory=dict, hash=False)
    preset: str | None = None
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def about(self) -> Mapping[str, Any]:
        """See `Library`."""
        settings = self.engine.settings
        model = settings.use.llm or "no language model"
        try:
            infos = await self.engine.collections()
        except IndexNotFound:  # nothing is indexed yet
            infos = ()
        specs = [info.spec for info in infos if not (info.broken or info.spec.pending)]
        dense = [one.dense_name for one in specs]
        return {
            "words": [str(settings.index), f"judgements: {self.golden}", model, VERSION],
            **profile_views(settings, dense, self.preset or ""),
            "judging": True,
        }

    async def find(self, asked: Ask) -> SearchResults:
        """See `Library`."""
        asking = traced_search(self.engine, self._options(asked))
        (pack, _), infos = await both(asking, self.engine.collections())
        grades = await asyncio.to_thread(grades_of, self.golden, asked.text)
        named = {one.collection for one in (*pack.evidence, *pack.closest)}
        languages = sorted({one.spec.language for one in infos if one.spec.name in named})
        return SearchResults(pack, languages or ["english"], grades)

    async def explain(self, asked: Ask) -> tuple[EvidencePack, Sequence[StageView]]:
        """See `Library`."""
        pack, trace = await traced_search(self.engine, self._options(asked), explained=True)
        return pack, explain(trace)

    async def read(self, asked: Place, context: int) -> Opened:
        """See `Library`."""
        among = (asked.collection,) if asked.collection else ()
        options: dict[str, Any] = {"tags": self.tags, "collections": among}
        found = await self.engine.get(asked.citation, context, **options)
        page = f"{found.page_unit} {found.page}".capitalize() if found.page else ""
        pictured = bool(found.page) and found.path.lower().endswith(".pdf")
        return Opened(found, found.path, found.repo, page, pictured)

    async def picture(self, asked: Place) -> PagePicture:
        """See `Library`."""
        among = (asked.collection,) if asked.collection else ()
        client, folder = self.engine.client(), self.engine.settings.index
        tags = checked_tags(self.tags)
        return await page_picture(client, asked.citation, folder, tags=tags, collections=among)

    async def judge(self, asked: Judge) -> None:
        """See `Library`."""
        async with self.writing:
            await asyncio.to_thread(judge, self.golden, asked)

    def answer(self, asked: Ask) -> AsyncIterator[AnswerEvent]:
        """See `Library`."""
        return self.engine.answering(AnswerOptions(self._options(asked)))

    def named(self, one: Evidence) -> Named:
        """See `Library`."""
        return Named(place_of(one), page_words(one))

    def failed(self, error: Exception) -> Mapping[str, str]:
        """See `Library`."""
        if isinstance(error, PinciteError):
            log.error("%s", error)
            return problem_view(error)
        log.error("an answer failed", exc_info=error)
        return {"message": f"the answer failed: {type(error).__name__}", "hint": "see the log"}

    def _options(self, asked: Ask) -> SearchOptions:
        return SearchOptions(asked.text, preset=asked.preset or self.preset, tags=self.tags)
