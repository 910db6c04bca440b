"""A removed user's facts outside the database of workspaces are deleted, too."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Any

import pytest

from pincite.engine import memory_stores
from pincite.engine.memory_stores import open_fact_file, place_of_mem0
from pincite.errors import MemoryUnavailable, NotFound
from pincite.testing.fakes import HashingEncoder
from pincite.workspace.forgetting import forget_outside
from pincite.workspace.removal import remove_user
from tests.workspace.yard import Yard, yard

pytestmark = pytest.mark.anyio
OTHER = "00000000-0000-4000-8000-000000000000"


async def removed(made: Yard) -> None:
    forget = partial(forget_outside, made.deps.workspace.settings)
    await remove_user(made.deps.workspaces, made.user_id, forget=forget)


async def test_facts_that_were_not_moved_are_deleted() -> None:
    async with yard() as made:
        memory = open_fact_file(made.deps.workspace.settings)
        for user in (made.user_id, f"{made.user_id}/{OTHER}", OTHER):
            await memory.remember(user, "drinks tea")
        await memory.close()
        await removed(made)
        memory = open_fact_file(made.deps.workspace.settings)
        assert tuple(await memory.users()) == (OTHER,)
        await memory.close()


@pytest.mark.skipif(find_spec("mem0") is None, reason="mem0 is not installed")
@pytest.mark.filterwarnings("ignore")  # of mem0, pydantic and the local Qdrant
async def test_facts_in_mem0_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    from pincite.providers.memory.mem0 import Mem0Memory

    async def encoder(*_: Any) -> HashingEncoder:
        return HashingEncoder()

    monkeypatch.setattr(memory_stores, "_encoder", encoder)
    async with yard('[memory]\nkind = "mem0"\n') as made:
        place = place_of_mem0(made.deps.workspace.settings)
        in_space = f"{made.user_id}/{made.space_id}"
        async with made.deps.workspaces.administration() as operator:
            await operator.add_key(made.user_id, "k", "h", "p", ("search",), space_id=made.space_id)
        memory = Mem0Memory(place, HashingEncoder())
        for user in (made.user_id, in_space, OTHER):
            await memory.remember(user, "drinks tea")
        await memory.close()
        await removed(made)
        memory = Mem0Memory(place, HashingEncoder())
        kept = {user: len(await memory.facts(user)) for user in (made.user_id, in_space, OTHER)}
        assert kept == {made.user_id: 0, in_space: 0, OTHER: 1}
        await memory.close()


async def test_a_user_whose_facts_cannot_be_deleted_is_not_removed() -> None:
    async def unavailable(_: tuple[str, ...]) -> None:
        raise MemoryUnavailable("another process has the folder open")

    async with yard() as made:
        with pytest.raises(MemoryUnavailable):
            await remove_user(made.deps.workspaces, made.user_id, forget=unavailable)
        async with made.deps.workspaces.administration() as operator:
            (user,) = await operator.users()
        assert user.disabled is not None
        await removed(made)
        with pytest.raises(NotFound):
            await removed(made)
