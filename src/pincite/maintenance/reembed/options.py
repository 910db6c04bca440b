"""The options of a run, its progress and its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pincite.errors import UsageError
from pincite.model import Notice
from pincite.settings.defaults import WAIT_S


@dataclass(frozen=True, slots=True)
class ReembedOptions:
    """Options of a run. `keep` leaves the old collections on disk, hidden. `rate` is the maximum
    number of texts embedded in a second, 0 for no limit. `wait_s` as in `IndexOptions`."""

    keep: bool = False
    rate: float = 0.0
    wait_s: float = WAIT_S
    on_notice: Callable[[Notice], None] = lambda _: None
    on_fetch: Callable[[str, int, int], None] = lambda *_: None

    def __post_init__(self) -> None:
        if self.rate < 0:
            raise UsageError(f"a rate of {self.rate} texts a second is negative")


@dataclass(frozen=True, slots=True)
class Reembedding:
    """Progress: the number of chunks that have their new vector, and of all chunks."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Reembedded:
    """The result of a run. `encoded` of the `chunks` had no vector of this model before. `retired`
    are the replaced collections; they are deleted unless they are `kept`."""

    base: str
    collection: str
    model: str
    documents: int
    chunks: int
    encoded: int
    retired: tuple[str, ...]
    kept: bool = False
