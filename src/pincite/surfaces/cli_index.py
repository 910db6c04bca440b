"""`pincite index` and `pincite collections`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite
    from pincite.ingest import IngestReport
    from pincite.options import IndexOptions

IndexOption = Annotated[
    Path | None,
    typer.Option("--index", help="The index folder; default: the nearest .pincite."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

collections = typer.Typer(
    name="collections",
    help="List, drop and rebuild collections.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    app.command()(index)
    app.add_typer(collections)


def index(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders, checkouts, files, archives, wheels; none: all known."),
    ] = None,
    collection: Annotated[str, typer.Option("--collection", "-c")] = "main",
    name: Annotated[str | None, typer.Option(help="What citations call the source.")] = None,
    ref: Annotated[str | None, typer.Option(help="Its revision, where none is recorded.")] = None,
    url_rule: Annotated[
        str | None, typer.Option(help=r"REGEX=>URL, e.g. 'docs/(.*)\.md=>https://x.org/\1/'.")
    ] = None,
    include: Annotated[list[str] | None, typer.Option(help="Only files like this.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No files like this.")] = None,
    language: Annotated[str, typer.Option(help="Stemming: english, german, ... or auto.")] = "auto",
    lexical: Annotated[bool, typer.Option("--lexical", help="Without the dense model.")] = False,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Add the dense model to a lexical collection.")
    ] = False,
    json_: JsonOption = False,
    index: IndexOption = None,
) -> None:
    """Index sources, or bring the index up to date with all that it knows."""
    from pincite.options import IndexOptions

    options = IndexOptions(
        collection=collection,
        name=name,
        ref=ref,
        url_rule=url_rule,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        language=language,
        lexical=lexical,
        upgrade=upgrade,
    )
    _index(tuple(paths or ()), options, json_, index)


def _index(
    paths: tuple[Path, ...], options: IndexOptions, json_: bool, folder: Path | None
) -> None:
    from dataclasses import replace

    from pincite.surfaces.cli import run, say
    from pincite.surfaces.progress import ProgressLine
    from pincite.surfaces.render import to_json

    line = ProgressLine(sys.stderr)

    def on_notice(notice: object) -> None:
        line.done()
        say(f"warning: {getattr(notice, 'code', '')}: {getattr(notice, 'message', '')}")

    told = replace(options, on_notice=on_notice, on_fetch=line.fetching)

    async def work(engine: AsyncPincite) -> tuple[IngestReport, ...]:
        return await engine.index(paths, options=told, progress=line)

    try:
        reports = run(work, folder)
    finally:
        line.done()
    if json_:
        typer.echo(to_json(reports))
        return
    for report in reports:
        say(_sentence(report))


def _sentence(report: IngestReport) -> str:
    from pincite.surfaces.progress import duration

    counts = [
        f"{count:,} {word}"
        for word, count in (
            ("new", report.new),
            ("changed", report.changed),
            ("renamed", report.renamed),
            ("removed", report.removed),
            ("unchanged", report.unchanged),
        )
        if count
    ]
    lines = [
        f"{report.source}: {', '.join(counts) or 'no'} documents, {report.chunks:,} chunks"
        f" written in {duration(report.duration_s)}"
    ]
    if report.skipped:
        by_code = ", ".join(f"{n:,} {code}" for code, n in sorted(report.skipped.items()))
        lines.append(f"  left out: {by_code} (named by `pincite status`)")
    return "\n".join(lines)


@collections.callback()
def list_collections(
    context: typer.Context, json_: JsonOption = False, index: IndexOption = None
) -> None:
    """List the collections."""
    from pincite.surfaces.cli import run
    from pincite.surfaces.render import to_json

    if context.invoked_subcommand is not None:
        return

    async def work(engine: AsyncPincite) -> object:
        return await engine.collections()

    infos = run(lambda engine: engine.collections(), index)
    if json_:
        typer.echo(to_json(infos))
        return
    for info in infos:
        rung = info.spec.dense or "lexical"
        sources = ", ".join(record.source.name for record in info.sources)
        typer.echo(
            f"{info.spec.name}: {info.documents:,} documents, {info.chunks:,} chunks,"
            f" {info.bytes / 1e6:.1f} MB, {rung}; sources: {sources or 'none'}"
        )


@collections.command()
def drop(
    name: Annotated[str, typer.Argument(help="The collection to remove, with all of it.")],
    index: IndexOption = None,
) -> None:
    """Remove a collection."""
    from pincite.surfaces.cli import run, say

    run(lambda engine: engine.drop(name), index)
    say(f"{name} is gone")


@collections.command()
def forget(
    source: Annotated[str, typer.Argument(help="The source to remove.")],
    collection: Annotated[str, typer.Option("--collection", "-c")] = "main",
    index: IndexOption = None,
) -> None:
    """Remove one source with its documents."""
    from pincite.surfaces.cli import run, say

    count = run(lambda engine: engine.forget(collection, source), index)
    say(f"{source} is gone from {collection}, with {count:,} documents")


@collections.command()
def rebuild(
    name: Annotated[str, typer.Argument(help="The collection to index again from nothing.")],
    language: Annotated[str, typer.Option(help="Stemming: english, german, ... or auto.")] = "auto",
    lexical: Annotated[bool, typer.Option("--lexical", help="Without the dense model.")] = False,
    json_: JsonOption = False,
    index: IndexOption = None,
) -> None:
    """Index all sources of a collection again, from nothing: mends damage and old formats."""
    from pincite.options import IndexOptions

    options = IndexOptions(collection=name, language=language, lexical=lexical, rebuild=True)
    _index((), options, json_, index)
