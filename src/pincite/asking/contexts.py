"""What an open index gives for somebody else's prompt."""

from __future__ import annotations

from typing import Protocol, Unpack

from pincite.asking.options import SearchKeywords, SearchOptions
from pincite.model import EvidencePack
from pincite.model.context_block import (
    BUDGET,
    ContextBlock,
    ContextOrder,
    CountTokens,
    results_for,
    write_context,
)
from pincite.model.prompt import MOST_TOKENS
from pincite.support.arguments import require_count


class Contexts(Protocol):
    """Blocks of passages, by what finds them."""

    async def find(self, asked: SearchOptions) -> EvidencePack:
        """As `AsyncPincite.find`."""

    async def context_for(
        self,
        text: str,
        budget: int = BUDGET,
        *,
        order: ContextOrder = "u",
        line_numbers: bool = True,
        count: CountTokens | None = None,
        **keywords: Unpack[SearchKeywords],
    ) -> ContextBlock:
        """Passages for the prompt of a language model: numbered, fenced and cited.

        Passages of one file that overlap or touch are one, and repetitions are left out. They are
        taken best first as far as they fit; of the best alone the first lines are kept.

        Arguments:
            text: the question or task.
            budget: tokens of the block at most.
            order: `u` puts the best first and the second best last, `rank` the best first.
            line_numbers: put the number of its line in the file before each line.
            count: how many tokens a text has for the model that reads it; None: an estimate from
                above.
            keywords: as in `search`; without a `limit` the budget decides.

        Returns the block and what is in it; numbers and citations are those of its `pack`. Raises
        as `search`, and UsageError for a budget that has no room for one line.

        >>> block = await pincite.context_for("rotate a key", budget=1_000)
        >>> (block.shown, block.tokens <= 1_000)
        ((1, 2), True)
        """
        require_count("budget", budget, most=MOST_TOKENS)
        if keywords.get("limit") is None:
            keywords["limit"] = results_for(budget)
        pack = await self.find(SearchOptions(text, optimise=True, **keywords))
        return write_context(pack, budget, order=order, line_numbers=line_numbers, count=count)
