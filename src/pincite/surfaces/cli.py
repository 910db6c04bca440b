"""`pincite`: results on stdout, everything else on stderr.

Exit codes: 0 found or done, 1 error, 2 wrong usage, 3 nothing relevant or something did not hold,
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Coroutine
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from pincite.errors import PinciteError, UsageError
from pincite.version import VERSION

T = TypeVar("T")
Format = Literal["table", "json", "md", "files"]


class Kind(StrEnum):
    """Source types, as the option parser wants them."""

    docs = "docs"
    code = "code"
    data = "data"


OK, ERROR, USAGE, NOTHING, INTERRUPTED = 0, 1, 2, 3, 130

app = typer.Typer(
    name="pincite",
    help="Evidence that can be cited, from your documentation and code.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

IndexOption = Annotated[
    Path | None,
    typer.Option("--index", help="The index folder; default: the nearest .pincite."),
]
CollectionOption = Annotated[str, typer.Option("--collection", "-c", help="Collection to use.")]
FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to print.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Same as --format json.")]


def main() -> None:
    """The console script."""
    try:
        code = app(standalone_mode=False)
    except typer.Abort:
        code = INTERRUPTED
    except PinciteError as error:
        say(f"error: {error}")
        code = USAGE if isinstance(error, UsageError) else ERROR
    except KeyboardInterrupt:
        say("interrupted; what was finished is kept: run the same command again to go on")
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except Exception as error:
        show = getattr(error, "show", None)  # usage errors of the option parser
        if show is None:
            raise
        show(file=sys.stderr)
        code = getattr(error, "exit_code", USAGE)
    sys.exit(code or OK)


def say(message: str) -> None:
    """One message for the person, on stderr."""
    sys.stderr.write(f"{message}\n")


def run(work: Callable[[Any], Coroutine[Any, Any, T]], index: Path | None) -> T:
    """Run `work` on the engine of the index folder."""
    import asyncio

    from pincite.engine import AsyncPincite
    from pincite.settings import load_settings

    async def session() -> T:
        async with AsyncPincite(load_settings(os.environ, Path.cwd(), index)) as engine:
            return await work(engine)

    return asyncio.run(session())


def colour_wanted() -> bool:
    """Colour only on a terminal, and never where `NO_COLOR` is set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"pincite {VERSION}")
        raise typer.Exit


@app.command()
def search(
    query: Annotated[list[str], typer.Argument(help="The question.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Results at most.")] = 12,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", help="Only these collections.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", "-s", help="Only these sources.")
    ] = None,
    kind: Annotated[list[Kind] | None, typer.Option(help="Only these kinds.")] = None,
    path: Annotated[
        list[str] | None, typer.Option(help="Only paths that match these globs.")
    ] = None,
    not_path: Annotated[
        list[str] | None, typer.Option(help="No paths that match these globs.")
    ] = None,
    ref: Annotated[str | None, typer.Option(help="Only this revision (may be shortened).")] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show the nearest even if nothing is relevant.")
    ] = False,
    form: FormatOption = "table",
    json_: JsonOption = False,
    explain_: Annotated[
        bool, typer.Option("--explain", help="Show what each stage did, on stderr.")
    ] = False,
    index: IndexOption = None,
) -> int:
    """Find evidence for a question."""
    from pincite.surfaces import commands
    from pincite.surfaces.render import render

    request = commands.SearchRequest(
        text=" ".join(query),
        limit=limit,
        collections=tuple(collection or ()),
        sources=tuple(source or ()),
        kinds=tuple(one.value for one in kind or ()),
        allow=tuple(path or ()),
        block=tuple(not_path or ()),
        ref=ref,
        show_all=show_all,
    )
    pack, trace = run(lambda engine: commands.search(engine, request), index)
    typer.echo(render(pack, "json" if json_ else form, colour=colour_wanted()))
    if explain_:
        say(commands.explain_table(trace))
    for notice in pack.warnings:
        say(f"warning: {notice.code}: {notice.message}")
    return OK if pack.verdict.level != "none" else NOTHING


@app.command()
def explain(
    query: Annotated[list[str], typer.Argument(help="The question.")],
    json_: JsonOption = False,
    index: IndexOption = None,
) -> None:
    """Show what each stage of a search does: candidates, signals, drops with reasons, times."""
    from pincite.surfaces import commands
    from pincite.surfaces.render import to_json

    request = commands.SearchRequest(text=" ".join(query), show_all=True)
    _, trace = run(lambda engine: commands.search(engine, request), index)
    typer.echo(to_json(commands.explain(trace)) if json_ else commands.explain_table(trace))


@app.command()
def get(
    locator: Annotated[str, typer.Argument(help="#id, PATH, PATH:LINE or PATH:LINE:COUNT.")],
    json_: JsonOption = False,
    index: IndexOption = None,
) -> None:
    """Print lines of an indexed file, as it is now."""
    from pincite.surfaces import commands
    from pincite.surfaces.render import to_json

    passage = run(lambda engine: commands.get(engine, locator), index)
    if json_:
        typer.echo(to_json(passage))
        return
    say(passage.citation)
    if passage.changed:
        say("warning: changed: the file has changed since it was indexed: run `pincite index`")
    typer.echo(passage.text)


@app.command()
def verify(
    pack: Annotated[Path, typer.Argument(help="A pack in JSON, `-` for stdin.")],
    json_: JsonOption = False,
    index: IndexOption = None,
) -> int:
    """Check every citation of a pack against the files as they are now."""
    from pincite.surfaces import commands
    from pincite.surfaces.render import to_json

    raw = sys.stdin.buffer.read() if str(pack) == "-" else commands.read_file(pack)
    checked = run(lambda engine: commands.verify(engine, raw), index)
    if json_:
        typer.echo(to_json(checked))
    else:
        for item in checked:
            typer.echo(f"{item.status:8} [{item.number}] {item.citation} {item.detail}".rstrip())
    return OK if all(item.status == "fresh" for item in checked) else NOTHING


@app.command()
def schema() -> None:
    """Print the JSON Schema of an evidence pack."""
    from pincite.surfaces.render import pack_schema, to_json

    typer.echo(to_json(pack_schema()))


@app.command()
def status(json_: JsonOption = False, index: IndexOption = None) -> None:
    """Say what is indexed, how strong retrieval is, and what would make it better."""
    from pincite.surfaces import commands
    from pincite.surfaces.render import to_json

    found = run(commands.status, index)
    typer.echo(to_json(found) if json_ else commands.status_table(found))


def _register() -> None:
    """The commands that have files of their own."""
    from pincite.surfaces import cli_index, cli_models

    cli_index.add_to(app)
    cli_models.add_to(app)


_register()
