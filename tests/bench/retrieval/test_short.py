"""Short questions, drawn from collections."""

from __future__ import annotations

import msgspec
from bench.retrieval.short import WEIGHTS, ShortFigures, drawn
from bench.retrieval.short_table import short

from pincite.evals.golden.beir import Collection

DOCUMENTS = {
    "a": "Glacier glacier glacier moraine. The water of the river is cold.",
    "b": "A river has water. Glacier.",
    "c": "Water is wet.",
}
COLLECTION = Collection(
    "tiny", DOCUMENTS, {"q": "Where is the water of a glacier?"}, {"q": {"a": 2}}
)


def test_short_questions_are_words_of_documents_or_of_questions() -> None:
    kinds = drawn(COLLECTION, 10)
    words, gains = kinds["a word of a document"]
    assert list(words.values()) == ["glacier"]  # three times in one document, once in another
    assert gains["glacier"] == {"a": 1}
    pairs, both = kinds["two words of a document"]
    assert all(len(text.split()) == 2 for text in pairs.values())
    assert all("a" in found or "b" in found for found in both.values())
    assert set(kinds["1 of a question's words"][0]) <= {"water", "glacier"}
    assert kinds["2 of a question's words"][1] == {"water glacier": {"a": 2}}
    assert kinds["3 of a question's words"][0] == {}
    assert drawn(COLLECTION, 10) == kinds


def test_the_table_has_the_means_of_the_kinds() -> None:
    values = {str(weight): 0.25 for weight in WEIGHTS}
    more = {str(weight): 0.75 for weight in WEIGHTS}
    figures = ShortFigures({"x": {"k": 3}, "y": {"k": 4}}, {"x": {"k": values}, "y": {"k": more}})
    page = short(msgspec.to_builtins(figures))
    assert "0.500" in page
    assert page.count("\n") == 4
