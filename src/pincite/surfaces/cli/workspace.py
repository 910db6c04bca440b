"""`pincite workspace`: the database of users and documents, users, keys, and jobs that failed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import (
    NOTHING,
    OK,
    index_option,
    json_option,
    say,
    settings_here,
    show,
)

if TYPE_CHECKING:
    from pincite.workspace.model import ApiKey, Job, KeyScope
    from pincite.workspace.ports import Administration, Workspaces

T = TypeVar("T")
_DAY_S = 86_400


@click.group()
def workspace() -> None:
    """Manage workspace users, their keys, and the database."""


@workspace.command()
@json_option
@index_option
def migrate(json_: bool, index: Path | None) -> None:
    """Make the database, or bring it up to date. Nothing happens where it is."""
    taken = _with(lambda opened: opened.migrate(), index)
    _tell(taken, json_, [f"did {one}" for one in taken], "up to date")


@workspace.command()
@json_option
@index_option
def status(json_: bool, index: Path | None) -> int:
    """Say which steps the database lacks. Ends with 3 if it lacks some."""
    left = _with(lambda opened: opened.pending(), index)
    _tell(left, json_, [f"lacks {one}: pincite workspace migrate" for one in left], "up to date")
    return NOTHING if left else OK


@workspace.group()
def user() -> None:
    """Users, each with a space of their own."""


@user.command("add")
@click.argument("name")
@click.option("--email", default="", help="An address, for people.")
@json_option
@index_option
def add_user(name: str, email: str, json_: bool, index: Path | None) -> None:
    """Add a user, and print their id."""
    made = _as_operator(lambda operator: operator.add_user(name, email), index)
    _tell(made, json_, [made.id])


@user.command("list")
@json_option
@index_option
def list_users(json_: bool, index: Path | None) -> None:
    """All users, by name."""
    found = _as_operator(lambda operator: operator.users(), index)
    _tell(found, json_, [f"{one.id}  {one_line(one.name)}  {one.email}" for one in found])


@workspace.group()
def key() -> None:
    """Keys of users, which programs show."""


@key.command("add")
@click.argument("user_id", metavar="USER")
@click.option("--name", required=True, help="What the key is for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(["search", "write", "admin"]),
    default=("search",),
    show_default=True,
    help="What it opens; several: all of them.",
)
@click.option("--space", "space_id", metavar="ID", help="The only space that it opens.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Until it expires; default: never.")
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
    """Make a key for USER and print it. It is shown this once, and nobody can read it again."""
    from pincite.workspace.keys import make_key

    new = make_key()
    expires = None if days is None else datetime.now(UTC) + timedelta(seconds=days * _DAY_S)
    made = _as_operator(
        lambda operator: operator.add_key(
            *(user_id, name, new.hash, new.prefix, scopes), space_id=space_id, expires=expires
        ),
        index,
    )
    _tell({"key": new.text, "id": made.id}, json_, [new.text])
    if not json_:
        say(f"the id of the key is {made.id}; keep the key, it is not shown again")


@key.command("list")
@click.option("--user", "user_id", metavar="ID", help="Only those of this user.")
@json_option
@index_option
def list_keys(user_id: str | None, json_: bool, index: Path | None) -> None:
    """Keys, without their secrets, the oldest first."""
    found = _as_operator(lambda operator: operator.keys(user_id), index)
    _tell(found, json_, [_key_line(one) for one in found])


@key.command("revoke")
@click.argument("key_id", metavar="ID")
@index_option
def revoke_key(key_id: str, index: Path | None) -> None:
    """Refuse a key from now on, in every process."""
    _as_operator(lambda operator: operator.revoke_key(key_id), index)
    say("revoked")


@workspace.command()
@json_option
@index_option
def dead(json_: bool, index: Path | None) -> int:
    """Jobs that failed too often, with the reason. Ends with 3 if there are some."""
    found = _as_operator(lambda operator: operator.dead(), index)
    _tell(found, json_, [_job_line(one) for one in found], "no job is dead")
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

    return _with(inside, index)


def _with(work: Callable[[Workspaces], Awaitable[T]], index: Path | None) -> T:
    from pincite.workspace.opening import workspaces_of

    settings = settings_here(index)

    async def session() -> T:
        opened = workspaces_of(settings)
        try:
            return await work(opened)
        finally:
            await opened.close()

    return asyncio.run(session())


def _tell(found: object, json_: bool, lines: list[str], nothing: str = "") -> None:
    from pincite.surfaces.render import to_json

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
    return f"{one.id}  {one.user_id}  pin_{one.prefix}  {scopes}  {one_line(one.name)}{used}{ends}"


def _job_line(one: Job) -> str:
    return f"{one.id}  document {one.document_id}  tried {one.attempts}  {one_line(one.reason)}"
