"""The words of chunks in SQLite's FTS5: one index for each collection, beside the table of weights.

An index keeps no texts (`content=''`). To remove a chunk, the texts of its columns have to be given
again, and are computed from the chunk. Every writer updates an existing index, even if it searches
without it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from pincite.model import Chunk
from pincite.stores.sqlite.database import Database, index_of_words

Tokenizer = Literal["unicode61", "porter", "trigram"]

#: The most distinct words of a question that are searched for, and the most runs of letters and
#: digits that are read to find them.
MOST_WORDS: Final = 64
_MOST_RUNS: Final = 1_000
_WORD_CHARS: Final = 200
#: Words in one query. 10 words take 18 ms of processor time in 5,000 chunks of 100 words, and 31 ms
#: with a query for each.
_AT_ONCE: Final = 16
_WORD: Final = re.compile(r"[^\W_]+")
#: Scripts without spaces between words: a run of them is searched for in pieces of three.
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
)
_TRIGRAM: Final = 3


@dataclass(frozen=True, slots=True)
class FtsConfig:
    """The tokenizer of an index, and the weights of words in title and path; a word of the text has
    1."""

    tokenizer: Tokenizer = "porter"
    title_weight: float = 1.0
    path_weight: float = 1.0


def columns_of(chunk: Chunk) -> tuple[str, str, str]:
    """Return title with headings, path and text as the index has them."""
    return " ".join((chunk.title, *chunk.headings)), chunk.path, chunk.read_as


def kept_with(db: sqlite3.Connection, collection: int) -> str:
    """Return the tokenizer of the collection's index, empty if it has none."""
    found = db.execute(
        "SELECT tokenizer FROM word_indexes WHERE collection = ?", (collection,)
    ).fetchone()
    return str(found[0]) if found else ""


def make(
    db: sqlite3.Connection,
    collection: int,
    tokenizer: Tokenizer,
    chunks: Iterator[tuple[int, Chunk]],
) -> None:
    """Create the index of a collection that has none, with these chunks by their keys."""
    db.execute(index_of_words(_table(collection), tokenizer))
    for key, chunk in chunks:
        add(db, collection, key, chunk)
    db.execute("INSERT INTO word_indexes VALUES (?, ?)", (collection, tokenizer))


def drop(db: sqlite3.Connection, collection: int) -> None:
    """Delete the index, if there is one."""
    db.execute(f"DROP TABLE IF EXISTS {_table(collection)}")
    db.execute("DELETE FROM word_indexes WHERE collection = ?", (collection,))


def add(db: sqlite3.Connection, collection: int, key: int, chunk: Chunk) -> None:
    """Add a chunk with a new key."""
    db.execute(
        f"INSERT INTO {_table(collection)} (rowid, title, path, text) VALUES (?, ?, ?, ?)",
        (key, *columns_of(chunk)),
    )


def take_out(db: sqlite3.Connection, collection: int, key: int, chunk: Chunk) -> None:
    """Remove a chunk, given the text that it was added with."""
    table = _table(collection)
    db.execute(
        f"INSERT INTO {table} ({table}, rowid, title, path, text) VALUES ('delete', ?, ?, ?, ?)",
        (key, *columns_of(chunk)),
    )


def scores(
    database: Database, collection: int, words: str, config: FtsConfig
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the keys of all chunks with any of these words, visible or not, ascending, and the
    bm25() of each as a positive number.

    The score is a sum over words, so a few words are put into each query. With many words in one
    query, bm25() reads all of them at each match: 10 s for 256 words in 5,000 chunks. With a query
    for each word, each chunk is looked up once per word.
    """
    table = _table(collection)
    asked = (
        f"SELECT rowid, -bm25({table}, ?, ?, 1.0) FROM {table} WHERE {table} MATCH ? ORDER BY rowid"
    )
    keys: list[Any] = [np.zeros(0, dtype=np.int64)]
    parts: list[Any] = [np.zeros(0)]
    for count, group in _groups(terms(words, config.tokenizer)):
        any_of = " OR ".join(f'"{word}"' for word in group)
        rows = database.read(asked, (config.title_weight, config.path_weight, any_of))
        held = np.array(rows, dtype=np.float64).reshape(len(rows), 2)  # keys are below 2^53
        keys.append(held[:, 0].astype(np.int64))
        parts.append(held[:, 1] * count)
    found, places = np.unique(np.concatenate(keys), return_inverse=True)
    sums: Any = np.bincount(places, weights=np.concatenate(parts), minlength=len(found))
    return found, sums


def _groups(found: Mapping[str, int]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the words of equal frequency, a few at a time."""
    for count in sorted(set(found.values())):
        alike = [word for word, often in found.items() if often == count]
        for start in range(0, len(alike), _AT_ONCE):
            yield count, tuple(alike[start : start + _AT_ONCE])


def terms(words: str, tokenizer: Tokenizer) -> dict[str, int]:
    """Return the words of an untrusted text to search for, with the frequency of each: at most
    MOST_WORDS. They consist of letters and digits, so none contains a quote. Each is quoted in the
    query, so nothing is interpreted as syntax."""
    found: dict[str, int] = {}
    for run in islice(_WORD.finditer(words), _MOST_RUNS):
        for one in _pieces(run[0]) if tokenizer == "trigram" else (run[0],):
            word = one.lower()[:_WORD_CHARS]
            if word in found or len(found) < MOST_WORDS:
                found[word] = found.get(word, 0) + 1
    return found


def _pieces(word: str) -> list[str]:
    """Return the parts of a word that a trigram index can match: the word itself from three
    characters on; in a script without spaces, all its runs of three characters."""
    if not _UNSPACED.search(word):
        return [word] if len(word) >= _TRIGRAM else []
    most = min(len(word), _MOST_RUNS)
    return [word[at : at + _TRIGRAM] for at in range(most - _TRIGRAM + 1)]


def _table(collection: int) -> str:
    return f"words_{int(collection)}"
