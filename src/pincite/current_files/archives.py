"""Compare passages of archives and wheels with the current members of the files."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pincite.current_files.disk import Signature, signature
from pincite.current_files.find_again_extracted import changed_file
from pincite.current_files.verdicts import (
    NumberedQuote,
    changed,
    fresh,
    gone,
    missing_place,
    unchecked,
)
from pincite.errors import PinciteError
from pincite.model import Notice, SourceRecord
from pincite.model.revisions import content_ref
from pincite.ports import Seen
from pincite.readers import content_hash_of, text_in
from pincite.sources import OpenSource
from pincite.sources.members import ZIP_SUFFIXES
from pincite.sources.reopening import reopen_source
from pincite.support.terminal import one_line

_MOST_TAR_BYTES = 20_000_000  # guess, unmeasured: one is unpacked as a whole, in a second or so
_REMEMBERED = 20_000  # members; each takes 300 bytes


class Archives:
    """Content hashes of the members of archives that were read, by archive."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Signature], dict[str, str]] = {}

    def look(
        self, record: SourceRecord, asked: Sequence[NumberedQuote], seen: list[Seen | None]
    ) -> None:
        """See `Folders.look`. An archive is opened only for members that are not known to be
        unchanged."""
        missing = missing_place(record, folder=False)
        if isinstance(missing, str):
            for number, quote in asked:
                seen[number] = gone(quote, "deleted", missing)
            return
        if missing is not None:
            _give_up(asked, seen, missing)
            return
        place = record.source.location
        try:
            status = os.stat(place)  # noqa: PTH116
            key = (place, signature(status))
            known = self._known.get(key, {})
            left = []
            for one in asked:
                if known.get(one.quote.chunk.path) == one.quote.chunk.content_hash:
                    seen[one.number] = fresh(one.quote, one.quote.chunk.ref)
                else:
                    left.append(one)
            if not left:
                return
            if not place.lower().endswith(ZIP_SUFFIXES) and status.st_size > _MOST_TAR_BYTES:
                said = f"{place} is too large to be read with each search"
                _give_up(left, seen, Notice("archive_unchecked", one_line(said)))
                return
            with reopen_source(record, only_read=True) as opened:
                for one in left:
                    seen[one.number] = self._compare(opened, record, one, known)
            if sum(map(len, self._known.values())) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = known
        except (OSError, PinciteError) as error:
            said = error.message if isinstance(error, PinciteError) else str(error)
            _give_up(
                asked, seen, Notice("source_gone", one_line(f"{place} cannot be read: {said}"))
            )

    def _compare(
        self, opened: OpenSource, record: SourceRecord, one: NumberedQuote, known: dict[str, str]
    ) -> Seen:
        """Compare a quote with its member of the archive. Raises SourceError."""
        chunk = one.quote.chunk
        entry = opened.find(chunk.path)
        if entry is None:
            return gone(one.quote, "deleted", "the archive no longer has this file")
        raw = opened.read(entry)
        content_hash = content_hash_of(raw)
        known[chunk.path] = content_hash
        if content_hash == chunk.content_hash:
            return fresh(one.quote, chunk.ref)
        version = opened.source.ref
        other = version and version != chunk.ref and not record.source.pinned
        ref = version if version and other else content_ref(content_hash)
        if chunk.on_page is not None:
            return changed_file(one.quote, raw, ref, content_hash, record.source)
        text, _ = text_in(raw, record.source, chunk.path)
        return changed(one.quote, text, ref, content_hash)


def _give_up(asked: Sequence[NumberedQuote], seen: list[Seen | None], notice: Notice) -> None:
    for number, quote in asked:
        if seen[number] is None:
            seen[number] = unchecked(quote, notice)
