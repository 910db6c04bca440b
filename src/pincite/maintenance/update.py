"""Bring every collection up to date, as `pincite index` does without paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pincite.collection.members import visible
from pincite.errors import CollectionsFailed, PinciteError, SourcesMissing, UsageError
from pincite.ingest import index_sources
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import IngestReport, Progress
from pincite.ports import CollectionInfo, LeasedIndex
from pincite.settings.load import Settings
from pincite.support.fields import replace


async def update_all(
    settings: Settings,
    client: LeasedIndex,
    options: IndexOptions,
    progress: Callable[[Progress], None],
) -> tuple[IngestReport, ...]:
    """Index all sources of the collection of the options or of the environment; if neither names
    one, of every collection. One that fails does not stop the others.

    Raises the error of a single collection as it is, such as SourcesMissing, and CollectionsFailed,
    which has the reports of the others, if one of several fails. UsageError for options that change
    sources, if there are several collections: their sources may be kept apart for a reason.
    """
    named = options.collection or settings.collection
    names = (named,) if named else collections_of(settings, await client.collections())
    if len(names) > 1 and (given := of_sources(options)):
        raise UsageError(
            f"there are {len(names)} collections, and {given} would change the sources of all",
            hint=f"name one: --collection {names[0]}",
        )
    reports: list[IngestReport] = []
    failed: dict[str, PinciteError] = {}
    for name in names:
        chosen = replace(options, collection=name)
        try:
            reports += await index_sources(settings, client, (), chosen, progress)
        except PinciteError as error:
            if len(names) == 1:
                raise
            failed[name] = error
            if isinstance(error, SourcesMissing):
                reports += error.reports
    if failed:
        raise CollectionsFailed(failed, len(names), tuple(reports))
    return tuple(reports)


def of_sources(options: IndexOptions) -> str:
    """Return the names of the given options that change sources, for a message."""
    given = {
        "attributes": bool(options.attributes or options.attribute_texts),
        "the masking of secrets": options.mask_secrets is not None,
        "OCR": options.ocr is not None,
    }
    return ", ".join(name for name, is_given in given.items() if is_given)


def collections_of(settings: Settings, infos: Iterable[CollectionInfo]) -> tuple[str, ...]:
    """Return the names of all collections of the index, then those that only `[[source]]` tables
    name. If there are none, return the default one, whose run reports that it is empty."""
    default = settings.indexed_collection
    known = sorted(info.spec.public_name for info in visible(infos) if not info.foreign)
    configured = [each.collection or default for each in settings.sources]
    return tuple(dict.fromkeys([*known, *configured])) or (default,)
