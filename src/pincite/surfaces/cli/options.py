"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from pincite.presets import preset_names, unknown_preset
from pincite.settings.defaults import DEFAULT_COLLECTION, WAIT_S
from pincite.support.terminal import one_line
from pincite.surfaces.cli.named_index import remember_index

Command = TypeVar("Command", bound=Callable[..., object])


def known_preset(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    """Return the name of a preset. The error for an unknown one suggests similar names."""
    if name is not None and name not in preset_names():
        raise click.BadParameter(unknown_preset(name))
    return name


def _completed(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    return [name for name in preset_names() if name.startswith(begun)]


def completed(what: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a completion function for the names of `collections` or `sources`. It gets the names
    from a running daemon; without one, there are none."""

    def names(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
        from pincite.surfaces.cli.quick import names_of

        try:
            known = names_of(what, context.params.get("index"))
        except OSError:
            return []
        return [one_line(name) for name in known if name.startswith(begun)]

    return names


preset_option = click.option(
    "--preset",
    metavar=f"[{'|'.join(preset_names())}]",
    callback=known_preset,
    shell_complete=_completed,
    help="Replace the preset of pincite.toml; other values of the file still apply.",
)
index_option = click.option(
    "--index",
    type=click.Path(path_type=Path, file_okay=False),
    callback=remember_index,
    help="The index folder; default: the nearest .pincite.",
)
json_option = click.option("--json", "json_", is_flag=True, help="Print JSON.")
tag_option = click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only documents with this attribute; repeat a name for alternatives.",
)
collections_option = click.option(
    "-c",
    "--collection",
    "collections",
    multiple=True,
    shell_complete=completed("collections"),
    help="Only these collections.",
)
collection_option = click.option(
    "-c",
    "--collection",
    default="",
    help=f"The collection; default: $QDRANT_COLLECTION, else {DEFAULT_COLLECTION}.",
)
wait_option = click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=WAIT_S,
    metavar="SECONDS",
    show_default=True,
    help="Seconds to wait for another writer of the collection; 0: do not wait.",
)


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds these options to a command, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
