from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Query, Question, Signal
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.names import file_name
from pincite.stages.rank_code.words import Vocabulary, likeness
from pincite.support.fields import replace
from pincite.support.names import last_component
from tests.builders import chunk

CODE = frozenset(("main",))
PARTS_OFF = dict.fromkeys(
    (
        *("coherence", "covered", "asked", "folder", "same", "placed"),
        *("defines", "mentions", "overlap"),
    ),
    0.0,
)

PRIORS_OFF = {"tests": 1.0, "prose": 1.0, "minor": 1.0}


def terms(text: str) -> frozenset[str]:
    """Words without their plural; `the`, `is` and `how` say nothing."""
    words = text.lower().split()
    return frozenset(w.removesuffix("s") for w in words if w not in ("the", "is", "how", "a"))


def asked(question: str) -> Query:
    return prepare(Question(question), PrepareConfig())


def one(name: str, score: float, path: str, **values: Any) -> Candidate:
    kind = values.pop("source_type", "code")
    collection = values.pop("collection", "main")
    found = chunk(name, id=name, path=path, source_type=kind, **values)
    return Candidate(collection, found, (Signal("fused", "normalised", score),))


def order(
    question: str,
    candidates: list[Candidate],
    code: frozenset[str] = CODE,
    **values: Any,
) -> list[str]:
    config = RankCodeConfig(**values)
    return [c.chunk.id for c in rank_code(asked(question), candidates, terms, config, code)]


def only(**values: Any) -> dict[str, Any]:
    off = {"words_again": 0.0, "dominant": 1.0, "defined_first": 0}
    return {**PARTS_OFF, **off, **PRIORS_OFF, **values}


def test_a_file_with_more_of_what_was_found_goes_ahead_of_one_with_the_best_passage() -> None:
    found = [
        one("x", 1.0, "x.py", symbols=("X",)),
        one("a", 0.9, "y.py", symbols=("A",)),
        one("b", 0.8, "y.py", symbols=("B",)),
    ]
    # Three definitions gather in two files: 2 (1 - 2 / 3) = .667 of it counts.
    # y: .9 + .4 * 1.7 / 1.7 = 1.3, x: 1 + .4 * 1 / 1.7 = 1.235
    assert order("q", found, **only(coherence=0.6))[0] == "a"
    assert order("q", found, **only())[0] == "x"


def test_passages_of_one_definition_count_once() -> None:
    found = [
        one("x", 1.0, "x.py", symbols=("X",)),
        one("a", 0.9, "y.py", symbols=("A",)),
        one("b", 0.8, "y.py", symbols=("A",)),
        *(one(name, 0.1, "z.py", symbols=(name,)) for name in ("Z", "ZZ")),
    ]
    # Four definitions in three files, half of it counts. y: .9 + .3 * .9 = 1.17, x: 1 + .3 = 1.3
    assert order("q", found, **only(coherence=0.6))[0] == "x"


def test_what_stands_in_no_definition_counts_once_for_its_file() -> None:
    found = [
        one("x", 1.0, "parts.c"),
        *(one(f"x{n}", 0.9, "parts.c") for n in range(5)),
        *(one(name, 0.9, "names.c", symbols=(name,)) for name in "ab"),
        one("z", 0.1, "z.c", symbols=("z",)),
    ]
    assert order("q", found, **only(coherence=0.6))[0] == "a"


def test_where_nothing_stands_in_a_definition_every_passage_counts() -> None:
    found = [one("x", 1.0, "x.pl"), *(one(f"a{n}", 0.9, "y.pl") for n in range(3))]
    # y: .9 + .6 * min(1, 2 (1 - 2 / 4)), x: 1 + .6 * .85 / 2.25
    assert order("q", found, **only(coherence=0.6))[0] == "a0"


def test_a_passage_far_ahead_by_one_word_stays_behind_a_file_called_as_the_question() -> None:
    def found(*, by_words: bool) -> list[Candidate]:
        return [
            Candidate("main", each.chunk, ((Signal("sparse", "bm25", score),) * by_words + fused))
            for each, score in ((one("x", 1.0, "x.py"), 9.0), (one("a", 0.6, "retry.py"), 4.0))
            for fused in [(Signal("fused", "normalised", score),)]
        ]

    # By words 1 and (4/9) ** .7 + .5, else 1 and 4/9 + .5: the stem is covered.
    assert order("the retry", found(by_words=True), **only(covered=0.5)) == ["a", "x"]
    assert order("the retry", found(by_words=True), **only(covered=0.5, words_power=1.0)) == [
        "x",
        "a",
    ]
    assert order("the retry", found(by_words=False), **only(covered=0.5)) == ["x", "a"]
    few, config = {"main": 0.1}, RankCodeConfig(**only(covered=0.5))
    ranked = rank_code(asked("the retry"), found(by_words=False), terms, config, CODE, few)
    assert ranked[0].chunk.id == "a", "hardly any passage has a vector yet"


def test_beside_a_model_the_words_of_a_passage_count_once_more_where_definitions_gather() -> None:
    def found(*, alone: bool = False, apart: bool = False) -> list[Candidate]:
        rows = (("x", 1.0, 0.0, "x.py"), ("a", 0.8, 9.0, "y.py"), *_others(apart))
        return [
            Candidate("main", each.chunk, (*said, Signal("fused", "normalised", score)))
            for name, score, words, path in rows
            for each in [one(name, score, path, symbols=(name,))]
            for said in [
                (
                    Signal("sparse", "bm25", words),
                    *(() if alone else (Signal("dense", "cosine", score),)),
                )
            ]
        ]

    # x: .5 * 1 + .5 * 0, a: .5 * .8 + .5 * sqrt(9 / 9)
    assert order("q", found(), **only(words_again=0.5))[0] == "a"
    assert order("q", found(), **only())[0] == "x"
    assert order("q", found(apart=True), **only(words_again=0.5))[0] == "x"
    config = RankCodeConfig(**only(words_again=0.5))
    hardly = rank_code(asked("q"), found(), terms, config, CODE, {"main": 0.1})
    assert hardly[0].chunk.id == "x", "as much as there are vectors: words have the score before"
    assert order("q", found(alone=True), **only(words_again=0.5)) == order(
        "q", found(alone=True), **only()
    )


def _others(apart: bool) -> tuple[tuple[str, float, float, str], ...]:
    """Definitions in files of their own, or all in one."""
    return tuple((f"z{n}", 0.1, 1.0, f"z{n}.py" if apart else "z.py") for n in range(6))


def test_much_that_hardly_matches_makes_a_large_file_no_answer() -> None:
    found = [
        one("x", 1.0, "large.py", symbols=("X",)),
        *(one(f"x{n}", 0.15, "large.py", symbols=(f"X{n}",)) for n in range(20)),
        *(one(name, 0.9, "small.py", symbols=(name,)) for name in "ab"),
    ]
    # large: 1 + .6 * .85 / 1.5, small: .9 + .6; with all that matches, large: 1.6, small: 1.17
    assert order("q", found, **only(coherence=0.6))[0] == "a"
    assert order("q", found, **only(coherence=0.6, coherent_from=0.0))[0] == "x"


def test_where_every_file_has_one_definition_coherence_says_nothing() -> None:
    found = [one(f"n{n}", 1 - n / 10, f"n{n}.py", symbols=("f",)) for n in range(5)]
    for candidate in rank_code(asked("q"), found, terms, RankCodeConfig(), CODE):
        assert candidate.signal("coherence") == Signal("coherence", "share", 0.0)


def test_words_count_more_for_coherence_than_they_did_for_the_passages() -> None:
    def of(name: str, path: str, fused: float, words: float, meaning: float) -> Candidate:
        found = one(name, fused, path, symbols=(name,))
        sides = (Signal("sparse", "bm25", words), Signal("dense", "cosine", meaning))
        return Candidate("main", found.chunk, (*sides, *found.signals))

    found = [
        *(of(name, "by_words.py", 0.5, 10.0, 0.2) for name in "ab"),
        *(of(name, "by_meaning.py", 0.6, 0.0, 0.8) for name in "cd"),
    ]
    assert order("q", found, **only(coherence=0.6))[0] == "a"
    assert order("q", found, **only(coherence=0.6, coherent_dense=0.9))[0] == "c"


def test_the_parts_of_a_score_add_up_as_the_docstring_says() -> None:
    found = [
        one("x", 0.5, "x.py", symbols=("Big",)),
        one("a", 0.4, "src/rotating_file.py", symbols=("Log.rotate",)),
        one("x2", 0.1, "x.py", symbols=("Small",)),
    ]
    config = RankCodeConfig()
    ranked = rank_code(asked("how is the file rotated"), found, terms, config, CODE)
    signals = {s.name: s.value for s in next(c for c in ranked if c.chunk.id == "a").signals}
    # Words of the question: file, rotated. Of the stem `rotating` is no word of it, as neither
    # begins like the other, `file` is one: covered 1/2, asked 1 of 2 words, and both files, of
    # which one has the word, weigh it ln(1 + 1.5 / 1.5); `rotated` is in none: ln(1 + 2.5 / .5).
    file, rotated = math.log(1 + 1.5 / 1.5), math.log(1 + 2.5 / 0.5)
    names = config.covered / 2 + config.asked * file / (file + rotated)
    # `rotate` begins like `rotated`: .8 of one of two words, and is not called so.
    assert signals["names"] == pytest.approx(names)
    assert signals["definition"] == pytest.approx(config.overlap * 0.8 / 2)
    assert signals["prior"] == 1.0
    # x: .5 and .1 of .5, a: .4 of .5, of each what is above .15; three definitions in two files, so
    # 2 (1 - 2 / 3) of it.
    assert signals["coherence"] == pytest.approx(2 / 3 * 0.65 / (0.85 + 0.05))
    assert signals["ranked"] == 0.5, "the best of them gets the highest score that there was"


def test_a_file_called_as_the_question_goes_ahead() -> None:
    found = [one("x", 1.0, "engine.py"), one("a", 0.8, "retry_policy.py")]
    assert order("the retry policy", found) == ["a", "x"]


def test_a_name_that_most_files_have_says_little() -> None:
    paths = ("curl_sha.c", "curl_md5.c", "curl_get.c", "cookie.c")
    found = [one(path, 1.0 - n / 100, path) for n, path in enumerate(paths)]
    assert order("how curl keeps a cookie", found)[0] == "cookie.c"


@pytest.mark.parametrize(
    ("path", "stem", "folder"),
    [
        ("axum/src/response/mod.rs", "response", "src"),
        ("lib/index.ts", "lib", ""),
        ("pkg/__init__.py", "pkg", ""),
        ("index.js", "index", ""),
        ("src/Http/Client.test.ts", "Client", "Http"),
        (".bashrc", "bashrc", ""),
        ("Makefile", "Makefile", ""),
    ],
)
def test_a_file_named_for_its_place_is_called_like_its_folder(
    path: str, stem: str, folder: str
) -> None:
    name = file_name(path)
    assert (name.stem, name.folder) == (stem, folder)


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("Session", "Session"),
        ("Plug.Conn", "Conn"),
        ("where is A::b", "A.b"),
        ("how does Picker:find open", "Picker.find"),
        ("use get_user_name", "get_user_name"),
    ],
)
def test_what_defines_a_name_of_the_question_goes_ahead(question: str, symbol: str) -> None:
    found = [one("x", 1.0, "x.py", symbols=("other",)), one("a", 0.8, "y.py", symbols=(symbol,))]
    assert order(question, found, **only(defines=0.3)) == ["a", "x"]


def test_a_question_that_is_only_a_name_wants_what_defines_it_and_not_what_uses_it() -> None:
    found = [one("x", 1.0, "x.py", symbols=("other",)), one("a", 0.5, "y.py", symbols=("Session",))]
    # .5 + 3 * .3 is more than 1, and .5 + .3 is less.
    assert order("Session", found, **only(defines=0.3)) == ["a", "x"]
    assert order("where is Session used", found, **only(defines=0.3)) == ["x", "a"]
    assert order("Session", found, **only(defines=0.15)) == ["x", "a"]


@pytest.mark.parametrize("name", ["`Session`?", "db.Session", "db::Session", "Session()"])
def test_a_name_with_its_path_and_marks_is_only_a_name(name: str) -> None:
    found = [one("x", 1.0, "x.py", symbols=("other",)), one("a", 0.5, "y.py", symbols=("Session",))]
    assert order(name, found, **only(defines=0.3)) == ["a", "x"]


@pytest.mark.parametrize("text", ["what::uses-Session", "谁使用Session", "src/app/Session"])
def test_a_text_without_spaces_need_not_be_only_a_name(text: str) -> None:
    found = [one("x", 1.0, "x.py", symbols=("other",)), one("a", 0.5, "y.py", symbols=("Session",))]
    assert order(text, found, **only(defines=0.3)) == ["x", "a"]


def test_within_a_file_the_definition_stands_for_it() -> None:
    found = [
        one("use", 1.0, "x.py", symbols=("caller",)),
        one("def", 0.8, "x.py", symbols=("Session",)),
    ]
    assert order("Session", found) == ["def", "use"]


@pytest.mark.parametrize(
    "path",
    [
        *("tests/test_app.py", "pkg/app_test.go", "src/App.spec.ts", "spec/app_spec.rb"),
        *("src/test/java/AppTest.java", "conftest.py", "a/__tests__/b.js", "testdata/x.c"),
    ],
)
def test_tests_count_less_unless_they_are_asked_for(path: str) -> None:
    found = [one("t", 1.0, path), one("a", 0.8, "zz/core.py")]
    assert order("where is it done", found) == ["a", "t"]
    assert order("where is it tested", found) == ["t", "a"]


@pytest.mark.parametrize(
    "path", ["contest.py", "latest/app.py", "attestation.go", "inspect.py", "protest/x.c"]
)
def test_what_only_sounds_like_a_test_is_none(path: str) -> None:
    found = [one("t", 1.0, path), one("a", 0.8, "zz/core.py")]
    assert order("where is it done", found) == ["t", "a"]


def test_prose_counts_less_in_a_collection_of_code_unless_it_is_asked_for() -> None:
    found = [one("r", 1.0, "NOTES.md", source_type="docs"), one("a", 0.8, "core.py")]
    assert order("where is it done", found) == ["a", "r"]
    assert order("where is the documentation of it", found) == ["r", "a"]
    assert order("what does documentation generation", found) == ["a", "r"]
    assert order("where is it done", found, frozenset()) == ["r", "a"]


def test_what_is_no_code_keeps_its_place_and_its_score() -> None:
    found = [
        one("guide", 0.9, "guide.md", source_type="docs"),
        one("x", 1.0, "engine.py"),
        one("a", 0.7, "retry_policy.py"),
    ]
    ranked = rank_code(asked("the retry policy"), found, terms, RankCodeConfig(mixed=1.0))
    assert [c.chunk.id for c in ranked] == ["a", "guide", "x"]
    assert [c.rank_signal.value for c in ranked] == [1.0, 0.9, 0.7]
    assert ranked[1] == found[0]


def test_further_passages_of_a_file_make_room_for_other_files() -> None:
    found = [one(f"a{n}", 1.0 - n / 100, "a.py") for n in range(4)]
    found += [one("b", 0.6, "b.py"), one("c", 0.55, "c.py")]
    assert order("q", found, **only(further=0.5))[:3] == ["a0", "b", "c"]
    assert order("q", found, **only(further=1.0))[:4] == ["a0", "a1", "a2", "a3"]


def test_words_alone_are_held_to_their_own_scale() -> None:
    """Fusion stretches a single side to 0..1, so that its last hit would count nothing."""

    def of(name: str, fused: float, bm25: float, path: str) -> Candidate:
        found = one(name, fused, path)
        return Candidate("main", found.chunk, (Signal("sparse", "bm25", bm25), *found.signals))

    found = [of("x", 1.0, 10.0, "x.py"), of("a", 0.0, 9.0, "retry.py")]
    assert order("retry", found) == ["a", "x"]


def test_it_can_be_switched_off() -> None:
    found = [one("x", 1.0, "engine.py"), one("a", 0.8, "retry_policy.py")]
    assert rank_code(
        asked("the retry policy"), found, terms, RankCodeConfig(enabled=False), CODE
    ) == tuple(found)


@given(
    st.lists(
        st.tuples(
            st.floats(-5, 5),
            st.sampled_from(["a.py", "b/test_c.py", "README.md", ""]),
            st.sampled_from(["code", "docs"]),
            st.sampled_from([(), ("A",), ("A.b", "c")]),
        ),
        max_size=12,
    ),
    st.text(max_size=30).filter(str.strip),
    st.randoms(),
)
def test_nothing_is_lost_and_the_order_of_arrival_never_shows(
    rows: list[tuple[float, str, Any, tuple[str, ...]]], question: str, dice: Any
) -> None:
    found = [
        one(f"n{n:02}", score, path, source_type=kind, symbols=symbols)
        for n, (score, path, kind, symbols) in enumerate(rows)
    ]
    ranked = rank_code(asked(question), found, terms, RankCodeConfig(), CODE)
    assert sorted(c.chunk.id for c in ranked) == sorted(c.chunk.id for c in found)
    values = [c.rank_signal.value for c in ranked]
    assert values == sorted((c.rank_signal.value for c in found), reverse=True)
    mixed = [*found]
    dice.shuffle(mixed)
    again = rank_code(asked(question), mixed, terms, RankCodeConfig(), CODE)
    assert [c.chunk.id for c in again] == [c.chunk.id for c in ranked]


def test_long_questions_and_names_take_little_time() -> None:
    names = "aB" * 5_000
    found = [one(f"n{n}", 1.0, f"{names}{n}.py", symbols=(names,)) for n in range(3)]
    assert len(order(f"{names} {'x.' * 5_000}", found)) == 3


def test_words_and_last_components() -> None:
    words = Vocabulary(terms).words("RotatingFileHandler")
    assert [word.text for word in words] == ["rotating", "file", "handler"]
    (handlers,) = Vocabulary(terms).words("handlers")
    assert likeness(handlers, words) == 1.0
    (rot,) = Vocabulary(terms).words("rot")
    assert likeness(rot, words) == 0.8
    assert [last_component(name) for name in ("a.b", "A::c", "x", "p/q#r")] == ["b", "c", "x", "r"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("words_power", 0), ("words_power", 1.1), ("words_power", math.nan)),
        *(("coherence", -1), ("tests", 0), ("further", 1.1), ("pool", 0)),
        *(("words_again", -0.1), ("words_again", 1.1), ("words_again", math.nan)),
        *(("coherent_from", -0.1), ("coherent_from", 1), ("coherent_from", math.nan)),
    ],
)
def test_a_weight_that_cannot_be_is_refused(field: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"rank_code.{field}"):
        RankCodeConfig(**{field: value})  # type: ignore[arg-type]


def test_the_class_comes_before_its_constructor_and_values_behind_both() -> None:
    path, inside = "src/HitCounter.cs", {"symbols": ("HitCounter",)}
    found = [
        one("constructor", 1.0, path, start=90, end=120, headings=("HitCounter",) * 2, **inside),
        one("class", 0.5, path, start=40, end=80, headings=("HitCounter",), **inside),
        one("field", 0.9, path, start=0, end=30, named_values=1, **inside),
    ]
    assert order("HitCounter", found)[0] == "class"
    assert order("where is HitCounter defined?", found)[0] == "class"
    assert order("HitCounter", found[::2])[0] == "constructor"


def test_a_class_of_cpp_comes_before_its_constructor_in_another_file() -> None:
    def found(language: str) -> list[Candidate]:
        kind: dict[str, Any] = {"symbols": ("HitCounter",), "language": language}
        both = ("HitCounter", "HitCounter")
        return [
            one("constructor", 1.0, "src/hits.cpp", headings=both, **kind),
            one("class", 0.5, "src/hits.h", headings=("HitCounter",), **kind),
        ]

    assert order("HitCounter", found("cpp")) == ["class", "constructor"]
    assert order("where is HitCounter defined?", found("cpp")) == ["class", "constructor"]
    assert order("HitCounter", found("csharp")) == ["constructor", "class"]


def test_a_file_without_vectors_yet_loses_nothing_to_those_that_have_them() -> None:
    def found(path: str, words: float, meaning: float | None) -> list[Candidate]:
        made = []
        for n in range(3):
            candidate = one(f"{path}{n}", words, path, symbols=(f"{path[0]}{n}",))
            signals = [Signal("sparse", "bm25", words), *candidate.signals]
            if meaning is not None:
                signals.append(Signal("dense", "cosine", meaning))
            made.append(replace(candidate, signals=tuple(signals)))
        return made

    candidates = [*found("a.py", 0.8, 0.9), *found("b.py", 0.9, None), *found("c.py", 0.1, 0.1)]
    config = RankCodeConfig(**only(coherence=1.0))

    def first(partial: dict[str, float]) -> str:
        ranked = rank_code(asked("the policy"), candidates, terms, config, CODE, partial)
        return ranked[0].chunk.path

    assert first({}) == "a.py"
    assert first({"main": 0.1}) == "b.py"
