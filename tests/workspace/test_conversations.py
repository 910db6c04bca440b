"""Conversations in the database of workspaces keep what `Conversations` promises, on both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from pincite.errors import ConversationNotFound, NotFound, PinciteError, UsageError
from pincite.model import Turn
from pincite.ports import Conversations, ConversationState
from pincite.support.fields import replace
from pincite.testing.conversations import ConversationsContract, pair
from pincite.testing.memories import LOOKALIKES
from pincite.testing.workspaces import NO_IDS, NOBODY, Scene, set_scene
from pincite.workspace.conversations import WorkspaceConversations, owner_of, person_of
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.model import Access
from pincite.workspace.ports import Workspaces
from tests.workspace.databases import DATABASES, InDatabase, in_database
from tests.workspace.postgres_server import Server


class OfNames(WorkspaceConversations):
    """The owners of the suite have names: each is a user."""

    def __init__(self, workspaces: Workspaces, users: dict[str, str]) -> None:
        super().__init__(workspaces)
        self._users = users

    def _person(self, owner: str) -> tuple[str, str | None]:
        try:
            return super()._person(self._users.get(owner, owner))
        except NotFound:
            return NOBODY, None


async def of_names(workspaces: Workspaces) -> OfNames:
    async with workspaces.administration() as operator:
        names = ("", *LOOKALIKES)
        users = {one: (await operator.add_user(f"u{n}")).id for n, one in enumerate(names)}
    return OfNames(workspaces, users)


class TestOnSqlite(ConversationsContract):
    """In the file of workspaces."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "workspaces.db"

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Conversations]:
        workspaces = SqliteWorkspaces(self.path)
        await workspaces.migrate()
        try:
            yield await of_names(workspaces)
        finally:
            await workspaces.close()


class TestOnPostgres(ConversationsContract):
    """Under row level security."""

    @pytest.fixture(autouse=True)
    def _server(self, postgres: Server, migrated: str) -> None:
        found = postgres.database(migrated)
        self.addresses = (found.app, found.operator)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Conversations]:
        app, operator = self.addresses
        workspaces = PostgresWorkspaces(app, operator=operator)
        try:
            yield await of_names(workspaces)
        finally:
            await workspaces.close()


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> InDatabase:
    """Runs a test in a database with the scene of the suites."""
    return in_database(request, tmp_path)


async def refused(asked: Awaitable[object], kind: type[PinciteError]) -> str:
    with pytest.raises(kind) as caught:
        await asked
    return caught.value.message


def test_those_of_a_space_are_apart_and_go_with_membership_and_space(database: InDatabase) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        team = scene.team.id
        async with workspaces.of(scene.bob.id) as session:
            own = await session.begin_conversation("own")
            its = await session.begin_conversation("its", team)
            await session.add_turns(its.id, pair(1), team)
            for id_, space in ((own.id, team), (its.id, None), (its.id, NOBODY)):
                await refused(session.conversation(id_, space), ConversationNotFound)
                await refused(session.turns(id_, space), ConversationNotFound)
                await refused(session.conversation_state(id_, 2, space), ConversationNotFound)
                await refused(session.add_turns(id_, pair(2), space), ConversationNotFound)
                await refused(session.summarise_conversation(id_, "s", 1, space), UsageError)
                await refused(session.delete_conversation(id_, space), ConversationNotFound)
            assert [one.id for one in await session.conversations()] == [own.id]
            found = await session.conversations(team)
            assert [(one.id, one.space_id, one.turns) for one in found] == [(its.id, team, 2)]
            assert len(await session.turns(its.id, team)) == 2
        async with workspaces.of(scene.eve.id) as session:
            await refused(session.conversations(team), NotFound)
            for space in (None, team):
                await refused(session.conversation(its.id, space), UsageError)
        async with workspaces.of(scene.ada.id) as session:  # an owner of the space reads no others'
            assert await session.conversations(team) == ()
            await refused(session.turns(its.id, team), ConversationNotFound)
            await session.remove_member(team, scene.bob.id)
        async with workspaces.of(scene.bob.id) as session:
            await refused(session.turns(its.id, team), ConversationNotFound)
            await refused(session.add_turns(its.id, pair(2), team), ConversationNotFound)
            assert [one.id for one in await session.conversations()] == [own.id]
        async with workspaces.of(scene.ada.id) as session:
            await session.set_member(team, scene.bob.id, "viewer")
        async with workspaces.of(scene.bob.id) as session:
            assert len(await session.turns(its.id, team)) == 2, "a member again"
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_space(team)
        async with workspaces.of(scene.bob.id) as session:
            await refused(session.turns(its.id, team), ConversationNotFound)
            assert len(await session.conversations()) == 1

    database(test)


def test_a_conversation_cannot_begin_in_a_space_of_others(database: InDatabase) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        for user, space in ((scene.eve, scene.team.id), (scene.eve, NOBODY)):
            async with workspaces.of(user.id) as session:
                await refused(session.begin_conversation("mine", space), NotFound)
        async with workspaces.of(scene.ada.id) as session:
            made = await session.begin_conversation("ada's")
        async with workspaces.of(scene.eve.id) as session:
            await refused(session.begin_conversation("mine", id_=made.id), UsageError)
            for bad in NO_IDS:
                await refused(session.conversation(bad), ConversationNotFound)

    database(test)


def test_pages_and_turns_follow_each_other(database: InDatabase) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        async with workspaces.of(scene.ada.id) as session:
            made = [await session.begin_conversation(f"n{n}") for n in range(5)]
            again = await session.begin_conversation("other", id_=made[0].id)
            assert again == made[0], "the same request again makes nothing"
            await session.add_turns(made[2].id, [*pair(1), *pair(2)])
            order = [2, 4, 3, 1, 0]
            seen: list[str] = []
            while page := await session.conversations(after=seen[-1] if seen else "", limit=2):
                seen += [one.id for one in page]
            assert seen == [made[n].id for n in order]
            first = await session.turns(made[2].id, limit=3)
            rest = await session.turns(made[2].id, after=first[-1].number, limit=3)
            assert [one.number for one in (*first, *rest)] == [1, 2, 3, 4]
            gone = made.pop(2)
            await session.delete_conversation(gone.id)
            await refused(session.conversations(after=gone.id), ConversationNotFound)

    database(test)


def test_a_turn_of_a_process_that_is_stopped_leaves_none_behind(database: InDatabase) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        async with workspaces.of(scene.ada.id) as session:
            made = await session.begin_conversation()
        with suppress(KeyboardInterrupt):
            async with workspaces.of(scene.ada.id) as session:
                await session.add_turns(made.id, pair(1))
                raise KeyboardInterrupt
        async with workspaces.of(scene.ada.id) as session:
            assert await session.turns(made.id) == ()

    database(test)


def test_owners_are_users_and_spaces_and_nothing_else() -> None:
    user, space = NOBODY, NOBODY.replace("8", "9")
    assert person_of(owner_of(Access(user))) == (user, None)
    assert person_of(owner_of(Access(user, space))) == (user, space)
    for bad in ("", "/", f"{user}/", f"/{space}", f"{user}/{space}/", f"{user}/x", f" {user}"):
        with pytest.raises(NotFound):
            person_of(bad)


def test_no_more_conversations_than_a_user_may_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.workspace.conversations.CONVERSATIONS", 2)

    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
        await workspaces.migrate()
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as opened:
            made = [await opened.begin_conversation() for _ in range(2)]
            await refused(opened.begin_conversation(), UsageError)
            await opened.delete_conversation(made[0].id)
            await opened.begin_conversation()
        await workspaces.close()

    asyncio.run(session())


def test_a_state_names_its_owner(tmp_path: Path) -> None:
    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
        await workspaces.migrate()
        scene = await set_scene(workspaces)
        conversations = WorkspaceConversations(workspaces)
        owner = owner_of(Access(scene.bob.id, scene.team.id))
        id_ = await conversations.begin(owner, "of the team")
        await conversations.append(owner, id_, [Turn("user", "hello?")])
        state = await conversations.state(owner, id_, 2)
        wanted = ConversationState(id_, owner, "of the team")
        assert replace(state, turns=()) == wanted
        assert await conversations.list(scene.bob.id) == ()
        await workspaces.close()

    asyncio.run(session())
