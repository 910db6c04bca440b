"""Notices about collections and models that failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from pincite.errors import EnginePanicked, PinciteError, RateLimited
from pincite.model import Notice

T = TypeVar("T")


def split_failures(
    names: Iterable[str], results: Sequence[T | BaseException]
) -> tuple[dict[str, T], dict[str, Notice]]:
    """Return the results of collections by name, and notices about the collections that failed.
    Raises the first error if there is no result. Errors that do not concern a single collection are
    always raised."""
    answered: dict[str, T] = {}
    failed: dict[str, PinciteError] = {}
    for name, result in zip(names, results, strict=True):
        if isinstance(result, PinciteError) and not isinstance(result, EnginePanicked):
            failed[name] = result
        elif isinstance(result, BaseException):
            raise result
        else:
            answered[name] = result
    if failed and not answered:
        raise next(iter(failed.values()))
    return answered, {name: failure_notice(name, error) for name, error in failed.items()}


def failure_notice(name: str, error: PinciteError) -> Notice:
    """Return the notice that a collection failed, with the reason."""
    return Notice("collection_failed", f"{name} was left out: {error.message}")


def rate_notices(error: BaseException) -> tuple[Notice, ...]:
    """Return the notice about a rate limit if the error is one, otherwise nothing."""
    return (Notice("rate_limited", error.message),) if isinstance(error, RateLimited) else ()
