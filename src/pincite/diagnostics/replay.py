"""Repeat a logged search, and show what changed."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from pincite.errors import ConfigError, PinciteError, TagsRequired, UsageError
from pincite.model.citation import cite
from pincite.profile import Profile, profile_from
from pincite.retrieval_log import (
    Asked,
    Difference,
    Event,
    Failure,
    ItemChange,
    LogFiles,
    Recorder,
    Replay,
    compare,
    events,
    find_event,
)
from pincite.support.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pincite.engine import AsyncPincite
    from pincite.model import Omitted, Signal, Verdict
    from pincite.model.evidence import OmittedWhy
    from pincite.settings.load import Settings


def logged(settings: Settings, count: int) -> tuple[Event, ...]:
    """Return the last `count` logged searches, the latest first."""
    return tuple(islice(events(LogFiles(settings.index, settings.log)), count))


async def replay(engine: AsyncPincite, query_id: str, *, current: bool = False) -> Replay:
    """Repeat a search with its logged profile, or with the current profile if `current`. This
    search is not logged, and neither are later ones of the engine.

    Raises UsageError for an unknown id, and for a logged profile that this version cannot read;
    TagsRequired if a collection requires tags that the logged search lacks; IndexNotFound.
    """
    engine.client()
    settings = engine.settings
    then = find_event(LogFiles(settings.index, settings.log), query_id)
    profile = settings.profile if current else _profile(then.asked, query_id)
    heard: list[Event] = []
    engine.log = partial(Recorder, heard.append)
    omitted: tuple[Omitted, ...] = ()
    try:
        omitted = (await engine.ask(then.asked.question, profile=profile)).omitted
    except TagsRequired:
        raise
    except PinciteError:
        pass  # the event has it
    today = msgspec.to_builtins(settings.profile)
    return compare(then, heard[0], today, await _present(engine, then, omitted))


def _profile(asked: Asked, query_id: str) -> Profile:
    try:
        return profile_from(asked.profile, "the logged profile")
    except ConfigError as error:
        raise UsageError(
            f"{error.message}: this version cannot repeat the logged search",
            hint=f"pincite replay {query_id} --current",
        ) from error


async def _present(
    engine: AsyncPincite, then: Event, omitted: Iterable[Omitted]
) -> dict[tuple[str, str], OmittedWhy | None]:
    """Return the items of the logged pack that are still in the index, by collection and chunk id,
    each with the reason why the search omits it now."""
    why = {(one.collection, one.citation): one.why for one in omitted}
    ids: dict[str, list[str]] = {}
    for item in then.shown:
        ids.setdefault(item.collection, []).append(item.chunk_id)
    present: dict[tuple[str, str], OmittedWhy | None] = {}
    for name, keys in ids.items():
        with suppress(PinciteError):  # a deleted collection has no items
            index = engine.foreign.readable().get(name, engine.client())
            stored = await index.load(name, keys)
            present |= {(name, one.chunk.id): why.get((name, cite(one.chunk))) for one in stored}
    return present


def logged_table(found: tuple[Event, ...]) -> str:
    """Return one line per search."""
    return "\n".join(
        f"{event.query_id[:12]}  {event.time[:19]}  {_level(event):8}"
        f"  {one_line(event.asked.text[:100])}"
        for event in found
    )


def _level(event: Event) -> str:
    return event.verdict.level if event.verdict else "error"


def replay_table(found: Replay) -> str:
    """Return the changes as lines of text."""
    then = _outcome(found.verdict_then, found.error_then)
    now = _outcome(found.verdict_now, found.error_now)
    lines = [
        f"search   {found.query_id} of {found.time[:19]}",
        f"question {one_line(found.text)}",
        f"result   {_pair(then, now)}",
    ]
    if found.masked:
        lines.append(
            "masked   the question had secrets, which the log leaves out: it was searched"
            " again without them"
        )
    for title, differences in (
        ("index", found.index),
        ("models", found.models),
        ("today's", found.settings),
    ):
        lines += [f"{title:8} {_difference(one)}" for one in differences]
    if found.items:
        lines += ["", " then   now  found then/now  score"]
    lines += [_item(item) for item in found.items]
    return "\n".join((*lines, "", "nothing changed" if found.same else "changed"))


def _outcome(verdict: Verdict | None, error: Failure | None) -> str:
    if error is not None:
        return f"{error.type}: {error.message}"
    return f"{verdict.level} ({verdict.signal} {verdict.value:.3f})" if verdict else "nothing"


def _pair(then: str, now: str) -> str:
    return then if then == now else f"{then} -> {now}"


def _difference(one: Difference) -> str:
    return f"{one.name}: {_value(one.then)} -> {_value(one.now)}"


def _value(value: Any) -> str:
    return "none" if value is None else str(value)


def _item(item: ItemChange) -> str:
    places = f"{_place(item.found_then)}/{_place(item.found_now)}"
    scores = _pair(_score(item.score_then), _score(item.score_now))
    why = f"  ({item.reason})" if item.reason else ""
    return (
        f"{_place(item.rank_then):>5} {_place(item.rank_now):>5}  {places:>14}  {scores}{why}"
        f"\n       #{item.chunk_id[:12]} {item.collection} {one_line(item.place)}"
    )


def _place(number: int | None) -> str:
    return "-" if number is None else str(number)


def _score(signal: Signal | None) -> str:
    return "-" if signal is None else f"{signal.name} {signal.value:.4f}"
