"""Find names of program code in a text."""

from __future__ import annotations

import re

from pincite.support.late_patterns import late_pattern

#: The name of a destructor begins with `~`. Other words with `~`, such as `~ten`, have no capital.
_NAME = re.compile(
    r"(?:(?<![\w~=!])~(?=\w*[A-Z_]))?[A-Za-z_$@][\w$]*(?:(?:\.|::~?|:|#|->|/)[\w$]+)*[!?]?"
)
_LIKE_CODE = re.compile(r"_|\$|[a-z0-9][A-Z]|[A-Za-z]\d|[.:#/]|->|[A-Z]{2}[a-z]")
#: A name with hyphens between its words, as in Lisp, CSS and shells: `match-by-path!`,
#: `reitit.core/match-by-path`, `--main-color`. `owner->name` alone is a path.
_SIGNS = r"\w*!?<>=%&+'"
_HYPHENATED = re.compile(
    rf"(?=.*\w-+\w)(?:[A-Za-z_][\w.-]*/)?[-*+]*[A-Za-z][{_SIGNS}]*(?:-+[{_SIGNS}]+)+"
)
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_BETWEEN = re.compile(r"[.:#>/\\]+")
_KEYWORD = re.compile(
    r"(?:(?:async|export|pub|public|private|protected|static|final|abstract) )*"
    r"(?:(?P<function>def|defp|fn|func|fun)"
    r"|class|function|struct|enum|trait|interface|type|object|module|macro|protocol) "
)
_KIND = (
    r"(?:(?:class|constant|enum|field|function|interface|macro|method|module|property|setting|struct"
    r"|symbol|trait|type|variable) )?"
)
_WRITTEN = r"(?-i:(?=\S*(?:_|[a-z\d][A-Z]|[A-Z]{2}))\S+)"  # as no word of English is
#: A question for the place of one name, `where is request defined?`, or for its value, `what is
#: MAX_SIZE set to?`. `implemented` and `used` ask for more than a definition.
_PLACE = late_pattern(
    r"(?:where(?:'s| is| are| was) (?!(?:it|they|there|this|that|these|those|what|everything)\b)"
    rf"(?:the |an? )?{_KIND}(?P<is>\S+) {_KIND}(?:defined|declared)"
    rf"|where (?:do|did) (?:they|we|you) (?:define|declare) (?:the |an? )?{_KIND}(?P<do>\S+)"
    r"|(?:what(?:'s| is| are| was) )?(?:the )?(?:default )?(?:default|value)s? of (?:the )?"
    rf"{_KIND}(?P<value>{_WRITTEN})"
    rf"|what(?:'s| is| are| was) (?:the )?{_KIND}(?P<set>{_WRITTEN}) (?:set|equal) to"
    rf"|(?:in )?(?:which|what) (?:file|module) is (?:the )?{_KIND}(?P<in>\S+) (?:defined|declared)"
    r"|(?:which|what)(?: class| file| module)? (?:defines|declares) (?:the |an? )?"
    rf"{_KIND}(?P<by>\S+))"
    r"(?: in (?:the |this )?(?:code|codebase|source|sources|repo|repository|project)"
    r"| in (?:the )?(?:(?:file|module) )?(?P<file>\S+\.\w+[`'\"]?))? ?\??",
    re.IGNORECASE,
)
#: A name and its file, `DEBUG in settings.py` or `app/settings.py:DEBUG`
_IN_FILE = re.compile(
    r"(?P<name>\S+) in [`'\"]?(?P<file>[\w./-]+\.\w+)[`'\"]?"
    r"|(?P<path>[\w.-]*(?:/[\w.-]+)+\.\w+)::?(?P<member>[A-Za-z_$][\w$.:]*)(?:\(\))?"
)
#: Technologies whose names look like those of files.
_PRODUCT = re.compile(
    r"(?:node|next|nuxt|nest|vue|react|express|angular|ember|backbone|three|d3|chart|alpine|discord"
    r"|moment|p5)\.js|socket\.io|(?:asp|ado|ml|vb)\.net",
    re.IGNORECASE,
)
_NO_WORD = re.compile(r"_|[a-z][A-Z]")
_RESULT_WORDS = 4  # of a declaration, after its parameters; guess, unmeasured
_QUOTES = "`'\"()[]{}<>,;.:"
_MARKS = "?!"  # at the end, they may be part of the name
_AROUND = _QUOTES + _MARKS


def is_product(name: str) -> bool:
    """Return whether a name that looks like that of a file is a technology's, such as Node.js."""
    return _PRODUCT.fullmatch(name) is not None


def written_names(text: str) -> list[str]:
    """Return all words of the text that may be names, with their paths (`a.b`, `A::b`), in
    order."""
    return [name.rstrip(".:") for name in _NAME.findall(text)]


def code_names(text: str) -> tuple[str, ...]:
    """Return the names that look like code, without duplicates: with an underscore, an inner
    capital or digit, or a path; with a capital that does not begin a sentence; and a name that is
    the whole text. A name with a final mark is also returned without it: the mark is part of the
    name in `save!`, and not in `what is Flask?`. A name with hyphens is one if the text is only
    this name or asks for its place; elsewhere it may be English (`read-only`)."""
    meant = undeclared(text)
    words = meant.split()
    alone = len(words) == 1
    names: dict[str, None] = {}
    if alone or meant != text:
        hyphenated = [name for word in words if (name := hyphenated_name(word))]
        names |= dict.fromkeys(form for name in hyphenated for form in _forms(name))
        meant = " ".join(word for word in words if not hyphenated_name(word))
    for place, name in enumerate(written_names(meant)):
        if alone or _LIKE_CODE.search(name) or (place > 0 and name.lstrip("~")[:1].isupper()):
            names |= dict.fromkeys(_forms(name))
    return tuple(names)


def is_like_code(name: str) -> bool:
    """Return whether a name is written as no word of English is: with an underscore, an inner
    capital or digit, or a path."""
    return _LIKE_CODE.search(name) is not None


def _forms(name: str) -> tuple[str, str]:
    return name, name.rstrip(_MARKS)


def hyphenated_name(word: str) -> str:
    """Return a word that is a name with hyphens, without the quotes around it; "" for others."""
    name = word.strip(_QUOTES)
    return name if _HYPHENATED.fullmatch(name) else ""


def undeclared(text: str) -> str:
    """Return the name that a text declares, alone: `echo` for `def echo` and `def echo(text):`, and
    the name whose place it asks for: `echo` for `where is echo defined?`. If it says in which file
    the name is, return the file and the name: `settings.py DEBUG` for `DEBUG in settings.py`.
    Return other texts as they are, also if more than a signature follows the name.

    `def` begins no sentence. `function` and `class` do, so a name must follow that no English word
    looks like, with an underscore or an inner capital.
    """
    name, file = _place(text)
    if name:
        return f"{file} {name}".lstrip()
    held = _IN_FILE.fullmatch(text)
    if held is not None and not is_product(held["file"] or ""):
        return f"{held['file'] or held['path']} {held['name'] or held['member']}"
    found = _KEYWORD.match(text)
    if found is None:
        return text
    name, opened, rest = text[found.end() :].partition("(")
    if not name or " " in name or not (found["function"] or _NO_WORD.search(name)):
        return text
    return name if not opened or _is_end(_behind(rest)) else text


def placed_name(text: str) -> str:
    """Return the name whose place a question asks for, "" if it asks for something else."""
    return _place(text)[0]


def _place(text: str) -> tuple[str, str]:
    """Return the name whose place a question asks for, and the file in which it is, "" if the
    question names none. Both are "" if it asks for something else."""
    placed = _PLACE.fullmatch(text)
    if placed is None:
        return "", ""
    file = placed["file"] or ""
    name = next(filter(None, placed.groups())).strip(_AROUND)
    is_name = _NAME.fullmatch(name) or hyphenated_name(name)
    return (name, file.strip(_AROUND)) if is_name else ("", "")


def _behind(parameters: str) -> str:
    """Return the text after the parenthesis that closes these parameters, "" if none does."""
    depth = 1
    for place, char in enumerate(parameters):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return parameters[place + 1 :].strip()
    return ""


def _is_end(rest: str) -> bool:
    """Return whether the text is the end of a declaration, such as `-> int:` or `error {`."""
    if not rest:
        return True
    ends = rest.startswith(("->", ":", "{", ";", "=")) or rest.endswith("{")
    return ends and len(rest.split()) <= _RESULT_WORDS


def bare_words(text: str) -> list[str]:
    """Return the words of a text without the marks around them: `` `Router.get()`? `` becomes
    `Router.get`."""
    return [bare for word in text.split() if (bare := word.strip(_AROUND))]


def last_component(name: str) -> str:
    """Return the last part of a name: `send` of `Response.send`, `A::send`, `a/b.send` and
    `A\\send`."""
    return _BETWEEN.split(name)[-1]


def components(name: str) -> list[str]:
    """Return the parts of a name with a path: `http`, `Response` and `send` of
    `http::Response.send`."""
    return [part for one in _BETWEEN.split(name) if (part := one.rstrip("-"))]


def words_of(name: str) -> list[str]:
    """Return the words of a name: `HTTP`, `Server` and `2` of `HTTPServer_2`."""
    return _WORD.findall(name)


def owner_of(name: str) -> tuple[str, str] | None:
    """Return the last two parts of a name with a path: `Response`, `send` of `http.Response.send`.
    None for a name without one."""
    parts = components(name)
    return (parts[-2], parts[-1]) if len(parts) > 1 else None
