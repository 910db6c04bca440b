"""What a document was indexed as: the name of its revision, and the record that is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b

from pincite.chunkers import lacks_grammar
from pincite.ingestion.read import ReadFile
from pincite.model import LEXICAL, CollectionSpec, DocumentRecord, Point
from pincite.model.descriptions import indexed_description
from pincite.readers import extracted_suffix, file_type, url_for
from pincite.readers.extractors import extractor_name
from pincite.readers.secrets import MASKED
from pincite.sources import Entry, OpenSource
from pincite.sources.including import state_of

#: A file that changed less than this before it was read may change again without a new time stamp.
RACY_NS = 2_000_000_000

#: From a source's name and a path to the other dense models that a document there may have been
#: indexed with and is to stay as it is.
MadeWith = Callable[[str, str], Iterable[str]]


#: Stands for the dense model in the revision of a document that lacks vectors of it.
UNEMBEDDED = "unembedded"


def made_with_no_other(_source: str, _path: str) -> tuple[str, ...]:
    """A `MadeWith` for documents that are in one collection only."""
    return ()


def also_unembedded(made_with: MadeWith) -> MadeWith:
    """The same, of documents that lack vectors, too."""
    return lambda source, path: (*made_with(source, path), UNEMBEDDED)


def revision_of(source: str, path: str, content_hash: str, fingerprint: str) -> str:
    """32 hex digits, unique to the document, its content and what the index is made with."""
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
) -> tuple[str, ...]:
    """What names everything but the content that makes a document's points what they are;
    `includes` as in `DocumentRecord`. The first is what it gets when it is indexed now, documents
    that have one of the others stay. Addresses and what pages show are written into their chunks,
    and so are part of it. Attributes are not: they change without embedding again."""
    parts = []
    url = url_for(path, opened.source.url_rule)
    if url is not None:
        parts += [opened.source.anchors, url]
    if not opened.source.front_matter and _has_front_matter(path):
        parts.append("no front matter")
    if made_of := opened.made_of(path):
        parts.append(made_of)
    if includes:
        parts.append(state_of(opened, path, includes.split("\n")))
    if opened.source.index_descriptions and (said := indexed_description(opened.source, path)):
        parts.append(f"described {said}")
    if opened.source.mask_secrets:
        parts.append(MASKED)
    if _lacks_grammar(path):
        parts.append("no grammar")  # cut again when there is one
    if opened.source.kind != "records" and (suffix := extracted_suffix(path)):
        parts.append(extractor_name(suffix, ocr=opened.source.ocr))
    return fingerprints(spec, parts, made_with(opened.source.name, path))


def fingerprints(
    spec: CollectionSpec, parts: Sequence[str], others: Iterable[str] = ()
) -> tuple[str, ...]:
    """As `fingerprints_of`: the `parts` are what a document's points are made of besides its
    content, the `others` dense models that it may have been indexed with."""
    return tuple(
        " ".join((spec.chunker, spec.sparse, dense, *parts))
        for dense in (spec.dense or LEXICAL, *spec.formerly, *others)
    )


def _lacks_grammar(path: str) -> bool:
    found = file_type(path, b"")
    return found is not None and lacks_grammar(found.language)


def _has_front_matter(path: str) -> bool:
    found = file_type(path, b"")
    return found is not None and found.language == "markdown"


def stamp(entry: Entry, now_ns: int) -> int:
    """The time stamp to remember: 0, which matches nothing, for a file that is still warm."""
    return 0 if abs(now_ns - entry.mtime_ns) < RACY_NS else entry.mtime_ns


def unembedded_revision(opened: OpenSource, record: DocumentRecord, spec: CollectionSpec) -> str:
    """The revision of a document as long as it lacks vectors of the collection's model."""
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
    """What the catalog keeps of a document that is indexed now and was read at `read_ns`."""
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
