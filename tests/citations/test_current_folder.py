"""Locators of a caller that stands in a folder, on a real index."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite import Claim, Pincite
from pincite.daemon.client.remote_index import RemoteIndex
from pincite.errors import UsageError

FILES = {
    "proj/m.py": "PROJ = 1\n",
    "proj/vendor/src/m.py": "VENDOR = 1\n",
    "proj/docs/deep/only.md": "# Only here\n",
    "proj/docs/README.md": "# The docs\n\n## Only of the docs\n",
    "proj/README.md": "# The project\n\n## Only of the project\n",
    "proj/src/[id]/[slug].tsx": "export const slug = 1\n",
    "proj/src/[id]/page.tsx": "export const page = 1\n",
    "proj/src/d/page.tsx": "export const page = 2\n",
    "proj/inner/a.md": "# In two sources\n",
    "other/README.md": "# The other\n",
    "checkout/a.md": "# Of a checkout\n",
    "checkout/sub/b.md": "# Of its folder\n",
    "other/src/x.md": "# Of the other\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("folders")
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (root / "proj/src/bad\udce9.md").write_text("# A name that is no text\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def pincite(root: Path) -> Iterator[Pincite]:
    with Pincite(root / ".pincite") as opened:
        opened.index(root / "proj", lexical=True, name="proj")
        opened.index(root / "other", lexical=True, name="other")
        opened.index(root / "proj/inner", lexical=True, name="inner")
        subprocess.run(["git", "-C", str(root / "checkout"), "init", "-q"], check=True)
        opened.index(root / "checkout", lexical=True, name="checkout")
        opened.index(root / "checkout/sub", lexical=True, name="sub")
        opened.index(root / "proj/m.py", lexical=True, name="file")
        yield opened
        opened.stop()


def read(pincite: Pincite, locator: str, here: Path) -> set[str]:
    """The text of a locator; `multi-get` reads the same."""
    text = pincite.get(locator, here=str(here)).text
    passages = pincite.get_many([locator], here=str(here)).passages
    assert [one.text for one in passages] == [text]
    return {
        name for name, content in FILES.items() if content.split("\n")[0] == text.split("\n")[0]
    }


@pytest.mark.parametrize("form", ["{}:1", "{}:1:1", "{}#L1", "{}:1-1", "`{}:1`.", "({}#L1)"])
@pytest.mark.parametrize(
    ("here", "name", "found"),
    [
        ("proj/src", "./m.py", "proj/m.py"),  # not there, but at the root
        ("proj/vendor/src", "./m.py", "proj/vendor/src/m.py"),
        ("proj/src", "../m.py", "proj/m.py"),
        ("proj/src/[id]", "./[slug].tsx", "proj/src/[id]/[slug].tsx"),
        ("proj/src/[id]", "[slug].tsx", "proj/src/[id]/[slug].tsx"),
        ("proj/docs", "README.md", "proj/docs/README.md"),
        ("proj/src", "README.md", "proj/README.md"),  # one in the other source, too
        ("other/src", "README.md", "other/README.md"),
        ("", "other/src/x.md", "other/src/x.md"),
        ("", "./x.md", "other/src/x.md"),  # in no source: the end of a path
        ("proj/inner", "./a.md", "proj/inner/a.md"),  # of the inner source
        ("checkout/sub", "./b.md", "checkout/sub/b.md"),  # of two sources with one root
        ("checkout/sub", "../a.md", "checkout/a.md"),
        ("checkout", "sub/b.md", "checkout/sub/b.md"),
        ("proj", "./m.py", "proj/m.py"),  # of a folder and of a file
    ],
)
def test_lines_are_those_of_the_file(
    pincite: Pincite, root: Path, here: str, name: str, form: str, found: str
) -> None:
    assert read(pincite, form.format(name), root / here) == {found}
    whole = pincite.get(name, here=str(root / here)).text
    assert whole == FILES[found].rstrip("\n")
    claim = Claim(form.format(name), whole.split("\n")[0])
    (checked,) = pincite.check(claim, here=str(root / here))
    assert checked.status == "fresh"


@pytest.mark.parametrize(
    ("here", "locator", "line"),
    [
        ("proj/docs", "./README.md#only-of-the-docs", 3),
        ("proj/docs", "README.md#only-of-the-docs", 3),
        ("proj/src", "./README.md#only-of-the-project", 3),
        ("proj/vendor/src", "[m](./m.py)", 1),
        ("proj/vendor/src", 'File "./m.py", line 1, in <module>', 1),
        ("proj/docs", " `README.md`", 1),
    ],
)
def test_other_forms_count_from_the_folder(
    pincite: Pincite, root: Path, here: str, locator: str, line: int
) -> None:
    read = pincite.get(locator, here=str(root / here))
    folder = here.partition("/")[2]
    assert read.start_line == line
    assert read.path.startswith(f"{folder}/") or folder == "src"


@pytest.mark.parametrize(
    ("here", "locator", "said"),
    [
        (
            "proj/docs",
            "./README.md#only-of-the-project",
            "docs/README.md is indexed, but",
        ),
        (
            "proj/docs",
            "README.md#only-of-the-project",
            "docs/README.md is indexed, but",
        ),
        ("proj/vendor/src", "./m.py:other", "vendor/src/m.py is indexed, but"),
        ("proj/vendor/src", "./m.py:2-1", "cannot read lines from './m.py:2-1'"),
        ("proj/vendor/src", "nothing.py:3", "no indexed file is named 'nothing.py:3'"),
    ],
)
def test_errors_are_about_the_file_that_is_meant(
    pincite: Pincite, root: Path, here: str, locator: str, said: str
) -> None:
    with pytest.raises(UsageError) as failed:
        pincite.get(locator, here=str(root / here))
    assert failed.value.message.startswith(said)
    (left_out,) = pincite.get_many([locator], here=str(root / here)).left_out
    assert left_out.detail.startswith(said)


@pytest.mark.parametrize("end", ["", ":1"])
@pytest.mark.parametrize(
    ("here", "name"),
    [("proj/src", "./only.md"), ("proj/src", "./x.md"), ("proj", "../src/x.md")],
)
def test_no_file_of_another_folder_is_meant(
    pincite: Pincite, root: Path, here: str, name: str, end: str
) -> None:
    with pytest.raises(UsageError) as failed:
        pincite.get(f"{name}{end}", here=str(root / here))
    assert failed.value.message == f"no indexed file is named {f'{name}{end}'!r}"
    assert pincite.files(name, here=str(root / here)).files == ()


def test_a_file_of_nested_sources_is_read_from_the_inner_one(pincite: Pincite, root: Path) -> None:
    assert pincite.get(str(root / "proj/inner/a.md")).repo == "inner"
    assert pincite.get("proj:inner/a.md").repo == "proj"


@pytest.mark.parametrize("path", [".", "./", "{root}/proj/build", "/m.py", "/src"])
def test_a_folder_without_indexed_files_is_not_the_whole_source(
    pincite: Pincite, root: Path, path: str
) -> None:
    given, here = path.format(root=root), str(root / "proj/build")
    assert pincite.files(given, here=here).files == ()
    assert pincite.files(".", here=str(root.parent / "elsewhere")).files == ()


@pytest.mark.parametrize("path", ["page.tsx", "./page.tsx", "."])
def test_a_folder_with_brackets_is_itself(pincite: Pincite, root: Path, path: str) -> None:
    for folder in ("[id]", "d"):
        found = pincite.files(path, here=str(root / "proj/src" / folder)).files
        assert {one.path.rpartition("/")[0] for one in found} == {f"src/{folder}"}


def test_a_file_that_is_left_out_says_why(pincite: Pincite, root: Path) -> None:
    with pytest.raises(UsageError, match="is left out of the index"):
        pincite.get("./bad\udce9.md", here=str(root / "proj/src"))


def test_a_long_name_is_no_file(pincite: Pincite, root: Path) -> None:
    with pytest.raises(UsageError, match="no indexed file is named"):
        pincite.get("a" * 5_000, here=str(root / "proj"))


@pytest.mark.parametrize("name", ["typo.md", "./typo.md", "./typo.md:3"])
def test_a_missing_name_lists_each_collection_once(
    pincite: Pincite, root: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []
    documents = RemoteIndex.documents

    async def counted(index: Any, collection: str, source: str | None = None) -> Any:
        listed.append(source or "")
        return await documents(index, collection, source)

    monkeypatch.setattr(RemoteIndex, "documents", counted)
    with pytest.raises(UsageError, match="no indexed file is named"):
        pincite.get(name, here=str(root / "proj/src"))
    assert sorted(listed) == ["checkout", "file", "inner", "other", "proj", "sub"]
