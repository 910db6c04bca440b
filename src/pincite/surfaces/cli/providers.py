"""`pincite embed`, `pincite doctor` and `pincite cache`: try models by name, and manage caches."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from pincite.errors import IndexTooNew, PinciteError, StoreError
from pincite.support.fields import replace
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.named_index import hint_for_named_index
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say, say_notice, show
from pincite.surfaces.cli.run import NOTHING, OK, settings_here

if TYPE_CHECKING:
    from pincite.providers.dense.vector_cache import VectorCache
    from pincite.providers.llm.note_cache import NoteCache
    from pincite.providers.llm.wording_cache import Wordings

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
                show(f"               try: {hint_for_named_index(one.hint)}")
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
    from pincite.surfaces.text.render import to_json

    caches = _caches(index)
    found = caches.vectors.status()
    caches.vectors.close()
    texts = {"wordings": caches.wordings.kept(), "image_notes": caches.notes.kept()}
    if caches.are_off and not (found.models or any(texts.values())):
        show("null" if json_ else _OFF)
        return
    if json_:
        show(to_json(asdict(found) | texts))
        return
    if caches.are_off:
        show(f"{_OFF}, but older content is there; `pincite cache clear` deletes it")
    show(f"{found.path}: {found.bytes / 1e6:.1f} of {found.limit_bytes / 1e6:,.0f} MB")
    for model, count in found.models.items():
        show(f"  {model}: {count:,}")
    if rephrased := texts["wordings"]:
        show(f"{caches.wordings.path}: {rephrased:,} {_WORDINGS}")
    if described := texts["image_notes"]:
        show(f"{caches.notes.path}: {described:,} {_NOTES}")


@cache.command()
@index_option
def clear(index: Path | None) -> None:
    """Delete all cached vectors, rephrasings of questions and descriptions of pictures.

    With cache.limit_mb = 0, this deletes what is there from before.
    """
    caches = _caches(index)
    erasing = {
        "vectors": caches.vectors.clear,
        _WORDINGS: caches.wordings.forget,
        _NOTES: caches.notes.forget,
    }
    counts: dict[str, int | None] = {}
    refused: PinciteError | None = None
    for what, erase in erasing.items():
        try:
            counts[what] = erase()
        except (StoreError, IndexTooNew) as error:  # the others are erased
            refused = refused or error
    caches.vectors.close()
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
    if refused is not None:
        raise refused


class _Caches(NamedTuple):
    vectors: VectorCache
    wordings: Wordings
    notes: NoteCache
    are_off: bool


def _caches(index: Path | None) -> _Caches:
    """Return the caches of the settings, even if they are off, because earlier files may exist."""
    from pincite.providers.dense.vector_cache import VectorCache
    from pincite.providers.llm.note_cache import notes_beside
    from pincite.providers.llm.wording_cache import wordings_beside

    use = settings_here(index).use
    if use.cache_place is None:
        raise AssertionError("settings that were loaded name a place")
    vectors = VectorCache(use.cache_place, use.cache_bytes)
    wordings, notes = wordings_beside(vectors.path), notes_beside(vectors.path)
    return _Caches(vectors, wordings, notes, are_off=use.cache is None)
