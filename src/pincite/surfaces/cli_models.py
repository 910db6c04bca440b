"""`pincite models`: the weights that Pincite can fetch."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pincite.encoders import MODEL

NameArgument = Annotated[str, typer.Argument(help="A model's name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

models = typer.Typer(
    name="models",
    help="List, fetch, verify and remove models.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    app.add_typer(models)


@models.callback()
def list_all(context: typer.Context, json_: JsonOption = False) -> None:
    """List the models that are known, and which are here."""
    from pincite.providers.dense.cache import list_models
    from pincite.surfaces.render import to_json

    if context.invoked_subcommand is not None:
        return
    found = list_models(_root())
    if json_:
        typer.echo(to_json([_plain(status) for status in found]))
        return
    for status in found:
        size = f", {status.size / 1e6:.1f} MB from {status.source}" if status.size else ""
        typer.echo(f"{status.name}: {status.state}{size} {status.problem}".rstrip())


@models.command()
def fetch(name: NameArgument = MODEL) -> None:
    """Fetch and convert a model, once."""
    from pincite.providers.dense import weights
    from pincite.settings import load_settings
    from pincite.surfaces.cli import say
    from pincite.surfaces.progress import ProgressLine

    settings = load_settings(os.environ, Path.cwd())
    options = weights.FetchOptions(order=settings.origins, offline=settings.offline)
    line = ProgressLine(sys.stderr)
    try:
        path = weights.fetch(name, settings.models, options=options, progress=line.fetching)
    finally:
        line.done()
    say(f"{name} is ready at {path}")


@models.command()
def verify(name: NameArgument = MODEL) -> int:
    """Check a model's files against their hashes."""
    from pincite.providers.dense.cache import verify as check

    status = check(name, _root())
    typer.echo(f"{status.name}: {status.state} {status.problem}".rstrip())
    return 0 if status.state == "ready" else 3


@models.command()
def remove(name: NameArgument = MODEL) -> None:
    """Remove a model from this machine."""
    from pincite.providers.dense.cache import remove as delete
    from pincite.surfaces.cli import say

    say(f"{name}: {delete(name, _root()) / 1e6:.1f} MB freed")


def _root() -> Path:
    from pincite.settings import load_settings

    return load_settings(os.environ, Path.cwd()).models


def _plain(status: object) -> dict[str, object]:
    from dataclasses import asdict

    values: dict[str, object] = asdict(status)  # type: ignore[call-overload]
    path = values.get("path")
    return values | {"path": None if path is None else str(path)}
