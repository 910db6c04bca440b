"""Wait for file events that are on their way, before a search says that the index has nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from pincite.daemon.refresh.freshness import Freshness
from pincite.model import EvidencePack, Question, Scope
from pincite.ports import CollectionInfo
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.support.names import is_like_code

#: Seconds from the beginning of a question until the events of earlier edits have arrived. The
#: watcher reports an edit after .08 to .16 s, and the daemon then looks at its path.
SETTLE_S: Final = 0.2
#: Seconds from the beginning of a question until a file that was noticed is indexed. A warm run
#: over one file takes .03 to .05 s; a longer one gives the warning `refreshing`.
INDEXED_S: Final = 0.5
_STEP_S: Final = 0.04


async def changed_meanwhile(
    look: Callable[[], Awaitable[Freshness]],
    before: Freshness,
    is_pending: Callable[[Freshness], bool],
    begun_s: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> bool:
    """Return whether files have changed that were unnoticed at the beginning of a question, so that
    another search may find more.

    `before` is the state at the beginning, which was at `begun_s` by `clock`, in seconds. `sleep`
    waits for a number of them. `is_pending` returns whether files of the question's scope differ
    from the index. This waits until `SETTLE_S` after the beginning, and until `INDEXED_S` while
    such files are being indexed."""
    last = _last_change(before)
    noticed = False
    while True:
        until_s = begun_s + (INDEXED_S if noticed else SETTLE_S)
        await sleep(min(_STEP_S, max(0.0, until_s - clock())))
        found = await look()
        pending = is_pending(found)
        if not pending and (noticed or _last_change(found) != last):
            return True
        noticed |= pending
        if clock() >= begun_s + (INDEXED_S if noticed else SETTLE_S):
            return noticed


def lacks(pack: EvidencePack, question: Question, config: PrepareConfig) -> bool:
    """Return whether a pack lacks what a file that is not indexed yet may have: there is no
    evidence, or a question that is only places has no certain answer, or the index lacks a name of
    a question that is only names. An ordinary question with such a name does not wait, nor does a
    traceback: what they are about may be in the evidence."""
    if pack.verdict.level == "none" or any(one.code == "similar_name" for one in pack.warnings):
        return True
    named = any(map(is_like_code, pack.absent_terms.index))
    if pack.verdict.level == "grounded" and not named:
        return False
    query = prepare(question, config)
    if query.asked.only_frames:
        return pack.verdict.level != "grounded"
    return named and query.asks == "symbol"


def is_followed(found: Freshness, infos: Iterable[CollectionInfo], scope: Scope) -> bool:
    """Return whether file events of a searched source are received."""
    if not (found.auto and found.watching[:1].isdigit()):
        return False
    return any(
        record.source.kind != "records"
        and (not scope.sources or record.source.name in scope.sources)
        for info in infos
        if not info.foreign
        for record in info.sources
    )


def _last_change(found: Freshness) -> int:
    return found.changes[-1].number if found.changes else 0
