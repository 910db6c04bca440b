"""Facts in the database of workspaces keep what `Memory` promises, on both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.errors import ConfigError, MemoryUnavailable, NotFound, UsageError
from pincite.ports import DenseEncoder, Memory
from pincite.providers.memory.kept import KeptMemory
from pincite.providers.memory.sqlite import SqliteMemory
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.memory import MemorySettings
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from pincite.testing.memories import LOOKALIKES, MemoryContract
from pincite.testing.workspaces import NOBODY, Scene, set_scene
from pincite.workspace.conversations import owner_of
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.facts import WorkspaceFacts, memory_of
from pincite.workspace.model import Access
from pincite.workspace.moving_facts import move_facts
from pincite.workspace.ports import Workspaces
from pincite.workspace.workspace import Workspace
from tests.workspace.databases import DATABASES, InDatabase, in_database
from tests.workspace.postgres_server import Server


class OfNames(WorkspaceFacts):
    """The users of the suite have names."""

    def __init__(self, workspaces: Workspaces, users: dict[str, str]) -> None:
        super().__init__(workspaces)
        self._users = users

    def _person(self, user: str) -> tuple[str, str | None]:
        return self._users.get(user, NOBODY), None


async def of_names(workspaces: Workspaces, encoder: DenseEncoder | None = None) -> Memory:
    async with workspaces.administration() as operator:
        names = (*LOOKALIKES, "bob")
        users = {one: (await operator.add_user(f"u{n}")).id for n, one in enumerate(names)}
    return KeptMemory("workspaces", OfNames(workspaces, users), encoder)


class TestOnSqlite(MemoryContract):
    """In the file of workspaces."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "workspaces.db"

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Memory]:
        workspaces = SqliteWorkspaces(self.path)
        await workspaces.migrate()
        try:
            yield await of_names(workspaces)
        finally:
            await workspaces.close()


class TestOnPostgres(MemoryContract):
    """Under row level security, by meaning as well."""

    @pytest.fixture(autouse=True)
    def _server(self, postgres: Server, migrated: str) -> None:
        found = postgres.database(migrated)
        self.addresses = (found.app, found.operator)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Memory]:
        app, operator = self.addresses
        workspaces = PostgresWorkspaces(app, operator=operator)
        try:
            yield await of_names(workspaces, HashingEncoder())
        finally:
            await workspaces.close()


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> InDatabase:
    """Runs a test in a database with the scene of the suites."""
    return in_database(request, tmp_path)


def kept_in(workspaces: Workspaces, encoder: DenseEncoder | None = None) -> KeptMemory:
    return KeptMemory("workspaces", WorkspaceFacts(workspaces), encoder)


async def texts(memory: Memory, user: str) -> list[str]:
    return [one.text for one in await memory.facts(user)]


def test_those_of_a_space_are_apart_and_go_with_membership_and_space(database: InDatabase) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        memory, team = kept_in(workspaces), scene.team.id
        own, its = scene.bob.id, owner_of(Access(scene.bob.id, team))
        ada = owner_of(Access(scene.ada.id, team))
        (plain,) = await memory.remember(own, "drinks tea")
        (narrow,) = await memory.remember(its, "drinks coffee")
        assert await texts(memory, own) == ["drinks tea"]
        assert await texts(memory, its) == ["drinks coffee"]
        assert await texts(memory, ada) == []
        for user, id_ in ((own, narrow.id), (its, plain.id), (ada, narrow.id)):
            with pytest.raises(NotFound):
                await memory.facts(user, id_)
        assert [one.text for one in await memory.recall(own, "drinks", 5)] == ["drinks tea"]
        assert await memory.forget(own, narrow.id) == 0
        assert await memory.forget(its, plain.id) == 0
        eve = owner_of(Access(scene.eve.id, team))
        for asked in (memory.facts(eve), memory.remember(eve, "x"), memory.forget(eve)):
            with pytest.raises(NotFound):
                await asked
        async with workspaces.of(scene.ada.id) as session:
            await session.remove_member(team, scene.bob.id)
        for asked in (memory.facts(its), memory.recall(its, "coffee", 5), memory.forget(its)):
            with pytest.raises(NotFound):
                await asked
        assert await texts(memory, own) == ["drinks tea"]
        async with workspaces.of(scene.ada.id) as session:
            await session.set_member(team, scene.bob.id, "viewer")
        assert await texts(memory, its) == ["drinks coffee"], "a member again"
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_space(team)
        with pytest.raises(NotFound):
            await memory.facts(its)
        assert await texts(memory, own) == ["drinks tea"]

    database(test)


def test_vectors_are_those_of_the_encoder_that_asks(database: InDatabase) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        ada = scene.ada.id
        words, small = kept_in(workspaces), kept_in(workspaces, HashingEncoder())
        large = kept_in(workspaces, HashingEncoder(32))
        await words.remember(ada, "drinks tea")
        (plain,) = await words.recall(ada, "drinks tea", 5)
        for memory in (small, large, small):
            (found,) = await memory.recall(ada, "drinks tea", 5)
            assert found.score == pytest.approx((plain.score + 1) / 2, abs=0.01)
        async with workspaces.of(ada) as session:
            (row,) = await session.fact_rows(vectors=True)
            assert row.vector is not None
            assert len(row.vector) == 4 * 16
            assert await session.fact_rows(without=HashingEncoder().fingerprint) == ()
            await session.set_fact_vectors("x", {"0" * 24: b"gone"})
            assert len(await session.fact_rows()) == 1
        async with workspaces.of(scene.eve.id) as session:
            await session.set_fact_vectors("x", {row.id: b"another's"})
        async with workspaces.of(ada) as session:
            assert await session.fact_rows(vectors=True) == (row,)

    database(test)


def test_odd_ids_and_users_have_nothing(database: InDatabase) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        memory = kept_in(workspaces)
        await memory.remember(scene.ada.id, "drinks tea")
        for odd in ("a\0b", "\ud800", "%", "' OR 1=1 --", "x" * 500):
            assert await memory.forget(scene.ada.id, odd) == 0
        for nobody in ("ada", f"{scene.ada.id}/", f"{scene.ada.id}/x", "\0", "\ud800"):
            with pytest.raises(NotFound):
                await memory.facts(nobody)
        with pytest.raises(NotFound):
            await memory.remember(NOBODY, "drinks tea")
        assert await memory.facts(NOBODY) == ()
        assert len(await memory.facts(scene.ada.id)) == 1

    database(test)


def test_there_is_a_limit_for_each_space(tmp_path: Path) -> None:
    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
        await workspaces.migrate()
        scene = await set_scene(workspaces)
        memory = KeptMemory("workspaces", WorkspaceFacts(workspaces), most=2)
        its = owner_of(Access(scene.ada.id, scene.team.id))
        for user in (scene.ada.id, its):
            for text in ("one", "two", "two"):
                await memory.remember(user, text)
            with pytest.raises(UsageError, match="2 facts"):
                await memory.remember(user, "three")
        assert await memory.forget(its) == 2
        await memory.remember(its, "three")
        await workspaces.close()

    asyncio.run(session())


def test_a_database_that_is_away_is_told_without_its_address(tmp_path: Path) -> None:
    async def session() -> None:
        address = "postgresql://web:hushhush@127.0.0.1:1/secret?connect_timeout=1"
        workspaces = PostgresWorkspaces(address)
        memory = kept_in(workspaces)
        for asked in (memory.facts(NOBODY), memory.remember(NOBODY, "x"), memory.forget(NOBODY)):
            with pytest.raises(MemoryUnavailable) as caught:
                await asked
            assert "127" not in str(caught.value)
        await workspaces.close()

    asyncio.run(session())


def settings_in(folder: Path, **memory: object) -> Settings:
    settings = load_settings({"PINCITE_OFFLINE": "1"}, folder)
    return replace(settings, memory=MemorySettings(**memory))  # type: ignore[arg-type]


def test_the_settings_say_whether_anything_is_remembered(tmp_path: Path) -> None:
    workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
    assert memory_of(settings_in(tmp_path, kind="none"), None, workspaces) is None
    memory = memory_of(settings_in(tmp_path), None, workspaces)
    assert memory is not None
    assert memory.fingerprint.startswith("workspaces/words-")
    asyncio.run(workspaces.close())


def test_mem0_is_refused_where_several_machines_answer(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, kind="mem0")
    servers = replace(
        settings,
        workspace=replace(settings.workspace, database="postgresql://web@/p"),
        store=replace(settings.store, kind="qdrant", url="http://localhost:6333"),
    )
    workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
    with pytest.raises(ConfigError, match="mem0"):
        Workspace(servers, workspaces)
    asyncio.run(Workspace(settings, workspaces).close())
    asyncio.run(workspaces.close())


def test_facts_of_a_file_move_into_the_database_and_others_stay(
    database: InDatabase, tmp_path: Path
) -> None:
    async def test(workspaces: Workspaces, scene: Scene) -> None:
        settings = settings_in(tmp_path)
        assert (await move_facts(settings, workspaces)).moved == 0
        assert not settings.index.exists(), "asking makes nothing"
        settings.index.mkdir()
        before = SqliteMemory(settings.index / "memory.db", clock=lambda: 0.0)
        its, eve = (owner_of(Access(one.id, scene.team.id)) for one in (scene.bob, scene.eve))
        said = {
            scene.ada.id: ["drinks tea", "a\x00nul", "\ud800"],
            its: ["drinks coffee"],
            "ada": ["is no id"],
            NOBODY: ["is nobody"],
            eve: ["is no member"],
        }
        for user, told in said.items():
            for text in told:
                await before.remember(user, text)
        memory = kept_in(workspaces)
        await memory.remember(scene.ada.id, "drinks tea")
        done = await move_facts(settings, workspaces)
        assert done.moved == 4
        assert [user for user, _ in done.left] == ["ada", NOBODY, eve]
        for user in (scene.ada.id, its):
            assert await texts(memory, user) == said[user]
            assert await before.facts(user) == ()
        assert (await memory.facts(its))[0].at == "1970-01-01T00:00:00+00:00"
        for user in ("ada", NOBODY, eve):
            assert len(await before.facts(user)) == 1
        assert (await move_facts(settings, workspaces)).moved == 0
        await before.close()

    database(test)


def test_a_move_that_is_cut_off_loses_nothing_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
        await workspaces.migrate()
        ada = (await set_scene(workspaces)).ada.id
        settings = settings_in(tmp_path)
        settings.index.mkdir()
        before = SqliteMemory(settings.index / "memory.db")
        told = [f"fact {number}" for number in range(4)]
        for text in told:
            await before.remember(ada, text)
        forget, left = SqliteMemory.forget, [2]

        async def cut(self: SqliteMemory, user: str, fact: str = "") -> int:
            left[0] -= 1
            if left[0] < 0:
                raise OSError("cut off")
            return await forget(self, user, fact)

        monkeypatch.setattr(SqliteMemory, "forget", cut)
        with pytest.raises(OSError, match="cut off"):
            await move_facts(settings, workspaces)
        monkeypatch.undo()
        assert len(await before.facts(ada)) == 2
        assert (await move_facts(settings, workspaces)).moved == 2
        assert await texts(kept_in(workspaces), ada) == told
        assert await before.facts(ada) == ()
        await before.close()
        await workspaces.close()

    asyncio.run(session())
