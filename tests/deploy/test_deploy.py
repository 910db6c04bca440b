"""What is deployed: three nodes, no open doors, and a table that its formula gives."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"


def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert isinstance(loaded, dict)
    return loaded


def test_three_nodes_find_each_other() -> None:
    nodes = compose()["services"]
    assert len(nodes) == 3
    for name, node in nodes.items():
        assert node["environment"]["QDRANT__CLUSTER__ENABLED"] == "true"
        assert node["command"][-1] == f"http://{name}:6335"
        others = node["command"][node["command"].index("--bootstrap") + 1] if name[-1] > "1" else ""
        assert others in ("", "http://qdrant-1:6335")
        assert node["volumes"] == [f"{name}:/qdrant/storage"]


def test_no_node_can_be_reached_from_elsewhere_or_without_a_key() -> None:
    for node in compose()["services"].values():
        assert node["environment"]["QDRANT__SERVICE__API_KEY"].startswith("${QDRANT_API_KEY:?")
        for port in node["ports"]:
            assert port.startswith("127.0.0.1:")
            assert not port.endswith(":6335")


def test_the_table_of_sizes_is_what_the_formula_gives() -> None:
    sizing = runpy.run_path(str(DEPLOY / "sizing.py"))
    assert sizing["table"]() in (DEPLOY / "README.md").read_text()
    memory, disk = sizing["size_gb"](1_000_000, 384, "in memory", 1)
    assert memory == pytest.approx(1.5 * (1.536 + 0.128 + 0.480))
    assert disk == pytest.approx(2 * (1.536 + 0.128 + 0.480 + 1.2))


def test_the_page_on_operation_has_the_sizes_of_one_server() -> None:
    sizing = runpy.run_path(str(DEPLOY / "sizing.py"))
    page = (DEPLOY.parent / "docs/operation.md").read_text()
    assert sizing["table"](1, (1_000_000, 10_000_000, 100_000_000)) in page
    memory, _ = sizing["size_gb"](1_000_000, 1_024, "in memory", 1)
    assert memory < 8  # what the deployed files allow, as the page says
