"""Absent words that a question is not about."""

from __future__ import annotations

import asyncio
import time

import pytest

from pincite.errors import StoreError
from pincite.model import Ranking
from pincite.ports import EVERYTHING, Readable, Searchable, SearchRequest
from pincite.search_steps.term_counts import readable_terms
from pincite.stages.subjects import find_subjects
from pincite.support.fields import replace
from tests.small_search import make
from tests.time_limits import GROWS_S

ALL = readable_terms({"main": EVERYTHING})
TEXTS = {"a": "A query is received by the middleware, with a maximum of lines."}


def collection() -> Searchable:
    return asyncio.run(make(None, TEXTS))


def subjects(*absent: str, within: Searchable | None = None) -> tuple[str, ...]:
    return asyncio.run(find_subjects(" ".join(absent), absent, [within or collection()], 5.0, ALL))


def asked(question: str, *absent: str) -> tuple[str, ...]:
    return asyncio.run(find_subjects(question, absent, [collection()], 5.0, ALL))


@pytest.mark.parametrize("word", ["pls", "explain", "thru", "roughly", "tldr", "overview"])
def test_words_that_ask_are_no_subjects(word: str) -> None:
    assert subjects(word, "Kafka") == ("Kafka",)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("how long is a key valid?", "long"),
        ("How far back does the log go", "far"),
        ("how large may a file be?", "large"),
        ("The backup: how old can it be?", "old"),
        ("tell me how deep the tree is", "deep"),
        ("how fast?", "fast"),
        ("how heavy", "heavy"),
    ],
)
def test_words_that_ask_a_measure_are_no_subjects(question: str, word: str) -> None:
    assert asked(question, word, "Kafka") == ("Kafka",)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("how hot reload works", "hot"),
        ("how long-lived keys are rotated", "long"),
        ("how long is the interval of long polling?", "long"),
        ("is there long polling?", "long"),
        ("how LONG is stored", "LONG"),
        ("show long is", "long"),
    ],
)
def test_the_same_words_are_subjects_elsewhere(question: str, word: str) -> None:
    assert asked(question, word) == (word,)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("where is rotate_key defined?", "defined"),
        ("Where are the keys of the cache implemented", "implemented"),
        ("where's Kafka declared in the code?", "declared"),
        ("which file defines rotate_key?", "file defines"),
        ("what implements retries", "implements"),
        ("which files declare a Session?", "files declare"),
        ("in which module is app.Session defined?", "module defined"),
        ("where do they define the limit?", "define"),
        ("where is the definition of rotate_key?", "definition"),
        ("where can I find the declaration of rotate_key?", "find declaration"),
        ("which file contains the definition of rotate_key?", "file contains definition"),
        ("where is rotate_key declared or defined?", "declared defined"),
        ("where is rotate_key declared, defined and implemented?", "declared defined implemented"),
        ("where is rotate_key defined/declared?", "defined declared"),
        ("where is Session defined and Request implemented?", "defined implemented"),
        ("which file defines or declares rotate_key?", "file defines declares"),
        ("which modules declare and implement it?", "modules declare implement"),
        ("where does the code define or declare it?", "code define declare"),
        ("which function implements retries?", "function implements"),
        ("what package defines rotate_key", "package defines"),
        ("in which crate is rotate_key defined?", "crate defined"),
        ("In which file and line is rotate_key defined?", "file line defined"),
        ("where is rotate_key defined (file and line)?", "defined file line"),
        ("where is rotate_key defined - which file?", "defined file"),
        ("where is rotate_key defined — module?", "defined module"),
        ("where is rotate_key declared? which file and which line?", "declared file line"),
        ("where is rotate_key defined exactly?", "defined"),
        ("where is rotate_key defined under src?", "defined"),
        ("where is rotate_key defined if not there?", "defined"),
    ],
)
def test_words_that_ask_for_a_place_are_no_subjects(question: str, words: str) -> None:
    assert asked(question, *words.split(), "Kafka") == ("Kafka",)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("where are the defined terms shown?", "defined"),
        ("where are user defined functions run?", "defined"),
        ("where is the file declared?", "file"),
        ("which file format is read?", "file"),
        ("which files are deleted?", "files"),
        ("which defined terms are shown?", "defined"),
        ("how are terms defined?", "defined"),
        ("where is DEFINED defined?", "DEFINED"),
        ("which file is the file declared in?", "file"),
        ("where is the definition list rendered?", "definition"),
        ("nowhere is it defined", "defined"),
        ("where are the declared/defined names listed?", "declared"),
        ("where are declared or defined names listed?", "defined"),
        ("where are defined (constant) names listed?", "defined"),
        ("where is Session declared and how is it implemented?", "implemented"),
        ("where is Session declared and Defined shown?", "Defined"),
        ("which function pointers are declared?", "function"),
        ("in which file format is it written?", "file"),
        ("which line length is allowed?", "line"),
        ("which files and folders are read?", "files"),
        ("where can I find the definition list?", "definition"),
        ("where do files define it?", "define"),
    ],
)
def test_a_word_of_places_is_a_subject_elsewhere(question: str, word: str) -> None:
    assert asked(question, word) == (word,)


def test_a_statement_is_one_although_its_name_asks() -> None:
    assert subjects("EXPLAIN", "Explain") == ("EXPLAIN", "Explain")


@pytest.mark.parametrize(
    "word", ["recieved", "querry", "maximun", "middlware", "middlewaree", "middleware"]
)
def test_words_one_letter_away_from_one_of_the_index_are_mistyped(word: str) -> None:
    assert subjects(word, "bluetooth") == ("bluetooth",)


@pytest.mark.parametrize(
    "word",
    [
        "lanes",  # too short to tell
        "maxumun",  # two letters
        "naximum",  # the first letter
        "Maximun",  # a name
        "m4ximum",
        "maxi-mum",
        "x" * 1_000,
    ],
)
def test_others_are_subjects(word: str) -> None:
    assert subjects(word) == (word,)


def test_three_words_are_compared_with_the_index() -> None:
    words = ("recieved", "maximun", "middlware", "recieve")
    assert subjects(*words) == ("recieve",)


class Failing:
    """An index that does not answer."""

    def __init__(self, index: Readable) -> None:
        self.index = index

    def __getattr__(self, name: str) -> object:
        return getattr(self.index, name)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        raise StoreError("gone")


def test_a_collection_that_fails_has_no_other_spelling() -> None:
    one = collection()
    assert subjects("recieved", within=replace(one, index=Failing(one.index))) == ("recieved",)


@pytest.mark.parametrize(
    "word",
    [
        "where ",
        "which file is ",
        "where is the ",
        "where defined and ",
        "where is it defined, defined/defined and " + "x" * 80,
        "in which file and line is it defined (file and ",
        "where defined" + " " * 100,
        "which file, ",
    ],
)
def test_a_long_question_for_places_takes_no_time(word: str) -> None:
    question = word * 10_000
    begun = time.process_time()
    assert asked(question, "Kafka") == ("Kafka",)
    assert time.process_time() - begun < GROWS_S


def test_long_words_are_compared_in_no_time() -> None:
    one = collection()
    begun = time.process_time()
    for _ in range(10):
        subjects("abcdefghijklmnop", "bcdefghijklmnopq", "cdefghijklmnopqr", within=one)
    assert time.process_time() - begun < GROWS_S
