"""What all commands share: exit codes, common options, how to run and how to speak."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pincite.errors import UsageError
from pincite.presets import preset_names, unknown_preset
from pincite.settings.defaults import DEFAULT_COLLECTION, WAIT_S
from pincite.settings.terminal import terminal_settings
from pincite.support.terminal import Painted, control, one_line, sequences, visible

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite
    from pincite.model import Notice
    from pincite.settings.load import Settings

T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., object])
OK, ERROR, USAGE, NOTHING, INTERRUPTED = 0, 1, 2, 3, 130


def known_preset(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    """The name of a preset. An unknown one is answered with those that may have been meant."""
    if name is not None and name not in preset_names():
        raise click.BadParameter(unknown_preset(name))
    return name


def _completed(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    return [name for name in preset_names() if name.startswith(begun)]


def completed(what: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Names that begin so, of `collections` or `sources`, as far as a daemon that runs tells them
    at once."""

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
    help="Below the values of pincite.toml, for the preset that it extends.",
)
index_option = click.option(
    "--index",
    type=click.Path(path_type=Path, file_okay=False),
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
    """A decorator that gives a command these options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def say(message: str) -> None:
    """One message for the person, on stderr."""
    sys.stderr.write(f"{visible(message)}\n")


def show(*parts: str | Painted) -> None:
    """A result for the person, on stdout, with a newline. What a terminal would obey is escaped
    into a pipe as well: what comes out of `| head` is on a terminal, too."""
    colour = sys.stdout.isatty() and terminal_settings().colour
    for part in parts:
        painted = part if isinstance(part, Painted) else Painted(part)
        control(sys.stdout, sequences(painted, colour=colour, links=False))
    sys.stdout.write("\n")


def hand_over(raw: bytes, text: str) -> None:
    """Data on stdout: exactly the bytes; on a terminal the text, with a newline."""
    if sys.stdout.isatty():
        show(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(raw)


def say_notice(notice: Notice) -> None:
    """A warning for the person."""
    say(f"warning: {notice.code}: {notice.message}")


def say_hidden(settings: Settings, preset: str | None) -> None:
    """A warning where a preset was chosen whose keys are all set by something stronger."""
    from pincite.surfaces.hidden import hidden_preset

    if hidden := hidden_preset(settings, preset):
        say(hidden)


def here() -> Path:
    """The current folder. Raises UsageError where it has been removed."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            f"the current folder cannot be found: {error.strerror}", hint="cd to another one"
        ) from error


def settings_here(index: Path | None) -> Settings:
    """The settings of the index folder, or of the nearest. A file that takes trust is asked about
    on a terminal. Raises UntrustedConfig where there is nobody to ask, or the answer is no."""
    from pincite.errors import UntrustedConfig
    from pincite.settings.opening import settings_for
    from pincite.settings.trust import remember_trust

    try:
        return settings_for(index)
    except UntrustedConfig as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        say(f"{one_line(error.config)} asks for what takes trust:")
        for key, value, why, *_ in error.claims:
            say(f"  {one_line(key)} = {one_line(value)}  ({why})")
        sys.stderr.write("Trust this file until it changes? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise
        remember_trust(Path(error.config), error.digest)
    return settings_for(index)


def run(
    work: Callable[[AsyncPincite], Coroutine[Any, Any, T]],
    index: Path | None,
    *,
    measured: bool = False,
) -> T:
    """Run `work` on the engine of the index folder, which does not change by itself while something
    is `measured`."""
    import asyncio

    from pincite.engine import AsyncPincite
    from pincite.surfaces.watching import watched

    settings = settings_here(index)
    given = settings.refresh
    settings = replace(settings, refresh=given.off() if measured else given.by_itself())

    async def session() -> T:
        async with AsyncPincite(settings) as engine:
            return await work(engine)

    with watched(settings, say):
        return asyncio.run(session())
