"""A heading, a symbol or a sheet is read by its name; other errors say why there is none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.get import get
from pincite.citations.named_places import NoPlace
from pincite.citations.passage import Passage
from pincite.citations.resolve import NotNamed
from pincite.engine import AsyncPincite
from pincite.errors import UsageError
from pincite.settings.load import load_settings
from tests.ingestion.office import Office
from tests.readers.office_files import xlsx

NOTE = "Replace the value by another one that nobody has seen before, and say so. " * 8
CODE = f'''class Keys:
    def rotate(self, other):
        """{NOTE}"""
        return self.old


class Locks:
    def open(self, other):
        """{NOTE}"""
        return self.opened

    def rotate(self, other):
        """{NOTE}"""
        return self.turned


def first():
    return 1
'''
SMALL = (
    "# Server\n\nHow to start.\n\n## `bodyLimit`\n\nShort.\n\n### Units\n\nBytes.\n\n"
    "## Log level\n\nx\n"
)
LONG = (
    f"# Guide\n\n{'It sleeps. ' * 90}\n\n## Body limit\n\n{'It eats. ' * 90}\n\n"
    f"## Last\n\n{'A. ' * 300}\n"
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("desk")
    (place / "docs").mkdir()
    for name, text in {"keys.py": CODE, "small.md": SMALL, "long.md": LONG}.items():
        (place / "docs" / name).write_text(text)
    sheets: dict[str, list[list[object]]] = {
        "Prices 2026": [["item", "price"], ["gadget", 2]],
        "Costs": [["nut", 3]],
    }
    (place / "docs" / "prices.xlsx").write_bytes(xlsx(sheets))
    (place / "docs" / "min.json").write_text('{"a": "' + "x" * 20_000 + '"}')
    (place / "docs" / "damaged.xlsx").write_bytes(b"PK\x03\x04 no archive")

    async def index() -> None:
        async with AsyncPincite(load_settings({}, place)) as engine:
            await engine.index(place / "docs", lexical=True)
            await engine.stop()

    asyncio.run(index())
    (place / "docs" / "later.md").write_text("# Later\n")
    return place


def read(desk: Path, locator: str) -> Passage:
    async def session() -> Passage:
        async with AsyncPincite(load_settings({}, desk)) as engine:
            return await engine.get(locator)

    return asyncio.run(session())


def check(desk: Path, citation: str, quote: str = "") -> ClaimCheck:
    async def session() -> ClaimCheck:
        async with AsyncPincite(load_settings({}, desk)) as engine:
            (found,) = await engine.check(Claim(citation, quote))
            return found

    return asyncio.run(session())


@pytest.mark.parametrize(
    ("locator", "begins", "ends"),
    [
        ("keys.py:Keys.rotate", "class Keys:\n    def rotate(self, other):", "self.old"),
        ("docs/keys.py::Locks::rotate", "    def rotate(self, other):", "self.turned"),
        ("keys.py#Keys", "class Keys:", "self.old"),
        ("docs:keys.py:Locks.open", "class Locks:\n    def open(self, other):", "self.opened"),
        ("small.md#bodylimit", "## `bodyLimit`", "Bytes.\n"),
        ("small.md#log-level", "## Log level", "x"),
        ("small.md#units", "### Units", "Bytes.\n"),
        ("long.md#body-limit", "## Body limit", "It eats. \n"),
        ("long.md#Body limit", "## Body limit", "It eats. \n"),
        ("prices.xlsx#sheet=Prices 2026", "Prices 2026\n", "gadget | 2"),
        ("prices.xlsx#Costs", "Costs\n", "nut | 3"),
    ],
)
def test_a_place_is_read_by_its_name(desk: Path, locator: str, begins: str, ends: str) -> None:
    text = read(desk, locator).text
    assert text.startswith(begins)
    assert text.endswith(ends)


@pytest.mark.parametrize(
    ("locator", "said", "hint"),
    [
        (
            "keys.py:Keys.rotates",
            "keys.py is indexed, but has no place 'Keys.rotates'",
            "keys.py#rotate",
        ),
        (
            "small.md#bodySize",
            "small.md is indexed, but has no place 'bodySize'",
            "pincite get small.md",
        ),
        ("prices.xlsx#sheet=Rents", "prices.xlsx is indexed, but has no place 'sheet=Rents'", ""),
        (
            "keys.py:rotate",
            "keys.py has 2 places 'rotate'",
            "name one of them: keys.py:1-4, keys.py:12-14",
        ),
    ],
)
def test_a_file_without_that_place_is_said_to_be_indexed(
    desk: Path, locator: str, said: str, hint: str
) -> None:
    with pytest.raises(NoPlace) as caught:
        read(desk, locator)
    assert caught.value.message == said
    assert hint in caught.value.hint
    found = check(desk, locator, "anything")
    assert (found.status, found.detail) == ("unknown", said)


def test_a_quote_is_compared_with_the_named_place(desk: Path) -> None:
    found = check(desk, "keys.py:Keys.rotate", "return self.old")
    assert (found.status, found.start_line, found.end_line) == ("fresh", 4, 4)
    found = check(desk, "keys.py:Locks.open", "return self.old")
    assert (found.status, found.start_line) == ("moved", 4)
    assert check(desk, "small.md#units", "Bytes.").status == "fresh"
    assert check(desk, "prices.xlsx#sheet=Prices 2026", "gadget").status == "fresh"
    assert check(desk, "prices.xlsx#sheet=Costs", "gadget").status == "moved"


@pytest.mark.parametrize(
    ("locator", "said"),
    [
        ("min.json", "min.json is left out of the index: minified"),
        ("docs/min.json:3", "min.json is left out of the index: minified"),
        ("damaged.xlsx#sheet=1", "damaged.xlsx is left out of the index: failed (it cannot be"),
        ("later.md", "later.md is there, but it is not indexed"),
        ("none.md", "no indexed file is named 'none.md'"),
    ],
)
def test_a_file_that_is_left_out_is_told_from_one_that_is_not_there(
    desk: Path, locator: str, said: str
) -> None:
    with pytest.raises(NotNamed) as caught:
        read(desk, locator)
    assert caught.value.message.startswith(said)
    if locator != "none.md":
        assert check(desk, locator, "x").detail.startswith(said)


def test_a_file_is_looked_at_where_the_catalog_names_only_the_first_ones(desk: Path) -> None:
    (desk / "docs" / "one.txt").write_bytes(b"\0\1\2 no text")
    (desk / "docs" / "empty.md").write_text("")
    for name, code in {"one.txt": "binary", "empty.md": "empty"}.items():
        with pytest.raises(NotNamed, match=f"{name} is left out of the index: {code}"):
            read(desk, name)


def test_a_file_that_is_gone_is_not_mistaken_for_one_with_the_end_of_its_path(
    tmp_path: Path,
) -> None:
    docs = tmp_path / "docs"
    for name, text in {"mod.py": "count = 1\n", "sub/mod.py": "", "a.md": "# A\n"}.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text)

    async def session() -> tuple[ClaimCheck, NotNamed]:
        async with AsyncPincite(load_settings({}, tmp_path)) as engine:
            await engine.index(docs, lexical=True)
            cited = (await engine.get("docs:mod.py")).citation
            (docs / "mod.py").unlink()
            await engine.index(docs, lexical=True)
            with pytest.raises(NotNamed) as caught:
                await engine.get(cited)
            (found,) = await engine.check(cited)
            await engine.stop()
            return found, caught.value

    found, error = asyncio.run(session())
    assert (found.status, found.detail) == ("deleted", "the file is gone")
    assert "it may have been moved or deleted" in error.hint


def test_a_place_is_followed_when_its_file_has_changed(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "small.md").write_text(SMALL)

    async def session() -> list[Passage]:
        async with AsyncPincite(load_settings({}, tmp_path)) as engine:
            await engine.index(docs, lexical=True)
            before = await engine.get("small.md#log-level")
            (docs / "small.md").write_text(SMALL.replace("start.", "start.\n\nOr how to stop."))
            after = await engine.get("small.md#log-level")
            await engine.stop()
            return [before, after]

    before, after = asyncio.run(session())
    assert (after.text, after.start_line) == (before.text, before.start_line + 2)
    assert f"is now in lines {after.start_line}-{after.end_line}" in after.warning


@pytest.mark.parametrize("locator", ["docs/", "#", ""])
def test_no_name_is_that_of_a_folder_that_is_left_out(tmp_path: Path, locator: str) -> None:
    made = Office(tmp_path)
    made.put("a.md", b"# A\n\nzebra\n")
    made.put(".hidden/x.md", b"# H\n")
    made.run("docs")
    with pytest.raises(UsageError) as caught:
        asyncio.run(get(made.index, locator, 0, made.folder))
    assert "hidden" not in caught.value.message
    (found,) = asyncio.run(check_claims(made.index, [Claim(locator)], made.folder))
    assert (found.status, "hidden" in found.detail) == ("unknown", False)
    with pytest.raises(UsageError, match=r"\.hidden/ is left out of the index"):
        asyncio.run(get(made.index, ".hidden/", 0, made.folder))
