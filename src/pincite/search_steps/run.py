"""The values that the steps of one search share."""

from __future__ import annotations

import msgspec

from pincite.deps import Deps
from pincite.model import Chosen, Gated, Notice, Pool, Query, Question, Scope
from pincite.profile import Profile
from pincite.search_steps.collection_facts import CollectionFacts
from pincite.stages.retrieve import Retrieved
from pincite.trace import Trace

_LOOK_S = 1.0  # guess, unmeasured: files of a local disk need a thousandth of it
_EXPLAIN_S = 5.0  # guess: 100,000 documents took 0.8 s of processor time
_LEAST_LOOK_S = 0.05  # results are compared with their files even if the budget is used up


class Run(msgspec.Struct, frozen=True):
    """One search: its `question`, the `query` prepared from it, its dependencies and its settings.
    `facts` are those of the collections; they do not change with the encoders of a probe. `present`
    remembers which terms the caller may find, by collection and id of the term, and
    `absent_places` whether the places of a question are absent from what it may read, by their
    names and whether they are certainly places."""

    question: Question
    query: Query
    deps: Deps
    profile: Profile
    trace: Trace
    facts: CollectionFacts
    present: dict[tuple[str, int], bool] = msgspec.field(default_factory=dict)
    absent_places: dict[tuple[str, bool], bool] = msgspec.field(default_factory=dict)

    @property
    def scope(self) -> Scope:
        """The part of the index that may be seen."""
        return self.question.scope

    @property
    def reranker_fingerprint(self) -> str:
        """The fingerprint of the reranker, empty without one."""
        return self.deps.reranker.fingerprint if self.deps.reranker else ""

    @property
    def left_ms(self) -> float | None:
        """The rest of the time budget, in milliseconds; negative if it is exceeded, None if there
        is no budget."""
        budget_ms = self.question.budget_ms
        return None if budget_ms is None else budget_ms - self.trace.spent_ms()

    @property
    def is_late(self) -> bool:
        """Whether the time budget is spent."""
        left_ms = self.left_ms
        return left_ms is not None and left_ms <= 0

    @property
    def look_s(self) -> float:
        """The time limit for comparing results with their files, in seconds."""
        left_ms = self.left_ms
        return _LOOK_S if left_ms is None else min(_LOOK_S, max(_LEAST_LOOK_S, left_ms / 1000))

    @property
    def explain_s(self) -> float:
        """The time limit for finding out why a filter matches nothing, in seconds."""
        left_ms = self.left_ms
        return _EXPLAIN_S if left_ms is None else max(_LEAST_LOOK_S, left_ms / 1000)


class Outcome(msgspec.Struct, frozen=True):
    """The result of one pass: what retrieval `found`, the `loaded` candidates, and those that were
    `judged`, `gated` and `chosen` in turn."""

    found: Retrieved
    loaded: Pool
    judged: Pool
    gated: Gated
    chosen: Chosen
    notices: tuple[Notice, ...]
