"""Sources that a configuration file describes: `[[source]]` tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pincite.errors import ConfigError, UsageError
from pincite.model import AnchorStyle, AttributeType
from pincite.model.descriptions import described
from pincite.settings.sections.attributes import check_given
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.support.wrong_values import path_of, said_of


class SourceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A `[[source]]` table: what to index, and how it is cited.

    `path` is relative to the folder of the file. Without `collection`, the default one is used.
    `url_rule` is one rule or several, of which the first that matches decides. `ref` names the
    revision of a source that records none itself, such as a folder or an archive. Values that are
    not set are detected, or stay as they were when the source was last indexed. `attributes` apply
    to all of its documents; earlier attributes with other names stay. `front_matter`: read
    attributes from the front matter of Markdown files. `descriptions` are those of folders and
    files below `path`; an empty text removes one. `ocr`: read pages of PDFs that are pictures with
    OCR. `file_types` are types by pattern, for files that are read as another type than their name
    says.
    """

    path: str
    collection: str = ""
    name: str | None = None
    ref: str | None = None
    url_rule: str | tuple[str, ...] = ()
    anchors: AnchorStyle | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    attributes: dict[str, Any] = {}
    front_matter: bool | None = None
    descriptions: dict[str, str] = {}
    index_descriptions: bool | None = None
    mask_secrets: bool | None = None
    ocr: bool | None = None
    file_types: dict[str, str] = {}

    @property
    def url_rules(self) -> str | None:
        """Return the rules in the form of `Source.url_rule`, one per line; None for none."""
        rules = (self.url_rule,) if isinstance(self.url_rule, str) else self.url_rule
        return "\n".join(rules) or None

    @property
    def file_type_texts(self) -> tuple[str, ...]:
        """Return the file types in the form of `Source.file_types`. Raises UsageError."""
        if not self.file_types:
            return ()
        from pincite.sources.file_type_patterns import file_type_text  # late: few sources have any

        return tuple(file_type_text(pattern, name) for pattern, name in self.file_types.items())


def sources_from(
    table: object,
    origin: str,
    folder: Path,
    collection: str = "",
    declared: Mapping[str, AttributeType] = {},  # it is only read
) -> tuple[SourceConfig, ...]:
    """Return the `[[source]]` tables of a file in `folder`, with absolute paths. Those without a
    collection get `collection`. `declared` are the declared types of attributes.

    Raises ConfigError, with `origin` and the key, for an unknown key, a value of a wrong type, or
    an invalid rule, attribute, description or file type.
    """
    try:
        found = msgspec.convert(table, ready(tuple[SourceConfig, ...]))
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{origin}: {said_of(error, tuple[SourceConfig, ...], ('source',))}",
            hint=f"known keys: {', '.join(SourceConfig.__struct_fields__)}",
            at=("source", *path_of(error)),
        ) from error
    for position, each in enumerate(found, 1):
        at = ("source", str(position))
        where = f"{origin}: [[source]] {each.path}"
        check_given(each.attributes, declared, f"{where}: attributes", (*at, "attributes"))
        try:
            described({}, each.descriptions)
        except ValueError as error:
            raise ConfigError(
                f"{where}: descriptions: {error}",
                hint='paths count from the source: descriptions = { "guides/" = "For operators" }',
                at=(*at, "descriptions"),
            ) from error
        try:
            _ = each.file_type_texts
        except UsageError as error:
            said = f"{where}: {error.message}"
            raise ConfigError(said, hint=error.hint, at=(*at, "file_types")) from error
        if each.url_rules:
            try:
                from pincite.readers.urls import compile_rules  # late: few sources have rules

                compile_rules(each.url_rules)
            except ConfigError as error:
                said = f"{origin}: {error.message}"
                raise ConfigError(said, hint=error.hint, at=(*at, "url_rule")) from error
    places = [folder / Path(each.path).expanduser() for each in found]
    return tuple(
        replace(each, path=str(place.absolute()), collection=each.collection or collection)
        for each, place in zip(found, places, strict=True)
    )


def configured_at(place: Path, sources: Sequence[SourceConfig]) -> SourceConfig | None:
    """Return the table for a resolved path, or None."""
    return next((each for each in sources if Path(each.path).resolve() == place), None)
