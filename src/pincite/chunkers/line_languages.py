"""Languages without a grammar whose definitions are recognised by the form of a line.

Every pattern is matched at the start of a line, on its first characters. None has nested
repetitions that could backtrack, so a line takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class LineLanguage:
    """How lines of a language look. The last word of a pattern's matched group is the name.

    `defines` matches the first line of a definition. With `functions`, so does `type name(...) {`.
    `scope` matches a line whose name contains everything up to the next such line. `leads` are the
    starts of lines that belong to the definition below. With `clauses`, neighbours of the same
    name are one definition. With `ends`, blocks have words at their ends (`end`, `begin`), which
    need no indentation. `skips` are the first and the last line of a passage without definitions.
    """

    defines: re.Pattern[str]
    leads: tuple[str, ...] = ("#",)
    functions: bool = False
    scope: re.Pattern[str] | None = None
    clauses: bool = False
    ends: bool = False
    skips: tuple[re.Pattern[str], re.Pattern[str]] | None = None


_SLASHES: Final = ("//", "/*", "*", "@")
_COMMENT: Final = (re.compile(r"\s*/\*(?!.*\*/)"), re.compile(r".*\*/"))
_ANY_CASE: Final = re.IGNORECASE

LINE_LANGUAGES: Final = {
    "perl": LineLanguage(
        re.compile(
            r"\s*(?:(?:my|our|state)\s+)?(?:async\s+)?(?:sub|method|fun|class|role|package)\s+"
            r"([A-Za-z_][\w:']*)(?=\s*(?:[{(:]|$))|\s*use\s+constant\s+([A-Za-z_]\w*)"
            r"|has\s+['\"]?\+?([A-Za-z_]\w*)['\"]?\s*(?:=>|,)"
        ),
        scope=re.compile(r"package\s+([A-Za-z_][\w:']*)[^{]{0,40};"),
        skips=(re.compile(r"=[A-Za-z]\w*"), re.compile(r"=cut\b")),
    ),
    "dart": LineLanguage(
        re.compile(
            r"\s*(?:(?:abstract|base|final|interface|sealed|macro|mixin(?=\s+class))\s+)*+"
            r"(?:class|mixin|extension\s+type|extension|enum|typedef)\s+([A-Za-z_$][\w$]*)"
            r"|\s*(?:(?:static|external|late)\s+)*+(?:[\w<>?,.]++\s++)?+(?:get|set)\s+([A-Za-z_$]\w*)"
        ),
        _SLASHES,
        functions=True,
        skips=_COMMENT,
    ),
    "erlang": LineLanguage(
        re.compile(
            r"([a-z][\w@]*)\(|-(?:record|define|type|opaque|nominal|callback)\s*\(?\s*([A-Za-z_]\w*)"
        ),
        ("%", "-spec", "-doc"),
        scope=re.compile(r"-module\s*\(\s*([a-z][\w@]*)"),
        clauses=True,
    ),
    "groovy": LineLanguage(
        re.compile(
            r"\s*(?:(?:public|private|protected|static|abstract|final)\s+)*+"
            r"(?:class|interface|trait|enum|@interface|def)\s+([A-Za-z_]\w*)(?=\s*(?:[({<]|$|extends|impl))"
        ),
        _SLASHES,
        functions=True,
        skips=_COMMENT,
    ),
    "d": LineLanguage(
        re.compile(
            r"\s*(?:(?:public|private|package|protected|export|static|final|abstract)\s+)*+"
            r"(?:class|struct|interface|union|enum|template|mixin\s+template|alias)\s+([A-Za-z_]\w*)"
        ),
        _SLASHES,
        functions=True,
        scope=re.compile(r"module\s+([\w.]+)\s*;"),
        skips=_COMMENT,
    ),
    "vala": LineLanguage(
        re.compile(
            r"\s*(?:(?:public|private|internal|protected|static|abstract|sealed)\s+)*+"
            r"(?:class|struct|interface|enum|errordomain|namespace|delegate\s+\w++)\s+([A-Za-z_][\w.]*)"
        ),
        (*_SLASHES, "["),
        functions=True,
        skips=_COMMENT,
    ),
    "glsl": LineLanguage(
        re.compile(r"\s*(?:struct|fn)\s+([A-Za-z_]\w*)|\s*#\s*define\s+([A-Za-z_]\w*)"),
        _SLASHES,
        functions=True,
        skips=_COMMENT,
    ),
    "fsharp": LineLanguage(
        re.compile(
            r"\s*let(?:\s+(?:rec|inline|private|internal|public|mutable))*+\s+([A-Za-z_]\w*)\s+[^=:\s]"
            r"|let(?:\s+(?:private|internal|public|mutable))*+\s+([A-Za-z_]\w*)"
            r"|\s*(?:static\s+)?(?:member|override|abstract|default)"
            r"(?:\s+(?:inline|private|internal|val|member))*+\s+(?:[A-Za-z_]\w*\.)?([A-Za-z_]\w*)"
            r"|\s*(?:type|and|exception|module)(?:\s+(?:private|internal|public|rec))*+\s+([A-Za-z_][\w.]*)"
        ),
        ("//", "[<"),
        scope=re.compile(r"(?:module|namespace)(?:\s+rec)?\s+([A-Za-z_][\w.]*)\s*$"),
    ),
    "nim": LineLanguage(
        re.compile(
            r"\s*(?:proc|func|method|iterator|template|macro|converter)\s+`?([^\s`*(\[]{1,80})"
            r"|\s+([A-Za-z_]\w*)\*?(?:\[[^\]]{0,80}\])?\s*(?:\{\.[^}]{0,80}\.\}\s*)?=\s*"
            r"(?:ref\s+|ptr\s+)?(?:object|enum|tuple|concept|distinct)\b"
        ),
    ),
    "crystal": LineLanguage(
        re.compile(
            r"\s*(?:(?:private|protected|abstract)\s+)*+"
            r"(?:def|class|struct|module|enum|macro|lib|fun|annotation|alias)\s+"
            r"(?:self\.)?([A-Za-z_][\w:]*[?!=]?)"
        ),
        ("#", "@["),
        ends=True,
    ),
    "lisp": LineLanguage(
        re.compile(
            r"\s*\((?:cl-)?(?:def(?!ault)[\w*!/-]*|struct)\s+(?:\(\s*)*+'?([^\s()\"';]{1,80})",
            _ANY_CASE,
        ),
        (";", "#;"),
    ),
    "fortran": LineLanguage(
        re.compile(
            r"\s*(?:(?:pure|elemental|recursive|impure|module|abstract)\s+)*+"
            r"(?:(?:integer|real|logical|complex|character|double\s+precision|type|class)\s*"
            r"(?:\([^()]{0,80}\))?\s*)?"
            r"(?:subroutine|function|program|submodule\s*\([^()]{0,80}\)|interface)\s+([A-Za-z]\w*)"
            r"|\s*type(?:\s*,[^:]{0,80}::|\s*::)?\s+([A-Za-z]\w*)\s*(?:!|$)"
            r"|\s*module\s+(?!procedure\b)([A-Za-z]\w*)",
            _ANY_CASE,
        ),
        ("!",),
        ends=True,
    ),
    "tcl": LineLanguage(
        re.compile(
            r"\s*(?:proc|method|typemethod|namespace\s+eval|oo::class\s+create|snit::type)\s+"
            r"(?:::)?([\w:?!.-]{1,80})"
        ),
    ),
    "gleam": LineLanguage(
        re.compile(r"\s*(?:pub\s+)?(?:opaque\s+)?(?:fn|type|const)\s+([A-Za-z_]\w*)"), ("//", "@")
    ),
    "elm": LineLanguage(
        re.compile(
            r"(?:type\s+alias|type|port)\s+([A-Za-z]\w*)|([a-z]\w*)(?=\s*:\s|[^=:|]{0,120}=\s*$)"
        ),
        ("--", "{-|"),
        clauses=True,
        skips=(re.compile(r"\{-(?!.*-\})"), re.compile(r".*-\}")),
    ),
    "purescript": LineLanguage(
        re.compile(
            r"(?:type|data|newtype|foreign\s+import(?:\s+data)?)\s+([A-Za-z]\w*)"
            r"|(?:class|(?:derive\s+)?instance)\s+(?:[^=]{0,80}=>\s*)?([A-Za-z]\w*)"
            r"|([a-z][\w']*)(?=\s*::\s|[^=:|]{0,120}=)"
        ),
        ("--",),
        scope=re.compile(r"module\s+([\w.]+)"),
        clauses=True,
    ),
    "verilog": LineLanguage(
        re.compile(
            r"\s*(?:virtual\s+|static\s+|local\s+|protected\s+|extern\s+)*+"
            r"(?:(?:function|task)\s+([^;()=]{1,120})(?=[;(])"
            r"|(?:module|interface|package|class|program|checker)\s+([A-Za-z_]\w*)"
            r"|typedef\s+class\s+([A-Za-z_]\w*))"
        ),
        ("//", "/*", "*", "(*"),
        skips=_COMMENT,
        ends=True,
    ),
    "vhdl": LineLanguage(
        re.compile(
            r"\s*(?:(?:pure|impure)\s+)?(?:entity|architecture|package\s+body|package|function"
            r"|procedure|component|configuration)\s+([A-Za-z]\w*)(?=\s*(?:is\b|of\b|\(|$|return\b))",
            _ANY_CASE,
        ),
        ("--",),
        ends=True,
    ),
    "pascal": LineLanguage(
        re.compile(
            r"\s*(?:class\s+)?(?:procedure|function|constructor|destructor|operator)\s+"
            r"([A-Za-z_][\w.]*)|\s*([A-Za-z_]\w*)\s*=\s*(?:packed\s+)?(?:class|record|interface|object)\b",
            _ANY_CASE,
        ),
        ("//", "{", "(*"),
        scope=re.compile(r"(?:unit|program|library)\s+([A-Za-z_][\w.]*)\s*;", _ANY_CASE),
        ends=True,
    ),
    "odin": LineLanguage(
        re.compile(
            r"\s*([A-Za-z_]\w*)\s*::\s*(?:#\w+\s+)?(?:proc|struct|enum|union|distinct|bit_set)\b"
        ),
        ("//", "/*", "*", "@"),
        skips=_COMMENT,
    ),
    "mojo": LineLanguage(
        re.compile(r"\s*(?:async\s+)?(?:fn|def|struct|trait|alias|class)\s+([A-Za-z_]\w*)"),
        ("#", "@"),
    ),
    "thrift": LineLanguage(
        re.compile(
            r"\s*(?:struct|service|enum|exception|union|senum)\s+([A-Za-z_]\w*)"
            r"|\s*(?:typedef|const)\s+([^=;{]{1,120})(?==|$)"
        ),
        ("//", "#", "/*", "*"),
        skips=_COMMENT,
    ),
    "starlark": LineLanguage(
        re.compile(
            r"\s*def\s+([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*=\s*(?:rule|provider|aspect|macro|\w+_rule)\("
        ),
    ),
    "fish": LineLanguage(re.compile(r"\s*function\s+([^\s;]{1,80})"), ends=True),
    "awk": LineLanguage(re.compile(r"\s*func(?:tion)?\s+([A-Za-z_][\w:]*)")),
    "vim": LineLanguage(
        re.compile(
            r"\s*(?:export\s+)?(?:fu(?:n|nc|nct|ncti|nctio|nction)?!?|def!?|class|enum|interface)\s+"
            r"(?:<SID>|[a-z]:)?([A-Za-z_][\w#.:]*)"
        ),
        ('"', "#"),
        ends=True,
    ),
}
