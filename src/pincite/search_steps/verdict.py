"""Judge the evidence of a search, and find the words of the question that it lacks."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import AbsentTerms, Candidate, Context, Gated, Query
from pincite.search_steps.run import Run
from pincite.stages.absent import find_absent
from pincite.stages.cover import only_word
from pincite.stages.gate import Sought, doubt, gate, may_doubt
from pincite.stages.rank_code.related import related
from pincite.stages.retrieve import Retrieved
from pincite.stages.subjects import find_subjects
from pincite.support.names import bare_words, owner_of, undeclared

_ENGLISH = ("english", "unknown")  # languages of a question


async def judge_evidence(run: Run, covered: Sequence[Candidate], found: Retrieved) -> Gated:
    """Return the verdict on the candidates. It is lowered if the index lacks a word of the
    question."""
    query, deps, profile = run.query, run.deps, run.profile
    best = covered[: profile.cover.candidates]
    word = only_word(query.text, best, deps.terms) or _related_path(query, best)
    place, only_place = _place(query, covered)
    gated = gate(
        covered,
        profile.gate,
        reranker=run.reranker_fingerprint,
        unmeasured=run.facts.unmeasured,
        sought=Sought(
            _sought(query),
            word,
            query.text,
            whole=_only_name(query),
            versions=query.asked.versions,
            place=place,
            only_place=only_place,
        ),
    )
    if only_place and profile.gate.defined:
        return gated  # words of a path that the index lacks say nothing
    if not may_doubt(gated.verdict, profile.gate):
        return gated
    shown = covered[: profile.select.results]
    absent = absent_words(run, shown, (None,) * len(shown), found)
    about = _about(query)
    missing = [one for one in absent.index if one in about]
    subjects = await find_subjects(
        query.text, missing, deps.collections, profile.retrieve.timeout_s
    )
    return doubt(gated, subjects, profile.gate)


def _sought(query: Query) -> tuple[str, ...]:
    """Return the names whose definitions tell that the question is on topic: also that whose
    callers or heirs it asks for, which may be a plain word (`subclasses of Matcher`)."""
    relation = query.asked.relation
    if relation is None or relation.owner:
        return query.sought
    return (*query.sought, relation.name)


def _about(query: Query) -> str:
    """Return the name whose place, value, callers or heirs the question asks for, else the whole
    question. Other words of such a question ("set to", "subclasses") say nothing of the subject."""
    relation = query.asked.relation
    if relation is None:
        return undeclared(query.text)
    return f"{relation.owner} {relation.written}"


def _place(query: Query, candidates: Sequence[Candidate]) -> tuple[str | None, bool]:
    """Return the file and line of the first candidate at a place that the question names, and
    whether the question is nothing but places and the very first candidate has one."""
    frames = query.asked.frames
    for number, one in enumerate(candidates if frames else ()):
        chunk = one.chunk
        for frame in frames:
            if same := frame.has(chunk.path, chunk.start_line, chunk.end_line):
                is_first = number == 0 and (same > 1 or "/" not in frame.path)
                return f"{chunk.path}:{frame.line}", is_first and query.asked.only_frames
    return None, False


def _related_path(query: Query, best: Sequence[Candidate]) -> str | None:
    """Return the path of the first passage that stands in the relation to a name that the question
    asks for. It has the name, whatever words of the question (`subclasses`) the index lacks."""
    found = related(query, best)
    return found[0].chunk.path if found else None


def _only_name(query: Query) -> str | None:
    """Return the name, written like code, that is the whole question or whose place it asks for.
    None for a plain word, which may be a topic, and for other questions."""
    words = bare_words(undeclared(query.text))
    is_name = len(words) == 1 and words[0] in query.symbols
    like_code = is_name and (words[0] in query.identifiers or owner_of(words[0]) is not None)
    return words[0] if like_code else None


def absent_words(
    run: Run,
    shown: Sequence[Candidate],
    contexts: Sequence[Context | None],
    found: Retrieved,
) -> AbsentTerms:
    """Return the words of the question that the whole index lacks, and those that only the shown
    passages and their contexts lack."""
    query, deps = run.query, run.deps
    return find_absent(
        query.text,
        shown,
        contexts,
        rankings=found.rankings,
        collections=deps.collections,
        terms=deps.terms,
        apart=run.facts.apart,
        english=deps.language_of(query.text) in _ENGLISH,
    )
