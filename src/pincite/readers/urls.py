"""A source's URL rule: a regular expression over paths and what their address is."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

from pincite.errors import ConfigError

ARROW = "=>"


@lru_cache(maxsize=64)
def compile_rule(rule: str) -> tuple[re.Pattern[str], str]:
    """`docs/(.*)\\.md=>https://x/\\1/` to its two halves. Raises ConfigError."""
    pattern, arrow, replacement = rule.partition(ARROW)
    hint = r"write it like docs/(.*)\.md=>https://example.org/\1/"
    if not arrow or not pattern.strip() or not replacement.strip():
        raise ConfigError(f"The URL rule {rule!r} is not of the form regex=>address.", hint=hint)
    try:
        compiled = re.compile(pattern.strip())
        # a template is only parsed when it is used: try it on an expression with equal groups
        groups = "".join(
            f"(?P<{name}>)" if (name := _name_of(compiled, number)) else "()"
            for number in range(1, compiled.groups + 1)
        )
        re.sub(groups, replacement.strip(), "")
    except (re.error, IndexError) as error:
        raise ConfigError(f"The URL rule {rule!r} is malformed: {error}.", hint=hint) from error
    return compiled, replacement.strip()


def url_for(path: str, rule: str | None) -> str | None:
    """The address of a document, or None where the rule says nothing about its path.

    A page called `index` (or `README`) is the address of its folder.
    """
    if rule is None:
        return None
    pattern, replacement = compile_rule(rule)
    match = pattern.fullmatch(path)
    if match is None:
        return None
    url = quote(match.expand(replacement), safe="/:?#[]@!$&'()*+,;=%~-._")
    return re.sub(r"(?<=[^:/]/)(?:index|README)(?:\.html?)?/?$", "", url)


def _name_of(pattern: re.Pattern[str], number: int) -> str | None:
    return next((name for name, index in pattern.groupindex.items() if index == number), None)
