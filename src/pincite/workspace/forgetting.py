"""Delete the facts of a user that are not in the database of workspaces."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.engine.memory_stores import (
    open_fact_file,
    open_memory,
    place_of_fact_file,
    place_of_mem0,
)
from pincite.settings.load import Settings


async def forget_outside(settings: Settings, owners: Sequence[str]) -> None:
    """Delete the facts of these owners (see `owner_of`) from `memory.db`, where `pincite workspace
    facts move` has not moved them, and from mem0 if `[memory]` names it. The first owner is the
    user, whose facts in other spaces are deleted from the file, too. Raise MemoryUnavailable, and
    ConfigError for a model that mem0 needs."""
    if place_of_fact_file(settings).exists():
        memory = open_fact_file(settings)
        try:
            for one in await memory.users():
                if one.partition("/")[0] == owners[0]:
                    await memory.forget(one)
        finally:
            await memory.close()
    if settings.memory.kind == "mem0" and place_of_mem0(settings).exists():
        kept = open_memory(settings)
        if kept is None:
            return
        try:
            for one in owners:
                await kept.forget(one)
        finally:
            await kept.close()
