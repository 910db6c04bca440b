"""Methods of an open index that write passages for your own prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Unpack

from pincite.model.budgets import BUDGET
from pincite.support.arguments import require_count, require_known

if TYPE_CHECKING:
    from pincite.asking.options import SearchKeywords, SearchOptions
    from pincite.model import EvidencePack
    from pincite.model.context_block import ContextBlock, ContextOrder, CountTokens


class Contexts(Protocol):
    """Blocks of passages, made from the results of `find`."""

    async def find(self, asked: SearchOptions) -> EvidencePack:
        """See `AsyncPincite.find`."""

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
        """Write passages for the prompt of a language model: numbered, fenced and cited.

        Passages of one file that overlap or touch are merged, and repetitions are removed. The best
        passages that fit are kept. If the best one does not fit, only its first lines are kept.

        Arguments:
            text: the question or task.
            budget: maximum number of tokens of the block.
            order: `u` puts the best first and the second best last, `rank` the best first.
            line_numbers: put its line number in the file before each line.
            count: a function that counts the tokens of a text for your model. None: an estimate
                that is rather too high.
            keywords: as in `search`. Without a `limit`, the budget decides.

        Returns the block and its contents. Numbers and citations are those of its `pack`. Raises
        the errors of `search`, and UsageError for a budget without room for a single line.

        >>> block = await pincite.context_for("rotate a key", budget=1_000)
        >>> (block.shown, block.tokens <= 1_000)
        ((1, 2), True)
        """
        from pincite.asking.options import SearchKeywords, SearchOptions
        from pincite.model.context_block import results_for, write_context
        from pincite.model.prompt import MOST_TOKENS

        require_count("budget", budget, most=MOST_TOKENS)
        taken = ("budget", "order", "line_numbers", "count", *SearchKeywords.__annotations__)
        require_known("context_for", keywords, taken)
        if keywords.get("limit") is None:
            keywords["limit"] = results_for(budget)
        pack = await self.find(SearchOptions(text, optimise=True, **keywords))
        return write_context(pack, budget, order=order, line_numbers=line_numbers, count=count)
