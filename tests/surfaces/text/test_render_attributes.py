"""Attributes in what people read: one line, and nothing that a terminal obeys."""

from __future__ import annotations

import asyncio

import msgspec

from pincite.model import Attributes, EvidencePack
from pincite.support.fields import replace
from pincite.surfaces.text.render import pack_from_json, pack_schema, render, to_json
from tests.small_search import TEXTS, ask, make

HELD: Attributes = {
    "course": "ml\x1b[2J\nline",
    "labels": ("a", "b"),
    "visible": True,
    "year": 2026,
    "weight": 2.0,
}


def _pack(held: Attributes) -> EvidencePack:
    pack = ask("rotate a key", asyncio.run(make(None, TEXTS)))
    return replace(pack, evidence=(replace(pack.evidence[0], attributes=held),))


def _text(pack: EvidencePack, form: str) -> str:
    return "".join(map(str, (getattr(one, "text", one) for one in render(pack, form))))  # type: ignore[arg-type]


def test_attributes_stand_on_one_line_that_a_terminal_does_not_obey() -> None:
    for form, begins in (("table", "    course="), ("md", "Attributes: `course=")):
        said = _text(_pack(HELD), form)
        assert "\x1b" not in said
        (line,) = [line for line in said.split("\n") if line.startswith(begins)]
        assert line.rstrip("`").endswith("labels=a|b, visible=true, weight=2.0, year=2026")
        assert "course=" not in _text(_pack({}), form)


def test_a_long_value_does_not_fill_the_screen() -> None:
    said = _text(_pack({"course": "x" * 4_000}), "md")
    (line,) = [line for line in said.split("\n") if line.startswith("Attributes: ")]
    assert line.endswith("...`")
    assert len(line) < 300


def test_a_pack_in_json_has_attributes_with_their_types() -> None:
    pack = _pack(HELD)
    again = pack_from_json(to_json(pack).encode()).evidence[0].attributes
    assert again == HELD
    assert [type(again[name]) for name in ("visible", "year", "weight")] == [bool, int, float]
    described = pack_schema()["$defs"]["Evidence"]["properties"]["attributes"]
    assert described["type"] == "object"
    assert "attributes" not in pack_schema()["$defs"]["Evidence"]["required"]


def test_a_pack_of_an_earlier_version_has_none() -> None:
    raw = msgspec.json.decode(to_json(_pack(HELD)))
    del raw["evidence"][0]["attributes"]
    assert pack_from_json(msgspec.json.encode(raw)).evidence[0].attributes == {}
