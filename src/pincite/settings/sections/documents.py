"""`[documents]`: OCR of PDF pages."""

from __future__ import annotations

import msgspec


class DocumentSettings(msgspec.Struct, frozen=True):
    """The table `[documents]` of pincite.toml. `ocr`: read pages of PDFs that are pictures with
    OCR, in sources without their own setting. If false, the previous setting of a source stays."""

    ocr: bool = False
