"""Notices about a collection or a model that took no part because it failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from pincite.errors import EnginePanicked, PinciteError, RateLimited
from pincite.model import Notice

T = TypeVar("T")


def split_failures(
    names: Iterable[str], results: Sequence[T | BaseException]
) -> tuple[dict[str, T], dict[str, Notice]]:
    """The answers of collections by name, and the notices about those that failed. Raises the
    first error if there is no answer, and at once what is no failure of one collection."""
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
    """That a collection took no part, and why."""
    return Notice("collection_failed", f"{name} was left out: {error.message}")


def rate_notices(error: BaseException) -> tuple[Notice, ...]:
    """That something was left out because a model is asked too often, where that is the reason."""
    return (Notice("rate_limited", error.message),) if isinstance(error, RateLimited) else ()
