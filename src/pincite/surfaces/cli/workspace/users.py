"""`pincite workspace user`: users, and tokens of an issuer."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.terminal import one_line
from pincite.surfaces.cli.confirm import agreed
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.run import NOTHING, OK, settings_here
from pincite.surfaces.cli.workspace.common import as_operator, hinted, tell, with_database

if TYPE_CHECKING:
    from pincite.workspace.access.issuer_keys import IssuerKeys
    from pincite.workspace.access.tokens import Identity
    from pincite.workspace.model import User
    from pincite.workspace.ports import Administration
    from pincite.workspace.removal import Belongings

_MOST_TOKEN_BYTES = 65_536


@click.group(cls=Group)
def user() -> None:
    """Manage users; each one has a personal space."""


@user.command("add")
@click.argument("name")
@click.option("--email", default="", help="Email address, for display only.")
@json_option
@index_option
def add_user(name: str, email: str, json_: bool, index: Path | None) -> None:
    """Add a user, and print their id."""
    made = as_operator(lambda operator: operator.add_user(name, email), index)
    tell(made, json_, [made.id])


@user.command("list")
@json_option
@index_option
def list_users(json_: bool, index: Path | None) -> None:
    """List all users by name."""
    found = as_operator(lambda operator: operator.users(), index)
    tell(found, json_, [_user_line(one) for one in found])


@user.command("disable")
@click.argument("user_id", metavar="USER")
@index_option
def disable_user(user_id: str, index: Path | None) -> None:
    """Refuse all keys and tokens of USER from now on. Nothing is deleted."""

    async def disable(operator: Administration) -> tuple[str, ...]:
        await operator.disable_user(user_id)
        return await operator.orphaned(user_id)

    with hinted("user", user_id, "user list"):
        left = as_operator(disable, index)
    say("disabled; to undo it: `pincite workspace user enable`")
    for space_id in left:
        give = f"pincite workspace space give {space_id} --to USER"
        say(f"the space {space_id} has no enabled owner now: {give}")


@user.command("enable")
@click.argument("user_id", metavar="USER")
@index_option
def enable_user(user_id: str, index: Path | None) -> None:
    """Accept keys and tokens of a disabled USER again."""
    with hinted("user", user_id, "user list"):
        as_operator(lambda operator: operator.enable_user(user_id), index)
    say("enabled")


@user.command("remove")
@click.argument("user_id", metavar="USER")
@click.option(
    "--give-to", "heir", metavar="USER", help="New owner of spaces that would have no owner."
)
@click.option("--yes", is_flag=True, help="Ask no question.")
@json_option
@index_option
def remove_user(user_id: str, heir: str | None, yes: bool, json_: bool, index: Path | None) -> int:
    """Remove USER with keys, conversations, facts and the documents that nobody else can read.

    Documents that USER uploaded to spaces of others stay there. A worker removes deleted texts
    from the index. A token of the issuer does not make the user again. If the command was
    interrupted, run it again. Exit code 3 if you answer no.
    """
    from pincite.surfaces.cli.eval.common import progress_line
    from pincite.workspace import removal
    from pincite.workspace.forgetting import forget_outside

    with hinted("user", user_id, "user list"):
        had = with_database(lambda opened: removal.belongings(opened, user_id), index)
        said = _losses(had, heir)
        if not yes and not agreed(
            f"{said} Remove the user?",
            unasked=f"the terminal is not interactive. {said}",
            hint="--yes",
        ):
            return NOTHING
        forget = partial(forget_outside, settings_here(index))
        with progress_line("deleting documents") as told:
            done = with_database(
                lambda opened: removal.remove_user(opened, user_id, heir, forget, told), index
            )
    tell(done, json_, [])
    if not json_:
        say(f"removed {one_line(done.user.name)}; workers remove the texts from the index")
    return OK


def _losses(had: Belongings, heir: str | None) -> str:
    """Return what is deleted with a user and what others get, as a text."""
    told = [f"{one_line(had.user.name)} has a personal space"]
    told += [
        f"the space {one.id} ({one_line(one.name)}) without other members" for one in had.alone
    ]
    given = ", ".join(f"{one.id} ({one_line(one.name)})" for one in had.orphaned)
    lost = f"{', '.join(told)}: all documents in there are deleted."
    return f"{lost} {heir} becomes owner of {given}." if given and heir else lost


def _user_line(one: User) -> str:
    disabled = f"  disabled {one.disabled:%Y-%m-%d}" if one.disabled else ""
    return f"{one.id}  {one_line(one.name)}  {one.email}{disabled}"


@user.command("link")
@click.argument("user_id", metavar="USER")
@click.option("--subject", required=True, help="The subject of the user in the issuer's tokens.")
@json_option
@index_option
def link_subject(user_id: str, subject: str, json_: bool, index: Path | None) -> None:
    """Let USER sign in with tokens of the issuer in [workspace.oidc]."""
    from pincite.workspace.access.tokens import link_user

    issuer = _issuer(index).settings.issuer
    with hinted("user", user_id, "user list"):
        made = as_operator(lambda operator: link_user(operator, user_id, issuer, subject), index)
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


def _issuer(index: Path | None) -> IssuerKeys:
    from pincite.errors import ConfigError
    from pincite.workspace.access.issuer_keys import issuer_of

    if (issuer := issuer_of(settings_here(index).workspace.oidc)) is None:
        raise ConfigError(
            "no token issuer is configured", hint='[workspace.oidc] issuer = "https://..."'
        )
    return issuer
