"""`pincite workspace key`: the API keys of users."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.terminal import one_line
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.workspace.common import as_operator, hinted, tell

if TYPE_CHECKING:
    from pincite.workspace.model import ApiKey, KeyScope

_DAY_S = 86_400


@click.group(cls=Group)
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
    with hinted("user", user_id, "user list"):
        made = as_operator(
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
    with hinted("user", user_id, "user list"):
        found = as_operator(lambda operator: operator.keys(user_id), index)
    tell(found, json_, [_key_line(one) for one in found])


@key.command("revoke")
@click.argument("key_id", metavar="ID")
@index_option
def revoke_key(key_id: str, index: Path | None) -> None:
    """Revoke a key in all processes, from now on."""
    with hinted("key", key_id, "key list"):
        as_operator(lambda operator: operator.revoke_key(key_id), index)
    say("revoked")


def _key_line(one: ApiKey) -> str:
    ends = f"  revoked {one.revoked:%Y-%m-%d}" if one.revoked else ""
    if one.expires and not one.revoked:
        ends = f"  until {one.expires:%Y-%m-%d}"
    used = f"  used {one.last_used:%Y-%m-%d}" if one.last_used else ""
    scopes = ",".join(one.scopes)
    start = one.prefix[:16] if one.prefix.startswith("oidc_") else f"pin_{one.prefix}"
    space = f"  space {one.space_id}" if one.space_id else ""
    return f"{one.id}  {one.user_id}  {start}  {scopes}  {one_line(one.name)}{space}{used}{ends}"
