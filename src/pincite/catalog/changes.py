"""Compute how a change of documents affects their rows and the totals of a collection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final

import msgspec

from pincite.catalog.chunk_ids import packed
from pincite.catalog.terms import sums_of, terms_of
from pincite.catalog.totals import TotalsChange
from pincite.model import DocumentRecord, TermCounts

FIELDS: Final = DocumentRecord.__struct_fields__
COLUMNS: Final = ", ".join(FIELDS)  #: the columns of a record
#: A record as a row. `astuple` copies each value and takes ten times as long.
values_of = attrgetter(*FIELDS)
#: The columns of a document that `CatalogChanges` needs, after its source and path.
HELD: Final = "revision, counts, chunk_ids, source_type, chunks, tokens, embedded"


@dataclass(slots=True)
class CatalogChanges:
    """Changes of totals: `terms` by term, `totals` by source type. `fresh` are the records to
    write, each with its counts, MessagePack of `TermCounts` or empty, and its packed chunk ids.
    `cut_anew` are the previous revisions of documents whose chunks are replaced."""

    terms: Counter[int] = field(default_factory=Counter)
    totals: TotalsChange = field(default_factory=TotalsChange)
    fresh: list[tuple[DocumentRecord, bytes, bytes]] = field(default_factory=list)
    cut_anew: list[str] = field(default_factory=list)

    def put(
        self,
        records: Iterable[DocumentRecord],
        counts: Mapping[str, TermCounts],
        chunk_ids: Mapping[str, Sequence[str]],
        rows: Sequence[Sequence[Any]],
    ) -> None:
        """Add records that replace the `rows` (source, path and `HELD`), at most one for each path.
        A record without counts or ids for its revision keeps those of its row, if that has the same
        revision."""
        held = {(row[0], row[1]): row[2:5] for row in rows}
        for row in rows:
            self.totals.take(*row[5:])
        for record in records:
            self.totals.add(record.source_type, record.chunks, record.tokens, record.embedded)
            place = (record.source, record.path)
            revision, before, ids = held.get(place, ("", b"", b""))
            given, named = counts.get(record.revision), chunk_ids.get(record.revision)
            if revision and (named is not None or revision != record.revision):
                self.cut_anew.append(revision)
            after = before if revision == record.revision else b""
            if named is not None:
                ids = packed(named)
            elif revision != record.revision:
                ids = b""
            if given is not None:
                after = msgspec.msgpack.encode(given)
            if after != before:
                self.terms.update({} if given is None else sums_of(given))
                self.terms.subtract(terms_of(before))
            self.fresh.append((record, after, ids))

    def take(self, rows: Iterable[Sequence[Any]]) -> None:
        """Subtract removed documents. Each row has the counts, source type, chunks, tokens and
        `embedded`."""
        for before, *rest in rows:
            self.terms.subtract(terms_of(before))
            self.totals.take(*rest)
