"""`pincite import` and `pincite delete`: write records from files into a collection, and delete
records."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pincite.ingestion.options import IndexOptions
from pincite.model.records import RECORD_LANGUAGES, RECORDS
from pincite.support.counted import counted, noun_for
from pincite.support.terminal import one_line
from pincite.surfaces.cli.confirm import agreed
from pincite.surfaces.cli.named_index import hint_for_named_index
from pincite.surfaces.cli.options import collection_option, index_option, json_option, wait_option
from pincite.surfaces.cli.output import say, say_notice, show
from pincite.surfaces.cli.run import ERROR, OK, run

if TYPE_CHECKING:
    from pincite.model import Notice
    from pincite.records.field_map import FieldMap
    from pincite.records.formats import Format
    from pincite.records.report import UpsertProgress, UpsertReport

_NAMED = 10  # shown failures; the JSON has up to a hundred
_source = click.option(
    "--source", default=RECORDS, show_default=True, help="Name of the source in citations."
)


@click.command("import")
@click.argument("files", nargs=-1, required=True)
@collection_option
@_source
@click.option("--id", "id_", metavar="COLUMN", help="The column of the id; default: id.")
@click.option("--text", metavar="COLUMN", help="The column of the text; default: text.")
@click.option("--title", metavar="COLUMN", help="The column of the title; default: title.")
@click.option("--url", metavar="COLUMN", help="The column of the address; default: url.")
@click.option(
    "--attribute",
    "attributes",
    multiple=True,
    metavar="NAME[=COLUMN]",
    help="A column to index as an attribute, for filters.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="Default: from the file name; jsonl for -.",
)
@click.option(
    "--markup",
    type=click.Choice(RECORD_LANGUAGES),
    default=None,
    help="The format of the texts; default: text.",
)
@click.option("--language", default="auto", help="Language: english, german, de, ... or auto.")
@click.option("--lexical", is_flag=True, help="Leave the dense model out of a new collection.")
@click.option("--model", default="", help="The dense model of a new collection.")
@click.option("--batch", type=click.IntRange(min=1), default=1_000, show_default=True)
@wait_option
@json_option
@index_option
def import_(
    files: tuple[str, ...],
    collection: str,
    source: str,
    id_: str | None,
    text: str | None,
    title: str | None,
    url: str | None,
    attributes: tuple[str, ...],
    format_: Format | None,
    markup: str | None,
    language: str,
    lexical: bool,
    model: str,
    batch: int,
    wait: float,
    json_: bool,
    index: Path | None,
) -> int:
    """Write the records of JSON Lines, CSV or Parquet FILES; - reads stdin.

    Without columns, each line of JSON Lines is a record: id, text or pages, title, url, attributes,
    language. Invalid records are listed, the others are
    written, and the exit code is 1.
    """
    from pincite.records.field_map import FieldMap
    from pincite.records.formats import format_of, require_file
    from pincite.surfaces.text.render import to_json

    named = {"id": id_, "text": text, "title": title, "url": url}
    fields = FieldMap(
        {name: column for name, column in named.items() if column},
        _attributes(attributes),
        markup or "",
    )
    for file in files:  # check all before the first is read
        format_of(file, format_)
        require_file(file)
    options = IndexOptions(
        collection=collection, language=language, lexical=lexical, model=model, wait_s=wait
    )
    reports = [
        _import(file, format_, fields, source, batch, options, index, quiet=json_) for file in files
    ]
    if json_:
        show(to_json(reports))
    return ERROR if any(report.failed_count for report in reports) else OK


def _import(
    file: str,
    format_: Format | None,
    fields: FieldMap,
    source: str,
    batch: int,
    options: IndexOptions,
    index: Path | None,
    *,
    quiet: bool,
) -> UpsertReport:
    from pincite.records.formats import read_records
    from pincite.support.fields import replace
    from pincite.surfaces.cli.progress import ProgressLine, duration

    line = ProgressLine(sys.stderr)
    line.begin("opening the index")

    def on_notice(notice: Notice) -> None:
        line.done()
        say_notice(notice)

    def on_progress(progress: UpsertProgress) -> None:
        line.records(progress.stage, progress.done, progress.total, progress.failed)

    told = replace(options, on_notice=on_notice, on_fetch=line.fetching)
    records = read_records(file, format_, fields, sys.stdin.buffer)
    try:
        report = run(
            lambda engine: engine.upsert(
                records, source=source, batch=batch, options=told, progress=on_progress
            ),
            index,
        )
    finally:
        line.done()
    counts = {
        "written": report.written,
        "rewritten": report.rewritten,
        "unchanged": report.unchanged,
        "resumed": report.resumed,
        "failed": report.failed_count,
    }
    said = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    say(
        f"{one_line(file)}: {said or 'no'} {noun_for(sum(counts.values()), 'record')},"
        f" {counted(report.chunks, 'chunk')} written in {duration(report.duration_s)}"
    )
    for failure in report.failed[: 0 if quiet else _NAMED]:
        hint = f" ({one_line(hint_for_named_index(failure.hint))})" if failure.hint else ""
        say(f"  {failure.code}: {one_line(failure.message)}{hint}")
    if report.failed_count > _NAMED and not quiet:
        say(f"  and {report.failed_count - _NAMED:,} more: --json has the first hundred")
    return report


def _attributes(given: tuple[str, ...]) -> Mapping[str, str]:
    from pincite.errors import UsageError
    from pincite.model.attributes import check_attribute_name

    found: dict[str, str] = {}
    for one in given:
        name, _, column = one.partition("=")
        try:
            check_attribute_name(name)
        except ValueError as error:
            raise UsageError(f"--attribute {one}: {error}") from error
        found[name] = column or name
    return found


@click.command()
@collection_option
@_source
@click.option("--id", "ids", multiple=True, metavar="ID", help="A record to delete.")
@click.option("--where", default="", help="Delete all that match; see docs/filters.md.")
@click.option("--tag", "tags", multiple=True, metavar="NAME=VALUE", help="Only with this tag.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@wait_option
@json_option
@index_option
def delete(
    collection: str,
    source: str,
    ids: tuple[str, ...],
    where: str,
    tags: tuple[str, ...],
    yes: bool,
    wait: float,
    json_: bool,
    index: Path | None,
) -> int:
    """Delete records by id or by a filter, after confirmation.

    The question shows the number of records. Exit code 1 if you decline or an id is unknown.
    """
    from pincite.ports import Waiting
    from pincite.surfaces.text.render import to_json

    _require_choice(ids, where)
    chosen: dict[str, Any] = {
        "ids": ids or None,
        "where": where,
        "tags": _tags(tags),
        "collection": collection,
        "source": source,
    }
    if not yes:  # asked outside of the event loop, so that Ctrl-C ends it at once
        count = run(lambda engine: engine.count_records(**chosen), index)
        if count and not _agreed(count):
            say("no record was deleted")
            return ERROR
    report = run(lambda engine: engine.delete(**chosen, waiting=Waiting(wait, say_notice)), index)
    records = "1 record was" if report.deleted == 1 else f"{report.deleted:,} records were"
    say(f"{records} removed from {report.collection}")
    if report.missing:
        more = ", ..." if report.missing_count > len(report.missing) else ""
        say(f"not found: {one_line(', '.join(report.missing))}{more}")
    if json_:
        show(to_json(report))
    return ERROR if report.missing_count else OK


def _require_choice(ids: tuple[str, ...], where: str) -> None:
    """Raise UsageError unless either ids or a filter is given, and not both."""
    from pincite.errors import UsageError

    if bool(ids) == bool(where.strip()):
        given = "both --id and --where" if ids else "neither --id nor --where"
        raise UsageError(
            f"records to delete are given by {given}",
            hint="--id a17, or --where \"course = 'ml'\"; a whole source: pincite collections"
            " forget SOURCE",
        )


def _tags(given: tuple[str, ...]) -> Mapping[str, object]:
    from pincite.errors import UsageError
    from pincite.ingestion.attributes.normalise import TableText

    found: dict[str, object] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise UsageError(f"--tag {one}: give NAME=VALUE")
        found[name] = TableText(value)
    return found


def _agreed(count: int) -> bool:
    """Ask for confirmation. Raises UsageError if input is not interactive."""
    records = counted(count, "record")
    return agreed(
        f"Delete {records}?",
        unasked=f"{records} would be deleted, and confirmation needs a terminal",
        hint="add --yes",
    )
