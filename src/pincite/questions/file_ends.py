"""Find the files whose paths fit a frame, by the ends of paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from pincite.questions.frames import Fit, Frame


class HasPath(Protocol):
    """A file of the index."""

    @property
    def path(self) -> str: ...
    @property
    def source(self) -> str: ...


F = TypeVar("F", bound=HasPath)


class _Ending(Generic[F]):
    """The files whose paths end in this way: those with no other path, and those with a longer one,
    all of them and those of which it is more than half."""

    __slots__ = ("longer", "most", "whole")

    def __init__(self) -> None:
        self.whole: list[F] = []
        self.longer: list[F] = []
        self.most: list[F] = []


class FileEnds(Generic[F]):
    """The files that may fit one of some frames, by the ends of their paths. Finding the files of a
    frame takes a look-up for each of its parts, however many files have the same name."""

    def __init__(self, frames: Iterable[Frame], files: Iterable[F]) -> None:
        self._ends: dict[str, _Ending[F]] = {}
        for one in frames:
            parts = one.path.split("/")
            for at in range(len(parts)):
                self._ends.setdefault("/".join(parts[at:]), _Ending())
        for file in files:
            self._add(file)

    def _add(self, file: F) -> None:
        path = file.path
        at, parts = len(path), 0
        while at >= 0:
            at = path.rfind("/", 0, at)
            ending = self._ends.get(path[at + 1 :])
            if ending is None:  # then no frame has a longer one
                return
            parts += 1
            if at < 0:
                ending.whole.append(file)
                self._add_below(file, path)
                return
            ending.longer.append(file)
            if path.count("/", 0, at) + 1 < parts:
                ending.most.append(file)

    def _add_below(self, file: F, path: str) -> None:
        """Add the file by its path below the name of its source, or below the end of this name."""
        for part in reversed(file.source.split("/")):
            path = f"{part}/{path}"
            if (ending := self._ends.get(path)) is None:
                return
            ending.whole.append(file)

    def best(self, frame: Frame) -> tuple[Fit, Sequence[F]] | None:
        """Return the files that fit this frame best, all equally well, None if there are none."""
        return next(self._fitting(frame), None)

    def all_of(self, frame: Frame) -> list[F]:
        """Return all files that fit this frame, each once, the best first."""
        found = {id(file): file for _, files in self._fitting(frame) for file in files}
        return list(found.values())

    def _fitting(self, frame: Frame) -> Iterator[tuple[Fit, Sequence[F]]]:
        """Yield groups of files, the best first, by the rules of `Frame.fit`. A file with a longer
        end in common is in the groups of shorter ones, too."""
        endings = frame.endings
        for number, text in enumerate(endings):
            ending, parts = self._ends[text], text.count("/") + 1
            if ending.whole:
                yield Fit(parts, whole=True), ending.whole
            others = ending.most
            if number == 0 or (frame.is_library and parts > 1):
                others = ending.longer
            if others:
                yield Fit(parts, whole=False), others
