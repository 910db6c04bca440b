"""Repositories that nobody vouches for: nothing that they configure is run, fetched or awaited."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pincite.model.revisions import dirty_ref
from pincite.sources import Entry, open_source
from pincite.sources.entries import within_any
from pincite.sources.ignore_files import read_exclude_file
from pincite.support.ignore_rules import IgnoreRules
from tests.environment import clean_environment
from tests.sources.helpers import LIMITS, commit, git, plant

HOOKS = ("post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction")


@dataclass(frozen=True)
class Trap:
    """A checkout whose files differ from HEAD, and a script that leaves a mark when it runs."""

    root: Path
    first: str
    script: Path
    mark: Path

    def configure(self, **values: str) -> None:
        """`filter__clean` stands for `filter.clean`."""
        for key, value in values.items():
            git(self.root, "config", key.replace("__", "."), value)

    def filtered(self, name: str) -> None:
        plant(self.root, {".git/info/attributes": f"*.md filter={name}\n"})

    def lose_a_blob(self, **remote: str) -> None:
        """A partial clone without one of its blobs, whose remote is as given."""
        self.configure(
            core__repositoryformatversion="1",
            extensions__partialClone="far",
            remote__far__promisor="true",
            remote__far__partialclonefilter="blob:none",
            protocol__allow="always",
            **remote,
        )
        blob = git(self.root, "rev-parse", f"{self.first}:sub/b.md")
        (self.root / ".git/objects" / blob[:2] / blob[2:]).unlink()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    root = plant(tmp_path / "checkout", {"a.md": "one\n", "sub/b.md": "two\n"})
    first = commit(root)
    plant(root, {"a.md": "three\n", "sub/b.md": "four\n"})
    commit(root)
    plant(root, {"a.md": "3333\n\n"})  # the size of the file in HEAD, so that git must look inside
    mark = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {mark}\ncat\n')
    script.chmod(0o755)
    return Trap(root, first, script, mark)


def read_everything(trap: Trap) -> tuple[dict[str, str], bytes | None, bytes | None]:
    """What an index run, `verify` and `get` at a revision ask of a source."""
    with open_source(trap.root, limits=LIMITS) as source:
        entries = [each for each in source.entries() if isinstance(each, Entry)]
        refs = {each.path: source.ref_for(each, "c" * 64) for each in entries}
        old = source.read_at(trap.first, "a.md"), source.read_at(trap.first, "sub/b.md")
    return refs, *old


def filter_clean(trap: Trap) -> None:
    trap.filtered("evil")
    trap.configure(filter__evil__clean=str(trap.script), filter__evil__required="true")


def filter_with_an_equals_sign(trap: Trap) -> None:
    trap.filtered("a=b")
    git(trap.root, "config", "filter.a=b.clean", str(trap.script))


def filter_process(trap: Trap) -> None:
    trap.filtered("evil")
    trap.configure(filter__evil__process=str(trap.script))


def filter_smudge(trap: Trap) -> None:
    trap.filtered("evil")
    trap.configure(filter__evil__smudge=str(trap.script))


def included(trap: Trap) -> None:
    trap.filtered("evil")
    plant(trap.root, {".git/more": f'[filter "evil"]\nclean = {trap.script}\n'})
    trap.configure(include__path="more")


def included_if(trap: Trap) -> None:
    trap.filtered("evil")
    plant(trap.root, {".git/more": f'[filter "evil"]\nclean = {trap.script}\n'})
    git(trap.root, "config", "includeIf.gitdir:**/.git.path", "more")


def worktree_configuration(trap: Trap) -> None:
    trap.filtered("evil")
    trap.configure(extensions__worktreeConfig="true")
    git(trap.root, "config", "--worktree", "filter.evil.clean", str(trap.script))


def file_system_monitor(trap: Trap) -> None:
    trap.configure(core__fsmonitor=str(trap.script))


def hooks(trap: Trap) -> None:
    for name in HOOKS:
        shutil.copy(trap.script, trap.root / ".git/hooks" / name)


def hooks_elsewhere(trap: Trap) -> None:
    folder = trap.root.parent / "hooks"
    folder.mkdir()
    for name in HOOKS:
        shutil.copy(trap.script, folder / name)
    trap.configure(core__hooksPath=str(folder))


def textconv(trap: Trap) -> None:
    plant(trap.root, {".git/info/attributes": "*.md diff=evil\n"})
    trap.configure(diff__evil__textconv=str(trap.script), diff__evil__command=str(trap.script))


def external_diff(trap: Trap) -> None:
    trap.configure(diff__external=str(trap.script))


def submodule(trap: Trap) -> None:
    inner = plant(trap.root / "inner", {"c.md": "x\n"})
    commit(inner)
    plant(inner, {".git/info/attributes": "*.md filter=evil\n", "c.md": "y\n"})
    git(inner, "config", "filter.evil.clean", str(trap.script))
    said = f'[submodule "inner"]\npath = inner\nurl = ext::{trap.script}\nupdate = !{trap.script}\n'
    plant(trap.root, {".gitmodules": said})
    git(trap.root, "add", "inner", ".gitmodules")
    git(trap.root, "commit", "-q", "-m", "inner")
    trap.configure(submodule__inner__url=f"ext::{trap.script}", protocol__ext__allow="always")
    trap.configure(submodule__inner__update=f"!{trap.script}")


def lazy_fetch(trap: Trap) -> None:
    trap.lose_a_blob(remote__far__url=f"ext::{trap.script}")


def lazy_fetch_over_ssh(trap: Trap) -> None:
    trap.lose_a_blob(remote__far__url="ssh://host.invalid/x", core__sshCommand=str(trap.script))


def lazy_fetch_from_a_folder(trap: Trap) -> None:
    trap.lose_a_blob(
        remote__far__url=str(trap.root.parent), remote__far__uploadpack=str(trap.script)
    )


def programs(trap: Trap) -> None:
    keys = ("core.sshCommand", "core.pager", "pager.diff", "pager.ls-tree", "core.editor",
            "core.askPass", "core.gitProxy", "core.alternateRefsCommand", "gpg.program",
            "credential.helper", "uploadpack.packObjectsHook", "sequence.editor")  # fmt: skip
    for key in keys:
        git(trap.root, "config", key, str(trap.script))
    for name in ("cat-file", "diff", "rev-parse", "config", "ls-tree", "ls-files", "remote"):
        git(trap.root, "config", f"alias.{name}", f"!{trap.script}")


def owned_by_another_user(trap: Trap) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    filter_with_an_equals_sign(trap)
    for each in (trap.root, trap.root / ".git"):
        os.chown(each, 65534, 65534)


@pytest.mark.parametrize("old", [False, True], ids=["git", "git without GIT_NO_LAZY_FETCH"])
@pytest.mark.parametrize(
    "plan",
    [filter_clean, filter_with_an_equals_sign, filter_process, filter_smudge, included, included_if,
     worktree_configuration, file_system_monitor, hooks, hooks_elsewhere, textconv, external_diff,
     submodule, lazy_fetch, lazy_fetch_over_ssh, lazy_fetch_from_a_folder, programs,
     owned_by_another_user],
)  # fmt: skip
def test_nothing_that_a_repository_configures_is_run(
    trap: Trap, plan: Callable[[Trap], None], old: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan(trap)
    trap.mark.unlink(missing_ok=True)  # what the preparations ran
    if old:
        forget_variables(trap, monkeypatch)
    refs, first, second = read_everything(trap)
    assert not trap.mark.exists(), trap.mark.read_text()
    head = git(trap.root, "-c", "safe.directory=*", "rev-parse", "HEAD")
    assert refs["a.md"] == dirty_ref(head, "c" * 64)
    assert refs["sub/b.md"] == head
    assert first == b"one\n"
    assert second == (None if plan.__name__.startswith("lazy_fetch") else b"two\n")


def forget_variables(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git on the search path that is older than the variable that forbids to fetch."""
    real = shutil.which("git")
    folder = trap.root.parent / "bin"
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {real} "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


@pytest.mark.parametrize("count", ["1", "nonsense"])
def test_nothing_that_variables_of_git_name_is_run(
    trap: Trap, count: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap.filtered("evil")
    other = plant(trap.root.parent / "other", {"x.md": "x"})
    commit(other)
    for name in ("EXTERNAL_DIFF", "SSH_COMMAND", "SSH", "PAGER", "EDITOR", "ASKPASS",
                 "PROXY_COMMAND"):  # fmt: skip
        monkeypatch.setenv(f"GIT_{name}", str(trap.script))
    monkeypatch.setenv("GIT_CONFIG_COUNT", count)
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "filter.evil.clean")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(trap.script))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'filter.evil.clean={trap.script}'")
    for name in ("DIR", "OBJECT_DIRECTORY", "COMMON_DIR", "INDEX_FILE", "WORK_TREE"):
        monkeypatch.setenv(f"GIT_{name}", str(other / ".git"))
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trap.mark))
    monkeypatch.setenv("GIT_TRACE", str(trap.mark))
    refs, first, _ = read_everything(trap)
    assert not trap.mark.exists()
    assert refs["a.md"].partition("-dirty-")[1]
    assert first == b"one\n"


def test_a_git_in_a_relative_folder_of_the_search_path_is_not_started(
    trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(trap.script, trap.root / "git")
    monkeypatch.chdir(trap.root)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    refs, *_ = read_everything(trap)
    assert not trap.mark.exists()
    assert refs["a.md"].partition("-dirty-")[1]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_an_index_run_and_verify_start_git_and_themselves_only(trap: Trap, tmp_path: Path) -> None:
    for plan in (filter_with_an_equals_sign, worktree_configuration, included, file_system_monitor,
                 hooks, textconv, external_diff, programs, submodule):  # fmt: skip
        plan(trap)
    trap.filtered("a=b")
    trap.mark.unlink(missing_ok=True)
    found = tmp_path / "found"
    found.mkdir()
    traced = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if traced.returncode != 0:
        pytest.skip("strace may not trace here")
    index = ("--index", str(tmp_path / "index"))
    environment = clean_environment() | {"PINCITE_IDLE_S": "1", "PINCITE_OFFLINE": "1"}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["strace", "-ff", "-e", "trace=execve", "-o", str(found / arguments[0]),
             sys.executable, "-m", "pincite.surfaces.cli.app", *arguments, *index],
            env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("index", str(trap.root), "--lexical")
    pack = tmp_path / "pack.json"
    pack.write_text(run("search", "four", "--json"))
    run("verify", str(pack))
    run("get", "sub/b.md")
    run("stop")
    calls = "".join(each.read_text() for each in found.iterdir())
    started = re.findall(r'^execve\("([^"]+)", \["[^"]*"(?:, "([^"]*)")?.*= 0$', calls, re.M)
    ours = {os.path.realpath(sys.executable), sys.executable}
    others = {(Path(name).name, first) for name, first in started if name not in ours}
    assert others <= {("git", "cat-file")}, others
    assert ("git", "cat-file") in others
    assert not trap.mark.exists()


def test_patterns_of_the_git_folder_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = plant(tmp_path, {f"{number}.md": "text\n" for number in range(20)})
    commit(root)
    plant(root, {".git/info/exclude": "".join(f"secret-{n}.md\n" for n in range(100))})
    parsed: list[Path] = []

    def counted(file: Path) -> tuple[IgnoreRules, ...]:
        parsed.append(file)
        return read_exclude_file(file)

    monkeypatch.setattr("pincite.sources.folder.read_exclude_file", counted)
    with open_source(root, limits=LIMITS) as source:
        assert all(source.find(f"{number}.md") for number in range(20))
        assert source.find("secret-7.md") is None
    assert len(parsed) == 1


def test_an_address_that_no_remote_has_is_no_name(tmp_path: Path) -> None:
    root = plant(tmp_path / "checkout", {"a.md": "one\n"})
    commit(root)
    git(root, "remote", "add", "origin", "https://evil.example/" + "a" * 10_000)
    with open_source(root, limits=LIMITS) as source:
        assert source.source.name == "checkout"


def test_a_path_of_many_folders_takes_linear_memory() -> None:
    tracemalloc.start()
    try:
        assert within_any("/" * 20_000, {"there"}) is None
        assert within_any("a/" * 20_000 + "b", {"a/"}) == "a/"
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000
