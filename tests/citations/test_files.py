"""Which files are indexed, and many of them at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pincite import Pincite
from pincite.citations.files import Most
from pincite.errors import UsageError
from pincite.model import DocumentRecord
from pincite.scope.tagged_index import TaggedIndex
from pincite.surfaces.cli.app import app
from tests.readers.office_files import pptx

FILES = {
    "docs/a.md": "# A\n\none\ntwo\n",
    "docs/b.md": "# B\n\nthree\n",
    "docs/deep/c.md": "# C\n\nfour\n",
    "src/a.py": "def a() -> int:\n    return 1\n",
    "odd/a:3": "a colon in the name\n",
    "odd/==> x <==.md": "# not a header\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("many")
    for name, text in FILES.items():
        path = root / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def pincite(folder: Path) -> Iterator[Pincite]:
    with Pincite(folder / ".pincite") as opened:
        opened.index(folder / "tree", lexical=True, name="tree")
        opened.upsert([{"id": "t:1", "text": "a ticket\nof two lines"}], source="tickets")
        yield opened
        opened.stop()


def test_all_that_is_indexed_is_listed_in_order(pincite: Pincite) -> None:
    listing = pincite.files()
    assert [f"{one.source}:{one.path}" for one in listing.files] == [
        "tickets:t:1",
        *(f"tree:{name}" for name in sorted(FILES) if not name.startswith("odd/a")),
    ]
    assert listing.left_out == 0
    a = next(one for one in listing.files if one.path == "docs/a.md")
    assert (a.kind, a.size, a.chunks) == ("docs", len(FILES["docs/a.md"]), 1)


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("docs/", ["docs/a.md", "docs/b.md", "docs/deep/c.md"]),
        ("docs/?.md", ["docs/a.md", "docs/b.md"]),
        ("tree:src", ["src/a.py"]),
        ("other:src", []),
        ("**/a.*", ["docs/a.md", "src/a.py"]),
        ("../../etc/*", []),
        ("", []),
    ],
)
def test_patterns_choose_files(pincite: Pincite, pattern: str, paths: list[str]) -> None:
    found = [one.path for one in pincite.files([pattern]).files]
    assert found == paths or (pattern == "" and found)


def test_a_listing_says_how_many_it_leaves_out(pincite: Pincite) -> None:
    listing = pincite.files(most=2)
    assert (len(listing.files), listing.left_out) == (2, 4)


def test_names_patterns_and_lines_are_read_in_order_and_each_once(pincite: Pincite) -> None:
    found = pincite.get_many(["src/a.py", "docs/a.md:3:1", "docs/*.md", "tree:src/", "docs/b.md"])
    assert [(one.path, one.text) for one in found.passages] == [
        ("src/a.py", "def a() -> int:\n    return 1"),
        ("docs/a.md", "one"),
        ("docs/a.md", "# A\n\none\ntwo"),
        ("docs/b.md", "# B\n\nthree"),
        ("docs/deep/c.md", "# C\n\nfour"),
    ]
    assert found.left_out == ()


def test_every_citation_of_many_reads_the_same_again(pincite: Pincite) -> None:
    found = pincite.get_many(["docs/", "tickets:t:1"], most=Most(lines=1))
    assert [one.text for one in found.passages] == ["# A", "# B", "# C", "a ticket"]
    for one in found.passages:
        assert pincite.get(one.citation).text == one.text


def test_what_does_not_fit_is_named_and_smaller_files_still_come(pincite: Pincite) -> None:
    found = pincite.get_many(["src/a.py", "docs/b.md", "nowhere/*"], most=Most(size=20))
    assert [one.path for one in found.passages] == ["docs/b.md"]
    assert [(one.name, one.why) for one in found.left_out] == [
        ("src/a.py", "too_large"),
        ("nowhere/*", "not_found"),
    ]
    few = pincite.get_many(["docs/"], most=Most(files=1))
    assert [one.why for one in few.left_out] == ["too_many", "too_many"]


def test_a_file_that_is_gone_costs_itself(folder: Path, pincite: Pincite) -> None:
    path = folder / "tree" / "docs" / "b.md"
    path.unlink()
    try:
        found = pincite.get_many(["docs/"])
        assert [one.path for one in found.passages] == ["docs/a.md", "docs/deep/c.md"]
        assert [(one.name, one.why) for one in found.left_out] == [("docs/b.md", "unreadable")]
    finally:
        path.write_text(FILES["docs/b.md"], encoding="utf-8")


@pytest.mark.parametrize("values", [{"files": 0}, {"lines": -1}, {"size": 0}, {"files": True}])
def test_limits_that_cannot_be_are_named(values: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=next(iter(values))):
        Most(**values)


@pytest.mark.parametrize("most", [5, 0, {"files": 5}, Most])
def test_limits_of_another_type_are_refused(pincite: Pincite, most: Any) -> None:
    with pytest.raises(UsageError, match=r"^most is .*; it takes a Most"):
        pincite.get_many("docs/a.md", most=most)


def test_nothing_named_is_an_error_with_an_example(pincite: Pincite) -> None:
    with pytest.raises(UsageError, match="no file is named") as caught:
        pincite.get_many([])
    assert "multi-get" in caught.value.hint


def test_the_commands_print_numbers_before_lines_and_name_what_is_left_out(
    folder: Path, pincite: Pincite
) -> None:
    index = ["--index", str(folder / ".pincite")]
    listed = CliRunner().invoke(app, ["ls", "docs/", *index], standalone_mode=False)
    assert listed.output.splitlines()[0] == "tree:docs/a.md  docs, 13 bytes, 1 chunk"
    many = ["multi-get", "docs/a.md", "odd/*", "nope", *index]
    shown = CliRunner().invoke(app, many, standalone_mode=False)
    assert shown.return_value == 3
    assert "     3\tone\n" in shown.output
    assert "     1\t# not a header\n" in shown.output
    assert "left out: nope: not_found" in shown.output + shown.stderr
    raw = CliRunner().invoke(app, ["multi-get", "docs/a.md", "--json", *index])
    assert json.loads(raw.stdout)["passages"][0]["start_line"] == 1
    nothing = CliRunner().invoke(app, ["ls", "nowhere/", *index], standalone_mode=False)
    assert (nothing.return_value, nothing.stdout) == (3, "")


def test_paths_count_from_here_where_they_say_so(
    folder: Path, pincite: Pincite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "tree" / "docs")
    index = ["--index", str(folder / ".pincite")]
    for name in ("./deep", str(folder / "tree" / "docs" / "deep")):
        found = CliRunner().invoke(app, ["ls", name, *index], standalone_mode=False)
        assert found.output.splitlines() == ["tree:docs/deep/c.md  docs, 10 bytes, 1 chunk"]


def test_the_documents_are_listed_once_for_all_names(
    folder: Path, pincite: Pincite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder / "tree" / "docs")
    index = ["--index", str(folder / ".pincite")]
    asked: list[object] = []
    documents = TaggedIndex.documents

    async def counted(
        within: TaggedIndex, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        if source is None:
            asked.append(collection)
        return await documents(within, collection, source)

    monkeypatch.setattr(TaggedIndex, "documents", counted)
    names = ["a.md", "deep/*.md", "./deep", "tree/docs/b.md", *(f"{n}.md" for n in range(50))]
    for command in ("ls", "multi-get"):
        asked.clear()
        done = CliRunner().invoke(app, [command, *names, "--json", *index])
        assert len(next(iter(json.loads(done.stdout).values()))) >= 2
        assert len(asked) == 2  # for the places of the names, and for the result


def test_what_is_left_out_is_named_as_it_was_typed(
    folder: Path, pincite: Pincite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    long = "a" * 5_000
    names = ["./tree/docs/nosuch.md", long, "src/a.py:99", "tree/none/*", "src/a.py"]
    index = ["--json", "--index", str(folder / ".pincite")]
    done = CliRunner().invoke(app, ["multi-get", *names, *index])
    found = json.loads(done.stdout)
    assert [one["path"] for one in found["passages"]] == ["src/a.py"]
    assert [(one["name"], one["why"]) for one in found["left_out"]] == [
        (one, "not_found") for one in names[:-1]
    ]
    details = [one["detail"] for one in found["left_out"]]
    assert details[0] == "no indexed file is named './tree/docs/nosuch.md'"
    assert "longer than the limit of 4,096 characters" in details[1]
    assert "line 99 does not exist" in details[2]


def test_slides_are_read_each_once_without_numbers_of_lines(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    made = pptx(("One", "first\nslide\nhere"), ("Two", "second\nslide\nhere"))
    (tmp_path / "tree" / "talk.pptx").write_bytes(made)
    index = ["--index", str(tmp_path / ".pincite")]
    with Pincite(tmp_path / ".pincite") as opened:
        opened.index(tmp_path / "tree", lexical=True, name="tree")
        names = [f"talk.pptx#slide={number}" for number in (1, 2, 1)]
        found = opened.get_many(names)
        assert [one.page for one in found.passages] == [1, 2]
        small = opened.get_many(["*.pptx"], most=Most(size=1_000))
        assert len(made) > 1_000
        assert [(one.path, one.text[:3]) for one in small.passages] == [("talk.pptx", "One")]
        cut = opened.get_many(names[1:2], most=Most(lines=1)).passages[0]
        assert (cut.text, cut.start_line, cut.end_line) == ("Two", 0, 0)
        assert opened.get(cut.citation).text == "Two"
        shown = CliRunner().invoke(app, ["multi-get", *names, *index])
        opened.stop()
    assert "     |\tfirst\n" in shown.output
    assert "     1\t" not in shown.output


def test_a_citation_gives_the_text_of_its_evidence_whatever_ends_the_lines(tmp_path: Path) -> None:
    text = (
        "# Herons\r\n\r\nHerons wait.\r\nThen they strike.\r\n\r\n# Otters\r\n\r\nOtters dive.\r\n"
    )
    (tmp_path / "birds").mkdir()
    (tmp_path / "birds" / "a.md").write_bytes(text.encode())
    with Pincite(tmp_path / ".pincite") as opened:
        opened.index(tmp_path / "birds", lexical=True)
        found = opened.search("herons strike").evidence
        assert found
        for one in found:
            passage = opened.get(one.citation)
            assert passage.text == one.text
            assert passage.crlf
        (cut,) = opened.get_many(["a.md"], most=Most(lines=3)).passages
        assert (cut.text, cut.raw) == ("# Herons\r\n\r\nHerons wait.", text[:26].encode())
        opened.stop()
