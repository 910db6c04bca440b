"""The table of extractors by suffix.

The modules are imported by the process that extracts (`readers.extraction.process`), never here.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Final

import msgspec

from pincite.model import PageUnit

#: The packages of `pip install 'pincite[documents]'`.
DOCUMENTS: Final = "documents"
#: The packages of `pip install 'pincite[ocr]'`, on which its text depends: other versions of
#: numeric libraries may change a letter.
OCR: Final = "ocr"
OCR_PACKAGES: Final = ("rapidocr", "onnxruntime", "opencv-python-headless")


class Registered(msgspec.Struct, frozen=True):
    """A registered extractor: `function` of `module` returns the `Extraction` of a file's bytes. It
    raises SourceError with the reason if there is no text (encrypted, broken, empty), and
    unexpected errors of its library. It may hang or take all memory, so it runs in a separate
    process. `unit` is the kind of page it usually counts, `extra` the extra to install, "" for
    none. `packages` are those that the text depends on. `rules` is raised whenever equal bytes may
    give another text than before. `recognisers` are the packages that read picture pages on
    request, empty if there are no such pages."""

    module: str
    function: str
    unit: PageUnit
    extra: str = DOCUMENTS
    packages: tuple[str, ...] = ()
    rules: int = 2
    recognisers: tuple[str, ...] = ()


_PDF = Registered(
    "pincite.readers.pdf.extract",
    "extract_pdf",
    "page",
    packages=("pypdfium2", "pillow"),
    rules=7,
    recognisers=OCR_PACKAGES,
)
_DOCX = Registered(
    "pincite.readers.office.docx",
    "extract_docx",
    "page",
    packages=("python-docx", "lxml"),
    rules=4,
)
_PPTX = Registered(
    "pincite.readers.office.pptx",
    "extract_pptx",
    "slide",
    packages=("python-pptx", "lxml"),
    rules=4,
)
_XLSX = Registered(
    "pincite.readers.office.xlsx", "extract_xlsx", "sheet", packages=("openpyxl",), rules=4
)
_EPUB = Registered(
    "pincite.readers.office.epub", "extract_epub", "chapter", packages=("lxml",), rules=4
)
_NOTEBOOK = Registered("pincite.readers.office.notebook", "extract_notebook", "cell", extra="")

EXTRACTORS: Final = {
    "pdf": _PDF,
    "docx": _DOCX,
    "pptx": _PPTX,
    "pptm": _PPTX,
    "xlsx": _XLSX,
    "xlsm": _XLSX,
    "epub": _EPUB,
    "ipynb": _NOTEBOOK,
}


def extracted_suffix(path: str) -> str:
    """Return the suffix of a file for text extraction, "" for any other file."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    suffix = suffix.lower()
    return suffix if dot and stem and suffix in EXTRACTORS else ""


def extractor_name(suffix: str, *, ocr: bool = False) -> str:
    """Return name and versions of the extractor of this suffix, including OCR if it is on: a change
    makes its files new."""
    one = EXTRACTORS[suffix]
    name = one.function.removeprefix("extract_")
    packages = (f"{package}/{_version(package) or 'none'}" for package in _needed(one, ocr))
    return " ".join((f"{name}/{one.rules}", *packages))


def is_missing(suffix: str, *, ocr: bool = False) -> bool:
    """Return whether this extractor, or a library that it needs, is not installed."""
    one = EXTRACTORS[suffix]
    return not _is_there(one.module) or not all(map(_version, _needed(one, ocr)))


def recognises(suffix: str) -> bool:
    """Return whether files of this suffix may have pages for OCR."""
    return bool(EXTRACTORS[suffix].recognisers)


def ocr_is_missing() -> bool:
    """Return whether OCR is not installed."""
    return not all(map(_version, OCR_PACKAGES))


def _needed(one: Registered, ocr: bool) -> tuple[str, ...]:
    return (*one.packages, *(one.recognisers if ocr else ()))


@lru_cache(maxsize=64)
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # late: it takes 8 ms

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@lru_cache(maxsize=64)
def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
