"""A file may name a folder of prompts beside it, and none elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.settings.load import load_settings


def load(folder: Path, prompts: str) -> str:
    (folder / "pincite.toml").write_text(f'[answer]\nprompts = "{prompts}"\n')
    return load_settings({}, folder).profile.answer.prompts


def test_a_folder_counts_from_the_file_that_names_it(tmp_path: Path) -> None:
    assert load(tmp_path, "prompts") == str(tmp_path / "prompts")
    assert load(tmp_path, "") == ""


@pytest.mark.parametrize("prompts", ["../elsewhere", "/etc", "~/.ssh", "link", "a/../../b"])
def test_a_folder_outside_of_that_of_the_file_is_refused(tmp_path: Path, prompts: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match=r"answer\.prompts = .* is outside of"):
        load(folder, prompts)
