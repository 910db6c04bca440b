"""Find the git checkout of a folder, and read its revision and the name of its remote.

`.git` is parsed here, and nothing in the repository's configuration is applied. Only the name of a
remote is read from it ([0006](../../../docs/decisions/0006-untrusted-repositories.md)).
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

import msgspec

from pincite.errors import SourceError
from pincite.sources.git_objects import Objects, Tree
from pincite.support.capabilities import open_to_read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_MAX_PACKED = 50_000_000  # bytes; guess, unmeasured: `packed-refs` of 500,000 refs takes 40 MB
_MAX_BYTES = 1_000_000  # guess, unmeasured: of every other file, such as `config`
_LONGEST_URL = 300  # of a remote: its name is part of every citation
_DIGITS = 40  # of a SHA-1; a SHA-256 has 64
_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SCP_REMOTE = re.compile(r"(?:[\w.~-]+@)?[\w.-]+:(?!//)(?P<path>.+)")
_URL_REMOTE = re.compile(r"(?:https?|ssh|git|git\+ssh|ftps?)://[^/]+/(?P<path>.+)")
_PLAIN = re.compile(r"(?!.*(?:^|/)\.\.?(?:/|$))[\w.~%+-]+(?:/[\w.~%+-]+)*")  # a name in citations
_IN_NAMES = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]+")  # characters of a ref's name
_RELATIVE = re.compile(r"[~^]|@\{")  # of a commit: its ancestors, or what a ref was before
_MOST_NAME = 250  # characters: what a file system takes as the name of a file
#: Where a short name is looked for, in this order, as git does.
_SHORT_NAMES = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}")
_SECTION = re.compile(r'\s*\[\s*(?P<kind>[\w.-]+)(?:\s+"(?P<name>[^"]*)")?\s*\](?P<rest>.*)')


class Checkout(msgspec.Struct, frozen=True):
    """A checkout. `top` is the work tree's root. `head` is None before the first commit. `objects`
    is the folder of committed objects, `private` is the git folder of this work tree."""

    top: Path
    head: str | None
    name: str | None
    exclude_file: Path
    objects: Objects
    private: Path

    @property
    def git_folders(self) -> tuple[Path, ...]:
        """Return the git folder of this work tree, and the one it shares with other worktrees."""
        return tuple(dict.fromkeys((self.private, self.exclude_file.parent.parent)))

    def read_at(self, commit: str, path: str) -> bytes | None:
        """Return the bytes of a committed file, b"" if the commit has no such file; None if it is
        not a commit's SHA or the beginning of one, or not available (a shallow or partial clone, no
        `git`)."""
        if not _ABBREVIATED.fullmatch(commit):
            return None
        return self.objects.blob(commit, path, len(self.head) if self.head else _DIGITS)

    def content_of(self, ref: str, within: str = "") -> Tree | None:
        """Return the content of a tag, branch or commit, which may be abbreviated, along and below
        a path; None for an unknown name, or if the commit is not available."""
        commit = commit_named(self.top, ref) or ref
        if not _ABBREVIATED.fullmatch(commit):
            return None
        return self.objects.tree(commit, within, len(self.head) if self.head else _DIGITS)

    def committed(self, within: str = "") -> Tree | None:
        """Return HEAD's content along and below a path, None if it is not available."""
        return self.objects.tree(self.head, within) if self.head else None

    def committed_at(self, paths: Sequence[str]) -> Tree | None:
        """Return HEAD's content along these paths, None if it is not available."""
        return self.objects.along(self.head, paths) if self.head else None


def head_of(top: Path) -> str | None:
    """Return the commit checked out at the root of a work tree, None if there is none."""
    return _read_head(*_git_folders(top)) if _is_top(top) else None


def commit_named(top: Path, name: str) -> str | None:
    """Return the commit that `HEAD`, a tag or a branch names in the checkout with this root, None
    if there is no such name. A tag goes before a branch of the same name, as in git. For an
    annotated tag whose object is not available, return the hash of the tag."""
    if not _is_top(top):
        return None
    private, shared = _git_folders(top)
    if name == "HEAD":
        return _read_head(private, shared)
    if not _is_name(name):
        return None
    for form in ("{}",) if name.startswith("refs/") else _SHORT_NAMES:
        named = _follow(_read_ref(form.format(name), private, shared), private, shared)
        if named:
            return Objects(shared / "objects").commit_of(named) or named
    return None


def lasting_name(top: Path, name: str) -> str:
    """Return the commit that `HEAD` or a branch of a checkout names, because they move; any other
    name as it is. Raises SourceError for a relative name such as `HEAD~1`, which only git can
    resolve."""
    if _RELATIVE.search(name):
        raise SourceError(
            f"{name} is not a name of a revision that a citation can have",
            hint=f"give its commit: git rev-parse {name}",
        )
    if not _is_top(top) or (_is_name(name) and _read_ref(f"refs/tags/{name}", *_git_folders(top))):
        return name
    return commit_named(top, name) or name


def find_checkout(folder: Path) -> Checkout | None:
    """Return the innermost checkout that contains `folder` (an existing folder without links), if
    any."""
    top = next((each for each in (folder, *folder.parents) if _is_top(each)), None)
    if top is None:
        return None
    private, shared = _git_folders(top)
    name = name_of_remote(_remote_in(shared / "config"))
    exclude_file = shared / "info" / "exclude"
    objects = Objects(shared / "objects")
    return Checkout(top, _read_head(private, shared), name, exclude_file, objects, private)


def git_folders_of(folder: Path) -> tuple[Path, Path] | None:
    """Return the git folder of a work tree with this root, and the one it shares with other
    worktrees; None if it is no such root."""
    return _git_folders(folder) if _is_top(folder) else None


def name_of_remote(url: str) -> str | None:
    """Return `google/adk-docs` for the common forms of a remote's URL. None for local paths, for
    URLs above 300 characters, and for those that do not give a plain name: with `ext::` and the
    like, git starts programs."""
    if len(url) > _LONGEST_URL:
        return None
    match = _URL_REMOTE.fullmatch(url.strip()) or _SCP_REMOTE.fullmatch(url.strip())
    if match is None:
        return None
    name = match["path"].strip("/").removesuffix(".git").strip("/")
    return name if _PLAIN.fullmatch(name) else None


def _is_name(name: str) -> bool:
    """Return whether a ref may have this name. One that leads out of the git folder is invalid."""
    parts = name.split("/")
    forbidden = ".." in name or any(not part or part.startswith(".") for part in parts)
    return len(name) <= _MOST_NAME and not forbidden and bool(_IN_NAMES.fullmatch(name))


def _is_top(folder: Path) -> bool:
    dot_git = folder / ".git"  # os.path: an unreadable path is no checkout
    return os.path.isfile(dot_git / "HEAD") or os.path.isfile(dot_git)  # noqa: PTH113


def _git_folders(top: Path) -> tuple[Path, Path]:
    """Return the checkout's own git folder and the one it shares with other worktrees."""
    private = top / ".git"
    if os.path.isfile(private):  # noqa: PTH113  # a linked worktree or a submodule
        pointer = _read(private).removeprefix("gitdir:").strip()
        private = _resolve(top, pointer) or private
    common = _read(private / "commondir").strip()
    return private, (common and _resolve(private, common)) or private


def _resolve(folder: Path, name: str) -> Path | None:
    try:
        return (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return None  # a loop of links, or a NUL


def _read(file: Path, max_bytes: int = _MAX_BYTES, *, begun: bool = False) -> str:
    """Return the text of a regular file of at most this size, "" for anything else; never blocks.
    If `begun`, return the complete lines at the beginning of a larger file."""
    try:
        handle = open_to_read(file, follow=True)
    except (OSError, ValueError):
        return ""
    with os.fdopen(handle, "rb") as opened:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or not (begun or status.st_size <= max_bytes):
            return ""
        try:
            text = opened.read(max_bytes).decode("utf-8", "replace")
        except OSError:
            return ""
    return text if status.st_size <= max_bytes else text[: text.rfind("\n") + 1]


def _read_head(private: Path, shared: Path) -> str | None:
    return _follow(_read(private / "HEAD").strip(), private, shared)


def is_head(text: str) -> bool:
    """Return whether the text of a HEAD names a commit or a ref, as that of every checkout does."""
    head = text.strip()
    if head.startswith("ref:"):
        return head.removeprefix("ref:").strip().startswith("refs/")
    return bool(_SHA.fullmatch(head))


def _follow(head: str, private: Path, shared: Path) -> str | None:
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
        found = _read(folder / name).strip()
        if found:
            return found
    packed = f"\n{_read(shared / 'packed-refs', _MAX_PACKED)}\n"  # may have millions of lines
    end = packed.find(f" {name}\n")
    return packed[packed.rfind("\n", 0, end) + 1 : end] if end >= 0 else ""


def _remote_in(config: Path) -> str:
    """Return the URL of the remote `origin`, else of the first one; "" if there is none."""
    found = dict[str, str]()
    for remote, url in _values_in(_read(config, begun=True), "remote", "url"):
        if remote:
            found.setdefault(remote, url)
    return found.get("origin") or next(iter(found.values()), "")


def work_tree_in(config: str) -> str:
    """Return the work tree that the text of a configuration names, "" if it names none."""
    return next((value for _, value in _values_in(config, "core", "worktree")), "")


def _values_in(config: str, kind: str, wanted: str) -> Iterator[tuple[str, str]]:
    """Yield the values of a key in sections of this kind, each after the name of its section, ""
    without one."""
    name: str | None = None
    for line in config.splitlines():
        section = _SECTION.match(line)
        if section:
            name = (section["name"] or "") if section["kind"].lower() == kind else None
        key, equals, value = (section["rest"] if section else line).partition("=")
        if name is not None and equals and key.strip().lower() == wanted:
            yield name, value.strip().strip('"')
