"""Rules of ignore files in submodules, worktrees and checkouts of others below a source."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.sources.git_ignored import GitIgnored
from pincite.support.trusted_files import digest_of_text, remember_trust
from tests.sources.helpers import commit, git, listed, opened, plant, skipped

FILES = ("a.md", "b.md", "key.json", "lib/a.md", "lib/deep/b.md", "out/a.md", "lib/key.json")
LINES = st.lists(
    st.sampled_from(
        ("*.json", "a.md", "lib/", "/out", "lib/*", "!a.md", "!*.json", "!lib/", "*", "sub/a.md",
         "**/deep", "!lib/a.md", "in/", "/in/sub/*.md", "!*/", "deep/b.md")
    ),
    max_size=4,
).map("\n".join)  # fmt: skip
SUB = "in/sub"


def tree(root: Path) -> Path:
    """A checkout with all files, and the same files again at `in/sub`."""
    plant(root, dict.fromkeys((*FILES, *(f"{SUB}/{one}" for one in FILES)), "x"))
    git(root, "init", "-q")
    return root.resolve()


def submodule(folder: Path) -> Path:
    """A checkout with a submodule, made as git makes them."""
    lib = plant(folder / "lib-origin", {"tracked.md": "x"})
    commit(lib)
    root = plant(folder / "main", {"top.md": "x"})
    commit(root)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), SUB)
    commit(root)
    plant(root, dict.fromkeys((*FILES, *(f"{SUB}/{one}" for one in FILES)), "x"))
    return root.resolve()


def worktree(folder: Path) -> Path:
    """A checkout with a linked worktree inside."""
    root = plant(folder / "main", {"tracked.md": "x"})
    commit(root)
    git(root, "worktree", "add", "-q", SUB)
    plant(root, dict.fromkeys((*FILES, *(f"{SUB}/{one}" for one in FILES)), "x"))
    return root.resolve()


def of_git(root: Path) -> set[str]:
    """What git lists in a checkout, without what it tracks and would ignore otherwise, ignore files
    and nested checkouts."""

    def seen(*arguments: str) -> set[str]:
        return set(git(root, "ls-files", "-z", *arguments, "--exclude-standard").split("\0"))

    ends = (".gitignore", ".gitmodules", "/", SUB)
    found = seen("-o", "-c") - seen("-c", "-i")
    return {one for one in found if one and not one.endswith(ends)}


def ignored(root: Path) -> set[str]:
    asked = GitIgnored(root)
    return {one for one in (f"{SUB}/{each}" for each in FILES) if asked.has(root / one)}


def exclude(top: Path, lines: str) -> None:
    place = Path(git(top, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude"))
    place.parent.mkdir(exist_ok=True)
    place.write_text(lines)


@pytest.fixture(scope="module", params=[submodule, worktree])
def outer_checkout(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    root: Path = request.param(tmp_path_factory.mktemp("tree"))
    return root


@given(LINES, LINES, LINES)
@example("*.json\nlib/", "", "a.md")
@example("a.md", "!*.json\nb.md", "lib/\n")
@settings(max_examples=10, deadline=None)
def test_in_a_submodule_and_a_worktree_the_rules_are_those_of_git(
    outer_checkout: Path, outer: str, inner: str, own: str
) -> None:
    root = outer_checkout
    # the folder itself is one of the outer checkout, whose rules may leave it out
    plant(root, {".gitignore": f"{outer}\n!in/\n!/in/sub/\n", f"{SUB}/.gitignore": f"{inner}\n"})
    is_worktree = "worktrees" in (root / SUB / ".git").read_text()
    exclude(root / SUB, f"{own}\n!/in/\n!/in/sub/\n" if is_worktree else own)  # or it is shared
    below = {f"{SUB}/{one}" for one in of_git(root / SUB)}
    with opened(root) as source:
        assert {one for one in listed(source) if one.startswith(f"{SUB}/")} == below
        assert all(source.find(one) for one in below)
    with opened(root / SUB) as source:
        assert set(listed(source)) == {one.removeprefix(f"{SUB}/") for one in below}
    assert ignored(root) == {f"{SUB}/{one}" for one in FILES} - below


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tree in one checkout, and the same tree with a checkout at `in/sub` that git has not made
    as a part of the outer one."""
    plain, nested = (tree(tmp_path_factory.mktemp("tree")) for _ in range(2))
    git(nested / SUB, "init", "-q")
    return plain, nested


@given(LINES, LINES, LINES)
@example("*.json\nlib/", "!*.json\n!lib/", "")
@example("", "a.md", "lib/*")
@settings(max_examples=15, deadline=None)
def test_a_checkout_of_somebody_else_leaves_out_more_and_includes_nothing_again(
    trees: tuple[Path, Path], outer: str, inner: str, own: str
) -> None:
    plain, root = trees
    plant(plain, {".gitignore": f"{outer}\n"})
    plant(root, {".gitignore": f"{outer}\n", f"{SUB}/.gitignore": f"{inner}\n"})
    exclude(root / SUB, own)
    shown = of_git(plain)
    of_outer = {one for one in shown if not one.startswith(f"{SUB}/")}
    below = {f"{SUB}/{one}" for one in of_git(root / SUB)} & shown
    with opened(root) as source:
        assert set(listed(source)) == of_outer | below
        assert all(source.find(one) for one in below)
    assert ignored(root) == {f"{SUB}/{one}" for one in FILES} - below
    with opened(root / SUB) as source:  # named by a person
        assert set(listed(source)) == of_git(root / SUB)


@pytest.fixture
def untrusting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PINCITE_TRUST")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.usefixtures("untrusting")
def test_trust_includes_a_hidden_file_of_a_nested_checkout(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree")
    (root / ".gitignore").write_text("key.json\n")
    git(root / SUB, "init", "-q")
    place = root / SUB / ".pinciteignore"
    place.write_text("!key.json\n")
    with opened(root) as source:
        assert f"{SUB}/key.json" not in listed(source)
        assert skipped(source)[f"{SUB}/key.json"] == "untrusted"
    remember_trust(place, digest_of_text(place.read_bytes()))
    with opened(root) as source:
        assert f"{SUB}/key.json" in listed(source)


@pytest.mark.usefixtures("untrusting")
def test_own_patterns_apply_in_a_submodule_and_are_not_undone_by_a_foreign_checkout(
    tmp_path: Path,
) -> None:
    root = submodule(tmp_path)
    (root / ".pinciteignore").write_text("b.md\n")
    with opened(root) as source:
        assert f"{SUB}/b.md" not in listed(source)
    other = tree(tmp_path / "other")
    (other / ".pinciteignore").write_text("b.md\n")
    git(other / SUB, "init", "-q")
    (other / SUB / ".pinciteignore").write_text("!b.md\n")
    with opened(other) as source:
        assert f"{SUB}/b.md" not in listed(source)


def _pointer(text: str) -> object:
    return lambda root: (root / SUB / ".git").write_text(text.format(root=root))


def _copied_pointer(root: Path) -> None:
    """A file of git that names the folder of a real worktree elsewhere."""
    commit(root)
    git(root, "worktree", "add", "-q", str(root / "real"))
    (root / SUB / ".git").write_bytes((root / "real/.git").read_bytes())


def _link_to_a_git_folder(root: Path) -> None:
    other = plant(root.parent / "elsewhere", {"a.md": "x"})
    commit(other)
    (root / SUB / ".git").symlink_to(other / ".git")


def _folder_of_links(root: Path) -> None:
    _link_to_a_git_folder(root)
    (root / SUB / ".git").unlink()
    (root / SUB / ".git").mkdir()
    for one in ("HEAD", "objects", "refs", "info"):
        (root / SUB / ".git" / one).symlink_to(root.parent / "elsewhere/.git" / one)


def _linked_info(root: Path) -> None:
    git(root / SUB, "init", "-q")
    shutil.rmtree(root / SUB / ".git/info")
    plant(root.parent, {"elsewhere/exclude": "a.md\n"})
    (root / SUB / ".git/info").symlink_to(root.parent / "elsewhere")


def _common_elsewhere(root: Path) -> None:
    _link_to_a_git_folder(root)
    (root / SUB / ".git").unlink()
    git(root / SUB, "init", "-q")
    (root / SUB / ".git/commondir").write_text(str(root.parent / "elsewhere/.git"))


def _pipes(root: Path) -> None:
    (root / SUB / ".git").mkdir()
    for one in ("HEAD", "commondir", "config"):
        os.mkfifo(root / SUB / ".git" / one)


def _pipe_for_rules(root: Path) -> None:
    git(root / SUB, "init", "-q")
    (root / SUB / ".git/info/exclude").unlink(missing_ok=True)
    os.mkfifo(root / SUB / ".git/info/exclude")


HOSTILE = {
    "no git folder": _pointer("gitdir: nowhere\n"),
    "outside": _pointer("gitdir: {root}/../elsewhere/.git\n"),
    "the outer git folder": _pointer("gitdir: {root}/.git\n"),
    "the root": _pointer("gitdir: /\n"),
    "itself": _pointer("gitdir: .git\n"),
    "a NUL": _pointer("gitdir: a\0b\n"),
    "no pointer": _pointer("x"),
    "huge": _pointer("gitdir: " + "a/" * 4_000_000),
    "copied": _copied_pointer,
    "link": _link_to_a_git_folder,
    "loop": lambda root: (root / SUB / ".git").symlink_to(".git"),
    "pipe": lambda root: os.mkfifo(root / SUB / ".git"),
    "folder of links": _folder_of_links,
    "linked info": _linked_info,
    "common folder elsewhere": _common_elsewhere,
    "pipes": _pipes,
    "pipe for rules": _pipe_for_rules,
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_git_folder_shows_nothing_and_takes_no_time(tmp_path: Path, name: str) -> None:
    root = tree(tmp_path / "tree")
    if name == "outside":
        commit(plant(tmp_path / "elsewhere", {"z.md": "x"}))
        (tmp_path / "elsewhere/.git/info/exclude").write_text("b.md\n")
    (root / ".gitignore").write_text("*.json\nlib/\nreal\n")
    make = HOSTILE[name]
    assert callable(make)
    make(root)
    began_s = time.process_time()
    with opened(root) as source:
        found = {one for one in listed(source) if one.startswith(f"{SUB}/")}
    assert found == {f"{SUB}/{one}" for one in ("a.md", "b.md", "out/a.md")}
    assert ignored(root) == {f"{SUB}/{one}" for one in FILES} - found
    assert time.process_time() - began_s < 2


def test_rules_behind_a_link_are_not_read(tmp_path: Path) -> None:
    """Also not if git would follow the link."""
    root = tree(tmp_path / "tree")
    _linked_info(root)
    with opened(root) as source:
        assert f"{SUB}/a.md" in listed(source)
    (root / SUB / ".git/info").unlink()
    plant(root, {f"{SUB}/.git/info/exclude": "a.md\n"})
    with opened(root) as source:
        assert f"{SUB}/a.md" not in listed(source)
