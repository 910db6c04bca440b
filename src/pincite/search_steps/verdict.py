"""Judge the evidence of a search, and find the words of the question that it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pincite.model import AbsentTerms, Candidate, Context, Gated
from pincite.ports import Searchable
from pincite.questions.frames import without_lines
from pincite.search_steps.asked_place import absent_place
from pincite.search_steps.on_topic import lacking_other, lacking_place, on_topic
from pincite.search_steps.run import Run
from pincite.search_steps.term_counts import readable_terms, term_counts
from pincite.stages.absent import find_absent, unseen_terms
from pincite.stages.gate import at_most_weak, doubt, gate, may_doubt, told_also
from pincite.stages.placed import Placed
from pincite.stages.retrieve import Retrieved
from pincite.stages.subjects import find_subjects
from pincite.support.names import undeclared

_ENGLISH: Final = ("english", "unknown")  # languages of a question


async def judge_evidence(
    run: Run, covered: Sequence[Candidate], found: Retrieved, placed: Placed
) -> Gated:
    """Return the verdict on the candidates. It is lowered if the index lacks a word of the
    question, or if the question is only places of which none is certain; if another of them does
    not exist, the reason says so. Words of a path that the index lacks say nothing."""
    query, deps, profile = run.query, run.deps, run.profile
    gated = gate(
        covered,
        profile.gate,
        reranker=run.reranker_fingerprint,
        unmeasured=run.facts.unmeasured,
        on_topic=on_topic(query, covered, placed, deps.terms, profile.cover.candidates),
        versions=query.asked.versions,
        shown=profile.select.results,
    )
    if query.asked.only_frames and profile.gate.defined:
        known = found.compared.issuperset(found.collections)
        reason = lacking_place(placed, covered, known=known)
        if reason is not None:
            return at_most_weak(gated, reason)
        other = lacking_other(placed, known=known)
        return gated if other is None else told_also(gated, other)
    if not may_doubt(gated.verdict, profile.gate):
        return gated
    shown = covered[: profile.select.results]
    absent = await absent_words(run, shown, (None,) * len(shown), found)
    missing = absent.index
    has_any = readable_terms(run.facts.readable)
    subjects = await find_subjects(
        query.text, missing, deps.collections, profile.retrieve.timeout_s, has_any
    )
    return doubt(gated, subjects, profile.gate)


async def _about(run: Run, shown: Sequence[Candidate]) -> str:
    """Return the name whose place, value, callers or heirs the question asks for, and the file or
    folder in which it seeks them if the index lacks it; else the whole question. Other words
    of such a question ("set to", "subclasses") say nothing of the subject, nor do the folders that
    only the machine has before a path of the index."""
    relation = run.query.asked.relation
    if relation is None:
        return undeclared(run.query.text)
    lacking = await absent_place(run, relation, shown)
    owner = "" if relation.owner in relation.places else relation.owner  # it may be a topic
    return f"{owner} {relation.written} {lacking}"


async def absent_words(
    run: Run,
    shown: Sequence[Candidate],
    contexts: Sequence[Context | None],
    found: Retrieved,
) -> AbsentTerms:
    """Return the words of the question that the whole index lacks, and those that only the shown
    passages and their contexts lack. Of a question for the relation to a name, its place or its
    value, only that name counts, and a file or folder that the index lacks. For callers who are
    kept apart, the index is what they may read of it."""
    query, deps, apart = run.query, run.deps, run.facts.apart
    text = await _about(run, shown)
    text = without_lines(text) if query.asked.frames else text
    english = deps.language_of(query.text) in _ENGLISH

    def needed(one: Searchable) -> tuple[int, ...]:
        return unseen_terms(text, shown, contexts, one, deps.terms, english=english)

    return find_absent(
        text,
        shown,
        contexts,
        counts=await term_counts(run, found, needed),
        collections=deps.collections,
        terms=deps.terms,
        apart=apart,
        english=english,
    )
