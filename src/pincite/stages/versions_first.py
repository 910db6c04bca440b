"""Put passages first that have the version that a question is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pincite.model import Candidate, Chunk
from pincite.model.retrieval import in_front
from pincite.questions.versions import AskedVersions, PassageVersions, canonical, has_body

_HEADING, _BARE, _TITLE, _TEXT, _NOWHERE = range(5)
_Named = tuple[int, frozenset[str]]


def versions_first(asked: AskedVersions, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates, best first. If the question is about versions, those with one of them
    in a heading come first, then those that are such a heading alone, then those with one in their
    title or in the name of their file, then pages with one in their text. They get the signal
    `version`. Each group keeps its order, but of several versions that are no range, the best
    passage of each precedes the others. Passages of code keep their place behind these. All that
    change places exchange their scores."""
    if not asked.about:
        return tuple(candidates)
    named = [_named(one.chunk, asked.all) for one in candidates]
    order = sorted(range(len(candidates)), key=lambda n: named[n][0])
    order = [n for n in order if named[n][0] < _NOWHERE]
    first = dict.fromkeys(_best(order, named, asked)) if len(asked.groups) > 1 else {}
    order = [*first, *(n for n in order if n not in first)]
    return in_front([candidates[n] for n in order], candidates, "version")


def _best(order: Iterable[int], named: Sequence[_Named], asked: AskedVersions) -> Iterator[int]:
    """Yield the number of the best passage for each of the asked versions, the best first."""
    waiting = [frozenset(map(canonical, group)) for group in asked.groups]
    for n in order:
        left = [group for group in waiting if group.isdisjoint(named[n][1])]
        if len(left) < len(waiting):
            yield n
        waiting = left


def _named(chunk: Chunk, asked: frozenset[str]) -> _Named:
    """Return the place in which a passage names one of the versions, and those it names there."""
    if chunk.source_type == "code":
        return _NOWHERE, frozenset()
    named = PassageVersions(chunk.title, chunk.headings, chunk.text, chunk.path)
    if found := asked & named.in_headings:
        return (_HEADING if has_body(chunk.text) else _BARE), found
    if found := asked & named.in_title:
        return _TITLE, found
    found = asked & named.in_text if chunk.source_type == "docs" else frozenset[str]()
    return (_TEXT if found else _NOWHERE), found
