"""Files that are most of what there is, places that a question names, and what words alone find."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Fused, Question, Ranking, Signal
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.load import LoadConfig, besides, best_by_words, within_reach
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.builders import chunk, ranking
from tests.small_search import TopicEncoder, ask, make

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")


def one(path: str, score: float, *symbols: str) -> Candidate:
    name = f"{path}#{'.'.join(symbols)}"
    found = chunk(name, id=name, path=path, source_type="code", symbols=symbols)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def files(question: str, *found: Candidate, **values: float) -> list[str]:
    query = prepare(Question(question), PrepareConfig())
    config = RankCodeConfig(**values)  # type: ignore[arg-type]
    ranked = rank_code(query, found, ENGLISH, config, CODE)
    return list(dict.fromkeys(each.chunk.path for each in ranked))


LARGE = tuple(one("lib/base.rb", 0.9, f"part{n}") for n in range(40))
SMALL = one("lib/traces.rb", 1.0, "Backtrace")


def test_a_file_that_is_most_of_what_there_is_does_not_win_by_its_size() -> None:
    question = "errors shown to a developer"
    assert files(question, *LARGE, SMALL)[0] == "lib/traces.rb"
    assert files(question, *LARGE, SMALL, dominant=1.0)[0] == "lib/base.rb"


def test_a_large_file_among_many_still_wins_by_what_was_found_in_it() -> None:
    others = [one(f"lib/other{n}.rb", 0.3, f"other{n}") for n in range(80)]
    found = (*LARGE, SMALL, *others)
    assert files("errors shown to a developer", *found)[0] == "lib/base.rb"


def test_most_of_a_few_definitions_is_chance() -> None:
    found = one("x.rb", 1.0, "X"), one("y.rb", 0.9, "A"), one("y.rb", 0.8, "B")
    assert files("errors", *found)[0] == "y.rb"


def test_a_file_with_everything_that_was_found_is_found() -> None:
    assert files("errors", *LARGE) == ["lib/base.rb"]
    assert files("errors", *LARGE, dominant=0.0) == ["lib/base.rb"]


def test_the_file_whose_place_the_question_names_goes_ahead_of_one_of_its_name() -> None:
    found = one("lib/session/logger.rb", 1.0, "A"), one("lib/middleware/logger.rb", 0.95, "B")
    question = "request logging middleware"
    assert files(question, *found, folder=0.0)[0] == "lib/middleware/logger.rb"
    assert files(question, *found, folder=0.0, placed=0.0)[0] == "lib/session/logger.rb"


def test_a_folder_with_a_word_of_its_own_goes_ahead_of_one_that_repeats_the_file() -> None:
    found = one("lib/logging/logger.rb", 1.0, "A"), one("lib/middleware/logger.rb", 0.95, "B")
    question = "request logging middleware"
    assert files(question, *found, folder=0.0)[0] == "lib/middleware/logger.rb"
    assert files("request logging", *found, folder=0.0)[0] == "lib/logging/logger.rb"


def test_a_folder_that_repeats_the_file_goes_ahead_of_one_that_the_question_lacks() -> None:
    found = one("lib/session/logger.rb", 1.0, "A"), one("lib/logging/logger.rb", 0.95, "B")
    question = "request logging middleware"
    assert files(question, *found, folder=0.0)[0] == "lib/logging/logger.rb"
    assert files(question, *found, folder=0.0, placed=0.0)[0] == "lib/session/logger.rb"


def test_a_folder_says_nothing_more_where_half_of_the_name_is_missing() -> None:
    found = one("session/log_store.rb", 1.0, "A"), one("middleware/log_store.rb", 0.95, "B")
    assert files("request logging middleware", *found, folder=0.0) == [
        *("session/log_store.rb", "middleware/log_store.rb")
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.floats(0, 1))),
    st.floats(0, 1),
)
@example([("a", "x", 0.0)], 0.0)
@example([("a", "x", 1.0), ("a", "y", 1.0), ("a", "z", 1.0)], 0.0)
@example([("a", "x", 0.5)] * 3, 1.0)
def test_nothing_is_lost_whatever_one_file_has_of_all(
    drawn: list[tuple[str, str, float]], dominant: float
) -> None:
    found = [
        replace(each, chunk=replace(each.chunk, id=f"{number}"))
        for number, (path, name, score) in enumerate(drawn)
        for each in (one(path, score, name),)
    ]
    query = prepare(Question("x"), PrepareConfig())
    config = RankCodeConfig(dominant=dominant)
    ranked = rank_code(query, found, ENGLISH, config, CODE)
    assert sorted(each.chunk.id for each in ranked) == sorted(each.chunk.id for each in found)
    values = [each.rank_signal.value for each in ranked]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("dominant", value) for value in (-0.1, 1.1)),
        *(("placed", value) for value in (-0.1, 11.0)),
        *(("by_words", value) for value in (-0.1, 1.1)),
    ],
)
def test_a_value_that_cannot_be_is_refused(key: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"rank_code.{key}"):
        RankCodeConfig(**{key: value})  # type: ignore[arg-type]


def places(found: frozenset[tuple[str, str]]) -> set[tuple[str, str]]:
    names = {chunk(name).id: name for name in "abcd"}
    return {(collection, names[key]) for collection, key in found}


def test_the_best_by_words_are_those_of_the_question_in_collections_of_code() -> None:
    words = ranking("sparse", ("a", 3.0), ("b", 2.0), ("c", 1.0))
    short = replace(words, depth=1)  # the others were asked for by their id
    meanings = ranking("dense", ("d", 0.9))
    other = ranking("sparse", ("d", 9.0), collection="docs")
    again = replace(ranking("sparse", ("d", 9.0)), wording=1)
    every: tuple[Ranking, ...] = (words, meanings, other, again)
    assert places(best_by_words(every, CODE, 2)) == {("main", "a"), ("main", "b")}
    assert places(best_by_words((short, meanings), CODE, 2)) == {("main", "a")}
    assert places(best_by_words(every, frozenset(("docs",)), 2)) == {("docs", "d")}
    assert not best_by_words(every, CODE, 0)
    assert not best_by_words((replace(words, kind="share"),), CODE, 2)


def fused(count: int) -> list[Fused]:
    signals = [(Signal("fused", "normalised", 1 - n / 10),) for n in range(count)]
    return [Fused("main", f"n{n}", each) for n, each in enumerate(signals)]


def test_what_is_loaded_besides_stands_behind_the_pool_and_takes_no_place() -> None:
    wanted = frozenset((("main", "n7"), ("main", "n1"), ("main", "n5"), ("docs", "n6")))
    order, wide = besides(fused(9), wanted, LoadConfig(pool=4))
    assert [one.id for one in order] == ["n0", "n1", "n2", "n3", "n5", "n7", "n4", "n6", "n8"]
    assert wide.pool == 6
    assert besides(fused(9), frozenset(), LoadConfig(pool=4)) == (
        *(tuple(fused(9)), LoadConfig(pool=4)),
    )


@given(st.integers(0, 12), st.integers(1, 12), st.frozensets(st.integers(0, 14)))
@example(0, 1, frozenset())
@example(4, 4, frozenset({3}))
@example(9, 4, frozenset({3, 8}))
@example(9, 1, frozenset({8}))
def test_what_is_wanted_and_loaded_stays_loaded(
    count: int, pool: int, places: frozenset[int]
) -> None:
    found, config = fused(count), LoadConfig(pool=pool)
    wanted = frozenset(("main", f"n{place}") for place in places)
    moved = within_reach(found, wanted, config)
    assert sorted(one.id for one in moved) == sorted(one.id for one in found)
    before = [one.id for one in found[:pool] if ("main", one.id) in wanted]
    after = [one.id for one in moved[:pool] if ("main", one.id) in wanted]
    assert len(after) >= len(before)
    unwanted = [one.id for one in found[:pool] if ("main", one.id) not in wanted]
    if set(unwanted) & {one.id for one in moved[:pool]}:  # somebody else could have made room
        assert set(before) <= set(after)
    order, wide = besides(found, wanted, config)
    assert sorted(one.id for one in order) == sorted(one.id for one in found)
    assert order[:pool] == tuple(found[:pool])
    late = {f"n{place}" for place in places if pool <= place < count}
    assert {one.id for one in order[pool : wide.pool]} == late


#: Passages close in meaning, and one that only its words find, far behind them once both are mixed.
NEAR = {f"near{n}.py": f"key secret key secret {'night ' * n}" for n in range(8)}
FAR = {"turnstile.py": "turnstile " + "and much besides " * 5}


def loaded(by_words: float, *, code: bool = True, deep: bool = False) -> set[str]:
    """What is loaded of a collection of which four passages are, besides what words find."""
    made = asyncio.run(make(TopicEncoder(), {**NEAR, **FAR}, kinds=dict.fromkeys(NEAR, "code")))
    shipped = Profile()
    profile = replace(
        shipped,
        load=replace(shipped.load, pool=5, alone=0.8),
        fuse=replace(shipped.fuse, code_dense_weight=1.0, dense_weight=1.0),
        rank_code=RankCodeConfig(pool=4, by_words=by_words),
        select=replace(shipped.select, results=4),
    )
    trace = Trace(lambda: 0.0)
    ask(
        "secret key by the turnstile",
        replace(made, code=code, deep=deep),
        profile=profile,
        trace=trace,
    )
    (found,) = (step.value for step in trace.steps if step.stage == "load")
    assert isinstance(found, tuple)
    return {one.chunk.path for one in found}


def test_a_passage_that_only_words_find_is_loaded_where_files_of_code_are_ranked() -> None:
    assert loaded(0.5) == {*list(NEAR)[:4], "turnstile.py"}
    assert loaded(0.0) == set(list(NEAR)[:4])
    assert loaded(0.5, code=False) == set(list(NEAR)[:4])


def test_so_is_one_in_a_collection_that_is_half_code() -> None:
    assert loaded(0.5, code=False, deep=True) == {*list(NEAR)[:4], "turnstile.py"}
    assert loaded(0.0, code=False, deep=True) == set(list(NEAR)[:4])


def test_nothing_is_loaded_besides_where_files_are_not_ranked() -> None:
    assert Profile().by_words(100) == 50
    without = replace(Profile(), rank_code=RankCodeConfig(enabled=False))
    assert without.by_words(100) == 0
