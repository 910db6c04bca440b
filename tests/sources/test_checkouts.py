from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pincite.model.revisions import content_ref, dirty_ref
from pincite.sources import Entry, OpenSource, open_source
from pincite.sources.git import commit_named, find_checkout, name_of_remote
from tests.sources.helpers import LIMITS, commit, git, listed, opened, plant

if TYPE_CHECKING:
    from pathlib import Path


def refs(source: OpenSource) -> dict[str, str]:
    entries = [each for each in source.entries() if isinstance(each, Entry)]
    return {each.path: source.ref_for(each, "c" * 64) for each in entries}


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/google/adk-docs.git", "google/adk-docs"),
        ("https://user:secret@host.org/group/sub/repo", "group/sub/repo"),
        ("git@github.com:google/adk-docs.git", "google/adk-docs"),
        ("ssh://git@host.org:2222/a/b.git/", "a/b"),
        ("host:a/b", "a/b"),
        ("/srv/git/repo.git", None),
        ("../other", None),
        ("ext::/tmp/x.sh", None),
        ("ext::sh -c x", None),
        ("https://host.org/a/../b", None),
        ("https://host.org/a b\x1b[31m", None),
        ("https://host.org/a@main:b", None),
        ("host:~user/a+b_c-d.e/größe", "~user/a+b_c-d.e/größe"),
        ("", None),
    ],
)
def test_a_remote_gives_the_name(url: str, name: str | None) -> None:
    assert name_of_remote(url) == name


def test_files_as_committed_carry_the_commit_and_others_say_so(tmp_path: Path) -> None:
    names = ["clean.md", "changed.md", "staged.md", "sub/clean.md", "flagged.md"]
    plant(tmp_path, dict.fromkeys(names, "x"))
    sha = commit(tmp_path)
    git(tmp_path, "remote", "add", "origin", "https://github.com/acme/repo.git")
    plant(tmp_path, {"changed.md": "y", "staged.md": "y", "new.md": "y", "added.md": "y"})
    git(tmp_path, "add", "staged.md", "added.md")
    git(tmp_path, "update-index", "--assume-unchanged", "flagged.md")
    plant(tmp_path, {"flagged.md": "y"})
    with opened(tmp_path) as source:
        assert source.source.name == "acme/repo"
        assert (source.source.kind, source.source.ref) == ("git", sha)
        dirty = dirty_ref(sha, "c" * 64)
        assert refs(source) == {
            "added.md": dirty, "changed.md": dirty, "clean.md": sha, "flagged.md": dirty,
            "new.md": dirty, "staged.md": dirty, "sub/clean.md": sha,
        }  # fmt: skip


def test_a_file_of_a_submodule_is_named_by_content(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x", "library/b.md": "x"})
    commit(tmp_path / "library")
    sha = commit(tmp_path)
    with opened(tmp_path) as source:
        assert refs(source) == {"a.md": sha, "library/b.md": content_ref("c" * 64)}


def test_an_ignored_file_is_not_claimed_to_be_in_the_commit(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x", ".gitignore": "b.md\n"})
    sha = commit(tmp_path)
    plant(tmp_path, {"b.md": "x"})
    with opened(tmp_path, ignore_files=False) as source:
        assert refs(source) == {"a.md": sha, "b.md": dirty_ref(sha, "c" * 64)}


def test_paths_count_from_the_root_of_the_checkout(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "x", "src/b.py": "x"})
    sha = commit(tmp_path)
    with opened(tmp_path / "docs") as source:
        assert source.within == "docs/"
        assert source.source.location == str(tmp_path.resolve())
        assert refs(source) == {"docs/a.md": sha}
    with opened(tmp_path / "src" / "b.py") as source:
        assert source.within == "src/b.py"
        assert refs(source) == {"src/b.py": sha}


def test_a_checkout_without_a_commit_names_files_by_content(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x"})
    git(tmp_path, "init", "-q")
    with opened(tmp_path) as source:
        assert source.source.ref is None
        assert refs(source) == {"a.md": "sha256-" + "c" * 12}


def test_a_given_ref_is_taken_as_given(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x"})
    commit(tmp_path)
    plant(tmp_path, {"a.md": "y"})
    with open_source(tmp_path, ref="v1", limits=LIMITS) as source:
        assert refs(source) == {"a.md": "v1"}


def test_without_the_binary_the_commit_is_read_by_hand_and_files_named_by_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, {"a.md": "x"})
    sha = commit(tmp_path)
    git(tmp_path, "remote", "add", "origin", "git@host.org:acme/repo.git")
    for pack in ([], ["pack-refs", "--all"], ["checkout", "-q", "--detach"]):
        if pack:
            git(tmp_path, *pack)
        with monkeypatch.context() as context, opened(tmp_path) as source:
            context.setenv("PATH", str(tmp_path / "nothing"))
            assert (source.source.ref, source.source.name) == (sha, "acme/repo")
            assert refs(source) == {"a.md": "sha256-" + "c" * 12}


def test_of_a_huge_configuration_the_beginning_is_read(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x"})
    sha = commit(tmp_path)
    git(tmp_path, "remote", "add", "origin", "https://github.com/acme/repo.git")
    before = find_checkout(tmp_path)
    assert before is not None
    assert (before.name, before.head) == ("acme/repo", sha)
    config = tmp_path / ".git/config"
    text = config.read_bytes()
    for whole, name in (
        (text + b"\n" * 1_000_001, "acme/repo"),
        (b"#" * 999_990 + b"\n" + text, None),
    ):
        config.write_bytes(whole)
        after = find_checkout(tmp_path)
        assert after is not None
        assert (after.name, after.head) == (name, sha)


def test_a_linked_worktree_is_a_checkout(tmp_path: Path) -> None:
    main = plant(tmp_path / "main", {"a.md": "x"})
    sha = commit(main)
    git(main, "remote", "add", "origin", "https://host.org/acme/repo")
    git(main, "worktree", "add", "-q", str(tmp_path / "linked"))
    found = find_checkout((tmp_path / "linked").resolve())
    assert found is not None
    assert (found.head, found.name) == (sha, "acme/repo")
    assert found.top == (tmp_path / "linked").resolve()


def test_a_repository_cannot_make_us_run_its_commands(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x\n", ".gitattributes": "*.md filter=evil diff=evil\n"})
    sha = commit(tmp_path)
    mark = tmp_path.parent / f"{tmp_path.name}-ran"
    command = f"touch {mark}; cat"
    for key in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv",
                "diff.evil.command", "core.fsmonitor", "core.pager", "diff.external"):  # fmt: skip
        git(tmp_path, "config", key, command)
    git(tmp_path, "config", "filter.evil.required", "true")
    plant(tmp_path, {"a.md": "y\n"})
    with opened(tmp_path) as source:
        assert refs(source)["a.md"] == dirty_ref(sha, "c" * 64)
    assert not mark.exists()


def test_a_broken_git_folder_is_no_reason_to_stop(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x", ".git/HEAD": "nonsense", "sub/.git": "gitdir: nowhere"})
    with opened(tmp_path) as source:
        assert refs(source) == {"a.md": "sha256-" + "c" * 12, }  # fmt: skip
    plant(tmp_path, {"sub/b.md": "x"})
    with opened(tmp_path / "sub") as source:
        assert listed(source) == ["b.md"]


def test_the_environment_cannot_redirect_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = plant(tmp_path / "other", {"b.md": "x"})
    commit(other)
    root = plant(tmp_path / "root", {"a.md": "x"})
    sha = commit(root)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    with opened(root) as source:
        assert source.source.ref == sha


def test_names_of_commits_are_read_and_lead_nowhere_else(tmp_path: Path) -> None:
    top = plant(tmp_path / "repo", {"a.md": "x"})
    sha = commit(top)
    git(top, "tag", "-a", "outer", "-m", "x")
    git(top, "tag", "-a", "of-tag", "-m", "x", "outer")
    git(top, "update-ref", "refs/remotes/origin/main", sha)
    git(top, "symbolic-ref", "refs/heads/alias", "refs/remotes/origin/main")
    for name in ("HEAD", "outer", "of-tag", "origin/main", "alias", "refs/heads/alias"):
        assert commit_named(top, name) == sha, name
    plant(tmp_path, {"secret": sha})
    for name in ("", "no", "../../secret", "a//b", "/HEAD", "heads/.x", "config", "x" * 10_000):
        assert commit_named(top, name) is None, name
    assert commit_named(tmp_path, "HEAD") is None


def test_a_tag_of_a_file_and_a_tag_of_itself_name_no_commit_for_long(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x"})
    commit(tmp_path)
    blob = git(tmp_path, "rev-parse", "HEAD:a.md")
    git(tmp_path, "tag", "file", blob)
    assert commit_named(tmp_path, "file") == blob  # no document is of that revision
    for name, target in (("loop", "again"), ("again", "loop")):
        plant(tmp_path, {f".git/refs/heads/{name}": f"ref: refs/heads/{target}\n"})
    assert commit_named(tmp_path, "loop") is None
