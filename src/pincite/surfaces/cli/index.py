"""`pincite index`."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from pincite.errors import UpdatedInPart, UsageError
from pincite.ingestion.options import IndexOptions
from pincite.support.counted import counted, noun_for
from pincite.support.fields import replace
from pincite.support.terminal import one_line
from pincite.surfaces.cli.named_index import for_named_index
from pincite.surfaces.cli.options import collection_option, index_option, json_option, wait_option
from pincite.surfaces.cli.output import say, say_notice, show
from pincite.surfaces.cli.run import ERROR, OK, USAGE, run

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from pincite.errors import PinciteError
    from pincite.ingestion.report import IngestReport
    from pincite.model import Notice

_SUFFIXES = 8  # maximal number of shown suffixes of unsupported files
_SUFFIX_CHARS = 20


class _NamedPath(click.Path):
    """A path that is not empty: an unset variable of a shell must not mean the current folder."""

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        if value == "":
            self.fail("a path is empty; the current folder is .", param, ctx)
        return super().convert(value, param, ctx)


language_option = click.option(
    "--language", default="auto", help="Language: english, german, de, ... or auto."
)
model_option = click.option(
    "--model", default="", help="The dense model: PROVIDER:MODEL, or bundled; see `pincite doctor`."
)
sparse_option = click.option(
    "--sparse", default="", help="The keyword encoder: bm25, qdrant-bm25 or local:FOLDER (SPLADE)."
)
lexical_option = click.option(
    "--lexical", is_flag=True, help="Keyword search only, without an embedding model."
)


@click.command()
@click.argument("paths", nargs=-1, type=_NamedPath())
@collection_option
@click.option("--name", help="Name of the source in citations.")
@click.option("--ref", help="The revision of what it contains now, instead of the recorded one.")
@click.option(
    "--url-rule",
    "url_rules",
    multiple=True,
    help=r"REGEX=>URL, such as 'docs/(.*)\.md=>https://x.org/\1/'; the first match wins.",
)
@click.option(
    "--anchors",
    type=click.Choice(["mkdocs", "github", "none"]),
    help="The anchor rule of that site; default: mkdocs.",
)
@click.option(
    "--include", multiple=True, help="Only files that match, with the syntax of .gitignore."
)
@click.option(
    "--exclude", multiple=True, help="Exclude files that match; '' removes earlier patterns."
)
@click.option(
    "--file-type",
    "file_types",
    multiple=True,
    metavar="PATTERN=TYPE",
    help="Read files as a type, such as '*.tmpl=html'; PATTERN= removes one, '' removes all.",
)
@click.option(
    "--set",
    "attribute_texts",
    multiple=True,
    metavar="NAME=VALUE",
    help="An attribute of all documents, such as course=ml; repeat for a list, NAME= for none.",
)
@click.option(
    "--mask-secrets/--no-mask-secrets",
    default=None,
    help="Mask text that looks like a key or a password; default: unchanged.",
)
@click.option(
    "--ocr/--no-ocr",
    default=None,
    help="Run OCR on scanned PDF pages; default: unchanged.",
)
@click.option("--retry", is_flag=True, help="Retry files that gave no text before.")
@language_option
@lexical_option
@model_option
@sparse_option
@click.option(
    "--beside", is_flag=True, help="Keep the embeddings of the other model and add this one."
)
@click.option("--upgrade", is_flag=True, help="Add the dense model to a lexical collection.")
@click.option(
    "--background",
    is_flag=True,
    help="Return when keyword search works; a background process adds the embeddings.",
)
@wait_option
@json_option
@index_option
def index(
    paths: tuple[str, ...],
    url_rules: tuple[str, ...],
    wait: float,
    json_: bool,
    index: Path | None,
    **given: Any,
) -> int:
    """Index folders, checkouts, files, archives and wheels.

    Without PATHS, update all sources of the index and of pincite.toml, in all collections unless
    one is named. Options given for a source are remembered.
    """
    options = IndexOptions(url_rule="\n".join(url_rules) or None, wait_s=wait, **given)
    return index_sources(paths, options, json_, index)


def index_sources(
    paths: tuple[str, ...], options: IndexOptions, json_: bool, folder: Path | None
) -> int:
    """Index, and print the reports and the errors of all collections. Return the exit code."""
    from pincite.surfaces.cli.progress import ProgressLine

    line = ProgressLine(sys.stderr)
    line.begin("opening the index")

    said: set[Notice] = set()

    def on_notice(notice: Notice) -> None:
        if notice in said:  # the same of another collection
            return
        said.add(notice)
        line.done()
        say_notice(notice)

    told = replace(options, on_notice=on_notice, on_fetch=line.fetching)
    errors: Mapping[str, PinciteError] = {}
    try:
        reports = run(lambda engine: engine.index(paths, options=told, progress=line), folder)
    except UpdatedInPart as failed:
        reports, errors = failed.reports, failed.errors
    finally:
        line.done()
    several = len({report.collection for report in reports}) > 1 or bool(errors)
    for report in reports:
        say(_sentence(report, several=several))
    for name, error in errors.items():
        say(f"error: {name}: {for_named_index(error)}")
    if options.background:
        say("a background process adds missing embeddings: pincite status")
    if json_:
        from pincite.surfaces.text.render import to_json

        show(to_json(reports))
    wrong = [isinstance(error, UsageError) for error in errors.values()]
    return OK if not wrong else USAGE if all(wrong) else ERROR


def _sentence(report: IngestReport, *, several: bool) -> str:
    """Return the lines of a report, with its collection if there are `several`."""
    from pincite.sources.file_type_patterns import how_to_include
    from pincite.sources.ignore_files import how_to_trust
    from pincite.surfaces.cli.progress import duration

    counts = {
        "new": report.new,
        "changed": report.changed - report.remade,
        "renamed": report.renamed,
        "removed": report.removed,
        "unchanged": report.unchanged + report.remade,
    }
    said = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    asides = {
        "with new attributes": report.rewritten,
        "indexed again for another model, analysis or option": report.remade,
    }
    aside = ", ".join(f"{count:,} {words}" for words, count in asides.items() if count)
    aside = f" ({aside})" if aside else ""
    place = f" in {report.collection}" if several else ""
    lines = [
        f"{one_line(report.source)}{place}: {said or 'no'}"
        f" {noun_for(sum(counts.values()), 'document')}{aside},"
        f" {counted(report.chunks, 'chunk')} written in {duration(report.duration_s)}"
    ]
    if report.reused:
        lines.append(
            f"  {counted(report.reused, 'unchanged chunk')} kept"
            f" {'its vectors' if report.reused == 1 else 'their vectors'}"
        )
    if report.skipped:
        kinds = {"unsupported": _unsupported(report)}
        by_code = ", ".join(
            f"{n:,} {code}{kinds.get(code, '')}" for code, n in sorted(report.skipped.items())
        )
        lines.append(f"  left out: {by_code} (details: `pincite status`)")
        hows = how_to_include(report.skipped_paths), how_to_trust(report.skipped_paths)
        lines += [f"  {one_line(how)}" for how in hows if how]
    if report.noted:
        by_code = ", ".join(f"{n:,} {code}" for code, n in sorted(report.noted.items()))
        lines.append(f"  noted: {by_code} (details: `pincite status`)")
    return "\n".join(lines)


def _unsupported(report: IngestReport) -> str:
    """Return the suffixes of unsupported files, the most frequent ones first."""
    from pincite.model.left_out import path_of
    from pincite.sources.kinds import suffix_of

    code = "unsupported: "
    paths = (path_of(line) for line in report.skipped_paths if line.startswith(code))
    counts = Counter(suffix for path in paths if (suffix := suffix_of(path)))
    shown = [f".{one_line(suffix)[:_SUFFIX_CHARS]}" for suffix, _ in counts.most_common(_SUFFIXES)]
    more = ["..."] if len(counts) > len(shown) else []
    return f" ({', '.join((*shown, *more))})" if shown else ""
