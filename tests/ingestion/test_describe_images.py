"""Pictures of documents are described by a model, once, and only where one is named."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.chunkers import chunks_of
from pincite.errors import AuthError, Unavailable
from pincite.ingestion.batch import ReadFile
from pincite.ingestion.describe_images import MARK, PROMPT_VERSION, Vision, note_of
from pincite.ingestion.enrich import enrich, own_text
from pincite.model import Document, Element, OnPage, Section
from pincite.ports import LLM, Completion, Image, Message
from pincite.providers.llm.note_cache import NoteCache, note_key
from pincite.testing.fakes import ScriptedLLM

PICTURES = {name: Image(f"bytes of {name}".encode(), "image/png") for name in ("a", "b", "c")}
TEXT = "Figure 1\n\nFigure 2\n\nFigure 3"


def document(*names: str, marginal: bool = False) -> Document:
    elements = tuple(
        Element("image", 10 * i, 10 * i + 8, 1, image=name, marginal=marginal)
        for i, name in enumerate(names)
    )
    return Document(
        "s", "r", "notes.pdf", TEXT, "", "0" * 64, "docs", "pdf", extractor="pdf/1",
        elements=elements,
    )  # fmt: skip


def described(file: ReadFile, model: LLM, cache: NoteCache | None = None) -> ReadFile:
    async def opened() -> LLM:
        return model

    async def run() -> ReadFile:
        return await Vision(opened, cache).describe(file)

    return asyncio.run(run())


class Failing(ScriptedLLM):
    """Raises these in turn, then answers."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__("a chart")
        self._errors = list(errors)

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None
    ) -> Completion:
        if self._errors:
            self.asked.append(tuple(messages))
            raise self._errors.pop(0)
        return await super().complete(messages, max_tokens=max_tokens)


def test_a_picture_is_sent_and_what_is_said_becomes_its_note() -> None:
    model = ScriptedLLM("A bar chart of rain.")
    found = described(ReadFile(document("a"), images=PICTURES), model)
    assert [one.note for one in found.document.elements] == [f"{MARK} A bar chart of rain."]
    assert found.document.text == TEXT
    assert found.notes == ()
    (asked,) = model.asked
    assert [one.images for one in asked] == [(), (PICTURES["a"],)]


def test_a_picture_that_is_shown_twice_is_asked_about_once() -> None:
    model = ScriptedLLM("A logo.")
    found = described(ReadFile(document("a", "a", "b"), images=PICTURES), model)
    assert len(model.asked) == 2
    assert all(one.note for one in found.document.elements)


def test_pictures_of_margins_and_those_without_bytes_are_not_sent() -> None:
    model = ScriptedLLM("A logo.")
    described(ReadFile(document("a", marginal=True), images=PICTURES), model)
    described(ReadFile(document("unknown"), images=PICTURES), model)
    assert model.asked == []


def test_what_is_known_is_not_asked_again(tmp_path: Path) -> None:
    cache, file = NoteCache(tmp_path / "notes.db"), ReadFile(document("a", "b"), images=PICTURES)
    first = described(file, ScriptedLLM("Said once."), cache)
    again = ScriptedLLM("Said twice.")
    assert described(file, again, NoteCache(tmp_path / "notes.db")) == first
    assert again.asked == []


def test_a_damaged_cache_begins_again(tmp_path: Path) -> None:
    place = tmp_path / "notes.db"
    cache = NoteCache(place)
    cache.put({b"k" * 16: "Said before."})
    raw = place.read_bytes()
    place.write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))
    described(ReadFile(document("a"), images=PICTURES), ScriptedLLM("Said."), cache)
    key = note_key("a", ScriptedLLM.fingerprint, PROMPT_VERSION)
    assert cache.get([key]) == {key: f"{MARK} Said."}


def test_a_cache_that_cannot_be_written_costs_nothing_but_itself(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = NoteCache(tmp_path / "file" / "notes.db")
    found = described(ReadFile(document("a"), images=PICTURES), ScriptedLLM("Said."), cache)
    assert found.document.elements[0].note == f"{MARK} Said."


def test_the_oldest_notes_make_room(tmp_path: Path) -> None:
    cache = NoteCache(tmp_path / "notes.db", most=2)
    for name in (b"1", b"2", b"3"):
        cache.put({name: name.decode()})
    assert cache.get([b"1", b"2", b"3"]) == {b"2": "2", b"3": "3"}


def test_a_failure_costs_the_note_and_is_named() -> None:
    model = Failing(Unavailable("the server\nis away"))
    found = described(ReadFile(document("a", "b"), notes=("other: x",), images=PICTURES), model)
    assert sorted(bool(one.note) for one in found.document.elements) == [False, True]
    assert found.notes == ("other: x", "vision_failed: 1 of 2 pictures: the server\\x0ais away")


def test_a_model_that_keeps_failing_is_not_asked_for_ever() -> None:
    names = [f"p{number}" for number in range(40)]
    images = {name: Image(name.encode(), "image/png") for name in names}
    whole = ReadFile(document(*names), images=images)
    model = Failing(*(Unavailable("away") for _ in range(100)))
    found = described(whole, model)
    assert len(model.asked) <= 6  # three in a row, and those that were under way
    assert found.notes == ("vision_failed: 40 of 40 pictures: away",)
    refused = Failing(*(AuthError("no key") for _ in range(100)))
    described(whole, refused)
    assert len(refused.asked) <= 4


def test_a_model_that_cannot_be_opened_is_named() -> None:
    async def opened() -> LLM:
        raise AuthError("OPENAI_API_KEY is not set")

    async def run() -> ReadFile:
        return await Vision(opened).describe(ReadFile(document("a"), images=PICTURES))

    assert asyncio.run(run()).notes == (
        "vision_failed: 1 of 1 pictures: OPENAI_API_KEY is not set",
    )


def test_pictures_that_no_model_takes_are_not_sent() -> None:
    images = {"a": Image(b"x", "image/x-emf"), "b": Image(b"x" * (6 << 20), "image/png")}
    model = ScriptedLLM("Seen.")
    found = described(ReadFile(document("a", "b"), images=images), model)
    assert model.asked == []
    (note,) = found.notes
    assert note.startswith("vision_failed: 2 of 2 pictures: ")


def test_a_thread_waits_for_the_loop() -> None:
    async def run() -> ReadFile:
        model = ScriptedLLM("A chart.")

        async def opened() -> LLM:
            return model

        file = ReadFile(document("a"), images=PICTURES)
        return await asyncio.to_thread(Vision(opened).noted, file)

    assert asyncio.run(run()).document.elements[0].note == f"{MARK} A chart."


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("  A chart.\n\n* one\n* two ", f"{MARK} A chart. * one * two"),
        ("", ""),
        (" \n\t", ""),
        (f"{MARK} twice {MARK}", f"{MARK} twice"),
        ("a\x1b[2Jb\u202ec", f"{MARK} a\\x1b[2Jb\\u202ec"),
    ],
)
def test_a_note_is_one_line_that_hides_nothing(said: str, note: str) -> None:
    assert note_of(said) == note


def test_a_note_is_bounded() -> None:
    assert len(note_of("word " * 10_000)) < 1_300


def test_a_note_is_read_by_encoders_and_is_in_no_quotation() -> None:
    place = OnPage(3, visual=True, note=f"{MARK} A bar chart.")
    (one,) = chunks_of(document("a"), (Section(0, 8, on_page=place),))
    assert one.text == "Figure 1"
    assert own_text(one) == f"Figure 1\n\n{MARK} A bar chart."
    assert enrich(one).endswith(own_text(one))
