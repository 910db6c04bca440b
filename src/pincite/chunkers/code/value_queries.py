"""Queries for values with names: constants, variables of a file's top level, members of
enumerations, and fields of types.

`@value` captures the name. A value is found by its name, like a definition, but it does not affect
how the file is cut, and is not in heading paths. Variables within functions are not values.
`@assigned` captures a field that a constructor of `@type` sets. It is a value if the body of this
type has no `@value` of the same name. `@exported` captures an assignment that is a value unless its
right side is an import, the same name or nothing. `@object` captures the object that has the value:
`get` and `set` in a descriptor of `defineProperty` are not values.
"""

from __future__ import annotations

#: An import by assignment is not a value.
_NO_IMPORT = r'(#not-match? @_all "^[\\w$]+\\s*=\\s*(await\\s+)?(require|import)\\b")'
#: Module attributes that are directives, and not values.
_ELIXIR_OTHERS = (
    "after_compile|before_compile|behaviour|callback|compile|deprecated|derive|describetag|dialyzer"
    "|doc|enforce_keys|external_resource|file|impl|macrocallback|moduledoc|moduletag|on_load|opaque"
    "|optional_callbacks|requirements|shortdoc|since|spec|tag|type|typedoc|typep|vsn"
)
#: The name of a type or callback, with or without parameters.
_ELIXIR_NAMED = "[(identifier) @value (call . (identifier) @value)]"

_PYTHON = """
(module (expression_statement (assignment . (identifier) @value)))
(module (expression_statement (assignment . (pattern_list (identifier) @value))))
(module [(if_statement (block (expression_statement (assignment . (identifier) @value))))
  (try_statement (block (expression_statement (assignment . (identifier) @value))))])
(class_definition (block (expression_statement (assignment . (identifier) @value)))) @type
((class_definition (block (function_definition . (identifier) @_name (block (expression_statement
    (assignment . (attribute . (identifier) @_of . (identifier) @assigned))))))) @type
  (#eq? @_name "__init__") (#eq? @_of "self"))
"""
_JAVASCRIPT_VARIABLES = f"""
((program (lexical_declaration (variable_declarator . (identifier) @value) @_all)) {_NO_IMPORT})
((program (variable_declaration (variable_declarator . (identifier) @value) @_all)) {_NO_IMPORT})
"""
_JAVASCRIPT_EXPORTS = """
((assignment_expression . (member_expression
    . [(identifier) @_of (member_expression . (identifier) (property_identifier) @_of)]
    (property_identifier) @value)) @exported
  (#eq? @_of "exports") (#not-eq? @value "__esModule"))
"""
#: Functions as properties of an object.
_JAVASCRIPT_PROPERTIES = """
(object (pair . (property_identifier) @value
  [(arrow_function) (function_expression) (generator_function)] .)) @object
"""
_JAVASCRIPT_COMMON = _JAVASCRIPT_VARIABLES + _JAVASCRIPT_EXPORTS + _JAVASCRIPT_PROPERTIES
_JAVASCRIPT = f"""{_JAVASCRIPT_COMMON}
(class_body (field_definition [(property_identifier) (private_property_identifier)] @value)) @type
((class_body (method_definition (property_identifier) @_name (statement_block
    (expression_statement (assignment_expression . (member_expression
      . (this) (property_identifier) @assigned)))))) @type
  (#eq? @_name "constructor"))
"""
_TYPESCRIPT = f"""{_JAVASCRIPT_COMMON}
(public_field_definition [(property_identifier) (private_property_identifier)] @value)
(ambient_declaration [(lexical_declaration (variable_declarator . (identifier) @value))
  (variable_declaration (variable_declarator . (identifier) @value))])
(required_parameter (accessibility_modifier) (identifier) @value)
((call_expression . (identifier) @_of
  (type_arguments (object_type (property_signature (property_identifier) @value))))
  (#eq? @_of "defineProps"))
(interface_body (property_signature (property_identifier) @value))
(type_alias_declaration (object_type (property_signature (property_identifier) @value)))
(enum_body (property_identifier) @value)
(enum_assignment . (property_identifier) @value)
"""
_C_NAMED = """(identifier) @value (array_declarator . (identifier) @value)
  (pointer_declarator [(identifier) @value (array_declarator . (identifier) @value)
    (pointer_declarator (identifier) @value)])"""
_C_DECLARED = f"[{_C_NAMED} (init_declarator . [{_C_NAMED}])]"
_C_MEMBERS = """
(preproc_def (identifier) @value (preproc_arg))
(enumerator . (identifier) @value)
(field_declaration [(field_identifier) @value
  (array_declarator . [(field_identifier) @value (array_declarator . (field_identifier) @value)])
  (pointer_declarator [(field_identifier) @value (array_declarator . (field_identifier) @value)
    (pointer_declarator (field_identifier) @value)])
  (function_declarator (parenthesized_declarator (pointer_declarator (field_identifier) @value)))])
"""
_C = f"""{_C_MEMBERS}
(translation_unit [(declaration {_C_DECLARED}) (preproc_ifdef (declaration {_C_DECLARED}))
  (preproc_if (declaration {_C_DECLARED}))])
"""
#: Without patterns for declarations in `#ifdef`: each takes 0.1 s to compile, and files of this
#: language have no such guards.
_OBJECTIVE_C = f"""{_C_MEMBERS}
(translation_unit (declaration [(identifier) @value (init_declarator . [(identifier) @value
  (pointer_declarator (identifier) @value)])]))
"""
_SCALA_NAMED = """[(identifier) @value (identifiers (identifier) @value)
  (tuple_pattern [(identifier) @value (typed_pattern . (identifier) @value)])]"""

VALUES: dict[str, str] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": """
(source_file (const_declaration (const_spec (identifier) @value)))
(source_file (var_declaration (var_spec (identifier) @value)))
(source_file (var_declaration (var_spec_list (var_spec (identifier) @value))))
(field_declaration (field_identifier) @value)
""",
    "rust": """
(field_declaration (field_identifier) @value)
(enum_variant . (identifier) @value)
""",
    "java": """
(field_declaration (variable_declarator . (identifier) @value))
(constant_declaration (variable_declarator . (identifier) @value))
(record_declaration (formal_parameters (formal_parameter (identifier) @value)))
(enum_constant (identifier) @value)
""",
    "c": _C,
    "cpp": f"{_C} (declaration_list (declaration {_C_DECLARED}))",
    "objective_c": _OBJECTIVE_C,
    "c_sharp": """
(field_declaration (variable_declaration (variable_declarator . (identifier) @value)))
(record_declaration (parameter_list (parameter name: (identifier) @value)))
(enum_member_declaration (identifier) @value)
(event_field_declaration (variable_declaration (variable_declarator . (identifier) @value)))
(event_declaration name: (identifier) @value)
""",
    "ruby": """
(program (assignment . (constant) @value))
(body_statement (assignment . (constant) @value))
((call . (identifier) @_kind (argument_list (simple_symbol) @value))
  (#match? @_kind
    "^(attr_(accessor|reader|writer)|belongs_to|has_many|has_one|scope|delegate)$"))
((call . (identifier) @_kind (argument_list . (simple_symbol) @value))
  (#any-of? @_kind "alias_method" "define_method"))
(alias name: (_) @value)
""",
    "php": """
(const_declaration (const_element . (name) @value))
(property_declaration (property_element . (variable_name (name) @value)))
(property_promotion_parameter (variable_name (name) @value))
(enum_case (name) @value)
((function_call_expression . (name) @_kind (arguments . (argument
    [(encapsed_string (string_content) @value) (string (string_content) @value)])))
  (#eq? @_kind "define"))
""",
    "kotlin": """
(class_body (property_declaration (variable_declaration . (identifier) @value)))
(class_parameter (identifier) @value)
(enum_entry . (identifier) @value)
""",
    "scala": f"""
(compilation_unit [(val_definition pattern: {_SCALA_NAMED})
  (var_definition pattern: {_SCALA_NAMED})])
(template_body [(val_definition pattern: {_SCALA_NAMED}) (var_definition pattern: {_SCALA_NAMED})])
(class_parameter name: (identifier) @value)
(simple_enum_case . (identifier) @value)
""",
    "swift": """
(class_body (property_declaration (pattern (simple_identifier) @value)))
(source_file (property_declaration (pattern (simple_identifier) @value)))
(enum_class_body (property_declaration (pattern (simple_identifier) @value)))
(protocol_property_declaration (pattern (simple_identifier) @value))
(enum_entry (simple_identifier) @value)
""",
    "lua": """
(chunk (variable_declaration (assignment_statement (variable_list (identifier) @value))))
(chunk (assignment_statement (variable_list [(identifier) @value
  (dot_index_expression . (identifier) (identifier) @value)])))
(field !operator . (identifier) @value (function_definition) .)
(field (string (string_content) @value) (function_definition) .)
""",
    "bash": """
(program (variable_assignment . (variable_name) @value))
(program (declaration_command (variable_assignment . (variable_name) @value)))
""",
    "elixir": f"""
((unary_operator "@" (call . (identifier) @value))
  (#not-match? @value "^({_ELIXIR_OTHERS})$"))
((unary_operator "@" (call . (identifier) @_kind (arguments . [
    (binary_operator . {_ELIXIR_NAMED}) (binary_operator . (binary_operator . {_ELIXIR_NAMED}))])))
  (#any-of? @_kind "type" "typep" "opaque" "callback" "macrocallback")
  (#not-eq? @value "unquote"))
""",
    "haskell": """
(data_constructor [(prefix . (constructor) @value) (record . (constructor) @value)])
(data_constructor (record (fields (field (field_name (variable) @value)))))
(newtype_constructor . (constructor) @value)
(newtype_constructor (record (field (field_name (variable) @value))))
(class_declarations (signature [name: (variable) @value names: (binding_list (variable) @value)]))
(pattern_synonym (signature synonym: (constructor) @value))
""",
    "zig": """
((source_file (variable_declaration . (identifier) @value . (_) @_of))
  (#not-match? @_of "^@import"))
(container_field . (identifier) @value)
([(struct_declaration (variable_declaration . (identifier) @value . (_) @_of))
  (enum_declaration (variable_declaration . (identifier) @value . (_) @_of))
  (union_declaration (variable_declaration . (identifier) @value . (_) @_of))]
  (#not-match? @_of "^@import"))
""",
    "clojure": """
((list_lit . (sym_lit (sym_ns) (sym_name) @_kind) . (kwd_lit (kwd_name) @value))
  (#eq? @_kind "def"))
""",
    "css": '((declaration (property_name) @value) (#match? @value "^--"))',
    "sql": "(column_definition . (identifier) @value)",
    "terraform": """
(config_file (body (block . (identifier) . (string_lit (template_literal) @value)
  . (string_lit (template_literal)) . (block_start))))
""",
    "julia": """
(source_file (assignment . (identifier) @value))
(module_definition (assignment . (identifier) @value))
(struct_definition [(identifier) @value (typed_expression . (identifier) @value)])
""",
    "ocaml": """
(field_declaration (field_name) @value)
(constructor_declaration . (constructor_name) @value)
""",
    "powershell": """
(class_property_definition (variable) @value)
(enum_member . (simple_name) @value)
""",
    "solidity": """
(struct_member name: (identifier) @value)
(enum_value) @value
""",
    "dockerfile": "(env_pair . (unquoted_string) @value)",
    "cmake": """
((normal_command . (identifier) @_kind (argument_list . (argument) @value))
  (#match? @_kind "^(set|SET)$") (#not-match? @value "[$]"))
""",
    "r": '(program (binary_operator lhs: (identifier) @value operator: ["<-" "="]))',
    "protobuf": """
[(field (identifier) @value) (map_field (identifier) @value) (oneof_field (identifier) @value)]
(enum_field (identifier) @value)
""",
    "graphql": """
(field_definition . (name) @value)
(input_fields_definition (input_value_definition . (name) @value))
(enum_value (name) @value)
""",
}
