"""Records as they are given, pulled batch by batch."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Iterable,
    Mapping,
    Sequence,
)

from pincite.errors import UsageError
from pincite.model import Record
from pincite.providers.sparse.language import guess_language, stemmer_for
from pincite.records.accept import Placed, Unreadable
from pincite.support.valid_text import valid_text

_BATCH_CHARS = 8_000_000  # a batch ends with the record that reaches this
_SAMPLE_CHARS = 40_000  # of the first batch, to guess the language
Given = tuple[int, object]  #: a record with its position


async def batches_of(
    records: Iterable[object] | AsyncIterable[object] | Record, most: int
) -> AsyncGenerator[list[Given], None]:
    """Records with their positions from 1, so many at a time, fewer where they are long. A mapping
    or `Record` in their place is one of them."""
    if isinstance(records, (Mapping, Record)):
        records = (records,)
    if isinstance(records, (str, bytes)) or not hasattr(
        records, "__aiter__" if isinstance(records, AsyncIterable) else "__iter__"
    ):
        kind = type(records).__name__
        raise UsageError(
            f"records are a list or an iterator, not a {kind}",
            hint='[{"id": "7", "text": "..."}]',
        )
    batch: list[Given] = []
    chars = position = 0
    async for one in _each(records):
        if isinstance(one, Placed):
            position, one = one.position, one.given
        else:
            position = one.position if isinstance(one, Unreadable) else position + 1
        batch.append((position, one))
        chars += _chars_of(one)
        if len(batch) >= most or chars >= _BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


async def _each(records: Iterable[object] | AsyncIterable[object]) -> AsyncIterator[object]:
    if isinstance(records, AsyncIterable):
        async for one in records:
            yield one
    else:
        for one in records:
            yield one


def _texts_of(given: object) -> Iterable[str]:
    def field_of(one: object, name: str) -> object:
        return one.get(name) if isinstance(one, Mapping) else getattr(one, name, None)

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
    """The stemming language of a new collection, from a sample of its first batch."""
    sample: list[str] = []
    left = _SAMPLE_CHARS
    for _, given in batch:
        for text in _texts_of(given):
            sample.append(valid_text(text[: min(left, 4_000)]))
            left -= len(sample[-1])
        if left <= 0:
            break
    return stemmer_for(guess_language("\n".join(sample)))
