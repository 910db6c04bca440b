"""Turn a typed question into a query."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter

import msgspec

from pincite.errors import ConfigError, UsageError
from pincite.model import Asks, Corpus, Expansion, Notice, Query, Question, TaskMode
from pincite.questions.asked import asked_of
from pincite.support.names import bare_words, code_names, undeclared
from pincite.support.ranges import require_range

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_EXPANSIONS = 3  # with the question itself, two to four queries
_SYMBOLS = 3  # the most names of a question that consists of names; guess, unmeasured
_ASKED = {"query", "identifiers"}
_CODE_LIKE = re.compile(r"_|[a-z0-9][A-Z]|[A-Za-z]\d|\.[A-Za-z_]|[A-Z]{2}[a-z]")


class PrepareConfig(msgspec.Struct, frozen=True):
    """`max_chars`: a longer query is cut to its beginning and its end, with a notice, because a
    traceback of Python ends with its message, while tracebacks of other languages begin with it.

    `mode`: the task of questions without a mode.

    `expansions`: rephrasings by the name of a collection, or `*` for all, at most three each. Their
    fields are `{query}`, `{identifiers}` and those of `Corpus` (`{corpus}`, `{docs}`, `{code}`,
    `{topics}`), empty if not set. They are searched in a second pass only; those with
    `{identifiers}` only if the question has identifiers.
    """

    max_chars: int = 10_000
    mode: TaskMode = "explain"
    expansions: Mapping[str, tuple[str, ...]] = {}

    def __post_init__(self) -> None:
        require_range(self, "prepare", "max_chars", least=1)
        for name, templates in self.expansions.items():
            if len(templates) > _EXPANSIONS:
                raise ConfigError(
                    f"prepare.expansions has {len(templates)} templates for {name!r}; the"
                    f" maximum is {_EXPANSIONS}"
                )
            for template in templates:
                _check(template)


def _check(template: str) -> None:
    try:
        fields = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
    except ValueError as error:
        raise ConfigError(f"prepare.expansions: {template!r}: {error}") from error
    if not fields <= {*_ASKED, *Corpus().words} or not fields & _ASKED:
        words = ", ".join(f"{{{name}}}" for name in Corpus().words)
        raise ConfigError(
            f"prepare.expansions: {template!r} must have {{query}} or {{identifiers}} in it,"
            f" and no other field but {words}"
        )


def prepare(question: Question, config: PrepareConfig, corpus: Corpus = Corpus()) -> Query:
    """Normalise the question: trim it, collapse white space, keep case, and find its identifiers.
    Raises UsageError if it is empty."""
    normalised = " ".join(question.text.split())
    if not normalised:
        raise UsageError(
            "the query is empty", hint='write a question, such as "how is a key rotated?"'
        )
    notices: tuple[Notice, ...] = ()
    if len(normalised) > config.max_chars:
        notices = (
            Notice(
                "query_cut",
                f"the query has {len(normalised):,} characters; only its beginning and its end"
                f" were used, {config.max_chars:,} at most: ask for the important part alone",
            ),
        )
        normalised = _without_middle(question.text, config.max_chars)
    words = dict.fromkeys(_WORD.findall(normalised))
    identifiers = tuple(w for w in words if _CODE_LIKE.search(w))
    expansions = _expand(normalised, identifiers, config.expansions, corpus)
    symbols = code_names(normalised)
    asks = _asks(normalised, symbols)
    mode = question.mode or config.mode
    return Query(
        normalised,
        identifiers,
        notices,
        mode,
        expansions,
        corpus,
        symbols,
        asks,
        asked=asked_of(normalised),
    )


def _without_middle(text: str, most: int) -> str:
    """Return the beginning and the end of a longer text, up to `most` characters together, white
    space collapsed. It is cut at ends of lines, within a long line between words."""
    joined = "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
    head = (most + 1) // 2
    tail = max(0, most - head - 1)
    first, last = joined[: head + 1], joined[len(joined) - tail - 1 :]
    begin = next((at for sign in "\n " if (at := first.rfind(sign, head // 2)) >= 0), head)
    end = next((at for sign in "\n " if (at := last.find(sign, 0, tail // 2 + 1)) >= 0), 0) + 1
    return f"{first[:begin]} {last[end:]}".replace("\n", " ").strip()


def _asks(text: str, symbols: tuple[str, ...]) -> Asks:
    """Return the shape of the question, which all stages use."""
    words = bare_words(undeclared(text))
    if words and len(words) <= _SYMBOLS and all(word in symbols for word in words):
        return "symbol"
    return "mixed" if symbols else "prose"


def _expand(
    text: str,
    identifiers: tuple[str, ...],
    templates: Mapping[str, tuple[str, ...]],
    corpus: Corpus,
) -> tuple[Expansion, ...]:
    names = " ".join(identifiers)
    words = {"query": text, "identifiers": names, **corpus.words}
    return tuple(
        Expansion(" ".join(template.format(**words).split()), "" if name == "*" else name)
        for name, of_one in templates.items()
        for template in of_one
        if names or "{identifiers}" not in template
    )
