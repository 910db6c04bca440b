"""Hits in a long file count less, because it has many definitions for any question."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")
#: Nothing but the best passage and the coherence of a file remains.
_OFF = ("terms", "covered", "asked", "folder", "same", "placed", "mentions", "overlap", "copied")
WEIGHTS = RankCodeConfig(**dict.fromkeys(_OFF, 0.0), dominant=1.0)  # type: ignore[arg-type]


def one(path: str, score: float, name: str, end: int) -> Candidate:
    found = chunk(name, path=path, source_type="code", symbols=(name,), start=0, end=end)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def session(length: int) -> list[Candidate]:
    """Six definitions of a file, none of them the best hit."""
    return [one("session.cpp", 0.8, f"part{n}", length * (n + 1) // 6) for n in range(6)]


#: A short file with the two best hits, and others that give no file a large share.
SHORT = [one("clock.cpp", score, f"clock{score}", 900) for score in (1.0, 0.95)]
OTHERS = [one(f"other{n}.cpp", 0.3, f"other{n}", 900) for n in range(3)]


def coherence(found: Sequence[Candidate]) -> dict[str, float]:
    """The coherence of each file, the paths in the order of their scores."""
    query = prepare(Question("correct it from elsewhere"), PrepareConfig())
    ranked = rank_code(query, found, ENGLISH, WEIGHTS, CODE)
    shares: dict[str, float] = {}
    for each in ranked:
        signal = each.signal("coherence")
        assert signal is not None
        shares.setdefault(each.chunk.path, signal.value)
    return shares


def test_a_long_file_does_not_come_first_by_the_number_of_its_hits() -> None:
    assert next(iter(coherence([*session(3_000), *SHORT, *OTHERS]))) == "session.cpp"
    assert next(iter(coherence([*session(900_000), *SHORT, *OTHERS]))) == "clock.cpp"


@pytest.mark.parametrize(
    ("length", "times"),
    [
        *((0, 1.0), (50_000, 1.0)),  # 0: nobody told where the passages are
        *((100_000, 2**0.2), (1_600_000, 2.0)),
    ],
)
def test_the_hits_of_a_file_count_less_by_its_length(length: int, times: float) -> None:
    short, long = (coherence([*session(one), *SHORT]) for one in (900, length))
    # the largest sum has the share 1, so the other file tells how much smaller it has become
    assert long["clock.cpp"] / short["clock.cpp"] == pytest.approx(times)


def test_the_order_of_hits_does_not_matter() -> None:
    found = [*session(200_000)[3:], *SHORT[:1]]
    orders = [coherence(each) for each in permutations(found)]
    assert all(each == orders[0] for each in orders)
