"""The bench of the layout counts what a hand counts, and follows real commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.structure import layers_of, main, measure_layout, measure_paths

FILES = {
    "__init__.py": "",
    "engine.py": "from pincite.writing import write\nfrom pincite import errors\n",
    "writing.py": "def write():\n    from pincite.rooms.one import step\n",
    "errors.py": "",
    "rooms/__init__.py": "",
    "rooms/one.py": "import pincite.rooms.two\nfrom pincite.engine import Engine\n",
    "rooms/two.py": "import os\n",
}
CONTRACT = """
[[tool.importlinter.contracts]]
name = "Imports point down"
type = "layers"
containers = ["pincite"]
layers = ["engine", "writing", "rooms | (other)"]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        place = tmp_path / "src" / "pincite" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (tmp_path / "pyproject.toml").write_text(CONTRACT)
    return tmp_path


def test_rooms_and_arrows_are_counted(checkout: Path) -> None:
    found = measure_layout(checkout)
    assert found.modules == ("engine", "errors", "writing")
    assert found.packages == ("rooms",)
    assert found.files == 7
    # engine -> writing, engine -> errors, writing -> rooms, rooms -> engine
    assert found.room_arrows == 4
    assert found.file_arrows == 5  # and one within the room


def test_arrows_against_the_layers_are_named(checkout: Path) -> None:
    assert layers_of(checkout) == {"engine": 0, "writing": 1, "rooms": 2, "other": 2}
    found = measure_layout(checkout)
    assert found.upward == ("rooms -> engine",)
    assert found.unlayered == ("errors",)


def test_both_processes_of_real_commands_are_followed() -> None:
    here = Path(__file__).resolve()
    root = next(folder for folder in here.parents if (folder / "pyproject.toml").exists())
    indexed, searched = measure_paths(root, None)
    for one in (indexed, searched):
        assert one.processes == 2  # the command, and the process of the index
        assert one.functions > one.files > one.rooms > 10
    assert indexed.command == "pincite index"
    assert "search.py" in dict(searched.widest)  # it alone knows the order of the steps


def test_what_is_no_checkout_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--source", str(tmp_path)])
    assert "is no checkout of Pincite" in capsys.readouterr().err
