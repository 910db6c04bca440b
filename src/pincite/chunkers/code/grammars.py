"""The languages that are cut by their syntax tree, each with its package and a query.

A query captures what a file defines: `@def` spans the definition, and `@name` is its name. `@owner`
is the type that it belongs to, if the language writes it beside the name, as Go does. `@scope`
instead of `@def` marks a construct that has members but defines nothing itself (Rust's `impl`).
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from pincite.chunkers.code import more_queries as more
from pincite.chunkers.code.more_queries import named
from pincite.chunkers.code.patterns import PATTERNS
from pincite.chunkers.code.value_queries import VALUES
from pincite.support.fields import replace

if TYPE_CHECKING:
    from tree_sitter import Language, Query

    from pincite.chunkers.code.patterns import Patterns

_CAPSULE = b"tree_sitter.Language"  # the name is not copied: it must live as long as the capsule
_MLI = "language_ocaml_interface"
_PACK = "tree_sitter_language_pack.bindings"  # for what has no wheel of its own

#: node types that belong to what follows in every language, besides all kinds of comments
LEADING = frozenset(
    {
        "annotation", "attribute_item", "attribute_list", "decorator", "haddock",
        "marker_annotation", "modifiers", "template", "template_parameter_list",
    }
)  # fmt: skip


class Repair(msgspec.Struct, frozen=True):
    """A replacement in the source after which a parser may understand it. No text changes its
    length, and no newline is touched: offsets and rows stay the same."""

    pattern: re.Pattern[bytes]
    by: bytes


class Grammar(msgspec.Struct, frozen=True):
    """A language with its parser. `module` and `function` name the parser in its wheel."""

    module: str
    query: str
    function: str = "language"
    #: a further query, for the names of values (see `value_queries`)
    values: str = ""
    #: node types that belong to what follows, besides LEADING
    leading: frozenset[str] = frozenset()
    #: what defines something on lines that make no node
    patterns: Patterns | None = None
    #: steps of the parser for each token, relative to other languages (36 of 150 files of CMake
    #: took more than is usual elsewhere)
    steps: float = 1.0
    #: tried where the tree has errors
    repair: Repair | None = None
    #: Do names have quotes, as in SQL?
    quoted: bool = False
    #: Raise it if files of the language get other definitions: the next run cuts them again.
    revision: int = 0


_PYTHON = (
    named("function_definition", "class_definition")
    + """
(type_alias_statement left: (type (identifier) @name)) @def
"""
)
_JAVASCRIPT = named(
    "function_declaration", "generator_function_declaration", "class_declaration",
    "method_definition",
) + """
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function) (class)]) @def
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @def
(assignment_expression left: [(identifier) @name (member_expression property: (_) @name)]
  right: [(arrow_function) (function_expression) (class)]) @def
(program (expression_statement (assignment_expression
  left: (member_expression property: (_) @name) right: (object)) @def)
  (#not-eq? @name "exports"))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)
  @def)))
"""  # fmt: skip
_TYPESCRIPT = named(
    "function_declaration", "generator_function_declaration", "function_signature",
    "class_declaration", "abstract_class_declaration", "method_definition", "method_signature",
    "abstract_method_signature", "interface_declaration", "type_alias_declaration",
    "enum_declaration", "internal_module", "module",
) + """
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function) (class)]) @def
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @def
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name)
  @def)))
"""  # fmt: skip
_GO_RECEIVER = """(parameter_declaration type: [
  (type_identifier) @owner (pointer_type . (type_identifier) @owner)
  (generic_type . (type_identifier) @owner)
  (pointer_type . (generic_type . (type_identifier) @owner))])"""
_GO = f"""
(function_declaration name: (identifier) @name) @def
(method_declaration receiver: (parameter_list . {_GO_RECEIVER})
  name: (field_identifier) @name) @def
(method_declaration receiver: (parameter_list . (comment) . {_GO_RECEIVER})
  name: (field_identifier) @name) @def
(type_spec name: (type_identifier) @name) @def
(type_alias name: (type_identifier) @name) @def
"""
_RUST = named(
    "function_item", "function_signature_item", "struct_item", "enum_item", "union_item",
    "trait_item", "mod_item", "type_item", "macro_definition", "const_item", "static_item",
) + """
(impl_item type: [(type_identifier) @name (generic_type type: (_) @name)
  (scoped_type_identifier name: (_) @name)]) @scope
"""  # fmt: skip
_JAVA = named(
    "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
    "annotation_type_declaration", "method_declaration", "constructor_declaration",
    "compact_constructor_declaration",
)  # fmt: skip
_C = """
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def
(function_definition declarator: (pointer_declarator declarator:
  (function_declarator declarator: (identifier) @name))) @def
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator:
  (function_declarator declarator: (identifier) @name)))) @def
(struct_specifier name: (type_identifier) @name body: (_)) @def
(union_specifier name: (type_identifier) @name body: (_)) @def
(enum_specifier name: (type_identifier) @name body: (_)) @def
(type_definition) @def
(preproc_function_def name: (identifier) @name) @def
(translation_unit (declaration declarator: (function_declarator
  declarator: (identifier) @name)) @def)
"""
_CPP_NAME = """[(identifier) @name (field_identifier) @name (destructor_name) @name
  (operator_name) @name (operator_cast) @name
  (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)
    (template_function)] @name)
  (qualified_identifier name: (qualified_identifier scope: (_) @owner name: (_) @name))]"""
_CPP = f"""
(function_definition declarator: (function_declarator declarator: {_CPP_NAME})) @def
(function_definition declarator: (_ (function_declarator declarator: {_CPP_NAME}))) @def
(function_definition declarator: (_ (_ (function_declarator declarator: {_CPP_NAME})))) @def
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @def
(class_specifier name: (_) @name body: (_)) @def
(struct_specifier name: (_) @name body: (_)) @def
(union_specifier name: (_) @name body: (_)) @def
(enum_specifier name: (_) @name body: (_)) @def
(namespace_definition name: (_) @name) @def
(alias_declaration name: (_) @name) @def
(concept_definition name: (_) @name) @def
(type_definition) @def
(preproc_function_def name: (identifier) @name) @def
"""
_C_SHARP = named(
    "class_declaration", "struct_declaration", "interface_declaration", "enum_declaration",
    "record_declaration", "delegate_declaration", "method_declaration",
    "constructor_declaration", "destructor_declaration", "property_declaration",
    "namespace_declaration", "local_function_statement",
)  # fmt: skip
_RUBY = (
    named("method", "singleton_method", "class", "module")
    + """
((assignment . (constant) @name (call . (constant) @_base)) @def
  (#any-of? @_base "Struct" "Data" "Class" "Module"))
"""
)
_PHP = named(
    "function_definition", "class_declaration", "interface_declaration", "trait_declaration",
    "enum_declaration", "method_declaration",
)  # fmt: skip
_KOTLIN = (
    named("class_declaration", "object_declaration", "companion_object", "function_declaration")
    + """
(type_alias type: (_) @name) @def
(source_file (property_declaration (variable_declaration . (identifier) @name)) @def)
"""
)
#: The parser wants a newline or `;` behind the last member of a body in one line.
_KOTLIN_BODIES = Repair(re.compile(rb"(?<=[^\s{;])[ \t](?=\})"), b";")
_SCALA = named(
    "class_definition", "object_definition", "trait_definition", "enum_definition",
    "function_definition", "function_declaration", "type_definition", "given_definition",
    "package_object",
)  # fmt: skip
_SWIFT = named("class_declaration", "protocol_declaration", "function_declaration",
                "protocol_function_declaration", "typealias_declaration") + """
(init_declaration "init" @name) @def
"""  # fmt: skip
_LUA = (
    named("function_declaration")
    + """
(assignment_statement (variable_list . (_) @name . (attribute)? .)
  (expression_list . (function_definition))) @def
"""
)
_ELIXIR = """
((call target: (identifier) @_kind (arguments . (alias) @name) (do_block)) @def
  (#any-of? @_kind "defmodule" "defprotocol" "defimpl"))
((call target: (identifier) @_kind (arguments . [
    (call target: (identifier) @name) (identifier) @name
    (binary_operator left: (call target: (identifier) @name))])) @def
  (#any-of? @_kind "def" "defp" "defmacro" "defmacrop" "defguard"
    "defguardp" "defdelegate"))
"""
_HASKELL = (
    named("function", "bind", "data_type", "newtype", "class", "type_synonym")
    + """
(function (infix operator: [(operator) @name (infix_id (variable) @name)])) @def
"""
)
_ZIG = """
(function_declaration name: (identifier) @name) @def
(variable_declaration (identifier) @name
  [(struct_declaration) (enum_declaration) (union_declaration) (opaque_declaration)
    (error_set_declaration)]) @def
"""
_CSS = """
(rule_set (selectors) @name) @def
(keyframes_statement (keyframes_name) @name) @def
"""

#: The parser does not know the names in brackets of T-SQL.
_BRACKETS = Repair(re.compile(rb"\[([A-Za-z_][\w ]{0,127})\]"), rb'"\1"')

_DEFINITIONS: dict[str, Grammar] = {
    "python": Grammar("tree_sitter_python", _PYTHON),
    "javascript": Grammar(
        "tree_sitter_javascript", _JAVASCRIPT, patterns=PATTERNS["javascript"], revision=2
    ),
    "typescript": Grammar(
        "tree_sitter_typescript",
        _TYPESCRIPT,
        "language_typescript",
        patterns=PATTERNS["javascript"],
        revision=2,
    ),
    "tsx": Grammar(
        "tree_sitter_typescript",
        _TYPESCRIPT,
        "language_tsx",
        patterns=PATTERNS["javascript"],
        revision=2,
    ),
    "go": Grammar("tree_sitter_go", _GO),
    "rust": Grammar("tree_sitter_rust", _RUST, patterns=PATTERNS["rust"], revision=1),
    "java": Grammar("tree_sitter_java", _JAVA),
    "c": Grammar("tree_sitter_c", _C, patterns=PATTERNS["c"], revision=2),
    "cpp": Grammar(
        "tree_sitter_cpp",
        _CPP,
        leading=frozenset({"access_specifier"}),
        patterns=PATTERNS["cpp"],
        revision=3,
    ),
    "c_sharp": Grammar("tree_sitter_c_sharp", _C_SHARP, revision=1),
    "ruby": Grammar("tree_sitter_ruby", _RUBY, revision=2),
    "php": Grammar("tree_sitter_php", _PHP, "language_php"),
    "kotlin": Grammar(
        "tree_sitter_kotlin",
        _KOTLIN,
        patterns=PATTERNS["kotlin"],
        repair=_KOTLIN_BODIES,
        revision=1,
    ),
    "bash": Grammar("tree_sitter_bash", named("function_definition")),
    "scala": Grammar("tree_sitter_scala", _SCALA, revision=2),
    "swift": Grammar("tree_sitter_swift", _SWIFT, revision=2),
    "lua": Grammar("tree_sitter_lua", _LUA, revision=2),
    "elixir": Grammar(
        "tree_sitter_elixir", _ELIXIR, leading=frozenset({"unary_operator"}), revision=1
    ),
    "haskell": Grammar(
        "tree_sitter_haskell", _HASKELL, leading=frozenset({"signature"}), revision=2
    ),
    "zig": Grammar("tree_sitter_zig", _ZIG, revision=2),
    "css": Grammar("tree_sitter_css", _CSS),
    "sql": Grammar(
        "tree_sitter_sql",
        more.SQL,
        patterns=PATTERNS["sql"],
        repair=_BRACKETS,
        quoted=True,
        revision=2,
    ),
    "objective_c": Grammar(
        "tree_sitter_objc", _C + more.OBJECTIVE_C_TYPES, patterns=PATTERNS["c"], revision=2
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
#: Raise it if files of several languages get other values: the next run cuts them again.
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
    """Return the revision of the language's definitions, 0 if it has no grammar here. That of a
    component is the one of its scripts."""
    language = _SCRIPTS.get(language, language)
    return 0 if lacks_grammar(language) or language not in GRAMMARS else GRAMMARS[language].revision


def lacks_grammar(language: str) -> bool:
    """Return whether files of this language could be cut by syntax if its wheel were installed."""
    grammar = GRAMMARS.get(language)
    return grammar is not None and not is_installed(grammar.module)


@cache
def is_installed(module: str) -> bool:
    """Return whether a wheel has this module; asked once in a process."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # other releases of the pack are laid out in another way
        return False


@cache
def load(grammar: Grammar) -> tuple[Language, Query]:
    """Return the parser's language and the compiled query. Imports the wheel on first use."""
    from tree_sitter import Language, Query

    module = importlib.import_module(grammar.module)
    pointer = getattr(module, grammar.function)()
    if isinstance(pointer, int):  # some wheels give the bare address, which is deprecated
        pointer = _capsule(pointer)
    language = Language(pointer)
    return language, Query(language, grammar.query + grammar.values)


@cache
def unnamed_regions(grammar: Grammar) -> Query:
    """Return the query for the regions in which `Grammar.patterns` are applied."""
    from tree_sitter import Query

    regions = grammar.patterns.regions if grammar.patterns else ""
    return Query(load(grammar)[0], f"(ERROR) @region {regions}")


def _capsule(address: int) -> object:
    from ctypes import c_char_p, c_void_p, py_object, pythonapi

    make = pythonapi.PyCapsule_New
    make.restype, make.argtypes = py_object, (c_void_p, c_char_p, c_void_p)
    capsule: object = make(address, _CAPSULE, None)
    return capsule
