"""`pincite search`, `evidence` and `explain`: print evidence for a question."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click
from click.core import ParameterSource

from pincite.support.current_folder import folder_for
from pincite.surfaces.cli.options import (
    collections_option,
    completed,
    index_option,
    json_option,
    preset_option,
    tag_option,
    with_options,
)
from pincite.surfaces.cli.output import hand_over, say, say_hidden, show
from pincite.surfaces.cli.run import NOTHING, OK, run, settings_here

if TYPE_CHECKING:
    from pincite.asking import SearchOptions
    from pincite.engine import AsyncPincite
    from pincite.model import TaskMode
    from pincite.ports import CollectionInfo
    from pincite.settings.load import Settings
    from pincite.surfaces.cli.paging import When
    from pincite.surfaces.text import render
    from pincite.surfaces.text.pack_output import Printed, Wanted

_MODES: Final[tuple[TaskMode, ...]] = ("build", "debug", "explain", "refactor")
_OPENING = "opening the index"  # shown while a search waits for the index
#: Options of `_SHOWING` that do not change the search.
_OF_PRINTING = (*("form", "max_tokens", "null", "json_", "around", "pager", "explained", "debug"),)
#: Forms that contain as many results as fit a budget of tokens.
_FOR_MODELS = ("prompt", "context", "context_json")
_TYPED = ("lex", "vec", "hyde", "intent")
_QUERY = click.argument("query", nargs=-1, required=True)
#: Options of every command that searches, besides the question and the mode.
ASKING = (
    click.option(
        "-n",
        "--limit",
        type=click.IntRange(min=1),
        help="Maximum number of results; default: select.results of the profile.",
    ),
    collections_option,
    click.option(
        "-s",
        "--source",
        "sources",
        multiple=True,
        shell_complete=completed("sources"),
        help="Only these sources.",
    ),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        type=click.Choice(["docs", "code", "data"]),
        help="Only files of these kinds.",
    ),
    click.option("--path", "paths", multiple=True, help="Only these files, folders or globs."),
    click.option(
        "--not-path", "not_paths", multiple=True, help="Exclude these files, folders or globs."
    ),
    click.option("--ref", help="Only this commit (may be shortened), tag or branch."),
    click.option("--where", default="", help="A filter, such as 'path ^= src/ and kind = code'."),
    tag_option,
    click.option(
        "--by",
        type=click.Choice(["hybrid", "vector", "keyword"]),
        help="Semantic search (vector), keyword search, or both.",
    ),
    preset_option,
    click.option(
        "--budget-ms",
        type=click.IntRange(min=1),
        help="Time limit; steps that do not fit are skipped.",
    ),
    click.option(
        "--context",
        type=click.Choice(["none", "unit", "neighbours", "section"]),
        help="Text to show around a passage; default: context.around of the profile.",
    ),
    *(
        click.option(f"--{kind}", kind, multiple=True, metavar="TEXT", help=what)
        for kind, what in (
            ("lex", "Additional words for keyword search only."),
            ("vec", "The question rephrased, for semantic search only."),
            ("hyde", "A passage that could be the answer, for semantic search only."),
            ("intent", "The intent, for the reranker only."),
        )
    ),
    index_option,
)
_SHOWING = (
    click.option(
        "--all",
        "show_all",
        is_flag=True,
        help="Show the nearest passages even if none is relevant.",
    ),
    click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(["table", "json", "md", "files", "prompt"]),
        default="table",
        help="Output format; prompt is for language models.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(300, 100_000),
        default=4_000,
        show_default=True,
        help="With --format prompt: as many results as fit.",
    ),
    click.option(
        "-0",
        "--null",
        "null",
        is_flag=True,
        help="With --format files: unchanged names, each followed by a NUL.",
    ),
    click.option("--json", "json_", is_flag=True, help="Same as --format json."),
    click.option(
        "-C",
        "--lines-around",
        "around",
        type=click.IntRange(min=0, max=10_000),
        metavar="N",
        help="Print only lines with a word of the question, and N lines around each.",
    ),
    click.option(
        "--color",
        "colour",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="Colour; auto: on a terminal.",
    ),
    click.option(
        "--pager/--no-pager", default=True, help="Page long results on a terminal with $PAGER."
    ),
    click.option(
        "--explain",
        "explained",
        is_flag=True,
        help="Print citations and signals, and each stage on stderr.",
    ),
    click.option(
        "--debug",
        is_flag=True,
        help="Show requests to services: in the JSON, else on stderr.",
    ),
)


def _mode(usual: TaskMode | None = None) -> Any:
    """Return the option for the task, with this default."""
    return click.option(
        "--mode",
        type=click.Choice(_MODES),
        default=usual,
        show_default=usual is not None,
        help="The task." if usual else "The task; default: prepare.mode of the profile.",
    )


def asking() -> Sequence[Any]:
    """Return the options of a command that asks one question."""
    return (_QUERY, *ASKING, _mode())


@click.command()
@with_options(click.argument("query", nargs=-1), *ASKING, _mode(), *_SHOWING)
def search(query: tuple[str, ...], **values: Any) -> int:
    """Find evidence for a question. Without one, a terminal searches while you type."""
    if query:
        return search_with(query=query, **values)
    printing = (values[name] for name in ("null", "json_", "explained", "debug"))
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not terminal or any(printing) or values["form"] != "table":
        raise click.MissingParameter(param_hint="'QUERY...'", param_type="argument")
    return _live(**values)


def _live(index: Path | None, colour: When, **values: Any) -> int:
    from pincite.surfaces.cli.live_search import search_live

    asked = {name: value for name, value in values.items() if name not in _OF_PRINTING}
    options = options_of(asked_of((), **asked))
    search_live(options, _place().get("here", ""), index, colour=colour != "never")
    return OK


@click.command()
@with_options(_QUERY, *ASKING, _mode("build"), *_SHOWING)
def evidence(preset: str | None, **values: Any) -> int:
    """Find evidence for a coding task: documentation and code side by side.

    The same as `search --preset evidence`. In the modes build (the default),
    debug and refactor, the results contain both kinds if both have relevant passages.
    """
    return search_with(preset=preset or "evidence", **values)


def _was_given(option: str) -> bool:
    source = click.get_current_context().get_parameter_source(option)
    return source is ParameterSource.COMMANDLINE


def search_with(
    show_all: bool,
    form: render.Format | Literal["prompt", "context", "context_json"],
    max_tokens: int,
    index: Path | None,
    null: bool = False,
    json_: bool = False,
    around: int | None = None,
    colour: When = "auto",
    pager: bool = False,
    explained: bool = False,
    debug: bool = False,
    order: str = "u",
    tokenizer: str = "",
    **asked: Any,
) -> int:
    """Search, print the results in this form, and return the exit code. `asked` are the values of
    `ASKING` with the question and the mode."""
    from pincite.surfaces.cli.progress import waiting
    from pincite.surfaces.text.pack_output import Wanted

    if json_ and form != "json" and _was_given("form"):
        raise click.UsageError(f"--json is --format json: give either it or --format {form}")
    if null and (json_ or form != "files"):
        raise click.UsageError("-0 is for file names: pincite search ... --format files -0")
    if form not in _FOR_MODELS and _was_given("max_tokens"):
        raise click.UsageError("--max-tokens is for prompts: pincite search ... --format prompt")
    if form in _FOR_MODELS and asked["limit"] is None:
        from pincite.model.context_block import results_for

        asked["limit"] = results_for(max_tokens)
    options = asked_of(**asked, show_all=show_all)
    wanted = Wanted(
        "json" if json_ else form,
        null,
        max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 0,
        around=around,
        whole=bool(asked["context"]),
        details=explained,
        max_tokens=max_tokens,
        order=order,
        tokenizer=tokenizer,
        **_place(),
    )
    done = None
    if not explained and not debug and not tokenizer:  # the daemon must not read the user's file
        from pincite.surfaces.cli.quick import ask_daemon

        with waiting(sys.stderr, _OPENING):
            done = ask_daemon(options, wanted, index)
    if done is None:
        settings = settings_here(index)  # it may ask, and a progress line would erase the question
        with waiting(sys.stderr, _OPENING):
            done = _asked_here(options, wanted, settings, index, explained=explained, debug=debug)
    if done.raw is not None:
        hand_over(done.raw, done.raw.decode())
    elif wanted.form == "table":
        from pincite.surfaces.cli.paging import show_result

        show_result(done.parts, colour, pager=pager)
    elif done.parts:
        show(*done.parts)
    if done.query_id and (explained or json_):
        say(f"query {done.query_id}: pincite replay {done.query_id[:12]}")
    for message in done.messages:
        say(message)
    return OK if done.level != "none" else NOTHING


def _place() -> dict[str, str]:
    """Return the current folder and the name of the host, for paths and file URLs."""
    import socket

    try:
        return {"here": str(Path.cwd()), "host": socket.gethostname()}
    except OSError:
        return {}


def _asked_here(
    options: Mapping[str, Any],
    wanted: Wanted,
    settings: Settings,
    index: Path | None,
    *,
    explained: bool,
    debug: bool,
) -> Printed:
    """Search with the engine in this process, and return the output."""
    from pincite.surfaces.text import render
    from pincite.surfaces.text.pack_output import printed
    from pincite.surfaces.traced_search import traced_search

    asked = options_of(options)

    async def searched(engine: AsyncPincite) -> Printed:
        say_hidden(engine.settings, asked.preset)
        pack, trace = await traced_search(engine, asked, explained=explained, debug=debug)
        infos = await _own(engine) if wanted.form in ("table", "files") else ()
        done = printed(pack, wanted, infos, trace.query_id)
        if explained:
            from pincite.diagnostics.explain import explain_table

            say(explain_table(trace))
        if debug and wanted.form != "json":
            say(render.to_json(pack.debug))
        return done

    return run(searched, index, settings=settings)


async def _own(engine: AsyncPincite) -> Sequence[CollectionInfo]:
    """Return the collections of the index, without those of other programs, which have no files
    here."""
    from pincite.errors import IndexNotFound

    try:
        return await engine.client().collections()
    except IndexNotFound:
        return ()


@click.command()
@with_options(_QUERY, *ASKING, _mode(), json_option)
def explain(json_: bool, index: Path | None, **asked: Any) -> int:
    """Show each stage of a search: candidates, signals, reasons for drops, times."""
    from pincite.diagnostics.explain import explain as explained
    from pincite.diagnostics.explain import explain_table
    from pincite.surfaces.text import render
    from pincite.surfaces.traced_search import traced_search

    options = options_of(asked_of(**asked, show_all=True))
    pack, trace = run(lambda engine: traced_search(engine, options, explained=True), index)
    show(render.to_json(explained(trace)) if json_ else explain_table(trace))
    return OK if pack.verdict.level != "none" else NOTHING


def asked_of(query: tuple[str, ...], **asked: Any) -> Mapping[str, Any]:
    """Return the values of the options in `ASKING` as fields of `SearchOptions`, in JSON types."""
    paths = (*asked["paths"], *asked["not_paths"])
    standing = folder_for(paths) if paths else None
    lines = [f"{kind}: {text}" for kind in _TYPED for text in asked.pop(kind)]
    return {**asked, "text": " ".join(query), "here": standing, "subqueries": lines}


def options_of(asked: Mapping[str, Any]) -> SearchOptions:
    """Return the values of `asked_of` as `SearchOptions`. Raises UsageError."""
    from pincite.asking import SearchOptions, tags_of_texts

    return SearchOptions(**{**asked, "tags": tags_of_texts(asked["tags"])})
