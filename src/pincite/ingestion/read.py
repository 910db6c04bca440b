"""Turn a file into a document, with the content that it includes from other files."""

from __future__ import annotations

from collections.abc import Mapping

from pincite.chunkers import lacks_grammar
from pincite.errors import SourceError
from pincite.ingestion.batch import ReadFile, SkippedFile
from pincite.ingestion.refusals import Refusals
from pincite.model import Document
from pincite.model.descriptions import indexed_description
from pincite.readers import (
    content_hash_of,
    extracted_document,
    extracted_suffix,
    read_noted,
)
from pincite.readers.extraction.extractors import extractor_name
from pincite.readers.extraction.result import reason_of
from pincite.readers.extraction.run import extract
from pincite.readers.front_matter import FrontMatter, front_matter_of
from pincite.readers.given_types import type_of
from pincite.readers.includes import expand_includes
from pincite.readers.transcripts import is_lines
from pincite.sources import Entry, OpenSource, reject_content
from pincite.sources.including import leads_out, read_included
from pincite.support.fields import replace

_LANGUAGES = "cut by blank lines; by its syntax with: pip install 'pincite[languages]'"

#: Codes of refusals that another attempt, or another machine, may not have.
_COSTLY = ("timed_out", "too_large", "failed")
_AGAIN = "; not tried again without --retry"


def read(
    opened: OpenSource, entry: Entry, refusals: Refusals | None = None
) -> ReadFile | SkippedFile:
    """Return the document in a file, with the descriptions of its folders if those are indexed, or
    the reason why there is none. Files in `refusals` are not tried again. Raises SourceError if the
    file cannot be read, and unexpected errors of readers."""
    found = _read(opened, entry, refusals)
    if isinstance(found, SkippedFile) or not opened.source.index_descriptions:
        return found
    said = indexed_description(opened.source, entry.path)
    return replace(found, document=replace(found.document, described=said))


def _read(opened: OpenSource, entry: Entry, refusals: Refusals | None) -> ReadFile | SkippedFile:
    if (document := opened.document(entry)) is not None:
        return ReadFile(document)
    raw = opened.read(entry)
    if extracted_suffix(entry.path):
        return _extracted(opened, entry, raw, refusals)
    if (reason := reject_content(entry.path, raw)) is not None:
        return SkippedFile(entry.path, reason.code, reason.detail)
    if type_of(opened.source, entry.path, raw[:256]) is None:
        return SkippedFile(entry.path, "unsupported")
    source = opened.source
    ref = opened.ref_for(entry, content_hash_of(raw), raw)
    document, remarks = read_noted(raw, source=source, path=entry.path, ref=ref)
    found = _with_inclusions(opened, document)
    address = _unaddressed(opened, document)
    front = FrontMatter()
    if source.front_matter and _may_have_front_matter(document):
        front = front_matter_of(document.text)
        if document.language == "transcript":  # these are attributes of its turns
            of_turns = ("role", "time", "session")
            front = replace(front, values=_without(front.values, of_turns))
    broken = (f"front_matter_invalid: {front.problem}",) if front.problem else ()
    lacking = lacks_grammar(document.language)
    uncut = (f"no_grammar: {document.language}, {_LANGUAGES}",) if lacking else ()
    notes = (*found.notes, *address, *broken, *uncut, *remarks)
    return replace(found, notes=notes, fields=front.values)


def _may_have_front_matter(document: Document) -> bool:
    in_markdown = document.language == "transcript" and not is_lines(document.path)
    return in_markdown or document.language == "markdown"


def _without(values: Mapping[str, object], names: tuple[str, ...]) -> Mapping[str, object]:
    return {name: value for name, value in values.items() if name not in names}


def _extracted(
    opened: OpenSource, entry: Entry, raw: bytes, refusals: Refusals | None
) -> ReadFile | SkippedFile:
    """Return the document in a PDF, an office file or a notebook, or the reason why there is
    none."""
    content_hash = content_hash_of(raw)
    ocr = opened.source.ocr
    key = (content_hash, extractor_name(extracted_suffix(entry.path), ocr=ocr))
    if refusals is not None and (known := refusals.known(*key)) is not None:
        code, detail = known
        again = _AGAIN if code in _COSTLY else ""
        return SkippedFile(entry.path, code, f"{detail}{again}")
    retry = refusals is not None and refusals.retry
    try:
        found = extract(entry.path, raw, content_hash, ocr=ocr, again=retry)
    except SourceError as error:
        code, detail = reason_of(error)
        if refusals is not None and code != "no_extractor":
            refusals.keep(*key, code, detail)
        return SkippedFile(entry.path, code, detail)
    if refusals is not None and retry:
        refusals.forget(*key)
    ref = opened.ref_for(entry, content_hash, raw)
    document = extracted_document(
        found, content_hash, source=opened.source, path=entry.path, ref=ref
    )
    return ReadFile(
        document, notes=(*found.notes, *_unaddressed(opened, document)), images=found.images
    )


def _unaddressed(opened: OpenSource, document: Document) -> tuple[str, ...]:
    lacking = opened.source.url_rule and document.source_type == "docs" and document.url is None
    return ("no_address: no URL rule matches",) if lacking else ()


def _with_inclusions(opened: OpenSource, document: Document) -> ReadFile:
    """Return a page with the content that it includes from other files. The notes name files that
    are missing or outside of the source."""
    if document.language != "markdown":
        return ReadFile(document)
    path = document.path
    found = expand_includes(document.text, lambda name: read_included(opened, path, name))
    notes = tuple(
        f"include_{'outside' if leads_out(path, target) else 'missing'}: {target}"
        for target in found.missing
    )
    document = replace(document, inclusions=found.texts)
    return ReadFile(document, "\n".join(found.files), notes)
