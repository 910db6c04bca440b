"""`pincite workspace`: the database, users, keys and jobs that failed."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import traceback
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pincite.errors import ConfigError, NotFound, Unauthenticated, WorkspaceUnavailable
from pincite.settings.load import load_settings
from pincite.settings.workspace import ADDRESSES
from pincite.surfaces.cli.app import app
from pincite.workspace.opening import workspaces_of
from pincite.workspace.verification import Caller, verify_key
from tests.surfaces.conftest import Cli


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / ".pincite"


def pincite(index: Path, *words: str) -> Result:
    return CliRunner().invoke(
        app, ["workspace", *words, "--index", str(index)], standalone_mode=False
    )


def verified(index: Path, text: str) -> Caller:
    """Who the server takes the key for."""

    async def verify() -> Caller:
        opened = workspaces_of(load_settings({}, index.parent, index))
        try:
            return await verify_key(opened, text, datetime.now(UTC))
        finally:
            await opened.close()

    return asyncio.run(verify())


def test_a_database_is_made_once(index: Path) -> None:
    said = pincite(index, "status")
    assert (said.return_value, "0001_workspaces" in said.stdout) == (3, True)
    assert not index.exists()  # asking makes nothing
    assert json.loads(pincite(index, "migrate", "--json").stdout) == [
        "0001_workspaces",
        "0002_turns",
    ]
    assert "up to date" in pincite(index, "migrate").stderr
    assert pincite(index, "status").return_value == 0
    assert stat.S_IMODE((index / "workspaces.db").stat().st_mode) == 0o600


def test_without_a_database_every_command_says_how_to_make_one(index: Path) -> None:
    for words in (("user", "list"), ("user", "add", "Ada"), ("key", "list"), ("dead",)):
        error = pincite(index, *words).exception
        assert isinstance(error, WorkspaceUnavailable)
        assert error.hint == "pincite workspace migrate"
    assert not index.exists()


def test_a_key_is_shown_once_and_revoked(index: Path) -> None:
    pincite(index, "migrate")
    user = pincite(index, "user", "add", "Ada", "--email", "ada@example.org").stdout.strip()
    listed = pincite(index, "user", "list").stdout
    assert listed == f"{user}  Ada  ada@example.org\n"
    made = pincite(index, "key", "add", user, "--name", "laptop", "--scope", "write")
    text = made.stdout.strip()
    caller = verified(index, text)
    assert (caller.access.user_id, caller.key.scopes) == (user, ("write",))
    shown = pincite(index, "key", "list", "--user", user).stdout
    assert shown.startswith(caller.key.id)
    assert "laptop" in shown
    assert text.rsplit("_", 1)[1] not in shown
    assert text.encode() not in (index / "workspaces.db").read_bytes()
    pincite(index, "key", "revoke", caller.key.id)
    with pytest.raises(Unauthenticated, match="revoked"):
        verified(index, text)
    assert "revoked" in pincite(index, "key", "list").stdout


def test_a_key_expires_and_opens_a_space_of_its_user_alone(index: Path) -> None:
    pincite(index, "migrate")
    ada, bob = [json.loads(pincite(index, "user", "add", n, "--json").stdout) for n in ("A", "B")]
    made = json.loads(
        pincite(
            *(index, "key", "add", ada["id"], "--name", "k", "--days", "2"),
            *("--space", ada["personal"], "--json"),
        ).stdout
    )
    caller = verified(index, made["key"])
    assert caller.key.id == made["id"]
    assert caller.access.space_id == ada["personal"]
    assert caller.key.expires is not None
    assert 1 <= (caller.key.expires - datetime.now(UTC)).days <= 2
    of_another = pincite(index, "key", "add", bob["id"], "--name", "k", "--space", ada["personal"])
    assert isinstance(of_another.exception, NotFound)
    assert isinstance(pincite(index, "key", "revoke", "x").exception, NotFound)


def test_dead_jobs_are_listed_and_tried_again(index: Path) -> None:
    pincite(index, "migrate")
    ada = json.loads(pincite(index, "user", "add", "Ada", "--json").stdout)

    async def bury() -> str:
        opened = workspaces_of(load_settings({}, index.parent, index))
        async with opened.of(ada["id"]) as session:
            await session.add_document(ada["personal"], "a.md", "0" * 64, 1)
        async with opened.administration() as operator:
            found = await operator.claim("w", 60)
            assert found is not None
            await operator.fail(found[0].id, "w", "the disk\x1b[31m is gone", None)
        await opened.close()
        return found[0].id

    assert pincite(index, "dead").return_value == 0
    job = asyncio.run(bury())
    said = pincite(index, "dead")
    assert said.return_value == 3
    assert job in said.stdout
    assert "is gone" in said.stdout
    assert "\x1b" not in said.stdout
    assert isinstance(pincite(index, "retry", job, "x").exception, NotFound)
    assert pincite(index, "dead").return_value == 3  # all of them or none
    pincite(index, "retry", job)
    assert pincite(index, "dead").return_value == 0


@pytest.mark.parametrize("words", [("status",), ("user", "list"), ("migrate",)])
def test_an_address_with_a_password_is_in_no_message(
    words: tuple[str, ...], index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "hunter2hunter2"
    for address in (
        f"postgresql://web:{secret}@127.0.0.1:1/none",
        f"postgresql://web@127.0.0.1:1/none?password={secret}",
        f"postgresql://web:{secret}@[::1/none",
        f"postgresql://web@127.0.0.1:1/none?no_option={secret}",
        f"mysql://web:{secret}@localhost/none",
    ):
        for variable in ADDRESSES.values():
            monkeypatch.setenv(variable, address)
        error = pincite(index, *words).exception
        assert isinstance(error, WorkspaceUnavailable | ConfigError)
        assert secret not in "".join(traceback.format_exception(error))
        assert secret not in repr(load_settings(os.environ, index.parent, index))


def test_a_password_in_a_file_is_refused(cli: Cli) -> None:
    cli.write("pincite.toml", '[workspace]\ndatabase = "postgresql://a:geheim@localhost/b"\n')
    said = cli("workspace", "status", code=2).stderr
    assert "PINCITE_DATABASE_URL" in said
    assert "geheim" not in said


def test_a_file_elsewhere_is_where_the_settings_say(cli: Cli) -> None:
    cli.write("pincite.toml", '[workspace]\ndatabase = "../people.db"\n')
    cli("workspace", "migrate")
    assert (cli.folder / "people.db").is_file()
