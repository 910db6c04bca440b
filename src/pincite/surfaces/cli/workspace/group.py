"""`pincite workspace`: manage users, their keys, jobs, and the storage of files and facts."""

from __future__ import annotations

import click

from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.workspace.database import adopt, migrate, status
from pincite.surfaces.cli.workspace.jobs import dead, failed, jobs, retry
from pincite.surfaces.cli.workspace.keys import key
from pincite.surfaces.cli.workspace.moves import facts, files
from pincite.surfaces.cli.workspace.spaces import space
from pincite.surfaces.cli.workspace.users import user


@click.group(cls=Group)
def workspace() -> None:
    """Manage workspace users, their keys, and the database."""
    from pincite.surfaces.tracing import quiet_drivers

    quiet_drivers()


for command in (migrate, adopt, status, user, space, key, failed, jobs, dead, retry, files, facts):
    workspace.add_command(command)
