"""A checkout that changes at random, and the check that what is shown of it is in it."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from pincite.model import EvidencePack
from pincite.readers.decoding import decode
from tests.environment import clean_environment

WORDS = (
    "turnstile rotates brown dough rises overnight crane lifts key secret harbour lantern".split()
)
_GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.fsync=none")


class World:
    """A checkout at `root`. Each step changes something, named by the method that did."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.dice = random.Random(seed)
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        for number in range(8):
            self._write(f"{'docs' if number % 2 else 'notes'}/page{number}.md", self._page())
        self.commit()
        for _ in range(3):
            self.edit()
            self.commit()
        self.git("branch", "other", "HEAD~2")

    def git(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            [*_GIT, *arguments],
            cwd=self.root,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not check, (arguments, done.stderr)
        return done.stdout

    def step(self) -> str:
        """Change something; returns what."""
        change = self.dice.choice(self._changes())
        change()
        return change.__name__

    def _changes(self) -> Sequence[Callable[[], None]]:
        seldom = [
            self.switch,
            self.rebase,
            self.go_back,
            self.commit,
            self.link_out,
            self.make_fifo,
        ]
        often = [self.edit, self.insert_above, self.same_size, self.save_by_rename]
        return [*often, *often, self.delete, self.rename, self.add, self.touch, *seldom]

    def question(self) -> str:
        """Some words."""
        return " ".join(self.dice.sample(WORDS, 3))

    def edit(self) -> None:
        path, lines = self._some()
        lines[self.dice.randrange(len(lines))] = self._line()
        self._write(path, "\n".join(lines))

    def insert_above(self) -> None:
        path, lines = self._some()
        at = self.dice.randrange(len(lines))
        self._write(path, "\n".join([*lines[:at], self._line(), "", *lines[at:]]))

    def same_size(self) -> None:
        """Other words of the same length, and the time stamp of before."""
        path, lines = self._some()
        place = self.root / path
        status = place.stat()
        text = "\n".join(lines)
        self._write(path, text.replace("crane", "drane") if "crane" in text else text[::-1])
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))

    def save_by_rename(self) -> None:
        path, lines = self._some()
        fresh = self.root / f"{path}.tmp"
        fresh.write_text("\n".join([*lines, self._line()]))
        fresh.replace(self.root / path)

    def delete(self) -> None:
        if len(paths := self._paths()) > 4:
            (self.root / self.dice.choice(paths)).unlink()

    def rename(self) -> None:
        path = self.dice.choice(self._paths())
        there = self.root / self._new_path()
        there.parent.mkdir(exist_ok=True)
        (self.root / path).rename(there)

    def add(self) -> None:
        self._write(self._new_path(), self._page())

    def touch(self) -> None:
        os.utime(self.root / self.dice.choice(self._paths()))

    def commit(self) -> None:
        for place in self.root.rglob("*.md"):
            if place.is_fifo():  # git takes none
                place.unlink()
        self.git("add", "-A")
        self.git("commit", "-qm", "step", "--allow-empty")

    def switch(self) -> None:
        self._clean()
        self.git("checkout", "-q", self.dice.choice(["main", "other"]))

    def rebase(self) -> None:
        self._clean()
        self.git("checkout", "-q", "other")
        self.git("rebase", "-q", "-X", "theirs", "main", check=False)
        self.git("rebase", "--abort", check=False)
        self._clean()

    def go_back(self) -> None:
        self._clean()
        commits = self.git("log", "--format=%H", "-8").split()
        self.git("checkout", "-q", self.dice.choice(commits))

    def link_out(self) -> None:
        """A link out of the checkout, with the same content behind it."""
        place = self.root / self.dice.choice(self._paths())
        outside = self.root.parent / f"outside-{place.name}"
        shutil.copy(place, outside)
        place.unlink()
        place.symlink_to(outside)

    def make_fifo(self) -> None:
        if len(paths := self._paths()) > 4:
            place = self.root / self.dice.choice(paths)
            place.unlink()
            os.mkfifo(place)

    def _clean(self) -> None:
        self.git("reset", "-q", "--hard")
        self.git("clean", "-qfd")
        if len(self._paths()) < 6:
            for _ in range(4):
                self.add()
            self.commit()

    def _paths(self) -> list[str]:
        found = [p for p in self.root.rglob("*.md") if p.is_file() and not p.is_symlink()]
        return sorted(p.relative_to(self.root).as_posix() for p in found)

    def _some(self) -> tuple[str, list[str]]:
        path = self.dice.choice(self._paths())
        return path, (self.root / path).read_text().split("\n")

    def _new_path(self) -> str:
        return f"{self.dice.choice(['docs', 'notes', 'more'])}/new{self.dice.getrandbits(40)}.md"

    def _write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def _page(self) -> str:
        parts = [f"## {self._line()}\n\n" + "\n".join(self._line() for _ in range(6))]
        return (
            "\n\n".join([f"# {self._line()}", *parts * 1, *(self._line() for _ in range(5))]) + "\n"
        )

    def _line(self) -> str:
        return " ".join(self.dice.choices(WORDS, k=self.dice.randint(4, 9)))


def shown_is_there(pack: EvidencePack, root: Path) -> int:
    """Assert that all that a pack shows is in the file that it names, at that place and revision;
    how many lines that are."""
    count = 0
    for item in pack.evidence:
        assert item.truth in ("fresh", "moved"), item
        raw = plain_file(root, item.path)
        lines = decode(raw)[0].split("\n")
        cited = lines[item.start_line - 1 : item.end_line]
        if item.end_column is not None:
            cited[-1] = cited[-1][: item.end_column]
        if item.start_column is not None:
            cited[0] = cited[0][item.start_column - 1 :]
        assert "\n".join(cited).removesuffix("\r") == item.text, item
        assert item.content_hash == hashlib.sha256(raw).hexdigest(), item
        assert at_that_revision(root, item.ref, item.path, raw), item
        assert f"@{item.ref}:{item.path}#L{item.start_line}" in item.citation, item
        count += len(cited)
        if (around := item.context) is not None:
            there = lines[around.start_line - 1 : around.end_line]
            shown = around.text.split("\n")
            assert [one.rstrip() for one in there] == [one.rstrip() for one in shown], item
            assert around.start_line <= item.start_line <= item.end_line <= around.end_line, item
            count += len(there)
    return count


def plain_file(root: Path, path: str) -> bytes:
    """The bytes of a regular file below a folder that is reached through no link."""
    place = root / path
    assert place.resolve() == place, f"{path} leads elsewhere"
    assert place.is_file(), f"{path} is not there"
    return place.read_bytes()


def at_that_revision(root: Path, ref: str, path: str, raw: bytes) -> bool:
    """Does a revision have these bytes under this path?"""
    if ref.startswith("sha256-"):
        return hashlib.sha256(raw).hexdigest().startswith(ref.removeprefix("sha256-"))
    commit, dash, content = ref.partition("-dirty-")
    committed = _committed(root, commit, path)
    if not dash:
        return committed == raw
    return committed != raw and hashlib.sha256(raw).hexdigest().startswith(content)


@cache
def _committed(root: Path, commit: str, path: str) -> bytes | None:
    done = subprocess.run(
        [*_GIT, "show", f"{commit}:{path}"], cwd=root, capture_output=True, check=False
    )
    return done.stdout if done.returncode == 0 else None
