"""Open the sources of a run: the named ones, else all of the configuration and the catalog."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from pincite.errors import PinciteError, SourceError, SourcesMissing
from pincite.ingestion.attributes.of_sources import require_whole
from pincite.ingestion.attributes.schema import known_types
from pincite.ingestion.run import IndexRun
from pincite.ingestion.sources.kept_patterns import (
    check_part,
    kept_patterns,
    outdated_parts,
    with_kept,
)
from pincite.ingestion.sources.moved_sources import MissingSource, moved_from, moved_notice, refuse
from pincite.ingestion.sources.source_records import Opened, renamed, superseded
from pincite.ingestion.sources.source_settings import decide_ocr, describe_source, share_settings
from pincite.model import Notice, Source, SourceRecord
from pincite.model.left_out import outer_parts
from pincite.readers import compile_rules
from pincite.settings.sections.sources import SourceConfig, configured_at
from pincite.sources import OpenSource, Selection, SourceLimits, open_source
from pincite.sources.entries import content_of
from pincite.sources.git import find_checkout
from pincite.sources.reopening import reopen_source, selection_of


@contextmanager
def open_all(
    run: IndexRun,
    locations: Sequence[str | Path],
    gone: Sequence[MissingSource] = (),
    missing: dict[str, PinciteError] | None = None,
) -> Iterator[list[Opened]]:
    """Yield the open sources of a run, with their attributes: the named ones, else all of the
    configuration and the collection. A refresh opens only its own source, as in the catalog. `gone`
    are the known sources that may have moved. If `missing` is given, errors of sources that cannot
    be opened are added to it, by name, as long as another source can be opened.

    Raises SourceError if a source is missing, or two have the same name, SourcesMissing if several
    are missing and none can be opened, ConfigError for a malformed URL rule, UsageError for invalid
    attributes.
    """
    options, records, ours = run.options, run.sources, run.configured
    types, usual_ocr = known_types(run), run.settings.documents.ocr or None
    if options.url_rule:
        compile_rules(options.url_rule)
    opened: list[Opened] = []
    moved: dict[str, Notice] = {}
    try:
        named = locations or [each.path for each in ours]
        for location in named if run.asked_for else ():
            with _kept_in(missing, _known_name(location, ours, records)):
                source, selection, known_as = _open(run, location, gone)
                opened.append((source, selection))
                if known_as is not None:
                    moved[known_as.name] = moved_notice(known_as, source.source)
                _tell_of_link(location, source.source, options.on_notice)
                _tell_of_checkout(location, source.source, options.on_notice)
        if not locations or options.rebuild:
            for record in _left(run, opened):
                for part in outer_parts(record.within):
                    with _kept_in(missing, record.source.name):
                        opened.append((_reopened(run, record, part), selection_of(record)))
        if missing and not opened:
            _raise(missing)
        _require_distinct(opened, records, moved, gone)
        for notice in (*moved.values(), *_lost_refs(opened, records)):
            options.on_notice(notice)
        parts: dict[str, set[str]] = {}
        for source, selection in opened:
            config = configured_at(Path(source.source.location, source.within).resolve(), ours)
            former = renamed([(source, selection)], records, run.settings.sources)
            names = (source.source.name, *sorted(former))
            known = [record for name in names for record in records if record.source.name == name]
            if source.source.name not in parts:
                parts[source.source.name] = {part for one in known for part in one.within}
            parts[source.source.name].add(source.within)
            remembered = [one.source for one in known]
            describe_source(source, remembered[:1], config, options, types)
            said = (options.ocr, config.ocr if config else None, usual_ocr)
            decide_ocr(source, remembered[:1], said)
        parts_of = {name: tuple(sorted(theirs)) for name, theirs in parts.items()}
        for source, _ in opened:
            source.parts = parts_of[source.source.name]
        share_settings(opened)
        require_whole([source for source, _ in opened], records)
        for notice in outdated_parts(opened, records, ours):
            options.on_notice(notice)
        yield opened
    finally:
        for source, _ in opened:
            source.close()


def _left(run: IndexRun, opened: Sequence[Opened]) -> list[SourceRecord]:
    """Return the known sources that are opened as in the catalog: that of a refresh, else all that
    are not open yet, also not under another name."""
    records, configured = run.sources, run.settings.sources
    if run.refresh is not None:
        return [one for one in records if one.source.name == run.refresh.source]
    given = {source.source.name for source, _ in opened}
    given |= renamed(opened, records, configured) | superseded(records, configured)
    return [one for one in records if one.source.name not in given]


def _lost_refs(opened: Sequence[Opened], records: Sequence[SourceRecord]) -> list[Notice]:
    """Return notices for sources whose run with a given ref was interrupted: this run does not use
    that ref for the remaining files."""
    unfinished = {one.source.name for one in records if not one.complete}
    found: dict[str, Notice] = {}
    for source in (one.source for one, _ in opened if one.named is not None):
        if source.pinned and source.name in unfinished:
            place, ref = shlex.quote(source.location), source.ref
            text = f"the run that gave {source.name} the revision {ref} was interrupted, and the"
            rest = f"files that it left are cited without it: pincite index {place} --ref {ref}"
            found[source.name] = Notice("ref_not_given", f"{text} {rest}")
    return list(found.values())


async def remember_refs(run: IndexRun, opened: Sequence[Opened]) -> None:
    """Tell open sources which contents were indexed under a ref that was not given again: these
    keep the ref."""
    for one, _ in opened:
        if one.named is None or not one.source.pinned:
            continue
        for info in run.held:
            known = await run.client.documents(info.spec.name, one.source.name)
            one.named = {**one.named, **content_of(known, one.source.ref)}


def _reopened(run: IndexRun, record: SourceRecord, part: str) -> OpenSource:
    """Reopen a known source to index it. An earlier run's ref does not apply to new content."""
    opened = reopen_source(record, part, folder=run.settings.index)
    opened.named = {}
    return opened


@contextmanager
def _kept_in(missing: dict[str, PinciteError] | None, name: str) -> Iterator[None]:
    """Add the error of a source that cannot be opened to `missing`; without it, raise the error."""
    try:
        yield
    except SourceError as error:
        if missing is None:
            raise
        missing[name] = error


def _raise(missing: Mapping[str, PinciteError]) -> NoReturn:
    """Raise the error for these sources, none of which can be opened."""
    if len(missing) == 1:
        raise next(iter(missing.values()))
    raise SourcesMissing(missing, len(missing), ())


def _open(
    run: IndexRun, location: str | Path, gone: Sequence[MissingSource]
) -> tuple[OpenSource, Selection, Source | None]:
    """Return an open source, its selection, and the known source that has moved there, if any."""
    place, options = _place(location), run.options
    configured = configured_at(place, run.configured)
    config = configured or SourceConfig(path=str(place))
    name = options.name or config.name
    known = _remembered(place, name, run.sources, run.configured)
    given = Selection(
        include=options.include or config.include,
        exclude=options.exclude or config.exclude,
        file_types=(*config.file_type_texts, *options.file_types),
    )

    def opened(known: Source | None, selection: Selection) -> OpenSource:
        before = known.ref if known and known.pinned else None
        found = open_source(
            location,
            name=name or (known.name if known else None),
            ref=options.ref or config.ref or before,
            url_rule=options.url_rule or config.url_rules or (known.url_rule if known else None),
            anchors=options.anchors or config.anchors or (known.anchors if known else "mkdocs"),
            limits=SourceLimits(),
            selection=selection,
            is_folder=known is not None and known.kind in ("folder", "file"),
        )
        if before and before == found.source.ref and not options.ref:
            found.named = {}
        return found

    records = () if configured else run.sources
    kept = kept_patterns(records, name or (known.name if known else None))
    first = selection = with_kept(given, kept)
    source = opened(known, first)
    moved = moved_from(source, gone, name, run.settings.index) if known is None else None
    if name is None and known is None:
        kept = kept_patterns(records, moved.name if moved else source.source.name)
        selection = with_kept(given, kept)
    if moved is not None or selection != first:
        source.close()
        source = opened(moved or known, selection)
    if source.within:
        try:
            check_part(source, place, given, kept, options.on_notice)
        except SourceError:
            source.close()
            raise
    return source, selection, moved


def _place(location: str | Path) -> Path:
    try:
        return Path(location).expanduser().resolve()
    except (OSError, RuntimeError) as error:  # a loop of links, or an unknown user
        raise SourceError(f"{location} cannot be reached: {error}") from error


def _known_name(
    location: str | Path, configured: Sequence[SourceConfig], records: Sequence[SourceRecord]
) -> str:
    """Return the name of a source that may be missing: from the catalog or the configuration, else
    its path."""
    try:
        place = _place(location)
    except SourceError:
        return str(location)
    config = configured_at(place, configured)
    name = config.name if config else None
    known = _remembered(place, name, records, configured)
    return known.name if known else name or str(place)


def _remembered(
    place: Path,
    name: str | None,
    records: Sequence[SourceRecord],
    configured: Sequence[SourceConfig],
) -> Source | None:
    """Return the known source at this place, or in the checkout around it, with the name if one is
    given; None if there is none, or more than one."""
    found = [
        record
        for record in records
        if place == Path(record.source.location)
        or (record.source.kind == "file" and str(place) in _files_of(record))
        or (record.source.kind == "git" and Path(record.source.location) in place.parents)
    ]
    former = superseded(found, configured)
    named = [
        record
        for record in found
        if (record.source.name not in former if name is None else record.source.name == name)
    ]
    return named[0].source if len(named) == 1 else None


def _files_of(record: SourceRecord) -> list[str]:
    return [str(Path(record.source.location, path)) for path in record.within]


def _require_distinct(
    opened: Sequence[Opened],
    records: Sequence[SourceRecord],
    moved: Collection[str],
    gone: Sequence[MissingSource],
) -> None:
    """Raise SourceError if two places have the same name. The former places of `moved` sources do
    not count."""
    known = {one.source.name: one.source.location for one in records}
    known = {name: location for name, location in known.items() if name not in moved}
    places: dict[str, str] = {}
    for one, _ in opened:
        name, location = one.source.name, one.source.location
        before = places.setdefault(name, location)
        if before != location:
            raise SourceError(
                f"two of these paths are named {name!r}: {before} and {location}",
                hint="index them one at a time, with --name NAME",
            )
        if known.get(name, location) != location:
            raise refuse(one, known[name], gone)


def _tell_of_link(
    location: str | Path, source: Source, on_notice: Callable[[Notice], None]
) -> None:
    """Send a notice if the location is a link. It is followed only now: if refreshes followed it, a
    change of the link would change the indexed files."""
    given = Path(location).expanduser()
    if given.is_symlink():
        text = f"{given} is a link to {given.resolve()}: that place is indexed, as {source.name}"
        on_notice(Notice("link_followed", f"{text}, and stays so if the link changes"))


def _tell_of_checkout(
    location: str | Path, source: Source, on_notice: Callable[[Notice], None]
) -> None:
    """Send a notice if a source stays a folder or a file although it is in a checkout now."""
    if source.kind not in ("folder", "file"):
        return
    place = _place(location)
    checkout = find_checkout(place if place.is_dir() else place.parent)
    if checkout is not None:
        name, kind = source.name, source.kind
        text = f"{name} was indexed before {checkout.top} was a checkout, and stays a {kind}"
        again = f"pincite collections forget {shlex.quote(name)}, then pincite index"
        to_do = f"to cite commits: {again} {shlex.quote(str(place))}"
        on_notice(Notice("not_in_checkout", f"{text} ({to_do})"))
