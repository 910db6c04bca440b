"""`pincite workspace space`: spaces whose owners are disabled."""

from __future__ import annotations

from pathlib import Path

import click

from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.workspace.common import as_operator, hinted


@click.group(cls=Group)
def space() -> None:
    """Manage spaces whose owners are all disabled."""


@space.command("give")
@click.argument("space_id", metavar="SPACE")
@click.option("--to", "user_id", required=True, metavar="USER", help="The new owner.")
@index_option
def give_space(space_id: str, user_id: str, index: Path | None) -> None:
    """Make USER an owner of SPACE, if all of its owners are disabled.

    Members and former owners stay. Personal spaces cannot be given. The commands `workspace user
    disable` and `user remove` print the ids of such spaces.
    """
    with hinted("user", user_id, "user list"):
        as_operator(lambda operator: operator.give_space(space_id, user_id), index)
    say(f"{user_id} is an owner of {space_id} now")
