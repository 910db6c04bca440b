"""`pincite schema`: the JSON Schema of results."""

from __future__ import annotations

import click

from pincite.surfaces.cli.output import show


@click.command()
@click.argument("of", type=click.Choice(["pack", "answer"]), default="pack")
def schema(of: str) -> None:
    """Print the JSON Schema of an evidence pack, or of an answer."""
    from pincite.surfaces.text import render

    made = render.pack_schema() if of == "pack" else render.answer_schema()
    show(render.to_json(made))
