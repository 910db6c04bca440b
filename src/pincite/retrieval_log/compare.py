"""Differences between a logged search and the same search now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pincite.model import Signal, Verdict
from pincite.model.evidence import OmittedWhy
from pincite.retrieval_log.event import CollectionState, Event, Failure, Shown

#: Smaller differences of a score result from its conversion to JSON and back.
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Difference:
    """A named value that has changed; None if it does not exist."""

    name: str
    then: Any
    now: Any


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item of either pack. Ranks count from 1, None if not shown; `found_*` are its places after
    fusion, None beyond the logged ones. `same` says that rank and score have not changed."""

    citation: str
    place: str
    collection: str
    chunk_id: str
    rank_then: int | None
    rank_now: int | None
    found_then: int | None
    found_now: int | None
    score_then: Signal | None
    score_now: Signal | None
    same: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A logged search and the same search now. `items` are in the order of the current pack, then
    those no longer shown, in their former order. `settings` are the values of today's profile that
    differ from the log, whether or not the search used them. `masked` says that the log has the
    question without its secrets, and that it was repeated without them."""

    query_id: str
    time: str
    text: str
    same: bool
    items: tuple[ItemChange, ...]
    index: tuple[Difference, ...]
    models: tuple[Difference, ...]
    settings: tuple[Difference, ...]
    verdict_then: Verdict | None
    verdict_now: Verdict | None
    error_then: Failure | None
    error_now: Failure | None
    masked: bool = False


def compare(
    then: Event,
    now: Event,
    settings: Mapping[str, Any],
    present: Mapping[tuple[str, str], OmittedWhy | None],
) -> Replay:
    """Compare two events of the same search. `settings` is today's profile as a table; `present`
    are the (collection, chunk id) of `then` that are still in the index, each with the reason why
    the search of `now` omitted it, if it did."""
    items = tuple(_items(then, now, present))
    index, models = tuple(_index(then, now)), tuple(_models(then, now))
    verdicts = then.verdict == now.verdict or _close(then.verdict, now.verdict)
    return Replay(
        query_id=then.query_id,
        time=then.time,
        text=then.asked.text,
        same=all(item.same for item in items)
        and not (index or models)
        and verdicts
        and then.error == now.error,
        items=items,
        index=index,
        models=models,
        settings=tuple(_differences("", then.asked.profile, settings)),
        verdict_then=then.verdict,
        verdict_now=now.verdict,
        error_then=then.error,
        error_now=now.error,
        masked=then.masked,
    )


def _close(then: Verdict | None, now: Verdict | None) -> bool:
    return (
        then is not None
        and now is not None
        and (then.level, then.signal, then.kind) == (now.level, now.signal, now.kind)
        and abs(then.value - now.value) <= TOLERANCE
    )


def _items(
    then: Event, now: Event, present: Mapping[tuple[str, str], OmittedWhy | None]
) -> Iterator[ItemChange]:
    before = {(item.collection, item.chunk_id): item for item in then.shown}
    after = {(item.collection, item.chunk_id): item for item in now.shown}
    found_then, found_now = _places(then), _places(now)
    for key in dict.fromkeys((*after, *before)):
        was, is_ = before.get(key), after.get(key)
        one = after.get(key) or before[key]
        same = _same(was, is_)
        yield ItemChange(
            citation=one.citation,
            place=one.place,
            collection=one.collection,
            chunk_id=one.chunk_id,
            rank_then=was.number if was else None,
            rank_now=is_.number if is_ else None,
            found_then=found_then.get(key),
            found_now=found_now.get(key),
            score_then=was.score if was else None,
            score_now=is_.score if is_ else None,
            same=same,
            reason="" if same else _reason(key, was, is_, found_then, found_now, present),
        )


def _same(was: Shown | None, is_: Shown | None) -> bool:
    return (
        was is not None
        and is_ is not None
        and was.number == is_.number
        and (was.score.name, was.score.kind) == (is_.score.name, is_.score.kind)
        and abs(was.score.value - is_.score.value) <= TOLERANCE
    )


def _reason(
    key: tuple[str, str],
    was: Shown | None,
    is_: Shown | None,
    found_then: Mapping[tuple[str, str], int],
    found_now: Mapping[tuple[str, str], int],
    present: Mapping[tuple[str, str], OmittedWhy | None],
) -> str:
    if was is None:
        place = found_then.get(key)
        return f"was found at {place}, and not shown" if place else "was not found"
    if is_ is not None:
        return "rank" if was.number != is_.number else "score"
    if key not in present:
        return "is no longer in the index: its file has changed or was deleted"
    if why := present[key]:
        return (
            "its file is gone" if why == "deleted" else "its file has changed since it was indexed"
        )
    place = found_now.get(key)
    return f"is found at {place}, and not shown" if place else "is in the index, and not found"


def _places(event: Event) -> dict[tuple[str, str], int]:
    return {(hit.collection, hit.chunk_id): n for n, hit in enumerate(event.found, start=1)}


def _index(then: Event, now: Event) -> Iterator[Difference]:
    """Yield differences in documents, chunks and sources of the collections, including new and
    missing ones."""
    for name in sorted({*then.collections, *now.collections}):
        was, is_ = then.collections.get(name), now.collections.get(name)
        yield from _differences(name, _contents(was), _contents(is_))


def _contents(state: CollectionState | None) -> Mapping[str, Any]:
    if state is None:
        return {}
    return {"documents": state.documents, "chunks": state.chunks, "sources": state.sources}


def _models(then: Event, now: Event) -> Iterator[Difference]:
    """Yield differences in the encoders and chunkers of the collections, the reranker, and the
    version of Pincite."""
    yield from _differences("", {"version": then.version}, {"version": now.version})
    for name in sorted({*then.collections} & {*now.collections}):
        was, is_ = then.collections[name], now.collections[name]
        for part in ("dense", "sparse", "chunker"):
            pair = ({part: getattr(was, part)}, {part: getattr(is_, part)})
            yield from _differences(name, *pair)
    old, new = then.reranker, now.reranker
    pair = ({"reranker": old.model if old else None}, {"reranker": new.model if new else None})
    yield from _differences("", *pair)


def _differences(
    name: str, then: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[Difference]:
    for key in dict.fromkeys((*then, *now)):
        was, is_ = then.get(key), now.get(key)
        full = f"{name}.{key}" if name else key
        if isinstance(was, Mapping) and isinstance(is_, Mapping):
            yield from _differences(full, was, is_)
        elif _plain(was) != _plain(is_):
            yield Difference(full, was, is_)


def _plain(value: Any) -> Any:
    """Return a sequence as a list: JSON does not distinguish tuples and lists."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
