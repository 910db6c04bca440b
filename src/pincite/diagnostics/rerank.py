"""Rerank texts for `pincite rerank`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from pincite.encoders.functions import OpenModels, Ranked
from pincite.errors import UsageError
from pincite.model import Notice, SignalKind

if TYPE_CHECKING:
    from pincite.settings.load import Settings


@dataclass(frozen=True, slots=True)
class Order:
    """The output of `pincite rerank`. `kind` is the kind of the scores."""

    model: str
    fingerprint: str
    kind: SignalKind
    listwise: bool
    results: tuple[Ranked, ...]


def split_documents(text: str) -> tuple[str, ...]:
    """Return the documents of an input: a JSON list of strings, else its lines that are not empty.
    Raises UsageError for a JSON list of other values."""
    if not text.lstrip().startswith("["):
        return tuple(line for line in text.splitlines() if line.strip())
    try:
        return tuple(msgspec.json.decode(text, type=list[str]))
    except msgspec.ValidationError as error:
        raise UsageError(f"the input is a JSON list, but not a list of strings: {error}") from error
    except msgspec.DecodeError:
        return tuple(line for line in text.splitlines() if line.strip())


async def put_in_order(
    settings: Settings,
    model: str,
    query: str,
    documents: Sequence[str],
    *,
    limit: int | None,
    instruction: str,
    on_notice: Callable[[Notice], None],
) -> Order:
    """Rerank as `OpenModels.rerank` does, and return the results with name, fingerprint and kind of
    the model. `limit` None returns all documents. Raises UsageError without a query or documents,
    ConfigError, ProviderError and ModelUnavailable."""
    if not documents:
        raise UsageError(
            "there are no documents", hint="give them as arguments, or one a line on stdin"
        )
    async with OpenModels(settings, rerank=model, on_notice=on_notice) as models:
        results = await models.rerank(query, documents, limit, instruction=instruction)
        used = await models.reranker()
        about = (models.rerank_name, used.fingerprint, used.kind, used.listwise)
    return Order(*about, results)
