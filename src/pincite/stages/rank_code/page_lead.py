"""Raise the prior of pages in collections of code, if they have more of the question than code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from pincite.model import Candidate, SourceType
from pincite.stages.rank_code.known import Rarity
from pincite.stages.rank_code.paths import Priors
from pincite.stages.rank_code.words import Terms
from pincite.support.fields import replace
from pincite.support.late_patterns import late_pattern
from pincite.support.term_share import term_share

_BEST = 8  # passages of each kind that are compared; 16 are alike
_TOGETHER = 2  # passages of code, which may share what a page says in one
_FROM, _FULL = 0.2, 0.4  # leads, in shares of the question's terms; docs/decisions/0108
#: Code answers these even if a page has more of their words.
_ASKS_CODE = late_pattern(
    r"(?i:how (?:is|are|does|did|was|were)|where (?:is|are|does|do)"
    r"|which (?:function|class|method|file|module|code)|what happens)\b"
)


def raise_pages(
    question: str, candidates: Sequence[Candidate], terms: Terms, rarity: Rarity, priors: Priors
) -> Priors:
    """Return the priors with a `prose` that grows linearly to 1 while the lead of pages grows from
    .2 to .4. `candidates` are those of collections of code, best first.

    The lead is the share of the question's terms, weighted by `rarity`, that the best of the first
    eight passages of pages has, less that of the two best of the first eight passages of code
    together. A question for code by its form (`how does`, `where is`) leaves the priors as they
    are. English only: in other languages, the lead alone decides.
    """
    if priors.prose == 1 or _ASKS_CODE.match(question):
        return priors
    asked = terms(question)

    def known(kind: SourceType) -> list[tuple[float, frozenset[str]]]:
        """The shares and terms of the question in passages of a kind, best first."""
        of_kind = (one for one in candidates if one.chunk.source_type == kind)
        found = []
        for one in islice(of_kind, _BEST):
            weights = rarity.get(one.collection, {})
            has = asked & terms(one.chunk.text)
            found.append((term_share(asked, has, weights), has))
        return sorted(found, key=lambda pair: -pair[0])

    pages = known("docs")
    if not pages or pages[0][0] <= _FROM:
        return priors
    of_code = known("code")[:_TOGETHER]
    together = frozenset[str]().union(*(has for _, has in of_code))
    weights = rarity.get(candidates[0].collection, {})
    lead = pages[0][0] - term_share(asked, together, weights)
    part = min(1.0, max(0.0, (lead - _FROM) / (_FULL - _FROM)))
    return replace(priors, prose=priors.prose + (1 - priors.prose) * part)
