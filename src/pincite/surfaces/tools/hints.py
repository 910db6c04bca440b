"""Translate messages and hints that are written for a shell, for agents that call tools.

Errors and notices are written once, for people at a shell. Only this module translates them for
agents: a command with an equivalent tool becomes a call of that tool. The agent is told to ask the
user to run other commands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from pincite.errors import PinciteError


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The names of an agent's tools, "" for one that is missing. `tags` is how the search tool
    takes tags: as an object, as texts `NAME=VALUE`, or only as part of its filter."""

    search: str = "search_evidence"
    read: str = "read_lines"
    verify: str = "verify_citations"
    status: str = "index_status"
    refresh: str = ""
    tags: Literal["object", "texts", "filter"] = "object"


#: The tools of the MCP server.
TOOLS: Final = ToolNames(refresh="refresh")

#: A command in a text: in backticks, or without them at the start of a hint or of a part of it.
_WORDS = r"""(?:\ (?!(?:or|and|to|once|while|it|is)\b)(?:"[^"]*"|'[^']*'|[^\s`;,"']+))*"""
_COMMAND = re.compile(
    rf"""(?:\b(?:the\ user\ can\ run|then\ run|run|see)\ )?`pincite\ (?P<quoted>[a-z]+[^`]*)`
    |(?:\A|(?<=:\ )|(?<=\bor\ )|(?<=,\ )|\brun:?\ |\bthen:\ )pincite\ (?P<bare>[a-z]+{_WORDS})""",
    re.VERBOSE,
)
#: Option of a command -> the equivalent argument of a tool.
_OPTIONS: Final = {
    "--collection": "collections",
    "--not-path": "not_paths",
    "--source": "sources",
    "--where": "where",
    "--limit": "limit",
    "--path": "paths",
    "--kind": "kinds",
    "--tag": "tags",
    "--ref": "ref",
}
#: Missing tags, in the words of `pincite.scope.required` for a shell and for programs.
_TAGS = re.compile(r"(?P<options>--tag \w+=\.\.\.(?: --tag \w+=\.\.\.)*), or tags=\{[^}]*\}")
_OPTION = re.compile(rf"(?<![\w-])({'|'.join(_OPTIONS)}|-c)(?![\w-])")


def for_tools(text: str, tools: ToolNames = TOOLS) -> str:
    """Return a message or a hint for a model. A command becomes a call of the equivalent tool, or a
    request to ask the user if there is none. Options become arguments."""
    text = _TAGS.sub(lambda found: _tags(found["options"], tools), text)
    pieces, at = [], 0
    for found in _COMMAND.finditer(text):
        pieces += [_arguments(text[at : found.start()]), _call(found, tools)]
        at = found.end()
    return "".join([*pieces, _arguments(text[at:])])


def error_text(error: PinciteError) -> str:
    """Return an error as text for a model, with its hint if it has one."""
    said = for_tools(error.message)
    return f"{said}\n  try: {for_tools(error.hint)}" if error.hint else said


def _tags(options: str, tools: ToolNames) -> str:
    names = re.findall(r"--tag (\w+)=", options)
    match tools.tags:
        case "texts":
            given = ", ".join(f'"{name}=..."' for name in names)
            return f"tags=[{given}]"
        case "filter":
            given = " and ".join(f"{name} = ..." for name in names)
            return f'where="{given}"'
        case _:
            given = ", ".join(f'"{name}": ...' for name in names)
            return f"tags={{{given}}}"


def _arguments(text: str) -> str:
    return _OPTION.sub(lambda found: _OPTIONS.get(found[1], "collections"), text)


def _call(found: re.Match[str], tools: ToolNames) -> str:
    command = (found["quoted"] or found["bare"]).strip()
    verb, _, rest = command.partition(" ")
    call = {
        "search": tools.search,
        "evidence": tools.search,
        "get": tools.read,
        "verify": tools.verify,
        "status": tools.status,
        "ls": "" if rest else tools.search,  # the status tool names no files
        "collections": "" if rest else tools.status,
        "index": "" if rest else tools.refresh,
    }.get(verb, "")
    if not call:
        return f"ask the user to run `pincite {command}`"
    return f'call {call} with locator "{rest}"' if verb == "get" and rest else f"call {call}"
