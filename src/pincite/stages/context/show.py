"""The stage: read the documents of the results and build the page."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from pincite.errors import EnginePanicked, PinciteError
from pincite.model import Candidate, Chosen, Context, Drop, Notice
from pincite.ports import Searchable
from pincite.stages.context.config import ContextConfig
from pincite.stages.context.document import Document
from pincite.stages.context.page import Page

_File = tuple[str, str, str]  # collection, source, path


@dataclass(frozen=True, slots=True)
class Shown(Chosen):
    """The results, best first. `contexts` has the text shown for each, None for the passage."""

    contexts: tuple[Context | None, ...] = ()


async def context(
    chosen: Chosen, collections: Sequence[Searchable], config: ContextConfig, results: int
) -> Shown:
    """Return at most that number of results, each with the lines shown from its file.

    Candidates of one file that meet become one result at the rank of the best. Candidates in
    reserve take the freed places. Every other candidate is dropped, as merged or as below the best.
    If a document cannot be read from the index, the passage is shown alone, with a notice. Passages
    of other programs have no context.
    """
    if config.around == "none":
        kept = chosen.candidates[:results]
        nothing = (None,) * len(kept)
        same = (chosen.notices, (), chosen.short, chosen.closest)
        return Shown(kept, (), *same, nothing)
    files = _Files({one.spec.name: one for one in collections})
    page = Page(config, results)
    queue = (*chosen.candidates, *chosen.reserve)
    done, width = 0, len(chosen.candidates)
    while done < len(queue) and not page.full():
        batch = queue[done : done + max(1, width)]
        documents = await files.of(batch)
        for candidate, document in zip(batch, documents, strict=True):
            if page.full():
                break
            page.take(candidate, document)
            done += 1
        width = results - len(page.spans)
    page.fill()
    below = f"below the best {results}"
    return Shown(
        candidates=tuple(span.lead for span in page.spans),
        dropped=(*page.dropped(), *(Drop(o.chunk.candidate_id, below) for o in queue[done:])),
        notices=(*chosen.notices, *files.notices),
        short=chosen.short,
        closest=chosen.closest,
        contexts=tuple(span.context for span in page.spans),
    )


@dataclass(slots=True)
class _Files:
    """The documents of the candidates, each read once."""

    by_name: dict[str, Searchable]
    notices: list[Notice] = field(default_factory=list)
    _read: dict[_File, Document | None] = field(default_factory=dict)

    async def of(self, candidates: Sequence[Candidate]) -> list[Document | None]:
        """Return the document of each candidate, None where there is none."""
        keys = [(one.collection, one.chunk.repo, one.chunk.path) for one in candidates]
        missing = [key for key in dict.fromkeys(keys) if key not in self._read]
        ours = [key for key in missing if not self.by_name[key[0]].foreign and key[2]]
        answers = await asyncio.gather(
            *(self.by_name[name].index.document(name, *file) for name, *file in ours),
            return_exceptions=True,
        )
        self._read.update(dict.fromkeys(missing))
        for key, answer in zip(ours, answers, strict=True):
            if isinstance(answer, PinciteError) and not isinstance(answer, EnginePanicked):
                said = f"{key[2]} is shown without its surroundings: {answer.message}"
                self.notices.append(Notice("context_unavailable", said))
            elif isinstance(answer, BaseException):
                raise answer
            else:
                self._read[key] = Document(answer)
        return [self._read[key] for key in keys]
