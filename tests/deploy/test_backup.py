"""A backup that is restored elsewhere answers as before, and keeps users apart as before."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from pincite.settings.load import Settings, load_settings
from pincite.workspace import Access
from pincite.workspace.access.keys import make_key
from pincite.workspace.access.verification import verify_key
from pincite.workspace.database.open import workspaces_of
from pincite.workspace.deployment import Deployment, open_deployment
from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps
from pincite.workspace.worker.loop import work_once
from tests.quick_folder import quick_folder
from tests.workspace.postgres_server import Server, binary, serving, unprivileged

ROLES = Path(__file__).parents[2] / "deploy/workspaces/roles.sh"
TEXTS = {"Anna": "The turnstile of the quetzal rotates.", "Bert": "A turnstile in the harbour."}

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True)
class Held:
    """What a deployment answers: what each key finds, as citation and text, and the bytes."""

    keys: Mapping[str, str]
    found: Mapping[str, tuple[tuple[str, str], ...]]
    files: Mapping[str, bytes]


async def pieces(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


async def filled(settings: Settings) -> Held:
    """Two users, each with a document of their own that is indexed."""
    keys = {}
    async with open_deployment(settings, lexical=True) as opened:
        for name, text in TEXTS.items():
            new = make_key()
            async with opened.workspaces.administration() as operator:
                user = await operator.add_user(name)
                await operator.add_key(user.id, "k", new.hash, new.prefix, ("search", "write"))
            keys[name] = new.text
            async with opened.workspaces.of(user.id) as session:
                space = (await session.user()).personal
            stored = await opened.files.put(space, pieces(text), 1_000)
            async with opened.workspaces.of(user.id) as session:
                await session.add_document(space, f"{name}.md", stored.content_hash, stored.size)
        while await work_once(WorkerDeps.of(opened), WorkerConfig()):
            pass
        return await held(opened, keys)


async def held(opened: Deployment, keys: Mapping[str, str]) -> Held:
    found, files = {}, {}
    for name, key in keys.items():
        access = (await verify_key(opened.workspaces, key, datetime.now(UTC))).access
        pack = await opened.workspace.search(Access(access.user_id), "turnstile")
        shown = (*pack.evidence, *pack.closest)
        found[name] = tuple((one.citation, one.text) for one in shown)
        async with opened.workspaces.of(access.user_id) as session:
            (document,) = await session.documents(None, "", 10)
        files[name] = await opened.files.read(document.space_id, document.content_hash)
    return Held(keys, found, files)


async def restored(settings: Settings, keys: Mapping[str, str]) -> Held:
    async with open_deployment(settings, lexical=True) as opened:
        return await held(opened, keys)


def unpack(archive: str, folder: Path) -> None:
    """Unpack an archive of this test. Python checks its members from 3.11.4 on."""
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):
            packed.extraction_filter = tarfile.data_filter
        packed.extractall(folder)


def stop(settings: Settings) -> None:
    """As an administrator: nothing has the index open when it is copied."""
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "stop"]
    subprocess.run([*command, "--index", str(settings.index)], check=True, capture_output=True)


def settings_of(folder: Path, more: Mapping[str, str] | None = None) -> Settings:
    around = {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1", **(more or {})}
    return load_settings({**around, "PINCITE_INDEX": str(folder / "index")}, folder)


def require_whole(before: Held) -> None:
    """The deployment that was backed up has something to agree on."""
    assert {name: raw.decode() for name, raw in before.files.items()} == TEXTS
    for name, text in TEXTS.items():
        ((_, shown),) = before.found[name]
        assert text in shown


async def test_a_folder_is_all_there_is_with_sqlite() -> None:
    with quick_folder() as folder:
        there, elsewhere = settings_of(folder / "a"), settings_of(folder / "b")
        (folder / "a").mkdir()
        (folder / "b").mkdir()
        workspaces = workspaces_of(there)
        await workspaces.migrate()
        await workspaces.close()
        before = await filled(there)
        require_whole(before)
        stop(there)
        archive = shutil.make_archive(str(folder / "backup"), "tar", there.index)
        shutil.rmtree(there.index)
        unpack(archive, elsewhere.index)
        assert await restored(elsewhere, before.keys) == before
        stop(elsewhere)


@dataclass(frozen=True)
class Machine:
    """A server of PostgreSQL whose roles and database roles.sh has made."""

    server: Server

    def settings(self, folder: Path, *, owner: bool = False, user: str = "web") -> Settings:
        address = self.server.address
        said = {
            "PINCITE_DATABASE_URL": address(user, "pincite"),
            "PINCITE_DATABASE_OPERATOR_URL": address("works", "pincite"),
        }
        if owner:
            said["PINCITE_DATABASE_OWNER_URL"] = address("keeper", "pincite")
        return settings_of(folder, said)

    def program(self, name: str, *words: str) -> subprocess.CompletedProcess[str]:
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [binary(name), f"--host={self.server.folder}", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd="/tmp",
            **unprivileged(),  # type: ignore[call-overload]
        )
        return done

    def protection(self) -> tuple[object, ...]:
        """Owners, row level security and policies of all tables, and what roles may do."""
        questions = (
            "SELECT relname, relowner::regrole::text, relrowsecurity, relforcerowsecurity,"
            " array_to_string(relacl, ' ') FROM pg_class"
            " WHERE relnamespace = ANY('{pincite,pincite_index}'::regnamespace[])"
            " ORDER BY relnamespace::regnamespace::text, 1",
            "SELECT tablename, policyname, roles::text, cmd, qual, with_check FROM pg_policies"
            " ORDER BY 1, 2",
            "SELECT proname, proowner::regrole::text, prosecdef, array_to_string(proacl, ' ')"
            " FROM pg_proc WHERE pronamespace = 'pincite'::regnamespace ORDER BY 1",
        )
        address = self.server.address(self.server.superuser, "pincite")
        with psycopg.connect(address) as connection:
            return tuple(tuple(connection.execute(one).fetchall()) for one in questions)


@pytest.fixture
def machines() -> Iterator[tuple[Machine, Machine]]:
    """Two servers that share nothing."""
    with ExitStack() as stack:
        yield tuple(machine(stack.enter_context(serving())) for _ in "ab")  # type: ignore[misc]


def machine(server: Server) -> Machine:
    made = ("web", "works", "keeper", "pincite_app", "pincite_operator")
    server.run(*(f"DROP ROLE {role}" for role in made))  # roles.sh makes them
    environ = {
        "PATH": f"{Path(binary('psql')).parent}:{os.environ['PATH']}",
        "PGHOST": str(server.folder),
        "POSTGRES_USER": server.superuser,
        **{f"{role}_PASSWORD": f"it's {role}" for role in ("KEEPER", "WEB", "WORKS", "BACKUP")},
    }
    done = subprocess.run(
        ["sh", str(ROLES)], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return Machine(server)


async def test_a_dump_with_its_roles_and_the_folder_are_all_there_is_with_postgresql(
    machines: tuple[Machine, Machine],
) -> None:
    one, other = machines
    with quick_folder() as folder:
        folder.chmod(0o711)
        for name in "ab":
            (folder / name).mkdir()
        there, elsewhere = one.settings(folder / "a"), other.settings(folder / "b")
        workspaces = workspaces_of(one.settings(folder / "a", owner=True))
        await workspaces.migrate()
        await workspaces.close()
        before = await filled(there)
        require_whole(before)
        stop(there)
        archive = shutil.make_archive(str(folder / "backup"), "tar", there.index)
        dump = str(one.server.folder / "pincite.dump")
        words = ("--format=custom", f"--file={dump}", "pincite")
        filtered = one.program("pg_dump", "--username=keeper", *words)
        assert filtered.returncode != 0  # the owner's dump would lack all rows
        assert "row-level security" in filtered.stderr
        dumped = one.program("pg_dump", "--username=backup", *words)
        assert dumped.returncode == 0, dumped.stderr

        superuser = f"--username={other.server.superuser}"
        back = other.program(
            "pg_restore",
            superuser,
            "--exit-on-error",
            "--single-transaction",
            "-d",
            "pincite",
            dump,
        )
        assert back.returncode == 0, back.stderr
        unpack(archive, elsewhere.index)

        assert other.protection() == one.protection()
        assert len(str(other.protection())) > 1_000
        shutil.rmtree(there.index)
        assert await restored(elsewhere, before.keys) == before
        other.server.run(  # a password is rotated by a second role
            "CREATE ROLE web_2 LOGIN IN ROLE pincite_app",
            "GRANT CONNECT ON DATABASE pincite TO web_2",
            "REVOKE CONNECT ON DATABASE pincite FROM web",
            "DROP ROLE web",
        )
        rotated = other.settings(folder / "b", user="web_2")
        assert await restored(rotated, before.keys) == before
        with psycopg.connect(other.server.address("web_2", "pincite")) as connection:
            (count,) = connection.execute("SELECT count(*) FROM pincite.documents").fetchone() or ()
            assert count == 0  # nobody has said who asks
        with (
            psycopg.connect(other.server.address("backup", "pincite")) as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute("DELETE FROM pincite.documents")
        stop(elsewhere)
