"""Row level security in PostgreSQL, policy by policy: raw SQL as each role."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import psycopg
import pytest

from pincite.workspace.database.schema_steps import steps_of
from tests.workspace.postgres_server import Server


def of(number: int) -> str:
    """An id."""
    return f"00000000-0000-4000-8000-{number:012d}"


ADA, BOB, EVE = of(1), of(2), of(3)
OF_ADA, OF_BOB, OF_EVE, TEAM = of(11), of(12), of(13), of(14)
FEED, IN_FEED, PLAIN, OF_BOBS, GONE, KEY, NEW = (of(21 + n) for n in range(7))
TALK, OF_TEAM, OF_EVES, OF_LEFT = (of(31 + n) for n in range(4))
#: A user who is being removed, with a space that Bob reads.
LEFT, SPACE_OF_LEFT, KEY_OF_LEFT, SHARED, OF_LEFTS = of(4), of(15), of(28), of(16), of(29)
APP, OPERATOR, OWNER = "pincite_app", "pincite_operator", "keeper"
REFUSED, UNKNOWN = "InsufficientPrivilege", "ForeignKeyViolation"
STEPS: Final = len(steps_of("postgres"))

#: Ada owns a space, in which Bob is a viewer. Bob has a document and a key of his own.
SCENE = f"""
    SET search_path = pincite;
    INSERT INTO users SELECT i::uuid, n, '', now()
        FROM (VALUES ('{ADA}', 'ada'), ('{BOB}', 'bob'), ('{EVE}', 'eve')) v (i, n);
    INSERT INTO spaces VALUES ('{OF_ADA}', 'ada', '{ADA}', now()),
        ('{OF_BOB}', 'bob', '{BOB}', now()), ('{OF_EVE}', 'eve', '{EVE}', now());
    SELECT set_config('app.user_id', '{ADA}', false);
    INSERT INTO spaces VALUES ('{TEAM}', 'team', NULL, now());
    INSERT INTO space_members VALUES ('{TEAM}', '{BOB}', 'viewer');
    INSERT INTO sources VALUES ('{TEAM}', 's', now()), ('{TEAM}', 't', now());
    INSERT INTO feeds VALUES ('{FEED}', '{TEAM}', 'news', now());
    INSERT INTO documents (id, space_id, user_id, filename, content_hash, bytes, status, version,
        given, created, updated)
        SELECT i::uuid, s::uuid, u::uuid, 'a', 'h', 1, 'pending', 1, '{{}}', now(), now()
        FROM (VALUES ('{IN_FEED}', '{TEAM}', '{ADA}'), ('{PLAIN}', '{TEAM}', '{ADA}'),
            ('{OF_BOBS}', '{OF_BOB}', '{BOB}'), ('{GONE}', '{OF_EVE}', '{EVE}')) v (i, s, u);
    INSERT INTO feed_documents VALUES ('{TEAM}', '{FEED}', '{IN_FEED}');
    INSERT INTO document_sources VALUES ('{TEAM}', '{IN_FEED}', 's');
    DELETE FROM documents WHERE id = '{GONE}';
    INSERT INTO job_turns VALUES ('{ADA}', 1);
    INSERT INTO key_rates VALUES ('{KEY}', 1);
    INSERT INTO conversations (id, user_id, space_id, title, touched, created, updated) VALUES
        ('{TALK}', '{BOB}', NULL, 'a', 1, now(), now()),
        ('{OF_TEAM}', '{BOB}', '{TEAM}', 'b', 2, now(), now()),
        ('{OF_EVES}', '{EVE}', '{TEAM}', 'c', 1, now(), now());
    INSERT INTO turns SELECT i::uuid, 1, 'user', 'x', '', '[]'
        FROM (VALUES ('{TALK}'), ('{OF_TEAM}'), ('{OF_EVES}')) v (i);
    INSERT INTO facts (user_id, id, space_id, number, body, at) VALUES
        ('{BOB}', 'own', NULL, 1, 'x', ''), ('{BOB}', 'its', '{TEAM}', 2, 'x', ''),
        ('{EVE}', 'hers', '{TEAM}', 1, 'x', '');
    INSERT INTO api_keys VALUES ('{KEY}', '{BOB}', 'k', 'p', 'hash', '[]', NULL, now());
    INSERT INTO users VALUES ('{LEFT}', '', '', now(), now(), now());
    INSERT INTO spaces VALUES ('{SPACE_OF_LEFT}', 'left', '{LEFT}', now());
    INSERT INTO conversations (id, user_id, space_id, title, touched, created, updated)
        VALUES ('{OF_LEFT}', '{LEFT}', NULL, 'd', 1, now(), now());
    INSERT INTO facts (user_id, id, space_id, number, body, at)
        VALUES ('{LEFT}', 'theirs', NULL, 1, 'x', '');
    INSERT INTO api_keys VALUES ('{KEY_OF_LEFT}', '{LEFT}', 'k', 'o', 'hash', '[]', NULL, now());
    INSERT INTO documents (id, space_id, user_id, filename, content_hash, bytes, status, version,
        given, created, updated) VALUES
        ('{OF_LEFTS}', '{SPACE_OF_LEFT}', '{LEFT}', 'a', 'h', 1, 'pending', 1, '{{}}', now(),
            now());
    SELECT set_config('app.user_id', '{LEFT}', false);
    INSERT INTO spaces VALUES ('{SHARED}', 'shared', NULL, now());
    INSERT INTO space_members VALUES ('{SHARED}', '{BOB}', 'viewer');
"""
DOCUMENT = (
    "INSERT INTO documents (id, space_id, user_id, filename, content_hash, bytes, status, version,"
    f" given, created, updated) VALUES ('{NEW}', '{{}}', '{{}}', 'a', 'h', 1, 'pending', 1, '',"
    " now(), now())"
)
SAYING = (
    "INSERT INTO conversations (id, user_id, space_id, title, touched, created, updated)"
    f" VALUES ('{NEW}', '{{}}', {{}}, 'x', 1, now(), now())"
)
FACT = (
    "INSERT INTO facts (user_id, id, space_id, number, body, at)"
    " VALUES ('{}', 'new', {}, 3, 'x', '')"
)
MEMBER = "INSERT INTO space_members VALUES ('{}', '{}', '{}')"
ROLE = "UPDATE space_members SET role"


@dataclass(frozen=True)
class Probe:
    """A statement as a role in the name of a user, and how many rows it reads or changes, or the
    error that it ends in."""

    role: str
    user: str
    sql: str
    wanted: int | str


def counts(role: str, user: str, **wanted: int | str) -> list[Probe]:
    """How many rows of tables are seen."""
    return [
        Probe(role, user, f"SELECT id FROM {table}" if table == "api_keys" else f"TABLE {table}", n)
        for table, n in wanted.items()
    ]


def seen(user: str, own: tuple[int | str, ...]) -> list[Probe]:
    """The same through tables and through views."""
    names = (
        *("users", "spaces", "space_members", "sources", "feeds", "documents"),
        *("feed_documents", "document_sources", "api_keys", "conversations", "turns", "facts"),
    )
    views = (
        *("my_users", "my_spaces", "my_members", "my_sources", "my_feeds", "my_documents"),
        *("my_feed_documents", "my_document_sources", "my_keys", "my_conversations", "my_turns"),
        "my_facts",
    )
    nothing: dict[str, int | str] = {
        "jobs": REFUSED,
        "job_turns": REFUSED,
        "key_rates": REFUSED,
        "database_identity": REFUSED,
        "removed_documents": REFUSED,
    }
    return [
        *counts(APP, user, **dict(zip(names, own, strict=True)), **nothing),
        *counts(APP, user, **dict(zip(views, own, strict=True))),
    ]


def each(sql: str, ada: int | str, bob: int | str, eve: int | str) -> list[Probe]:
    """The same statement by each of them."""
    return [Probe(APP, who, sql, n) for who, n in ((ADA, ada), (BOB, bob), (EVE, eve))]


PROBES: tuple[Probe, ...] = (
    *seen(ADA, (1, 2, 3, 2, 1, 2, 1, 1, 0, 0, 0, 0)),
    *seen(BOB, (1, 3, 5, 2, 1, 3, 1, 1, 1, 2, 2, 2)),
    *seen(EVE, (1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)),  # one of hers is of a space she has left
    *seen("", (0,) * 12),
    Probe(APP, BOB, "SELECT secret_hash FROM api_keys", REFUSED),
    Probe(APP, "", f"INSERT INTO spaces VALUES ('{NEW}', 'x', NULL, now())", REFUSED),
    *each(f"INSERT INTO spaces VALUES ('{NEW}', 'x', NULL, now())", 1, 1, 1),
    *each(f"INSERT INTO spaces VALUES ('{NEW}', 'x', '{BOB}', now())", *(REFUSED,) * 3),
    *each(f"UPDATE spaces SET name = 'x' WHERE id = '{TEAM}'", 1, 0, 0),
    *each(f"DELETE FROM spaces WHERE id = '{TEAM}'", 1, 0, 0),
    *each(f"DELETE FROM spaces WHERE id = '{OF_ADA}'", 0, 0, 0),
    *each("UPDATE spaces SET personal_of = NULL", *(REFUSED,) * 3),
    *each(f"INSERT INTO space_members VALUES ('{TEAM}', '{EVE}', 'owner')", 1, REFUSED, REFUSED),
    *each(f"INSERT INTO space_members VALUES ('{OF_ADA}', '{EVE}', 'owner')", *(REFUSED,) * 3),
    *each(f"UPDATE space_members SET role = 'owner' WHERE space_id = '{TEAM}'", 2, 0, 0),
    *each(f"UPDATE space_members SET role = 'viewer' WHERE space_id = '{OF_ADA}'", 0, 0, 0),
    *each(f"DELETE FROM space_members WHERE space_id = '{TEAM}'", 2, 1, 0),
    *each("DELETE FROM space_members WHERE role = 'owner'", 1, 0, 0),
    *each(f"INSERT INTO sources VALUES ('{TEAM}', 'x', now())", 1, REFUSED, REFUSED),
    *each(f"INSERT INTO feeds VALUES ('{NEW}', '{TEAM}', 'x', now())", 1, REFUSED, REFUSED),
    *each("DELETE FROM feeds", 1, 0, 0),
    *each(DOCUMENT.format(TEAM, ADA), 1, REFUSED, REFUSED),
    *each(DOCUMENT.format(TEAM, BOB), *(REFUSED,) * 3),
    *each("UPDATE documents SET filename = 'x'", 2, 1, 0),
    *each(f"UPDATE documents SET filename = 'x' WHERE id = '{IN_FEED}'", 1, 0, 0),
    *each(f"UPDATE documents SET space_id = '{TEAM}' WHERE id = '{OF_BOBS}'", 0, REFUSED, 0),
    *each(f"UPDATE documents SET space_id = '{OF_EVE}' WHERE id = '{PLAIN}'", REFUSED, 0, 0),
    *each(f"UPDATE documents SET space_id = '{OF_ADA}' WHERE id = '{PLAIN}'", 1, 0, 0),
    *each("UPDATE documents SET indexed_version = 9", *(REFUSED,) * 3),
    *each("UPDATE documents SET text_version = 9", 2, 1, 0),
    *each("TABLE my_replaced_documents", 0, 0, 0),
    *each("TABLE my_enabled_owners", 2, 2, 1),  # the owner of one of Bob's spaces is disabled
    *each("DELETE FROM documents", 2, 1, 0),
    *each(
        f"INSERT INTO feed_documents VALUES ('{TEAM}', '{FEED}', '{PLAIN}')", 1, REFUSED, REFUSED
    ),
    Probe(  # a document of another space, named as if it were of this one
        APP,
        ADA,
        f"INSERT INTO feed_documents VALUES ('{TEAM}', '{FEED}', '{OF_BOBS}')",
        "ForeignKeyViolation",
    ),
    *each("DELETE FROM feed_documents", 1, 0, 0),
    *each(f"INSERT INTO document_sources VALUES ('{TEAM}', '{PLAIN}', 't')", 1, REFUSED, REFUSED),
    *each("DELETE FROM document_sources", 1, 0, 0),
    *each("UPDATE api_keys SET revoked = now()", 0, 1, 0),
    *each("UPDATE api_keys SET scopes = '[\"admin\"]'", *(REFUSED,) * 3),
    *each(SAYING.format(BOB, "NULL"), REFUSED, 1, REFUSED),
    *each(SAYING.format(EVE, f"'{TEAM}'"), *(REFUSED,) * 3),
    *each(SAYING.format(EVE, f"'{OF_ADA}'"), *(REFUSED,) * 3),
    *each("UPDATE conversations SET summary = 'x'", 0, 2, 1),
    *each(f"UPDATE conversations SET user_id = '{ADA}'", *(REFUSED,) * 3),
    *each("UPDATE conversations SET space_id = NULL", *(REFUSED,) * 3),
    *each("DELETE FROM conversations", 0, 2, 1),
    *each(f"INSERT INTO turns VALUES ('{TALK}', 2, 'user', 'x', '', '[]')", REFUSED, 1, REFUSED),
    *each(f"INSERT INTO turns VALUES ('{OF_EVES}', 2, 'user', 'x', '', '[]')", *(REFUSED,) * 3),
    *each("UPDATE turns SET body = 'x'", *(REFUSED,) * 3),
    *each("DELETE FROM turns", *(REFUSED,) * 3),
    *each(FACT.format(BOB, "NULL"), REFUSED, 1, REFUSED),
    *each(FACT.format(EVE, f"'{TEAM}'"), *(REFUSED,) * 3),
    *each(FACT.format(EVE, f"'{OF_ADA}'"), *(REFUSED,) * 3),
    *each("UPDATE facts SET encoder = 'x'", 0, 2, 1),
    *each("UPDATE facts SET body = 'x'", *(REFUSED,) * 3),
    *each(f"UPDATE facts SET user_id = '{ADA}'", *(REFUSED,) * 3),
    *each("UPDATE facts SET space_id = NULL", *(REFUSED,) * 3),
    *each("DELETE FROM facts", 0, 2, 1),
    *each("UPDATE users SET name = 'x'", *(REFUSED,) * 3),
    Probe(APP, ADA, MEMBER.format(TEAM, LEFT, "viewer"), UNKNOWN),
    *(
        Probe(APP, LEFT, sql, "NoDataFound")
        for sql in (
            f"INSERT INTO spaces VALUES ('{NEW}', 'x', NULL, now())",
            f"UPDATE spaces SET name = 'x' WHERE id = '{SHARED}'",
            MEMBER.format(SHARED, EVE, "owner"),
            f"{ROLE} = 'editor' WHERE user_id = '{BOB}'",
            f"INSERT INTO feeds VALUES ('{NEW}', '{SHARED}', 'x', now())",
            f"INSERT INTO sources VALUES ('{SHARED}', 'x', now())",
            f"INSERT INTO feed_documents VALUES ('{SPACE_OF_LEFT}', '{FEED}', '{OF_LEFTS}')",
            f"INSERT INTO document_sources VALUES ('{SPACE_OF_LEFT}', '{OF_LEFTS}', 's')",
            DOCUMENT.format(SHARED, LEFT),
            "UPDATE documents SET filename = 'x'",
            SAYING.format(LEFT, "NULL"),
            f"INSERT INTO turns VALUES ('{OF_LEFT}', 2, 'user', 'x', '', '[]')",
            FACT.format(LEFT, "NULL"),
        )
    ),
    Probe(APP, LEFT, "TABLE my_users", 0),
    Probe(APP, LEFT, f"DELETE FROM spaces WHERE id = '{SHARED}'", 1),
    Probe(APP, LEFT, "DELETE FROM documents", 1),
    *each("TRUNCATE documents", *(REFUSED,) * 3),
    *each("ALTER TABLE documents DISABLE ROW LEVEL SECURITY", *(REFUSED,) * 3),
    *each("CREATE TABLE pincite.mine (x int REFERENCES pincite.feeds)", *(REFUSED,) * 3),
    *each("SELECT pg_read_file('/etc/passwd')", *(REFUSED,) * 3),
    *counts(OPERATOR, "", users=4, spaces=4, space_members=8, documents=4, feed_documents=1),
    *counts(OPERATOR, "", document_sources=1, removed_documents=1, jobs=5, api_keys=2),
    Probe(OPERATOR, "", "UPDATE users SET removed = now()", 4),
    Probe(OPERATOR, "", "UPDATE users SET created = now()", REFUSED),
    Probe(OPERATOR, "", "DELETE FROM users", REFUSED),
    Probe(OPERATOR, "", "DELETE FROM spaces", 1),
    Probe(OPERATOR, "", "DELETE FROM space_members", REFUSED),
    Probe(OPERATOR, "", "DELETE FROM api_keys", 1),
    *(
        probe
        for table in ("conversations", "facts")
        for probe in (
            Probe(OPERATOR, "", f"SELECT user_id FROM {table}", 1),
            Probe(OPERATOR, "", f"DELETE FROM {table}", 1),
            Probe(OPERATOR, "", f"DELETE FROM {table} WHERE user_id = '{LEFT}'", 1),
        )
    ),
    Probe(OPERATOR, "", MEMBER.format(SHARED, EVE, "owner"), 1),
    Probe(OPERATOR, "", MEMBER.format(SHARED, EVE, "viewer"), REFUSED),
    Probe(OPERATOR, "", MEMBER.format(TEAM, EVE, "owner"), REFUSED),
    Probe(OPERATOR, "", MEMBER.format(SPACE_OF_LEFT, EVE, "owner"), REFUSED),
    Probe(OPERATOR, "", f"{ROLE} = 'owner' WHERE user_id = '{BOB}'", 1),
    Probe(OPERATOR, "", f"{ROLE} = 'editor' WHERE user_id = '{BOB}'", REFUSED),
    Probe(OPERATOR, "", f"{ROLE} = 'owner' WHERE space_id = '{SHARED}'", UNKNOWN),
    *counts(OPERATOR, "", feeds=REFUSED, sources=REFUSED, my_documents=REFUSED),
    *counts(OPERATOR, "", conversations=REFUSED, turns=REFUSED, my_conversations=REFUSED),
    *counts(OPERATOR, "", facts=REFUSED, my_facts=REFUSED),
    Probe(
        OPERATOR,
        "",
        f"WITH u AS (INSERT INTO users VALUES ('{NEW}', 'x', '', now()))"
        f" INSERT INTO spaces VALUES ('{NEW}', 'x', '{NEW}', now())",
        1,
    ),
    Probe(OPERATOR, "", f"INSERT INTO spaces VALUES ('{NEW}', 'x', NULL, now())", REFUSED),
    Probe(OPERATOR, "", "UPDATE documents SET status = 'ready'", 4),
    Probe(OPERATOR, "", "UPDATE documents SET space_id = id", REFUSED),
    Probe(OPERATOR, "", "DELETE FROM documents", REFUSED),
    Probe(OPERATOR, "", "DELETE FROM removed_documents", 1),
    Probe(OPERATOR, "", "UPDATE jobs SET state = 'done'", 5),
    Probe(OPERATOR, "", "DELETE FROM jobs", 5),
    *counts(OPERATOR, "", job_turns=1),
    Probe(OPERATOR, "", f"INSERT INTO job_turns VALUES ('{BOB}', 2)", 1),
    Probe(OPERATOR, "", "UPDATE job_turns SET turn = 3", 1),
    Probe(OPERATOR, "", "DELETE FROM job_turns", REFUSED),
    *counts(OPERATOR, "", key_rates=1),
    Probe(OPERATOR, "", f"INSERT INTO key_rates VALUES ('{NEW}', 2)", 1),
    Probe(OPERATOR, "", "UPDATE key_rates SET full_us = 3", 1),
    Probe(OPERATOR, "", f"UPDATE key_rates SET key_id = '{NEW}'", REFUSED),
    Probe(OPERATOR, "", "DELETE FROM key_rates", REFUSED),
    *counts(OPERATOR, "", database_identity=1),
    Probe(OPERATOR, "", f"UPDATE database_identity SET id = '{NEW}'", REFUSED),
    Probe(OPERATOR, "", "UPDATE api_keys SET revoked = now()", 2),
    Probe(
        OPERATOR,
        "",
        f"INSERT INTO api_keys VALUES ('{NEW}', '{ADA}', 'k', 'q', 'h', '[]', NULL, now())",
        1,
    ),
    *counts(APP, "", schema_steps=STEPS),
    *counts(OPERATOR, "", schema_steps=STEPS),
    *counts(
        OWNER, ADA, schema_steps=STEPS, documents=0, users=4, space_members=2, turns=0, facts=0
    ),
)

#: Conditions that may be taken away unnoticed, as others say the same.
SAID_TWICE = {
    ("space_members", "owner_reads", "USING"): "the functions that read ask for the user, too",
    ("spaces", "app_changes", "WITH CHECK"): "nobody may change the id of a space",
    ("space_members", "app_changes", "WITH CHECK"): "nobody may change whose membership it is",
    ("api_keys", "app_changes", "WITH CHECK"): "nobody may change whose key it is",
    ("conversations", "app_changes", "WITH CHECK"): "nobody may change whose conversation it is",
    ("facts", "app_changes", "WITH CHECK"): "nobody may change whose fact it is",
}


@pytest.fixture(scope="module")
def connection(postgres: Server, migrated: str) -> Iterator[psycopg.Connection[Any]]:
    """The superuser in a database with the scene, in a transaction for each test."""
    with psycopg.connect(postgres.database(migrated).superuser) as found:
        found.execute(SCENE.encode())
        found.commit()
        yield found


def failing(
    connection: psycopg.Connection[Any], table: str = ""
) -> Iterator[tuple[Probe, int | str]]:
    """The probes that end otherwise than they should, those that name the table first."""
    for one in sorted(PROBES, key=lambda probe: table not in probe.sql):
        ended = run(connection, one)
        if ended != one.wanted:
            yield one, ended


def run(connection: psycopg.Connection[Any], probe: Probe) -> int | str:
    """How a probe ends. Nothing of it stays, nor a plan: cascades of foreign keys run without the
    forcing of row level security, and PostgreSQL 15 would use what they planned in functions again.
    """
    connection.execute(b"DISCARD PLANS")
    ended: int | str = "nothing"
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT set_config('app.user_id', %s, true)", (probe.user,))
        connection.execute(f"SET LOCAL ROLE {probe.role}".encode())
        try:
            with connection.transaction():
                ended = connection.execute(probe.sql.encode()).rowcount
        except psycopg.Error as error:
            ended = type(error).__name__
    return ended


def policies(connection: psycopg.Connection[Any]) -> list[tuple[str, str, str | None, str | None]]:
    return connection.execute(
        "SELECT tablename::text, policyname::text, qual, with_check FROM pg_policies"
        " WHERE schemaname = 'pincite' ORDER BY 1, 2"
    ).fetchall()


def test_every_role_sees_and_changes_what_it_should(connection: psycopg.Connection[Any]) -> None:
    assert list(failing(connection)) == []


def test_row_level_security_is_forced_on_every_table(connection: psycopg.Connection[Any]) -> None:
    rows = connection.execute(
        "SELECT relname::text, relrowsecurity AND relforcerowsecurity FROM pg_class"
        " WHERE relnamespace = 'pincite'::regnamespace AND relkind = 'r'"
    ).fetchall()
    assert len(rows) >= 15
    assert [name for name, forced in rows if not forced] == []


def test_views_ask_as_who_asks_them(connection: psycopg.Connection[Any]) -> None:
    rows = connection.execute(
        "SELECT relname::text, reloptions FROM pg_class"
        " WHERE relnamespace = 'pincite'::regnamespace AND relkind = 'v'"
    ).fetchall()
    assert len(rows) >= 11
    assert [name for name, options in rows if options != ["security_invoker=true"]] == []


def test_functions_with_the_rights_of_the_owner_have_a_fixed_path(
    connection: psycopg.Connection[Any],
) -> None:
    rows = connection.execute(
        "SELECT proname::text, proconfig, has_function_privilege('public', oid, 'EXECUTE')"
        " FROM pg_proc WHERE pronamespace = 'pincite'::regnamespace AND prosecdef"
    ).fetchall()
    assert len(rows) >= 8
    for name, config, public in rows:
        assert (name, config, public) == (name, ["search_path=pincite, pg_temp"], False)


def test_columns_of_policies_have_an_index(connection: psycopg.Connection[Any]) -> None:
    rows = connection.execute(
        "SELECT DISTINCT c.relname::text, a.attname::text FROM pg_class c"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('space_id', 'user_id')"
        " JOIN pg_policy p ON p.polrelid = c.oid AND p.polname LIKE 'app%'"
        " WHERE c.relnamespace = 'pincite'::regnamespace AND c.relkind = 'r' AND NOT EXISTS ("
        "  SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum)"
    ).fetchall()
    assert rows == []


def test_without_any_one_policy_something_fails(connection: psycopg.Connection[Any]) -> None:
    found = policies(connection)
    assert len(found) >= 40
    for table, name, _, _ in found:
        with connection.transaction(force_rollback=True):
            connection.execute(f"DROP POLICY {name} ON pincite.{table}".encode())
            assert any(failing(connection, table)), f"nobody misses {name} of {table}"


def test_without_the_condition_of_any_policy_something_fails(
    connection: psycopg.Connection[Any],
) -> None:
    count = 0
    for table, name, using, check in policies(connection):
        for clause, condition in (("USING", using), ("WITH CHECK", check)):
            if condition in (None, "true") or (table, name, clause) in SAID_TWICE:
                continue
            count += 1
            with connection.transaction(force_rollback=True):
                connection.execute(
                    f"ALTER POLICY {name} ON pincite.{table} {clause} (true)".encode()
                )
                missed = any(failing(connection, table))
                assert missed, f"nobody misses {clause} of {name} of {table}"
    assert count >= 24


def test_without_forcing_it_the_owner_would_see_everything(
    connection: psycopg.Connection[Any],
) -> None:
    with connection.transaction(force_rollback=True):
        connection.execute(b"ALTER TABLE pincite.documents NO FORCE ROW LEVEL SECURITY")
        assert [probe.role for probe, _ in failing(connection)] == [OWNER]
