"""Facts about users, stored unchanged. They are found by keyword search, with an encoder also by
semantic search. No model decides what is worth remembering. A store provides the rows."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from typing import Any, Final

import numpy as np

from pincite.errors import PinciteError
from pincite.model import Fact
from pincite.ports import DenseEncoder
from pincite.providers.memory.recall import combined, word_scores
from pincite.providers.memory.rows import FactRow, FactRows
from pincite.providers.sparse.analyser import ANALYSER_VERSION, Analyser
from pincite.providers.sparse.language import guess_language
from pincite.support.arguments import require_count, require_kind
from pincite.support.concurrency import OnePerName, run_in
from pincite.support.kept_text import (
    FACT_CHARS,
    FACTS,
    QUERY_CHARS,
    USER_CHARS,
    raw,
    read,
    require_text,
)

log = logging.getLogger("pincite")
_THREADS: Final = 2  # compare facts; guess, unmeasured


class KeptMemory:
    """Implements `Memory` over rows. Two texts that differ only in white space are the same fact. A
    search reads all facts of a user, which takes seconds if they are many and long. Therefore each
    user has one recall at a time."""

    def __init__(
        self,
        name: str,
        rows: FactRows,
        encoder: DenseEncoder | None = None,
        clock: Callable[[], float] = time.time,
        most: int = FACTS,
    ) -> None:
        """Prepare the memory. `name` is that of the store, for the fingerprint. `most` is the
        maximum of facts of one user."""
        self._name = name
        self._rows = rows
        self._encoder = encoder
        self._clock = clock
        self._most = most
        self._turns = OnePerName()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="pincite-recall")

    @property
    def fingerprint(self) -> str:
        """Return a line that names the store, the analyser, and the encoder if there is one."""
        by = f"/{self._encoder.fingerprint}" if self._encoder is not None else ""
        return f"{self._name}/words-{ANALYSER_VERSION}{by}"

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """See `Memory.remember`. The text is stored unchanged, without white space around it."""
        _require_user(user)
        require_text("text", text, FACT_CHARS)
        said = text.strip()
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        row = FactRow(fact_id(user, said), raw(said), at)
        kept = await self._rows.add(user, row, self._most)
        await self._embedded(user)
        return (_fact(user, kept),)

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        """See `Memory.recall`. Returns only facts with a word of the query or with a similar
        meaning; scores are 0 to 1."""
        _require_user(user)
        require_text("query", query, QUERY_CHARS)
        require_count("limit", limit, least=0, most=FACTS)
        if limit == 0:
            return ()
        vectors = await self._embedded(user)
        async with self._turns.of(user):
            rows = await self._rows.rows(user, vectors=vectors)
            if not rows:
                return ()
            asked = await self._asked(query) if vectors else None
            return await run_in(self._threads, partial(_best, rows, query, limit, asked, user))

    async def facts(self, user: str, after: str = "", limit: int | None = None) -> tuple[Fact, ...]:
        """See `Memory.facts`."""
        _require_user(user)
        require_kind("after", after, str, "the id of a fact")
        if limit is not None:
            require_count("limit", limit, most=FACTS)
        rows = await self._rows.rows(user, vectors=False, after=after, limit=limit)
        return tuple(_fact(user, row) for row in rows)

    async def forget(self, user: str, fact: str = "") -> int:
        """See `Memory.forget`."""
        _require_user(user)
        if fact != "":
            require_text("fact", fact, USER_CHARS)
        return await self._rows.forget(user, fact)

    async def close(self) -> None:
        """See `Memory.close`."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        await self._rows.close()

    async def _embedded(self, user: str) -> bool:
        """Embed the facts of this user that have no vector of the encoder; return whether all have
        one. If the encoder fails, only the keyword search is left."""
        if self._encoder is None:
            return False
        name = self._encoder.fingerprint
        bare = await self._rows.without(user, name)
        if not bare:
            return True
        try:
            found = await self._encoder.embed_documents([read(row.text) for row in bare])
        except PinciteError as error:
            log.warning("memory_words_only: only keyword search finds facts: %s", error.message)
            return False
        vectors = (np.asarray(one, "<f4").tobytes() for one in found)
        ids = (row.id for row in bare)
        await self._rows.set_vectors(user, name, dict(zip(ids, vectors, strict=True)))
        return True

    async def _asked(self, query: str) -> Any:
        assert self._encoder is not None
        try:
            return await self._encoder.embed_query(query)
        except PinciteError as error:
            log.warning("memory_words_only: only keyword search finds facts: %s", error.message)
            return None


def fact_id(user: str, text: str) -> str:
    """Return the id of a user's text: equal for the same words, and different for every user."""
    owner = blake2b(raw(user), digest_size=32).digest()
    words = raw(" ".join(text.split()))
    return blake2b(words, key=owner, digest_size=12).hexdigest()


def _best(
    rows: Sequence[FactRow], query: str, limit: int, asked: Any, user: str
) -> tuple[Fact, ...]:
    texts = [read(row.text) for row in rows]
    analyser = Analyser(guess_language(" ".join((query, *texts[:50]))))
    scores = word_scores(query, texts, analyser)
    if asked is not None:
        scores = [
            combined(words, _cosine(row.vector, asked))
            for words, row in zip(scores, rows, strict=True)
        ]
    order = sorted(range(len(rows)), key=lambda n: (-scores[n], rows[n].id))
    return tuple(_fact(user, rows[n], scores[n]) for n in order[:limit] if scores[n] > 0)


def _cosine(vector: bytes | None, asked: Any) -> float:
    """Return the cosine of unit vectors; 0 if another process has just deleted or replaced the
    vector."""
    if vector is None or len(vector) != 4 * len(asked):
        return 0.0
    return float(np.frombuffer(vector, "<f4").astype(np.float64) @ asked.astype(np.float64))


def _fact(user: str, row: FactRow, score: float = 0.0) -> Fact:
    return Fact(id=row.id, user=user, text=read(row.text), at=row.at, score=score)


def _require_user(user: str) -> None:
    require_text("user", user, USER_CHARS)
