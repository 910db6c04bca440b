"""What git knows of a folder: its checkout, revision, remote and uncommitted changes.

The `git` binary is asked where there is one, in a way that lets the repository's own
configuration run nothing (no file system monitor, no filters, no hooks). Without it, `.git` is
read by hand, and whether a file is committed stays unknown.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TIMEOUT_S = 60.0
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SCP_REMOTE = re.compile(r"(?:[\w.~-]+@)?[\w.-]+:(?!//)(?P<path>.+)")
_URL_REMOTE = re.compile(r"(?:https?|ssh|git|git\+ssh|ftps?)://[^/]+/(?P<path>.+)")


@dataclass(frozen=True, slots=True)
class Checkout:
    """`top` is the work tree's root. `head` is None before the first commit. `clean` holds the
    paths whose files are those of HEAD, or is None where that cannot be told."""

    top: Path
    head: str | None
    name: str | None
    exclude_file: Path
    clean: frozenset[str] | None

    def read_at(self, commit: str, path: str) -> bytes | None:
        """The bytes of a committed file, b"" if the commit has no such file; None for what is no
        commit's SHA, or one that is not here (a shallow clone, no `git`)."""
        git = shutil.which("git")
        if git is None or not _SHA.fullmatch(commit):
            return None
        ask = _Git(git, self.top)
        if ask("cat-file", "-e", f"{commit}^{{commit}}") is None:
            return None
        return ask.raw("cat-file", "blob", f"{commit}:{path}") or b""


def find_checkout(folder: Path, *, use_binary: bool = True) -> Checkout | None:
    """The innermost checkout that holds `folder` (an existing folder without links), if any."""
    top = next((each for each in (folder, *folder.parents) if _is_top(each)), None)
    if top is None:
        return None
    private, shared = _git_folders(top)
    exclude_file = shared / "info" / "exclude"
    git = shutil.which("git") if use_binary else None
    asked = _ask_git(git, top, folder) if git else None
    if asked is not None:
        head, remote, clean = asked
        return Checkout(top, head, name_of_remote(remote), exclude_file, clean)
    remote = _remote_in(shared / "config")
    return Checkout(top, _read_head(private, shared), name_of_remote(remote), exclude_file, None)


def name_of_remote(url: str) -> str | None:
    """`google/adk-docs` for the usual forms of a remote's address, None for local paths."""
    match = _URL_REMOTE.fullmatch(url.strip()) or _SCP_REMOTE.fullmatch(url.strip())
    if match is None:
        return None
    return match["path"].strip("/").removesuffix(".git").strip("/") or None


def _is_top(folder: Path) -> bool:
    dot_git = folder / ".git"
    return (dot_git / "HEAD").is_file() or dot_git.is_file()


def _git_folders(top: Path) -> tuple[Path, Path]:
    """The checkout's own git folder and the one it shares with other worktrees."""
    private = top / ".git"
    try:
        if private.is_file():  # a linked worktree or a submodule
            pointer = private.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
            private = (top / pointer).resolve()
        common = private / "commondir"
        if common.is_file():
            return private, (private / common.read_text("utf-8", "replace").strip()).resolve()
    except OSError:
        pass  # an unreadable .git: nothing is known, which is what the caller then finds
    return private, private


def _ask_git(
    git: str, top: Path, folder: Path
) -> tuple[str | None, str, frozenset[str] | None] | None:
    """HEAD, remote and clean paths, or None where git does not work on this checkout."""
    ask = _Git(git, top)
    if ask("rev-parse", "--show-toplevel") is None:
        return None
    head = (ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "").strip() or None
    remote = (ask("config", "--get", "remote.origin.url") or "").strip()
    if not remote:
        first = (ask("remote") or "").split("\n")[0]
        remote = (ask("config", "--get", f"remote.{first}.url") or "").strip() if first else ""
    if head is None:
        return None, remote, None
    limit = ("--", str(folder))
    committed = ask("ls-tree", "-r", "-z", "--name-only", "--full-tree", head)
    changed = ask(*ask.unfiltered(), "diff", "--name-only", "-z", "--no-ext-diff",
                  "--no-textconv", "--no-renames", "--ignore-submodules", head, *limit)  # fmt: skip
    flagged = ask("ls-files", "-v", "-z", "--full-name", *limit)
    if committed is None or changed is None or flagged is None:
        return head, remote, None
    # files marked "assume unchanged" (lower case) or "skip worktree" are not looked at by git
    unseen = {line[2:] for line in flagged.split("\0") if line and line[0] not in "HMRCK?"}
    clean = frozenset(committed.split("\0")) - set(changed.split("\0")) - unseen
    return head, remote, clean


class _Git:
    """Runs git in one checkout; None for a call that failed."""

    def __init__(self, git: str, top: Path) -> None:
        self._top = top
        # a checkout of another user, usual in containers, is read all the same: nothing that
        # it configures is run
        self._command = (
            git, "-C", str(top), "-c", f"safe.directory={top}", "-c", "core.fsmonitor=false",
            "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false",
        )  # fmt: skip
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        self._environment = {
            **kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"
        }  # fmt: skip

    def __call__(self, *arguments: str) -> str | None:
        raw = self.raw(*arguments)
        return os.fsdecode(raw) if raw is not None else None

    def raw(self, *arguments: str) -> bytes | None:
        """What it prints."""
        import subprocess  # 15 ms that not every run needs

        try:
            done = subprocess.run(
                [*self._command, *arguments],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=_TIMEOUT_S,
                env=self._environment,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout if done.returncode == 0 else None

    def unfiltered(self) -> tuple[str, ...]:
        """Options that switch off the content filters which this repository configures."""
        listed = self("config", "--local", "--includes", "--name-only", "-z",
                      "--get-regexp", r"^filter\.")  # fmt: skip
        names = {key[7:].rpartition(".")[0] for key in (listed or "").split("\0") if key}
        options: list[str] = []
        for name in sorted(names):
            for key, value in (("clean", ""), ("process", ""), ("required", "false")):
                options += ["-c", f"filter.{name}.{key}={value}"]
        return tuple(options)


def _read_head(private: Path, shared: Path) -> str | None:
    try:
        head = (private / "HEAD").read_text("utf-8", "replace").strip()
    except OSError:
        return None
    for _ in range(5):  # symbolic refs may point at symbolic refs
        if not head.startswith("ref:"):
            return head if _SHA.fullmatch(head) else None
        name = head.removeprefix("ref:").strip()
        if ".." in name or name.startswith("/"):
            return None
        head = _read_ref(name, private, shared)
    return None


def _read_ref(name: str, private: Path, shared: Path) -> str:
    for folder in (private, shared):
        try:
            return (folder / name).read_text("utf-8", "replace").strip()
        except OSError:
            continue
    try:
        packed = (shared / "packed-refs").read_text("utf-8", "replace")
    except OSError:
        return ""
    lines = (line.split(" ", 1) for line in packed.split("\n") if line[:1] not in ("#", "^", ""))
    return next((parts[0] for parts in lines if parts[-1].strip() == name), "")


def _remote_in(config: Path) -> str:
    """The first remote's address, `origin` before others."""
    try:
        lines = config.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    remote, found = "", dict[str, str]()
    for line in lines:
        section = re.match(r'\s*\[remote "(.+)"\]', line)
        if section or line.lstrip().startswith("["):
            remote = section[1] if section else ""
        key, equals, value = line.partition("=")
        if remote and equals and key.strip() == "url":
            found.setdefault(remote, value.strip())
    return found.get("origin") or next(iter(found.values()), "")
