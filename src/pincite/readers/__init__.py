"""Turn the bytes of one file into a `Document`."""

from __future__ import annotations

import hashlib

from pincite.errors import SourceError
from pincite.model import Document, Source
from pincite.readers.decoding import decode, is_guessed
from pincite.readers.extraction.extractors import extracted_suffix
from pincite.readers.extraction.result import Extraction
from pincite.readers.extraction.run import extract
from pincite.readers.given_types import given_type, type_of
from pincite.readers.headers import header_language
from pincite.readers.languages import (
    LANGUAGES,
    FileType,
    dot_t_type,
    file_type,
    is_dot_t,
    is_header,
    may_be_manual,
    may_be_read,
)
from pincite.readers.markdown_transcripts import is_markdown_transcript
from pincite.readers.remarks import remarks_of
from pincite.readers.secrets import without_secrets
from pincite.readers.titles import title_of
from pincite.readers.transcripts import is_lines, is_transcript
from pincite.readers.urls import compile_rules, url_for

__all__ = [
    "LANGUAGES",
    "FileType",
    "compile_rules",
    "content_hash_of",
    "extracted_document",
    "extracted_suffix",
    "file_type",
    "is_header",
    "may_be_manual",
    "may_be_read",
    "read_document",
    "read_noted",
    "text_in",
    "url_for",
]


def content_hash_of(raw: bytes) -> str:
    """Return the SHA-256 in hex, which identifies the content of a document."""
    return hashlib.sha256(raw).hexdigest()


def read_document(raw: bytes, *, source: Source, path: str, ref: str) -> Document:
    """Return the document in `raw`. Raises SourceError for a type without a reader (check with
    `file_type` first) and for a file without extractable text, ConfigError for a malformed URL
    rule."""
    return read_noted(raw, source=source, path=path, ref=ref)[0]


def read_noted(
    raw: bytes, *, source: Source, path: str, ref: str
) -> tuple[Document, tuple[str, ...]]:
    """Return the document, and remarks on how it was read, each as `code: detail`. Raises what
    `read_document` does."""
    given = given_type(source, path)
    found = given or file_type(path, raw[:256])
    if found is None:
        raise SourceError(
            f"{path} has a file type that Pincite does not read.", hint="see `pincite doctor`"
        )
    if extracted_suffix(path):
        content_hash = content_hash_of(raw)
        extraction = extract(path, raw, content_hash, ocr=source.ocr)
        document = extracted_document(extraction, content_hash, source=source, path=path, ref=ref)
        return document, extraction.notes
    text, encoding = text_in(raw, source, path)
    if is_lines(path) and given is None:
        found = FileType("transcript", "docs") if is_transcript(text) else found
    elif found.language == "markdown" and not is_lines(path) and is_markdown_transcript(text):
        found = FileType("transcript", "docs")
    elif given is not None:
        pass  # content decides nothing else
    elif is_header(path):
        found = FileType(header_language(text), "code")
    elif is_dot_t(path):
        found = dot_t_type(text)
    document = Document(
        source=source.name,
        ref=ref,
        path=path,
        text=text,
        encoding=encoding,
        content_hash=content_hash_of(raw),
        source_type=found.source_type,
        language=found.language,
        title=title_of(text, path, found.language),
        url=url_for(path, source.url_rule),
        anchors=source.anchors,
    )
    is_guess = is_guessed(raw, found.language, encoding)
    guessed = (f"encoding_guessed: {encoding}",) if is_guess else ()
    return document, (*guessed, *remarks_of(document))


def text_in(raw: bytes, source: Source, path: str) -> tuple[str, str]:
    """Return the citable text of a file, and its encoding. Likely secrets are masked if its source
    says so."""
    found = type_of(source, path, raw[:256])
    text, encoding = decode(raw, found.language if found else "")
    return (without_secrets(text, path) if source.mask_secrets else text), encoding


def _title(extraction: Extraction, source: Source) -> str:
    title = extraction.title
    return without_secrets(title, "") if source.mask_secrets else title


def extracted_document(
    extraction: Extraction, content_hash: str, *, source: Source, path: str, ref: str
) -> Document:
    """Return the document that an extractor has made from the bytes with that hash. Raises
    SourceError for a type without a reader."""
    found = file_type(path)
    if found is None:
        raise SourceError(
            f"{path} has a file type that Pincite does not read.", hint="see `pincite doctor`"
        )
    masked = source.mask_secrets
    return Document(
        source=source.name,
        ref=ref,
        path=path,
        text=without_secrets(extraction.text, path) if masked else extraction.text,
        encoding="",
        content_hash=content_hash,
        source_type=found.source_type,
        language=found.language,
        title=_title(extraction, source) or path.rpartition("/")[2],
        url=url_for(path, source.url_rule),
        cited_in=extraction.unit,
        pages=extraction.pages,
        extractor=extraction.extractor,
        elements=extraction.elements,
    )
