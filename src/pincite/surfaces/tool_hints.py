"""What messages and hints say to a shell, said to a model that has tools instead.

Errors and notices are written once, for people at a shell. Here, and nowhere else, they are put
into the words of an agent: what one of its tools does is said as a call of that tool; what only a
shell can do is for the user to run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pincite.errors import PinciteError


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The tools that an agent has, empty for one that it has not."""

    search: str = "search_evidence"
    read: str = "read_lines"
    verify: str = "verify_citations"
    status: str = "index_status"
    refresh: str = ""


#: Those of the MCP server.
TOOLS: Final = ToolNames(refresh="refresh")

#: A command with what may stand before it: in backticks, or where a hint begins or goes on.
_WORDS = r"""(?:\ (?!(?:or|and|to|once|while|it|is)\b)(?:"[^"]*"|'[^']*'|[^\s`;,"']+))*"""
_COMMAND = re.compile(
    rf"""(?:\b(?:the\ user\ can\ run|then\ run|run|see)\ )?`pincite\ (?P<quoted>[a-z]+[^`]*)`
    |(?:\A|(?<=:\ )|(?<=\bor\ )|(?<=,\ )|\brun:?\ |\bthen:\ )pincite\ (?P<bare>[a-z]+{_WORDS})""",
    re.VERBOSE,
)
#: Options, by the arguments that they are of a tool.
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
_OPTION = re.compile(rf"(?<![\w-])({'|'.join(_OPTIONS)}|-c)(?![\w-])")


def for_tools(text: str, tools: ToolNames = TOOLS) -> str:
    """A message or a hint for a model: commands as calls of its tools where one does the same, else
    as what the user can run; options as arguments."""
    pieces, at = [], 0
    for found in _COMMAND.finditer(text):
        pieces += [_arguments(text[at : found.start()]), _call(found, tools)]
        at = found.end()
    return "".join([*pieces, _arguments(text[at:])])


def error_text(error: PinciteError, tools: ToolNames = TOOLS) -> str:
    """An error for a model, with what to do next where it says so."""
    said = for_tools(error.message, tools)
    return f"{said}\n  try: {for_tools(error.hint, tools)}" if error.hint else said


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
        "collections": "" if rest else tools.status,
        "index": "" if rest else tools.refresh,
    }.get(verb, "")
    if not call:
        return f"ask the user to run `pincite {command}`"
    return f'call {call} with locator "{rest}"' if verb == "get" and rest else f"call {call}"
