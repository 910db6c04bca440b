"""A document with too many sections is refused before the others are made."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from pincite.chunkers import ChunkerConfig, sections_of
from pincite.chunkers.limits import MOST_SECTIONS, limited
from pincite.errors import SourceError
from pincite.model import Document, Section
from tests.chunkers.laws import read

TINY = ChunkerConfig(target_tokens=16, max_tokens=16, solo_tokens=1)
REFUSED = "more than 100,000 chunks"


def test_nothing_is_made_after_the_first_section_beyond_the_limit() -> None:
    made = list[int]()

    def sections() -> Iterator[Section]:
        for number in range(10 * MOST_SECTIONS):
            made.append(number)
            yield Section(number, number + 1)

    with pytest.raises(SourceError, match=REFUSED):
        for _ in limited(sections()):
            pass
    assert len(made) == MOST_SECTIONS + 1


def test_the_limit_itself_is_allowed() -> None:
    sections = [Section(0, 1)] * MOST_SECTIONS
    assert len(list(limited(sections))) == MOST_SECTIONS


def _notebook() -> Document:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "a"}] * (MOST_SECTIONS + 1)
    return read("a.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 4, "cells": cells}))


def _transcript() -> Document:
    turns = (
        {"role": "user", "content": "a", "session": str(number)}
        for number in range(MOST_SECTIONS + 1)
    )
    return read("a.jsonl", "\n".join(map(json.dumps, turns)))


@pytest.mark.parametrize("document", [_notebook, _transcript])
def test_every_kind_of_document_has_the_limit(document: object) -> None:
    assert callable(document)
    with pytest.raises(SourceError, match=REFUSED):
        sections_of(document(), TINY)
