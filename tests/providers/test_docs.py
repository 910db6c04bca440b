"""docs/providers.md says what the code says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pincite.providers.names import parse_model
from pincite.providers.registry import Kind, builtin_providers, find_provider
from pincite.providers.table import markdown
from pincite.settings.sections.models import take_model_settings
from pincite.testing.contract_server import FAULTS
from pincite.testing.contract_server.vendors import VENDORS

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")


def test_the_table_is_that_of_the_code() -> None:
    table = PAGE.partition("<!-- begin table -->")[2].partition("<!-- end table -->")[0]
    assert table.strip() == markdown(), "python -m pincite.providers.table"


def test_the_settings_of_the_page_are_settings() -> None:
    *blocks, _ = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    settings, rerankers = (
        take_model_settings(tomllib.loads(block), "docs/providers.md", {}, None) for block in blocks
    )
    assert settings.dense == "voyage:voyage-4"
    assert settings.providers["llamacpp"].body == {"user": "me"}
    assert rerankers.providers["local"].precision == "int8"


def test_the_names_of_the_page_are_names() -> None:
    rows = re.findall(r"^\| `([a-z]+:[^`]+)` \|", PAGE, re.MULTILINE)
    assert len(rows) >= 6
    for name in (*rows, *re.findall(r"--model ([a-z]+:\S+)", PAGE)):
        judges = "rerank" in name or name.startswith(("local:", "judge:"))
        kind: Kind = "rerank" if judges else "dense"
        find_provider(parse_model(name).provider, kind)


def test_every_hosted_and_local_server_is_in_the_contract_server() -> None:
    asked = {one.name for one in builtin_providers() if one.url}
    assert asked <= set(VENDORS)


def test_the_fault_of_the_page_is_one() -> None:
    (name,) = re.findall(r'"name": "([\w-]+)"', PAGE)
    assert name in FAULTS
