"""Queries for the definitions in common languages; see `grammars` for the captures."""

from __future__ import annotations

from pincite.chunkers.code.more_queries import named

PYTHON = (
    named("function_definition", "class_definition")
    + """
(type_alias_statement left: (type (identifier) @name)) @def
"""
)
JAVASCRIPT = named(
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
TYPESCRIPT = named(
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
GO = f"""
(function_declaration name: (identifier) @name) @def
(method_declaration receiver: (parameter_list . {_GO_RECEIVER})
  name: (field_identifier) @name) @def
(method_declaration receiver: (parameter_list . (comment) . {_GO_RECEIVER})
  name: (field_identifier) @name) @def
(type_spec name: (type_identifier) @name) @def
(type_alias name: (type_identifier) @name) @def
"""
RUST = named(
    "function_item", "function_signature_item", "struct_item", "enum_item", "union_item",
    "trait_item", "mod_item", "type_item", "macro_definition", "const_item", "static_item",
) + """
(impl_item type: [(type_identifier) @name (generic_type type: (_) @name)
  (scoped_type_identifier name: (_) @name)]) @scope
"""  # fmt: skip
JAVA = named(
    "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
    "annotation_type_declaration", "method_declaration", "constructor_declaration",
    "compact_constructor_declaration",
)  # fmt: skip
# The last two are `TEST(name) {`, which is a loop inside of a function, and `int PRIVATE(name)(`.
_NAMED_BY_MACRO = """(function_declarator
  declarator: (function_declarator declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration . type: (type_identifier) @name .) .)))"""
C = f"""
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
((translation_unit (function_definition type: (type_identifier) @_macro
  declarator: (parenthesized_declarator . (identifier) @name .)) @def)
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((function_definition declarator: [{_NAMED_BY_MACRO}
  (pointer_declarator declarator: {_NAMED_BY_MACRO})]) @def
  (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
"""
_CPP_NAME = """[(identifier) @name (field_identifier) @name (destructor_name) @name
  (operator_name) @name (template_function) @name
  (qualified_identifier scope: (_) @owner name: [(identifier) (destructor_name) (operator_name)
    (template_function)] @name)
  (qualified_identifier name: (qualified_identifier scope: (_) @owner name: (_) @name))]"""
_CONVERSION = """[(operator_cast) @name
  (qualified_identifier scope: (_) @owner name: (operator_cast) @name)
  (qualified_identifier name: (qualified_identifier scope: (_) @owner
    name: (operator_cast) @name))]"""
CPP = f"""
(function_definition declarator: {_CONVERSION}) @def
(field_declaration_list (declaration declarator: (operator_cast) @name) @def)
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
C_SHARP = named(
    "class_declaration", "struct_declaration", "interface_declaration", "enum_declaration",
    "record_declaration", "delegate_declaration", "method_declaration",
    "constructor_declaration", "destructor_declaration", "property_declaration",
    "namespace_declaration", "local_function_statement",
)  # fmt: skip
RUBY = (
    named("method", "singleton_method", "class", "module")
    + """
((assignment . (constant) @name (call . (constant) @_base)) @def
  (#any-of? @_base "Struct" "Data" "Class" "Module"))
"""
)
PHP = named(
    "function_definition", "class_declaration", "interface_declaration", "trait_declaration",
    "enum_declaration", "method_declaration",
)  # fmt: skip
KOTLIN = (
    named("class_declaration", "object_declaration", "companion_object", "function_declaration")
    + """
(type_alias type: (_) @name) @def
(source_file (property_declaration (variable_declaration . (identifier) @name)) @def)
"""
)
SCALA = named(
    "class_definition", "object_definition", "trait_definition", "enum_definition",
    "function_definition", "function_declaration", "type_definition", "given_definition",
    "package_object",
)  # fmt: skip
SWIFT = named("class_declaration", "protocol_declaration", "function_declaration",
                "protocol_function_declaration", "typealias_declaration") + """
(init_declaration "init" @name) @def
"""  # fmt: skip
LUA = (
    named("function_declaration")
    + """
(assignment_statement (variable_list . (_) @name . (attribute)? .)
  (expression_list . (function_definition))) @def
"""
)
ELIXIR = """
((call target: (identifier) @_kind (arguments . (alias) @name) (do_block)) @def
  (#any-of? @_kind "defmodule" "defprotocol" "defimpl"))
((call target: (identifier) @_kind (arguments . [
    (call target: (identifier) @name) (identifier) @name
    (binary_operator left: (call target: (identifier) @name))])) @def
  (#any-of? @_kind "def" "defp" "defmacro" "defmacrop" "defguard"
    "defguardp" "defdelegate"))
"""
HASKELL = (
    named("function", "bind", "data_type", "newtype", "class", "type_synonym")
    + """
(function (infix operator: [(operator) @name (infix_id (variable) @name)])) @def
"""
)
ZIG = """
(function_declaration name: (identifier) @name) @def
(variable_declaration (identifier) @name
  [(struct_declaration) (enum_declaration) (union_declaration) (opaque_declaration)
    (error_set_declaration)]) @def
"""
CSS = """
(rule_set (selectors) @name) @def
(keyframes_statement (keyframes_name) @name) @def
"""
