"""A PostgreSQL server of the tests' own, from the binaries of Debian: a Unix socket, no network, a
new database for each test. `make test` installs it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.time_limits import HANGS_S

INSTALL = "apt-get install postgresql pgbouncer"
_SETTINGS = (
    *("listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off"),
    *("shared_buffers=32MB", "max_connections=150", "autovacuum=off"),
)
_ROOM = 4_000_000_000  # each worker of a test run has a server, of up to 500 MB
_numbers = count()


@dataclass(frozen=True)
class Database:
    """One database of the server: as users, the operator, the owner and the superuser connect."""

    app: str
    operator: str
    owner: str
    superuser: str


@dataclass(frozen=True)
class Server:
    """A server that runs. `folder` has its socket."""

    folder: Path
    superuser: str

    def address(
        self, role: str, database: str, folder: Path | None = None, port: int = 5432
    ) -> str:
        """Where a role finds a database."""
        place = folder or self.folder
        return f"postgresql://{role}@/{database}?host={place}&port={port}"

    def run(self, *statements: str, database: str = "postgres") -> None:
        """As the superuser."""
        address = self.address(self.superuser, database)
        with psycopg.connect(address, autocommit=True) as connection:
            for one in statements:
                connection.execute(one.encode())

    def database(self, template: str = "template1") -> Database:
        """A new one. Its owner is `keeper`."""
        name = f"test_{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template} OWNER keeper")
        of = [self.address(one, name) for one in ("web", "works", "keeper", self.superuser)]
        return Database(*of)


def binary(name: str) -> str:
    """A program of PostgreSQL; the test fails with what to install where there is none."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    path = os.pathsep.join((*map(str, places), os.environ.get("PATH", ""), "/usr/sbin"))
    found = shutil.which(name, path=path)
    if found is None:
        pytest.fail(f"{name} is missing: {INSTALL}")
    return found


def unprivileged() -> dict[str, object]:
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def hand_over(folder: Path) -> None:
    """To who runs the server."""
    if os.getuid() == 0:
        user = pwd.getpwnam("nobody")
        os.chown(folder, user.pw_uid, user.pw_gid)


def _place() -> Path:
    """Where the files of a server lie: in memory if there is room. A run makes up to 20,000 of
    them, and to delete them from a busy disk takes minutes."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > _ROOM else Path("/tmp")


@contextmanager
def serving(*settings: str) -> Iterator[Server]:
    """A server, stopped and deleted at the end. Without settings it is fast, and loses what it has
    when the machine stops."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=_place()))  # a socket's path is short
    hand_over(folder)
    superuser = "nobody" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    data = str(folder / "data")
    try:
        _run(binary("initdb"), "-N", "-A", "trust", "-U", superuser, "-E", "UTF8", "-D", data)
        _start(folder, settings)
        try:
            yield _prepared(Server(folder, superuser))
        finally:
            _run(binary("pg_ctl"), "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def away(server: Server) -> Iterator[None]:
    """The server is stopped while the block runs, as for an upgrade of it."""
    data = str(server.folder / "data")
    _run(binary("pg_ctl"), "-D", data, "-m", "fast", "-w", "stop")
    try:
        yield
    finally:
        _start(server.folder)


def _start(folder: Path, settings: tuple[str, ...] = ()) -> None:
    told = (*(settings or _SETTINGS), f"unix_socket_directories={folder}")
    options = " ".join(f"-c {one}" for one in told)
    data, log = str(folder / "data"), str(folder / "log")
    _run(binary("pg_ctl"), "-D", data, "-o", options, "-l", log, "-w", "start")


def _prepared(server: Server) -> Server:
    """The owner may make roles, as that of a hosted database may; the others may nothing."""
    server.run(
        "CREATE ROLE keeper LOGIN CREATEROLE NOSUPERUSER NOBYPASSRLS",
        "CREATE ROLE pincite_app NOLOGIN",
        "CREATE ROLE pincite_operator NOLOGIN",
        "CREATE ROLE web LOGIN NOSUPERUSER NOBYPASSRLS IN ROLE pincite_app",
        "CREATE ROLE works LOGIN NOSUPERUSER NOBYPASSRLS IN ROLE pincite_operator",
    )
    return server


@contextmanager
def pooled(server: Server, database: str) -> Iterator[Path]:
    """pgbouncer in transaction mode before one database: the folder of its socket, at port 6432."""
    folder = Path(tempfile.mkdtemp(prefix="pb", dir="/tmp"))
    hand_over(folder)
    settings = folder / "pgbouncer.ini"
    users = folder / "users.txt"
    users.write_text("".join(f'"{one}" ""\n' for one in ("web", "works", "keeper")))
    settings.write_text(
        f"[databases]\n{database} = host={server.folder} port=5432 dbname={database}\n"
        f"[pgbouncer]\nlisten_addr =\nlisten_port = 6432\nunix_socket_dir = {folder}\n"
        f"auth_type = trust\nauth_file = {users}\npool_mode = transaction\n"
        "default_pool_size = 2\nmax_client_conn = 100\nserver_reset_query =\n"
    )
    program = subprocess.Popen(
        [binary("pgbouncer"), "-q", str(settings)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **unprivileged(),  # type: ignore[call-overload]
    )
    try:
        while True:
            with suppress(psycopg.OperationalError):
                psycopg.connect(server.address("web", database, folder, 6432)).close()
                break
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"pgbouncer ended with {program.wait(0.05)}")
        yield folder
    finally:
        program.terminate()
        program.wait(HANGS_S)
        shutil.rmtree(folder, ignore_errors=True)


def _run(*command: str) -> None:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd="/tmp",
        **unprivileged(),  # type: ignore[call-overload]
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
