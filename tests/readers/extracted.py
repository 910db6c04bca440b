"""Extractions of office files, and the members of such files."""

from __future__ import annotations

from pincite.readers.extraction.extractors import extractor_name
from pincite.readers.extraction.process import extract_here
from pincite.readers.extraction.result import Extraction, fault_of


def extracted(suffix: str, raw: bytes) -> Extraction:
    """An extraction that keeps the law, the same each time."""
    found = extract_here(suffix, raw)
    assert fault_of(found) == ""
    assert found == extract_here(suffix, raw)
    assert found.extractor == extractor_name(suffix)
    return found


def parts(found: Extraction) -> list[tuple[int, str, str]]:
    return [(one.page, one.kind, found.text[one.start : one.end]) for one in found.elements]


def member(raw: bytes, name: str) -> str:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return archive.read(name).decode()
