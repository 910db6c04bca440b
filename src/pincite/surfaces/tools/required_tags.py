"""The tags that a model must give, and the text that says so."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from pincite.collection.members import visible
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError

#: A client that waits longer for a list of tools may give up. After this time the list is sent
#: without required tags.
_PATIENCE_S = 5.0


async def needed_tags(engine: AsyncPincite, bound: Collection[str]) -> tuple[str, ...]:
    """Return the required tags of the index that are not bound, in their order. The tuple is empty
    if the index does not answer in time; calls then report missing tags."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            infos = visible(await engine.client().collections())
    except (PinciteError, TimeoutError):
        return ()
    names = dict.fromkeys(name for info in infos for name in info.spec.require)
    return tuple(name for name in names if name not in bound)


def needs(names: Sequence[str]) -> str:
    """Return a sentence about these tags for the description of a tool."""
    return f" It is refused without a value for each of these in `tags`: {', '.join(names)}."
