"""How PDFs, office files and the like are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from pincite.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DocumentSettings:
    """The table `[documents]` of pincite.toml. `ocr` says whether pages of PDFs that are pictures
    are read by OCR, in sources that do not say it themselves; where it does not, these are read as
    before."""

    ocr: bool = False


def take_document_settings(table: dict[str, object], origin: str) -> DocumentSettings:
    """Take `[documents]` out of the table of `origin`. Raises ConfigError for an unknown key or a
    wrong value, naming where it stands."""
    given = table.pop("documents", {})
    if not isinstance(given, dict):
        raise ConfigError(f"{origin}: 'documents' is a table, not {given!r}")
    values: dict[str, Any] = dict(given)
    known = DocumentSettings.__dataclass_fields__
    unknown = next((key for key in values if key not in known), None)
    if unknown is not None:
        raise ConfigError(
            f"{origin}: unknown key 'documents.{unknown}'; known here: {', '.join(sorted(known))}"
        )
    try:
        return msgspec.convert(values, DocumentSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{origin}: documents: {error}") from error
