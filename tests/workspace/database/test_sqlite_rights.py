"""What a SQLite connection in the name of a user reaches, by raw SQL, and what files it refuses."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pincite.errors import Forbidden, WorkspaceUnavailable
from pincite.model import Turn
from pincite.providers.memory.rows import FactRow
from pincite.testing.workspaces import HASH, NOBODY, Scene, add, set_scene
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.database.transaction import Row, Transaction

TALK = "00000000-0000-4000-8000-0000000000aa"
TABLES = (
    *("users", "spaces", "space_members", "sources", "feeds", "documents", "feed_documents"),
    *("document_sources", "removed_documents", "jobs", "api_keys", "sqlite_schema"),
    *("conversations", "turns", "facts", "job_turns"),
)


def as_eve(path: Path, work: Callable[[Transaction, Scene], Awaitable[None]]) -> None:
    """Runs `work` on the bare transaction of a user who may see nothing of what there is."""

    async def session() -> None:
        workspaces = SqliteWorkspaces(path)
        await workspaces.migrate()
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.ada.id) as opened:
            made = await add(opened, scene.team.id, source_ids=("s",))
            feed = await opened.add_feed(scene.team.id, "news")
            await opened.add_to_feed(feed.id, [made.id])
            said = await opened.begin_conversation("of ada", id_=TALK)
            await opened.add_turns(said.id, [Turn("user", "hello?")])
            await opened.add_fact(FactRow("f", b"drinks tea", ""), 9)
        async with workspaces._transaction(scene.eve.id) as transaction:
            await work(transaction, scene)
        await workspaces.close()

    asyncio.run(session())


async def refused(transaction: Transaction, sql: str) -> str:
    with pytest.raises((WorkspaceUnavailable, Forbidden)) as caught:
        await transaction.rows(sql)
    return caught.value.message


def test_tables_are_out_of_reach(tmp_path: Path) -> None:
    async def work(transaction: Transaction, _: Scene) -> None:
        for table in TABLES:
            for sql in (
                f"SELECT * FROM {table}",
                f"SELECT count(*) FROM {table}",
                f"SELECT * FROM main.{table}",
                f'SELECT * FROM "{table.upper()}"',
                f"SELECT * FROM [{table}]",
                f"SELECT * FROM/**/`{table}`",
                f"SELECT * FROM (SELECT * FROM {table}) AS my_documents",
                f"SELECT * FROM {table} AS my_documents",
                f"WITH my_documents AS (SELECT * FROM {table}) SELECT * FROM my_documents",
                f"wItH/**/my_documents_insert AS (SELECT * FROM {table}) SELECT 1",
                f"SELECT 1 FROM my_spaces WHERE EXISTS (SELECT 1 FROM {table})",
                f"SELECT (SELECT count(*) FROM {table})",
                f"SELECT id FROM my_spaces ORDER BY (SELECT count(*) FROM {table})",
                f"SELECT id FROM my_spaces LIMIT (SELECT count(*) FROM {table})",
                f"SELECT id FROM my_spaces JOIN {table} USING (id)",
                f"SELECT 1 FROM (SELECT '{NOBODY}' AS id) NATURAL JOIN {table}",
                f"SELECT 1 FROM my_spaces WHERE id IN {table}",
                f"SELECT 1 FROM my_spaces LEFT JOIN {table} ON 1 = 1",
                f"SELECT 1 FROM my_spaces, {table}",
                f"INSERT INTO my_spaces (id) SELECT rowid FROM {table}",
                f"UPDATE my_spaces SET name = (SELECT count(*) FROM {table})",
                f"UPDATE my_spaces SET name = 'x' RETURNING (SELECT count(*) FROM {table})",
                f"UPDATE my_spaces SET name = 'x' FROM {table}",
                f"DELETE FROM my_feeds WHERE EXISTS (SELECT 1 FROM {table})",
                f"DELETE FROM my_feeds WHERE id IN {table}",
                f"INSERT INTO my_spaces (id) VALUES ((SELECT count(*) FROM {table}))",
                f"SELECT id FROM my_documents UNION ALL SELECT rowid FROM {table}",
                f"DELETE FROM {table}",
                f"INSERT INTO {table} SELECT * FROM {table}",
                f"UPDATE {table} SET rowid = 1",
                f"DROP TABLE {table}",
                f"ALTER TABLE {table} RENAME TO mine",
            ):
                await refused(transaction, sql)

        for sql in (
            "UPDATE my_spaces SET name = (SELECT max(name) FROM users)",
            "UPDATE my_spaces SET name = (SELECT max(u.name) FROM users u)",
            "UPDATE my_spaces SET name = 'x' RETURNING (SELECT max(name) FROM users)",
            "UPDATE my_spaces SET name = users.name FROM users",
            "DELETE FROM my_feeds RETURNING (SELECT max(name) FROM users)",
            "INSERT INTO my_spaces (id, name, created) VALUES ('x', 'x', 'x')"
            " RETURNING (SELECT max(name) FROM users)",
            "UPDATE my_spaces SET name = (SELECT name FROM users LIMIT 1)",
            "UPDATE my_spaces SET name = coalesce((SELECT name FROM users WHERE email = ''), 1)",
            "UPDATE my_spaces SET name = (SELECT name FROM (SELECT name FROM users))",
            "UPDATE my_spaces SET name = (SELECT my_spaces.name FROM users AS my_spaces)",
            "DELETE FROM my_spaces WHERE id = (SELECT id FROM users AS my_spaces)",
            "UPDATE my_spaces SET name = 'x' WHERE name IN (SELECT name FROM users)",
            "UPDATE my_spaces SET name = 'x' ORDER BY (SELECT name FROM users) LIMIT 1",
            "SELECT name FROM my_spaces GROUP BY (SELECT name FROM users)",
            "SELECT sum(1) OVER (ORDER BY (SELECT name FROM users)) FROM my_spaces",
            "SELECT value FROM json_each((SELECT json_group_array(name) FROM users))",
            "UPDATE my_spaces SET name = 'x' WHERE EXISTS (SELECT 1 FROM users WHERE name = 'Ada')",
            "DELETE FROM my_feeds WHERE id IN (SELECT id FROM users)",
            "DELETE FROM my_feeds WHERE EXISTS (SELECT 1 FROM users WHERE name = 'Ada')",
            "INSERT INTO my_spaces (id, name) SELECT id, name FROM users",
            "INSERT INTO my_spaces (id, name) VALUES ('x', (SELECT max(name) FROM users))",
            "SELECT secret_hash FROM api_keys",
            "SELECT (SELECT max(secret_hash) FROM api_keys) FROM my_spaces",
        ):
            await refused(transaction, sql)

    as_eve(tmp_path / "w.db", work)


def test_what_one_check_does_not_see_the_other_does(tmp_path: Path) -> None:
    """The authorizer alone: what it refuses without the text having been read."""

    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "w.db")
        await workspaces.migrate()
        scene = await set_scene(workspaces)
        async with workspaces.of(scene.eve.id) as opened:
            await opened.spaces()
        (idle,) = workspaces._idle[True]
        for table in TABLES:
            for sql in (
                f"SELECT * FROM {table}",
                f"SELECT count(*) FROM {table}",
                f"DELETE FROM {table}",
                f"SELECT 1 FROM my_spaces WHERE id IN {table}",
                f"UPDATE my_spaces SET name = (SELECT count(*) FROM {table})",
                f"DROP TABLE {table}",
            ):
                with pytest.raises(sqlite3.DatabaseError, match=r"prohibited|not auth|may not be"):
                    idle.db.execute(sql)
        await workspaces.close()

    asyncio.run(session())


def test_the_schema_and_the_connection_cannot_be_changed(tmp_path: Path) -> None:
    async def work(transaction: Transaction, _: Scene) -> None:
        for sql in (
            "PRAGMA writable_schema = ON",
            "PRAGMA foreign_keys = OFF",
            "PRAGMA table_info(documents)",
            "SELECT * FROM pragma_table_info('documents')",
            "SELECT * FROM sqlite_master",
            "UPDATE sqlite_master SET sql = ''",
            f"ATTACH '{tmp_path}/w.db' AS other",
            "VACUUM INTO '/tmp/stolen.db'",
            "CREATE TABLE mine (x)",
            "CREATE TEMP TABLE my_documents AS SELECT 1",
            "CREATE TEMP VIEW my_documents AS SELECT * FROM documents",
            "CREATE TEMP TRIGGER t INSTEAD OF DELETE ON my_feeds BEGIN DELETE FROM users; END",
            "CREATE VIRTUAL TABLE v USING fts5(x)",
            "DROP VIEW my_documents",
            "DROP TRIGGER my_documents_insert",
            "REINDEX",
            "ANALYZE",
            "SELECT load_extension('x')",
            "SELECT writefile('/tmp/x', 'y')",
            "SELECT * FROM my_documents; SELECT * FROM my_spaces",
        ):
            await refused(transaction, sql)

    as_eve(tmp_path / "w.db", work)


def test_views_show_one_user_alone_whatever_is_asked(tmp_path: Path) -> None:
    async def work(transaction: Transaction, scene: Scene) -> None:
        async def count(sql: str) -> int:
            (row,) = await transaction.rows(sql)
            return int(row[0])

        for view in ("documents", "feeds", "sources", "feed_documents", "document_sources", "keys"):
            assert await count(f"SELECT count(*) FROM my_{view} WHERE 1 = 1 OR 1 = 1") == 0
        for view in ("conversations", "turns", "facts"):
            assert await count(f"SELECT count(*) FROM my_{view} WHERE 1 = 1 OR 1 = 1") == 0
        rows: list[Row] = await transaction.rows("SELECT id FROM my_users")
        assert rows == [(scene.eve.id,)]
        assert await count("SELECT count(*) FROM my_spaces") == 1
        assert await count("SELECT count(*) FROM my_members") == 1
        team = scene.team.id
        for sql in (
            f"INSERT INTO my_members VALUES ('{team}', '{scene.eve.id}', 'owner')",
            f"INSERT INTO my_members VALUES ('{scene.ada.personal}', '{scene.eve.id}', 'owner')",
            f"INSERT INTO my_feeds VALUES ('{NOBODY}', '{team}', 'x', '')",
            f"INSERT INTO my_turns VALUES ('{TALK}', 2, 'user', x'00', '', '[]')",
            "INSERT INTO my_conversations (id, user_id, space_id, title, touched, created, updated)"
            f" VALUES ('{NOBODY}', '{scene.ada.id}', NULL, x'00', 1, '', '')",
            "INSERT INTO my_conversations (id, user_id, space_id, title, touched, created, updated)"
            f" VALUES ('{NOBODY}', '{scene.eve.id}', '{team}', x'00', 1, '', '')",
            "INSERT INTO my_facts (user_id, id, space_id, number, body, at)"
            f" VALUES ('{scene.ada.id}', 'x', NULL, 1, x'00', '')",
            "INSERT INTO my_facts (user_id, id, space_id, number, body, at)"
            f" VALUES ('{scene.eve.id}', 'x', '{team}', 1, x'00', '')",
            f"INSERT INTO my_spaces VALUES ('{NOBODY}', 'x', '{scene.bob.id}', '')",
            "INSERT INTO my_documents (id, space_id, user_id, filename, content_hash, bytes, given,"
            f" created, updated) VALUES ('{NOBODY}', '{team}', '{scene.eve.id}', 'a', '{HASH}', 1,"
            " '{}', '', '')",
            "INSERT INTO my_documents (id, space_id, user_id, filename, content_hash, bytes, given,"
            f" created, updated) VALUES ('{NOBODY}', '{scene.eve.personal}', '{scene.ada.id}', 'a',"
            f" '{HASH}', 1, '{{}}', '', '')",
            "DELETE FROM my_spaces",
            "UPDATE my_keys SET scopes = '[\"admin\"]'",
            "UPDATE my_members SET user_id = 'x'",
        ):
            try:
                await transaction.run(sql)
            except (Forbidden, WorkspaceUnavailable):
                continue
            assert "my_keys" in sql, sql  # of which there are none
        for sql in (
            "DELETE FROM my_documents",
            "DELETE FROM my_feeds",
            "DELETE FROM my_facts",
            "UPDATE my_facts SET vector = x'00'",
            "UPDATE my_spaces SET name = 1",
        ):
            await transaction.run(sql)  # nobody else's

    path = tmp_path / "w.db"
    as_eve(path, work)
    with sqlite3.connect(path) as plain:
        (documents,) = plain.execute("SELECT count(*) FROM documents").fetchone()
        (members,) = plain.execute("SELECT count(*) FROM space_members").fetchone()
        names = {name for (name,) in plain.execute("SELECT name FROM spaces")}
    assert (documents, members) == (1, 5)
    assert names >= {"team", "Ada", "Bob"}


def test_a_connection_of_before_is_nobodys(tmp_path: Path) -> None:
    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "w.db")
        await workspaces.migrate()
        scene = await set_scene(workspaces)
        for user, spaces in ((scene.ada, 2), (scene.eve, 1), (scene.ada, 2)):
            async with workspaces.of(user.id) as opened:
                assert len(await opened.spaces()) == spaces
        (idle,) = workspaces._idle[True]  # one connection has served all of them
        assert idle.db.execute("SELECT count(*) FROM my_spaces").fetchone() == (0,)
        await workspaces.close()

    asyncio.run(session())


def test_who_is_cancelled_leaves_nothing_behind(tmp_path: Path) -> None:
    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "w.db")
        await workspaces.migrate()
        scene = await set_scene(workspaces)

        async def write() -> None:
            async with workspaces.of(scene.ada.id) as opened:
                while True:
                    await add(opened, scene.team.id)

        for _ in range(5):
            task = asyncio.create_task(write())
            await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        async with workspaces.of(scene.ada.id) as opened:
            assert await opened.documents() == ()
            await add(opened, scene.team.id)
        await workspaces.close()

    asyncio.run(session())


_WRITER = """
import asyncio, sys
from pathlib import Path
from pincite.workspace.database.sqlite import SqliteWorkspaces

async def main():
    workspaces = SqliteWorkspaces(Path(sys.argv[1]))
    await workspaces.migrate()
    async with workspaces.administration() as operator:
        user = await operator.add_user(sys.argv[2])
    for _ in range(20):
        async with workspaces.of(user.id) as session:
            await session.add_document(user.personal, "a.md", "0" * 64, 1)
    while True:
        async with workspaces.administration() as operator:
            found = await operator.claim(sys.argv[2], 60)
        if found is None:
            break
        async with workspaces.administration() as operator:
            assert await operator.finish(found[0].id, sys.argv[2], 1, None)
        print(found[1].id)

asyncio.run(main())
"""


def test_several_processes_make_the_file_and_share_the_work(tmp_path: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path / "w.db"), f"w{number}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    done: list[str] = []
    for one in running:
        said, failed = one.communicate(timeout=300)
        assert one.returncode == 0, failed
        done += said.split()
    assert len(done) == len(set(done)) == 60


def test_a_file_that_is_something_else_is_refused_and_kept(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as plain:
        plain.execute("CREATE TABLE mine (x)")
    before = other.read_bytes()
    os.mkfifo(tmp_path / "pipe.db")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "link.db").symlink_to(other)
    (tmp_path / "text.db").write_text("no database" * 100)

    async def migrate(path: Path) -> None:
        workspaces = SqliteWorkspaces(path)
        try:
            with pytest.raises(WorkspaceUnavailable):
                await workspaces.migrate()
            with pytest.raises(WorkspaceUnavailable):
                async with workspaces.administration():
                    pass
        finally:
            await workspaces.close()

    for name in ("other", "pipe", "folder", "link", "text"):
        asyncio.run(migrate(tmp_path / f"{name}.db"))
    asyncio.run(migrate(tmp_path / "none" / "w.db"))
    assert other.read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    async def session() -> None:
        workspaces = SqliteWorkspaces(tmp_path / "w.db")
        await workspaces.migrate()
        with sqlite3.connect(tmp_path / "w.db") as plain:
            plain.execute("PRAGMA user_version = 99")
        for asked in (workspaces.migrate, workspaces.pending):
            with pytest.raises(WorkspaceUnavailable, match="newer"):
                await asked()
        await workspaces.close()
        again = SqliteWorkspaces(tmp_path / "w.db")
        with pytest.raises(WorkspaceUnavailable, match="newer"):
            async with again.administration():
                pass
        await again.close()

    asyncio.run(session())
    assert stat.S_IMODE((tmp_path / "w.db").stat().st_mode) == 0o600
