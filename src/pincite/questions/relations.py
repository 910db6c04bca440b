"""Recognise questions for what stands in a relation to a name: its callers, subclasses or
overrides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

import msgspec

from pincite.questions.frames import is_file, plain_path
from pincite.support.late_patterns import late_pattern
from pincite.support.names import components, is_like_code, is_product, owner_of

_LONGEST: Final = 200  # characters of a question of such a form; guess: longer ones say more
Kind = Literal["called", "imported", "read", "used", "heirs", "overrides", "implemented"]

_THING: Final = (
    r"(?:(?:(?:abstract|base|parent|global) )?"
    r"(?:attribute|class|command|component|constant|constructor|decorator|enum"
    r"|exception|field|function|helper|hook|interface|macro|member|method|mixin|module|object"
    r"|property|protocol|struct|trait|type|variable)"
    r"|(?:[a-z]+ )?(?P<library{n}>crate|dependency|gem|library|package)"
    r"|(?P<setting{n}>(?:environment|env|config(?:uration)?) (?:variable|var|option|setting|key)"
    r"|setting|option|flag|env var))"
)
#: Names as they are in code, with their paths: `a.b`, `A::b`, `@scope/name`, `foo.h`, `$x`.
_WRITTEN: Final = late_pattern(
    r"[@$#./~:-]{0,3}[A-Za-z_][\w$]*(?:(?:[.:#/\\-]|::|->)[\w$@]+){0,20}[!?]?", re.ASCII
)
#: Arguments of a type at the end of its name: `<T>`, `<K,V>`.
_ARGUMENTS: Final = late_pattern(r"(?<=\w)<[\w?,.:$&*\[\]<>]{1,100}>\Z")
_CURLY: Final = str.maketrans("“”„«»‘’", '"""""\'\'')
_OF_CODE: Final = (
    r"(?:class(?:es)?|code|components?|controllers?|files?|functions?|handlers?|methods?|modules?"
    r"|packages?|parts?|places?|scripts?|services?|structs?|subclass(?:es)?|(?P<in_tests>tests?)"
    r"|types?|views?)"
)
_NOW: Final = (
    r"(?:calls?|invokes?|uses?|references?|imports?|reads?|requires?|includes?|access(?:es)?"
    r"|instantiates?|constructs?|consumes?|depends? (?:up)?on|extends?|inherits?(?: from)?"
    r"|implements?|derives?(?: from)?|subclass(?:es)?|conforms? to|overrides?|reimplements?)"
)
_BEING: Final = (
    r"(?:calling|invoking|using|referencing|importing|reading|requiring|including|accessing"
    r"|instantiating|constructing|consuming|depending (?:up)?on|extending|inheriting(?: from)?"
    r"|implementing|deriving from|derived from|subclassing|conforming to|overriding)"
)
_PAST: Final = (
    r"(?:called|invoked|used|referenced|imported|read|required|included|accessed|instantiated"
    r"|constructed|extended|inherited(?: from)?|implemented|derived from|subclassed"
    r"|overrid(?:d?en|ed)|reimplemented)"
)
_NOUN: Final = (
    r"(?:callers?|calls|call sites?|invocations?|usages?|uses|users|references|referrers|importers?"
    r"|imports|consumers|dependents|(?:direct |known |concrete )?(?:sub-?class(?:es)?|subtypes"
    r"|implementations|implement[eo]rs|(?:derived|child) (?:classes|types)|descendants)"
    r"|overrides?|reimplementations?)"
)
_LEAD: Final = (
    r"(?:(?:please )?(?:find|show|list|give|get)(?: me| us)?(?: all| every)?(?: of)?(?: the)? "
    r"|(?:what|which|where|who)(?:'s| is| are)(?: all)?(?: of)?(?: the)? "
    r"|where can i find(?: all)?(?: the)? |all(?: of)?(?: the)? |the )?"
)
_ANY: Final = r"(?:the |this |our |my )?(?:whole |entire )?"
_TESTS: Final = r"tests?(?: suite)?"
#: Words for a place that tell nothing of it: all of the code, or a folder without its name.
_WHOLE: Final = (
    r"(?:code ?base|code|source code|sources?|repo(?:sitory)?|project"
    r"|(?:class|directory|file|folder|module|package)\Z)"
)
_ALL: Final = rf"{_ANY}(?:{_WHOLE}|{_TESTS})\b"
_IS_WHOLE: Final = late_pattern(_ANY + _WHOLE, re.IGNORECASE)
_IS_TESTS: Final = late_pattern(_ANY + _TESTS, re.IGNORECASE)
#: Between two places: `in src/app or src/general`, `in the app folder and in the lib folder`.
_BETWEEN: Final = r"(?: folder| directory)?(?:,? (?:and|or)|,) (?:in )?(?:the )?"
_SEPARATE: Final = late_pattern(_BETWEEN, re.IGNORECASE)
_PLACE: Final = rf"(?:{_ALL}|\S+)"
_TAIL: Final = (
    r"(?: from)?(?: anywhere| somewhere| at all)?"
    r"(?: (?:in|across|within) (?:the )?(?P<placed>(?:folders?|directory|directories|files?) )?"
    rf"(?P<places>{_PLACE}(?:{_BETWEEN}{_PLACE}){{0,3}})"
    r"(?P<is_folder> folders?| directory| directories)?)?"
)


def _name(key: str = "") -> str:
    """Return the pattern of a name with an article and the word for its kind."""
    before, after = _THING.format(n=f"_before{key}"), _THING.format(n=f"_after{key}")
    quoted = r"`[^`\s]{1,100}`|'[^'\s]{1,100}'|\"[^\"\s]{1,100}\""
    return (
        rf"(?P<article{key}>(?:the|our|my|an?|this|that) )?(?:{before} )?"
        rf"(?P<name{key}>{quoted}|[^\s`'\"]+)"
        rf"(?: {after}(?: of (?!{_ALL})(?:the )?(?:class )?(?P<whole{key}>\S+))?)?"
    )


_IN_HEIRS: Final = (
    r"(?: (?:in|by) (?:the )?(?:subclass(?:es)?|sub-classes|implementations|implementers"
    rf"|derived classes|heirs|children) of {_name('_of')}"
    rf"|(?: (?:of|in) (?!{_ALL}){_name('_in')})?)"
)
_FORMS: Final = tuple(
    late_pattern(form + _TAIL, re.IGNORECASE)
    for form in (
        rf"(?:who|what|(?:which|what) {_OF_CODE})(?: else)? (?:(?P<verb>{_NOW})"
        rf"|(?:is|are) (?P<being>{_BEING})) {_name()}",
        rf"(?:which|what) (?:subclasses|implementations) of {_name('_of')} (?P<verb>overrides?"
        rf"|implements?) {_name()}",
        rf"(?:(?:find|show|list|see)(?: me)?(?: all)? )?(?:the )?(?:places )?(?:from )?where"
        rf"(?:'s| is| are| does| do)? {_name()} (?:is |are |being |gets? |ever |actually )?"
        rf"(?P<verb>{_PAST})",
        r"where (?:do|does|did) (?:i|we|you|they|it|the code|(?:the |this )?(?:project|app|code))"
        rf" (?P<verb>{_NOW}) {_name()}",
        rf"{_LEAD}(?P<verb>{_NOUN}) (?:of|to|for) {_name()}{_IN_HEIRS}",
        r"(?:find|show|list|get)(?: me)?(?: all)? (?P<verb>usages?|uses|references|callers"
        rf"|subclasses|implementations|overrides) {_name()}",
        rf"{_LEAD}(?:{_OF_CODE}|everything) (?:(?:that|which|who) (?P<verb>{_NOW})"
        rf"|(?P<being>{_BEING})) {_name()}",
        rf"is {_name()} (?:still |ever |even )?(?P<verb>{_PAST})",
        r"does (?:anything|anyone|something|any (?:code|file|class|module))(?: still| ever)?"
        rf" (?P<verb>{_NOW}) {_name()}",
        rf"{_name()} (?P<verb>callers|usages|call sites|references|subclasses|overrides)",
    )
)
#: The relation by the beginning of its word; any other word means `used`.
_KINDS: Final[tuple[tuple[Kind, tuple[str, ...]], ...]] = (
    ("called", ("call", "invo", "instantiat", "construct")),
    ("imported", ("import", "require", "requiring", "include", "including")),
    ("read", ("read",)),
    ("implemented", ("implemented",)),
    ("overrides", ("overrid", "reimplement")),
    ("heirs", ("extend", "inherit", "implement", "deriv", "sub", "conform", "child", "descend")),
    ("heirs", ("direct ", "known ", "concrete ")),
)


#: Words that are no names: pronouns and articles. `A` may be one.
_NO_NAMES: Final = frozenset(
    "it this that them these those they what which us me the a an our my your its".split()
)
#: A word for a kind of thing, which is no name behind an article: `callers of my function`.
_IS_THING: Final = late_pattern(_THING.format(n="") + "|file|folder|directory")
#: These nouns before a plain word are most often those of a document: `find references section`.
_OF_DOCUMENT: Final = late_pattern(
    r"(?i:find|show|list|get)(?: me)? (?:usages?|uses|references|implementations) [a-z]+(?: |\Z)"
)
#: Names such as `Deno.js` and `React/Vue.js`, which may be those of technologies or of files.
_TECHNOLOGY: Final = late_pattern(r"(?:[A-Z][\w.]*/)*[A-Z]\w*\.(?i:io|js|net)", re.ASCII)


class Relation(msgspec.Struct, frozen=True):
    """What a question asks for: `kind`, the last component of the `name`, the one before it or the
    class in whose heirs the name is (`owner`, "" if none), and the name as it is `written`.
    `certain`: it is written like code or in quotes, so it is no word of a topic. `tests`: tests
    are asked for. `places`: the files, the folders or the patterns in which it is sought, at most
    four; whether they exist is not known, so `client/server` is one. `is_path`: each place is
    written as only a path is; any other one is a topic unless the index has it."""

    kind: Kind
    name: str
    owner: str
    written: str
    certain: bool
    tests: bool
    places: tuple[str, ...] = ()
    is_path: bool = False


def relation_of(question: str) -> Relation | None:
    """Return the relation that a question asks for; None for any other question. English only."""
    if len(question) > _LONGEST:
        return None
    asked = " ".join(question.translate(_CURLY).split()).rstrip("?!. ")
    return next(_relations(asked), None)


def _relations(asked: str) -> Iterator[Relation]:
    for form in _FORMS:
        found = form.fullmatch(asked)
        if found is None:
            continue
        groups = found.groupdict()
        name, quoted, calls = _written(groups["name"], after=groups["article"])
        places, is_path, in_tests = _places_of(groups)
        keys = ("name_of", "name_in", "whole")
        key = next((one for one in keys if groups.get(one)), "")
        said = groups.get(key) or ""
        is_topic = _is_technology(said)
        is_place = key == "name_in" and (is_path or "/" in "".join(places))
        owner = "" if is_place or is_topic else _written(said)[0]
        if not name or (said and not (owner or places or is_topic)):
            continue
        verb = (groups.get("verb") or groups.get("being") or "").lower()
        certain = quoted or calls or is_like_code(name)
        if not certain and (verb == "usage" or _OF_DOCUMENT.match(asked)):
            continue
        kind: Kind = next((kind for kind, begins in _KINDS if verb.startswith(begins)), "used")
        if groups.get("name_of"):
            kind = "overrides"
        if kind == "used":
            kind = "called" if calls else _of_thing(groups)
        parts = components(name)
        own = owner_of(name)
        yield Relation(
            kind,
            parts[-1].strip("$@~!?") if parts else name,
            components(owner)[-1] if owner else own[0] if own else "",
            name,
            certain or (kind == "read" and name.isupper()),
            in_tests or bool(groups.get("in_tests")),
            places,
            is_path,
        )


def _of_thing(groups: Mapping[str, str | None]) -> Kind:
    """Return what is sought for `used`: reads of a setting, imports of a library."""
    said = {key.partition("_")[0] for key, value in groups.items() if value}
    return "read" if "setting" in said else "imported" if "library" in said else "used"


def _places_of(groups: Mapping[str, str | None]) -> tuple[tuple[str, ...], bool, bool]:
    """Return the paths of the files or folders that the question names last, whether each is
    written as only a path is, and whether tests alone are named. There are no places if one of
    them is all of the code."""
    text = groups.get("places") or groups.get("name_in") or ""
    said = _SEPARATE.split(text)
    is_marked = bool(groups.get("placed") or groups.get("is_folder"))
    in_tests = not is_marked and all(map(_IS_TESTS.fullmatch, said))
    if in_tests or (not is_marked and any(map(_IS_WHOLE.fullmatch, said))):
        return (), False, in_tests
    found = {path: one for one in said if (path := plain_path(one.strip("`'\"")))}
    is_path = is_marked or all(_is_path(one, path) for path, one in found.items())
    return tuple(found), bool(found) and is_path, False


def _is_path(text: str, path: str) -> bool:
    """Return whether a place is written as only a path is: `a/b`, `Node.js` and `src` may also be
    words of a topic."""
    bare = text.strip("`'\"")
    if "*" in bare or (is_file(path) and (text != bare or not _is_technology(bare))):
        return True
    is_marked = text != bare or bare.startswith(("/", "./", "../", "~")) or bare[-1] == "/"
    return "\\" in bare or ("/" in bare and is_marked)


def _is_technology(name: str) -> bool:
    return is_product(name) or _TECHNOLOGY.fullmatch(name) is not None


def _written(text: str, after: str | None = None) -> tuple[str, bool, bool]:
    """Return the name in a text, "" if it is none; whether it is in quotes, between `<` and `>`, or
    has arguments of a type, which are left out; and whether parentheses follow it. `after` is the
    article before it."""
    bare = text.strip("`'\"")
    if bare[:1] == "<" and bare[-1:] == ">":
        bare = bare[1:-1]
    called = bare.removesuffix("()")
    name = _ARGUMENTS.sub("", called)
    is_word = name == text and (name in _NO_NAMES or (after and _IS_THING.fullmatch(name)))
    if is_word or not _WRITTEN.fullmatch(name):
        return "", False, False
    return name.rstrip("!?"), bare != text or name != called, called != bare
