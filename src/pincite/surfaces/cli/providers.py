"""`pincite embed`, `pincite doctor` and `pincite cache`: try models by name, and manage caches."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pincite.support.fields import replace
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say, say_notice, show
from pincite.surfaces.cli.run import NOTHING, OK, settings_here


@click.command()
@click.argument("texts", nargs=-1)
@click.option("--model", default="", help="PROVIDER:MODEL; default: the configured one.")
@click.option("--query", "as_query", is_flag=True, help="Embed as queries, not as documents.")
@click.option("--no-cache", is_flag=True, help="Request embeddings even if they are cached.")
@index_option
def embed(
    texts: tuple[str, ...], model: str, as_query: bool, no_cache: bool, index: Path | None
) -> None:
    """Embed TEXTS, or the lines of stdin, and print vectors as JSON."""
    import asyncio

    from pincite.diagnostics.doctor import embed_texts
    from pincite.surfaces.text.render import to_json

    settings = settings_here(index)
    if no_cache:
        settings = replace(settings, use=replace(settings.use, cache=None))
    given = texts or tuple(line.rstrip("\n") for line in sys.stdin)
    found = asyncio.run(embed_texts(settings, model, given, as_query, say_notice))
    show(to_json(found))


@click.command()
@click.option("--offline", is_flag=True, help="Check the configuration only; send no requests.")
@json_option
@index_option
def doctor(offline: bool, json_: bool, index: Path | None) -> int:
    """Test all configured models and the models of all collections.

    Prints advice for each failure. Exit code 3 if any model fails.
    """
    import asyncio

    from pincite.diagnostics.doctor import examine
    from pincite.surfaces.text.render import to_json

    findings = asyncio.run(examine(settings_here(index), ask=not offline))
    if json_:
        show(to_json(findings))
    else:
        for one in findings:
            show(f"{one.state:7} {one.kind:6} {one.name}: {one.detail}")
            if one.hint:
                show(f"               try: {one.hint}")
    return NOTHING if any(one.state == "failed" for one in findings) else OK


@click.group(cls=Group)
def cache() -> None:
    """Manage the local cache of embeddings from providers."""


@cache.command()
@json_option
@index_option
def status(json_: bool, index: Path | None) -> None:
    """Print the path and size of the cache, and its vectors per model."""
    from pincite.diagnostics.doctor import open_cache
    from pincite.surfaces.text.render import to_json

    vectors = open_cache(settings_here(index))
    if vectors is None:
        show("null" if json_ else "the cache is off: cache.limit_mb is 0")
        return
    found = vectors.status()
    vectors.close()
    if json_:
        show(to_json(found))
        return
    show(f"{found.path}: {found.bytes / 1e6:.1f} of {found.limit_bytes / 1e6:,.0f} MB")
    for model, count in found.models.items():
        show(f"  {model}: {count:,}")


@cache.command()
@index_option
def clear(index: Path | None) -> None:
    """Delete all cached vectors and rephrasings of questions."""
    from pincite.diagnostics.doctor import open_cache
    from pincite.providers.llm.wording_cache import wordings_beside

    settings = settings_here(index)
    vectors = open_cache(settings)
    count = 0
    if vectors is not None:
        count = vectors.clear()
        vectors.close()
    worded = wordings_beside(settings.use.cache).forget()
    say(f"{count:,} vectors were deleted{f', and {worded:,} wordings' if worded else ''}")
