"""Facts of users in one SQLite file, found by their words, and by meaning where there is an
encoder. Nothing leaves the machine, and no model decides what is worth remembering: a text is kept
as it is."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np

from pincite.errors import PinciteError, UsageError
from pincite.model import Fact
from pincite.ports import DenseEncoder
from pincite.providers.memory.recall import combined, word_scores
from pincite.providers.sparse.analyser import ANALYSER_VERSION, Analyser
from pincite.providers.sparse.language import guess_language
from pincite.support.arguments import require_count
from pincite.support.kept_text import (
    FACT_CHARS,
    FACTS,
    QUERY_CHARS,
    USER_CHARS,
    raw,
    read,
    require_text,
)
from pincite.support.private_sqlite import PrivateFile

log = logging.getLogger("pincite")

_MARK: Final = 0x50494E4D
MIGRATIONS: Final = (
    f"""
    PRAGMA application_id = {_MARK};
    CREATE TABLE facts (
        number INTEGER PRIMARY KEY, user BLOB NOT NULL, id TEXT NOT NULL, text BLOB NOT NULL,
        at TEXT NOT NULL, encoder TEXT NOT NULL DEFAULT '', vector BLOB,
        UNIQUE (user, id));
    """,
)


class SqliteMemory:
    """Implements `Memory`. The file is made with the first fact. A text is known already where it
    differs in white space alone."""

    def __init__(
        self,
        path: Path,
        encoder: DenseEncoder | None = None,
        clock: Callable[[], float] = time.time,
        most: int = FACTS,
        place: Callable[[], None] | None = None,
    ) -> None:
        """`most`: facts of one user. `place` makes the folder of the file where there is none."""
        self._file = PrivateFile(path, "the memory", _MARK, MIGRATIONS, place)
        self._encoder = encoder
        self._clock = clock
        self._most = most

    @property
    def fingerprint(self) -> str:
        """The adapter, the analyser, and the encoder where there is one."""
        by = f"/{self._encoder.fingerprint}" if self._encoder is not None else ""
        return f"sqlite/words-{ANALYSER_VERSION}{by}"

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """See `Memory.remember`: the text as it is, without white space around it."""
        _require_user(user)
        require_text("text", text, FACT_CHARS)
        kept = await asyncio.to_thread(self._keep, user, text.strip())
        await self._embedded(user)
        return (kept,)

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        """See `Memory.recall`. Only facts that have a word of the query, or are near to it by
        meaning; the score is 0 to 1."""
        _require_user(user)
        require_text("query", query, QUERY_CHARS)
        require_count("limit", limit, least=0, most=FACTS)
        if limit == 0:
            return ()
        vectors = await self._embedded(user)
        rows = await asyncio.to_thread(self._rows, user)
        if not rows:
            return ()
        asked = await self._asked(query) if vectors else None
        return await asyncio.to_thread(_best, rows, query, limit, asked, user)

    async def facts(self, user: str) -> tuple[Fact, ...]:
        """See `Memory.facts`."""
        _require_user(user)
        rows = await asyncio.to_thread(self._rows, user)
        return tuple(_fact(user, row) for row in rows)

    async def forget(self, user: str, fact: str = "") -> int:
        """See `Memory.forget`. What is forgotten is overwritten in the file."""
        _require_user(user)
        if fact:
            require_text("fact", fact, USER_CHARS)
        return await asyncio.to_thread(self._forget, user, fact)

    async def close(self) -> None:
        """See `Memory.close`."""
        await asyncio.to_thread(self._file.close)

    def _keep(self, user: str, text: str) -> Fact:
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        with self._file.writing() as db:
            mine = (raw(user), fact_id(user, text))
            known = db.execute(
                "SELECT id, text, at FROM facts WHERE (user, id) = (?, ?)", mine
            ).fetchone()
            if known is not None:
                return _fact(user, known)
            ((there,),) = db.execute("SELECT count(*) FROM facts WHERE user = ?", mine[:1])
            if there >= self._most:
                raise UsageError(
                    f"{there:,} facts are remembered of this user, as many as there can be",
                    hint="forget some of them: pincite memory forget",
                )
            db.execute(
                "INSERT INTO facts (user, id, text, at) VALUES (?, ?, ?, ?)", (*mine, raw(text), at)
            )
            return Fact(id=mine[1], user=user, text=text, at=at)

    def _rows(self, user: str) -> list[Any]:
        return self._file.rows(
            "SELECT id, text, at, vector FROM facts WHERE user = ? ORDER BY number", (raw(user),)
        )

    def _forget(self, user: str, fact: str) -> int:
        if not self._file.rows("SELECT 1 FROM facts WHERE user = ? LIMIT 1", (raw(user),)):
            return 0
        with self._file.writing() as db:
            only, values = (" AND id = ?", (raw(user), fact)) if fact else ("", (raw(user),))
            gone = db.execute(f"DELETE FROM facts WHERE user = ?{only}", values).rowcount
        self._file.wipe()
        return gone

    async def _embedded(self, user: str) -> bool:
        """Do the facts of this user have vectors of the encoder? Those that have none get one; an
        encoder that fails costs meaning, and words are left."""
        if self._encoder is None:
            return False
        name = self._encoder.fingerprint
        bare = await asyncio.to_thread(
            self._file.rows,
            "SELECT id, text FROM facts WHERE user = ? AND encoder <> ? ORDER BY number",
            (raw(user), name),
        )
        if not bare:
            return True
        try:
            found = await self._encoder.embed_documents([read(text) for _, text in bare])
        except PinciteError as error:
            log.warning("memory_words_only: facts are found by words alone: %s", error.message)
            return False
        vectors = [np.asarray(one, "<f4").tobytes() for one in found]
        ids = [id_ for id_, _ in bare]
        await asyncio.to_thread(self._set_vectors, user, name, ids, vectors)
        return True

    def _set_vectors(
        self, user: str, name: str, ids: Sequence[str], vectors: Sequence[bytes]
    ) -> None:
        with self._file.writing() as db:
            db.executemany(
                "UPDATE facts SET encoder = ?, vector = ? WHERE (user, id) = (?, ?)",
                ((name, v, raw(user), i) for i, v in zip(ids, vectors, strict=True)),
            )

    async def _asked(self, query: str) -> Any:
        assert self._encoder is not None
        try:
            return await self._encoder.embed_query(query)
        except PinciteError as error:
            log.warning("memory_words_only: facts are found by words alone: %s", error.message)
            return None


def fact_id(user: str, text: str) -> str:
    """The id of a text of a user: the same for the same words, and of no other user."""
    owner = blake2b(raw(user), digest_size=32).digest()
    words = raw(" ".join(text.split()))
    return blake2b(words, key=owner, digest_size=12).hexdigest()


def _best(rows: Sequence[Any], query: str, limit: int, asked: Any, user: str) -> tuple[Fact, ...]:
    texts = [read(row[1]) for row in rows]
    analyser = Analyser(guess_language(" ".join((query, *texts[:50]))))
    scores = word_scores(query, texts, analyser)
    if asked is not None:
        scores = [
            combined(words, _cosine(row[3], asked)) for words, row in zip(scores, rows, strict=True)
        ]
    order = sorted(range(len(rows)), key=lambda n: (-scores[n], rows[n][0]))
    return tuple(_fact(user, rows[n], scores[n]) for n in order[:limit] if scores[n] > 0)


def _cosine(vector: bytes | None, asked: Any) -> float:
    """Of unit vectors; 0 where another process has just forgotten or replaced it."""
    if vector is None or len(vector) != 4 * len(asked):
        return 0.0
    return float(np.frombuffer(vector, "<f4").astype(np.float64) @ asked.astype(np.float64))


def _fact(user: str, row: Sequence[Any], score: float = 0.0) -> Fact:
    return Fact(id=row[0], user=user, text=read(row[1]), at=row[2], score=score)


def _require_user(user: str) -> None:
    require_text("user", user, USER_CHARS)
