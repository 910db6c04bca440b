"""Read the heads of classes and of what resembles them in other languages, without a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pincite.support.names import last_component

_LONGEST: Final = 1_000  # characters of a head; guess: no head is longer
_MOST: Final = 200  # heads of a passage; guess: passages of a few kB have fewer
_MOST_READ: Final = 10_000  # characters of all heads of a passage and of the types they embed
_BODY: Final = 4_000  # characters of a struct that may embed others; guess, most are shorter
_HEAD: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:[@#]?\[[^\]\n]{0,200}\]|@[\w.:]+(?:\([^()\n]*\))?"
    r"|[a-z-]+(?:\([\w :]*\))?)[ \t]+){0,8}?"
    r"(?P<word>@?(?:class|interface|struct|trait|enum|record|protocol|extension|actor|mixin"
    r"|contract|library|impl|instance|defimpl|type|object|implementation|module|role))"
    r"(?:[ \t]+(?:class|struct|object|interface))?(?=[\s<])"
    r"|(?:=|\breturn|\(|\bnew)[ \t]*(?P<inner>class|object)(?=[ \t]*[:{]|[ \t]+\w)",
    re.MULTILINE,
)
_NAME: Final = re.compile(r"[ \t]*(?P<name>(?!extends\b|implements\b)[\w$.:\\']*[\w$'])?")
_WORD: Final = re.compile(r"[\w$.\\:]*[\w$]")
_GENERIC: Final = re.compile(r"(?<![-=])<[^<>]*>")
_ROUND: Final = re.compile(r"\([^()]*\)")
_SQUARE: Final = re.compile(r"\[[^\[\]]*\]")
_EXTENDS: Final = re.compile(r"\b(?:extends|implements|with|inherits|mixes|isa|does|is)\b", re.I)
_WHERE: Final = re.compile(r"\s(?:where|requires|permits)\s")
_IMPL: Final = re.compile(
    r"\s*!?(?P<base>[\w:]+)\s+for\s+(?:&?(?:'\w+|mut|dyn)\s+)*(?P<name>[\w:]+)"
)
_INSTANCE: Final = re.compile(r"(?:.*=>)?\s*(?P<base>[A-Z][\w.']*)\s+\(?(?P<name>[\w.']+)", re.S)
_DEFIMPL: Final = re.compile(r"\s*(?P<base>[\w.]+)\s*,\s*for:\s*(?P<name>[\w.]+)?")
_NO_BASE: Final = frozenset(
    "public private protected virtual internal open extends implements with inherits by class final"
    " override does isa is".split()
)
_DELEGATED: Final = re.compile(r"\bby\b[^,]*")
#: A head goes on behind a line that ends like this, or before one that begins like this.
_GOES_ON: Final = (",", ":", "(", "<", "&", "|", "=", "extends", "implements", "with")
_BEGINS: Final = (
    *("extends ", "implements ", "with ", "where "),
    *(":", ",", ">", "<", "{", "&", "|", "#"),
)
#: What may end a head. Blank lines are one sign with the end of the line before them.
_SIGN: Final = re.compile(r"[()\[\]{};:]|(?<![^\S\n])[^\S\n]*+\n\s*+")
BASES_IN_PARENTHESES: Final = frozenset(("python", "starlark", ""))
#: Heirs without a head of their own: assertions of Go, members of Ruby, Elixir and Perl.
_ASSERTED: Final = re.compile(
    r"^[ \t]*var[ \t]+_[ \t]+(?P<base>[\w./]+)(?:\[[^\]\n]*\])?[ \t]*=[ \t]*"
    r"(?:new\(|\(\*|&)?(?P<name>[\w.]+)",
    re.MULTILINE,
)
_MEMBER: Final = re.compile(
    r"^[ \t]*(?:include|prepend|extend|@behaviour|use[ \t]+(?:parent|base)\b[^;\n]{0,40}?"
    r"|extends|with)[ \t]+[(\[]?['\"]?(?P<base>[A-Z][\w:.]*)",
    re.MULTILINE,
)
MEMBERS_OF: Final = frozenset(("ruby", "elixir", "perl"))
_EMBEDDED: Final = re.compile(r"^[ \t]+\*?(?:\w+\.)?(?P<base>[A-Z]\w*)[ \t]*(?:`[^`\n]*`)?$", re.M)
_DERIVED: Final = re.compile(r"#\[derive\((?P<bases>[^()]*)\)\]")


class Head(NamedTuple):
    """The head of a class: its `name`, "" for a class without one, and its `bases`, all as last
    components; the columns of its `indent`, and the position of its `start` in the text.
    `abstract`: it is an interface, a trait or a protocol, or calls itself abstract."""

    name: str
    bases: frozenset[str]
    indent: int
    start: int
    abstract: bool


def heads_of(text: str, language: str) -> list[Head]:
    """Return the heads of the classes in a text, in their order. Interfaces, traits, protocols,
    `impl` of Rust, instances of Haskell, and `var _ Base = ` of Go are heads, too. What is written
    in comments or strings at the beginning of a line is taken for code. At most 200 are read, and
    10,000 characters of them."""
    found = list(_written(text, language))
    if language == "go":
        found += [_declared(one, one["name"]) for one in _ASSERTED.finditer(text)]
    elif language in MEMBERS_OF:
        found += [_declared(one, "") for one in _MEMBER.finditer(text)]
    elif language == "rust":
        for one in _DERIVED.finditer(text):
            bases = frozenset(map(last_component, _WORD.findall(one["bases"])))
            found.append(Head("", bases, 0, one.start(), abstract=False))
    return sorted(found[:_MOST], key=lambda head: head.start)


def _declared(found: re.Match[str], name: str) -> Head:
    bases = frozenset((last_component(found["base"]),))
    return Head(last_component(name), bases, 0, found.start(), abstract=False)


def _written(text: str, language: str) -> Iterator[Head]:
    left, at, number = _MOST_READ, 0, 0
    while left > 0 and number < _MOST and (found := _HEAD.search(text, at)):
        at = found.end()
        word = (found["word"] or found["inner"]).lstrip("@")
        if word == "module" and language != "ruby":
            continue
        number += 1
        end, is_whole = _end(text, at, min(at + min(_LONGEST, left), len(text)), language)
        rest = text[at:end]
        left -= len(rest)
        at = end if is_whole else at  # the brackets of another one may hold the next head
        name, listed = _parts(word, rest, language)
        bases = frozenset(filter(None, map(last_component, listed)))
        if language == "go" and word == "type":
            embedded, size = _embedded(text, end, min(_BODY, left))
            bases |= embedded
            left -= size
        declared = text[found.start() : found.end()]
        abstract = word in ("interface", "trait", "protocol", "role") or (
            "abstract" in declared
            or bool(bases & {"ABC", "Protocol", "ABCMeta"})
            or (language == "go" and "interface" in rest)
        )
        yield Head(last_component(name), bases, len(found["indent"] or ""), found.start(), abstract)


def _embedded(text: str, start: int, most: int) -> tuple[frozenset[str], int]:
    """Return the types that a struct or interface of Go embeds, and the characters that were read,
    at most `most`."""
    end = text.find("\n}", start, start + most)
    body = text[start : min(end if end >= 0 else len(text), start + most)]
    return frozenset(one["base"] for one in _EMBEDDED.finditer(body)), len(body)


def _end(text: str, start: int, most: int, language: str) -> tuple[int, bool]:
    """Return where the head whose word ends at `start` ends itself: at the body of its class, or at
    the end of a line that does not go on. Return `most` and False if it has no end before that."""
    depth = 0
    for found in _SIGN.finditer(text, start, most):
        place, sign = found.start(), found[0]
        if sign in "([":
            depth += 1
        elif sign in ")]":
            depth -= 1
            if depth < 0:
                return place, True
        elif sign in "{;" or (sign == ":" and language == "python" and depth == 0):
            return place, True
        elif sign != ":" and depth == 0:
            goes_on = text.endswith(_GOES_ON, start, place) or text.startswith(
                _BEGINS, found.end(), most
            )
            if language == "ruby" or not goes_on:
                return place, True
    return most, False


def _parts(word: str, rest: str, language: str) -> tuple[str, list[str]]:
    """Return the name and the bases that the head behind its word has."""
    if language not in ("ruby", "objective_c", "julia"):
        rest = _without(_GENERIC, rest)
    rest = _WHERE.split(rest, maxsplit=1)[0]
    pattern = {"impl": _IMPL, "instance": _INSTANCE, "defimpl": _DEFIMPL}.get(word)
    if pattern is not None:
        found = pattern.match(rest)
        return (found["name"] or "", [found["base"]]) if found else (_first(rest), [])
    named = _NAME.match(rest)
    name = (named and named["name"]) or ""
    rest = rest[named.end() if named else 0 :].lstrip()
    if name.endswith(":"):
        name, rest = name[:-1], f":{rest}"
    if rest.startswith("(") and language in BASES_IN_PARENTHESES:
        listed = _without(_SQUARE, rest[1 : rest.rfind(")") if ")" in rest else len(rest)])
        return name, [_first(one) for one in listed.split(",") if "=" not in one]
    rest = _without(_SQUARE, _without(_ROUND, rest)).strip()
    if word == "type":  # `type A = B & C` of TypeScript; `type A: B` of Rust is a bound
        return name, _WORD.findall(rest) if rest.startswith("=") and "&" in rest else []
    if language == "cpp" and ":" in rest:  # macros precede the name
        macros, _, bases = rest.partition(":")
        words = [one for one in (name, *macros.split()) if one != "final"]
        return (words[-1] if words else ""), _bases(bases)
    if found := _EXTENDS.search(rest):
        return name, _bases(rest[found.start() :])
    if rest.startswith((":", "<")) and not rest.startswith(("::", "<<")):
        return name, _bases(rest.lstrip(":<"))
    return name, []


def _bases(text: str) -> list[str]:
    return [one for one in _WORD.findall(_DELEGATED.sub("", text)) if one not in _NO_BASE]


def _first(text: str) -> str:
    found = _WORD.search(text)
    return found[0] if found else ""


def _without(pattern: re.Pattern[str], text: str) -> str:
    """Return a text without what stands in these brackets, up to four levels deep."""
    for _ in range(4):
        text, count = pattern.subn(" ", text)
        if not count:
            break
    return text
