"""`pincite presets` and `pincite config`: named configurations, and the effective settings."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.current_folder import current_folder
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option, preset_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK

if TYPE_CHECKING:
    from pincite.settings.load import Settings


@click.group(cls=Group)
def presets() -> None:
    """List, show and compare presets: models, store and search settings in one file."""


@presets.command("list")
@json_option
def list_(json_: bool) -> None:
    """List the presets with their purposes."""
    from pincite.presets import description, preset_names
    from pincite.surfaces.text.render import to_json

    found = {name: description(name) for name in preset_names()}
    if json_:
        show(to_json([{"name": name, "description": text} for name, text in found.items()]))
        return
    widest = max(map(len, found))
    for name, text in found.items():
        show(f"{name:{widest}}  {text}")


@presets.command("show")
@click.argument("name")
def show_preset(name: str) -> None:
    """Print a preset as a complete pincite.toml.

    pincite presets show evidence > pincite.toml
    """
    from pincite.settings.file.preset_file import preset_file

    show(preset_file(name).rstrip("\n"))


@presets.command()
@click.argument("name")
@click.argument("other", required=False)
@json_option
@index_option
def diff(name: str, other: str | None, json_: bool, index: Path | None) -> None:
    """Print the keys whose values differ between NAME and OTHER.

    Without OTHER, NAME is compared with the effective settings. Both may be names of presets or
    files such as ./team.toml.
    """
    from pincite.settings.file.layers import merged
    from pincite.settings.file.origins import HIDDEN, safe
    from pincite.settings.file.preset_file import differences, named_table
    from pincite.settings.file.toml_text import dotted, inline
    from pincite.surfaces.text.render import to_json

    one = named_table(name, current_folder())
    second = (
        merged(_settings(index).layers) if other is None else named_table(other, current_folder())
    )
    found = {
        dotted(path): (safe(path, mine), safe(path, theirs))
        for path, (mine, theirs) in differences(one, second).items()
    }
    there = "in force" if other is None else other
    if json_:
        show(to_json([{"name": key, "one": a, "other": b} for key, (a, b) in found.items()]))
        return
    for key, (a, b) in found.items():
        told = [value if value == HIDDEN else inline(value) for value in (a, b)]
        show(f"{key} = {told[0]}  # {there}: {told[1]}")
    if not found:
        say(f"{name} and {there if other else 'what is in force'} are the same")


@click.group(cls=Group)
def config() -> None:
    """Show the effective settings and where each one comes from."""


@config.command("show")
@click.argument("key", nargs=-1)
@click.option("--origin", is_flag=True, help="Also print the origin of each value.")
@preset_option
@json_option
@index_option
def show_config(
    key: tuple[str, ...], origin: bool, preset: str | None, json_: bool, index: Path | None
) -> None:
    """Print all effective settings, or those of a KEY such as fuse.method or fuse.

    Precedence: command option, variable, pincite.toml, the file that it extends, preset,
    default. Keys of services are never printed.
    """
    from pincite.settings.file.origins import HIDDEN, only, settings_in_force
    from pincite.settings.file.toml_text import inline
    from pincite.surfaces.text.render import to_json

    settings = _settings(index)
    every = settings_in_force(settings, os.environ, index_option=index is not None, preset=preset)
    chosen = only(every, key)
    if json_:
        show(to_json([asdict(one) for one in chosen]))
        return
    for one in chosen:
        if one.secret:
            show(f"{one.name} {f'set by {one.origin}' if one.value == 'set' else one.value}")
            continue
        value = one.value if one.value == HIDDEN else inline(one.value)
        show(f"{one.name} = {value}" + (f"  # {one.origin}" if origin else ""))


@config.command()
@index_option
def path(index: Path | None) -> int:
    """Print the path of the file in use, followed by the files that it extends."""
    settings = _settings(index)
    files = [layer.file for layer in settings.layers if layer.file]
    for file in files:
        show(str(file))
    if not files:
        say(f"no file is read; its place would be {settings.index.parent / 'pincite.toml'}")
    return OK if files else NOTHING


def _settings(index: Path | None) -> Settings:
    from pincite.settings.load import load_settings

    return load_settings(os.environ, None, index)
