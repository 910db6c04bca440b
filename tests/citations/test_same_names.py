"""Two collections with a source of the same name: what is read is the file that was meant."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite import AsyncPincite
from pincite.citations.pictures import PagePicture, page_picture
from tests.readers.pdf.files import drawn
from tests.surfaces.conftest import Cli

MAIN = '"""A lantern of main."""\ndef first():\n    return 1\n'
SECOND = '"""A lantern of the second."""\ndef other():\n    return 2\n'


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(tmp_path_factory.mktemp("names"))
    cli.write("w/proj/src/m1.py", MAIN)
    cli.write("w/proj/src/m2.py", "def two():\n    return 'lantern'\n")
    cli.write("w/o/proj/src/m1.py", SECOND)
    cli.write("w/o/proj/only.md", "# A lantern only here\n")
    git = ("git", "-C", str(cli.folder / "w/proj"), "-c", "user.name=x", "-c", "user.email=x@y.z")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run((*git, *command), check=True)
    cli("index", "w/proj", "--lexical")
    cli("index", "w/o/proj", "-c", "second", "--lexical")
    yield cli
    cli("stop")


def at(cli: Cli, folder: str, command: str, *given: str, code: int = 0) -> Any:
    """What a command prints in a folder."""
    index = ("--index", str(cli.folder / ".pincite"))
    given = tuple(one.format(folder=cli.folder / "w") for one in given)
    return Cli(cli.folder / "w" / folder).json(command, *given, *index, code=code)


def test_a_citation_is_read_from_the_file_of_its_revision(cli: Cli) -> None:
    texts = {}
    for collection in ("main", "second"):
        given = ("search", "lantern", "--path", "src/m1.py", "-c", collection)
        (item,) = at(cli, "", *given)["evidence"]
        read = at(cli, "", "get", item["citation"])
        assert (read["text"], read["warning"]) == (item["text"].rstrip("\n"), "")
        (checked,) = at(cli, "", "verify", item["citation"])
        assert checked["status"] == "fresh"
        texts[collection] = read["text"]
    assert texts == {"main": MAIN.rstrip("\n"), "second": SECOND.rstrip("\n")}


@pytest.mark.parametrize(
    ("folder", "given", "text"),
    [
        ("proj/src", "m1.py", MAIN),
        ("proj/src", "./m1.py", MAIN),
        ("proj", "src/m1.py:1-3", MAIN),
        ("", "{folder}/proj/src/m1.py", MAIN),
        ("o/proj/src", "m1.py", SECOND),
        ("o/proj/src", "./m1.py", SECOND),
        ("", "{folder}/o/proj/src/m1.py", SECOND),
        ("", "o/proj/src/m1.py", SECOND),
    ],
)
def test_a_path_is_that_of_the_file_below_the_folder(
    cli: Cli, folder: str, given: str, text: str
) -> None:
    assert at(cli, folder, "get", given)["text"] == text.rstrip("\n")
    passages = at(cli, folder, "multi-get", given)["passages"]
    assert text.rstrip("\n") in [one["text"] for one in passages]
    if ":" not in given:
        assert len(passages) == len(at(cli, folder, "ls", given)["files"]) == 1


def test_what_stays_ambiguous_is_refused_and_the_collection_decides(cli: Cli) -> None:
    index = ("--index", str(cli.folder / ".pincite"))
    there = Cli(cli.folder / "w")
    done = there("get", "src/m1.py", *index, code=2)
    assert "ambiguous: the collections main, second have proj:src/m1.py" in done.stderr
    assert "try: --collection main" in done.stderr
    assert at(cli, "", "get", "src/m1.py", "-c", "main")["text"] == MAIN.rstrip("\n")
    assert at(cli, "", "get", "src/m1.py", "-c", "second")["text"] == SECOND.rstrip("\n")
    (checked,) = at(cli, "", "verify", "proj:src/m1.py#L1", code=3)
    assert (checked["status"], "ambiguous" in checked["detail"]) == ("unknown", True)
    given = ("proj:src/m1.py#L1", "-c", "second", "--quote", "A lantern of the second")
    (checked,) = at(cli, "", "verify", *given)
    assert checked["status"] == "fresh"


def test_a_pattern_reads_each_file_in_its_collection(cli: Cli) -> None:
    for given in ("src/*.py", "{folder}"):
        found = at(cli, "", "multi-get", given)["passages"]
        texts = [one["text"] for one in found if one["path"] == "src/m1.py"]
        assert texts == [MAIN.rstrip("\n"), SECOND.rstrip("\n")]
        assert not any(one["warning"] for one in found)


@pytest.mark.parametrize("given", ["./only.md", "{folder}/proj/only.md"])
def test_no_file_of_another_source_is_below_the_folder(cli: Cli, given: str) -> None:
    assert at(cli, "proj", "ls", given, code=3)["files"] == []
    assert at(cli, "proj", "multi-get", given, code=3)["passages"] == []
    assert at(cli, "proj", "search", "lantern", "--path", given, code=3)["evidence"] == []
    index = ("--index", str(cli.folder / ".pincite"))
    path = given.format(folder=cli.folder / "w")
    Cli(cli.folder / "w/proj")("get", path, *index, code=2)


@pytest.mark.parametrize("among", [(), ("-c", "main"), ("-c", "second")])
@pytest.mark.parametrize("path", ["./m1.py", "m1.py", "../*", "{folder}/proj", "../only.md"])
def test_files_are_listed_as_a_search_finds_them(
    cli: Cli, path: str, among: tuple[str, ...]
) -> None:
    index = ("--index", str(cli.folder / ".pincite"))
    there, given = Cli(cli.folder / "w/o/proj/src"), path.format(folder=cli.folder / "w")
    wanted = _found(path, among)
    asked, code = (*among, *index), 0 if wanted else 3
    listed = there.json("ls", given, *asked, code=code)["files"]
    found = there.json("search", "lantern", "--all", "--path", given, *asked, code=code)["evidence"]
    for items in (listed, found):
        assert {(one["collection"], one["path"]) for one in items} == wanted


def _found(path: str, among: tuple[str, ...]) -> set[tuple[str, str]]:
    found = {
        "./m1.py": {("second", "src/m1.py")},
        "m1.py": {("second", "src/m1.py")},
        "../*": {("second", "src/m1.py"), ("second", "only.md")},
        "{folder}/proj": {("main", "src/m1.py"), ("main", "src/m2.py")},
        "../only.md": {("second", "only.md")},
    }[path]
    return {one for one in found if not among or one[0] == among[1]}


def test_a_citation_that_collections_share_exactly_is_read_and_verified(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    for folder in ("one", "two"):
        cli.write(f"{folder}/proj/a.md", "# A lantern\n\nIts light is green.\n")
        cli("index", f"{folder}/proj", "-c", folder, "--lexical")
    try:
        (item,) = cli.json("search", "lantern", "-n", "1")["evidence"]
        assert cli.json("get", item["citation"])["text"] == item["text"].rstrip("\n")
        assert len(cli.json("multi-get", item["citation"])["passages"]) == 1
        (checked,) = cli.json("verify", item["citation"])
        assert checked["status"] == "fresh"
        assert "ambiguous" in cli("get", "proj:a.md", code=2).stderr
    finally:
        cli("stop")


def test_a_picture_is_of_the_document_that_was_read(tmp_path: Path) -> None:
    def draw(words: str, more: str = "") -> bytes:
        def both(canvas: Canvas) -> None:
            canvas.drawString(100, 300, words)
            canvas.drawString(100, 100, more)

        return drawn(both)

    texts = {"one": "A lantern", "two": "A lantern, and more of it"}

    async def pictures() -> list[PagePicture]:
        async with AsyncPincite(tmp_path / ".pincite") as engine:
            for name, words in texts.items():
                place = tmp_path / name / "proj" / "a.pdf"
                place.parent.mkdir(parents=True)
                place.write_bytes(draw(words))
                await engine.index(place.parent, collection=name, lexical=True)
            found = (await engine.search("lantern", limit=2)).evidence
            assert {one.collection for one in found} == {"one", "two"}
            for name, words in texts.items():  # the revision is no longer that of the index
                (tmp_path / name / "proj/a.pdf").write_bytes(draw(words, "New."))
            given = [one.citation for one in found] + [f"#{one.chunk_id}" for one in found]
            made = [await page_picture(engine.client(), one) for one in given]
            await engine.stop()
            return made

    widths = [one.boxes[0][2] - one.boxes[0][0] for one in asyncio.run(pictures())]
    assert widths[:2] == widths[2:]
    assert widths[0] != widths[1]
