"""`pincite embed`, `pincite doctor` and `pincite cache`: try models by name, and manage caches."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pincite.errors import StoreError
from pincite.support.fields import replace
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say, say_notice, show
from pincite.surfaces.cli.run import NOTHING, OK, settings_here

if TYPE_CHECKING:
    from pincite.providers.dense.vector_cache import VectorCache

_OFF: Final = "the cache is off: cache.limit_mb is 0"
_WORDINGS: Final = "rephrasings of questions"
_NOTES: Final = "descriptions of pictures"


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
    """Manage the local cache of what models returned: embeddings, rephrasings of questions and
    descriptions of pictures."""


@cache.command()
@json_option
@index_option
def status(json_: bool, index: Path | None) -> None:
    """Print the path and size of the cache, its vectors per model, and the number of its texts."""
    from pincite.providers.llm.note_cache import notes_beside
    from pincite.providers.llm.wording_cache import wordings_beside
    from pincite.surfaces.text.render import to_json

    vectors = _vectors(index)
    if vectors is None:
        show("null" if json_ else _OFF)
        return
    found = vectors.status()
    vectors.close()
    wordings, notes = wordings_beside(vectors.path), notes_beside(vectors.path)
    if json_:
        texts = {"wordings": wordings.kept(), "image_notes": notes.kept()}
        show(to_json(asdict(found) | texts))
        return
    show(f"{found.path}: {found.bytes / 1e6:.1f} of {found.limit_bytes / 1e6:,.0f} MB")
    for model, count in found.models.items():
        show(f"  {model}: {count:,}")
    if rephrased := wordings.kept():
        show(f"{wordings.path}: {rephrased:,} {_WORDINGS}")
    if described := notes.kept():
        show(f"{notes.path}: {described:,} {_NOTES}")


@cache.command()
@index_option
def clear(index: Path | None) -> None:
    """Delete all cached vectors, rephrasings of questions and descriptions of pictures."""
    from pincite.providers.llm.note_cache import notes_beside
    from pincite.providers.llm.wording_cache import wordings_beside

    vectors = _vectors(index)
    if vectors is None:
        say(f"{_OFF}; nothing was deleted")
        return
    wordings, notes = wordings_beside(vectors.path), notes_beside(vectors.path)
    counts = {"vectors": vectors.clear(), _WORDINGS: wordings.forget(), _NOTES: notes.forget()}
    vectors.close()
    deleted = [
        f"{count:,} {what}"
        for what, count in counts.items()
        if count or (what == "vectors" and count is not None)
    ]
    if deleted:
        say(f"deleted: {', '.join(deleted)}")
    if left := [what for what, count in counts.items() if count is None]:
        raise StoreError(
            f"not erased: {', '.join(left)}: the file is in use, or it cannot be written",
            hint="end what uses it, then run `pincite cache clear` again",
        )


def _vectors(index: Path | None) -> VectorCache | None:
    from pincite.diagnostics.doctor import open_cache

    return open_cache(settings_here(index))
