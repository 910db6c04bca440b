"""The settings of a source: from the options, else the configuration, else the catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.errors import ConfigError
from pincite.ingestion.attributes.of_sources import attributes_of_source
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.sources.source_records import Opened
from pincite.model import AttributeType, Source
from pincite.model.attributes import type_of
from pincite.model.descriptions import described
from pincite.readers.extraction.extractors import OCR, ocr_is_missing
from pincite.settings.sections.sources import SourceConfig
from pincite.sources import OpenSource
from pincite.sources.file_type_patterns import with_file_types
from pincite.support.fields import replace


def describe_source(
    opened: OpenSource,
    remembered: Sequence[Source],
    config: SourceConfig | None,
    options: IndexOptions,
    types: dict[str, AttributeType],
) -> None:
    """Set the attributes of an open source, and its settings for front matter, descriptions and
    masking. The types of new attributes are added to `types`. A source of records has none."""
    source = opened.source
    if source.kind == "records":
        return  # each of them has its own
    plain = replace(source, attributes={}, front_matter=True, descriptions={})
    before = remembered[0] if remembered else plain
    given = config.attributes if config else {}
    values = attributes_of_source(source.name, before.attributes, given, options, types)
    types.update({n: kind for n, v in values.items() if n not in types and (kind := type_of(v))})
    said = config.front_matter if config else None
    front_matter = before.front_matter if said is None else said
    masked = options.mask_secrets
    if masked is None and config:
        masked = config.mask_secrets
    indexed = config.index_descriptions if config else None
    opened.source = replace(
        source,
        attributes=values,
        front_matter=front_matter,
        descriptions=_described(opened, before, config),
        index_descriptions=before.index_descriptions if indexed is None else indexed,
        mask_secrets=before.mask_secrets if masked is None else masked,
    )


def _described(
    opened: OpenSource, before: Source, config: SourceConfig | None
) -> Mapping[str, str]:
    """Return the descriptions of the folders of a source. Raises ConfigError."""
    if config is None:
        return before.descriptions
    try:
        return described(before.descriptions, config.descriptions, opened.within)
    except ValueError as error:
        raise ConfigError(f"[[source]] {config.path}: descriptions: {error}") from error


def share_settings(opened: Sequence[Opened]) -> None:
    """Share settings between the parts of a source, which have one record in the catalog: each part
    gets the folder descriptions and file types of all, and masking, OCR and the indexing of
    descriptions if one of them has it."""
    for name in {one.source.name for one, _ in opened}:
        parts = [one for one, _ in opened if one.source.name == name]
        if len(parts) < 2:
            continue
        said = {path: text for one in parts for path, text in one.source.descriptions.items()}
        given = [text for one in parts for text in one.source.file_types]
        for one in parts:
            one.source = replace(
                one.source,
                descriptions={path: said[path] for path in sorted(said)},
                index_descriptions=any(each.source.index_descriptions for each in parts),
                mask_secrets=any(each.source.mask_secrets for each in parts),
                ocr=any(each.source.ocr for each in parts),
                file_types=with_file_types((), given),
            )


def decide_ocr(
    opened: OpenSource, remembered: Sequence[Source], said: Sequence[bool | None]
) -> None:
    """Set whether pages that are pictures are read with OCR: the first value in `said` that is not
    None counts, else the previous one. Raises ConfigError if it is requested and OCR is not
    installed."""
    if opened.source.kind == "records":
        return
    asked = next((one for one in said if one is not None), None)
    if asked and ocr_is_missing():
        raise ConfigError(
            f"{opened.source.name} needs OCR, which is not installed",
            hint=f"pip install 'pincite[{OCR}]'",
        )
    before = remembered[0].ocr if remembered else False
    opened.source = replace(opened.source, ocr=before if asked is None else asked)
