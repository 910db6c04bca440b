"""`[documents]`: OCR of PDF pages."""

from __future__ import annotations

import msgspec

from pincite.settings.file.tables import take_table


class DocumentSettings(msgspec.Struct, frozen=True):
    """The table `[documents]` of pincite.toml. `ocr` says whether pages of PDFs that are pictures
    are read by OCR, in sources that do not say it themselves; where it does not, these are read as
    before."""

    ocr: bool = False


def take_document_settings(table: dict[str, object], origin: str) -> DocumentSettings:
    """Take `[documents]` out of the table of `origin`. Raises ConfigError for an unknown key or a
    wrong value, naming where it stands."""
    return take_table(table, "documents", DocumentSettings, origin)
