"""A collection that fails costs itself, and not the search."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from pincite.errors import EnginePanicked, PinciteError, RateLimited, StoreError
from pincite.model import Notice
from pincite.tasks import within

T = TypeVar("T")


async def in_time(name: str, work: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """What a collection answers. Raises StoreError after `timeout_s`."""
    try:
        async with within(timeout_s):
            return await work
    except TimeoutError as error:
        raise StoreError(f"{name} gave no answer within {timeout_s:g} s") from error


def sort_out(
    names: Iterable[str], results: Sequence[T | BaseException]
) -> tuple[dict[str, T], dict[str, Notice]]:
    """The answers of collections by name, and what is to be said of those that failed. Raises the
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
    return answered, {name: left_out(name, error) for name, error in failed.items()}


def left_out(name: str, error: PinciteError) -> Notice:
    """That a collection took no part, and why."""
    return Notice("collection_failed", f"{name} was left out: {error.message}")


def rate_notices(error: BaseException) -> tuple[Notice, ...]:
    """That something was left out because a model is asked too often, where that is the reason."""
    return (Notice("rate_limited", error.message),) if isinstance(error, RateLimited) else ()
