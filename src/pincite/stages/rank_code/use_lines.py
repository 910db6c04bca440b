"""Tell how each line of a passage uses a name: as a call, an import, a read, or a declaration."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from pincite.model import Chunk
from pincite.questions.relations import Relation
from pincite.stages.rank_code.bare import LineKind, lines_of
from pincite.stages.rank_code.definitions import names_of
from pincite.support.names import components

_LONGEST: Final = 2_000  # characters of a line; longer ones are generated
_DECLARES: Final = (
    r"\b(?:def|defp|defmacro|defn|defun|fn|fun|func|function|sub|proc|method|class|struct|enum"
    r"|interface|trait|type|object|module|macro|protocol|record|namespace|const|let|var|val|define"
    r"|typedef|union|impl|property|attr_reader|attr_accessor)\b[ \t*&]+"
    r"(?:self\.|\([^()\n]*\)[ \t]*)?"
)
#: Languages that declare a function by its type: `int parse(const char *text);`
TYPED: Final = frozenset("c cpp java c_sharp dart objective_c groovy glsl d vala solidity".split())
#: A word before a call, so that it is no type.
_NO_TYPE: Final = frozenset(
    "return await new throw else in and or not yield case when if unless while until do then go"
    " defer assert raise with from delete typeof co_await co_return co_yield goto emit".split()
)
_PATH_BEFORE: Final = re.compile(r"(?<!\w)(?:\w+::){1,8}~?\Z")  # `Store::` of `int Store::get()`
_MODIFIERS: Final = (
    r"(?:(?:async|public|private|protected|internal|static|abstract|override|final|get|set|export"
    r"|default|readonly|virtual|open)[ \t]+){0,6}[*#]?"
)
#: Languages that call without parentheses.
BARE_CALLS: Final = frozenset(
    "ruby elixir perl haskell ocaml clojure scala bash powershell lisp erlang fsharp nix make cmake"
    " r".split()
)
#: Lines that are like imports, but tell the place of the file itself, or declare a part of it.
_NAMES_ITSELF: Final = re.compile(r"[ \t]*(?:package|namespace|(?:pub(?:\([a-z]+\))?[ \t]+)?mod)\b")
_QUOTE: Final = re.compile("[\"']")
#: What is between two quotes of a kind, with the second one.
_QUOTED: Final = {
    quote: re.compile(rf"(?>(?:[^{quote}\\\n]++|\\.)*){quote}") for quote in ("'", '"')
}
_TYPE_BEFORE: Final = re.compile(r"(?<![\w>\]?])[\w>\]?]++\Z")
#: What reads settings.
_SETTINGS: Final = re.compile(
    r"env|conf|cfg|settings?|options?|params?|flags?|secrets?|args|viper|props|property|properties|@Value",
    re.I,
)


class Use(IntEnum):
    """How well a line fits the question, the best first. `WEAK` are imports, if they are not asked
    for, and names within strings; `SAID` is a comment."""

    SOUGHT = 0
    OTHER = 1
    WEAK = 2
    SAID = 3


class NamePatterns:
    """The patterns of one name for one question."""

    def __init__(self, relation: Relation) -> None:
        name = re.escape(relation.name)
        end = r"(?![\w-])" if "-" in relation.name else r"(?!\w)"
        self.relation = relation
        self.kind = relation.kind
        self.name = relation.name
        self.word = re.compile(rf"(?<!\w){name}{end}")
        self.called = re.compile(
            rf"(?<!\w){name}!?(?:(?:::)?<[^<>()\n]*>|\[[^\[\]\n]*\])?[ \t]?\("
            rf"|@(?:[\w]+\.)*{name}{end}|<{name}(?=[\s/>])"
            rf"|\bnew[ \t]+(?:[\w$]+[.\\])*\\?{name}{end}"
        )
        self.declared = re.compile(rf"{_DECLARES}(?:[\w$<>]+[.:]+)*{name}{end}")
        self.assigned = re.compile(rf"[ \t]*(?:[\w.]+[.])?{name}[ \t]*(?::[^=\n]+)?:?=(?![=>])")
        self.constant = re.compile(
            rf"[ \t]*(?:\w+[ \t]+){{0,4}}{name}[ \t]*(?::[^=\n]+)?:?=[ \t]*"
            r"[\"'`][^\"'`\n]*[\"'`][;,]?[ \t]*\Z"
        )
        self.begins = re.compile(rf"[ \t]*{_MODIFIERS}(?:\w+::){{0,8}}~?{name}[ \t]*[(<=:]")
        self.listed = re.compile(rf"[ \t]*{name}\([^()\n]*\)[ \t]*[\w(*\[]")  # interfaces of Go
        self.quoted = re.compile(
            rf"[\"'`]{name}[\"'`]|\benv\.{name}{end}|\$\{{?{name}{end}|%{name}%|\[:?{name}\]"
        )


class ImportPatterns:
    """The patterns of a name that is imported: the whole name as a path, or its parts in their
    order (`from os import path` of `os.path`)."""

    def __init__(self, written: str) -> None:
        whole = re.escape(written)
        parts = [re.escape(one) for one in components(written)][:8]
        self.first = re.compile(
            r"\b(?:import|from|use|using|load|alias|require|include|mod|crate|open)[ \t(\\]+"
            rf"(?:static |type )?[\"'<]?{whole}(?![\w-])|[\"'`<]{whole}(?=[\"'`>./])"
        )
        self.path = re.compile(rf"(?<![\w-]){whole}(?![\w-])")
        self.parts = [re.compile(rf"(?<![\w-]){part}(?![\w-])") for part in parts or [whole]]
        self.line = re.compile(
            rf"[ \t]*(?:[\w.]+[ \t]+)?\"{whole}(?:/[^\"\n]*)?\"[ \t]*[,;]?[ \t]*\Z"
            rf"|[ \t]*global[ \t]+using[ \t]+(?:static[ \t]+)?{whole}[ \t]*;"
        )
        self.inline = re.compile(rf"\b(?:require|import)\([ \t]*[\"'`]{whole}[/\"'`]")

    def of(self, line: str, kind: LineKind) -> Use | None:
        if kind == "import" and not _NAMES_ITSELF.match(line):
            if self.first.search(line):
                return Use.SOUGHT
            return Use.OTHER if self.path.search(line) or self._has_parts(line) else None
        if kind == "code" and (self.line.match(line) or self.inline.search(line)):
            return Use.SOUGHT
        return None

    def _has_parts(self, line: str) -> bool:
        at = 0
        for part in self.parts:
            found = part.search(line, at)
            if found is None:
                return False
            at = found.end()
        return True


def defines(symbols: tuple[str, ...], relation: Relation) -> bool:
    """Return whether the name is among these, perhaps with a mark of Ruby (`save!`, `name=`)."""
    names = names_of(symbols)
    return relation.name in names or any(f"{relation.name}{mark}" in names for mark in "!?=")


def best_uses(
    chunk: Chunk, name: NamePatterns, imports: ImportPatterns
) -> tuple[Use | None, Use | None]:
    """Return the best use in a passage as an import, and as the kind of use that is sought."""
    of_import: Use | None = None
    of_code: Use | None = None
    is_own = defines(chunk.symbols, name.relation)
    for line, kind in lines_of(chunk.text):
        if len(line) > _LONGEST:
            continue
        if (use := imports.of(line, kind)) is not None:
            of_import = use if of_import is None else min(use, of_import)
        if not name.word.search(line):
            continue
        use = _use(line, kind, chunk, name, is_own=is_own)
        if use is not None:
            of_code = use if of_code is None else min(use, of_code)
        if of_code is Use.SOUGHT and of_import is Use.SOUGHT:
            break
    return of_import, of_code


def _use(
    line: str, kind: LineKind, chunk: Chunk, name: NamePatterns, *, is_own: bool
) -> Use | None:
    if kind != "code":
        return Use.SAID if kind == "comment" else Use.WEAK
    if name.kind == "read":
        return _read(line, chunk, name)
    if declares(line, chunk, name, is_own=is_own):
        return None
    bare = _without_strings(line)
    if not name.word.search(bare):
        return Use.WEAK if name.kind != "used" or not name.quoted.search(line) else Use.OTHER
    is_call = chunk.language in BARE_CALLS or name.called.search(bare)
    return Use.SOUGHT if is_call or name.kind == "used" else Use.OTHER


def _without_strings(line: str) -> str:
    """Return a line of code with empty strings. A quote that nothing closes is kept, and so are the
    later ones of its kind, which are escaped: then nothing closes them either."""
    parts: list[str] = []
    at = begin = 0
    open_quotes = ""
    while found := _QUOTE.search(line, begin):
        begin = found.end()
        if found[0] in open_quotes:
            continue
        if string := _QUOTED[found[0]].match(line, begin):
            parts += (line[at : found.start()], '""')
            at = begin = string.end()
        else:
            open_quotes += found[0]
    return "".join((*parts, line[at:]))


def _read(line: str, chunk: Chunk, name: NamePatterns) -> Use:
    """Return how well a line fits a question for where a setting is read: best if it also names
    settings or the environment. `NAME = "NAME"` and lines of a Dockerfile only declare it."""
    if chunk.language == "dockerfile" or name.constant.match(line):
        return Use.WEAK
    if _SETTINGS.search(name.word.sub("", line)):
        return Use.SOUGHT
    return Use.OTHER if name.quoted.search(line) else Use.WEAK


def declares(line: str, chunk: Chunk, name: NamePatterns, *, is_own: bool) -> bool:
    """Return whether a line declares the name. `is_own`: the passage defines it."""
    if name.declared.search(line):
        return True
    if is_own and (name.assigned.match(line) or _begins(line, name)):
        return True
    if chunk.language == "go" and name.listed.match(line):
        return True
    if chunk.language in TYPED and (found := re.search(rf"{name.word.pattern}[ \t]*\(", line)):
        before = _PATH_BEFORE.sub("", line[: found.start()])
        typed = before.rstrip(" \t*&")
        last = _TYPE_BEFORE.search(typed)
        is_type = last is not None and typed != before and last[0] not in _NO_TYPE
        return is_type and not any(sign in typed for sign in "=(")
    return False


def _begins(line: str, name: NamePatterns) -> bool:
    return name.begins.match(line) is not None and line.rstrip().endswith(
        ("{", "(", ",", "=>", "}")
    )


def declaring(chunk: Chunk, relation: Relation) -> list[tuple[int, str]]:
    """Return the lines of a passage that declare the name, with their positions in the text."""
    name, start = NamePatterns(relation), 0
    found: list[tuple[int, str]] = []
    for line in chunk.text.splitlines(keepends=True):
        is_near = len(line) <= _LONGEST and name.word.search(line)
        if is_near and declares(line.rstrip("\n"), chunk, name, is_own=True):
            found.append((start, line))
        start += len(line)
    return found
