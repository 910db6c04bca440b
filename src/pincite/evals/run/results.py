"""A run: the results of the searches of a golden set, for each question.

All reports are computed from these values, so that runs can be compared, plotted and calibrated
later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from pincite.errors import UsageError
from pincite.evals.golden.questions import write_whole
from pincite.model import VerdictLevel
from pincite.support.named_file import read_named
from pincite.support.time_limits import decode_settings

FORMAT = 1
Searched = Mapping[str, Any]  #: fields of a scope with their values
Topic = Literal["on topic", "far", "near"]


@dataclass(frozen=True, slots=True)
class CollectionStamp:
    """A collection at the time of the run. `contents` is a hash of the revisions of all documents,
    so it covers their texts and the way they were indexed."""

    name: str
    sparse: str
    chunker: str
    dense: str | None
    language: str
    documents: int
    chunks: int
    contents: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """The circumstances of a run. `profile` has every value of the profile, `searched` the fields
    of the scope that restrict it, such as `tags`."""

    label: str
    created: str
    pincite: str
    golden: str
    golden_fingerprint: str
    profile: Mapping[str, Any]
    profile_fingerprint: str
    collections: tuple[CollectionStamp, ...]
    reranker: str | None = None
    format: int = FORMAT
    searched: Searched = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TopCandidate:
    """A candidate near the top. `grade` is the best of the items that it counts for, None if it is
    unjudged; `signals` are by `name/kind`."""

    candidate_id: str
    place: str
    grade: int | None
    signals: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of one question. `ranks[stage]` has the rank of each of `items` after that stage,
    see `pincite.evals.analysis.measures`; `depths[stage]` is the number of candidates. `values` are
    the best values of all signals, `results` the shown passages, or those that the verdict
    withheld. `tokens` is an estimate for the shown text. `missing` items have no chunk in the
    index."""

    id: str
    query: str
    category: str
    mode: str
    off_topic: bool
    items: tuple[str, ...]
    grades: tuple[int, ...]
    ranks: Mapping[str, tuple[int, ...]]
    depths: Mapping[str, int]
    verdict: VerdictLevel
    verdict_signal: str
    calibrated: bool
    shown: int
    values: Mapping[str, float]
    results: tuple[TopCandidate, ...]
    wanted_types: tuple[str, ...] = ()
    shown_types: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: int = 0
    notices: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    near: bool = False

    @property
    def topic(self) -> Topic:
        """Return whether the question is on topic, or far or near off topic."""
        return ("near" if self.near else "far") if self.off_topic else "on topic"

    @property
    def judged(self) -> bool:
        """Return whether the question counts for ranking measures."""
        return not self.off_topic and any(grade > 0 for grade in self.grades)

    @property
    def total_ms(self) -> float:
        """Return the time of all stages together."""
        return sum(self.timings_ms.values())

    @property
    def covered(self) -> bool | None:
        """Return whether there is evidence of every expected kind of source; None if none is
        expected."""
        if not self.wanted_types:
            return None
        return set(self.wanted_types) <= set(self.shown_types)


@dataclass(frozen=True, slots=True)
class Run:
    """All questions, in the order of the golden set."""

    stamp: Stamp
    queries: tuple[QueryResult, ...]

    @property
    def stages(self) -> tuple[str, ...]:
        """Return the stages that rank, in order."""
        names: dict[str, None] = {}
        for query in self.queries:
            names.update(dict.fromkeys(query.ranks))
        return tuple(names)

    @property
    def final(self) -> str:
        """Return the stage whose order users see."""
        return self.stages[-1]


def save_run(path: Path, run: Run) -> None:
    """Write a run as JSON. Raises UsageError."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(run), indent=0).decode() + "\n")


def is_run(text: str) -> bool:
    """Return whether this is the text of a run, of any version."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(found, dict) and {"stamp", "queries"} <= found.keys()


def load_run(path: Path) -> Run:
    """Read a run from a file. Raises UsageError for another file, with the field."""
    try:
        run = decode_settings(read_named(path), Run)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise UsageError(
            f"{path} is not a run: {error}", hint="pincite eval run GOLDEN -o run.json"
        ) from error
    if run.stamp.format != FORMAT or not run.queries:
        raise UsageError(f"{path} has format {run.stamp.format}, but this version reads {FORMAT}")
    return run
