"""Tests of what `Workspaces` promises for users, spaces, feeds, documents and keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pincite.errors import Forbidden, NotFound, UsageError
from pincite.model import Turn
from pincite.providers.memory.rows import FactRow
from pincite.testing.running import contract
from pincite.workspace.model import Access, Document, FoundKey, Role, Space, User
from pincite.workspace.ports import Session, Workspaces
from pincite.workspace.removal import remove_user

HASH = "0123456789abcdef" * 4
NOBODY = "00000000-0000-4000-8000-000000000000"
#: Values that are not ids, and do no harm in place of one.
NO_IDS = ("", NOBODY, NOBODY.upper() + "A", "'; DROP TABLE users; --", "\0", "\ud800", "x" * 10_000)


class Clock:
    """A clock that tests set. It does not run."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        """Set the clock forward, or back if negative."""
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Scene:
    """Ada and Bob share a space in which Bob has a role; Eve shares none with them."""

    ada: User
    bob: User
    eve: User
    team: Space


async def set_scene(workspaces: Workspaces, role: Role = "viewer") -> Scene:
    """Add three users, and a space of two of them."""
    async with workspaces.administration() as operator:
        ada, bob, eve = [await operator.add_user(one) for one in ("Ada", "Bob", "Eve")]
    async with workspaces.of(ada.id) as session:
        team = await session.add_space("team")
        await session.set_member(team.id, bob.id, role)
    return Scene(ada, bob, eve, team)


async def add(session: Session, space_id: str, name: str = "a.md", **more: Any) -> Document:
    """Add a document."""
    return await session.add_document(space_id, name, HASH, 12, **more)


class WorkspacesContract:
    """Derive from it and let `opened` yield workspaces with a schema and without users, which take
    the time from `clock`."""

    clock: Clock

    def setup_method(self) -> None:
        self.clock = Clock()

    @contract
    async def test_a_user_has_a_space_of_their_own(self, workspaces: Workspaces) -> None:
        async with workspaces.administration() as operator:
            ada = await operator.add_user("Ada", "ada@example.org")
            assert await operator.users() == (ada,)
        assert (ada.name, ada.email, ada.created) == ("Ada", "ada@example.org", self.clock.now)
        async with workspaces.of(ada.id) as session:
            assert session.user_id == ada.id
            assert await session.user() == ada
            space = Space(ada.personal, "Ada", True, self.clock.now, "owner")
            assert await session.spaces() == (space,)
            assert [one.user_id for one in await session.members(ada.personal)] == [ada.id]

    @contract
    async def test_a_personal_space_is_of_one_and_stays(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            mine = scene.ada.personal
            with pytest.raises(Forbidden):
                await session.set_member(mine, scene.bob.id, "viewer")
            with pytest.raises(Forbidden):
                await session.remove_member(mine, scene.ada.id)
            with pytest.raises(Forbidden):
                await session.delete_space(mine)
            assert (await session.rename_space(mine, "notes")).name == "notes"

    @contract
    async def test_an_unknown_user_has_nothing(self, workspaces: Workspaces) -> None:
        await set_scene(workspaces)
        async with workspaces.of(NOBODY) as session:
            assert (await session.spaces(), await session.documents()) == ((), ())
            assert (await session.feeds(), await session.keys()) == ((), ())
            with pytest.raises(NotFound):
                await session.user()
            with pytest.raises(NotFound):
                await session.add_space("mine")
        for wrong in NO_IDS[2:]:
            with pytest.raises(NotFound):
                async with workspaces.of(wrong):
                    pass

    @contract
    async def test_members_share_a_space_and_nobody_else_knows_of_it(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces, "editor")
        async with workspaces.of(scene.bob.id) as session:
            assert [one.name for one in await session.spaces()] == ["Bob", "team"]
            assert (await session.space(scene.team.id)).role == "editor"
            found = {one.user_id: one.role for one in await session.members(scene.team.id)}
            assert found == {scene.ada.id: "owner", scene.bob.id: "editor"}
            document = await add(session, scene.team.id)
            feed = await session.add_feed(scene.team.id, "news")
            await session.add_to_feed(feed.id, [document.id])
        async with workspaces.of(scene.ada.id) as session:
            assert (await session.document(document.id)).user_id == scene.bob.id
            assert await session.visible([document.id, NOBODY]) == {document.id}
        async with workspaces.of(scene.eve.id) as session:
            assert [one.name for one in await session.spaces()] == ["Eve"]
            assert (await session.documents(), await session.feeds()) == ((), ())
            assert await session.visible([document.id]) == frozenset()
            await self._nothing_there(session, scene.team.id, document.id, feed.id)
            for wrong in NO_IDS:
                await self._nothing_there(session, wrong, wrong, wrong)

    async def _nothing_there(self, session: Session, space: str, document: str, feed: str) -> None:
        """Assert that all calls with these ids are answered as for unknown ones."""
        mine = (await session.user()).personal
        asked = (
            session.space(space),
            session.members(space),
            session.rename_space(space, "x"),
            session.delete_space(space),
            session.require_editor(space),
            session.set_member(space, session.user_id, "owner"),
            session.remove_member(space, session.user_id),
            session.feeds(space),
            session.documents(space),
            session.add_feed(space, "x"),
            session.feed(feed),
            session.delete_feed(feed),
            session.add_to_feed(feed, ()),
            session.remove_from_feed(feed, ()),
            session.add_document(space, "x", HASH, 1),
            session.document(document),
            session.change_document(document, filename="x"),
            session.delete_document(document),
            session.readable(Access(session.user_id, space_id=space)),
            session.revoke_key(document),
            session.add_to_feed((await session.add_feed(mine, "own")).id, [document]),
            session.change_document((await add(session, mine)).id, space_id=space),
        )
        messages = set()
        for one in asked:
            with pytest.raises(NotFound) as caught:
                await one
            messages.add(caught.value.message.split("no ")[1].split(" ")[0])
        assert messages <= {"space", "feed", "document", "key"}
        for readable in (
            await session.readable(Access(session.user_id, document_ids=(document,))),
            await session.readable(Access(session.user_id, feed_ids=(feed,))),
        ):
            assert (readable.space_ids, readable.document_ids) == ((mine,), ())

    @contract
    async def test_a_viewer_reads_and_changes_nothing(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces, "viewer")
        async with workspaces.of(scene.ada.id) as session:
            document = await add(session, scene.team.id)
            feed = await session.add_feed(scene.team.id, "news")
            await session.add_to_feed(feed.id, [document.id])
        async with workspaces.of(scene.bob.id) as session:
            assert await session.visible([document.id]) == {document.id}
            own = await add(session, scene.bob.personal)
            for asked in (
                session.require_editor(scene.team.id),
                session.rename_space(scene.team.id, "x"),
                session.delete_space(scene.team.id),
                session.set_member(scene.team.id, scene.bob.id, "owner"),
                session.remove_member(scene.team.id, scene.ada.id),
                session.add_feed(scene.team.id, "x"),
                session.delete_feed(feed.id),
                session.add_to_feed(feed.id, [document.id]),
                session.remove_from_feed(feed.id, [document.id]),
                add(session, scene.team.id),
                session.change_document(document.id, filename="x"),
                session.change_document(document.id, space_id=scene.bob.personal),
                session.change_document(own.id, space_id=scene.team.id),
                session.delete_document(document.id),
            ):
                with pytest.raises(Forbidden):
                    await asked
        async with workspaces.of(scene.ada.id) as session:
            assert await session.document(document.id) == await _again(session, document, feed.id)

    @contract
    async def test_an_editor_writes_and_decides_nothing_of_members(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces, "editor")
        async with workspaces.of(scene.bob.id) as session:
            for asked in (
                session.rename_space(scene.team.id, "x"),
                session.delete_space(scene.team.id),
                session.set_member(scene.team.id, scene.eve.id, "viewer"),
                session.set_member(scene.team.id, scene.bob.id, "owner"),
                session.remove_member(scene.team.id, scene.ada.id),
            ):
                with pytest.raises(Forbidden):
                    await asked
            await session.require_editor(scene.team.id)
            await session.remove_member(scene.team.id, scene.bob.id)
            with pytest.raises(NotFound):
                await session.space(scene.team.id)

    @contract
    async def test_the_last_owner_stays(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            for asked in (
                session.set_member(scene.team.id, scene.ada.id, "viewer"),
                session.remove_member(scene.team.id, scene.ada.id),
            ):
                with pytest.raises(Forbidden, match="last owner"):
                    await asked
            changed = await session.set_member(scene.team.id, scene.bob.id, "owner")
            assert changed.role == "owner"
            await session.remove_member(scene.team.id, scene.ada.id)
            with pytest.raises(NotFound):
                await session.space(scene.team.id)
        async with workspaces.of(scene.bob.id) as session:
            assert [one.user_id for one in await session.members(scene.team.id)] == [scene.bob.id]

    @contract
    async def test_a_member_that_there_is_not_is_not_found_and_the_session_goes_on(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            for wrong in NO_IDS:
                with pytest.raises(NotFound):
                    await session.set_member(scene.team.id, wrong, "viewer")
                with pytest.raises(NotFound):
                    await session.remove_member(scene.team.id, wrong)
            await session.set_member(scene.team.id, scene.eve.id, "viewer")
        async with workspaces.of(scene.eve.id) as session:
            assert (await session.space(scene.team.id)).role == "viewer"

    @contract
    async def test_what_ends_in_an_error_has_not_been(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)

        async def fail() -> None:
            async with workspaces.of(scene.ada.id) as session:
                await add(session, scene.team.id)
                await session.rename_space(scene.team.id, "new")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        async with workspaces.of(scene.ada.id) as session:
            assert await session.documents() == ()
            assert (await session.space(scene.team.id)).name == "team"
        async with workspaces.administration() as operator:
            assert await operator.claim("w", 60) is None

    @contract
    async def test_a_deleted_space_takes_all_that_is_in_it(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces, "editor")
        async with workspaces.of(scene.bob.id) as session:
            made = [await add(session, scene.team.id, source_ids=("a",)) for _ in range(3)]
            feed = await session.add_feed(scene.team.id, "news")
            await session.add_to_feed(feed.id, [one.id for one in made])
            kept = await add(session, scene.bob.personal)
        async with workspaces.administration() as operator:
            args: Any = (scene.bob.id, "k", "h", "p" * 16, ("search",))
            await operator.add_key(*args, space_id=scene.team.id)
        async with workspaces.of(scene.ada.id) as session:
            gone = await session.delete_space(scene.team.id)
            assert [one.id for one in gone] == sorted(one.id for one in made)
            assert {one.status for one in gone} == {"deleting"}
        async with workspaces.of(scene.bob.id) as session:
            assert [one.id for one in await session.documents()] == [kept.id]
            assert (await session.feeds(), await session.keys()) == ((), ())
            with pytest.raises(NotFound):
                await session.space(scene.team.id)

    @contract
    async def test_keys_are_their_users(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        later = self.clock.now + timedelta(days=1)
        async with workspaces.administration() as operator:
            key = await operator.add_key(
                *(scene.bob.id, "laptop", "sha256$salt$hash", "0" * 16, ("write", "search")),
                space_id=scene.team.id,
                expires=later,
            )
            assert (key.scopes, key.space_id, key.expires) == (
                *(("search", "write"), scene.team.id),
                later,
            )
            assert await operator.key_by_prefix("0" * 16) == FoundKey(key, "sha256$salt$hash")
            assert await operator.keys() == await operator.keys(scene.bob.id) == (key,)
            for wrong in ("", "1" * 16, "\0", "%", "\ud800", "x" * 10_000):
                assert await operator.key_by_prefix(wrong) is None
            await operator.used(key.id)
            self.clock.forward(30)
            await operator.used(key.id)
            found = await operator.keys()
            assert found[0].last_used == self.clock.now - timedelta(seconds=30)
            self.clock.forward(30)
            await operator.used(key.id)
            assert (await operator.keys())[0].last_used == self.clock.now
        async with workspaces.of(scene.ada.id) as session:
            assert await session.keys() == ()
            with pytest.raises(NotFound):
                await session.revoke_key(key.id)
        async with workspaces.of(scene.bob.id) as session:
            assert [one.id for one in await session.keys()] == [key.id]
            await session.revoke_key(key.id)
            revoked = self.clock.now
            self.clock.forward(5)
            await session.revoke_key(key.id)
            assert (await session.keys())[0].revoked == revoked
        async with workspaces.administration() as operator:
            again = await operator.key_by_prefix("0" * 16)
            assert again is not None
            assert again.key.revoked == revoked

    @contract
    async def test_a_disabled_user_is_told_of_and_a_removed_one_leaves_only_an_id(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        ada, bob = scene.ada, scene.bob
        async with workspaces.administration() as operator:
            await operator.add_key(ada.id, "k", "sha256$salt$hash", "0" * 16, ("search",))
            link = await operator.add_key(ada.id, "OIDC ada", "oidc", "oidc_1", ("search",))
            await operator.disable_user(ada.id)
            found = await operator.key_by_prefix("0" * 16)
            assert found is not None
            assert found.user == "disabled"
            assert [one.disabled for one in await operator.users() if one.id == ada.id] == [
                self.clock.now
            ]
            await operator.enable_user(ada.id)
            found = await operator.key_by_prefix("0" * 16)
            assert found is not None
            assert found.user == "enabled"
            for wrong in NO_IDS:
                for call in (operator.disable_user, operator.enable_user, operator.forget_user):
                    with pytest.raises(NotFound):
                        await call(wrong)
        async with workspaces.of(ada.id) as session:
            own, theirs = await add(session, ada.personal), await add(session, scene.team.id)
            await session.begin_conversation("secret")
        with pytest.raises(UsageError, match="only owner"):
            await remove_user(workspaces, ada.id)
        with pytest.raises(NotFound):
            await remove_user(workspaces, ada.id, NOBODY)
        with pytest.raises(NotFound):
            await remove_user(workspaces, ada.id, ada.id)
        async with workspaces.of(ada.id) as session:
            assert (await session.document(own.id)).id == own.id
            alone = await session.add_space("alone")
            lone = await add(session, alone.id)
        had = await remove_user(workspaces, ada.id, bob.id)
        assert ([one.id for one in had.alone], [one.id for one in had.orphaned]) == (
            [alone.id],
            [scene.team.id],
        )
        async with workspaces.administration() as operator:
            assert ada.id not in {one.id for one in await operator.users()}
            assert await operator.key_by_prefix("0" * 16) is None
            left = await operator.key_by_prefix("oidc_1")
            assert left is not None
            assert (left.user, left.key.id, left.key.name) == ("removed", link.id, "removed")
            assert left.key.revoked is not None
            await operator.drop_sign_in(link.id)
            assert await operator.key_by_prefix("oidc_1") is None
            with pytest.raises(NotFound):
                await operator.add_key(ada.id, "k", "h", "p", ("search",))
            going = {}
            while found_job := await operator.claim("w1", 30.0):
                going[found_job[1].id] = found_job[1].status
        assert (going[own.id], going[lone.id]) == ("deleting", "deleting")
        async with workspaces.of(bob.id) as session:
            assert (await session.space(scene.team.id)).role == "owner"
            assert (await session.document(theirs.id)).user_id == ada.id
            assert ada.id not in {one.user_id for one in await session.members(scene.team.id)}
        async with workspaces.of(ada.id) as session:
            assert await session.spaces() == ()
            assert await session.conversations() == ()
            with pytest.raises(NotFound):
                await session.user()
        with pytest.raises(NotFound):
            await remove_user(workspaces, ada.id)

    @contract
    async def test_a_disabled_user_adds_nothing_and_joins_nothing(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        ada, bob, team = scene.ada, scene.bob, scene.team
        async with workspaces.of(ada.id) as session:
            document = await add(session, team.id)
            feed = await session.add_feed(team.id, "before")
            talk = await session.begin_conversation("before")
        async with workspaces.administration() as operator:
            await operator.disable_user(ada.id)
            await operator.disable_user(scene.eve.id)
        late: tuple[Callable[[Session], Awaitable[object]], ...] = (
            lambda one: one.add_space("late"),
            lambda one: one.rename_space(team.id, "late"),
            lambda one: one.set_member(team.id, bob.id, "owner"),
            lambda one: one.add_feed(team.id, "late"),
            lambda one: one.add_to_feed(feed.id, [document.id]),
            lambda one: add(one, ada.personal),
            lambda one: one.change_document(document.id, filename="late.md"),
            lambda one: one.begin_conversation("late"),
            lambda one: one.add_turns(talk.id, [Turn("user", "late")]),
            lambda one: one.add_fact(FactRow("0a", b"late", ""), 9),
        )
        for change in late:
            with pytest.raises(NotFound):
                await workspaces.change(ada.id, change)
        async with workspaces.administration() as operator:
            with pytest.raises(NotFound):
                await operator.give_space(team.id, scene.eve.id)
            for space_id in (bob.personal, ada.personal, NOBODY):
                with pytest.raises(UsageError):
                    await operator.give_space(space_id, bob.id)
            await operator.give_space(team.id, bob.id)
        async with workspaces.of(bob.id) as session:
            assert (await session.space(team.id)).role == "owner"
            with pytest.raises(NotFound):
                await session.set_member(team.id, scene.eve.id, "viewer")
            assert (await session.set_member(team.id, ada.id, "editor")).role == "editor"
        with pytest.raises(NotFound):
            await workspaces.change(bob.id, lambda one: one.set_member(team.id, ada.id, "owner"))

    @contract
    async def test_a_removed_user_adds_nothing_and_joins_nothing(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        await remove_user(workspaces, scene.ada.id, scene.bob.id)
        with pytest.raises(NotFound):
            await workspaces.change(scene.ada.id, lambda one: one.begin_conversation("late"))
        async with workspaces.of(scene.bob.id) as session:
            with pytest.raises(NotFound):
                await session.set_member(scene.team.id, scene.ada.id, "owner")
            with pytest.raises(Forbidden):
                await session.remove_member(scene.team.id, scene.bob.id)

    @contract
    async def test_keys_that_cannot_be_are_refused(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        async with workspaces.administration() as operator:
            for wrong in NO_IDS:
                with pytest.raises(NotFound):
                    await operator.add_key(wrong, "k", "h", "p", ("search",))
                with pytest.raises(NotFound):
                    await operator.revoke_key(wrong)
            with pytest.raises(NotFound):  # the user is not a member of the space
                await operator.add_key(
                    scene.eve.id, "k", "h", "p", ("search",), space_id=scene.team.id
                )
            for scopes in ((), ("root",), "search"):
                with pytest.raises(UsageError):
                    await operator.add_key(scene.eve.id, "k", "h", "p", scopes)  # type: ignore[arg-type]
            naive = datetime(2026, 1, 1)
            with pytest.raises(UsageError):
                await operator.add_key(scene.eve.id, "k", "h", "p", ("search",), expires=naive)


async def _again(session: Session, document: Document, feed_id: str) -> Document:
    found = await session.document(document.id)
    assert found.feed_ids == (feed_id,)
    assert (found.version, found.filename) == (document.version, document.filename)
    return found
