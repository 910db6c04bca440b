"""`pincite models`: the weights that Pincite can fetch."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from msgspec import structs

from pincite.encoders.bundled import MODEL
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import json_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK

if TYPE_CHECKING:
    from pincite.settings.load import Settings

_name = click.argument("name", default=MODEL)


@click.group(cls=Group, invoke_without_command=True)
@click.option("--served", is_flag=True, help="Models for servers on this machine, with commands.")
@json_option
@click.pass_context
def models(context: click.Context, served: bool, json_: bool) -> None:
    """List, fetch, verify and remove models."""
    from pincite.providers.bundled.cache import list_models
    from pincite.providers.served_models import SERVED_MODELS
    from pincite.surfaces.text.render import to_json

    if context.invoked_subcommand is not None:
        return
    if served:
        _list_served(json_=json_)
        return
    found = list_models(_settings().models)
    if json_:
        values = [
            {**structs.asdict(s), "path": None if s.path is None else str(s.path)} for s in found
        ]
        show(to_json(values))
        return
    for status in found:
        size = f", {status.size / 1e6:.1f} MB, {status.source}" if status.size else ""
        default = " (default)" if status.name == MODEL else ""
        to_fetch = f"not downloaded; pincite models fetch {status.name}"
        state = to_fetch if status.state == "absent" else status.state
        show(f"{status.name}{default}: {state}{size} {status.problem}".rstrip())
    for one in SERVED_MODELS:
        what = f"for {one.purpose}, about {one.megabytes:,} MB, {one.licence}"
        show(f"{one.name}: for a server on this machine, {what}; `pincite models --served`")


@models.command()
@_name
def fetch(name: str) -> None:
    """Fetch and convert a model, once."""
    from pincite.providers.bundled.fetch import fetch as fetch_model
    from pincite.providers.bundled.origins import FetchOptions
    from pincite.surfaces.cli.progress import ProgressLine

    settings = _settings()
    options = FetchOptions(order=settings.origins, offline=settings.offline)
    line = ProgressLine(sys.stderr)
    try:
        path = fetch_model(name, settings.models, options=options, progress=line.fetching)
    finally:
        line.done()
    say(f"{name} is ready at {path}")


@models.command()
@_name
def verify(name: str) -> int:
    """Check a model's files against their hashes."""
    from pincite.providers.bundled.cache import verify as check

    status = check(name, _settings().models)
    show(f"{status.name}: {status.state} {status.problem}".rstrip())
    return OK if status.state == "ready" else NOTHING


@models.command()
@_name
def remove(name: str) -> None:
    """Remove a model from this machine."""
    from pincite.providers.bundled.cache import remove as delete

    say(f"{name}: {delete(name, _settings().models) / 1e6:.1f} MB freed")


def _list_served(*, json_: bool) -> None:
    """List the recommended models for servers on this machine, with commands. Nothing is
    fetched."""
    from pincite.providers.served_models import SERVED_MODELS
    from pincite.surfaces.text.render import to_json

    ports = {one.name: 8081 + place for place, one in enumerate(SERVED_MODELS)}
    if json_:
        rows = [
            asdict(one) | {"fetch": one.fetching, "serve": one.serving(ports[one.name])}
            for one in SERVED_MODELS
        ]
        show(to_json(rows))
        return
    for one in SERVED_MODELS:
        show(f"{one.name}: for {one.purpose}, about {one.megabytes:,} MB, {one.licence}")
        show(f"  fetch  {one.fetching}")
        show(f"  serve  {one.serving(ports[one.name])}")
        if one.ollama:
            show(f"  or     ollama pull {one.ollama}")


def _settings() -> Settings:
    from pincite.settings.load import load_settings

    return load_settings(os.environ, None)
