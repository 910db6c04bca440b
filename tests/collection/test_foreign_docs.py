"""docs/foreign-collections.md says what the settings take."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pincite.settings.sections.foreign import ForeignSettings, take_foreign_settings
from pincite.stores.fields import FIELDS, LAYOUTS
from pincite.stores.settings import StoreSettings

PAGE = (Path(__file__).parents[2] / "docs/foreign-collections.md").read_text(encoding="utf-8")


def test_the_tables_of_the_page_are_taken() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    table = tomllib.loads(block)
    found = take_foreign_settings(table, "the page", StoreSettings())
    assert list(found) == ["wiki", "memory"]
    assert found["wiki"].field_map("wiki").keys["url"] == "metadata.url"
    assert table == {"collections": {}}


def test_every_key_field_and_layout_is_named() -> None:
    for name in (*ForeignSettings.__struct_fields__, *FIELDS):
        assert f"`{name}`" in PAGE or f"\n{name} = " in PAGE, name
    rows = re.findall(r"^\| `([a-z-]+)` \| `([\w.]+)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert {layout: text for layout, text, _ in rows} == {
        name: keys["text"] for name, keys in LAYOUTS.items()
    }
    for layout, _, others in rows:
        named = set(re.findall(r"`([\w.]+)`", others))
        assert named == {key for name, key in LAYOUTS[layout].items() if name != "text"}
