"""A `.pinciteignore` includes files that git ignores only if a person has trusted it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.sources.ignore_files import how_to_trust
from pincite.support.trusted_files import digest_of_text, remember_trust, trust_file
from tests.sources.helpers import git, listed, opened, plant, skipped


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of somebody, on a machine where nothing is trusted yet."""
    monkeypatch.delenv("PINCITE_TRUST")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "check out"
    plant(root, {"a.md": "x", "secrets.json": "x", "keys/a.md": "x", "sub/keys/b.md": "x"})
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.json\nkeys/\n")
    return root


def trust(place: Path) -> None:
    remember_trust(place, digest_of_text(place.read_bytes()))


@pytest.mark.parametrize("lines", ["!secrets.json\n!keys/", "!*", "!*\n!*/"])
def test_what_git_ignores_stays_out_without_trust(checkout: Path, lines: str) -> None:
    place = checkout / ".pinciteignore"
    place.write_text(f"{lines}\n")
    with opened(checkout) as source:
        assert listed(source) == ["a.md"]
        left = skipped(source)
        assert left == dict.fromkeys(("keys/", "secrets.json", "sub/keys/"), "untrusted")
        assert source.find("secrets.json") is None
    trust(place)
    with opened(checkout) as source:
        assert listed(source) == ["a.md", "keys/a.md", "secrets.json", "sub/keys/b.md"]
    place.write_text(f"{lines}\n\n")
    with opened(checkout) as source:
        assert listed(source) == ["a.md"]


def test_info_exclude_and_rules_above_a_part_are_kept_as_well(checkout: Path) -> None:
    plant(checkout, {"sub/local.md": "x", "sub/own.md": "x", "sub/.pinciteignore": "!*\n"})
    (checkout / ".git/info/exclude").write_text("local.md\n")
    with opened(checkout / "sub") as source:
        assert listed(source) == ["sub/own.md"]
    trust(checkout / "sub/.pinciteignore")
    with opened(checkout / "sub") as source:
        assert listed(source) == ["sub/keys/b.md", "sub/local.md", "sub/own.md"]


def test_its_other_lines_apply_at_once(checkout: Path) -> None:
    plant(checkout, {"b.md": "x", ".pinciteignore": "*.md\n!a.md\n!*.json\n"})
    with opened(checkout) as source:
        assert listed(source) == ["a.md"]
        assert skipped(source)["b.md"] == "ignored"


def test_trust_of_one_file_is_none_for_another(checkout: Path) -> None:
    plant(checkout, {".pinciteignore": "!*.json\n", "sub/.pinciteignore": "!keys/\n"})
    trust(checkout / ".pinciteignore")
    with opened(checkout) as source:
        assert listed(source) == ["a.md", "secrets.json"]


def test_a_damaged_list_trusts_nothing_and_the_variable_everything(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / ".pinciteignore").write_text("!*.json\n")
    trust(checkout / ".pinciteignore")
    trust_file().write_text("{")
    with opened(checkout) as source:
        assert listed(source) == ["a.md"]
    monkeypatch.setenv("PINCITE_TRUST", "1")
    with opened(checkout) as source:
        assert listed(source) == ["a.md", "secrets.json"]


def test_the_line_names_the_command(checkout: Path) -> None:
    assert how_to_trust(["ignored: a", "untrusted: b (pincite trust '/a b/.pinciteignore')"]) == (
        "git ignores the untrusted files, and a .pinciteignore includes them; to index them, read"
        " it, then: pincite trust '/a b/.pinciteignore'"
    )
    assert how_to_trust(["ignored: a"]) == ""
