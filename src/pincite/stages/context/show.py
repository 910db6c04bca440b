"""The stage: read the documents of the results and build the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.model import Candidate, Chosen, Context, Drop
from pincite.ports import Filter, Searchable
from pincite.stages.context.config import ContextConfig
from pincite.stages.context.document import DocumentChunks, NotRead
from pincite.stages.context.files import EVERYWHERE, Files, OutlineOutdated
from pincite.stages.context.page import Page

_Pair = tuple[Candidate, DocumentChunks | None]


class Shown(Chosen, frozen=True):
    """The results, best first. `contexts` has the text shown for each, None if it is only the
    passage."""

    contexts: tuple[Context | None, ...] = ()


async def context(
    chosen: Chosen,
    collections: Sequence[Searchable],
    config: ContextConfig,
    results: int,
    readable: Mapping[str, Filter] = EVERYWHERE,
) -> Shown:
    """Return at most that number of results, each with the lines shown from its file.

    Only chunks that match the filter of their collection in `readable` are shown; all chunks of a
    collection without one. Another chunk ends the shown lines, as if it could not be read.
    Candidates of one file that meet become one result at the rank of the best. Candidates in
    reserve take the freed places. Every other candidate is dropped, as merged or as below the best.
    If a document cannot be read from the index, only the passage is shown, with a notice. Passages
    of other programs have no context.
    """
    if config.around == "none":
        kept = chosen.candidates[:results]
        nothing = (None,) * len(kept)
        same = (chosen.notices, (), chosen.short, chosen.closest)
        return Shown(kept, (), *same, nothing)
    by_name = {one.spec.name: one for one in collections}
    try:
        return await _page(chosen, Files(by_name, readable), config, results)
    except OutlineOutdated:
        return await _page(chosen, Files(by_name, readable, outlines=False), config, results)


async def _page(chosen: Chosen, files: Files, config: ContextConfig, results: int) -> Shown:
    """Choose the results and the text around them. Raises OutlineOutdated."""
    page = Page(config, results)
    queue = (*chosen.candidates, *chosen.reserve)
    done, width = 0, len(chosen.candidates)
    while done < len(queue) and not page.full():
        batch = queue[done : done + max(1, width)]
        pairs = list(zip(batch, await files.of(batch), strict=True))
        for number in range(len(pairs)):
            await _fill(page, files, pairs[number][0])
            if page.full():
                break
            await _take(page, files, pairs[number:])
            done += 1
        width = results - len(page.spans)
    await _fill(page, files)
    await files.complete((one.document, one.reach) for one in page.spans if one.document)
    below = f"below the best {results}"
    return Shown(
        candidates=tuple(span.lead for span in page.spans),
        dropped=(*page.dropped(), *(Drop(o.chunk.candidate_id, below) for o in queue[done:])),
        notices=(*chosen.notices, *files.notices),
        short=chosen.short,
        closest=chosen.closest,
        contexts=tuple(span.context for span in page.spans),
    )


async def _take(page: Page, files: Files, waiting: Sequence[_Pair]) -> None:
    """Add the first of these candidates. The chunks that it needs are read together with the chunks
    that the others need."""
    while True:
        try:
            return page.take(*waiting[0])
        except NotRead as needed:
            await files.more([needed, *page.lacking(waiting[1:])])


async def _fill(page: Page, files: Files, before: Candidate | None = None) -> None:
    while True:
        try:
            return page.fill(before)
        except NotRead as needed:
            await files.more([needed])
