"""Raise the prior of pages in collections of code, if they have more of the question than code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from pincite.model import Candidate
from pincite.questions.file_kinds import AskedKinds
from pincite.stages.rank_code.known import KnownTerms
from pincite.stages.rank_code.paths import is_page
from pincite.stages.rank_code.priors import Priors
from pincite.support.fields import replace

_BEST = 8  # passages of each kind that are compared; 16 are alike
_TOGETHER = 2  # passages of code, which may share what a page says in one
_FROM, _FULL = 0.2, 0.4  # leads, in shares of the question's terms; docs/decisions/0108


def raise_pages(
    asked: AskedKinds, candidates: Sequence[Candidate], known: KnownTerms, priors: Priors
) -> Priors:
    """Return the priors with `pages` that grow linearly to 1 while the lead of pages grows from .2
    to .4. `candidates` are those whose files are ranked, best first.

    The lead is the share of the question's terms, by their rarity, that the best of the first eight
    passages of pages has, less that of the two best of the first eight passages of code together.
    Only pages of the project count (see `is_page`). A question for code by its form leaves the
    priors as they are. English only: in other languages, the lead alone decides.
    """
    if priors.pages == 1 or asked.code:
        return priors
    pages = _best(known, (one for one in candidates if _is_page(one)))
    most = known.share(*pages[:1])
    if most <= _FROM:
        return priors
    of_code = _best(known, (one for one in candidates if one.chunk.source_type == "code"))
    lead = most - known.share(*of_code[:_TOGETHER])
    part = min(1.0, max(0.0, (lead - _FROM) / (_FULL - _FROM)))
    return replace(priors, pages=priors.pages + (1 - priors.pages) * part)


def _is_page(one: Candidate) -> bool:
    return one.chunk.source_type == "docs" and is_page(one.chunk.path)


def _best(known: KnownTerms, candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the first candidates, that with the most of the question first."""
    return sorted(islice(candidates, _BEST), key=known.share, reverse=True)
