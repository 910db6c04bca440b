"""Places that a question names, compared with documents."""

from __future__ import annotations

import pytest

from pincite.questions.frames import fit_of
from pincite.scope.named_place import NamedPlace
from tests.counting import grows_in_proportion


@pytest.mark.parametrize(
    ("place", "path", "parts"),
    [
        ("src/app", "src/app/cli.py", 2),
        ("src/app", "lib/src/app/cli.py", 2),
        ("src/app", "src/app.py", 0),
        ("src/app", "src/apps/cli.py", 0),
        ("src/app", "other/cli.py", 0),
        ("src/app", "lib/app/cli.py", 0),
        ("src/app/cli.py", "src/app/cli.py", 3),
        ("srv/shop/src/app", "src/app/cli.py", 3),  # with the name of the source
        ("srv/store/src/app", "src/app/cli.py", 2),
        ("shop/cli.py", "cli.py", 2),
        ("src", "src/app/src/app/cli.py", 1),
        ("x/app/app", "app/app/app/cli.py", 2),
    ],
)
def test_a_file_is_within_a_folder_by_the_rules_of_frames(
    place: str, path: str, parts: int
) -> None:
    assert NamedPlace(place).parts(path, "acme/shop") == parts


@pytest.mark.parametrize(
    ("place", "path", "fits"),
    [
        *(("src/*.ts", "src/a.ts", True), ("src/*.ts", "src/a.js", False)),
        *(("src/**", "src/app/a.py", True), ("src/**", "lib/a.py", False)),
        *(("*.py", "lib/a.py", True), ("shop/src/*.ts", "src/a.ts", True)),
        ("src/{app,lib}", "src/lib/a.py", True),
        *(("pages/[id]", "pages/[id]/a.ts", True), ("pages/[id]", "web/pages/[id]/a.ts", True)),
    ],
)
def test_a_pattern_fits_as_patterns_of_paths_do(place: str, path: str, fits: bool) -> None:
    assert (NamedPlace(place).parts(path, "acme/shop") > 0) is fits


def test_the_whole_source_may_be_the_place() -> None:
    named = NamedPlace("srv/acme/shop")
    assert named.parts("cli.py", "acme/shop") == 3
    assert named.parts("cli.py", "acme/store") == 0
    assert NamedPlace("shop").parts("cli.py", "acme/shop") == 1


def test_only_folders_are_parts_of_a_place() -> None:
    named = NamedPlace("app/Views")
    assert named.has_part("src/app/a.py")
    assert not named.has_part("src/app")
    assert not named.has_part("src/apps/Views.py")


@pytest.mark.parametrize("place", ["a/" * 23 + "a", "b/" + "a/" * 22 + "a", "a", "b/a", "a/*/b*"])
def test_a_path_of_thousands_of_folders_is_compared_in_linear_time(place: str) -> None:
    named = NamedPlace(place)
    assert grows_in_proportion(lambda size: named.parts("a/" * size + "x.py", ""), 20_000)


def test_the_first_folder_that_fits_best_ends_the_comparison(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[int]()

    def counting(ours: list[str], theirs: list[str], *rest: object) -> object:
        asked.append(len(theirs))
        return fit_of(ours, theirs, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("pincite.scope.named_place.fit_of", counting)
    assert NamedPlace("Models").parts("Models/" * 60 + "a.py", "") == 1
    assert asked == [1, 1]  # the source, and the first folder
