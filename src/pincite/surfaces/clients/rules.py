"""Rules about Pincite for agents, between two marks in their file of rules."""

from __future__ import annotations

import re

from pincite.surfaces.clients.jsonc import newline_of
from pincite.surfaces.clients.known import Rules

RULES = """\
## Finding evidence with Pincite

The tools of the MCP server `pincite` search what is indexed of this project, documentation and
source code alike.

- Search before you answer a question about how something works, before you write code against a
  library that is indexed, and when you know what something does and not where it is. For an exact
  name that you know, `grep` is enough.
- Ask with the exact names of functions, options and errors. Narrow with `paths`, `kinds` or
  `sources`.
- Cite what you use by its citation, as it is printed: `source@revision:path#L12-L20`. Read more
  lines where a passage is not enough.
- Where the answer says that nothing relevant was found, say so; do not answer from memory as if it
  had been found.
- Check citations before you hand over an answer that quotes them.
"""
_BLOCK = re.compile(
    r"(?P<before>(?:\r?\n){0,2})<!-- pincite:begin (?P<joined>[0-2]) -->\r?\n"
    r"(?:(?!<!-- pincite:begin).)*?<!-- pincite:end -->(?:\r?\n)?",
    re.DOTALL,
)


def with_rules(text: str, rules: Rules) -> str:
    """Return the text with our rules, which replace earlier ones. The opening mark has the number
    of line breaks that were added before it."""
    newline = newline_of(text)
    if found := _BLOCK.search(text):
        joined = found["joined"]
        block = found["before"] + _block(joined, newline)
        return text[: found.start()] + block + text[found.end() :]
    if not text:
        return rules.header + _block("0", "\n")
    joined = "1" if text.endswith("\n") else "2"
    return text + newline * int(joined) + _block(joined, newline)


def without_rules(text: str, rules: Rules) -> str:
    """Return the text without our rules, "" if only our header remains."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    before = re.findall(r"\r?\n", found["before"])
    kept = "".join(before[: max(0, len(before) - int(found["joined"]))])
    left = text[: found.start()] + kept + text[found.end() :]
    ours_alone = found["joined"] == "0" and left.strip() == rules.header.strip()
    return "" if ours_alone else left


def _block(joined: str, newline: str) -> str:
    text = f"<!-- pincite:begin {joined} -->\n{RULES}<!-- pincite:end -->\n"
    return text.replace("\n", newline)
