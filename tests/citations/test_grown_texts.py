"""A text that has become a part of a longer word, number or line has changed, wherever it is."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from pincite.citations.verify import verify
from pincite.model.citation import cite
from tests.citations.indexed_file import Folder
from tests.citations.moved_texts import item_of, pack_with
from tests.citations.shelf import Shelf, pack_of
from tests.readers.office_files import pptx
from tests.records.desk import run

LIMIT = "uploads allowed = 1"


def notebook(*cells: str) -> bytes:
    made = [{"cell_type": "code", "metadata": {}, "source": [one], "outputs": []} for one in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.mark.parametrize("git", [False, True])
@pytest.mark.parametrize("added", ["0 MB, never more", " MB, never more"])
def test_a_passage_of_a_slide_that_grew_has_changed(tmp_path: Path, git: bool, added: str) -> None:
    second = ("Two", "walrus enabled")
    made = Folder(tmp_path, pptx(("Limits", LIMIT), second), "a.pptx", git=git)
    chunk = next(one for one in made.chunks() if LIMIT in one.text)
    packed = pack_with(item_of(chunk))
    for place in (cite(chunk), f"#{chunk.id}"):
        assert made.check(place).status == "fresh"
    assert made.check(cite(chunk), chunk.text).status == "fresh"
    made.put("a.pptx", pptx(("Limits", LIMIT + added), second))
    for place in (cite(chunk), f"#{chunk.id}"):
        assert (place, made.check(place).status) == (place, "changed")
        assert "no longer in the file" in made.get(place).warning
    is_number = added.startswith("0")
    assert made.check(cite(chunk), chunk.text).status == ("changed" if is_number else "fresh")
    (found,) = asyncio.run(verify(made.index, packed, folder=made.folder))
    # without a revision to compare with, only words and numbers are known to be whole
    assert found.status == ("changed" if is_number or git else "fresh")


def test_a_cell_that_grew_has_changed(tmp_path: Path) -> None:
    made = Folder(tmp_path, notebook("x = 1", "z = 3"), "a.ipynb", git=True)
    chunk = next(one for one in made.chunks() if "z = 3" in one.text)
    made.put("a.ipynb", notebook("import q", "x = 1", "z = 33"))
    assert made.check(cite(chunk)).status == "changed"
    assert made.check(f"#{chunk.id}").status == "changed"
    made.put("a.ipynb", notebook("import q", "x = 1", "z = 3"))
    assert made.check(cite(chunk)).status == "moved"
    assert made.check(f"#{chunk.id}").status == "moved"


def test_a_record_that_grew_has_changed(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    text = f"The printer is on fire.\n{LIMIT}"
    run(shelf.upsert([{"id": "a:7", "text": text}]))
    cited, packed = shelf.cited("a:7"), pack_of(shelf)
    run(shelf.upsert([{"id": "a:7", "text": f"{text}0 MB"}]))
    assert shelf.verify(packed).status == "changed"
    assert shelf.check(cited, text).status == "changed"
    run(shelf.upsert([{"id": "a:7", "text": f"New.\n{text}"}]))
    assert shelf.verify(packed).status == "moved"
    assert shelf.check(cited, text).status == "moved"


@pytest.mark.parametrize(
    ("path", "text", "now"),
    [
        ("conf.py", "TIMEOUT = 3", "TIMEOUT = 300"),
        ("a.md", f"# Limits\n{LIMIT}", f"# Limits\n{LIMIT}0 MB"),
        ("a.md", f"# Limits\n{LIMIT}", f"New\n# Limits\n{LIMIT}0 MB"),
    ],
)
def test_a_quote_of_a_whole_passage_has_whole_numbers(
    tmp_path: Path, path: str, text: str, now: str
) -> None:
    made = Folder(tmp_path, f"{text}\n".encode(), path)
    assert made.check(cite(made.chunk), text).status == "fresh"
    made.put(path, f"{now}\n".encode())
    assert made.check(cite(made.chunk), text).status == "changed"
