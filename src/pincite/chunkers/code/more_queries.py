"""Queries for further languages; see `grammars` for the captures.

`@rest` is for definitions that are not a single node of the tree: the definition continues to the
next such sibling, or to the end of the parent (a stage of a Dockerfile, a namespace of Clojure).
"""

from __future__ import annotations


def named(*types: str) -> str:
    """Return patterns for definitions of these types, which have their name in the field `name`.
    The name is not captured, but read from the node later (`node_names.name_of`): tree-sitter takes
    up to 0.1 s to compile a pattern with this field."""
    return "\n".join(f"({each}) @def" for each in types)


def _holding(name: str, *types: str) -> str:
    """Return a pattern for definitions of these types whose name is a child of the type `name`."""
    return "\n".join(f"({each} ({name}) @name) @def" for each in types)


SQL = _holding(
    "object_reference", "create_table", "create_view", "create_materialized_view",
    "create_function", "create_procedure", "create_trigger", "create_type", "create_sequence",
) + """
(create_index column: (identifier) @name) @def
(create_schema (identifier) @name) @def
"""  # fmt: skip
OBJECTIVE_C_TYPES = """
(class_interface . (identifier) @name) @def
(class_implementation . (identifier) @name) @def
(protocol_declaration . (identifier) @name) @def
(method_definition . (method_type)? . (identifier) @name) @def
(protocol_declaration (method_declaration . (method_type)? . (identifier) @name) @def)
(class_interface (method_declaration . (method_type)? . (identifier) @name) @def)
"""
_JULIA_CALL = "(call_expression . (_) @name)"
#: The left side of `f(x) = ...` and `f(x)::T = ...`, also with `where`.
_JULIA_SHORT = f"""[{_JULIA_CALL} (typed_expression . {_JULIA_CALL})
  (where_expression . {_JULIA_CALL}) (where_expression . (typed_expression . {_JULIA_CALL}))]"""
JULIA = f"""
(module_definition name: (_) @name) @def
(function_definition (signature [{_JULIA_CALL} (identifier) @name
  (typed_expression . {_JULIA_CALL}) (where_expression . {_JULIA_CALL})
  (where_expression . (typed_expression . {_JULIA_CALL}))])) @def
(macro_definition (signature {_JULIA_CALL})) @def
(source_file (assignment . {_JULIA_SHORT}) @def)
(module_definition (assignment . {_JULIA_SHORT}) @def)
(macrocall_expression (macro_argument_list . (assignment . {_JULIA_SHORT}) .)) @def
(_ (type_head [(identifier) @name (parametrized_type_expression . (_) @name)
  (binary_expression . [(identifier) @name (parametrized_type_expression . (_) @name)])])) @def
(const_statement (assignment . (identifier) @name)) @def
"""
_OCAML_MEMBERS = """
({0} (value_definition (let_binding pattern: (value_name) @name) @def))
({0} (type_definition (type_binding name: (_) @name) @def))
({0} (external (value_name) @name) @def)
"""
_OCAML_COMMON = """
(module_definition (module_binding (module_name) @name)) @def
(module_type_definition (module_type_name) @name) @def
(exception_definition (constructor_declaration (constructor_name) @name)) @def
(class_definition (class_binding (class_name) @name)) @def
(method_definition (method_name) @name) @def
(value_specification (value_name) @name) @def
(method_specification (method_name) @name) @def
(class_type_definition (class_type_binding (class_type_name) @name) @def)
"""
OCAML = (
    _OCAML_COMMON
    + _OCAML_MEMBERS.format("compilation_unit")
    + _OCAML_MEMBERS.format("structure")
    + """
(signature (type_definition (type_binding name: (_) @name) @def))
(signature (external (value_name) @name) @def)
"""
)
OCAML_INTERFACE = (
    _OCAML_COMMON
    + """
(type_definition (type_binding name: (_) @name) @def)
(external (value_name) @name) @def
"""
)
POWERSHELL = """
(function_statement (function_name) @name) @def
(class_statement . (simple_name) @name) @def
(enum_statement . (simple_name) @name) @def
(class_method_definition (simple_name) @name) @def
"""
SOLIDITY = named(
    "contract_declaration", "interface_declaration", "library_declaration", "function_definition",
    "modifier_definition", "event_definition", "error_declaration", "struct_declaration",
    "enum_declaration", "user_defined_type_definition", "state_variable_declaration",
    "constant_variable_declaration",
) + """
(constructor_definition "constructor" @name) @def
"""  # fmt: skip
_LABEL = "(string_lit (template_literal) {})"
TERRAFORM = f"""
(config_file (body (block . (identifier) @owner . {_LABEL.format("@name")} . (block_start)) @def))
(config_file (body (block . (identifier) . {_LABEL.format("@owner")}
  . {_LABEL.format("@name")} . (block_start)) @def))
(config_file (body (block . (identifier) @name . (block_start)) @scope))
(config_file (body (block . (identifier) @_kind (body (attribute (identifier) @name) @def))
  (#eq? @_kind "locals")))
(config_file (body (attribute (identifier) @name) @def))
"""
DOCKERFILE = """
(from_instruction as: (_) @name) @def @rest
(from_instruction (image_spec) @name !as) @scope @rest
(arg_instruction name: (_) @name) @def
"""
MAKE = """
((rule (targets . (word) @name)) @def (#not-match? @name "^[.][A-Z]"))
(define_directive name: (_) @name) @def
(makefile (variable_assignment name: (_) @name) @def)
"""
CLOJURE = """
((list_lit . (sym_lit (sym_name) @_kind) . (sym_lit (sym_name) @name)) @def @rest
  (#eq? @_kind "ns"))
((list_lit . (sym_lit (sym_name) @_kind) . (sym_lit (sym_name) @name)) @def
  (#match? @_kind "^def(n-?|macro|multi|method|protocol|record|type|once|interface|test|struct|inline)?$"))
((list_lit . (sym_lit (sym_name) @_kind) (list_lit . (sym_lit (sym_name) @name)) @def)
  (#any-of? @_kind "defprotocol" "definterface"))
"""  # noqa: E501
GRAPHQL = _holding(
    "name", "object_type_definition", "interface_type_definition", "union_type_definition",
    "enum_type_definition", "scalar_type_definition", "input_object_type_definition",
    "directive_definition", "operation_definition", "object_type_extension",
    "interface_type_extension", "input_object_type_extension", "enum_type_extension",
) + """
(fragment_definition (fragment_name (name) @name)) @def
(field_definition (name) @name (arguments_definition)) @def
"""  # fmt: skip
CMAKE = """
(function_def (function_command (argument_list . (argument) @name))) @def
(macro_def (macro_command (argument_list . (argument) @name))) @def
((normal_command (identifier) @_kind (argument_list . (argument) @name)) @def
  (#match? @_kind "^(add_(library|executable|custom_target)|option|ADD_(LIBRARY|EXECUTABLE))$")
  (#not-match? @name "[$]"))
"""
_R_NAME = "[(identifier) @name (string content: (_) @name)]"
R = f"""
(binary_operator lhs: {_R_NAME} rhs: (function_definition)) @def
((binary_operator lhs: {_R_NAME} rhs: (call function: (identifier) @_kind)) @def
  (#any-of? @_kind "R6Class" "setRefClass"))
((binary_operator lhs: {_R_NAME} rhs: (call function: (namespace_operator
  rhs: (identifier) @_kind))) @def
  (#any-of? @_kind "R6Class" "setRefClass"))
((argument name: (identifier) @_part value: (call arguments: (arguments
  (argument name: (identifier) @name value: (function_definition)) @def)))
  (#any-of? @_part "public" "private" "active" "methods"))
((call function: (identifier) @_kind
  arguments: (arguments . argument: (argument value: (string content: (_) @name)))) @def
  (#any-of? @_kind "setClass" "setGeneric" "setMethod" "setRefClass" "setValidity"))
"""
PROTOBUF = """
(message (message_name) @name) @def
(enum (enum_name) @name) @def
(service (service_name) @name) @def
(rpc (rpc_name) @name) @def
(oneof (identifier) @name) @def
"""
