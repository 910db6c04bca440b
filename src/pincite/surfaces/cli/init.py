"""`pincite init` and `pincite trust`: create a configuration file, and trust an existing one."""

from __future__ import annotations

from pathlib import Path

import click

from pincite.errors import ConfigError, UsageError
from pincite.presets import preset_names
from pincite.support.current_folder import current_folder
from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import json_option, known_preset
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--preset",
    metavar=f"[{'|'.join(preset_names())}]",
    callback=known_preset,
    help="The preset that the file begins with, such as local.",
)
@click.option("--user", is_flag=True, help="Use your user folders, for texts outside of projects.")
def init(folder: Path | None, preset: str | None, user: bool) -> None:
    """Write a commented pincite.toml into FOLDER, by default the current one.

    An existing file is never overwritten. With --user, the file is in your configuration folder
    (XDG_CONFIG_HOME) and its index in XDG_DATA_HOME. That index is used if there is none in the
    current folder or above.
    """
    from pincite.settings.file.template import config_text, write_config
    from pincite.settings.load import user_config, user_index

    if user and folder is not None:
        raise UsageError("--user takes no folder", hint="pincite init --user")
    at = user_config().parent if user else current_folder() / (folder or Path())
    place = write_config(at, config_text(preset or "", project=not user))
    show(str(place))
    if user:
        say(f"add sources to it, then: pincite index  (into {one_line(str(user_index()))})")
    else:
        say("review it, then: pincite index")


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--revoke", is_flag=True, help="Remove the trust.")
@click.option("--list", "list_", is_flag=True, help="List trusted files.")
@json_option
def trust(path: Path | None, revoke: bool, list_: bool, json_: bool) -> int:
    """Trust a pincite.toml, the files that it extends and its prompts, until one changes.

    PATH is the file or its folder, by default the current one. Only files with models, servers,
    paths outside of their folder or descriptions need trust. The command prints these settings;
    read the file first. Exit code 3 if nothing needs trust. An index folder of others, `.pincite`,
    is trusted in the same way, and so is a `.pinciteignore` that includes files that git ignores.
    """
    from pincite.catalog.file import holds_index
    from pincite.settings.file.layers import CONFIG_FILE, read_layers
    from pincite.settings.file.trust import claims_of, digest_of
    from pincite.sources.ignore_files import OWN_IGNORE_FILE
    from pincite.support.trusted_files import remember_trust, trusted_files
    from pincite.surfaces.text.render import to_json

    if list_:
        if path is not None or revoke:
            raise UsageError("--list takes no other arguments", hint="pincite trust --list")
        files = trusted_files()
        for line in [to_json(files)] if json_ else map(one_line, files):
            show(line)
        if not files:
            say("no file is trusted")
        return OK if files else NOTHING
    place = current_folder() / (path or Path()).expanduser()
    if place.is_dir() and holds_index(place):
        return _trust_index(place, json_=json_, revoke=revoke)
    place = place / CONFIG_FILE if place.is_dir() else place
    if revoke:
        known = str(place.parent.resolve() / place.name) in trusted_files()
        if known:
            remember_trust(place, "")
        say(f"{one_line(str(place))} {'is no longer trusted' if known else 'was not trusted'}")
        return OK if known else NOTHING
    if place.name == OWN_IGNORE_FILE:
        return _trust_ignore_file(place, json_=json_)
    if place.name != CONFIG_FILE:
        raise ConfigError(
            f"{place} is not named {CONFIG_FILE}, so Pincite does not find it by itself",
            hint=f"PINCITE_CONFIG={one_line(str(place))} selects it",
        )
    layers = read_layers(place)
    claims = claims_of(layers)
    if json_:
        show(to_json([one._asdict() for one in claims]))
    else:
        for one in claims:
            show(f"{one_line(one.key)} = {one_line(one.value)}  # {one.why}")
    if not claims:
        say(f"{one_line(str(place))} has no settings that need trust")
        return NOTHING
    remember_trust(place, digest_of(layers, claims))
    say(f"{one_line(str(place))} is trusted until it changes")
    return OK


def _trust_ignore_file(place: Path, *, json_: bool) -> int:
    """Trust the lines of a `.pinciteignore` that include files, print them, and return the exit
    code."""
    from pincite.sources.ignore_files import including, lines_of, read_ignore_file
    from pincite.support.trusted_files import digest_of_text, remember_trust
    from pincite.surfaces.text.render import to_json

    raw = read_ignore_file(str(place.parent), place.name)
    if raw is None:
        raise ConfigError(
            f"{place} is not an ignore file that Pincite can read", hint="check the path"
        )
    lines = including(lines_of(raw))
    for line in [to_json(lines)] if json_ else map(one_line, lines):
        show(line)
    if not lines:
        say(f"{one_line(str(place))} includes no files, so it needs no trust")
        return NOTHING
    remember_trust(place, digest_of_text(raw))
    say(f"{one_line(str(place))} is trusted until it changes; then: pincite index")
    return OK


def _trust_index(root: Path, *, json_: bool, revoke: bool) -> int:
    """Trust the index of somebody else, and return the exit code. The index gets an id of this
    user."""
    from pincite.index.folder import require_own
    from pincite.index.trust import accept_index, claims_of_index
    from pincite.surfaces.text.render import to_json

    if revoke:
        raise UsageError(
            "--revoke takes a pincite.toml", hint="to use the index no longer: remove it"
        )
    require_own(root)
    claims = claims_of_index(root)
    for line in [to_json(claims)] if json_ else map(one_line, claims):
        show(line)
    if not claims:
        say(f"{one_line(str(root))} has nothing that needs trust")
        return NOTHING
    if not accept_index(root, claims):
        raise ConfigError(
            "your state folder cannot be written, so nothing was trusted",
            hint=f"--index {one_line(str(root))} or PINCITE_TRUST=1 selects it for one command",
        )
    say(f"{one_line(str(root))} is trusted")
    return OK
