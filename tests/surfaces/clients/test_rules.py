"""Rules for agents are written where a client reads them, and go again."""

from __future__ import annotations

import pytest

from pincite.errors import UsageError
from pincite.surfaces.clients.install import (
    apply,
    install_rules,
    uninstall_rules,
)
from pincite.surfaces.clients.known import CLIENTS, Where
from tests.surfaces.clients.home import Home

RULE_FILES: dict[tuple[str, Where], str] = {
    ("claude-code", "project"): "proj/.claude/skills/pincite/SKILL.md",
    ("claude-code", "user"): ".claude/skills/pincite/SKILL.md",
    ("cursor", "project"): "proj/.cursor/rules/pincite.mdc",
    ("vscode", "project"): "proj/.github/instructions/pincite.instructions.md",
    ("codex", "project"): "proj/AGENTS.md",
    ("codex", "user"): ".codex/AGENTS.md",
    ("gemini", "project"): "proj/GEMINI.md",
    ("gemini", "user"): ".gemini/GEMINI.md",
    ("zed", "project"): "proj/AGENTS.md",
    ("zed", "user"): ".config/zed/AGENTS.md",
}


@pytest.mark.parametrize(("name", "where"), RULE_FILES)
def test_rules_are_written_where_the_client_reads_them_and_go_again(
    home: Home, name: str, where: Where
) -> None:
    path = home.places.home / RULE_FILES[name, where]
    change = install_rules(CLIENTS[name], home.places, where)
    assert change is not None
    apply(change)
    text = path.read_text()
    assert "Search before you answer" in text
    assert (
        text.startswith("---\n") == path.suffix.startswith((".mdc",))
        or "skills" in str(path)
        or "instructions" in str(path)
    )
    again = install_rules(CLIENTS[name], home.places, where)
    assert again is not None
    assert not again.is_one
    removed = uninstall_rules(CLIENTS[name], home.places, where)
    assert removed is not None
    apply(removed)
    assert not path.exists()
    assert uninstall_rules(CLIENTS[name], home.places, where) is None


@pytest.mark.parametrize(
    "text", ["# Ours\n", "# Ours", "# Ours\n\n", "# Ours\r\n\r\nBe nice.\r\n", "\n", "x\n\n\n\n"]
)
def test_rules_of_others_stay_byte_for_byte(home: Home, text: str) -> None:
    path = home.places.project / "AGENTS.md"
    path.write_bytes(text.encode())
    for _ in range(2):
        change = install_rules(CLIENTS["codex"], home.places, "project")
        assert change is not None
        apply(change)
    raw = path.read_bytes()
    assert raw.startswith(text.encode())
    assert raw.count(b"pincite:begin") == 1
    removed = uninstall_rules(CLIENTS["codex"], home.places, "project")
    assert removed is not None
    apply(removed)
    assert path.read_bytes() == text.encode()


def test_what_is_written_behind_our_rules_stays(home: Home) -> None:
    path = home.places.project / "GEMINI.md"
    for text in ("", "# Ours\n"):
        path.write_text(text)
        change = install_rules(CLIENTS["gemini"], home.places, "project")
        assert change is not None
        apply(change)
        path.write_text(f"{path.read_text()}# More\n")
        removed = uninstall_rules(CLIENTS["gemini"], home.places, "project")
        assert removed is not None
        apply(removed)
        assert path.read_text() == f"{text}# More\n"


def test_a_rules_file_that_is_not_ours_is_not_written_to(home: Home) -> None:
    path = home.places.project / ".cursor" / "rules" / "pincite.mdc"
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match="exists and was not written by Pincite"):
        install_rules(CLIENTS["cursor"], home.places, "project")
    assert install_rules(CLIENTS["cursor"], home.places, "user") is None
    assert install_rules(CLIENTS["claude-desktop"], home.places, "user") is None
