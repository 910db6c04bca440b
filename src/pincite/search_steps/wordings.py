"""The wordings of a question: its own, and rephrasings from the caller or a language model."""

from __future__ import annotations

from contextlib import suppress

from pincite.errors import PinciteError
from pincite.search_steps.run import Run
from pincite.search_steps.weights import term_weights
from pincite.stages.expand import Expanded, expand, given_by_caller, lexical_signal
from pincite.stages.retrieve import retrieve
from pincite.support.fields import replace


async def find_wordings(run: Run) -> Expanded:
    """Return the query with its rephrasings: those of the caller, otherwise those that the profile
    asks for. The latter are skipped if keyword search has a clear winner."""
    query, deps, config = run.query, run.deps, run.profile.expand
    given = given_by_caller(query, run.question.subqueries)
    if config.by == "off" or given.query.subqueries:
        return run.trace.tap("expand", given) if run.question.subqueries else given
    only_words = {"mode": "keyword", "keyword": "bm25", "engine_fusion": "none", "symbol_limit": 0}
    words = replace(run.profile.retrieve, **only_words)
    signal = None
    with suppress(PinciteError):  # the search itself raises the error
        asked = (query, deps.collections, run.scope, words)
        found = await retrieve(*asked, deep=run.facts.deep)
        rarity = term_weights(deps, query.text, found.rankings, apart=run.facts.apart)
        signal = lexical_signal(found.rankings, rarity)
    expanded = await expand(
        given,
        signal,
        deps.terms,
        llm=deps.llm if config.by == "llm" else None,
        config=config,
        known=deps.known_wordings,
        left_ms=run.left_ms,
    )
    return run.trace.tap("expand", expanded)
