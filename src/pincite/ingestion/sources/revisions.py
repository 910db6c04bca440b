"""Revisions of documents, and their records in the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b

from pincite.chunkers import grammar_revision, lacks_grammar, line_revision, outlined
from pincite.ingestion.batch import ReadFile
from pincite.model import LEXICAL, CollectionSpec, DocumentRecord, Point
from pincite.model.descriptions import indexed_description
from pincite.readers import (
    FileType,
    extracted_suffix,
    is_header,
    may_be_manual,
    url_for,
)
from pincite.readers.extraction.extractors import extractor_name
from pincite.readers.given_types import type_mark, type_of
from pincite.readers.headers import HEADER_RULES
from pincite.readers.secrets import MASKED
from pincite.sources import Entry, OpenSource
from pincite.sources.including import state_of
from pincite.support.fields import replace

#: Nanoseconds: a file that changed so shortly before it was read may change again with the same
#: time stamp.
RACY_NS = 2_000_000_000

#: Revision of the rules by language. Increase it if readers return another text than before,
#: another text is indexed, or texts are cut in another way.
_TEXT_RULES = {
    "markdown": 2,
    "html": 3,
    "rst": 1,
    "asciidoc": 2,
    "org": 2,
    "roff": 2,
    "transcript": 2,
    "xml": 1,
    "json": 1,
    "yaml": 1,
    "toml": 1,
    "ini": 1,
    "pdf": 1,
    "word": 1,
    "slides": 1,
    "epub": 1,
    "notebook": 1,
}

#: Returns, for a source's name and a path, the fingerprints of other dense models with which the
#: document may have been indexed; such a document counts as unchanged.
MadeWith = Callable[[str, str], Iterable[str]]


#: Replaces the dense model in the revision of a document that lacks its vectors.
UNEMBEDDED = "unembedded"


def made_with_no_other(_source: str, _path: str) -> tuple[str, ...]:
    """Return (): a `MadeWith` for documents that are in one collection only."""
    return ()


def also_unembedded(made_with: MadeWith) -> MadeWith:
    """Return a `MadeWith` that also accepts documents without vectors."""
    return lambda source, path: (*made_with(source, path), UNEMBEDDED)


def revision_of(source: str, path: str, content_hash: str, fingerprint: str) -> str:
    """Return 32 hex digits, unique to the document, its content and the fingerprint of the
    index."""
    parts = (source, path, content_hash, fingerprint)
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()


def fingerprints_of(
    opened: OpenSource,
    path: str,
    includes: str,
    spec: CollectionSpec,
    made_with: MadeWith = made_with_no_other,
    definitions: int | None = None,
    text: int | None = None,
) -> tuple[str, ...]:
    """Return fingerprints of everything, except the content, that determines a document's points.
    `includes` is as in `DocumentRecord`. The first is that of a document indexed now; documents
    with one of the others count as unchanged. URLs and included content are stored in chunks, so
    they are part of the fingerprint. Attributes are not: they change without new vectors.
    `definitions` and `text` replace `definitions_revision` and `text_revision`."""
    parts, mark = [], type_mark(opened.source, path)
    url = url_for(path, opened.source.url_rule)
    if url is not None:
        parts += [opened.source.anchors, url]
    found = type_of(opened.source, path)
    if not opened.source.front_matter and found is not None and found.language == "markdown":
        parts.append("no front matter")
    if made_of := opened.made_of(path):
        parts.append(made_of)
    if includes:
        parts.append(state_of(opened, path, includes.split("\n")))
    if opened.source.index_descriptions and (said := indexed_description(opened.source, path)):
        parts.append(f"described {said}")
    if opened.source.mask_secrets:
        parts.append(MASKED)
    if found is not None and lacks_grammar(found.language):
        parts.append("no grammar")  # cut again when a grammar is available
    if found is not None and found.source_type == "code" and outlined(found.language):
        parts.append("by line")
    revision = definitions_revision(found) if definitions is None else definitions
    if revision:
        parts.append(f"definitions {revision}")
    rules = text_revision(opened, path, found) if text is None else text
    if rules:
        parts.append(f"text {rules}")
    if is_header(path) and opened.source.kind != "records" and not mark:
        parts.append(f"header {HEADER_RULES}")
    if opened.source.kind != "records" and (suffix := extracted_suffix(path)):
        parts.append(extractor_name(suffix, ocr=opened.source.ocr))
    if mark:
        parts.append(mark)
    return fingerprints(spec, parts, made_with(opened.source.name, path))


def definitions_revision(found: FileType | None) -> int:
    """Return the revision of the rules that find definitions in this file type, 0 for none."""
    if found is None:
        return 0
    if found.source_type == "code" and outlined(found.language):
        return line_revision(found.language)
    return grammar_revision(found.language)


def text_revision(opened: OpenSource, path: str, found: FileType | None) -> int:
    """Return the revision of the rules for the text of this file type, 0 for none."""
    if opened.source.kind == "records":
        return 0
    if found is None:
        return _TEXT_RULES["roff"] if may_be_manual(path) else 0
    return _TEXT_RULES.get(found.language, 0)


def fingerprints(
    spec: CollectionSpec, parts: Sequence[str], others: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return fingerprints as `fingerprints_of` does. `parts` are everything besides the content
    that determines a document's points; `others` are further accepted dense models."""
    return tuple(
        " ".join((spec.chunker, spec.sparse, dense, *parts))
        for dense in (spec.dense or LEXICAL, *spec.formerly, *others)
    )


def stamp(entry: Entry, now_ns: int) -> int:
    """Return the time stamp to store: 0, which no file has, for a file that changed less than 2 s
    before (or after) `now_ns`."""
    return 0 if abs(now_ns - entry.mtime_ns) < RACY_NS else entry.mtime_ns


def unembedded_revision(opened: OpenSource, record: DocumentRecord, spec: CollectionSpec) -> str:
    """Return the revision of a document that lacks vectors of the collection's model."""
    lacking = replace(spec, dense=UNEMBEDDED)
    made_as = fingerprints_of(opened, record.path, record.includes, lacking)[0]
    return revision_of(record.source, record.path, record.content_hash, made_as)


def record_of(
    opened: OpenSource,
    entry: Entry,
    read: ReadFile,
    points: Sequence[Point],
    spec: CollectionSpec,
    read_ns: int,
) -> DocumentRecord:
    """Return the catalog's record of a document that is indexed now and was read at `read_ns`."""
    document, source = read.document, opened.source
    made_as = fingerprints_of(opened, entry.path, read.includes, spec)[0]
    return DocumentRecord(
        source=source.name,
        path=entry.path,
        revision=revision_of(source.name, entry.path, document.content_hash, made_as),
        content_hash=document.content_hash,
        ref=document.ref,
        size=entry.size,
        mtime_ns=stamp(entry, read_ns),
        chunks=len(points),
        tokens=sum(point.length for point in points),
        source_type=document.source_type,
        includes=read.includes,
        notes="\n".join(read.notes),
        chunk_attributes="\n".join(sorted(read.chunk_attributes)),
        attributes=document.attributes,
        inherited=read.inherited,
    )
