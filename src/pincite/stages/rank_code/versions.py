"""Put passages first that have the version that a question is about."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Candidate, Chunk
from pincite.questions.versions import AskedVersions, PassageVersions, has_body
from pincite.stages.rank_code.first import in_front

_HEADING, _BARE, _TITLE, _TEXT, _NOWHERE = range(5)


def versions_first(asked: AskedVersions, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates, best first. If the question is about versions, those with one of them
    in a heading come first, then those that are such a heading alone, then those with one in their
    title or in the name of their file, then pages with one in their text. Each group keeps its
    order. All that change places exchange their scores."""
    if not asked.about:
        return tuple(candidates)
    places = [_place(one.chunk, asked.all) for one in candidates]
    if min(places, default=_NOWHERE) == max(places, default=_NOWHERE):
        return tuple(candidates)
    order = sorted(range(len(candidates)), key=places.__getitem__)
    return in_front([candidates[n] for n in order], candidates)


def _place(chunk: Chunk, asked: frozenset[str]) -> int:
    if chunk.source_type == "code":
        return _NOWHERE
    named = PassageVersions(chunk.title, chunk.headings, chunk.text, chunk.path)
    if asked & named.in_headings:
        return _HEADING if has_body(chunk.text) else _BARE
    if asked & named.in_title:
        return _TITLE
    return _TEXT if chunk.source_type == "docs" and asked & named.in_text else _NOWHERE
