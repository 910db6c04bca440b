"""Compare results with the current files before they are shown."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Candidate, Compared, Context, Omitted, Truth
from pincite.model.citation import cite
from pincite.ports import Files, Quote, Seen
from pincite.support.fields import replace


async def look(
    chosen: Sequence[Candidate],
    contexts: Sequence[Context | None],
    files: Files | None,
    limit_s: float,
    refs: tuple[str, ...] = (),
) -> Compared:
    """Return the candidates in the same order with their text from the current files, each with its
    context; with `refs`, only candidates of these revisions. Without `files`, all candidates are
    unchecked and unchanged. Those not checked within `limit_s` are unchecked, too, with a
    notice."""
    if files is None or not chosen:
        unchecked: tuple[Truth, ...] = tuple("unchecked" for _ in chosen)
        return Compared(tuple(chosen), tuple(contexts), unchecked)
    quotes = [
        Quote(one.collection, one.chunk, around)
        for one, around in zip(chosen, contexts, strict=True)
    ]
    seen = await files.look(quotes, limit_s, refs=refs)
    there = [pair for pair in zip(chosen, seen, strict=True) if not pair[1].gone]
    gone = [pair for pair in zip(chosen, seen, strict=True) if pair[1].gone]
    notices = dict.fromkeys(one.notice for one in seen if one.notice is not None)
    return Compared(
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
