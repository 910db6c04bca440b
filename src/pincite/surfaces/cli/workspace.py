"""`pincite workspace`: the database of users and documents, users, keys, and failed jobs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from pincite.support.terminal import one_line
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK, settings_here

if TYPE_CHECKING:
    from pincite.workspace.access.issuer_keys import IssuerKeys
    from pincite.workspace.access.tokens import Identity
    from pincite.workspace.model import ApiKey, Job, KeyScope
    from pincite.workspace.ports import Administration, Workspaces

T = TypeVar("T")
_DAY_S = 86_400
_MOST_TOKEN_BYTES = 65_536
_FACTS = "0008_facts"  # facts are in the database since this migration


@click.group(cls=Group)
def workspace() -> None:
    """Manage workspace users, their keys, and the database."""
    from pincite.surfaces.tracing import quiet_drivers

    quiet_drivers()


@workspace.command()
@json_option
@index_option
def migrate(json_: bool, index: Path | None) -> None:
    """Create or update the database. A current one stays unchanged."""
    from pincite.engine.memory_stores import place_of_fact_file

    taken = with_database(lambda opened: opened.migrate(), index)
    tell(taken, json_, [f"did {one}" for one in taken], "up to date")
    before = place_of_fact_file(settings_here(index))
    if _FACTS in taken and before.exists():
        say(f"{before} has facts from an earlier version: pincite workspace facts move")


@workspace.command()
@index_option
def adopt(index: Path | None) -> None:
    """Bind the database to this index and its uploaded files.

    A PostgreSQL database has one index: in one folder, or on servers for several machines. A new
    index has no documents: upload their contents again. Uploaded files have one database: a day
    later, workers delete the files that the new one does not know.
    """
    from pincite.workspace.deployment import adopt as adopt_deployment

    changed = asyncio.run(adopt_deployment(settings_here(index)))
    how = "now belong" if changed else "already belong"
    say(f"the database, the index and the uploaded files {how} to each other")


@workspace.command()
@json_option
@index_option
def status(json_: bool, index: Path | None) -> int:
    """Print missing migrations of the database, and whether uploaded files are reachable.

    Exit code 3 if something is missing. Addresses of two databases, and roles with other rights
    than Pincite needs, are errors.
    """
    from pincite.workspace.database.one_index import has_server
    from pincite.workspace.deployment import open_files, place_for_people, reason_of_silence

    settings = settings_here(index)

    async def look(opened: Workspaces) -> tuple[tuple[str, ...], str]:
        left = await opened.pending()
        if not left and has_server(settings):
            await opened.require_roles()
        async with open_files(settings) as files:
            return left, await reason_of_silence(files)

    left, silence = with_database(look, index)
    lines = [f"lacks {one}: pincite workspace migrate" for one in left]
    if silence:
        left, lines = (*left, "files"), [*lines, f"lacks files: {one_line(silence)}"]
    tell(left, json_, lines, "up to date")
    if not silence:
        say(f"files are in {place_for_people(settings)}")
    return NOTHING if left else OK


@workspace.group()
def user() -> None:
    """Manage users; each one has a personal space."""


@user.command("add")
@click.argument("name")
@click.option("--email", default="", help="Email address, for display only.")
@json_option
@index_option
def add_user(name: str, email: str, json_: bool, index: Path | None) -> None:
    """Add a user, and print their id."""
    made = _as_operator(lambda operator: operator.add_user(name, email), index)
    tell(made, json_, [made.id])


@user.command("list")
@json_option
@index_option
def list_users(json_: bool, index: Path | None) -> None:
    """List all users by name."""
    found = _as_operator(lambda operator: operator.users(), index)
    tell(found, json_, [f"{one.id}  {one_line(one.name)}  {one.email}" for one in found])


@user.command("link")
@click.argument("user_id", metavar="USER")
@click.option("--subject", required=True, help="The subject of the user in the issuer's tokens.")
@json_option
@index_option
def link_subject(user_id: str, subject: str, json_: bool, index: Path | None) -> None:
    """Let USER sign in with tokens of the issuer in [workspace.oidc]."""
    from pincite.workspace.access.tokens import link_user

    issuer = _issuer(index).settings.issuer
    with _hinted("user", user_id, "user list"):
        made = _as_operator(lambda operator: link_user(operator, user_id, issuer, subject), index)
    tell(made, json_, [made.id])
    if not json_:
        say(f"to block this user: `pincite workspace key revoke {made.id}`")


@user.command("token")
@json_option
@index_option
def look_at_token(json_: bool, index: Path | None) -> None:
    """Read a token from stdin and print its user, or the reason for a refusal."""
    from pincite.errors import UsageError
    from pincite.workspace.access.tokens import TokenRefused, read_token

    issuer = _issuer(index)
    raw = sys.stdin.buffer.read(_MOST_TOKEN_BYTES)
    text = raw.decode("utf-8", "replace").strip()

    async def session() -> Identity:
        try:
            return await read_token(issuer, text, datetime.now(UTC))
        except TokenRefused as error:
            raise UsageError(f"the token is refused: {one_line(error.reason)}") from error
        finally:
            await issuer.close()

    found = asyncio.run(session())
    scopes = ", ".join(found.scopes) or "none"
    tell(found, json_, [f"subject {one_line(found.subject)}", f"scopes {scopes}"])


@workspace.group()
def key() -> None:
    """Manage the API keys of users."""


@key.command("add")
@click.argument("user_id", metavar="USER")
@click.option("--name", required=True, help="The purpose of the key.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(["search", "write", "admin"]),
    default=("search",),
    show_default=True,
    help="What the key allows; repeat for several.",
)
@click.option("--space", "space_id", metavar="ID", help="Limit the key to this space.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Days until expiry; default: never.")
@json_option
@index_option
def add_key(
    user_id: str,
    name: str,
    scopes: tuple[KeyScope, ...],
    space_id: str | None,
    days: int | None,
    json_: bool,
    index: Path | None,
) -> None:
    """Create a key for USER and print it. It is shown only once."""
    from pincite.workspace.access.keys import make_key

    new = make_key()
    expires = None if days is None else datetime.now(UTC) + timedelta(seconds=days * _DAY_S)
    with _hinted("user", user_id, "user list"):
        made = _as_operator(
            lambda operator: operator.add_key(
                *(user_id, name, new.hash, new.prefix, scopes), space_id=space_id, expires=expires
            ),
            index,
        )
    tell({"key": new.text, "id": made.id}, json_, [new.text])
    if not json_:
        say(f"the id of the key is {made.id}; store the key now, it is not shown again")


@key.command("list")
@click.option("--user", "user_id", metavar="ID", help="Only keys of this user.")
@json_option
@index_option
def list_keys(user_id: str | None, json_: bool, index: Path | None) -> None:
    """List keys without their secrets, the oldest first."""
    with _hinted("user", user_id, "user list"):
        found = _as_operator(lambda operator: operator.keys(user_id), index)
    tell(found, json_, [_key_line(one) for one in found])


@key.command("revoke")
@click.argument("key_id", metavar="ID")
@index_option
def revoke_key(key_id: str, index: Path | None) -> None:
    """Revoke a key in all processes, from now on."""
    with _hinted("key", key_id, "key list"):
        _as_operator(lambda operator: operator.revoke_key(key_id), index)
    say("revoked")


@workspace.command()
@json_option
@index_option
def failed(json_: bool, index: Path | None) -> int:
    """List documents that cannot be indexed, with the reason. Exit code 3 if there are any.

    To retry one, upload its content again, or other content.
    """
    found = _as_operator(lambda operator: operator.failed(), index)
    lines = [f"{one.id}  space {one.space_id}  {one_line(one.error)}" for one in found]
    tell(
        [{"id": one.id, "space_id": one.space_id, "error": one.error} for one in found],
        json_,
        lines,
        "every document can be indexed",
    )
    return NOTHING if found else OK


@workspace.command()
@json_option
@index_option
def dead(json_: bool, index: Path | None) -> int:
    """List jobs that failed too often, with the reason. Exit code 3 if there are any."""
    found = _as_operator(lambda operator: operator.dead(), index)
    tell(found, json_, [_job_line(one) for one in found], "no job is dead")
    return NOTHING if found else OK


@workspace.command()
@click.argument("job_ids", nargs=-1, required=True, metavar="ID...")
@index_option
def retry(job_ids: tuple[str, ...], index: Path | None) -> None:
    """Try dead jobs again, all of them or none."""

    async def every(operator: Administration) -> None:
        for one in job_ids:
            await operator.retry(one)

    _as_operator(every, index)
    say(f"{len(job_ids)} to be tried again")


def _as_operator(work: Callable[[Administration], Awaitable[T]], index: Path | None) -> T:
    async def inside(opened: Workspaces) -> T:
        async with opened.administration() as operator:
            return await work(operator)

    return with_database(inside, index)


@contextmanager
def _hinted(what: str, id_: str | None, command: str) -> Iterator[None]:
    """Add the command that lists the ids to the error for an unknown id."""
    from pincite.errors import NotFound
    from pincite.workspace.checks import missing

    try:
        yield
    except NotFound as error:
        if error.message != missing(what, id_).message:
            raise
        raise NotFound(error.message, hint=f"pincite workspace {command}") from error


def _issuer(index: Path | None) -> IssuerKeys:
    from pincite.errors import ConfigError
    from pincite.workspace.access.issuer_keys import issuer_of

    if (issuer := issuer_of(settings_here(index).workspace.oidc)) is None:
        raise ConfigError(
            "no token issuer is configured", hint='[workspace.oidc] issuer = "https://..."'
        )
    return issuer


def with_database(work: Callable[[Workspaces], Awaitable[T]], index: Path | None) -> T:
    """Return the result of `work` with the open database of the settings."""
    from pincite.workspace.database.open import workspaces_of

    settings = settings_here(index)

    async def session() -> T:
        opened = workspaces_of(settings)
        try:
            return await work(opened)
        finally:
            await opened.close()

    return asyncio.run(session())


def tell(found: object, json_: bool, lines: list[str], nothing: str = "") -> None:
    """Print the result as JSON, or its lines; `nothing` on stderr if there are none."""
    from pincite.surfaces.text.render import to_json

    if json_:
        show(to_json(found))
        return
    for line in lines:
        show(line)
    if not lines and nothing:
        say(nothing)


def _key_line(one: ApiKey) -> str:
    ends = f"  revoked {one.revoked:%Y-%m-%d}" if one.revoked else ""
    if one.expires and not one.revoked:
        ends = f"  until {one.expires:%Y-%m-%d}"
    used = f"  used {one.last_used:%Y-%m-%d}" if one.last_used else ""
    scopes = ",".join(one.scopes)
    start = one.prefix[:16] if one.prefix.startswith("oidc_") else f"pin_{one.prefix}"
    return f"{one.id}  {one.user_id}  {start}  {scopes}  {one_line(one.name)}{used}{ends}"


def _job_line(one: Job) -> str:
    return f"{one.id}  document {one.document_id}  tried {one.attempts}  {one_line(one.reason)}"
