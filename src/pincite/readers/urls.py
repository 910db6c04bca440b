"""A source's URL rules: regular expressions over paths, and the URLs of matching documents.

RE2 matches them in time linear in the length of a path, whatever the rule. It supports neither
look-around nor back-references.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from pincite.errors import ConfigError

if TYPE_CHECKING:
    import re2

_ARROW = re.compile(r"=>|→")
_HINT = r"write it as docs/(.*)\.md=>https://example.org/\1/"
_NOT_KNOWN = "the regular expressions are those of RE2, without look-around and back-references"
_INDEX = re.compile(r"(?<=[^:/]/)(?:index|README)(?:\.html?)?/?$")
_SCHEME = re.compile(r"https?://[^/\s]")

Rules = tuple[tuple["re2._Regexp", str], ...]


@lru_cache(maxsize=64)
def compile_rules(text: str) -> Rules:
    r"""Return the rules of a text, one on each line, as (expression, template), in order.

    A rule is written `docs/(.*)\.md=>https://x/\1/`; an arrow (`→`) may be used instead of `=>`.
    Raises ConfigError for a malformed rule, and for an address that does not begin with http:// or
    https:// and a host.
    """
    rules = tuple(_compile(line.strip()) for line in text.splitlines() if line.strip())
    if not rules:
        raise ConfigError("The URL rule is empty.", hint=_HINT)
    return rules


def _compile(rule: str) -> tuple[re2._Regexp, str]:
    pattern, *others = _ARROW.split(rule, maxsplit=1)
    replacement = others[0].strip() if others else ""
    if not replacement or not pattern.strip():
        raise ConfigError(f"The URL rule {rule!r} is not in the form regex=>address.", hint=_HINT)
    if not _SCHEME.match(replacement):
        raise ConfigError(
            f"The URL rule {rule!r} does not give an address that begins with https:// and a host.",
            hint=_HINT,
        )
    import re2  # 10 ms that not every run needs

    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern.strip(), options)
    except re2.error as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        hint = f"{_NOT_KNOWN}; {_HINT}" if "(?" in pattern or "escape" in said else _HINT
        raise ConfigError(f"The URL rule {rule!r} is malformed: {said}.", hint=hint) from error
    try:
        # a template is only parsed when it is used: try it on an expression with equal groups
        names = {number: name for name, number in compiled.groupindex.items()}
        numbers = range(1, compiled.groups + 1)
        groups = "".join(f"(?P<{names[n]}>)" if n in names else "()" for n in numbers)
        re.sub(groups, replacement, "")
    except (re.error, IndexError) as error:
        raise ConfigError(f"The URL rule {rule!r} is malformed: {error}.", hint=_HINT) from error
    return compiled, replacement


def url_for(path: str, rules: str | None) -> str | None:
    """Return the URL that the first matching rule gives a document, None if none matches.

    A rule matches a whole path. A page named `index` (or `README`) has the URL of its folder.
    """
    if rules is None:
        return None
    for pattern, replacement in compile_rules(rules):
        match = pattern.fullmatch(path)
        if match is not None:
            url = quote(match.expand(replacement), safe="/:?#[]@!$&'()*+,;=%~-._")
            return _INDEX.sub("", url)
    return None
