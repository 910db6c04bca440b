"""A newer version migrates while processes of the former one go on."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import psycopg
import pytest

from pincite.catalog import postgres_schema
from pincite.errors import SchemaTooNew
from pincite.support.databases.postgres import take_step
from pincite.support.databases.schema_steps import Step, read_steps
from pincite.testing.workspaces import add
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.schema_steps import steps_of
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.ports import Workspaces
from tests.time_limits import HANGS_S
from tests.workspace.database.schema_rules import faults
from tests.workspace.postgres_server import Database

pytestmark = pytest.mark.anyio

#: The steps from before there was this rule, with which no version goes on that does not know them.
BEFORE = {"sqlite": 5, "postgres": 5, "index": 1}


def steps(of: str) -> tuple[Step, ...]:
    if of == "index":
        return read_steps("pincite.catalog", "migrations")
    return steps_of("sqlite" if of == "sqlite" else "postgres")


@pytest.mark.parametrize("of", sorted(BEFORE))
def test_a_step_only_adds_unless_its_name_says_that_it_takes_away(of: str) -> None:
    found = steps(of)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    for step in found[BEFORE[of] :]:
        if not step.name.endswith("_contract"):
            assert faults(step, found[: step.number - 1]) == [], step.name


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE feeds;",
        "DROP VIEW my_feeds;",
        "DROP VIEW my_turns; CREATE VIEW my_turns AS SELECT number, body FROM turns;",
        "ALTER TABLE feeds DROP COLUMN name;",
        "ALTER TABLE feeds DROP name;",
        "ALTER TABLE feeds RENAME COLUMN name TO title;",
        "ALTER TABLE feeds RENAME TO rivers;",
        "ALTER TABLE feeds ALTER COLUMN name TYPE bytea;",
        "ALTER TABLE feeds ALTER COLUMN name SET NOT NULL;",
        "ALTER TABLE feeds ADD COLUMN note text NOT NULL;",
        "ALTER TABLE feeds ADD note text NOT NULL;",
        "ALTER TABLE feeds ADD CONSTRAINT c CHECK (name <> '');",
        "CREATE UNIQUE INDEX one_name ON feeds (name);",
        "DROP TRIGGER document_made;",
        "DROP TRIGGER IF EXISTS document_made ON documents;",
        "DROP FUNCTION app_spaces;",
        "DROP POLICY app_reads ON feeds;",
        "REVOKE SELECT ON feeds FROM pincite_app;",
        "REVOKE ALL ON FUNCTION app_spaces FROM pincite_app;",
        "DELETE FROM feeds;",
        "UPDATE feeds SET name = '';",
        "TRUNCATE feeds;",
        "-- new\nCREATE TRIGGER feed_made AFTER INSERT ON feeds BEGIN SELECT 1; END;",
        "-- DROP TABLE feeds is said, and done\ndrop  table feeds;",
    ],
)
def test_what_takes_away_is_seen(sql: str) -> None:
    for of in ("sqlite", "postgres"):
        found = steps(of)
        assert faults(Step(len(found) + 1, "9999_x", sql), found)


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE feeds ADD COLUMN note text;",
        "ALTER TABLE feeds ADD COLUMN kind text NOT NULL DEFAULT 'x';",
        "CREATE TABLE notes (id uuid PRIMARY KEY, body text NOT NULL);"
        " CREATE TRIGGER note_made AFTER INSERT ON notes BEGIN SELECT 1; END;",
        "CREATE INDEX feeds_by_name ON feeds (name);",
        "DROP TRIGGER feed_gets; CREATE TRIGGER feed_gets AFTER INSERT ON feed_documents"
        " BEGIN UPDATE jobs SET feeds = 1; END;",
        "DROP VIEW my_turns; CREATE VIEW my_turns AS SELECT conversation_id, number, role, body,"
        " at, citations, kind, more FROM turns;",
        "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS $$ DELETE FROM notes $$;"
        " REVOKE ALL ON FUNCTION one FROM PUBLIC;",
        "-- DROP TABLE feeds would not do\nGRANT SELECT ON feeds TO pincite_operator;",
    ],
)
def test_what_adds_is_let_pass(sql: str) -> None:
    found = steps("sqlite")
    assert faults(Step(len(found) + 1, "9999_x", sql), found) == []


Newer = Callable[[str, str], None]


def newer_in_sqlite(path: Path) -> Newer:
    def take(name: str, sql: str) -> None:
        db = sqlite3.connect(path)
        for function in ("app_user_id", "app_now", "app_new_id"):  # which its triggers name
            db.create_function(function, 0, lambda: None)
        (version,) = db.execute("PRAGMA user_version").fetchone()
        db.executescript(sql)
        db.execute(f"PRAGMA user_version = {version + 1}")
        db.execute("INSERT INTO schema_steps VALUES (?, ?)", (version + 1, name))
        db.commit()
        db.close()

    return take


def newer_in_postgres(database: Database, schema: str, table: str) -> Newer:
    def take(name: str, sql: str) -> None:
        with psycopg.connect(database.superuser) as connection:
            connection.execute(f"SET search_path = {schema}".encode())
            connection.execute(sql.encode())
            connection.execute(
                f"INSERT INTO {table} SELECT count(*) + 1, %s, now() FROM {table}".encode(), (name,)
            )

    return take


async def used(workspaces: Workspaces) -> None:
    """As processes use it."""
    async with workspaces.administration() as operator:
        user = await operator.add_user("Ada")
    async with workspaces.of(user.id) as session:
        made = await add(session, user.personal)
        feed = await session.add_feed(user.personal, "news")
        await session.add_to_feed(feed.id, [made.id])
        await session.change_document(made.id, filename="b.md")
    async with workspaces.administration() as operator:
        found = await operator.claim("w", 60)
        assert found is not None
        assert await operator.finish(found[0].id, "w", 2, {})


async def goes_on_and_stops(make: Callable[[], Workspaces], take: Newer) -> None:
    """What this version does where a newer one has added something, and then taken it away: one
    that is running, and one that begins."""
    running = make()
    try:
        await used(running)
        take("0100_more", "ALTER TABLE documents ADD COLUMN note text;")
        begun = make()
        for one in (running, begun):
            await used(one)
            assert await one.pending() == ()
        assert await begun.migrate() == ()
        await begun.close()
        take("0101_less_contract", "ALTER TABLE documents DROP COLUMN note;")
        take("0102_more", "ALTER TABLE documents ADD COLUMN other text;")
        with pytest.raises(SchemaTooNew, match="cannot work with") as refused:
            await running.pending()
        assert "upgrade" in refused.value.hint
        begun = make()
        with pytest.raises(SchemaTooNew):
            await used(begun)
        with pytest.raises(SchemaTooNew):
            await begun.migrate()
        await begun.close()
    finally:
        await running.close()


async def test_this_version_goes_on_while_a_newer_one_adds_in_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "workspaces.db"
    first = SqliteWorkspaces(path)
    await first.migrate()
    await first.close()
    await goes_on_and_stops(lambda: SqliteWorkspaces(path), newer_in_sqlite(path))


async def test_this_version_goes_on_while_a_newer_one_adds_in_postgresql(
    database: Database,
) -> None:
    def make() -> Workspaces:
        return PostgresWorkspaces(database.app, operator=database.operator, owner=database.owner)

    await goes_on_and_stops(make, newer_in_postgres(database, "pincite", "schema_steps"))


async def test_so_it_does_with_the_index_in_postgresql(database: Database) -> None:
    take = newer_in_postgres(database, postgres_schema.SCHEMA, "steps")
    workspaces = PostgresWorkspaces(database.app, operator=database.operator)
    take("0100_more", "ALTER TABLE documents ADD COLUMN note text;")
    assert await workspaces.pending() == ()
    take("0101_less_contract", "ALTER TABLE documents DROP COLUMN note;")
    with pytest.raises(SchemaTooNew, match="the index in PostgreSQL"):
        await workspaces.pending()
    await workspaces.close()


async def test_a_database_of_the_last_version_without_names_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "workspaces.db"
    first = SqliteWorkspaces(path)
    await first.migrate()
    await first.close()
    db = sqlite3.connect(path)
    for function in ("app_user_id", "app_now", "app_new_id"):  # which its triggers name
        db.create_function(function, 0, lambda: None)
    former = steps("sqlite")[2].sql
    views = [former[former.index(f"CREATE {one}") :] for one in ("VIEW my_t", "TRIGGER my_t")]
    first_view = steps("sqlite")[0].sql
    first_view = first_view[first_view.index("CREATE VIEW my_documents") :].partition(";")[0]
    triggers = re.findall(r"CREATE TRIGGER my_documents_.*?END;", steps("sqlite")[0].sql, re.DOTALL)
    of_users = steps("sqlite")[11].sql + steps("sqlite")[12].sql
    changed = set(re.findall(r"CREATE TRIGGER (\w+)", of_users))
    users = re.search(r"CREATE VIEW my_users .*?;", steps("sqlite")[0].sql, re.DOTALL)
    assert users is not None
    before = [
        trigger[0]
        for step in (steps("sqlite")[0], steps("sqlite")[2])
        for trigger in re.finditer(r"CREATE TRIGGER (\w+) .*?END;", step.sql, re.DOTALL)
        if trigger[1] in changed and not trigger[1].startswith(("my_documents", "my_turns"))
    ]
    db.executescript(
        f"{' '.join(f'DROP TRIGGER {one};' for one in changed)} DROP VIEW my_users;"
        "DROP VIEW my_enabled_owners; DROP INDEX documents_failed_before;"
        "ALTER TABLE users DROP COLUMN disabled; ALTER TABLE users DROP COLUMN removed;"
        f"{users[0]} {' '.join(before)}"
        "DROP VIEW my_replaced_documents; DROP VIEW my_documents;"
        f"ALTER TABLE documents DROP COLUMN text_version; {first_view}; {' '.join(triggers)}"
        "DROP VIEW my_turns; ALTER TABLE turns DROP COLUMN kind;"
        f"{views[0].partition(';')[0]}; {views[1]}"
        "DROP TABLE schema_steps; DROP TABLE key_rates; DROP INDEX jobs_with_feeds;"
        "DROP VIEW my_facts; DROP TABLE facts; DROP TABLE database_identity;"
        f"PRAGMA user_version = {BEFORE['sqlite']};"
    )
    db.close()
    again = SqliteWorkspaces(path)
    taken = await again.migrate()
    assert taken == tuple(one.name for one in steps("sqlite")[BEFORE["sqlite"] :])
    await used(again)
    await again.close()


async def test_a_step_that_waits_for_a_table_lets_others_go_first(database: Database) -> None:
    """Somebody uses the table for long: who comes later does not wait for the step to wait."""
    held = b"LOCK TABLE pincite.jobs IN ROW EXCLUSIVE MODE"
    async with AsyncExitStack() as stack:
        first, later = [
            await stack.enter_async_context(
                await psycopg.AsyncConnection.connect(database.superuser)
            )
            for _ in range(2)
        ]
        owner = await stack.enter_async_context(
            await psycopg.AsyncConnection.connect(database.owner, autocommit=True)
        )

        async def taking() -> bool:
            await owner.execute("CREATE INDEX jobs_by_reason ON pincite.jobs (reason)")
            return True

        await first.execute(held)
        step = asyncio.create_task(take_step(owner, 1, taking))
        while not await waits(first):
            assert not step.done()
            await asyncio.sleep(0.01)
        await asyncio.wait_for(later.execute(held), HANGS_S)
        await later.commit()
        assert not step.done()
        await first.commit()
        assert await step
        assert (await later.execute("SELECT 'pincite.jobs_by_reason'::regclass")).rowcount == 1


async def waits(connection: psycopg.AsyncConnection[tuple[object, ...]]) -> bool:
    await connection.execute("SELECT pg_stat_clear_snapshot()")
    found = await connection.execute(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        " AND datname = current_database()"
    )
    return bool(await found.fetchone())
