"""`pincite rerank`: sort texts by relevance."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pincite.surfaces.cli.options import index_option
from pincite.surfaces.cli.output import say_notice, show
from pincite.surfaces.cli.run import settings_here


@click.command()
@click.argument("query")
@click.argument("documents", nargs=-1)
@click.option("--model", default="", help="PROVIDER:MODEL; default: the configured one.")
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Maximum number of results.")
@click.option("--instruction", default="", help="What counts as relevant, in plain words.")
@click.option("--text", "as_text", is_flag=True, help="Print only the documents, best first.")
@index_option
def rerank(
    query: str,
    documents: tuple[str, ...],
    model: str,
    limit: int | None,
    instruction: str,
    as_text: bool,
    index: Path | None,
) -> None:
    """Sort DOCUMENTS by relevance to QUERY and print the order as JSON.

    Without DOCUMENTS, stdin is read: one document per line, or a JSON list of strings.
    """
    import asyncio

    from pincite.diagnostics.rerank import put_in_order, split_documents
    from pincite.surfaces.text.render import to_json

    found = asyncio.run(
        put_in_order(
            settings_here(index),
            model,
            query,
            documents or split_documents(sys.stdin.buffer.read().decode("utf-8", "replace")),
            limit=limit,
            instruction=instruction,
            on_notice=say_notice,
        )
    )
    if as_text:
        for one in found.results:
            show(one.document)
    else:
        show(to_json(found))
