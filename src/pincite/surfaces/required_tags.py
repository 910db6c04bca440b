"""Which tags a model has to give, and how it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from pincite.collection.members import visible
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError

#: A client that waits longer for a list of tools may give up: then it is told less.
_PATIENCE_S = 5.0


async def needed_tags(engine: AsyncPincite, bound: Collection[str]) -> tuple[str, ...]:
    """The names that collections of the index require and that are not bound, in their order. None
    where the index cannot be asked: calls say then what they lack."""
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
