"""Shared by all commands: exit codes, common options, running the engine, and output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

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
    """Return the name of a preset. The error for an unknown one suggests similar names."""
    if name is not None and name not in preset_names():
        raise click.BadParameter(unknown_preset(name))
    return name


def _completed(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    return [name for name in preset_names() if name.startswith(begun)]


def completed(what: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return names of `collections` or `sources` with this prefix, if a running daemon returns them
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
    help="Replace the preset of pincite.toml; other values of the file still apply.",
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
    """Return a decorator that adds these options to a command, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def say(message: str) -> None:
    """Print one message on stderr."""
    sys.stderr.write(f"{visible(message)}\n")


def show(*parts: str | Painted) -> None:
    """Print a result on stdout, with a newline. Control characters are escaped even into a pipe, as
    the output of `| head` is shown on a terminal, too."""
    colour = sys.stdout.isatty() and terminal_settings().colour
    with reader_may_leave():
        for part in parts:
            painted = part if isinstance(part, Painted) else Painted(part)
            control(sys.stdout, sequences(painted, colour=colour, links=False))
        sys.stdout.write("\n")


def show_now(text: str) -> None:
    """Print a line at once, for commands that go on until they are interrupted. Raises
    BrokenPipeError if nobody reads it any more."""
    sys.stdout.write(f"{visible(text)}\n")
    sys.stdout.flush()


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Discard output from now on if the reader of stdout has gone. The command goes on to its end
    and its exit code: `pincite eval gate ... | head -1` fails if the gate does."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def hand_over(raw: bytes, text: str) -> None:
    """Write data to stdout: the exact bytes, or on a terminal the text with a newline."""
    if sys.stdout.isatty():
        show(text)
        return
    with reader_may_leave():
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)


def say_notice(notice: Notice) -> None:
    """Print a warning."""
    say(f"warning: {notice.code}: {notice.message}")


def say_hidden(settings: Settings, preset: str | None) -> None:
    """Print a warning if settings of higher priority override all keys of the chosen preset."""
    from pincite.surfaces.preset_warning import hidden_preset

    if hidden := hidden_preset(settings, preset):
        say(hidden)


def settings_here(index: Path | None) -> Settings:
    """Return the settings of the index folder, or of the nearest one. If a file needs trust, ask on
    a terminal. Raises UntrustedConfig if input is not interactive or the answer is no."""
    from pincite.errors import UntrustedConfig
    from pincite.settings.file.trust import remember_trust
    from pincite.settings.of_index import settings_for
    from pincite.surfaces.cli.confirm import confirmed

    try:
        return settings_for(index)
    except UntrustedConfig as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        say(f"{one_line(error.config)} has settings that need your trust:")
        for key, value, why, *_ in error.claims:
            say(f"  {one_line(key)} = {one_line(value)}  ({why})")
        if not confirmed("Trust this file until it changes?"):
            raise
        remember_trust(Path(error.config), error.digest)
    return settings_for(index)


def run(
    work: Callable[[AsyncPincite], Coroutine[Any, Any, T]],
    index: Path | None,
    *,
    measured: bool = False,
    settings: Settings | None = None,
) -> T:
    """Run `work` on the engine of the index folder. While something is `measured`, the index does
    not update itself. Without `settings`, those of the folder apply, and a question about trust may
    be asked."""
    import asyncio

    from pincite.engine import AsyncPincite
    from pincite.support.fields import replace
    from pincite.surfaces.tracing import watched

    settings = settings or settings_here(index)
    given = settings.refresh
    settings = replace(settings, refresh=given.off() if measured else given.by_itself())

    async def session() -> T:
        async with AsyncPincite(settings) as engine:
            return await work(engine)

    with watched(settings, say):
        return asyncio.run(session())
