"""What pages show of other files is indexed beside their text, and followed when it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.sources.including import leads_out, read_included, state_of
from tests.sources.archives import zipped
from tests.sources.helpers import opened, plant
from tests.surfaces.conftest import Cli

PAGE = '# Pumps\n\nHow a pump is primed:\n\n```python\n--8<-- "examples/pump.py:prime"\n```\n'
PUMP = "# --8<-- [start:prime]\nvalve.open_slowly(degrees=7)\n# --8<-- [end:prime]\n"


def test_what_a_page_shows_is_found_by_its_words_and_the_page_is_cited(cli: Cli) -> None:
    cli.write("docs/pumps.md", PAGE)
    cli.write("examples/pump.py", PUMP)
    cli.write("docs/other.md", "# Other\n\nNothing of the kind.\n")
    cli("index", ".", "--lexical", "--language", "english", "--include", "docs/")
    (item,) = cli.json("search", "open_slowly valve")["evidence"]
    assert item["path"] == "docs/pumps.md"
    assert item["text"] == PAGE.rstrip("\n")
    assert (item["start_line"], item["end_line"]) == (1, 7)

    (report,) = cli.json("index")
    assert (report["unchanged"], report["changed"]) == (2, 0)
    cli.write("examples/pump.py", PUMP.replace("open_slowly", "shut_quickly"))
    (report,) = cli.json("index")
    assert (report["unchanged"], report["changed"]) == (1, 1)
    assert cli.json("search", "shut_quickly valve")["evidence"][0]["path"] == "docs/pumps.md"
    (cli.folder / "examples/pump.py").unlink()
    (report,) = cli.json("index")
    assert report["changed"] == 1
    assert report["noted"] == {"include_missing": 1}
    (report,) = cli.json("index")
    assert report["noted"] == {"include_missing": 1}
    assert "include_missing: docs/pumps.md (examples/pump.py:prime)" in cli("status").stdout


def test_nothing_outside_of_the_source_is_shown(cli: Cli) -> None:
    cli.write("secret.md", "zanzibar\n")
    cli.write("site/.env", "zanzibar=1\n")
    cli.write("site/ignored.md", "zanzibar\n")
    cli.write("site/.gitignore", "ignored.md\n")
    (cli.folder / "site/link.md").symlink_to(cli.folder / "secret.md")
    (cli.folder / "site/up").symlink_to(cli.folder)
    names = ("../secret.md", str(cli.folder / "secret.md"), ".env", "ignored.md", "link.md",
             "up/secret.md", "../../secret.md")  # fmt: skip
    lines = "\n".join(f'--8<-- "{name}"' for name in names)
    cli.write("site/docs/page.md", f"# Page\n\n{lines}\n")
    (report,) = cli.json("index", "site", "--lexical")
    assert sum(report["noted"].values()) == len(names)
    assert report["noted"]["include_outside"] == 2
    assert cli.json("search", "zanzibar", "--all", code=3)["evidence"] == []


def test_a_file_that_is_a_source_by_itself_shows_no_other(tmp_path: Path) -> None:
    plant(tmp_path, {"page.md": "x", "other.md": "y"})
    with opened(tmp_path / "page.md") as source:
        assert source.find("page.md") is not None
        assert read_included(source, "page.md", "other.md") is None


def test_names_count_from_the_root_or_from_a_folder_above_the_page(tmp_path: Path) -> None:
    files = {"a.md": "root", "site/a.md": "inner", "site/b.md": "b", "site/docs/page.md": "x"}
    place = plant(tmp_path / "folder", files)  # type: ignore[arg-type]
    archive = zipped(tmp_path / "x.zip", {f"top/{name}": text for name, text in files.items()})
    for each in (place, archive):
        with opened(each) as source:
            page = "site/docs/page.md"
            assert read_included(source, page, "a.md") == "root"
            assert read_included(source, page, "b.md") == "b"
            assert read_included(source, page, "./docs/../b.md") == "b"
            assert read_included(source, page, "../b.md") == "b"
            assert read_included(source, page, "c.md") is None
            assert read_included(source, page, "../../../a.md") is None
            assert state_of(source, page, ["b.md"]) != state_of(source, page, ["a.md"])


@pytest.mark.parametrize(
    ("name", "out"),
    [("../../x.md", True), ("/etc/passwd", True), ("../x.md", False), ("a/b.md", False)],
)
def test_a_name_leads_out_if_it_does_from_every_folder(name: str, out: bool) -> None:
    assert leads_out("docs/page.md", name) is out
