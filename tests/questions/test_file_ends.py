"""Files are found by the ends of their paths as if each were compared with the frame."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from pincite.questions.file_ends import FileEnds
from pincite.questions.frames import Fit, Frame


class File(NamedTuple):
    source: str
    path: str


PATHS = st.lists(st.sampled_from("ab"), min_size=1, max_size=5).map("/".join)
FILES = st.builds(
    File, st.lists(st.sampled_from("abc"), min_size=1, max_size=2).map("/".join), PATHS
)
FRAMES = st.builds(
    lambda path, own: Frame(path, 1, min(own, path.count("/") + 1)), PATHS, st.integers(1, 3)
)


@given(st.lists(FRAMES, max_size=4), st.lists(FILES, max_size=12, unique=True))
def test_the_best_files_are_those_that_fit_best(frames: list[Frame], files: list[File]) -> None:
    ends = FileEnds(frames, files)
    for frame in frames:
        fits = {one: fit for one in files if (fit := frame.fit(one.path, one.source)) is not None}
        found = ends.best(frame)
        every = ends.all_of(frame)
        assert set(every) == fits.keys()
        assert len(every) == len(fits)
        assert [fits[one] for one in every] == sorted(fits.values(), reverse=True)
        assert (found is None) == (not fits)
        if found is not None:
            fit, of_frame = found
            assert fit == max(fits.values())
            assert list(of_frame) == [one for one in files if fits.get(one) == fit]


def test_a_file_in_another_folder_fits_by_more_than_half_of_its_path() -> None:
    most, half = File("x", "src/app/a.py"), File("x", "one/src/app/a.py")
    name = File("x", "src/a.py")
    frame = Frame("srv/app/a.py", 1)
    assert FileEnds([frame], [half, name, most]).best(frame) == (Fit(2, whole=False), [most])
    assert FileEnds([frame], [half, name]).best(frame) is None


class Counted:
    """A file that counts how often its path is read."""

    reads = 0
    source = "app"

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
