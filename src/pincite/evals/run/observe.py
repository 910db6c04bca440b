"""Read from a trace the rank of each expected item after every stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch

from pincite.evals.golden.targets import Key
from pincite.model import Candidate, EvidencePack, Fused, Gated, Pool
from pincite.stages.retrieve import Retrieved
from pincite.trace import Trace

Lists = tuple[tuple[Key, ...], ...]  #: rankings of one stage


def rankings_of(trace: Trace) -> dict[str, Lists]:
    """Return the ranking of each stage in order, without stages that do not rank. `retrieve` is
    preceded by its sides, as `retrieve.dense` and so on. If a stage ran more than once, the last
    run counts."""
    found: dict[str, Lists] = {}
    for step in trace.steps:
        for suffix, lists in _lists(step.value).items():
            name = f"{step.stage}{suffix}"
            found.pop(name, None)
            found[name] = lists
    return found


def ranks_in(lists: Lists, targets: Mapping[Key, tuple[int, ...]], items: int) -> tuple[int, ...]:
    """Return the best rank, from 1, of a chunk for each expected item; 0 if there is none."""
    best = [0] * items
    for ranked in lists:
        for rank, key in enumerate(ranked, start=1):
            for place in targets.get(key, ()):
                if best[place] == 0 or rank < best[place]:
                    best[place] = rank
    return tuple(best)


def depth_of(lists: Lists) -> int:
    """Return the number of distinct ranked chunks."""
    return len({key for ranked in lists for key in ranked})


def values_of(trace: Trace) -> dict[str, float]:
    """Return the highest value of every signal of the judged candidates, by `signal/kind`."""
    judged = next((s.value for s in reversed(trace.steps) if isinstance(s.value, Gated)), None)
    best: dict[str, float] = {}
    for candidate in judged.candidates if judged else ():
        for signal in candidate.signals:
            name = f"{signal.name}/{signal.kind}"
            best[name] = max(best.get(name, signal.value), signal.value)
    return dict(sorted(best.items()))


@singledispatch
def _lists(value: object) -> dict[str, Lists]:  # noqa: ARG001
    return {}


@_lists.register
def _(value: Retrieved) -> dict[str, Lists]:
    """Return the hits that each source found itself, by signal; then all of them."""
    by_signal: dict[str, list[tuple[Key, ...]]] = {}
    for ranking in value.rankings:
        keys = tuple((ranking.collection, hit.id) for hit in ranking.hits[: ranking.depth])
        by_signal.setdefault(f".{ranking.signal}", []).append(keys)
    branches = {name: tuple(lists) for name, lists in by_signal.items()}
    return {**branches, "": tuple(keys for lists in branches.values() for keys in lists)}


@_lists.register(tuple)
def _(value: Sequence[object]) -> dict[str, Lists]:
    if not all(isinstance(one, Candidate | Fused) for one in value):
        return {}
    return {"": (tuple(_key(one) for one in value if isinstance(one, Candidate | Fused)),)}


@_lists.register(Pool)
@_lists.register(Gated)
def _(value: Pool | Gated) -> dict[str, Lists]:
    return {"": (_keys(value.candidates),)}


@_lists.register
def _(value: EvidencePack) -> dict[str, Lists]:
    return {"": (passages_of(value),)}


def passages_of(pack: EvidencePack) -> tuple[Key, ...]:
    """Return the shown passages: those of each result, its own first."""
    return tuple(
        dict.fromkeys(
            (item.collection, passage)
            for item in pack.evidence
            for passage in (
                item.chunk_id,
                *(one.chunk_id for one in (item.context.matches if item.context else ())),
            )
        )
    )


def _keys(candidates: Iterable[Candidate]) -> tuple[Key, ...]:
    return tuple(map(_key, candidates))


def _key(one: Candidate | Fused) -> Key:
    return one.collection, one.id if isinstance(one, Fused) else one.chunk.id
