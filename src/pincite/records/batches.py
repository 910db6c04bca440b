"""Read records from iterators, in batches."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial

from pincite.errors import UsageError
from pincite.model import Record
from pincite.providers.sparse.language import guess_language, stemmer_for
from pincite.records.normalise import Placed, Unreadable, hint_for, is_langchain
from pincite.support.processes.caller import Caller, Reading
from pincite.support.valid_text import valid_text

_BATCH_CHARS = 8_000_000  # a batch ends with the record that reaches this
_SAMPLE_CHARS = 40_000  # of the first batch, to guess the language
Given = tuple[int, object]  #: position and record; from a file, it is `Placed`


async def batches_of(
    records: Iterable[object] | AsyncIterable[object] | Record, most: int
) -> AsyncGenerator[list[Given], None]:
    """Yield records with their positions from 1 in batches of `most`, or fewer if they are long. A
    single mapping or `Record` is one record. Records of a caller without a loop are read in its
    thread. Raises UsageError for an argument that is not a list or an iterator."""
    caller: Caller | None = None
    if isinstance(records, Reading):
        caller, records = records.caller, records.records
    if isinstance(records, (Mapping, Record)):
        records = (records,)
    langchain = is_langchain(records)
    if (
        isinstance(records, (str, bytes))
        or langchain
        or not hasattr(records, "__aiter__" if isinstance(records, AsyncIterable) else "__iter__")
    ):
        kind = type(records).__name__
        raise UsageError(
            f"records are a list or an iterator, not a {kind}",
            hint=hint_for(records) if langchain else '[{"id": "7", "text": "..."}]',
        )
    gathered = _Gathered(most)
    if isinstance(records, AsyncIterable):
        async for one in records:
            if batch := gathered.add(one):
                yield batch
        if gathered.batch:
            yield gathered.batch
        return
    following = partial(next, _batches(records, gathered), None)
    while found := following() if caller is None else await caller.run(following):
        yield found


def _batches(records: Iterable[object], gathered: _Gathered) -> Iterator[list[Given]]:
    for one in records:
        if batch := gathered.add(one):
            yield batch
    if gathered.batch:
        yield gathered.batch


class _Gathered:
    """The current batch."""

    def __init__(self, most: int) -> None:
        self.batch: list[Given] = []
        self._most = most
        self._chars = self._position = 0

    def add(self, one: object) -> list[Given] | None:
        """Add a record. Return the batch if it is complete."""
        if isinstance(one, Placed | Unreadable):
            self._position = one.position
        else:
            self._position += 1
        self.batch.append((self._position, one))
        self._chars += _chars_of(one)
        if len(self.batch) < self._most and self._chars < _BATCH_CHARS:
            return None
        complete, self.batch, self._chars = self.batch, [], 0
        return complete


def _texts_of(given: object) -> Iterable[str]:
    def field_of(one: object, name: str) -> object:
        return one.get(name) if isinstance(one, Mapping) else getattr(one, name, None)

    given = given.given if isinstance(given, Placed) else given
    pages = field_of(given, "pages")
    parts = pages if isinstance(pages, (list, tuple)) else ()
    found = (
        field_of(given, "text"),
        *(p if isinstance(p, str) else field_of(p, "text") for p in parts),
    )
    return (one for one in found if isinstance(one, str))


def _chars_of(given: object) -> int:
    return sum(map(len, _texts_of(given)))


def language_of(batch: Sequence[Given]) -> str:
    """Return the stemming language of a new collection, guessed from a sample of its first
    batch."""
    sample: list[str] = []
    left = _SAMPLE_CHARS
    for _, given in batch:
        for text in _texts_of(given):
            sample.append(valid_text(text[: min(left, 4_000)]))
            left -= len(sample[-1])
        if left <= 0:
            break
    return stemmer_for(guess_language("\n".join(sample)))
