"""A user is removed while requests of the same user and of others still run."""

from __future__ import annotations

import asyncio

import pytest

from pincite.errors import NotFound, PinciteError, UsageError
from pincite.testing.workspaces import Clock, Scene, set_scene
from pincite.workspace.ports import Workspaces
from pincite.workspace.removal import remove_user
from tests.workspace.database.openers import OnPostgres, OnSqlite

pytestmark = pytest.mark.anyio
TRIES = 24


class Removal:
    """What a removal does to spaces that change meanwhile."""

    def setup_method(self) -> None:
        self.clock = Clock()

    async def test_a_space_that_got_another_owner_stays(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            lost = [n for n in range(TRIES) if await _is_lost(workspaces, n)]
        assert lost == []

    async def test_a_late_space_is_refused_or_removed(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            left = [n for n in range(TRIES) if await _is_left(workspaces, n)]
        assert left == []

    async def test_a_disabled_user_is_neither_an_owner_nor_an_heir(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            scene = await set_scene(workspaces, "owner")
            async with workspaces.administration() as operator:
                await operator.disable_user(scene.bob.id)
            with pytest.raises(UsageError, match="only owner"):
                await remove_user(workspaces, scene.ada.id)
            with pytest.raises(UsageError, match="disabled"):
                await remove_user(workspaces, scene.ada.id, scene.bob.id)
            had = await remove_user(workspaces, scene.ada.id, scene.eve.id)
            assert [one.id for one in had.orphaned] == [scene.team.id]
            async with workspaces.of(scene.eve.id) as session:
                assert {one.user_id: one.role for one in await session.members(scene.team.id)} == {
                    scene.bob.id: "owner",
                    scene.eve.id: "owner",
                }

    async def test_a_space_with_a_member_is_not_deleted_as_one_without(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            scene = await set_scene(workspaces)
            async with workspaces.of(scene.ada.id) as session:
                with pytest.raises(UsageError, match="other members"):
                    await session.delete_space(scene.team.id, alone=True)
                await session.remove_member(scene.team.id, scene.bob.id)
                await session.delete_space(scene.team.id, alone=True)
                with pytest.raises(NotFound):
                    await session.space(scene.team.id)


async def _is_lost(workspaces: Workspaces, number: int) -> bool:
    """Whether a space is deleted although its owner has made another user its owner."""
    scene = await set_scene(workspaces)
    async with workspaces.of(scene.ada.id) as session:
        space = await session.add_space("alone")

    async def share() -> bool:
        await asyncio.sleep(0.001 * (number % 12))
        async with workspaces.of(scene.ada.id) as session:
            await session.set_member(space.id, scene.eve.id, "owner")
        return True

    shared = await _during_removal(workspaces, scene, share())
    async with workspaces.of(scene.eve.id) as session:
        return shared and space.id not in {one.id for one in await session.spaces()}


async def _is_left(workspaces: Workspaces, number: int) -> bool:
    """Whether a removed user still has a space."""
    scene = await set_scene(workspaces)

    async def make() -> bool:
        await asyncio.sleep(0.001 * (number % 12))
        async with workspaces.of(scene.ada.id) as session:
            await session.add_space("late")
        return True

    await _during_removal(workspaces, scene, make())
    async with workspaces.of(scene.ada.id) as session:
        return bool(await session.spaces())


async def _during_removal(workspaces: Workspaces, scene: Scene, change: object) -> bool:
    """Remove Ada during the change. Return whether the change was made."""

    async def attempt() -> bool:
        try:
            return bool(await change)  # type: ignore[misc]
        except PinciteError:
            return False

    _, made = await asyncio.gather(remove_user(workspaces, scene.ada.id, scene.bob.id), attempt())
    return made


class TestRemovalOnSqlite(OnSqlite, Removal):
    """In a file."""


class TestRemovalOnPostgres(OnPostgres, Removal):
    """On a server."""
