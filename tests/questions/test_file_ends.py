"""Files are found by the ends of their paths as if each were compared with the frame."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from pincite.questions.file_ends import FileEnds
from pincite.questions.frames import Frame


class File(NamedTuple):
    path: str


PATHS = st.lists(st.sampled_from("ab"), min_size=1, max_size=5).map("/".join)
FRAMES = st.builds(
    lambda path, own: Frame(path, 1, min(own, path.count("/") + 1)), PATHS, st.integers(1, 3)
)


@given(st.lists(FRAMES, max_size=4), st.lists(PATHS, max_size=12, unique=True))
def test_the_best_files_are_those_that_fit_best(frames: list[Frame], paths: list[str]) -> None:
    ends = FileEnds(frames, map(File, paths))
    for frame in frames:
        fits = {path: fit for path in paths if (fit := frame.fit(path)) is not None}
        found = ends.best(frame)
        every = ends.all_of(frame)
        assert {one.path for one in every} == fits.keys()
        assert len(every) == len(fits)
        assert [fits[one.path] for one in every] == sorted(fits.values(), reverse=True)
        assert (found is None) == (not fits)
        if found is not None:
            fit, files = found
            assert fit == max(fits.values())
            best = [path for path in paths if fits.get(path) == fit]
            assert [one.path for one in files] == best


class Counted:
    """A file that counts how often its path is read."""

    reads = 0

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def path(self) -> str:
        Counted.reads += 1
        return self._path


def test_each_file_is_looked_at_once_however_many_frames_have_its_name() -> None:
    frames = [Frame(f"srv/p{n}/app/__init__.py", 3) for n in range(100)]
    files = [Counted(f"src/q{n}/app/__init__.py") for n in range(1_000)]
    ends = FileEnds(frames, files)
    assert [ends.best(one) for one in frames] == [None] * 100
    assert Counted.reads == 1_000
