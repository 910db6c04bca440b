"""Which passages are at the places that a question names."""

from __future__ import annotations

import pytest

from pincite.model import Candidate
from pincite.model.places import FileKey, FrameFiles
from pincite.questions.frames import Fit, Frame
from pincite.stages.placed import Placed, find_placed
from pincite.support.fields import replace
from tests.builders import candidate


def at(path: str, first: int = 1, last: int = 9, source: str = "app") -> Candidate:
    return candidate(
        f"{source}{path}{first}", path=path, start_line=first, end_line=last, repo=source
    )


def key(one: Candidate) -> tuple[str, str]:
    return one.collection, one.chunk.id


def known(frame: Frame, *paths: str, count: int = 0, beside: str = "") -> FrameFiles:
    fit = frame.fit(paths[0])
    assert fit is not None
    ref = at(paths[0]).chunk.ref
    files = tuple(FileKey("app", path, ref) for path in paths)
    held = frozenset((beside,)) if beside else frozenset[str]()
    return FrameFiles("main", frame, fit, count or len(paths), files, held)


def placed(frame: Frame, files: list[FrameFiles], *candidates: Candidate) -> Placed:
    return find_placed((frame,), files, candidates)


def test_a_longer_path_gives_way_to_the_exact_one() -> None:
    frame, exact, longer = Frame("app/a.py", 5), at("app/a.py"), at("x/app/a.py")
    found = placed(frame, [], longer, exact)
    assert list(found.order) == [key(exact)]
    assert found.places[0].is_certain
    assert found.of(exact) is found.places[0]
    assert found.of(longer) is None


def test_the_best_file_counts_even_if_only_another_one_has_the_line() -> None:
    frame, longer = Frame("app/a.py", 5), at("x/app/a.py")
    (place,) = placed(frame, [known(frame, "app/a.py")], longer).places
    assert {(one.source, one.path) for one in place.files} == {("app", "app/a.py")}
    assert not place.passages


@pytest.mark.parametrize(("count", "passages"), [(1, 1), (4, 4), (5, 0)])
def test_more_than_four_files_tell_nothing_and_only_one_is_certain(
    count: int, passages: int
) -> None:
    frame = Frame("a.py", 5)
    found = placed(frame, [], *(at(f"p{n}/a.py") for n in range(count)))
    assert len(found.order) == passages
    assert found.places[0].count == count
    assert found.places[0].is_certain == (count == 1)


def test_files_count_of_which_no_passage_was_found() -> None:
    frame, one = Frame("a.py", 5), at("p0/a.py")
    (place,) = placed(frame, [known(frame, "p0/a.py", "p1/a.py")], one).places
    assert (place.count, place.passages, place.is_certain) == (2, (key(one),), False)
    (place,) = placed(frame, [known(frame, *(f"p{n}/a.py" for n in range(5)), count=9)], one).places
    assert (place.count, place.passages) == (9, ())


def test_the_same_file_in_two_collections_is_one() -> None:
    frame, one = Frame("a.py", 5), at("p0/a.py")
    other = Candidate("other", one.chunk, one.signals)
    (place,) = placed(frame, [known(frame, "p0/a.py")], one, other).places
    assert place.passages == (key(one), key(other))
    assert place.is_certain
    (place,) = placed(frame, [], one, at("p0/a.py", source="lib")).places
    assert (place.count, place.is_certain) == (2, False)


def test_files_of_two_collections_with_other_texts_are_two() -> None:
    frame, one = Frame("a.py", 5), at("p0/a.py")
    other = Candidate("other", replace(one.chunk, ref="another"), one.signals)
    (place,) = placed(frame, [known(frame, "p0/a.py")], one, other).places
    assert (place.count, place.is_certain) == (2, False)
    assert place.passages == (key(one), key(other))


def test_the_name_alone_is_certain_only_if_no_folder_was_named() -> None:
    root = at("main.py")
    assert placed(Frame("main.py", 5), [], root).places[0].is_certain
    (place,) = placed(Frame("srv/main.py", 5), [], root).places
    assert place.passages == (key(root),)
    assert not place.is_certain


def test_a_passage_next_to_the_line_counts_if_none_has_it() -> None:
    frame, before, has = Frame("app/a.py", 10), at("app/a.py"), at("app/a.py", 10, 12)
    files = [known(frame, "app/a.py", beside=before.chunk.id)]
    (place,) = placed(frame, files, before).places
    assert (place.passages, place.beside, place.is_certain) == ((key(before),), True, False)
    (place,) = placed(frame, files, before, has).places
    assert (place.passages, place.beside, place.is_certain) == ((key(has),), False, True)


def test_passages_are_in_the_order_of_the_places() -> None:
    first, second = at("app/a.py"), at("app/b.py")
    frames = (Frame("app/b.py", 5), Frame("app/a.py", 5), Frame("app/a.py", 6))
    found = find_placed(frames, (), [first, second])
    assert found.order == {key(second): 0, key(first): 1}
    assert find_placed((), (), [first]) == Placed()
    assert find_placed((Frame("app/c.py", 1),), (), [first]).places[0].fit is None
    assert found.places[0].fit == Fit(2, whole=True)
