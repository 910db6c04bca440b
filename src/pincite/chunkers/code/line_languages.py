"""Languages without a grammar whose definitions are recognised by the form of a line.

Every pattern is matched at the start of a line, on its first characters. None has nested
repetitions that could backtrack, so a line takes linear time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pincite.support.possessive import possessive


@dataclass(frozen=True, slots=True)
class LineLanguage:
    """Patterns for the lines of a language. The last word of a pattern's matched group is the name.

    `defines` matches the first line of a definition. With `functions`, so does `type name(...) {`.
    `scope` matches a line whose name contains everything up to the next such line. `comments` and
    `leads` are the starts of lines that belong to the definition below; only `leads` may end the
    definition above. A line that matches `clauses` may continue an open definition of the same
    name.
    `ends` matches lines at the margin of a definition that still belong to it, such as `begin` and
    `end`.
    `skips` match the first and the last line of a passage without definitions, such as a comment;
    the first does not match if the passage ends on the same line.

    `code` matches the part of a line before a comment. If this part ends with `full_stop`, the
    definition ends. If it ends with one of `goes_on`, the next line belongs to it, even if it
    matches `clauses`.

    `lists` matches a line that defines several names, which are the words of its group. `values`
    matches lines with a value, and `entries` the first line of an entry of documentation, which is
    within `skips`. In `defines`, the group `of` is the type that an extension without a name
    extends, and the group `enum` the name of an enumeration, whose members are values.

    Increase `revision` if other definitions are found in files of the language: the next run cuts
    them again.
    """

    defines: re.Pattern[str]
    comments: tuple[str, ...] = ("#",)
    leads: tuple[str, ...] = ()
    functions: bool = False
    scope: re.Pattern[str] | None = None
    clauses: re.Pattern[str] | None = None
    ends: re.Pattern[str] | None = None
    code: re.Pattern[str] | None = None
    full_stop: str = ""
    goes_on: tuple[str, ...] = ()
    skips: tuple[re.Pattern[str], re.Pattern[str]] | None = None
    lists: re.Pattern[str] | None = None
    values: re.Pattern[str] | None = None
    entries: re.Pattern[str] | None = None
    revision: int = 0


_SLASHES: Final = ("//", "/*", "*")
_COMMENT: Final = (re.compile(r"\s*/\*(?!.*\*/)"), re.compile(r".*\*/"))
_IN_QUOTES: Final = possessive(r'[^"\\]++|\\.')
_IN_APOSTROPHES: Final = possessive(r"[^'\\]++|\\.")
#: A line of Erlang up to its comment.
_ERLANG: Final = re.compile(
    possessive(rf"""[^%"'$]++|"{_IN_QUOTES}"|'{_IN_APOSTROPHES}'|\$(?:\\.|[^\\])""")
    + r"""(?>(?:["'$].*+)?)"""
)
_STRING: Final = (
    re.compile(r"\s*[rR]?(?:\"\"\"(?!.*\"\"\")|'''(?!.*'''))"),
    re.compile(r".*(?:\"\"\"|''')"),
)
_ANY_CASE: Final = re.IGNORECASE
_WORDS: Final = r"end\w*+|begin|else|elsif|then|rescue|ensure|contains|is"
_ENDS: Final = re.compile(rf"\s*(?:[{{}})\]|=]|(?:{_WORDS})\b)", _ANY_CASE)
_PASCAL_ENDS: Final = re.compile(
    rf"\s*(?:[)\]]|(?:{_WORDS}|var|const|type|label|asm)\b)", _ANY_CASE
)

LINE_LANGUAGES: Final = {
    "perl": LineLanguage(
        re.compile(
            r"\s*(?:(?:my|our|state)\s+)?(?:async\s+)?(?:sub|method|fun|class|role|package)\s+"
            r"([A-Za-z_][\w:']*)(?=\s*(?:[{(:]|$))|\s*use\s+constant\s+([A-Za-z_]\w*)"
            r"|\s*has\s+['\"]?\+?([A-Za-z_]\w*)['\"]?\s*(?:=>|[,;])"
        ),
        scope=re.compile(r"package\s+([A-Za-z_][\w:']*)[^{]{0,40};"),
        skips=(re.compile(r"=(?!cut\b)[A-Za-z]|__(?:END|DATA)__"), re.compile(r"=cut\b")),
        lists=re.compile(r"\s*has\s+(?:\[\s*(?:qw\s*\W)?|qw\s*\W)([^\])}/=@$]{1,160})"),
        values=re.compile(r"(?:our|my|state)\s+[$@%]([A-Za-z_]\w*)\s*(?:=|;|$)"),
        entries=re.compile(r"=(?!cut\b)[A-Za-z]"),
        revision=1,
    ),
    "dart": LineLanguage(
        re.compile(
            r"\s*(?>(?:(?:abstract|base|final|interface|sealed|macro|mixin(?=\s+class))\s+)*)"
            r"(?:extension\s+on\s+(?P<of>[A-Za-z_$][\w$.]*)|enum\s+(?P<enum>[A-Za-z_$][\w$]*)"
            r"|(?:class|mixin|extension\s+type(?:\s+const)?|extension|typedef)\s+([A-Za-z_$][\w$]*))"
            r"|\s*(?:const\s+)?factory\s+([A-Za-z_$][\w$]*\.[\w$]+)\s*\("
            r"|\s*(?>(?:(?:static|external|late)\s+)*)(?>(?:[\w<>?,.]++\s++)?)"
            r"(?:get|set)\s+([A-Za-z_$]\w*)"
        ),
        _SLASHES,
        ("@",),
        functions=True,
        skips=_COMMENT,
        values=re.compile(
            r"(?:late\s+)?(?:const|final|var)\s([^=;({]{1,160}+)=(?![=>])"
            r"|\s+static\s([^=;({]{1,160}+)(?:;|=(?![=>]))"
        ),
        revision=1,
    ),
    "erlang": LineLanguage(
        re.compile(
            r"([a-z][\w@]*)\(|'([^'\s\\]{1,80})'\("
            r"|-(?:record|define|type|opaque|nominal|callback)\s*\(?\s*'?([A-Za-z_]\w*)"
        ),
        ("%",),
        ("-spec", "-doc"),
        scope=re.compile(r"-module\s*\(\s*'?([a-z][\w@]*)"),
        clauses=re.compile(r"[a-z']"),
        ends=re.compile(r"[^-]"),  # any line but an attribute, up to the full stop
        code=_ERLANG,
        full_stop=".",
        goes_on=("->", ",", "(", "[", "{", "=", "|", "::", " of", " when", "begin"),
        revision=1,
    ),
    "groovy": LineLanguage(
        re.compile(
            r"\s*(?>(?:(?:public|private|protected|static|abstract|final)\s+)*)"
            r"(?:class|interface|trait|enum|@interface|def)\s+([A-Za-z_]\w*)(?=\s*(?:[({<]|$|extends|impl))"
        ),
        _SLASHES,
        ("@",),
        functions=True,
        skips=_COMMENT,
        revision=1,
    ),
    "d": LineLanguage(
        re.compile(
            r"\s*(?>(?:(?:public|private|package|protected|export|static|final|abstract)\s+)*)"
            r"(?:class|struct|interface|union|enum|template|mixin\s+template|alias)\s+([A-Za-z_]\w*)"
        ),
        _SLASHES,
        ("@",),
        functions=True,
        scope=re.compile(r"module\s+([\w.]+)\s*;"),
        skips=_COMMENT,
        revision=1,
    ),
    "vala": LineLanguage(
        re.compile(
            r"\s*(?>(?:(?:public|private|internal|protected|static|abstract|sealed)\s+)*)"
            r"(?:class|struct|interface|enum|errordomain|namespace|delegate\s+\w++)\s+([A-Za-z_][\w.]*)"
        ),
        _SLASHES,
        ("[",),
        functions=True,
        skips=_COMMENT,
        revision=1,
    ),
    "glsl": LineLanguage(
        re.compile(r"\s*(?:struct|fn)\s+([A-Za-z_]\w*)|\s*#\s*define\s+([A-Za-z_]\w*)"),
        (*_SLASHES, "#if", "#el", "#endif"),
        functions=True,
        skips=_COMMENT,
        revision=1,
    ),
    "fsharp": LineLanguage(
        re.compile(
            r"\s*let(?>(?:\s+(?:rec|inline|private|internal|public|mutable)\b)*)\s+([A-Za-z_]\w*)\s+[^=:\s]"
            r"|let(?>(?:\s+(?:private|internal|public|mutable)\b)*)\s+([A-Za-z_]\w*)"
            r"|\s*(?:static\s+)?(?:member|override|abstract|default)"
            r"(?>(?:\s+(?:inline|private|internal|val|member)\b)*)\s+(?:[A-Za-z_]\w*\.)?([A-Za-z_]\w*)"
            r"|\s*(?:type|and|exception|module)(?>(?:\s+(?:private|internal|public|rec)\b)*)\s+([A-Za-z_][\w.]*)"
        ),
        ("//",),
        ("[<",),
        scope=re.compile(r"(?:module|namespace)(?:\s+rec)?\s+([A-Za-z_][\w.]*)\s*$"),
        skips=(re.compile(r"\s*\(\*(?!\)|.*\*\))"), re.compile(r".*\*\)")),
    ),
    "nim": LineLanguage(
        re.compile(
            r"\s*(?:proc|func|method|iterator|template|macro|converter)\s+`?([^\s`*(\[]{1,80})"
            r"|(?:type)?\s+([A-Za-z_]\w*)\*?(?:\[[^\]]{0,80}\])?\s*(?:\{\.[^}]{0,80}\.\}\s*)?=\s*"
            r"(?:ref\s+|ptr\s+)?(?:object|enum|tuple|concept|distinct)\b"
        ),
    ),
    "crystal": LineLanguage(
        re.compile(
            r"\s*(?>(?:(?:private|protected|abstract)\s+)*)"
            r"(?:def|class|struct|module|enum|macro|lib|fun|annotation|alias)\s+"
            r"(?:self\.)?([A-Za-z_][\w:]*[?!=]?)"
        ),
        ("#",),
        ("@[",),
        ends=_ENDS,
    ),
    "lisp": LineLanguage(
        re.compile(
            r"\s*\((?:cl-)?(?:struct|def(?:un|macro|var(?:-local|alias)?|const(?:ant)?|custom|group|face"
            r"|parameter|method|generic|class|struct|type|package|subst|alias|advice|theme|test|setf)"
            r"|define(?:-(?:syntax[\w-]*|record-type|struct|macro|[\w-]*mode|inline|method|class|generic"
            r"|condition[\w-]*|test|values|module|library|language))?)[*!]?\s+"
            r"(?>(?:\(\s*+(?>(?:setf\s++)?))*)'?([^\s()\"';]{1,80})",
            _ANY_CASE,
        ),
        (";", "#;"),
        skips=(re.compile(r"\s*#\|(?!.*\|#)"), re.compile(r".*\|#")),
    ),
    "fortran": LineLanguage(
        re.compile(
            r"\s*(?>(?:(?:pure|elemental|recursive|impure|module|abstract)\s+)*)"
            r"(?:(?:integer|real|logical|complex|character|double\s+precision|type|class)\s*"
            r"(?:\([^()]{0,80}\))?\s*)?"
            r"(?:subroutine|function|program|submodule\s*\([^()]{0,80}\)|interface)\s+([A-Za-z]\w*)"
            r"|\s*type(?:\s*,[^:]{0,80}::|\s*::)?\s+([A-Za-z]\w*)\s*(?:!|$)"
            r"|\s*module\s+(?!procedure\b)([A-Za-z]\w*)",
            _ANY_CASE,
        ),
        ("!",),
        ends=_ENDS,
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
            r"(?:type\s+alias|type|port(?=\s+(?!module\b)))\s+([A-Za-z]\w*)|(?!(?:port|module|import|infix)\b)([a-z]\w*)(?=\s*:\s|[^=:|]{0,120}=\s*$)"
        ),
        ("--", "{-|"),
        clauses=re.compile(r"[a-z]"),
        skips=(re.compile(r"\{-(?!.*-\})"), re.compile(r".*-\}")),
    ),
    "purescript": LineLanguage(
        re.compile(
            r"(?:type|data|newtype|foreign\s+import(?:\s+data)?)\s+([A-Za-z]\w*)"
            r"|(?:class|(?:derive\s+)?instance)\s+(?:[^=<]{0,80}<=\s*)?([A-Za-z]\w*)"
            r"|(?!(?:module|import|class|instance|derive|infix\w*)\b)([a-z][\w']*)(?=\s*::\s|[^=:|]{0,120}=)"
        ),
        ("--",),
        scope=re.compile(r"module\s+([\w.]+)"),
        clauses=re.compile(r"[a-z]"),
    ),
    "verilog": LineLanguage(
        re.compile(
            r"\s*(?>(?:virtual\s+(?=class|function|task)|static\s+|local\s+|protected\s+|extern\s+)*)"
            r"(?:(?:function|task)\s+([^;()=]{1,120})(?=[;(])"
            r"|(?:module|interface|package|class|program|checker)\s+([A-Za-z_]\w*)"
            r"|typedef\s+class\s+([A-Za-z_]\w*))"
        ),
        ("//", "/*", "*", "(*", "`"),
        skips=_COMMENT,
        ends=_ENDS,
    ),
    "vhdl": LineLanguage(
        re.compile(
            r"\s*(?:(?:pure|impure)\s+)?(?:entity|architecture|package\s+body|package|function"
            r"|procedure|component|configuration)\s+([A-Za-z]\w*)(?=\s*(?:is\b|of\b|\(|$|return\b))",
            _ANY_CASE,
        ),
        ("--",),
        ends=_ENDS,
    ),
    "pascal": LineLanguage(
        re.compile(
            r"\s*(?:class\s+)?(?:procedure|function|constructor|destructor|operator)\s+"
            r"([A-Za-z_][\w.]*)|\s*([A-Za-z_]\w*)\s*=\s*(?:packed\s+)?(?:class|record|interface|object)\b",
            _ANY_CASE,
        ),
        ("//", "{", "(*"),
        scope=re.compile(r"(?:unit|program|library)\s+([A-Za-z_][\w.]*)\s*;", _ANY_CASE),
        ends=_PASCAL_ENDS,
        skips=(
            re.compile(r"\s*(?:\{(?!.*\})|\(\*(?!.*\*\)))"),
            re.compile(r".*(?:\}|\*\))"),
        ),
    ),
    "odin": LineLanguage(
        re.compile(
            r"\s*([A-Za-z_]\w*)\s*::\s*(?:#\w+\s+)?(?:proc|struct|enum|union|distinct|bit_set)\b"
        ),
        _SLASHES,
        ("@",),
        skips=_COMMENT,
    ),
    "mojo": LineLanguage(
        re.compile(r"\s*(?:async\s+)?(?:fn|def|struct|trait|alias|class)\s+([A-Za-z_]\w*)"),
        ("#",),
        ("@",),
        skips=_STRING,
    ),
    "thrift": LineLanguage(
        re.compile(
            r"\s*(?:struct|service|enum|exception|union|senum)\s+([A-Za-z_]\w*)"
            r"|\s*(?:typedef|const)\s+([^=;{/#]{1,120})(?=[=;/#]|$)"
        ),
        ("//", "#", "/*", "*"),
        skips=_COMMENT,
    ),
    "m4": LineLanguage(
        re.compile(r"\s*(?:A[CU]_DEFUN(?:_ONCE)?|m4_define|define)\(\s*[\[`]{0,2}([A-Za-z_]\w*)"),
        ("dnl", "#"),
    ),
    "starlark": LineLanguage(
        re.compile(
            r"\s*def\s+([A-Za-z_]\w*)|([A-Za-z_]\w*)\s*=\s*(?:rule|provider|aspect|macro|\w+_rule)\("
        ),
        skips=_STRING,
    ),
    "fish": LineLanguage(re.compile(r"\s*function\s+([^\s;]{1,80})"), ends=_ENDS),
    "awk": LineLanguage(re.compile(r"\s*func(?:tion)?\s+([A-Za-z_][\w:]*)")),
    "vim": LineLanguage(
        re.compile(
            r"\s*(?:export\s+)?(?:fu(?:n|nc|nct|ncti|nctio|nction)?!?|def!?|class|enum|interface)\s+"
            r"(?:<SID>|[a-z]:)?([A-Za-z_][\w#.:]*)"
        ),
        ('"', "#"),
        ends=_ENDS,
    ),
}
