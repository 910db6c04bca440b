"""Remove repeated candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Sequence
from operator import attrgetter

import msgspec

from pincite.model import Candidate, Chunk, Drop, Pool
from pincite.support.fields import replace

_BEGINNING = 4  # words
_SAME_TEXT = "same text as"


class DedupConfig(msgspec.Struct, frozen=True):
    """`same_text` also drops chunks whose text is equal up to white space."""

    same_text: bool = True


def dedup(
    candidates: Sequence[Candidate],
    config: DedupConfig,
    sought: Container[tuple[str, str]] = (),
) -> Pool:
    """Drop repetitions, in this order: same candidate id, same lines of the same file, same text.
    The best rank is kept. Of chunks with the same text, the one with the richer provenance is kept,
    at that rank. Those that the question asks for by their place, `sought` as (collection, id), are
    kept before others, and all of them if only their text is the same."""
    rules: list[tuple[str, Callable[[Chunk], Hashable]]] = [
        ("same chunk as", attrgetter("repo", "ref", "path", "id")),
        ("same lines as", _lines),
    ]
    if config.same_text:
        rules.append((_SAME_TEXT, _text_among(candidates)))
    kept, dropped = list(candidates), []
    for reason, key in rules:
        kept, lost = _apply(kept, reason, key, sought)
        dropped += lost
    return Pool(tuple(kept), tuple(dropped))


def _apply(
    candidates: Sequence[Candidate],
    reason: str,
    key: Callable[[Chunk], Hashable],
    sought: Container[tuple[str, str]],
) -> tuple[list[Candidate], list[Drop]]:
    keys = [key(candidate.chunk) for candidate in candidates]
    if len(set(keys)) == len(keys):  # as most often
        return list(candidates), []

    def worth(one: Candidate) -> tuple[bool, int]:
        return one.key in sought, _richness(one.chunk)

    kept: dict[Hashable, Candidate] = {}
    dropped = []
    for own, candidate in zip(keys, candidates, strict=True):
        known = kept.setdefault(own, candidate)
        if known is candidate:
            continue
        ours, theirs = worth(candidate), worth(known)
        if reason == _SAME_TEXT and ours[0] and theirs[0]:
            kept[own, candidate.collection, candidate.chunk.id] = candidate
            continue
        winner, loser = known, candidate
        if ours > theirs:
            winner, loser = replace(candidate, signals=known.signals), known
            kept[own] = winner
        dropped.append(Drop(loser.chunk.candidate_id, f"{reason} #{winner.chunk.id[:12]}"))
    return list(kept.values()), dropped


def _lines(chunk: Chunk) -> Hashable:
    """Return the place in the file. A chunk without lines and page is unique."""
    if not chunk.end_line and not chunk.page:
        return chunk.candidate_id
    file = (chunk.repo, chunk.ref, chunk.path)
    return (*file, chunk.start, chunk.end, chunk.start_line, chunk.end_line)


def _text_among(candidates: Sequence[Candidate]) -> Callable[[Chunk], Hashable]:
    """Return the text without repeated white space. It is computed only if two different texts have
    the same beginning."""
    texts = {one.chunk.text for one in candidates}
    beginnings = {text: tuple(text.split(maxsplit=_BEGINNING)[:_BEGINNING]) for text in texts}
    times = Counter(beginnings.values())
    keys: dict[str, Hashable] = {
        text: " ".join(text.split()) if times[begins] > 1 else begins
        for text, begins in beginnings.items()
    }
    return lambda chunk: keys[chunk.text]


def _richness(chunk: Chunk) -> int:
    return sum(map(bool, (chunk.url, chunk.symbols, chunk.headings, chunk.title)))
