"""What a model reads of bound sources whose files have changed: no name, no place.

A citation begins with the name of its source. The pack that a program reads has its collections in
fields of their own.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest

from pincite import Pincite
from pincite.surfaces.adk import EvidenceToolset
from pincite.surfaces.frameworks.evidence_source import EvidenceSource, metadata_of
from pincite.surfaces.frameworks.tools import evidence_text
from tests.surfaces.frameworks.conftest import Opened

QUESTION = "how is a key rotated?"
#: Fields that say where a passage is from, and how it was searched.
FIELDS = ("citation", "collection", "repo", "repository", "plan")
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


def page(place: Path) -> str:
    """Of its own for each place: equal texts are shown once."""
    number = NUMBERS[int(place.name.rpartition("-")[2])]
    return f"# Keys of {number}\n\nThe {number} key is rotated every {number} days.\n"


def as_folder(place: Path) -> Path:
    place.mkdir()
    (place / "keys.md").write_text(page(place))
    return place


def as_archive(place: Path) -> Path:
    archive = place.with_suffix(".zip")
    with ZipFile(archive, "w") as made:
        made.writestr("keys.md", page(place))
    return archive


def as_notebook(place: Path) -> Path:
    place.mkdir()
    cell = {"cell_type": "markdown", "metadata": {}, "source": page(place)}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (place / "keys.ipynb").write_text(json.dumps(book))
    return place


def without_page(archive: Path) -> None:
    with ZipFile(archive, "w") as made:
        made.writestr("other.md", "# Other\n")


def as_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("")


def as_a_folder(folder: Path) -> None:
    (folder / "keys.md").unlink()
    (folder / "keys.md").mkdir()


def as_a_link(folder: Path) -> None:
    (folder / "keys.md").rename(folder.parent / "keys.md")
    (folder / "keys.md").symlink_to(folder.parent / "keys.md")


#: How the source is made, what happens to it, and whether its passage is omitted. None: it depends
#: on how soon the extractor answers.
CHANGES: dict[str, tuple[Callable[[Path], Path], Callable[[Path], Any], bool | None]] = {
    "folder deleted": (as_folder, shutil.rmtree, True),
    "folder became a file": (as_folder, as_a_file, True),
    "file deleted": (as_folder, lambda f: (f / "keys.md").unlink(), True),
    "file changed": (as_folder, lambda f: (f / "keys.md").write_text("# Other\n"), True),
    "file became a folder": (as_folder, as_a_folder, True),
    "file became a link": (as_folder, as_a_link, True),
    "file too large": (as_folder, lambda f: (f / "keys.md").write_bytes(b"x " * 3_000_000), True),
    "archive deleted": (as_archive, lambda f: f.unlink(), True),
    "archive damaged": (as_archive, lambda f: f.write_bytes(b"no archive"), False),
    "archive without the file": (as_archive, without_page, True),
    "notebook damaged": (
        as_notebook,
        lambda f: (f / "keys.ipynb").write_text('{"cells": 7}'),
        None,
    ),
}


#: What the program binds, and a part of names that nothing may show.
BOUND: dict[str, tuple[dict[str, Any], str]] = {
    "sources": ({"sources": [f"merger-{number}" for number in range(len(CHANGES))]}, "merger"),
    "collections": ({"collections": "takeover"}, "takeover"),
    "kinds": ({"kinds": ["docs", "data"]}, "merger"),
    "where": ({"where": "kind in (docs, data)"}, "merger"),
}


@pytest.mark.parametrize("bound", BOUND)
def test_no_model_reads_the_name_or_the_place_of_a_bound_source(
    tmp_path: Path, opened: Opened, bound: str
) -> None:
    (tmp_path / "pincite.toml").write_text('[refresh]\nmode = "manual"\n')
    index, places = tmp_path / ".pincite", []
    with Pincite(index) as pincite:
        for number, (make, _, _) in enumerate(CHANGES.values()):
            places.append(make(tmp_path / f"files-{number}"))
            named: Any = {"name": f"merger-{number}", "collection": "takeover"}
            (report,) = pincite.index(places[-1], lexical=True, **named)
            assert (report.new, report.skipped) == (1, {}), number
    for place, (_, spoil, _) in zip(places, CHANGES.values(), strict=True):
        spoil(place)
    sources = [f"merger-{number}" for number in range(len(CHANGES))]
    names, hidden = BOUND[bound]
    source = opened(EvidenceSource(index, limit=20, **names))
    pack = source.search(QUESTION)
    omitted = {one.citation.partition("@")[0] for one in pack.omitted}
    for name, (_, _, is_omitted) in zip(sources, CHANGES.values(), strict=True):
        assert is_omitted in (None, name in omitted), name
    shown = [one.citation.partition("@")[0] for one in pack.evidence]
    assert sorted([*shown, *omitted]) == sorted(sources)
    for said in (
        asyncio.run(evidence_text(source, QUESTION)),
        msgspec.to_builtins(pack),
        asyncio.run(of_adk(index, names)),
        [metadata_of(one, pack) for one in pack.evidence],
    ):
        left = json.dumps(without_fields(said))
        assert str(tmp_path) not in left
        assert hidden not in left


def without_fields(said: Any) -> Any:
    """What was told, without citations and the fields that name collections and sources."""
    if isinstance(said, dict):
        return {name: without_fields(one) for name, one in said.items() if name not in FIELDS}
    if isinstance(said, list | tuple):
        return [without_fields(one) for one in said]
    return re.sub(r"merger-\d+@", "", said) if isinstance(said, str) else said


async def of_adk(index: Path, names: dict[str, Any]) -> Any:
    tools = EvidenceToolset(index, tools=["retrieve_adk_evidence"], **names)
    try:
        return await tools.retrieve_adk_evidence(QUESTION)
    finally:
        await tools.close()


def test_the_owner_of_an_index_reads_the_place(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "pincite.toml").write_text('[refresh]\nmode = "manual"\n')
    place = as_folder(tmp_path / "files-0")
    with Pincite(tmp_path / ".pincite") as pincite:
        pincite.index(place, name="merger", lexical=True)
    shutil.rmtree(place)
    (gone,) = opened(EvidenceSource(tmp_path / ".pincite")).search(QUESTION).omitted
    assert gone.detail == f"{place} is gone"
