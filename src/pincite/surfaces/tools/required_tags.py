"""The tags that a model has to give, and the text that tells it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from pincite.collection.members import visible
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError

#: A client that waits longer for a list of tools may give up, so the list then says less.
_PATIENCE_S = 5.0


async def needed_tags(engine: AsyncPincite, bound: Collection[str]) -> tuple[str, ...]:
    """Return the required tags of the index that are not bound, in their order. None if the index
    does not answer: calls then report missing tags."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            infos = visible(await engine.client().collections())
    except (PinciteError, TimeoutError):
        return ()
    names = dict.fromkeys(name for info in infos for name in info.spec.require)
    return tuple(name for name in names if name not in bound)


def needs(names: Sequence[str]) -> str:
    """A sentence for the description of a tool."""
    return f" It is refused without a value for each of these in `tags`: {', '.join(names)}."
