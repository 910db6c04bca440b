"""Absolute paths of Windows, as texts: what `pathlib` says of them there, said on any system."""

from __future__ import annotations

from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.support.drives import below, has_drive, of_address, slashed

NAMES = st.lists(st.sampled_from(["Docs", "a.md", "CON", "nul.txt", "x y", "ä"]), max_size=4)
DRIVES = st.sampled_from(["C:\\", "d:/", "\\\\server\\share\\"])


@given(DRIVES, NAMES, NAMES)
def test_what_is_below_a_folder_is_found_whatever_its_slashes_and_capitals(
    drive: str, folder: list[str], rest: list[str]
) -> None:
    root = drive + "\\".join(folder)
    typed = root.swapcase()
    path = "/".join([typed.rstrip("/\\"), *rest]) if rest else typed
    found = below(path, root)
    assert found == "/".join(rest)
    assert (root[:1] == "\\") or PureWindowsPath(path).is_relative_to(PureWindowsPath(root))


@given(DRIVES, NAMES)
def test_what_has_a_drive_is_absolute_and_keeps_its_meaning_with_slashes(
    drive: str, names: list[str]
) -> None:
    path = drive + "\\".join(names)
    assert has_drive(path)
    assert PureWindowsPath(path).is_absolute()
    assert "\\" not in slashed(path)
    assert PureWindowsPath(slashed(path)) == PureWindowsPath(path)


@pytest.mark.parametrize(
    "path", ["", "C", "C:", "C:a", "a\\b", "/home/me", "shop:src", "\\a", "1:/a"]
)
def test_other_paths_stay_as_they_are(path: str) -> None:
    assert not has_drive(path)
    assert slashed(path) == path


def test_a_path_beside_a_folder_is_not_below_it() -> None:
    assert below("C:\\docs2\\a", "C:\\docs") is None
    assert below("D:\\docs\\a", "C:\\docs") is None
    assert below("C:\\docs\\..\\keys", "C:\\docs") is None
    assert below("C:\\docs\\", "c:/DOCS") == ""


def test_addresses_of_files_have_a_slash_before_the_drive() -> None:
    assert of_address("/C:/docs/a.md") == "C:/docs/a.md"
    assert of_address("/home/C:/a") == "/home/C:/a"
