"""`pincite init` and `pincite trust`: a configuration to begin with, and whose may be used."""

from __future__ import annotations

from pathlib import Path

import click

from pincite.errors import ConfigError, UsageError
from pincite.presets import preset_names
from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import (
    NOTHING,
    OK,
    here,
    json_option,
    known_preset,
    say,
    show,
)


@click.command()
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option(
    "--preset",
    metavar=f"[{'|'.join(preset_names())}]",
    callback=known_preset,
    help="The preset that the file begins with, such as local.",
)
@click.option("--user", is_flag=True, help="For what belongs to no project: in the user's folders.")
def init(folder: Path | None, preset: str | None, user: bool) -> None:
    """Write a pincite.toml with comments into FOLDER, by default this one. Never overwrites.

    With --user it is written into the user's configuration folder (XDG_CONFIG_HOME); its index lies
    in XDG_DATA_HOME, and counts wherever no index is found here or above.
    """
    from pincite.settings.beginning import config_text, write_config
    from pincite.settings.load import user_config, user_index

    if user and folder is not None:
        raise UsageError("--user has a folder of its own", hint="pincite init --user")
    at = user_config().parent if user else here() / (folder or Path())
    place = write_config(at, config_text(preset or "", project=not user))
    show(str(place))
    if user:
        say(f"name sources in it, then: pincite index  (into {one_line(str(user_index()))})")
    else:
        say("look at it, then: pincite index")


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--revoke", is_flag=True, help="Trust it no more.")
@click.option("--list", "list_", is_flag=True, help="Name the files that are trusted.")
@json_option
def trust(path: Path | None, revoke: bool, list_: bool, json_: bool) -> int:
    """Trust a pincite.toml, with the files that it extends, until one of them changes.

    PATH is the file or its folder, by default this one. Only a file that names models, servers,
    paths outside of its folder or descriptions takes trust; each of these is printed. Read it
    first. Ends with 3 where there is nothing to trust.
    """
    from pincite.settings.layers import CONFIG_FILE, read_layers
    from pincite.settings.trust import claims_of, digest_of, remember_trust, trusted_files
    from pincite.surfaces.render import to_json

    if list_:
        if path is not None or revoke:
            raise UsageError("--list stands alone", hint="pincite trust --list")
        files = trusted_files()
        for line in [to_json(files)] if json_ else map(one_line, files):
            show(line)
        return OK if files else NOTHING
    place = here() / (path or Path()).expanduser()
    place = place / CONFIG_FILE if place.is_dir() else place
    if revoke:
        known = str(place.parent.resolve() / place.name) in trusted_files()
        if known:
            remember_trust(place, "")
        say(f"{one_line(str(place))} {'is not trusted any more' if known else 'was not trusted'}")
        return OK if known else NOTHING
    if place.name != CONFIG_FILE:
        raise ConfigError(
            f"{place} is not called {CONFIG_FILE}, so that it is never found by itself",
            hint=f"PINCITE_CONFIG={one_line(str(place))} names it",
        )
    layers = read_layers(place)
    claims = claims_of(layers)
    if json_:
        show(to_json([one._asdict() for one in claims]))
    else:
        for one in claims:
            show(f"{one_line(one.key)} = {one_line(one.value)}  # {one.why}")
    if not claims:
        say(f"{one_line(str(place))} asks for nothing that takes trust")
        return NOTHING
    remember_trust(place, digest_of(layers, claims))
    say(f"{one_line(str(place))} is trusted until it changes")
    return OK
