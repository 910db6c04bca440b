"""`pincite search`, `evidence` and `explain`: a question in, evidence out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from pincite.surfaces.cli.options import (
    NOTHING,
    OK,
    collections_option,
    hand_over,
    index_option,
    json_option,
    preset_option,
    run,
    say,
    say_hidden,
    show,
    tag_option,
    with_options,
)

if TYPE_CHECKING:
    from pincite.asking import SearchOptions
    from pincite.engine import AsyncPincite
    from pincite.model import EvidencePack, TaskMode
    from pincite.surfaces import render
    from pincite.trace import Trace

_MODES: Final[tuple[TaskMode, ...]] = ("build", "debug", "explain", "refactor")
#: What is asked, of which part of the index, and how: of every command that searches.
_ASKING = (
    click.argument("query", nargs=-1, required=True),
    click.option(
        "-n",
        "--limit",
        type=click.IntRange(min=1),
        help="Results at most; usually select.results of the profile.",
    ),
    collections_option,
    click.option("-s", "--source", "sources", multiple=True, help="Only these sources."),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        type=click.Choice(["docs", "code", "data"]),
        help="Only files of these kinds.",
    ),
    click.option("--path", "paths", multiple=True, help="Only paths that match these globs."),
    click.option("--not-path", "not_paths", multiple=True, help="No paths that match these globs."),
    click.option("--ref", help="Only this revision; it may be shortened."),
    click.option("--where", default="", help="A filter, such as 'path ^= src/ and kind = code'."),
    tag_option,
    click.option(
        "--by",
        type=click.Choice(["hybrid", "vector", "keyword"]),
        help="Search by meaning (vector), by word (keyword), or by both.",
    ),
    preset_option,
    click.option(
        "--budget-ms", type=click.IntRange(min=1), help="Leave out what this time is too short for."
    ),
    click.option(
        "--context",
        type=click.Choice(["none", "neighbours", "section"]),
        help="Show what stands around each result, too.",
    ),
    index_option,
)
_SHOWING = (
    click.option(
        "--all", "show_all", is_flag=True, help="Show the nearest even if none is relevant."
    ),
    click.option(
        "-f",
        "--format",
        "form",
        type=click.Choice(["table", "json", "md", "files", "prompt"]),
        default="table",
        help="How to print; prompt is for language models.",
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
        help="With --format files: names as they are, each ended by a NUL.",
    ),
    click.option("--json", "json_", is_flag=True, help="Same as --format json."),
    click.option("--explain", "explained", is_flag=True, help="Show each stage, on stderr."),
    click.option(
        "--debug",
        is_flag=True,
        help="What services were asked and answered: in the JSON, else on stderr.",
    ),
)


def _mode(usual: TaskMode) -> Any:
    """The option that says what evidence is for, with what it is where nothing is said."""
    return click.option(
        "--mode",
        type=click.Choice(_MODES),
        default=usual,
        show_default=True,
        help="What it is for.",
    )


@click.command()
@with_options(*_ASKING, _mode("explain"), *_SHOWING)
def search(**values: Any) -> int:
    """Find evidence for a question."""
    return _search(**values)


@click.command()
@with_options(*_ASKING, _mode("build"), *_SHOWING)
def evidence(preset: str | None, **values: Any) -> int:
    """Find evidence for a coding task: documentation and code side by side.

    The same as `search --preset evidence --mode build`. In the modes build, debug and refactor both
    kinds are wanted among the results, as far as there are any that are relevant.
    """
    return _search(preset=preset or "evidence", **values)


def _search(
    show_all: bool,
    form: render.Format | Literal["prompt"],
    max_tokens: int,
    null: bool,
    json_: bool,
    explained: bool,
    debug: bool,
    index: Path | None,
    **asked: Any,
) -> int:
    from pincite.surfaces import commands, render

    if null and (json_ or form != "files"):
        raise click.UsageError("-0 is for names of files: pincite search ... --format files -0")
    options = _options(**asked, show_all=show_all)
    if form == "prompt" and options.limit is None:
        from pincite.surfaces.tool_texts import results_for

        options = replace(options, limit=results_for(max_tokens))

    async def searched(engine: AsyncPincite) -> tuple[EvidencePack, Trace]:
        say_hidden(engine.settings, options.preset)
        return await commands.search(engine, options, explained=explained, debug=debug)

    pack, trace = run(searched, index)
    if null:
        raw = render.null_files(pack)
        hand_over(raw, raw.decode())
    elif form == "prompt" and not json_:
        show(pack.to_prompt(max_tokens, line_numbers=True))
    elif parts := render.render(pack, "json" if json_ or form == "prompt" else form):
        show(*parts)
    if explained:
        say(commands.explain_table(trace))
    if debug and not (json_ or form == "json"):
        say(render.to_json(pack.debug))
    if trace.query_id and (explained or json_):
        say(f"query {trace.query_id}: pincite replay {trace.query_id[:12]}")
    for notice in pack.warnings:
        say(f"warning: {notice.code}: {notice.message}")
    return OK if pack.verdict.level != "none" else NOTHING


@click.command()
@with_options(*_ASKING, _mode("explain"), json_option)
def explain(json_: bool, index: Path | None, **asked: Any) -> None:
    """Show what each stage of a search does: candidates, signals, drops with reasons, times."""
    from pincite.surfaces import commands, render

    options = _options(**asked, show_all=True)
    _, trace = run(lambda engine: commands.search(engine, options, explained=True), index)
    views = commands.explain(trace)
    show(render.to_json(views) if json_ else commands.explain_table(trace))


def _options(query: tuple[str, ...], tags: tuple[str, ...], **asked: Any) -> SearchOptions:
    """What the options of `_ASKING` say, which have the names of `SearchOptions`."""
    from pincite.asking import SearchOptions, tags_of_texts

    return SearchOptions(" ".join(query), tags=tags_of_texts(tags), **asked)
