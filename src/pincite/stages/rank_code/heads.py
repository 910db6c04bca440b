"""Read the heads of classes and of what resembles them in other languages, without a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

_LONGEST: Final = 1_000  # characters of a head; guess: no head is longer
_MOST: Final = 200  # heads of a passage; guess: passages of a few kB have fewer
_BODY: Final = 4_000  # characters of a struct that may embed others; guess, most are shorter
_HEAD: Final = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:[@#]?\[[^\]\n]{0,200}\]|@[\w.:]+(?:\([^()\n]*\))?"
    r"|[a-z-]+(?:\([\w :]*\))?)[ \t]+){0,8}?"
    r"(?P<word>@?(?:class|interface|struct|trait|enum|record|protocol|extension|actor|mixin"
    r"|contract|library|impl|instance|defimpl|type|object|implementation|module|role))"
    r"(?:[ \t]+(?:class|struct|object|interface))?(?=[\s<])"
    r"|(?:=|\breturn|\(|\bnew)[ \t]*(?P<inner>class|object)(?=[ \t]*[:\w{])",
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
    "extends ",
    "implements ",
    "with ",
    ":",
    ",",
    ">",
    "<",
    "where ",
    "{",
    "&",
    "|",
    "#",
)
_BASES_IN_PARENTHESES: Final = frozenset(("python", "starlark", ""))
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
_MEMBERS_OF: Final = frozenset(("ruby", "elixir", "perl"))
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
    in comments or strings at the beginning of a line is taken for code. At most 200 are read."""
    found = list(islice(_written(text, language), _MOST))
    if language == "go":
        found += [_declared(one, one["name"]) for one in _ASSERTED.finditer(text)]
    elif language in _MEMBERS_OF:
        found += [_declared(one, "") for one in _MEMBER.finditer(text)]
    elif language == "rust":
        for one in _DERIVED.finditer(text):
            bases = frozenset(map(_last, _WORD.findall(one["bases"])))
            found.append(Head("", bases, 0, one.start(), abstract=False))
    return sorted(found[:_MOST], key=lambda head: head.start)


def _declared(found: re.Match[str], name: str) -> Head:
    return Head(_last(name), frozenset((_last(found["base"]),)), 0, found.start(), abstract=False)


def _written(text: str, language: str) -> Iterator[Head]:
    for found in _HEAD.finditer(text):
        word = (found["word"] or found["inner"]).lstrip("@")
        if word == "module" and language != "ruby":
            continue
        rest = _head(text[found.end() : found.end() + _LONGEST], language)
        name, listed = _parts(word, rest, language)
        bases = frozenset(filter(None, map(_last, listed)))
        if language == "go" and word == "type":
            bases |= _embedded(text, found.end() + len(rest))
        declared = text[found.start() : found.end()]
        abstract = word in ("interface", "trait", "protocol", "role") or (
            "abstract" in declared
            or bool(bases & {"ABC", "Protocol", "ABCMeta"})
            or (language == "go" and "interface" in rest)
        )
        yield Head(_last(name), bases, len(found["indent"] or ""), found.start(), abstract)


def _embedded(text: str, start: int) -> frozenset[str]:
    """Return the types that a struct or interface of Go embeds."""
    end = text.find("\n}", start, start + _BODY)
    body = text[start : min(end if end >= 0 else len(text), start + _BODY)]
    return frozenset(one["base"] for one in _EMBEDDED.finditer(body))


def _head(text: str, language: str) -> str:
    """Return the beginning of a text up to the body of its class, or to the end of a head without
    one."""
    depth = 0
    for place, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
            if depth < 0:
                return text[:place]
        elif char in "{;" or (char == ":" and language == "python" and depth == 0):
            return text[:place]
        elif char == "\n" and depth == 0:
            before, after = text[:place].rstrip(), text[place:].lstrip()
            goes_on = before.endswith(_GOES_ON) or after.startswith(_BEGINS)
            if language == "ruby" or not goes_on:
                return text[:place]
    return text


def _parts(word: str, rest: str, language: str) -> tuple[str, list[str]]:
    """Return the name and the bases that the head behind its word has."""
    if language not in ("ruby", "objc", "julia"):
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
    if rest.startswith("(") and language in _BASES_IN_PARENTHESES:
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


def _last(name: str) -> str:
    return re.split(r"[.:\\]", name)[-1]
