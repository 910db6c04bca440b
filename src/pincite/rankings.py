"""Several rankings of one side of one collection as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pincite.model import Hit, Ranking


def merge(rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
    """Rankings of one signal and wording as one: the union of their hits, each once."""
    groups: dict[tuple[str, str, int], list[Ranking]] = {}
    for ranking in rankings:
        groups.setdefault((ranking.signal, ranking.kind, ranking.wording), []).append(ranking)
    return tuple(of[0] if len(of) == 1 else _union(of) for of in groups.values())


def _union(rankings: Sequence[Ranking]) -> Ranking:
    found = {hit.id: hit for ranking in rankings for hit in ranking.hits[: ranking.depth]}
    asked = {hit.id: hit for ranking in rankings for hit in ranking.hits if hit.id not in found}

    def ordered(hits: Mapping[str, Hit]) -> list[Hit]:
        return sorted(hits.values(), key=lambda hit: (-hit.score, hit.id))

    return replace(rankings[0], hits=(*ordered(found), *ordered(asked)), depth=len(found))
