"""The same tree gives the same documents in a folder, a checkout, and archives of every kind."""

from __future__ import annotations

import io
import random
import tarfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from pincite.sources import Entry, Skipped, SourceLimits, open_source
from pincite.sources.kinds import reject_content
from tests.sources.archives import tarred
from tests.sources.helpers import git, opened, plant

JS = "var a=1;" * 400
NOISE = random.Random(1).randbytes(2_600_000).hex()  # a zip leaves out what is packed too well
FILES: dict[str, str | bytes] = {
    # rules of git and of Pincite, also in folders, and what they include again
    ".gitignore": "*.log.md\n/out/\ndocs/*.tmp.md\n!keep.log.md\n", "a.md": "x", "b.log.md": "x",
    "keep.log.md": "x", "out/a.md": "x", "src/out/a.md": "x", "docs/a.tmp.md": "x",
    "docs/.gitignore": "!b.tmp.md\ndeep/\n", "docs/b.tmp.md": "x", "docs/deep/a.md": "x",
    ".pinciteignore": "drafts/\n!secret.log.md\n!*.key.md\n", "drafts/a.md": "x",
    "secret.log.md": "x", "src/.pinciteignore": "*.md\n!shown.md\n", "src/a.md": "x",
    "src/shown.md": "x", "é/.gitignore": "ü*\n", "é/ü.md": "x", "é/o.md": "x",
    "big/.gitignore": "a.md\n#" + NOISE[:1_000_001], "big/a.md": "x",
    # hidden files and folders, those of tools, and installed packages
    ".env": "K=1", ".hid/a.md": "x", ".github/w.yml": "a: 1", ".gitlab/.x.yml": "a: 1",
    "src/.editorconfig": "[*]", "node_modules/p/a.js": "x", "web/node_modules/q.md": "x",
    "__pypackages__/a.py": "x", "__pycache__/a.py": "x", ".hg/a.md": "x", ".svn/a.md": "x",
    "lib/.pincite/a.md": "x", "venv/a.py": "x = 1", "venv/pyvenv.cfg": "home = /",
    "venv/zz/b.py": "x", "venv2/pyvenv.cfg": "", "venv2/a.py": "x", "x/pyvenv.cfgs": "x",
    # binary, empty, minified, generated and large files, and lock files
    "a.png": b"\x89PNG\0", "a.dat": "text", "data/b.dat": "text", "nul.md": b"a\0b", "empty.md": "",
    "blank.md": " \n", "a.min.js": "x", "min.js": JS, "poetry.lock": "x", "package-lock.json": "{}",
    "p.egg-info/SOURCES.txt": "x", "a.js.map": "{}", "huge.txt": f"{NOISE} ", "e.pdf": "",
    "mark.md": b"\xff\xfeabc\0", "control.txt": b"\x01\x02\x03" * 9, "old.doc": b"\0\0",
    # types by name, and names of every kind
    "Makefile": "a:\n", "LICENSE": "x", "tool.1": ".TH T 1\n", "run": "#!/bin/sh\n",
    "c.unknown": "x", "sp ace/a b.txt": "x", "-dash.md": "x", "x:y.md": "x", "UP.MD": "x",
    "a#b.md": "x", "a-b/a.md": "x", "a.b/a.md": "x", "a/b.md": "x", "a0.md": "x",
    "c/README": "x",
}  # fmt: skip
SELECTIONS: tuple[dict[str, tuple[str, ...] | bool], ...] = (
    {},
    {"file_types": ("*.dat=text",)},
    {"file_types": ("data/*.dat=text",)},
    {"file_types": ("/a.dat=text", "*.unknown=markdown")},
    {"include": ("*.md", "/docs/", "!a.md")},
    {"include": ("src/",)},
    {"file_types": ("/b.dat=text",)},
    {"exclude": ("docs/", "*.md", "!a.md")},
    {"exclude": ("/a.md", "sp*/"), "hidden": True},
    {"ignore_files": False},
    {"ignore_files": False, "hidden": True},
)
Found = tuple[dict[str, bytes], dict[str, str]]


def found(place: Path, **selection: tuple[str, ...] | bool) -> Found:
    """Contents by path, of what becomes documents, and the codes of what is left out."""
    contents: dict[str, bytes] = {}
    left: dict[str, str] = {}
    with opened(place, **selection) as source:
        for each in source.entries():
            if isinstance(each, Entry):
                assert source.find(each.path) == each
                raw = source.read(each)
                rejected = reject_content(each.path, raw)
                left |= {each.path: rejected.code} if rejected else {}
                contents |= {} if rejected else {each.path: raw}
            else:
                left[each.path] = each.code
                if "include" not in selection:
                    assert source.find(each.path) is None
    return contents, left


def bytes_of(name: str) -> bytes:
    content = FILES[name]
    return content if isinstance(content, bytes) else content.encode()


def zip_of(place: Path, names: Iterable[str], top: str = "") -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for name in names:
            archive.writestr(f"{top}{name}", bytes_of(name))
    return place


def tar_of(place: Path, names: Iterable[str], top: str = "") -> Path:
    with tarfile.open(place, "w:gz", compresslevel=1) as archive:
        for name in names:
            raw = bytes_of(name)
            member = tarfile.TarInfo(f"{top}{name}")
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return place


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The tree in every form. A tar is read once, so ignore files may come after what they name."""
    base = tmp_path_factory.mktemp("tree").resolve()
    folder = plant(base / "folder", FILES)
    checkout = plant(base / "checkout", FILES)
    git(checkout, "init", "-q")
    git(checkout, "add", "-A", "-f")
    git(checkout, "commit", "-q", "-m", "x")
    for name in ("git.zip", "git.tar.gz"):
        git(checkout, "archive", "--prefix=project-1.0/", "-o", str(base / name), "HEAD")
    mixed = sorted(FILES)
    random.Random(7).shuffle(mixed)
    return {
        "folder": folder,
        "checkout": checkout,
        "revision as zip": base / "git.zip",
        "revision as tar": base / "git.tar.gz",
        "zip": zip_of(base / "a.zip", sorted(FILES)),
        "wheel": zip_of(base / "a-1.0-py3-none-any.whl", mixed),
        "zip with one folder": zip_of(base / "b.zip", mixed, "project-1.0/"),
        "tar": tar_of(base / "a.tar.gz", sorted(FILES)),
        "tar, backwards": tar_of(base / "c.tar.gz", sorted(FILES, reverse=True), "./"),
        "tar, mixed": tar_of(base / "d.tgz", mixed, "project/"),
    }


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_a_tree_gives_the_same_documents_in_every_form(
    places: dict[str, Path],
    selection: dict[str, tuple[str, ...] | bool],
    trusted: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    if not trusted:
        monkeypatch.delenv("PINCITE_TRUST")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    expected, left = found(places["folder"], **selection)
    # nobody can trust a file in an archive
    in_archives = {path: code.replace("untrusted", "ignored") for path, code in left.items()}
    assert found(places["checkout"], **selection) == (expected, left)
    for name, place in places.items():
        if place.is_file():
            contents, others = found(place, **selection)
            assert contents == expected, name
            assert others == in_archives, name


def test_the_tree_has_something_of_every_kind(places: dict[str, Path]) -> None:
    contents, left = found(places["folder"])
    assert {"keep.log.md", "src/shown.md", "docs/b.tmp.md", "x/pyvenv.cfgs"} <= {*contents}
    codes = "binary dependencies empty generated hidden ignored minified oversize unreadable"
    assert {*codes.split()} <= {*left.values()}
    assert left["big/"] == "oversize"
    assert left["venv/"] == left["venv2/"] == left["web/node_modules/"] == "dependencies"


@pytest.mark.parametrize("name", ["folder", "zip", "tar, mixed"])
def test_without_trust_files_that_git_ignores_stay_out(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    assert "secret.log.md" in found(places[name])[0]  # here, all is trusted
    monkeypatch.delenv("PINCITE_TRUST")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    code = "untrusted" if name == "folder" else "ignored"
    assert found(places[name])[1]["secret.log.md"] == code


def test_an_environment_as_the_root_has_no_documents(tmp_path: Path) -> None:
    names = ("venv/a.py", "venv/pyvenv.cfg")
    folder = plant(tmp_path / "venv", {one.removeprefix("venv/"): FILES[one] for one in names})
    expected: Found = ({}, {"": "dependencies"})
    assert found(folder) == expected
    assert found(zip_of(tmp_path / "a.zip", names)) == expected
    assert found(tar_of(tmp_path / "a.tar.gz", names)) == expected


def test_patterns_in_the_git_folder_of_an_archive_apply(tmp_path: Path) -> None:
    root = plant(tmp_path / "tree", {"a.md": "x", "b.md": "x", "sub/a.md": "x", "sub/c.md": "x"})
    plant(root, {".gitignore": "c.md\n", "sub/.gitignore": "!c.md\n"})
    for top, pattern in ((root, "b.md"), (root / "sub", "a.md")):
        git(top, "init", "-q")
        plant(top, {".git/info/exclude": f"{pattern}\n"})
    assert set(found(root)[0]) == {"a.md"}
    with tarfile.open(tmp_path / "tree.tar", "w") as archive:
        archive.add(root, "tree")
    assert set(found(tmp_path / "tree.tar")[0]) == {"a.md"}
    assert set(found(tmp_path / "tree.tar", ignore_files=False)[0]) == {
        "a.md", "b.md", "sub/a.md", "sub/c.md",
    }  # fmt: skip


def test_why_a_member_is_left_out_is_told(places: dict[str, Path]) -> None:
    for name in ("zip", "tar"):
        with opened(places[name]) as source:
            told = {
                path: left.code if (left := source.left_out(path)) else None
                for path in ("b.log.md", "venv/a.py", ".hid/a.md", "a.md", "none.md", ".svn/a.md")
            }
        assert told == {
            "b.log.md": "ignored", "venv/a.py": "dependencies", ".hid/a.md": "hidden",
            "a.md": None, "none.md": None, ".svn/a.md": None,
        }  # fmt: skip


def deep(count: int) -> dict[str, str]:
    """Each member in folders of its own, with patterns."""
    return {f"{number}/" + "a/" * 1000 + ".gitignore": "*a*b*c*\n" * 9 for number in range(count)}


@pytest.mark.parametrize(
    "files",
    [
        {f"{number}/.gitignore": f"*{number}*a*b*\n" * 50_000 for number in range(40)},
        deep(2000),
        {"a/" * 400_000 + "b.md": "x", "c.md": "x"},
        {f"{number}/pyvenv.cfg": "" for number in range(20_000)},
    ],
    ids=["patterns", "folders", "a long name", "environments"],
)
def test_rules_and_folders_of_a_hostile_archive_have_limits(
    tmp_path: Path, files: dict[str, str]
) -> None:
    place = tarred(tmp_path / "a.tar.gz", {**files, "z.md": "x"})
    began_s = time.process_time()
    with open_source(place, limits=SourceLimits(max_ratio=10_000)) as source:
        entries = list(source.entries())
        found = source.find("z.md")
    assert time.process_time() - began_s < 12
    assert found in entries or any(isinstance(one, Skipped) and one.of_archive for one in entries)
