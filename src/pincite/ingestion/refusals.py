"""A list of files from which no text could be extracted, so that they are not tried again: a parser
that hangs costs two minutes each time.

A refusal applies to one content and one extractor; another content, or another version of the
extractor, is tried. The list only saves time: if its file cannot be used, a warning is logged.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Final

from pincite.errors import PinciteError
from pincite.support.databases.private_sqlite import PrivateFile

FILE: Final = "refused.db"
_MOST: Final = 10_000  # the oldest are removed
_MOST_DETAIL: Final = 500
_MARK: Final = 0x50635265
_MIGRATIONS: Final = (
    f"""
    CREATE TABLE refused (
        content_hash TEXT NOT NULL, extractor TEXT NOT NULL, code TEXT NOT NULL,
        detail TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (content_hash, extractor)
    ) WITHOUT ROWID;
    CREATE INDEX refused_at ON refused (at);
    PRAGMA application_id = {_MARK};
    """,
)
log = logging.getLogger("pincite")


class Refusals:
    """The refusals of an index folder. With `retry`, `known` returns None, so that all files are
    tried again."""

    def __init__(self, folder: Path, *, retry: bool = False) -> None:
        self._file = PrivateFile(folder / FILE, "the list of refused files", _MARK, _MIGRATIONS)
        self.retry = retry

    def known(self, content_hash: str, extractor: str) -> tuple[str, str] | None:
        """Return the code and the detail of an earlier refusal, or None."""
        if self.retry:
            return None
        asked = "SELECT code, detail FROM refused WHERE content_hash = ? AND extractor = ?"
        try:
            rows = self._file.rows(asked, (content_hash, extractor))
        except PinciteError as error:
            log.warning("%s", error.message)
            return None
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def keep(self, content_hash: str, extractor: str, code: str, detail: str) -> None:
        """Store a refusal, and delete the oldest ones above 10,000."""
        row = (content_hash, extractor, code, detail[:_MOST_DETAIL], time.time())
        oldest = "SELECT at FROM refused ORDER BY at DESC LIMIT 1 OFFSET ?"
        try:
            with self._file.writing() as db:
                db.execute("INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)", row)
                db.execute(f"DELETE FROM refused WHERE at <= ({oldest})", (_MOST,))
        except PinciteError as error:
            log.warning("%s", error.message)

    def forget(self, content_hash: str, extractor: str) -> None:
        """Delete a refusal: text could be extracted this time."""
        which = "content_hash = ? AND extractor = ?"
        try:
            if self._file.rows(f"SELECT 1 FROM refused WHERE {which}", (content_hash, extractor)):
                with self._file.writing() as db:
                    db.execute(f"DELETE FROM refused WHERE {which}", (content_hash, extractor))
        except PinciteError as error:
            log.warning("%s", error.message)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
