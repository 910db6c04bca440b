"""The languages that are cut by their syntax trees, each with its package and its query.

A query captures the definitions of a file: `@def` spans the definition, and `@name` is its name.
`@owner` is the type that it belongs to, in languages that have it next to the name, such as Go.
`@scope` instead of `@def` marks a construct that has members but defines nothing itself (`impl` in
Rust).
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from pincite.chunkers.code import definition_queries as queries
from pincite.chunkers.code import more_queries as more
from pincite.chunkers.code.more_queries import named
from pincite.chunkers.code.patterns import PATTERNS
from pincite.chunkers.code.repairs import OF_C, OF_CPP, OF_KOTLIN, OF_SQL, Repair
from pincite.chunkers.code.value_queries import VALUES
from pincite.support.fields import replace

if TYPE_CHECKING:
    from tree_sitter import Language, Query

    from pincite.chunkers.code.patterns import Patterns

_CAPSULE = b"tree_sitter.Language"  # not copied: it must live as long as the capsule
_MLI = "language_ocaml_interface"
_PACK = "tree_sitter_language_pack.bindings"  # for languages without their own wheel

#: node types that belong to the next node in every language, besides all kinds of comments
LEADING = frozenset(
    {
        "annotation", "attribute_item", "attribute_list", "decorator", "haddock",
        "marker_annotation", "modifiers", "template", "template_parameter_list",
    }
)  # fmt: skip


class Grammar(msgspec.Struct, frozen=True):
    """A language with its parser. `module` and `function` name the parser in its wheel."""

    module: str
    query: str
    function: str = "language"
    #: a further query, for the names of values (see `value_queries`)
    values: str = ""
    #: node types that belong to the next node, besides LEADING
    leading: frozenset[str] = frozenset()
    #: find definitions on lines that have no node in the tree
    patterns: Patterns | None = None
    #: steps of the parser for each token, relative to other languages (36 of 150 files of CMake
    #: took more than is usual in other languages)
    steps: float = 1.0
    #: tried one after another
    repairs: tuple[Repair, ...] = ()
    #: names may have quotes, as in SQL
    quoted: bool = False
    #: Increase it if other definitions are found in files of the language: the next run cuts them
    #: again.
    revision: int = 0


_DEFINITIONS: dict[str, Grammar] = {
    "python": Grammar("tree_sitter_python", queries.PYTHON),
    "javascript": Grammar(
        "tree_sitter_javascript", queries.JAVASCRIPT, patterns=PATTERNS["javascript"], revision=2
    ),
    "typescript": Grammar(
        "tree_sitter_typescript",
        queries.TYPESCRIPT,
        "language_typescript",
        patterns=PATTERNS["javascript"],
        revision=2,
    ),
    "tsx": Grammar(
        "tree_sitter_typescript",
        queries.TYPESCRIPT,
        "language_tsx",
        patterns=PATTERNS["javascript"],
        revision=2,
    ),
    "go": Grammar("tree_sitter_go", queries.GO),
    "rust": Grammar("tree_sitter_rust", queries.RUST, patterns=PATTERNS["rust"], revision=1),
    "java": Grammar("tree_sitter_java", queries.JAVA),
    "c": Grammar("tree_sitter_c", queries.C, patterns=PATTERNS["c"], repairs=OF_C, revision=5),
    "cpp": Grammar(
        "tree_sitter_cpp",
        queries.CPP,
        leading=frozenset({"access_specifier"}),
        patterns=PATTERNS["cpp"],
        repairs=OF_CPP,
        revision=6,
    ),
    "c_sharp": Grammar("tree_sitter_c_sharp", queries.C_SHARP, revision=1),
    "ruby": Grammar("tree_sitter_ruby", queries.RUBY, revision=2),
    "php": Grammar("tree_sitter_php", queries.PHP, "language_php"),
    "kotlin": Grammar(
        "tree_sitter_kotlin",
        queries.KOTLIN,
        patterns=PATTERNS["kotlin"],
        repairs=OF_KOTLIN,
        revision=1,
    ),
    "bash": Grammar("tree_sitter_bash", named("function_definition")),
    "scala": Grammar("tree_sitter_scala", queries.SCALA, revision=2),
    "swift": Grammar("tree_sitter_swift", queries.SWIFT, revision=2),
    "lua": Grammar("tree_sitter_lua", queries.LUA, revision=2),
    "elixir": Grammar(
        "tree_sitter_elixir", queries.ELIXIR, leading=frozenset({"unary_operator"}), revision=1
    ),
    "haskell": Grammar(
        "tree_sitter_haskell", queries.HASKELL, leading=frozenset({"signature"}), revision=2
    ),
    "zig": Grammar("tree_sitter_zig", queries.ZIG, revision=2),
    "css": Grammar("tree_sitter_css", queries.CSS),
    "sql": Grammar(
        "tree_sitter_sql",
        more.SQL,
        patterns=PATTERNS["sql"],
        repairs=OF_SQL,
        quoted=True,
        revision=2,
    ),
    "objective_c": Grammar(
        "tree_sitter_objc", queries.C + more.OBJECTIVE_C_TYPES, patterns=PATTERNS["c"], revision=3
    ),
    "julia": Grammar(
        "tree_sitter_julia", more.JULIA, leading=frozenset({"string_literal"}), revision=2
    ),
    "ocaml": Grammar("tree_sitter_ocaml", more.OCAML, "language_ocaml", revision=2),
    "powershell": Grammar("tree_sitter_powershell", more.POWERSHELL),
    "solidity": Grammar("tree_sitter_solidity", more.SOLIDITY, revision=1),
    "terraform": Grammar("tree_sitter_hcl", more.TERRAFORM),
    "dockerfile": Grammar("tree_sitter_dockerfile", more.DOCKERFILE, revision=1),
    "make": Grammar("tree_sitter_make", more.MAKE, revision=1),
    "clojure": Grammar(f"{_PACK}.clojure", more.CLOJURE, revision=1),
    "graphql": Grammar(f"{_PACK}.graphql", more.GRAPHQL),
    "cmake": Grammar(f"{_PACK}.cmake", more.CMAKE, steps=4.0),
    "r": Grammar(f"{_PACK}.r", more.R, revision=1),
    "protobuf": Grammar(f"{_PACK}.proto", more.PROTOBUF),
}
#: Increase it if other values are found in files of several languages: the next run cuts them
#: again.
_VALUES_REVISION = 1
GRAMMARS: dict[str, Grammar] = _DEFINITIONS | {
    language: replace(
        _DEFINITIONS[language],
        values=values,
        revision=_DEFINITIONS[language].revision + _VALUES_REVISION,
    )
    for language, values in VALUES.items()
}
_SCRIPTS = {"vue": "typescript", "svelte": "typescript"}
_INTERFACES = {
    ".mli": Grammar("tree_sitter_ocaml", more.OCAML_INTERFACE, _MLI, VALUES["ocaml"]),
}


def grammar_for(language: str, path: str = "") -> Grammar | None:
    """Return the grammar for a file. None if the language has no grammar, or if its wheel is not
    installed (see `lacks_grammar`)."""
    grammar = GRAMMARS.get(language)
    if grammar is None or not is_installed(grammar.module):
        return None
    return _INTERFACES.get(path[-4:], grammar) if language == "ocaml" else grammar


def grammar_revision(language: str) -> int:
    """Return the revision of the rules for the language's definitions, 0 if it has no grammar here.
    Vue and Svelte have that of TypeScript."""
    language = _SCRIPTS.get(language, language)
    return 0 if lacks_grammar(language) or language not in GRAMMARS else GRAMMARS[language].revision


def lacks_grammar(language: str) -> bool:
    """Return whether the language has a grammar whose wheel is not installed."""
    grammar = GRAMMARS.get(language)
    return grammar is not None and not is_installed(grammar.module)


@cache
def is_installed(module: str) -> bool:
    """Return whether this module is installed. The answer is cached for the process."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # other releases of the pack have other modules
        return False


@cache
def load(grammar: Grammar) -> tuple[Language, Query]:
    """Return the parser's language and the compiled query. Imports the wheel on first use."""
    from tree_sitter import Language, Query

    module = importlib.import_module(grammar.module)
    pointer = getattr(module, grammar.function)()
    if isinstance(pointer, int):  # some wheels return the address, which is deprecated
        pointer = _capsule(pointer)
    language = Language(pointer)
    return language, Query(language, grammar.query + grammar.values)


@cache
def unnamed_regions(grammar: Grammar) -> Query:
    """Return the query for the regions in which `Grammar.patterns` are applied."""
    from tree_sitter import Query

    patterns = grammar.patterns
    regions = patterns.regions if patterns else ""
    gaps = '(MISSING ";") @region' if patterns and patterns.gaps else ""
    return Query(load(grammar)[0], f"(ERROR) @region {gaps} {regions}")


def _capsule(address: int) -> object:
    from ctypes import c_char_p, c_void_p, py_object, pythonapi

    make = pythonapi.PyCapsule_New
    make.restype, make.argtypes = py_object, (c_void_p, c_char_p, c_void_p)
    capsule: object = make(address, _CAPSULE, None)
    return capsule
