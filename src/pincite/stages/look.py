"""What is about to be shown, held against the files as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.model import Candidate, Context, Notice, Omitted, Truth
from pincite.model.citation import cite
from pincite.ports import Files, Quote, Seen


@dataclass(frozen=True, slots=True)
class Looked:
    """The candidates that there still are, as their files have them, each with its context and how
    far that is known. `gone` are those of which there is nothing to show, `omitted` says why."""

    candidates: tuple[Candidate, ...]
    contexts: tuple[Context | None, ...]
    truths: tuple[Truth, ...]
    gone: tuple[Candidate, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    notices: tuple[Notice, ...] = ()


async def look(
    chosen: Sequence[Candidate],
    contexts: Sequence[Context | None],
    files: Files | None,
    limit_s: float,
    ref: str | None = None,
) -> Looked:
    """Each candidate with its context, in the same order, as its file has them; of the revision
    `ref` alone, where one is asked for. Without `files` all is unchecked and stays as it is. What
    has not been seen after `limit_s` is unchecked, too, and a notice says why."""
    if files is None or not chosen:
        unchecked: tuple[Truth, ...] = tuple("unchecked" for _ in chosen)
        return Looked(tuple(chosen), tuple(contexts), unchecked)
    quotes = [
        Quote(one.collection, one.chunk, around)
        for one, around in zip(chosen, contexts, strict=True)
    ]
    seen = await files.look(quotes, limit_s, at_ref=ref)
    there = [pair for pair in zip(chosen, seen, strict=True) if not pair[1].gone]
    gone = [pair for pair in zip(chosen, seen, strict=True) if pair[1].gone]
    notices = dict.fromkeys(one.notice for one in seen if one.notice is not None)
    return Looked(
        candidates=tuple(_as_seen(one, now) for one, now in there),
        contexts=tuple(now.context for _, now in there),
        truths=tuple(now.truth for _, now in there),
        gone=tuple(one for one, _ in gone),
        omitted=tuple(_omitted(one, now) for one, now in gone),
        notices=tuple(notices),
    )


def _as_seen(one: Candidate, now: Seen) -> Candidate:
    if now.chunk is one.chunk and now.descriptions == one.descriptions:
        return one
    return replace(one, chunk=now.chunk, descriptions=now.descriptions)


def _omitted(one: Candidate, now: Seen) -> Omitted:
    why = now.gone or "stale"
    return Omitted(why, cite(one.chunk), one.collection, one.chunk.path, now.detail)
