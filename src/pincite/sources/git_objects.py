"""Read commits, trees and blobs of an untrusted repository.

`git cat-file` runs in `empty_repository`, which has our configuration, and reads only the objects
of the repository, not its configuration. So the repository can neither run programs nor cause
downloads
([0006](../../../docs/decisions/0006-untrusted-repositories.md)). The output of git is hashed again
here, which detects forged packs and indexes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from subprocess import Popen

_TIMEOUT_S = 20.0  # guess, unmeasured; the trees of 100,000 files take 1 s. A FIFO never ends
_MEMORY_BYTES = 1_000_000_000  # git's own, without mapped packs: a chain of deltas may claim any
_MAX_OBJECT_BYTES = 50_000_000  # guess, unmeasured: ten times what is read of a file on disk
_MAX_TREES_BYTES = 500_000_000  # guess, unmeasured: the trees of a million files take 50 MB
_AT_ONCE = 200  # names that always fit into a pipe before git reads it
_MOST_TAGS = 5  # in a chain of tags that name other tags
_SUBMODULE = b"160000"  # mode of an entry that names a commit of another repository
#: Bare repositories without commits, one for each hash function. They are files of this package, so
#: that no disk has to be writable, and no temporary folder can be deleted while a daemon runs.
_EMPTY = Path(__file__).absolute().with_name("empty_repository")


class Tree(msgspec.Struct, frozen=True):
    """The trees of a commit along and below the requested paths. `root` is the hash of its top
    tree. `folders` has the entries of each tree by the tree's hash: mode and hash by name."""

    root: str
    folders: Mapping[str, Mapping[bytes, tuple[bytes, str]]]

    def has(self, path: str, raw: bytes) -> bool | None:
        """Return whether the committed file of this path has these bytes, or these bytes with `\\n`
        for `\\r\\n`. None if a part of the commit is not available."""
        found = self.blob_at(path)
        return None if found is None else is_blob(found, raw)

    def blob_at(self, path: str) -> str | None:
        """Return the hash of a regular file, "" if there is none; None if it is unknown, as for
        files of a submodule, which are in another repository."""
        *parents, name = os.fsencode(path).split(b"/")
        folder = self.root
        for each in (*parents, name):
            entries = self.folders.get(folder)
            if entries is None:
                return None
            mode, folder = entries.get(each, (b"", ""))
            if each is not name and mode != b"40000":
                return None if mode == _SUBMODULE else ""
        return folder if mode in (b"100644", b"100755", b"100664") else ""


def is_blob(name: str, raw: bytes) -> bool:
    """Return whether these bytes, or these with `\\n` for `\\r\\n`, are the blob of that name. ""
    matches none."""
    return name != "" and (
        name == blob_hash(raw, len(name))
        or (b"\r\n" in raw and name == blob_hash(raw.replace(b"\r\n", b"\n"), len(name)))
    )


def blob_hash(raw: bytes, digits: int) -> str:
    """Return the name of a blob with this content, in 40 or 64 digits."""
    return _hash("blob", raw, digits)


#: Folders of objects that git could not read within the time limit, and the monotonic time in
#: seconds until which they are not read again. Global, because callers make new `Objects` often.
_HUNG: dict[Path, float] = {}
_HUNG_S = 600.0


_MOST_LOOKED_AT = 10_000  # files of `info` and `pack`; git leaves some fifty
_READ_FIRST = ("info", "pack", "info/commit-graphs")


class Objects:
    """The objects of a repository, in `folder`. Git is not started for a folder in which it would
    open a pipe or a device, and is not asked for an object that is one. After git has exceeded the
    time limit, none of them is available to this process for ten minutes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def tree(self, commit: str, within: str = "", digits: int = 0) -> Tree | None:
        """Return the trees of a commit along and below the path `within`; None if the commit is not
        available, or if its trees exceed 500 MB. With `digits`, `commit` may be the beginning of a
        hash with this number of digits."""
        with self._open(digits or len(commit)) as reader:
            whole = reader.whole(commit) if reader else ""
            return reader.tree(whole, within) if reader and whole else None

    def along(self, commit: str, paths: Sequence[str]) -> Tree | None:
        """Return the trees of a commit along these paths; None if the commit is not available."""
        folders: dict[str, Mapping[bytes, tuple[bytes, str]]] = {}
        root = None
        with self._open(len(commit)) as reader:
            for path in paths if reader else ():
                tree = reader.tree(commit, path)  # type: ignore[union-attr]
                if tree is None:
                    return None
                root = tree.root
                folders.update(tree.folders)
        return Tree(root, folders) if root else None

    def blob(self, commit: str, path: str, digits: int) -> bytes | None:
        """Return the bytes of a committed file, b"" if the commit has no such file; None if it is
        not available. `commit` may be the beginning of a hash with this number of digits."""
        with self._open(digits) as reader:
            whole = reader.whole(commit) if reader else ""
            tree = reader.tree(whole, path) if reader and whole else None
            blob = tree.blob_at(path) if tree else None
            if not blob or reader is None:
                return None if blob is None else b""
            return reader.read([blob], "blob")[0]

    def commit_of(self, name: str) -> str | None:
        """Return the commit that the annotated tag with this hash names, or the hash itself if it
        is that of a commit; None for another object, or if it is not available."""
        with self._open(len(name)) as reader:
            return reader.commit_of(name) if reader else None

    @contextmanager
    def _open(self, digits: int) -> Iterator[_Reader | None]:
        """Yield a reader of objects whose hashes have this number of digits; None without git,
        after it has exceeded the time limit, or if it would wait for a pipe."""
        git = _find_git()
        hung = time.monotonic() < _HUNG.get(self._folder, 0.0)
        if git is None or hung or _has_pipes(self._folder):
            yield None
            return
        import subprocess  # 15 ms that not every run needs
        import threading

        ours = _EMPTY / ("sha1" if digits == 40 else "sha256")
        try:
            running = subprocess.Popen(
                [git, "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=ours,
                env=_environment(ours, self._folder),
            )
        except OSError:
            yield None
            return

        def give_up() -> None:
            _HUNG[self._folder] = time.monotonic() + _HUNG_S
            running.kill()

        _limit_memory(running.pid)
        watch = threading.Timer(_TIMEOUT_S, give_up)
        watch.daemon = True
        watch.start()
        try:
            yield _Reader(running, digits, self._folder)
        finally:
            watch.cancel()
            running.kill()
            with suppress(BrokenPipeError), running:  # unsent requests are not needed
                pass


def _environment(ours: Path, objects: Path) -> dict[str, str]:
    """Return the environment in which git reads nothing but these objects, and our git folder."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | {
        "GIT_DIR": str(ours), "GIT_OBJECT_DIRECTORY": str(objects), "HOME": str(ours),
        "XDG_CONFIG_HOME": str(ours), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C",
    }  # fmt: skip


class _Reader:
    """Reads objects from a running `git cat-file --batch`. After a failure, none is available."""

    def __init__(self, running: Popen[bytes], digits: int, folder: Path) -> None:
        if running.stdin is None or running.stdout is None:
            raise TypeError("git must run with pipes")
        self._asked, self._told = running.stdin, running.stdout
        self._digits = digits
        self._folder = folder
        self._ended = False

    def tree(self, commit: str, within: str) -> Tree | None:
        """See Objects."""
        root = self.root_of(commit)
        folders: dict[str, Mapping[bytes, tuple[bytes, str]]] = {}
        along = [os.fsencode(part) for part in within.split("/") if part]
        level, total = [root] if root else [], 0
        while level:
            deeper: list[str] = []
            for name, raw in zip(level, self.read(level, "tree"), strict=True):
                if raw is not None:
                    total += len(raw)
                    folders[name] = _entries(raw, self._digits // 2)
                    deeper += [
                        oid
                        for part, (mode, oid) in folders[name].items()
                        if mode == b"40000" and (not along or part == along[0])
                    ]
            if total > _MAX_TREES_BYTES:
                return None
            along = along[1:]
            level = [oid for oid in dict.fromkeys(deeper) if oid not in folders]
        return Tree(root, folders) if root else None

    def whole(self, commit: str) -> str:
        """Return the full hash of an abbreviated commit; "" if no commit, or more than one, has a
        hash with this beginning. A full hash is returned unchecked."""
        if len(commit) == self._digits or self._ended:
            return commit
        try:
            if any(map(_is_pipe, (self._folder / commit[:2]).glob(f"{commit[2:]}*"))):
                raise ValueError("git would wait for it")
            self._asked.write(f"{commit}^{{commit}}\n".encode())
            self._asked.flush()
            name, _, rest = self._told.readline(1000).partition(b" ")
            if rest in (b"missing\n", b"ambiguous\n"):
                return ""
            found = name.decode("ascii")
            return (
                found if found.startswith(commit) and self._content(found, rest, "commit") else ""
            )
        except (OSError, ValueError):  # git has ended, or its output is invalid
            self._ended = True
            return ""

    def commit_of(self, name: str) -> str | None:
        """See Objects."""
        for _ in range(_MOST_TAGS):
            tag, commit = (self.read([name], kind)[0] for kind in ("tag", "commit"))
            if tag is None:
                return None if commit is None else name
            line = tag.partition(b"\n")[0]
            name = line[7:].decode("ascii", "replace") if line.startswith(b"object ") else ""
            if len(name) != self._digits or not name.isalnum():
                return None
        return None

    def root_of(self, commit: str) -> str | None:
        """Return the hash of a commit's tree."""
        raw = self.read([commit], "commit")[0]
        line = raw.partition(b"\n")[0] if raw is not None else b""
        return line[5:].decode("ascii", "replace") if line.startswith(b"tree ") else None

    def read(self, names: Sequence[str], kind: str) -> list[bytes | None]:
        """Return the content of each object, in the order of `names`; None for an object that is
        not available, of another kind, or has another hash."""
        found: list[bytes | None] = []
        try:
            for start in range(0, 0 if self._ended else len(names), _AT_ONCE):
                part = names[start : start + _AT_ONCE]
                if any(_is_pipe(self._folder / name[:2] / name[2:]) for name in part):
                    raise ValueError("git would wait for it")
                self._asked.write("".join(f"{name}\n" for name in part).encode())
                self._asked.flush()
                found += [self._next(name, kind) for name in part]
        except (OSError, ValueError):  # git has ended, or its output is invalid
            self._ended = True
        return found + [None] * (len(names) - len(found))

    def _next(self, name: str, kind: str) -> bytes | None:
        """Return the next object. Raises ValueError if reading cannot continue."""
        said, _, rest = self._told.readline(1000).partition(b" ")
        if rest == b"missing\n" and said == name.encode():
            return None
        return self._content(name, rest, kind)

    def _content(self, name: str, rest: bytes, kind: str) -> bytes | None:
        """Return the object whose kind and size are `rest`. Raises ValueError as `_next`."""
        its_kind, size = rest.split()
        if int(size) > _MAX_OBJECT_BYTES:
            raise ValueError("larger than what is read")
        raw = self._told.read(int(size) + 1)
        if len(raw) != int(size) + 1:
            raise ValueError("git has ended")
        honest = its_kind == kind.encode() and _hash(kind, raw[:-1], self._digits) == name
        return raw[:-1] if honest else None


def _has_pipes(objects: Path) -> bool:
    """Return whether a file that git opens before any object is a pipe, a socket or a device."""
    for name in _READ_FIRST:
        with suppress(OSError), os.scandir(objects / name) as found:
            if any(_is_pipe(Path(one.path)) for one in islice(found, _MOST_LOOKED_AT)):
                return True
    return False


def _is_pipe(path: Path) -> bool:
    """Return whether this exists, and is neither a file nor a folder."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _find_git() -> str | None:
    """Return the program from absolute folders of the search path only; the current folder cannot
    provide it."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = [folder for folder in folders if os.path.isabs(folder)]  # noqa: PTH117
    return shutil.which("git", path=os.pathsep.join(absolute)) if absolute else None


def _limit_memory(process: int) -> None:
    if sys.platform == "linux":
        import resource

        try:
            resource.prlimit(process, resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
        except (OSError, ValueError):
            return  # a lower limit of the system applies, or git has already ended


def _entries(raw: bytes, width: int) -> dict[bytes, tuple[bytes, str]]:
    """Return mode and hash by name. Malformed data ends the result."""
    found: dict[bytes, tuple[bytes, str]] = {}
    position = 0
    while position < len(raw):
        end = raw.find(b"\0", position)
        if end < 0:
            break
        mode, _, name = raw[position:end].partition(b" ")
        position = end + 1 + width
        found[name] = (mode, raw[end + 1 : position].hex())
    return found


def _hash(kind: str, raw: bytes, digits: int) -> str:
    digest = hashlib.sha1(usedforsecurity=False) if digits == 40 else hashlib.sha256()
    digest.update(f"{kind} {len(raw)}\0".encode())
    digest.update(raw)
    return digest.hexdigest()
