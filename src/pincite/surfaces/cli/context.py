"""`pincite context`: print evidence for a question as a block for a prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pincite.surfaces.cli.options import with_options
from pincite.surfaces.cli.search import asking, search_with

_BLOCK = (
    click.option(
        "--budget",
        type=int,
        default=6_000,
        show_default=True,
        help="Maximum number of tokens of the block.",
    ),
    click.option(
        "--order",
        type=click.Choice(["u", "rank"]),
        default="u",
        show_default=True,
        help="u: the best first, the second best last, the rest between; rank: best first.",
    ),
    click.option(
        "--tokenizer",
        type=click.Path(path_type=Path),
        help="The tokenizer.json of your model; default: a conservative estimate.",
    ),
    click.option(
        "--all",
        "show_all",
        is_flag=True,
        help="Show the nearest passages even if none is relevant.",
    ),
    click.option("--json", "json_", is_flag=True, help="Print the block and its contents as JSON."),
)


@click.command()
@with_options(*asking(), *_BLOCK)
def context(budget: int, order: str, tokenizer: Path | None, json_: bool, **asked: Any) -> int:
    """Print passages for the prompt of a language model: numbered, fenced and cited.

    Overlapping and adjacent passages of a file are merged, and repetitions are dropped.
    If the budget is too small, the weakest passages are omitted first.
    """
    if tokenizer is not None and not tokenizer.is_file():  # reading a pipe would block
        raise click.UsageError(f"--tokenizer: {tokenizer} is not a file; name a tokenizer.json")
    return search_with(
        **asked,
        optimise=True,
        form="context_json" if json_ else "context",
        max_tokens=budget,
        order=order,
        tokenizer=str(tokenizer.absolute()) if tokenizer else "",
    )
