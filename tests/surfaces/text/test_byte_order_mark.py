"""The byte order mark at the beginning of a file is not shown to people or models."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Context
from pincite.model.context_block import write_context
from pincite.surfaces.text.render import pack_from_json, render, to_json
from tests.surfaces.packs import pack, result, text_of

TEXT = "\ufeffname: numbat\r\nage: 4"
AROUND = Context(1, 3, f"{TEXT}\r\nfood: termites")
FIRST: dict[str, Any] = {"text": TEXT, "start_line": 1, "end_line": 2}


@pytest.mark.parametrize("context", [None, AROUND])
def test_a_passage_is_shown_without_the_mark(context: Context | None) -> None:
    found = pack(result(**FIRST, context=context))
    block = write_context(found).text
    for shown in (text_of(render(found, "table")), text_of(render(found, "md")), block):
        assert "name: numbat" in shown
        assert "\ufeff" not in shown
        assert "\\ufeff" not in shown


def test_the_mark_inside_a_passage_is_shown_as_what_it_is() -> None:
    found = pack(result(text="name: num\ufeffbat"))
    block = write_context(found).text
    for shown in (text_of(render(found, "table")), text_of(render(found, "md")), block):
        assert "num\\ufeffbat" in shown


def test_json_has_the_exact_text() -> None:
    found = pack(result(**FIRST))
    assert pack_from_json(to_json(found).encode()).evidence[0].text == TEXT
