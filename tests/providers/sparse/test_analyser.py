from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.providers.sparse.analyser import _UNIT_CHARS, Analyser, informative_terms

ENGLISH = Analyser("english")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("get_user_name", ["getusernam", "get", "user", "name"]),
        ("get-user-name", ["getusernam", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("parseURLs", ["parseurl", "pars", "url"]),
        ("os.path", ["os", "path", "os.path"]),
        ("utf8", ["utf8", "utf", "8"]),
        ("UTF-8", ["utf8", "utf", "8"]),
        ("str2float", ["str2float", "str", "2", "float"]),
        ("T-cell", ["tcell", "t", "cell"]),
        ("__init__", ["init"]),
    ],
)
def test_an_identifier_is_found_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert ENGLISH.terms(text) == terms


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("C++ templates", "c++"),
        ("written in C#.", "C#"),
        ("the .NET runtime", ".net"),
        ("pass --no-cache-dir", "no_cache_dir"),
        ("pass --verbose to", "--verbose"),
        ("error E1101: no member", "E1101"),
        ("since version v2.13.0", "2.13.0"),
        ("since version 2.13.0", "2.13"),
        ("see src/a/b.py for more", "b.py"),
        ("see src/a/b.py for more", "a/b.py"),
        ("a café in Paris", "cafe"),
        ("ﬁle systems", "file system"),
        ("the U.S. army", "US"),
        ("O’Brien wrote", "O'Brien"),
        ("e-mails were sent", "email"),
        ("std::vector<int>", "vector"),
    ],
)
def test_what_is_written_in_one_way_is_found_when_asked_in_another(
    written: str, asked: str
) -> None:
    wanted = set(ENGLISH.terms(asked))
    assert wanted
    assert wanted <= set(ENGLISH.terms(written))


def test_c_is_neither_c_plus_plus_nor_c_sharp() -> None:
    assert ENGLISH.terms("C C++ C#") == ["c", "c++", "c#"]


def test_function_words_give_nothing_and_contractions_are_function_words() -> None:
    assert ENGLISH.terms("How do I do this? It's what they don't and can’t.") == []


@pytest.mark.parametrize(
    "text", ["", " \n\t", "🎉👩‍👩‍👧", "… — « » ¿?", "_ ___ - --", "\u0300\u0315"]
)
def test_emoji_and_punctuation_give_nothing(text: str) -> None:
    assert ENGLISH.terms(text) == []


def test_scripts_without_spaces_give_pairs_and_ideographs_also_themselves() -> None:
    assert ENGLISH.terms("东京大学") == ["东京", "京大", "大学", "东", "京", "大", "学"]
    assert ENGLISH.terms("カタカナ") == ["カタ", "タカ", "カナ"]
    assert ENGLISH.terms("ไทย") == ["ไท", "ทย"]
    assert ENGLISH.terms("검색") == ["검색"]
    assert ENGLISH.terms("中") == ["中"]


def test_mixed_scripts_are_told_apart_inside_a_word() -> None:
    assert ENGLISH.terms("Python教程") == ["python", "教程", "教", "程"]


def test_marks_stay_with_their_letters() -> None:
    assert Analyser("hindi").terms("भाषा") != []
    assert len(Analyser("hindi").terms("हिन्दी भाषा")) == 2
    assert ENGLISH.terms("cafe\u0301") == ["cafe"]
    assert ENGLISH.terms("co\u00adoperate") == ENGLISH.terms("cooperate")


def test_each_language_has_its_stemmer_and_its_function_words() -> None:
    assert Analyser("german").terms("Wie viele Häuser und Haus") == ["haus", "haus"]
    assert Analyser("russian").terms("Как в библиотеке") == Analyser("russian").terms("библиотека")
    assert Analyser("french").terms("l'homme d’une") == ["homm"]


def test_a_language_without_stemmer_keeps_words_as_they_are() -> None:
    assert Analyser("unknown").terms("Running Cafés") == ["running", "cafés"]


def test_latin_words_in_a_chinese_text_are_english() -> None:
    assert Analyser("chinese").terms("the Servers") == ["server"]


def test_hashes_are_kept_whole_and_not_split() -> None:
    sha = "9fceb02d0ae598e95dc970b74767f19372d61af8"
    assert ENGLISH.terms(sha) == [sha]
    assert len(sha) <= _UNIT_CHARS


def test_the_same_unit_gives_the_same_terms_the_second_time() -> None:
    analyser = Analyser("english")
    text = "getUserName 东京 v2.13.0 don't C++ " + "x" * 100
    assert analyser.terms(text) == analyser.terms(text)


@given(st.text(st.sampled_from("abAB19_.'-+# \n(/=|\x1c\x1bé中"), max_size=60))
@example("a.-b -c- d.. 'e' f#g h#i C#x i++ ++j k+l --m--n ...")
@example("C# a-.b x'. .5 1.2. v1.2-")
def test_the_pieces_of_a_text_have_the_terms_of_its_units(text: str) -> None:
    of_units = [term for _, _, terms in ENGLISH.units(text) for term in terms]
    assert ENGLISH.terms(text) == of_units
    pieces = Analyser("english").split(text)
    assert [term for piece in pieces for term in ENGLISH.terms_of(piece)] == of_units


def test_the_distinct_terms_of_a_short_text_are_analysed_once() -> None:
    terms = informative_terms("english")
    assert terms("rotated log files") == {"rotat", "log", "file"}
    assert terms("rotated log files") is terms("rotated log files")
    long = "word " * 10_000
    assert terms(long) == {"word"}
    assert terms(long) is not terms(long)


@given(st.text(max_size=300))
def test_any_text_has_terms_and_none_is_empty(text: str) -> None:
    assert all(ENGLISH.terms(text))


@given(st.characters(exclude_categories=()), st.characters(exclude_categories=()))
def test_any_two_characters_repeated_stay_within_bounds(first: str, second: str) -> None:
    text = (first + second) * 2_000
    terms = Analyser("english").terms(text)
    assert len(terms) <= 2 * len(text)


@pytest.mark.parametrize(
    "unit",
    ["a", "aB", "a-", "a.", "a'", "a_", "1.2", "世", "ก่", "\u0315\u0300", "a\u0315\u0300", "C++"],
)
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    # Counted, not timed: what is remembered and what is given stay in proportion, and nothing
    # longer than a unit reaches the stemmer or the normaliser, whose time may be quadratic.
    analyser = Analyser("english")
    long = unit * (100_000 // len(unit))
    terms = analyser.terms(long)
    assert len(terms) <= 2 * len(long)
    assert all(len(term) <= 2 * _UNIT_CHARS for term in terms)
    assert all(len(known) <= _UNIT_CHARS for known in analyser._known)


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.providers.sparse.analyser._REMEMBERED", 10)
    analyser = Analyser("english")
    analyser.terms(" ".join(f"word{n}" for n in range(100)))
    assert len(analyser._known) <= 10


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_cut_as_by_the_whole_pattern(text: str) -> None:
    from pincite.providers.sparse import analyser

    assert analyser._ASCII_UNIT.findall(text) == analyser._UNIT.findall(text)


@given(st.lists(st.from_regex(r"[A-Za-z0-9_.'\-]{1,40}", fullmatch=True), max_size=8))
@example(["foo.barBaz", "barBaz", "foo"])
@example(["barBaz", "foo.barBaz.foo"])
@example(["v1.2.3", "1.2", "v1", "a.v1"])
@example(["U.S.A", "A", "e.g"])
def test_what_was_learnt_of_names_changes_no_terms(units: list[str]) -> None:
    shared = Analyser()
    for unit in [*units, *reversed(units)]:
        assert shared.terms(unit) == Analyser().terms(unit)
