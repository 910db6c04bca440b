"""Which extractor reads which files: a line of a table for each suffix.

The modules are imported by the process that extracts (`extraction_process`), never here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final

from pincite.model import PageUnit

#: What is installed with `pip install 'pincite[documents]'`.
DOCUMENTS: Final = "documents"
#: What is installed with `pip install 'pincite[ocr]'`, and what its text depends on: other versions
#: of what computes may tip a letter.
OCR: Final = "ocr"
OCR_PACKAGES: Final = ("rapidocr", "onnxruntime", "opencv-python-headless")


@dataclass(frozen=True, slots=True)
class Registered:
    """An `Extractor`: `function` of `module`. `unit` is what it usually counts, `extra` what must
    be installed, "" for nothing. `packages` are those that the text depends on. `rules` is raised
    whenever equal bytes may give another text than before. `recognisers` are what reads pages that
    are pictures, where that is asked for; nothing where no such pages are read."""

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
    recognisers=OCR_PACKAGES,
)
_DOCX = Registered(
    "pincite.readers.office.docx", "extract_docx", "page", packages=("python-docx", "lxml")
)
_PPTX = Registered(
    "pincite.readers.office.pptx", "extract_pptx", "slide", packages=("python-pptx", "lxml")
)
_XLSX = Registered("pincite.readers.office.xlsx", "extract_xlsx", "sheet", packages=("openpyxl",))
_EPUB = Registered("pincite.readers.office.epub", "extract_epub", "chapter", packages=("lxml",))
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
    """The suffix of a file whose text is extracted, "" for any other file."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    suffix = suffix.lower()
    return suffix if dot and stem and suffix in EXTRACTORS else ""


def extractor_name(suffix: str, *, ocr: bool = False) -> str:
    """Name and versions of the extractor of this suffix, with what reads pictures where that is
    asked for: another one makes its files new."""
    one = EXTRACTORS[suffix]
    name = one.function.removeprefix("extract_")
    packages = (f"{package}/{_version(package) or 'none'}" for package in _needed(one, ocr))
    return " ".join((f"{name}/{one.rules}", *packages))


def is_missing(suffix: str, *, ocr: bool = False) -> bool:
    """Is this extractor, or a library that it needs, not installed?"""
    one = EXTRACTORS[suffix]
    return not _is_there(one.module) or not all(map(_version, _needed(one, ocr)))


def recognises(suffix: str) -> bool:
    """May files of this suffix have pages that OCR can read?"""
    return bool(EXTRACTORS[suffix].recognisers)


def ocr_is_missing() -> bool:
    """Is what reads pictures not installed?"""
    return not all(map(_version, OCR_PACKAGES))


def _needed(one: Registered, ocr: bool) -> tuple[str, ...]:
    return (*one.packages, *(one.recognisers if ocr else ()))


@lru_cache(maxsize=64)
def _version(package: str) -> str:
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
