"""`[documents]`: OCR of PDF pages."""

from __future__ import annotations

import msgspec


class DocumentSettings(msgspec.Struct, frozen=True):
    """The table `[documents]` of pincite.toml. `ocr` says whether pages of PDFs that are pictures
    are read by OCR, in sources that do not say it themselves; where it does not, these are read as
    before."""

    ocr: bool = False
