"""`pincite`: results on stdout, everything else on stderr.

Exit codes: 0 found or done, 1 error, 2 wrong usage, 3 nothing relevant or something did not hold,
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.errors import PinciteError, UsageError
from pincite.garbage import rarely_collect
from pincite.surfaces.options import (
    ERROR,
    INTERRUPTED,
    NOTHING,
    OK,
    USAGE,
    colour_wanted,
    index_option,
    json_option,
    run,
    say,
)
from pincite.version import VERSION

if TYPE_CHECKING:
    from pincite.surfaces import commands, render


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, message="pincite %(version)s")
def app() -> None:
    """Evidence that can be cited, from your documentation and code."""


def main() -> None:
    """The console script."""
    # One small matrix product needs no threads, and starting them doubles numpy's import time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    rarely_collect()
    try:
        code = app(standalone_mode=False)
    except click.ClickException as error:
        error.show(file=sys.stderr)
        code = error.exit_code
    except PinciteError as error:
        say(f"error: {error}")
        code = USAGE if isinstance(error, UsageError) else ERROR
    except (KeyboardInterrupt, click.Abort):
        say("interrupted; what was finished is kept: run the same command again to go on")
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    sys.exit(code or OK)


@app.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(min=1), default=12, help="Results at most.")
@click.option("-c", "--collection", multiple=True, help="Only these collections.")
@click.option("-s", "--source", multiple=True, help="Only these sources.")
@click.option(
    "--kind",
    multiple=True,
    type=click.Choice(["docs", "code", "data"]),
    help="Only files of these kinds.",
)
@click.option("--path", multiple=True, help="Only paths that match these globs.")
@click.option("--not-path", multiple=True, help="No paths that match these globs.")
@click.option("--ref", help="Only this revision; it may be shortened.")
@click.option("--all", "show_all", is_flag=True, help="Show the nearest even if none is relevant.")
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["table", "json", "md", "files"]),
    default="table",
    help="How to print.",
)
@click.option("--json", "json_", is_flag=True, help="Same as --format json.")
@click.option("--explain", "explained", is_flag=True, help="Show each stage, on stderr.")
@index_option
def search(
    query: tuple[str, ...],
    limit: int,
    collection: tuple[str, ...],
    source: tuple[str, ...],
    kind: tuple[commands.SourceType, ...],
    path: tuple[str, ...],
    not_path: tuple[str, ...],
    ref: str | None,
    show_all: bool,
    form: render.Format,
    json_: bool,
    explained: bool,
    index: Path | None,
) -> int:
    """Find evidence for a question."""
    from pincite.surfaces import commands, render

    request = commands.SearchRequest(
        text=" ".join(query),
        limit=limit,
        collections=collection,
        sources=source,
        kinds=kind,
        allow=path,
        block=not_path,
        ref=ref,
        show_all=show_all,
    )
    pack, trace = run(lambda engine: commands.search(engine, request), index)
    click.echo(render.render(pack, "json" if json_ else form, colour=colour_wanted()))
    if explained:
        say(commands.explain_table(trace))
    for notice in pack.warnings:
        say(f"warning: {notice.code}: {notice.message}")
    return OK if pack.verdict.level != "none" else NOTHING


@app.command()
@click.argument("query", nargs=-1, required=True)
@json_option
@index_option
def explain(query: tuple[str, ...], json_: bool, index: Path | None) -> None:
    """Show what each stage of a search does: candidates, signals, drops with reasons, times."""
    from pincite.surfaces import commands, render

    request = commands.SearchRequest(text=" ".join(query), show_all=True)
    _, trace = run(lambda engine: commands.search(engine, request), index)
    views = commands.explain(trace)
    click.echo(render.to_json(views) if json_ else commands.explain_table(trace))


@app.command()
@click.argument("locator")
@json_option
@index_option
def get(locator: str, json_: bool, index: Path | None) -> None:
    """Print lines of an indexed file, as it is now.

    LOCATOR is a chunk's #id, PATH, PATH:LINE or PATH:LINE:COUNT; a path may be shortened from
    the left.
    """
    from pincite.surfaces import render

    passage = run(lambda engine: engine.get(locator), index)
    if json_:
        click.echo(render.to_json(passage))
        return
    say(passage.citation)
    if passage.changed:
        say("warning: changed: the file has changed since it was indexed: run `pincite index`")
    click.echo(passage.text)


@app.command()
@click.argument("pack", type=click.Path(path_type=Path))
@json_option
@index_option
def verify(pack: Path, json_: bool, index: Path | None) -> int:
    """Check every citation of a pack (JSON, - for stdin) against the files as they are now."""
    from pincite.surfaces import commands, render

    raw = sys.stdin.buffer.read() if str(pack) == "-" else commands.read_file(pack)
    checked = run(lambda engine: commands.verify(engine, raw), index)
    if json_:
        click.echo(render.to_json(checked))
    else:
        for item in checked:
            click.echo(f"{item.status:8} [{item.number}] {item.citation} {item.detail}".rstrip())
    return OK if all(item.status == "fresh" for item in checked) else NOTHING


@app.command()
def schema() -> None:
    """Print the JSON Schema of an evidence pack."""
    from pincite.surfaces import render

    click.echo(render.to_json(render.pack_schema()))


@app.command()
@json_option
@index_option
def status(json_: bool, index: Path | None) -> None:
    """Say what is indexed, how strong retrieval is, and what would make it better."""
    from pincite.surfaces import commands, render

    found = run(commands.status, index)
    click.echo(render.to_json(found) if json_ else commands.status_table(found))


@app.command()
@index_option
def stop(index: Path | None) -> None:
    """End the process that owns the index; the next command starts it again."""
    run(lambda engine: engine.stop(), index)
    say("stopped")


def _add_commands() -> None:
    from pincite.surfaces import cli_index, cli_models, cli_providers, cli_rerank

    app.add_command(cli_index.index)
    app.add_command(cli_index.collections)
    app.add_command(cli_models.models)
    app.add_command(cli_providers.cache)
    app.add_command(cli_providers.doctor)
    app.add_command(cli_providers.embed)
    app.add_command(cli_rerank.rerank)


_add_commands()

if __name__ == "__main__":
    main()
