"""The known clients: the files and formats for their servers and rules.

`docs/agents-setup.md` links the documentation of the vendors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Where: TypeAlias = Literal["user", "project"]
Environment: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of the user and of the project, the environment, and the platform."""

    home: Path
    project: Path
    environ: Environment
    platform: str = sys.platform

    def settings_folder(self, name: str) -> Path:
        """Return the settings folder of a desktop program with this name on this platform."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support" / name
        if self.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming") / name
        return self.xdg() / name

    def xdg(self) -> Path:
        """Return `~/.config`, or the folder in XDG_CONFIG_HOME."""
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True, slots=True)
class Rules:
    """A file with rules for an agent. With a `header`, the whole file is ours."""

    path: Path
    header: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """An agent's client. `root` is the key of its servers, `extra` are the fields of an entry
    besides the command. `finds_index`: it starts servers in the current folder, so that they find
    the index. `project` is the variable that it replaces by the folder of the project in arguments,
    "" for none."""

    name: str
    title: str
    root: str
    file: Callable[[Places, Where], Path | None]
    folder: Callable[[Places], Path]
    rules: Callable[[Places, Where], Rules | None]
    restart: str
    toml: bool = False
    extra: Mapping[str, object] = field(default_factory=dict)
    finds_index: bool = False
    project: str = ""


_WHEN = (
    "Find passages of this project's documentation and source code, cited by exact lines, and"
    " check citations. Use when a question is about how the project or one of its indexed libraries"
    " works, and before writing code against them."
)
_SKILL = f"---\nname: pincite\ndescription: {_WHEN}\n---\n\n"
_CURSOR = f"---\ndescription: {_WHEN}\nalwaysApply: false\n---\n\n"
_COPILOT = f'---\ndescription: {_WHEN}\napplyTo: "**"\n---\n\n'
#: Zed reads the first of these files that exists.
_ZED_RULES = (
    *(".rules", ".cursorrules", ".windsurfrules", ".clinerules"),
    *(".github/copilot-instructions.md", "AGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"),
)


def _claude_folder(places: Places) -> Path:
    return Path(places.environ.get("CLAUDE_CONFIG_DIR") or places.home / ".claude")


def _claude_file(places: Places, where: Where) -> Path:
    if where == "project":
        return places.project / ".mcp.json"
    moved = places.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(moved) if moved else places.home) / ".claude.json"


def _claude_rules(places: Places, where: Where) -> Rules:
    folder = places.project / ".claude" if where == "project" else _claude_folder(places)
    return Rules(folder / "skills" / "pincite" / "SKILL.md", _SKILL)


def _codex_folder(places: Places) -> Path:
    return Path(places.environ.get("CODEX_HOME") or places.home / ".codex")


def _codex_file(places: Places, where: Where) -> Path:
    folder = places.project / ".codex" if where == "project" else _codex_folder(places)
    return folder / "config.toml"


def _codex_rules(places: Places, where: Where) -> Rules:
    folder = places.project if where == "project" else _codex_folder(places)
    instead = folder / "AGENTS.override.md"  # Codex reads it instead of AGENTS.md
    return Rules(instead if instead.is_file() else folder / "AGENTS.md")


def _gemini_rules(places: Places, where: Where) -> Rules:
    return Rules((places.project if where == "project" else places.home / ".gemini") / "GEMINI.md")


def _cursor_rules(places: Places, where: Where) -> Rules | None:
    if where == "user":
        return None
    return Rules(places.project / ".cursor" / "rules" / "pincite.mdc", _CURSOR)


def _vscode_rules(places: Places, where: Where) -> Rules | None:
    if where == "user":
        return None
    path = places.project / ".github" / "instructions" / "pincite.instructions.md"
    return Rules(path, _COPILOT)


def _vscode_file(places: Places, where: Where) -> Path:
    if where == "project":
        return places.project / ".vscode" / "mcp.json"
    return places.settings_folder("Code") / "User" / "mcp.json"


def _zed_folder(places: Places) -> Path:
    if places.platform == "win32":
        return places.settings_folder("Zed")
    return (places.xdg() if places.platform != "darwin" else places.home / ".config") / "zed"


def _zed_file(places: Places, where: Where) -> Path:
    folder = places.project / ".zed" if where == "project" else _zed_folder(places)
    return folder / "settings.json"


def _zed_rules(places: Places, where: Where) -> Rules:
    if where == "user":
        return Rules(_zed_folder(places) / "AGENTS.md")
    there = (one for one in _ZED_RULES if (places.project / one).is_file())
    return Rules(places.project / next(there, "AGENTS.md"))


def _desktop_file(places: Places, where: Where) -> Path | None:
    folder = places.settings_folder("Claude")
    return folder / "claude_desktop_config.json" if where == "user" else None


def _in(name: str, file: str) -> Callable[[Places, Where], Path]:
    """Return a function to the path of a file in a folder of this name, for user and project."""

    def path(places: Places, where: Where) -> Path:
        return (places.project if where == "project" else places.home) / name / file

    return path


_STDIO = {"type": "stdio"}
CLIENTS = {
    one.name: one
    for one in (
        Client(
            *("claude-code", "Claude Code", "mcpServers", _claude_file, _claude_folder),
            _claude_rules,
            "start `claude` again, and see `/mcp`",
            extra=_STDIO,
            finds_index=True,
        ),
        Client(
            *("claude-desktop", "Claude Desktop", "mcpServers", _desktop_file),
            lambda places: places.settings_folder("Claude"),
            lambda _, __: None,
            "quit Claude Desktop and start it again",
        ),
        Client(
            *("cursor", "Cursor", "mcpServers", _in(".cursor", "mcp.json")),
            lambda places: places.home / ".cursor",
            _cursor_rules,
            "switch it on in Cursor's settings, under MCP",
            project="${workspaceFolder}",
        ),
        Client(
            *("vscode", "VS Code", "servers", _vscode_file),
            lambda places: places.settings_folder("Code") / "User",
            _vscode_rules,
            "start it with the command `MCP: List Servers`",
            extra=_STDIO,
            project="${workspaceFolder}",
        ),
        Client(
            *("codex", "Codex", "mcp_servers", _codex_file, _codex_folder, _codex_rules),
            "start `codex` again, and see `/mcp`",
            toml=True,
            finds_index=True,
        ),
        Client(
            *("gemini", "Gemini CLI", "mcpServers", _in(".gemini", "settings.json")),
            lambda places: places.home / ".gemini",
            _gemini_rules,
            "start `gemini` again, and see `/mcp`",
            finds_index=True,
        ),
        Client(
            *("zed", "Zed", "context_servers", _zed_file, _zed_folder, _zed_rules),
            "see Zed's agent panel, under settings",
            extra={"source": "custom"},
        ),
    )
}
