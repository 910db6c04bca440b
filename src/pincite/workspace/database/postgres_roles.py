"""Check what the addresses of a database in PostgreSQL connect to: the roles and the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pincite.errors import ConfigError, ReadOnlyDatabase
from pincite.settings.sections.workspace import ADDRESSES
from pincite.support.databases.postgres import Connection

GROUPS: Final = {"database": "pincite_app", "operator": "pincite_operator"}
#: A copy of a database has all ids of the original, so a place is identified by the server's start
#: time and the number of the database. These are the same for each address of a server, also behind
#: a pooler.
_WHAT_IT_IS: Final = """
    SELECT r.rolsuper OR r.rolbypassrls
        OR EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'pincite' AND c.relname = 'documents'
            AND pg_has_role(current_user, c.relowner, 'MEMBER'))
        OR (%(of_users)s AND EXISTS (SELECT FROM pg_roles g
            WHERE g.rolname = 'pincite_operator' AND pg_has_role(current_user, g.oid, 'MEMBER'))),
        EXISTS (SELECT FROM pg_roles g
            WHERE g.rolname = %(group)s AND pg_has_role(current_user, g.oid, 'USAGE')),
        pg_is_in_recovery(), current_setting('transaction_read_only')::boolean,
        (SELECT oid FROM pg_database WHERE datname = current_database())::bigint,
        extract(epoch FROM pg_postmaster_start_time())::text
    FROM pg_roles r WHERE r.rolname = current_user
"""


@dataclass(frozen=True, slots=True)
class ConnectedDatabase:
    """The database that an address connects to. `place` differs for any two databases, also for a
    database and its copy; a restart of the server changes it."""

    standby: bool
    read_only: bool
    place: tuple[int, str]


def key(role: str) -> str:
    """Return the name of an address in the settings: `database`, `operator` or `owner`."""
    return f"[workspace] {role}"


async def require_bound(connection: Connection, role: str) -> ConnectedDatabase:
    """Return the database that an address, `database` or `operator`, connects to. Raise ConfigError
    if row level security does not apply to its role, or if the role is not a member of its
    group."""
    group = GROUPS[role]
    found = await connection.execute(_WHAT_IT_IS, {"of_users": role == "database", "group": group})
    row = await found.fetchone()
    if row is None or row[0]:
        raise ConfigError(
            f"{key(role)} connects with a role that bypasses row level security: a"
            " superuser, a role with BYPASSRLS, the owner of the tables, or an"
            " operator instead of users",
            hint=f"use a role of its own, with GRANT {group} TO it alone",
        )
    _, member, standby, read_only, *place = row
    if not member:
        raise ConfigError(
            f"{key(role)} connects with a role that is not a member of {group}",
            hint=f"set {ADDRESSES[role]} to a role of its own, with GRANT {group} TO it alone",
        )
    return ConnectedDatabase(standby, read_only, (int(place[0]), str(place[1])))


def require_one(users: ConnectedDatabase, operator: ConnectedDatabase) -> None:
    """Raise ConfigError for two places, and ReadOnlyDatabase if one of the addresses cannot
    write."""
    if users.place != operator.place:
        raise ConfigError(
            f"{key('database')} and {key('operator')} are addresses of two databases",
            hint=(
                f"set {ADDRESSES['database']} and {ADDRESSES['operator']} to the same database; a"
                " copy is another one, and so is a standby that a proxy reads from"
            ),
        )
    for role, found in (("database", users), ("operator", operator)):
        if found.standby:
            raise ReadOnlyDatabase(
                f"{key(role)} connects to a standby of PostgreSQL, which cannot write",
                hint="use the address of the primary server, or promote this one",
            )
        if found.read_only:
            raise ReadOnlyDatabase(
                f"{key(role)} connects to a database that is read-only",
                hint="reset default_transaction_read_only, which ALTER DATABASE or ROLE has set",
            )
