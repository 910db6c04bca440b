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

from pincite.engine.memory_stores import open_fact_file
from pincite.errors import (
    ConfigError,
    NotFound,
    Unauthenticated,
    UsageError,
    WorkspaceUnavailable,
)
from pincite.settings.load import load_settings
from pincite.settings.sections.workspace import ADDRESSES
from pincite.surfaces.cli.app import app
from pincite.workspace.access.verification import Caller, verify_key
from pincite.workspace.database.open import workspaces_of
from tests.surfaces.conftest import Cli
from tests.workspace.issuer import issuing
from tests.workspace.s3_server import KEY, SECRET, s3_serving


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
        "0003_conversations",
        "0004_feeds_of_points",
        "0005_jobs_by_change",
        "0006_rates",
        "0007_feeds_of_dead_jobs",
        "0008_facts",
        "0009_kinds_of_turns",
        "0010_identity",
        "0011_replaced_texts",
        "0012_removed_users",
        "0013_enabled_owners",
    ]
    assert "up to date" in pincite(index, "migrate").stderr
    assert pincite(index, "status").return_value == 0
    assert stat.S_IMODE((index / "workspaces.db").stat().st_mode) == 0o600


def test_without_a_database_every_command_says_how_to_make_one(index: Path) -> None:
    for words in (("user", "list"), ("user", "add", "Ada"), ("key", "list"), ("dead",)):
        error = pincite(index, *words).exception
        assert isinstance(error, WorkspaceUnavailable)
        assert error.hint == f"pincite workspace migrate --index {index}"
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
    assert text.split("_", 2)[2] not in shown  # the secret may have "_" in it
    assert text.encode() not in (index / "workspaces.db").read_bytes()
    pincite(index, "key", "revoke", caller.key.id)
    with pytest.raises(Unauthenticated, match="revoked"):
        verified(index, text)
    assert "revoked" in pincite(index, "key", "list").stdout


def test_status_says_where_files_are_and_when_they_are_out_of_reach(index: Path) -> None:
    pincite(index, "migrate")
    said = pincite(index, "status")
    assert (said.return_value, str(index / "files") in said.stderr) == (0, True)
    (index.parent / "pincite.toml").write_text(
        '[workspace]\nfiles = "s3://papers/a"\n'
        '[workspace.s3]\nendpoint = "http://127.0.0.1:1"\nkey_file = "none"\n'
    )
    assert isinstance(pincite(index, "status").exception, ConfigError)
    keys = index.parent / "keys"
    keys.write_text("[default]\naws_access_key_id = a\naws_secret_access_key = hushhush\n")
    with s3_serving() as s3:
        (index.parent / "pincite.toml").write_text(
            '[workspace]\nfiles = "s3://papers/a"\n'
            f'[workspace.s3]\nendpoint = "{s3.url}"\nkey_file = "{keys}"\n'
        )
        said = pincite(index, "status")
        assert said.return_value == 3
        assert "lacks files: " in said.stdout
        assert "s3://papers/a refuses the credentials" in said.stdout
        assert "hushhush" not in said.output
        assert json.loads(pincite(index, "status", "--json").stdout) == ["files"]
        keys.write_text(f"[default]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n")
        said = pincite(index, "status")
        assert (said.return_value, "files are in s3://papers/a" in said.stderr) == (0, True)


def oidc_file(index: Path, issuer: str, more: str = "") -> None:
    pincite(index, "migrate")
    (index.parent / "pincite.toml").write_text(
        f'[workspace.oidc]\nissuer = "{issuer}"\naudience = "pincite"\n{more}'
    )


def test_a_user_is_linked_to_a_subject_and_kept_out_again(index: Path) -> None:
    assert isinstance(
        pincite(index, "user", "link", "x", "--subject", "ada").exception, ConfigError
    )
    oidc_file(index, "https://login.example")
    user = pincite(index, "user", "add", "Ada").stdout.strip()
    link = pincite(index, "user", "link", user, "--subject", "ada").stdout.strip()
    again = pincite(index, "user", "link", user, "--subject", "ada").exception
    assert isinstance(again, UsageError)
    assert again.hint.endswith(f"key revoke --index {index} {link}")
    listed = pincite(index, "key", "list").stdout
    assert f"{link}  {user}  oidc_" in listed
    assert "OIDC ada" in listed
    assert pincite(index, "key", "revoke", link).exception is None
    for bad in ("", "a\nb", "x" * 256):
        assert isinstance(
            pincite(index, "user", "link", user, "--subject", bad).exception, UsageError
        )


def test_a_token_is_looked_at_before_somebody_signs_in(index: Path) -> None:
    with issuing() as issuer:
        oidc_file(index, issuer.url)
        words = ["workspace", "user", "token", "--index", str(index)]
        said = CliRunner().invoke(app, words, input=issuer.token("ada"), standalone_mode=False)
        assert said.stdout == "subject ada\nscopes search, write\n"
        bad = issuer.token("ada", aud="others")
        said = CliRunner().invoke(app, words, input=bad, standalone_mode=False)
        assert isinstance(said.exception, UsageError)
        assert "its audience is not 'pincite'" in said.exception.message
        assert bad not in str(said.exception)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("audiences = 1", "workspace.oidc.audiences"),
        ('algorithms = ["HS256"]', "HS256"),
        ('algorithms = ["none"]', "none"),
        ('create_users = "yes"', "workspace.oidc"),
        ('scopes = "all"', "workspace.oidc.scopes"),
        ("[workspace.oidc.scopes]\nowner = []", "workspace.oidc.scopes.owner"),
        ("[workspace.oidc.scopes]\nadmin = 7", "workspace.oidc.scopes"),
    ],
)
def test_what_is_wrong_with_the_issuer_s_table_is_named(index: Path, more: str, said: str) -> None:
    oidc_file(index, "https://login.example", more)
    error = pincite(index, "user", "list").exception
    assert isinstance(error, ConfigError)
    assert said in error.message


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


def test_documents_that_cannot_be_indexed_are_listed_with_the_reason(index: Path) -> None:
    pincite(index, "migrate")
    ada = json.loads(pincite(index, "user", "add", "Ada", "--json").stdout)
    assert pincite(index, "failed").return_value == 0

    async def fail() -> str:
        opened = workspaces_of(load_settings({}, index.parent, index))
        async with opened.of(ada["id"]) as session:
            made = await session.add_document(ada["personal"], "a.pdf", "0" * 64, 1)
        async with opened.administration() as operator:
            found = await operator.claim("w", 60)
            assert found is not None
            await operator.finish(found[0].id, "w", made.version, None, "it is no PDF\x1b[31m")
        await opened.close()
        return made.id

    made = asyncio.run(fail())
    said = pincite(index, "failed")
    assert said.return_value == 3
    assert made in said.stdout
    assert "it is no PDF" in said.stdout
    assert "\x1b" not in said.stdout
    (row,) = json.loads(pincite(index, "failed", "--json").stdout)
    assert row["id"] == made


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


def test_a_key_of_one_space_is_listed_with_it(index: Path) -> None:
    pincite(index, "migrate")
    ada = json.loads(pincite(index, "user", "add", "Ada", "--json").stdout)
    pincite(index, "key", "add", ada["id"], "--name", "laptop", "--space", ada["personal"])
    pincite(index, "key", "add", ada["id"], "--name", "desk")
    bound, free = pincite(index, "key", "list").stdout.splitlines()
    assert f"  space {ada['personal']}" in bound
    assert "space" not in free


def test_a_user_is_disabled_and_enabled_again(index: Path) -> None:
    pincite(index, "migrate")
    user = pincite(index, "user", "add", "Ada").stdout.strip()
    text = pincite(index, "key", "add", user, "--name", "laptop").stdout.strip()
    pincite(index, "user", "disable", user)
    assert "  disabled 20" in pincite(index, "user", "list").stdout
    with pytest.raises(Unauthenticated, match="disabled"):
        verified(index, text)
    pincite(index, "user", "enable", user)
    assert verified(index, text).access.user_id == user
    assert isinstance(pincite(index, "user", "disable", "x").exception, NotFound)


def test_a_user_is_removed_after_a_question(index: Path) -> None:
    pincite(index, "migrate")
    ada = json.loads(pincite(index, "user", "add", "Ada", "--json").stdout)
    bob = pincite(index, "user", "add", "Bob").stdout.strip()
    text = pincite(index, "key", "add", ada["id"], "--name", "laptop").stdout.strip()

    async def sharing() -> str:
        opened = workspaces_of(load_settings({}, index.parent, index))
        async with opened.of(ada["id"]) as session:
            await session.add_document(ada["personal"], "a.md", "0" * 64, 1)
            team = await session.add_space("Team")
            await session.set_member(team.id, bob, "viewer")
        await opened.close()
        return team.id

    team = asyncio.run(sharing())
    facts = open_fact_file(load_settings({}, index.parent, index))
    asyncio.run(facts.remember(ada["id"], "drinks tea"))
    asyncio.run(facts.close())
    asked = pincite(index, "user", "remove", ada["id"]).exception
    assert isinstance(asked, UsageError)
    assert (asked.hint, "Ada has a personal space" in asked.message) == ("--yes", True)
    refused = pincite(index, "user", "remove", ada["id"], "--yes").exception
    assert isinstance(refused, UsageError)
    assert f"{team} (Team)" in refused.message
    assert verified(index, text).access.user_id == ada["id"]  # nothing has changed
    done = pincite(index, "user", "remove", ada["id"], "--yes", "--give-to", bob)
    assert (done.return_value, "removed Ada" in done.stderr) == (0, True)
    facts = open_fact_file(load_settings({}, index.parent, index))
    assert tuple(asyncio.run(facts.users())) == ()
    asyncio.run(facts.close())
    assert pincite(index, "user", "list").stdout.split()[0] == bob
    assert "1 waiting" in pincite(index, "jobs").stderr
    with pytest.raises(Unauthenticated, match="unknown"):
        verified(index, text)
    gone = pincite(index, "user", "remove", ada["id"], "--yes").exception
    assert isinstance(gone, NotFound)


def test_a_space_whose_owner_is_disabled_is_given_to_a_user(index: Path) -> None:
    pincite(index, "migrate")
    ada, bob = [pincite(index, "user", "add", name).stdout.strip() for name in ("Ada", "Bob")]

    async def sharing() -> str:
        opened = workspaces_of(load_settings({}, index.parent, index))
        async with opened.of(ada) as session:
            team = await session.add_space("Team")
            await session.set_member(team.id, bob, "viewer")
        await opened.close()
        return team.id

    async def role_of_bob() -> str:
        opened = workspaces_of(load_settings({}, index.parent, index))
        async with opened.of(bob) as session:
            found = await session.space(team)
        await opened.close()
        return found.role

    team = asyncio.run(sharing())
    give = ("space", "give", team, "--to", bob)
    early = pincite(index, *give).exception
    assert isinstance(early, UsageError)
    assert ada in early.message
    said = pincite(index, "user", "disable", ada).stderr
    assert f"pincite workspace space give {team} --to USER" in said
    unknown = pincite(index, "space", "give", team, "--to", "x").exception
    assert isinstance(unknown, NotFound)
    assert unknown.hint == f"pincite workspace user list --index {index}"
    assert isinstance(pincite(index, "space", "give", ada, "--to", bob).exception, UsageError)
    assert f"{bob} is an owner of {team} now" in pincite(index, *give).stderr
    assert asyncio.run(role_of_bob()) == "owner"
    assert "space give" not in pincite(index, "user", "disable", ada).stderr


def test_a_job_that_waits_says_why(index: Path) -> None:
    pincite(index, "migrate")
    ada = json.loads(pincite(index, "user", "add", "Ada", "--json").stdout)

    async def failing() -> tuple[str, str]:
        opened = workspaces_of(load_settings({}, index.parent, index))
        async with opened.of(ada["id"]) as session:
            for name in ("a.md", "b.md"):
                await session.add_document(ada["personal"], name, "0" * 64, 1)
        async with opened.administration() as operator:
            found = await operator.claim("w", 60)
            assert found is not None
            await operator.fail(found[0].id, "w", "the model\x1b[31m is away", 3_600)
            other = await operator.claim("w", 60)
            assert other is not None
        await opened.close()
        return found[0].id, other[0].id

    assert pincite(index, "jobs").stdout == ""
    failed, other = asyncio.run(failing())
    said = pincite(index, "jobs")
    first, second = said.stdout.splitlines()
    assert first.startswith(f"{failed}  document ")
    assert "tried 1  next try 20" in first
    assert first.endswith("is away")
    assert "\x1b" not in first
    assert (second.split()[0], second.endswith("tried 1  running")) == (other, True)
    assert "1 waiting, 1 running, 0 dead" in said.stderr
    assert [one["state"] for one in json.loads(pincite(index, "jobs", "--json").stdout)] == [
        "waiting",
        "running",
    ]


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


@pytest.mark.parametrize(
    "address",
    [
        "host=db dbname=pincite user=web password=geheim",
        "password = geheim\thost=/run/postgresql",
        "dbname=geheim",
        "geheim=x",
        "web:geheim@db/pincite",
        "web:geh/eim@db",
        "postgresql:/web:geheim@db/pincite",
        "Postgres:geheim",
    ],
)
def test_an_address_in_another_form_is_not_the_name_of_a_folder(
    address: str, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_DATABASE_URL", address)
    for words in (("migrate",), ("status",), ("user", "add", "Ada")):
        error = pincite(index, *words).exception
        assert isinstance(error, ConfigError)
        assert "postgresql://USER@HOST/DATABASE" in error.hint
        assert "geheim" not in "".join(traceback.format_exception(error))
    assert not index.exists()


@pytest.mark.parametrize("name", ["./a=b", "a=b/people.db", "./user=5", "./web:x@y", "people at"])
def test_a_folder_may_have_an_odd_name(cli: Cli, name: str) -> None:
    cli.write("pincite.toml", f'[workspace]\ndatabase = "{name}"\n')
    cli("workspace", "migrate")
    place = cli.folder / ".pincite" / name
    assert (place if place.suffix else place / "workspaces.db").is_file()


@pytest.mark.parametrize("place", ["postgresql://a:geheim@localhost/b", "user=a password=geheim"])
@pytest.mark.parametrize("role", ADDRESSES)
def test_a_password_in_a_file_is_refused(cli: Cli, place: str, role: str) -> None:
    cli.write("pincite.toml", f'[workspace]\n{role} = "{place}"\n')
    said = cli("workspace", "status", code=2).stderr
    assert ADDRESSES[role] in said or "postgresql://USER@HOST" in said
    assert "geheim" not in said


def test_a_file_elsewhere_is_where_the_settings_say(cli: Cli) -> None:
    cli.write("pincite.toml", '[workspace]\ndatabase = "../people.db"\n')
    cli("workspace", "migrate")
    assert (cli.folder / "people.db").is_file()


@pytest.mark.parametrize("role", ["OPERATOR", "OWNER"])
def test_an_address_of_postgres_without_that_of_users_makes_no_file(
    index: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setenv(f"PINCITE_DATABASE_{role}_URL", "postgresql://keeper:s3cret@db/pincite")
    for words in (("migrate",), ("status",), ("adopt",)):
        error = pincite(index, *words).exception
        assert isinstance(error, ConfigError)
        assert role.lower() in error.message
        assert "PINCITE_DATABASE_URL" in (error.hint or "")
        assert "s3cret" not in f"{error.message}{error.hint}"
    assert not index.exists()


def test_an_unknown_id_is_answered_with_the_command_that_lists_ids(index: Path) -> None:
    pincite(index, "migrate")
    user = pincite(index, "user", "add", "Ada").stdout.strip()
    for words, hint in (
        (("key", "add", "Ada", "--name", "k"), "pincite workspace user list"),
        (("key", "list", "--user", "Ada"), "pincite workspace user list"),
        (("key", "revoke", "laptop"), "pincite workspace key list"),
        (("key", "add", user, "--name", "k", "--space", "Team"), ""),
    ):
        error = pincite(index, *words).exception
        assert isinstance(error, NotFound)
        assert error.hint == (f"{hint} --index {index}" if hint else "")
