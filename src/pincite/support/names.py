"""Names as programs write them, found in a text."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z_$@][\w$]*(?:(?:\.|::?|#|->|/)[\w$]+)*[!?]?")
_LIKE_CODE = re.compile(r"_|\$|[a-z0-9][A-Z]|[A-Za-z]\d|[.:#/]|->|[A-Z]{2}[a-z]")
_BETWEEN = re.compile(r"[.:#>/]+")
_AROUND = "`'\"()[]{}<>,;.:?!"


def written_names(text: str) -> list[str]:
    """All words of the text that may be names, with their paths (`a.b`, `A::b`), in order."""
    return [name.rstrip(".:") for name in _NAME.findall(text)]


def code_names(text: str) -> tuple[str, ...]:
    """Those that are written like code, each once: with an underscore, a capital or digit inside,
    or a path; with a capital that begins no sentence; and the name that is the whole text. A name
    that ends in a mark is given without it, too: `save!` is one, and `what is Flask?` ends in one.
    """
    alone = len(text.split()) == 1
    names: dict[str, None] = {}
    for place, name in enumerate(written_names(text)):
        if alone or _LIKE_CODE.search(name) or (place > 0 and name[:1].isupper()):
            names |= dict.fromkeys((name, name.rstrip("!?")))
    return tuple(names)


def bare_words(text: str) -> list[str]:
    """The words of a text without the marks around them: `` `Router.get()`? `` is `Router.get`."""
    return [bare for word in text.split() if (bare := word.strip(_AROUND))]


def last_component(name: str) -> str:
    """`send` of `Response.send`, `A::send` and `a/b.send`."""
    return _BETWEEN.split(name)[-1]
