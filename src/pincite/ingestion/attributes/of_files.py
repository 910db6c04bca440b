"""The attributes of a file: those of its source, its own, and those of its chunks.

A document's own value overrides its source's, and a chunk's overrides both. But files cannot change
attributes that a collection requires: if the source has a value for such a name, only that value
counts. Otherwise an untrusted file could make itself a document of another user.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from pincite.errors import InvalidAttribute
from pincite.ingestion.attributes.normalise import lacking, normalise
from pincite.ingestion.batch import ReadFile, SkippedFile
from pincite.model import (
    AttributeType,
    AttributeValue,
    CollectionSpec,
    DocumentRecord,
    Section,
    Source,
)
from pincite.model.attributes import MOST_ATTRIBUTES
from pincite.support.fields import replace

#: If a collection has this number of attributes, files cannot add more: stores make an index of
#: each.
MOST_INFERRED = 256  # guess, unmeasured
_MOST_NOTES = 10  # of one file
_TITLE = "title"  # the document's title, see `readers.titles`
_KEPT = "attribute_kept"  # a value that was ignored; the file is read again once it may count


class Described(msgspec.Struct, frozen=True):
    """A file and its sections, with their attributes. `new` has the types of names that are new to
    the collection."""

    file: ReadFile
    sections: tuple[Section, ...]
    new: Mapping[str, AttributeType]


def attributed(
    file: ReadFile, sections: Sequence[Section], source: Source, spec: CollectionSpec
) -> Described | SkippedFile:
    """Return the file with its attributes. Invalid ones become notes. A file without a value that
    the collection requires is skipped."""
    taking = _Taking(spec, file.document.path)
    document = file.document
    parts = tuple(_with_attributes(section, taking) for section in sections)
    of_chunks = {name for section in parts for name in section.attributes}
    inherited = {n: value for n, value in source.attributes.items() if n not in of_chunks}
    kept = kept_names(source, spec)
    own: dict[str, AttributeValue] = {}
    for name, value in {**file.fields, **document.attributes}.items():
        if name == _TITLE:
            continue
        if name in of_chunks:
            taking.note("attribute_of_chunks", f"{name}: its chunks have values of their own")
        elif name in kept:
            if taking.take(name, value) is not None:
                taking.note(_KEPT, _kept_detail(name))
        elif len({*own, *inherited, *of_chunks, name}) > MOST_ATTRIBUTES:
            taking.note(
                "attribute_too_many", f"{name}: a document can have at most {MOST_ATTRIBUTES}"
            )
        elif (held := taking.take(name, value)) is not None:
            own[name] = held
    missing = lacking(spec.require, {**inherited, **own})
    if missing:
        return SkippedFile(document.path, "tags_missing", ", ".join(missing))
    described = replace(
        file,
        document=replace(document, attributes=own),
        inherited=inherited,
        chunk_attributes=frozenset(of_chunks),
        notes=(*file.notes, *taking.notes),
    )
    return Described(described, parts, taking.new)


def described_again(
    record: DocumentRecord, source: Source, spec: CollectionSpec
) -> DocumentRecord | None:
    """Return the record of an unchanged file with its current attributes; None if the file must be
    read again for them."""
    kept = kept_names(source, spec)
    notes = record.notes.split("\n") if record.notes else []
    if any(name not in kept for name in _kept_before(notes)):
        return None
    own = {name: value for name, value in record.attributes.items() if name not in kept}
    notes += [f"{_KEPT}: {_kept_detail(n)}" for n in record.attributes if n in kept]
    of_chunks = set(record.chunk_attributes.split("\n"))
    inherited = {n: value for n, value in source.attributes.items() if n not in of_chunks}
    if lacking(spec.require, {**inherited, **own}):
        return None
    return replace(record, attributes=own, inherited=inherited, notes="\n".join(notes))


def kept_names(source: Source, spec: CollectionSpec) -> frozenset[str]:
    """Return the names that the collection requires and for which the source has a value."""
    return frozenset(source.attributes) & frozenset(spec.require)


class _Taking(msgspec.Struct):
    """Normalises the values of one file one by one. Each may add a type to `new`."""

    spec: CollectionSpec
    path: str
    new: dict[str, AttributeType] = {}
    notes: list[str] = []

    def take(self, name: str, value: object) -> AttributeValue | None:
        """Return the value in its normal form, None if it is empty or invalid. A note reports an
        invalid value, but not an invalid name: it may be meant for another program."""
        known = {**self.spec.attributes, **self.new} if self.new else self.spec.attributes
        if name not in known and len(known) >= MOST_INFERRED:
            self.note(
                "attribute_too_many", f"{name}: the collection already has {len(known)} attributes"
            )
            return None
        try:
            found = normalise({name: value}, known, self.path)
        except InvalidAttribute as error:
            if error.code != "attribute_name":  # such as `sidebar-position`
                self.note(error.code, f"{name}: {_reason(error)}")
            return None
        self.new.update(found.new)
        return found.values.get(name)

    def note(self, code: str, detail: str) -> None:
        """Add a note on the file's attributes. The limit on their number does not apply to notes on
        ignored values."""
        line = f"{code}: {' '.join(detail.split())}"
        few = sum(not one.startswith(_KEPT) for one in self.notes) < _MOST_NOTES
        if line not in self.notes and (few or code == _KEPT):
            self.notes.append(line)


def _with_attributes(section: Section, taking: _Taking) -> Section:
    if not section.attributes:
        return section
    held: dict[str, AttributeValue] = {}
    for name, value in section.attributes.items():
        if name in taking.spec.require:
            taking.note("attribute_of_chunks", f"{name}: is required of whole documents")
        elif (one := taking.take(name, value)) is not None:
            held[name] = one
    return replace(section, attributes=held)


def _kept_detail(name: str) -> str:
    return f"{name}: that of the source counts"


def _kept_before(notes: Iterable[str]) -> Iterator[str]:
    for line in notes:
        code, _, detail = line.partition(": ")
        if code == _KEPT:
            yield detail.partition(":")[0]


def _reason(error: InvalidAttribute) -> str:
    """Return the reason why a value is invalid, without its location."""
    return str(error.__cause__ or error.message.rpartition(": ")[2])
