"""`pincite mcp install` and `uninstall`: add the server to a client's configuration, or remove
it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.errors import ConfigError, UsageError
from pincite.support.current_folder import current_folder
from pincite.surfaces.cli.options import index_option, preset_option, with_options
from pincite.surfaces.cli.output import say, show

if TYPE_CHECKING:
    from pincite.surfaces.clients.install import Change
    from pincite.surfaces.clients.known import Client, Places, Where

_CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "zed")
_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_COMMON = (
    click.argument("client", type=click.Choice(_CLIENTS), metavar=f"[{'|'.join(_CLIENTS)}]"),
    click.option(
        "--scope",
        "where",
        type=click.Choice(["user", "project"]),
        default="user",
        show_default=True,
        help="Your user configuration, or that of the current project.",
    ),
    click.option("--name", default="pincite", show_default=True, help="The name of the server."),
    click.option("--rules", is_flag=True, help="Also add rules on when to search."),
    click.option("--dry-run", is_flag=True, help="Show the changes without writing them."),
    click.option(
        "--force", is_flag=True, help="Write even if the client is missing or the name is taken."
    ),
)


@click.command()
@with_options(*_COMMON)
@click.option("--uvx", is_flag=True, help="Start it with `uvx`, which fetches Pincite.")
@preset_option
@click.option(
    "--tag", "tags", multiple=True, metavar="NAME=VALUE", help="Add this tag to every call."
)
@index_option
def install(
    client: str,
    where: Where,
    name: str,
    rules: bool,
    dry_run: bool,
    force: bool,
    uvx: bool,
    preset: str | None,
    tags: tuple[str, ...],
    index: Path | None,
) -> None:
    """Add the server to the configuration of an agent's client.

    The rest of the file stays unchanged, and a backup is stored next to it. `pincite mcp uninstall`
    removes the server. Clients that start servers in your project find its index there. Others, and
    projects whose index is in another folder, are configured with the index of the current folder
    or of --index.
    """
    from pincite.asking import bound_tags, tags_of_texts
    from pincite.surfaces.clients.install import install as install_server
    from pincite.surfaces.clients.install import install_rules
    from pincite.surfaces.clients.known import CLIENTS

    chosen, places = CLIENTS[client], _places()
    _require_name(name)
    bound_tags(tags_of_texts(tags))
    place, note = _index_for(chosen, where, index, places.project)
    command = [*_program(uvx=uvx), "mcp"]
    command += ["--index", place] if place else []
    command += ["--preset", preset] if preset else []
    command += [part for tag in tags for part in ("--tag", tag)]
    for part in command:
        _require_text(part)
    changes = [install_server(chosen, places, where, name, command, force=force)]
    added = install_rules(chosen, places, where, force=force) if rules else None
    changes += [added] if added else []
    _carry_out(changes, dry_run=dry_run)
    if rules and added is None:
        _show_rules(chosen, where)
    if note:
        say(note)
    if not dry_run and changes[0].is_one:
        own = "your current folder" if where == "user" else str(places.project)
        say(f"{chosen.title} serves {place or f'the index of {own}'}: {chosen.restart}")


@click.command()
@with_options(*_COMMON)
def uninstall(
    client: str, where: Where, name: str, rules: bool, dry_run: bool, force: bool
) -> None:
    """Remove the server and its rules from the configuration of an agent's client.

    The file is restored byte for byte. If something else in it has changed since, only the server
    is removed. With --rules, only the rules are removed.
    """
    from pincite.surfaces.clients.install import uninstall as uninstall_server
    from pincite.surfaces.clients.install import uninstall_rules
    from pincite.surfaces.clients.known import CLIENTS

    chosen, places = CLIENTS[client], _places()
    _require_name(name)
    changes = []
    if not rules:
        changes.append(uninstall_server(chosen, places, where, name, force=force))
    if removed := uninstall_rules(chosen, places, where, force=force):
        changes.append(removed)
    _carry_out(changes, dry_run=dry_run)
    if not changes:
        say("there are no rules by Pincite")


def _carry_out(changes: list[Change], *, dry_run: bool) -> None:
    from pincite.surfaces.clients.install import apply

    for change in changes:
        path = change.file.path
        if not change.is_one:
            say(f"{path}: no change")
        elif dry_run:
            show(change.diff.removesuffix("\n"))
        else:
            apply(change)
            done = "removed" if change.after is None else "restored" if change.restores else "wrote"
            kept = f" (backup: {change.file.backup})" if change.keeps else ""
            say(f"{done} {path}{kept}")


def _show_rules(client: Client, where: Where) -> None:
    from pincite.surfaces.clients.rules import RULES

    say(f"{client.title} has no rules file for the {where}; paste this instead:")
    show(RULES.removesuffix("\n"))


def _places() -> Places:
    from pincite.sources.git import find_checkout
    from pincite.surfaces.clients.known import Places

    folder = current_folder().resolve()
    checkout = find_checkout(folder)
    try:
        home = Path.home()
    except RuntimeError as error:
        raise ConfigError("the home folder is unknown", hint="set HOME") from error
    return Places(home, checkout.top if checkout else folder, os.environ)


def _program(*, uvx: bool) -> list[str]:
    """Return the absolute path of the running command, or the uvx command that starts it."""
    import shutil
    from importlib.util import find_spec

    if uvx:
        return ["uvx", "--from", "pincite[mcp]", "pincite"]
    beside = Path(sys.executable).with_name("pincite")
    found = str(beside) if beside.is_file() else shutil.which("pincite")
    if found is None:
        raise ConfigError("the command `pincite` cannot be found", hint="--uvx, or pip install")
    if find_spec("mcp") is None:
        raise ConfigError(
            "the MCP server needs a library that is not installed",
            hint="pip install 'pincite[mcp]', or --uvx",
        )
    path = Path(found).absolute()
    if "archive-v0" in path.parts:  # in the cache of uvx, which may be cleaned
        return _program(uvx=True)
    return [str(path)]


def _index_for(client: Client, where: Where, index: Path | None, project: Path) -> tuple[str, str]:
    """Return the index to pass to the server, "" if the server finds it by itself, and a message
    for the user, or "". Raises UsageError if the index does not exist."""
    from pincite.catalog.file import holds_index
    from pincite.settings.load import load_settings

    if index is None and where == "user" and client.finds_index:
        return "", ""
    place = load_settings(os.environ, None, index).index.absolute()
    if not holds_index(place):
        raise UsageError(
            f"no index exists at {place}",
            hint="pincite index PATH, or --index FOLDER of the index to serve",
        )
    if where == "user":
        return str(place), ""
    place = place.parent.resolve() / place.name
    found = load_settings(os.environ, project).index  # by a server that the client starts there
    if index is None and found.parent.resolve() / found.name == place:
        return "", ""
    if not place.is_relative_to(project):
        return str(place), f"{place} is outside of {project}: this entry is for this machine only"
    below = place.relative_to(project).as_posix()
    if client.project:
        return f"{client.project}/{below}", ""
    return below, f"{client.title} finds {below} if you start it in {project}"


def _require_name(name: str) -> None:
    if not name or len(name) > 64 or set(name) - set(_NAMES):
        raise UsageError(f"--name {name!r}: use up to 64 letters, digits, - and _")


def _require_text(part: str) -> None:
    try:
        part.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{part!r} is not valid Unicode and cannot be written to a file"
        ) from error
