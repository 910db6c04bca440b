"""A user is removed while requests of the same user and of others still run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from pincite.errors import Forbidden, NotFound, PinciteError, UsageError
from pincite.providers.memory.rows import FactRow
from pincite.testing.workspaces import Clock, Scene, add, set_scene
from pincite.workspace.ports import Session, Workspaces
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

    async def test_documents_are_deleted_in_pages_and_the_next_call_goes_on(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            scene = await set_scene(workspaces)
            async with workspaces.of(scene.ada.id) as session:
                alone = await session.add_space("alone")
                for number in range(243):
                    await add(session, alone.id if number % 81 == 0 else scene.ada.personal)
                feed = await session.add_feed(scene.ada.personal, "news")
                first = await session.documents(scene.ada.personal, limit=9)
                await session.add_to_feed(feed.id, [one.id for one in first])
            said = []

            def told(done: int, total: int) -> None:
                said.append((done, total))
                if len(said) == 1:
                    raise _CutOffError

            with pytest.raises(_CutOffError):
                await remove_user(workspaces, scene.ada.id, scene.bob.id, told=told)
            async with workspaces.of(scene.ada.id) as session:
                assert await session.document_count(scene.ada.personal) == 40
            await remove_user(workspaces, scene.ada.id, told=told)
            assert said == [(200, 243), (40, 43), (43, 43)]
            async with workspaces.administration() as operator:
                assert scene.ada.id not in {one.id for one in await operator.users()}
                counts = await operator.counts()
            assert (counts.documents["deleting"], counts.jobs["waiting"]) == (243, 243)

    async def test_one_enabled_owner_stays_in_a_space(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            scene = await set_scene(workspaces)
            ada, bob, team = scene.ada.id, scene.bob.id, scene.team.id
            async with workspaces.of(ada) as session:
                await session.set_member(team, bob, "owner")
            async with workspaces.administration() as operator:
                await operator.disable_user(bob)
                assert await operator.orphaned(bob) == ()
            late: tuple[Callable[[Session], Awaitable[object]], ...] = (
                lambda one: one.remove_member(team, ada),
                lambda one: one.set_member(team, ada, "editor"),
            )
            for change in late:
                with pytest.raises(Forbidden, match="not disabled"):
                    await workspaces.change(ada, change)
            async with workspaces.of(ada) as session:
                await session.set_member(team, bob, "viewer")
            async with workspaces.administration() as operator:
                with pytest.raises(UsageError, match="not disabled") as refused:
                    await operator.give_space(team, scene.eve.id)
                assert ada in refused.value.message
                await operator.disable_user(ada)
                assert await operator.orphaned(ada) == (team,)
                await operator.give_space(team, scene.eve.id)
            async with workspaces.of(scene.eve.id) as session:
                assert (await session.space(team)).role == "owner"

    async def test_of_two_owners_who_are_removed_at_once_one_stays(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            for number in range(TRIES // 2):
                scene = await set_scene(workspaces)
                ada, bob, team = scene.ada.id, scene.bob.id, scene.team.id
                async with workspaces.of(ada) as session:
                    await session.set_member(team, bob, "owner")
                    await session.set_member(team, scene.eve.id, "viewer")
                ended = await _at_once(
                    remove_user(workspaces, ada), remove_user(workspaces, bob), number
                )
                refused = [one for one in ended if one]
                assert len(refused) == 1, ended
                assert f"only owner of spaces that others use: {team} (team)" in refused[0]
                assert await _states(workspaces, ada, bob) == {"removed", "enabled"}

    async def test_of_two_users_who_inherit_from_each_other_one_stays(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            for number in range(TRIES // 2):
                scene = await set_scene(workspaces)
                ada, bob = scene.ada.id, scene.bob.id
                ended = await _at_once(
                    remove_user(workspaces, ada, bob), remove_user(workspaces, bob, ada), number
                )
                (refused,) = [one for one in ended if one]
                assert "is disabled" in refused or "no user has" in refused
                assert await _states(workspaces, ada, bob) == {"removed", "enabled"}

    async def test_two_removals_of_one_user_remove_the_user(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            for number in range(TRIES // 2):
                scene = await set_scene(workspaces)
                async with workspaces.of(scene.ada.id) as session:
                    await add(session, scene.ada.personal)
                    await add(session, (await session.add_space("alone")).id)
                one, other = (remove_user(workspaces, scene.ada.id, scene.bob.id) for _ in "12")
                ended = await _at_once(one, other, number)
                assert "" in ended
                assert all("no user has" in one for one in ended if one), ended
                assert await _states(workspaces, scene.ada.id) == {"removed"}

    async def test_an_owner_leaves_or_the_other_one_is_removed(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            for number in range(TRIES):
                scene = await set_scene(workspaces)
                ada, bob, team = scene.ada.id, scene.bob.id, scene.team.id
                async with workspaces.of(ada) as session:
                    await session.set_member(team, bob, "owner")
                    await session.set_member(team, scene.eve.id, "viewer")
                leaves = workspaces.change(
                    bob, lambda one, team=team, bob=bob: one.remove_member(team, bob)
                )
                ended = await _at_once(remove_user(workspaces, ada), leaves, number)
                assert sorted(map(bool, ended)) == [False, True]
                stays = {"enabled"} if ended[0] else {"removed"}
                assert await _states(workspaces, ada) == stays

    async def test_a_space_without_an_enabled_owner_is_named_by_whoever_disables(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            unsaid = [n for n in range(TRIES) if await _is_unsaid(workspaces, n)]
        assert unsaid == []

    async def test_a_removal_that_cannot_end_says_that_the_user_is_disabled(self) -> None:
        async with self.opened() as workspaces:  # type: ignore[attr-defined]
            scene = await set_scene(workspaces)
            ada = scene.ada.id
            async with workspaces.of(ada) as session:
                alone = await session.add_space("alone")
                await session.set_member(scene.team.id, scene.bob.id, "owner")

            async def joined(_: object) -> None:
                """As by a request of Ada that began before."""
                async with workspaces.administration() as operator:
                    await operator.enable_user(ada)
                async with workspaces.of(ada) as session:
                    await session.set_member(alone.id, scene.eve.id, "viewer")
                async with workspaces.administration() as operator:
                    await operator.disable_user(ada)

            with pytest.raises(UsageError, match="now disabled, and not removed yet") as refused:
                await remove_user(workspaces, ada, forget=joined)
            assert f"{alone.id} (alone)" in refused.value.message
            assert refused.value.hint == f"pincite workspace user remove {ada} --give-to USER"
            await remove_user(workspaces, ada, scene.bob.id)
            assert await _states(workspaces, ada) == {"removed"}

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


class _CutOffError(Exception):
    """As if the process ended."""


async def _at_once(
    one: Awaitable[object], other: Awaitable[object], number: int
) -> tuple[str, str]:
    """The messages of both, empty for what was done; the other begins some milliseconds later."""

    async def attempt(work: Awaitable[object], delay_s: float) -> str:
        await asyncio.sleep(delay_s)
        try:
            await work
        except PinciteError as error:
            return error.message
        return ""

    return await asyncio.gather(attempt(one, 0), attempt(other, 0.0015 * (number % 12)))


async def _is_unsaid(workspaces: Workspaces, number: int) -> bool:
    """Whether the other owner is disabled, while one leaves, without a word on the space that has
    no enabled owner then."""
    scene = await set_scene(workspaces, "owner")
    ada, bob, team = scene.ada.id, scene.bob.id, scene.team.id
    async with workspaces.of(ada) as session:
        await session.set_member(team, scene.eve.id, "viewer")
    said: list[str] = []

    async def disable() -> None:
        async with workspaces.administration() as operator:
            await operator.disable_user(bob)
            said.extend(await operator.orphaned(bob))

    leaves = workspaces.change(ada, lambda one: one.remove_member(team, ada))
    ended = await _at_once(leaves, disable(), number % 10)
    assert not ended[1]
    async with workspaces.administration() as operator:
        return list(await operator.orphaned(bob)) != said


async def _states(workspaces: Workspaces, *ids: str) -> set[str]:
    async with workspaces.administration() as operator:
        known = {one.id: one.disabled for one in await operator.users()}
    return {
        "removed" if one not in known else "enabled" if known[one] is None else "disabled"
        for one in ids
    }


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

    @pytest.mark.parametrize("removes", [False, True])
    async def test_a_user_who_writes_meanwhile_does_not_stop_the_operator(
        self, removes: bool
    ) -> None:
        """The user locks two spaces in the other order, so that both wait in a circle."""
        async with self.opened() as workspaces:
            scene = await set_scene(workspaces)
            ada = scene.ada.id
            first, second = sorted((scene.ada.personal, scene.team.id))
            async with workspaces.of(ada) as session:
                await add(session, second)
                if removes:
                    work: Awaitable[object] = remove_user(workspaces, ada, scene.bob.id)
                else:
                    work = workspaces.administer(lambda operator: operator.disable_user(ada))
                ends = asyncio.ensure_future(work)
                await asyncio.sleep(0.3)  # it has the first one now; the server looks after 1 s
                await add(session, first)
            await ends
            assert await _states(workspaces, ada) == {"removed" if removes else "disabled"}

    async def test_a_user_who_forgets_meanwhile_does_not_stop_the_last_step(self) -> None:
        """The user deletes a fact and then a conversation, the removal in the other order."""
        async with self.opened() as workspaces:
            scene = await set_scene(workspaces)
            ada = scene.ada.id
            async with workspaces.of(ada) as session:
                await session.add_fact(FactRow("0a", b"prefers tea", ""), 9)
                conversation = await session.begin_conversation("tea")
            async with workspaces.of(ada) as session:
                assert await session.forget_facts() == 1
                removal = asyncio.ensure_future(remove_user(workspaces, ada, scene.bob.id))
                await self._waits_for_a_lock()
                assert not removal.done()
                await session.delete_conversation(conversation.id)
            await removal
            assert await _states(workspaces, ada) == {"removed"}

    async def _waits_for_a_lock(self) -> None:
        """Return when a transaction of this database waits for the row of another one."""
        async with await psycopg.AsyncConnection.connect(self.addresses[2], autocommit=True) as one:
            for _ in range(1_000):
                found = await one.execute(
                    "SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
                    " WHERE NOT l.granted AND a.datname = current_database()"
                )
                if await found.fetchone():
                    return
                await asyncio.sleep(0.01)
        pytest.fail("nobody waits")
