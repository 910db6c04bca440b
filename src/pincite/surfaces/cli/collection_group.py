"""`pincite collections`: list, drop, forget, rebuild."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pincite.ingestion.options import IndexOptions
from pincite.support.counted import counted
from pincite.support.terminal import one_line
from pincite.surfaces.cli.confirm import agreed
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.index import (
    index_sources,
    language_option,
    lexical_option,
    model_option,
    sparse_option,
)
from pincite.surfaces.cli.options import collection_option, index_option, json_option, wait_option
from pincite.surfaces.cli.output import say, say_notice, show
from pincite.surfaces.cli.run import ERROR, OK, run

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite
    from pincite.ports import CollectionInfo


@click.group(cls=Group, invoke_without_command=True)
@json_option
@index_option
@click.pass_context
def collections(context: click.Context, json_: bool, index: Path | None) -> None:
    """List, drop and rebuild collections."""
    if context.invoked_subcommand is None:
        _show_collections(json_, index)


@collections.command("list")
@json_option
@index_option
def list_(json_: bool, index: Path | None) -> None:
    """List collections; `pincite collections` alone does the same."""
    _show_collections(json_, index)


def _show_collections(json_: bool, index: Path | None) -> None:
    from pincite.collection.members import hidden
    from pincite.diagnostics.status import standing
    from pincite.surfaces.text.render import to_json

    infos = run(lambda engine: engine.collections(), index)
    if json_:
        show(to_json(infos))
        return
    unseen = hidden(infos)
    for info in infos:
        if info.foreign:
            state = (
                info.broken
                or f"{counted(info.chunks, 'point')}, {info.spec.model or info.spec.dense}"
            )
            show(f"{info.spec.name}: {state}; {info.foreign}, read-only")
            continue
        sources = ", ".join(one_line(record.source.name) for record in info.sources)
        show(
            f"{info.spec.name}: {counted(info.documents, info.noun)},"
            f" {counted(info.chunks, 'chunk')},"
            f" {info.bytes / 1e6:.1f} MB, {info.spec.model or info.spec.dense or 'lexical'}"
            f"{standing(info.spec, unseen)};"
            f" sources: {sources or 'none'}"
        )


@collections.command()
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@wait_option
@index_option
def drop(name: str, yes: bool, wait: float, index: Path | None) -> int:
    """Remove a collection and its contents after confirmation. Exit code 1 if you decline."""
    from pincite.ports import Waiting

    if not yes:
        infos = run(lambda engine: engine.collections(), index)
        lost = [info for info in infos if name in (info.spec.name, info.spec.public_name)]
        known = lost and not any(info.foreign for info in lost)
        if known and not _agreed_to_drop(name, lost):
            say(f"{name} was kept")
            return ERROR
    run(lambda engine: engine.drop(name, Waiting(wait, say_notice)), index)
    say(f"{name} was dropped")
    return OK


def _agreed_to_drop(name: str, lost: list[CollectionInfo]) -> bool:
    """Ask for confirmation. Raises UsageError if input is not interactive."""
    nouns = {info.noun for info in lost}
    noun = nouns.pop() if len(nouns) == 1 else "document"
    counts = (
        f"{counted(sum(info.documents for info in lost), noun)},"
        f" {counted(sum(info.chunks for info in lost), 'chunk')}"
    )
    return agreed(
        f"Drop {name} with {counts}?",
        unasked=f"{name} has {counts}, and confirmation needs a terminal",
        hint=f"pincite collections drop {name} --yes",
    )


@collections.command()
@click.argument("source")
@collection_option
@wait_option
@index_option
def forget(source: str, collection: str, wait: float, index: Path | None) -> None:
    """Remove a source with its documents."""
    from pincite.ports import Waiting

    async def work(engine: AsyncPincite) -> tuple[str, int]:
        named = collection or engine.settings.indexed_collection
        count = await engine.forget(named, source, Waiting(wait, say_notice))
        return named, count

    named, count = run(work, index)
    say(f"{source} was removed from {named}, with {counted(count, 'document')}")


@collections.command()
@click.argument("name")
@language_option
@lexical_option
@model_option
@sparse_option
@wait_option
@json_option
@index_option
def rebuild(name: str, wait: float, json_: bool, index: Path | None, **given: Any) -> int:
    """Index all sources of a collection from scratch.

    This repairs damage, updates old formats, and can change the model. A collection without vectors
    gets them, unless you add --lexical.
    """
    options = IndexOptions(collection=name, rebuild=True, wait_s=wait, **given)
    return index_sources((), options, json_, index)
