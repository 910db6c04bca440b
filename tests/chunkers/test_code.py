from __future__ import annotations

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.code.definitions import names_of
from pincite.chunkers.code.find_definitions import find_definitions
from pincite.chunkers.code.grammars import GRAMMARS, grammar_for, lacks_grammar, load
from pincite.chunkers.code.parsing import parse, parse_repaired
from pincite.chunkers.code.patterns import PATTERNS, names_in, unquoted
from pincite.readers.languages import file_type
from tests.chunkers.definitions import DEFINITIONS
from tests.chunkers.laws import lawful_chunks
from tests.chunkers.more_samples import MORE_SAMPLES
from tests.chunkers.samples import SAMPLES, Sample

TINY = ChunkerConfig(target_tokens=24, max_tokens=72, solo_tokens=8)


ALL = [*SAMPLES, *MORE_SAMPLES]


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.path)
def test_definitions_are_cut_and_named_in(sample: Sample) -> None:
    chunks = lawful_chunks(sample.path, sample.text, TINY)
    found = tuple((chunk.text, chunk.headings, chunk.symbols) for chunk in chunks)
    for (text, headings, symbols), expected in zip(found, sample.expected, strict=False):
        assert text.startswith(expected[0])
        assert (headings, symbols) == expected[1:]
    assert len(found) == len(sample.expected)


def test_every_grammar_has_a_sample_loads_and_belongs_to_a_language_that_is_read() -> None:
    paths = [*(each.path for each in ALL), *DEFINITIONS]
    sampled = {found.language for path in paths if (found := file_type(path))}
    assert sampled == set(GRAMMARS)
    for language in GRAMMARS:
        grammar = grammar_for(language)
        assert lacks_grammar(language) == (grammar is None)
        assert grammar is None or load(grammar)


def test_a_long_function_is_cut_between_statements_and_keeps_its_name() -> None:
    body = "".join(
        f"        if argument == {n}:\n            value = compute({n})\n" for n in range(30)
    )
    chunks = lawful_chunks("a.py", f"class Foo:\n    def run(self, argument):\n{body}", TINY)
    assert {chunk.headings for chunk in chunks[1:]} == {("Foo", "run")}
    assert chunks[0].symbols == ("Foo", "run")
    assert all(chunk.symbols == () for chunk in chunks[1:])
    assert all(chunk.text.lstrip().startswith("if argument") for chunk in chunks[1:])


def test_a_class_head_is_not_left_alone() -> None:
    methods = "".join(
        f"    def m{n}(self):\n        return compute({n}, {n})\n\n" for n in range(9)
    )
    first = lawful_chunks("a.py", f"class Foo(Base):\n{methods}", TINY)[0]
    assert first.text.startswith("class Foo(Base):\n    def m0")


@pytest.mark.parametrize(
    ("path", "head", "before", "line"),
    [
        (
            "a.rb",
            "def rotate(key)\n",
            "def a\n  1\nend\n\n",
            "  store(alpha(beta), gamma(delta))\n",
        ),
        (
            "a.clj",
            "(defn rotate [key]\n",
            "(def a 1)\n\n",
            "  (store (alpha beta) (gamma delta))\n",
        ),
        (
            "a.lua",
            "function rotate(key)\n",
            "local a = 1\n\n",
            "  store(alpha(beta), gamma(delta))\n",
        ),
        ("a.jl", "function rotate(key)\n", "a() = 1\n\n", "  store(alpha(beta), gamma(delta))\n"),
    ],
)
def test_the_line_with_a_name_opens_the_passage_of_its_definition(
    path: str, head: str, before: str, line: str
) -> None:
    end = ")\n" if path == "a.clj" else "end\n"
    chunks = lawful_chunks(path, before + head + 9 * line + end, TINY)
    first = next(one for one in chunks if "rotate" in one.symbols)
    assert head + line.rstrip() in first.text


def test_a_closing_brace_is_not_left_alone() -> None:
    body = "".join(f"    value = compute({n}, value, other);\n" for n in range(30))
    for path in ("a.c", "a.js", "a.go", "a.rs", "A.java"):
        last = lawful_chunks(path, f"void run(int value) {{\n{body}}}\n", TINY)[-1]
        assert last.text.count("\n") >= 1


def test_one_line_functions_share_a_chunk() -> None:
    text = "".join(f"def f{n}(x): return x\n\n" for n in range(3))
    config = ChunkerConfig()
    (chunk,) = lawful_chunks("a.py", text, config)
    assert chunk.symbols == ("f0", "f1", "f2")
    assert chunk.headings == ()


def test_imports_and_licence_are_covered_but_apart_from_the_first_definition() -> None:
    licence = "# Some rights reserved by somebody, see the file that says so.\n" * 6
    imports = "import one\nimport two\n"
    function = '\n\ndef run():\n    """Runs it."""\n' + "    call(one, two)\n" * 12
    first, second = lawful_chunks("a.py", licence + "\n" + imports + function, ChunkerConfig())
    assert first.text.startswith("# Some rights")
    assert first.text.endswith("import two")
    assert second.headings == ("run",)


def test_code_with_syntax_errors_still_finds_what_it_can() -> None:
    text = (
        "def good(x):\n    return x\n\n\ndef broken(:\n    retrun ((\n\n\nclass Fine:\n    y = 1\n"
    )
    names = {name for chunk in lawful_chunks("a.py", text, TINY) for name in chunk.symbols}
    assert {"good", "Fine"} <= names


def test_names_outside_of_ascii_are_exact() -> None:
    text = '"""Größe, 大きさ, 🦜."""\n\n\ndef größe(çà):\n    return "🦜" * çà\n'
    (chunk,) = lawful_chunks("a.py", text, ChunkerConfig())
    assert chunk.symbols == ("größe",)


def test_a_text_on_which_a_parser_despairs_is_cut_by_lines() -> None:
    despair = "<!--" * 40_000
    assert parse(GRAMMARS["cpp"], despair.encode()) is None
    lawful_chunks("a.cpp", despair)


def test_a_long_docstring_stays_below_its_function() -> None:
    lines = "".join(f"    Line {n} of what is said about it.\n" for n in range(30))
    text = f'def run(x):\n    """Runs.\n\n{lines}    """\n    return x\n'
    chunks = lawful_chunks("a.py", text, TINY)
    assert chunks[0].text.startswith('def run(x):\n    """Runs.')
    assert {chunk.headings for chunk in chunks} == {("run",)}


@pytest.mark.parametrize(
    ("path", "text", "symbols"),
    [
        ("a.ex", "defmodule Plug.Conn do\n  def a(x), do: x\nend\n", ("Plug.Conn", "Conn", "a")),
        ("a.rb", "class Sinatra::Base\n  def x\n  end\nend\n", ("Sinatra::Base", "Base", "x")),
        (
            "a.cpp",
            "template <> struct formatter<a::T, char> {\n  int f();\n};\n",
            ("formatter<a::T, char>", "formatter", "f"),
        ),
        ("a.cpp", "bool operator<(A a, B b) { return true; }\n", ("operator<",)),
        ("a.kt", "package x\n\npublic val Timeout: Plugin = make {\n}\n", ("Timeout",)),
        ("a.kt", "class A {\n  val inner = 1\n}\n", ("A", "inner")),
        ("a.c", "typedef void (*read_cb)(int fd, void *data);\n", ("read_cb",)),
        (
            "a.c",
            "typedef int row[3], *row_p, (*row_f)(row), plain;\n",
            ("plain", "row", "row_f", "row_p"),
        ),
        ("a.c", "typedef void *(*(*maker)(int))(char);\n", ("maker",)),
        ("a.c", "typedef BOOL (WINAPI *opener)(HANDLE a, int b);\n", ("opener",)),
        ("a.c", "typedef XMLPUBFUN void (*release)(void *mem);\n", ("release",)),
        ("a.c", "typedef void EXPORT_API (*cb)(int);\n", ("cb",)),
        ("a.c", "typedef _Atomic(int) count_t;\n", ("count_t",)),
        ("a.c", "typedef unsigned char bool;\n", ("bool",)),
        ("a.c", "typedef _Bool bool, *flags;\n", ("bool", "flags")),
        ("a.c", "typedef MY_API bool found;\n", ("found",)),
        ("a.cpp", "typedef const T& reference;\ntypedef T &&moved;\n", ("reference", "moved")),
        ("a.cpp", "namespace n { typedef int (*cmp)(T<int> a); }\n", ("cmp", "n")),
        ("a.m", "typedef void (^Done)(NSError *e);\n@interface A\n@end\n", ("Done", "A")),
        ("a.m", "typedef NSString *Name NS_TYPED_ENUM;\n@interface A\n@end\n", ("Name", "A")),
        ("a.m", "typedef NS_ENUM(NSInteger, Kind) {\n  Small = 1\n};\n@class A;\n", ("Kind",)),
        ("a.ex", "defmodule A do\n  defguardp is_low(v) when v < 1\nend\n", ("A", "is_low")),
        ("a.js", "exports.handlers = {\n  get: 1,\n}\n", ("handlers",)),
        ("a.js", "module.exports = {\n  get: 1,\n}\n", ()),
        ("a.js", "function $get() {}\n", ("$get",)),
        ("a.go", "package a\n\nfunc (/* c */ s *Server) Start() {}\n", ("Start",)),
        ("a.go", "package a\n\nfunc (s *Server /* c */) Stop() {}\n", ("Stop",)),
        ("a.go", "package a\n\nfunc (List[T]) Len() {}\n", ("Len",)),
        ("a.lua", "local f <const> = function()\nend\n", ("f",)),
        ("a.sql", "CREATE TABLE `lines` (id INT);\n", ("lines", "id")),
        ("a.sql", 'CREATE TABLE "public"."users" (id INT);\n', ("public.users", "users", "id")),
        ("a.sql", 'CREATE TABLE "Order Details" (id INT);\n', ("Order Details", "id")),
        ("a.sql", "CREATE TABLE [dbo].[Orders] ([Id] int);\n", ("dbo.Orders", "Orders")),
        ("a.sql", "CREATE PROCEDURE [dbo].[pay] @id int AS\nSELECT 1\n", ("dbo.pay", "pay")),
        ("a.sql", "CREATE OR ALTER PROCEDURE [dbo].[pay]\nAS\nx\n", ("dbo.pay", "pay")),
        ("a.hs", "a `orElse` b = a\n\nx <||> y = x\n", ("orElse", "<||>")),
    ],
)
def test_a_definition_can_be_asked_for_by_its_name_and_the_last_part_of_it(
    path: str, text: str, symbols: tuple[str, ...]
) -> None:
    chunks = lawful_chunks(path, text)
    assert chunks[0].symbols == symbols
    assert (chunks[0].start_line, chunks[-1].end_line) == (1, text.count("\n"))


@pytest.mark.parametrize(
    ("path", "text", "symbols"),
    [
        ("a.h", "BEGIN_C\nclass API file_base : public X {\n int a;\n", {"file_base"}),
        ("a.cpp", "X_BEGIN)\ntemplate <typename T> FMT_X auto upper() -> int {\n", {"upper"}),
        ("a.rs", "make! {\n    #[status = X]\n    pub struct NoHost(Error);\n}\n", {"NoHost"}),
        ("a.rs", "macro_rules! m {\n  () => {\n    fn made() {}\n  };\n}\n", {"m", "made"}),
        ("a.js", "%%)(\nexport default function $run() {\n", {"$run"}),
        ("a.kt", "class A {\n  fun close() {}}\nclass B(val x: Int) {\n}}}\n", {"A", "B", "close"}),
        ("a.kt", "}}}\ninternal inline fun <T> List<T>.second(): T = (((\n", {"second"}),
        ("a.sql", "DELIMITER //\nCREATE PROCEDURE pay(IN a INT) BEGIN x y z; END //\n", {"pay"}),
    ],
)  # fmt: skip
def test_what_a_parser_does_not_understand_is_known_by_its_line(
    path: str, text: str, symbols: set[str]
) -> None:
    named = {symbol for chunk in lawful_chunks(path, text) for symbol in chunk.symbols}
    assert symbols <= named


@pytest.mark.parametrize(
    ("path", "text", "headings"),
    [
        (
            "Ports.kt",
            "interface Sink { fun put(x: Int) }\ninterface Source { val x: Int } // one\n"
            "class Repo {\n  companion object Factory {\n    fun make() = Repo()\n  }\n}\n",
            ["Sink", "Sink put", "Source", "Repo", "Repo Factory", "Repo Factory make"],
        ),
        ("Text.kt", 'val x = "a } b }"\nobject O { init { a() } }\nclass C\n', ["x", "O", "C"]),
        (
            "Money.swift",
            "struct Money {\n  static func == (a: Money, b: Money) -> Bool { true }\n"
            "  init() {}\n}\nfunc <~> (a: Int, b: Int) -> Int { a }\n",
            ["Money", "Money ==", "Money init", "<~>"],
        ),
        ("a.kt", "class T {\n  fun `adds two`() {}\n}\n", ["T", "T adds two"]),
        ("a.hs", "(<+>) a b = a\n\n(<.>) = f\n", ["<+>", "<.>"]),
        (
            "a.scala",
            "given order: Ordering[Int] with\n  def compare(x: Int, y: Int) = 0\n"
            "package object util { def help = 1 }\n",
            ["order", "order compare", "util", "util help"],
        ),
        (
            "a.zig",
            "const E = error{Bad};\nconst H = opaque {\n  fn close() void {}\n};\n",
            ["E", "H", "H close"],
        ),
        (
            "a.rb",
            "Line = Struct.new(:sku) do\n  def price; end\nend\nLIMIT = Max.new(3)\n",
            ["Line", "Line price"],
        ),
        ("a.sol", "type P is uint;\ncontract A { type Id is bytes32; }\n", ["P", "A", "A Id"]),
        (
            "a.R",
            'Q <- R6::R6Class("Q", public = list(n = 1, add = function(x) x))\n'
            "`%or%` <- function(a, b) apply(a, FUN = function(x) x)\n",
            ["Q", "Q add", "%or%"],
        ),
    ],
)
def test_definitions_have_the_path_of(path: str, text: str, headings: list[str]) -> None:
    found = file_type(path)
    assert found is not None
    grammar = grammar_for(found.language, path)
    if grammar is None:
        pytest.skip("needs the extra `languages`")
    parsed = parse_repaired(grammar, text.encode())
    assert parsed is not None
    assert not parsed.tree.root_node.has_error
    known = find_definitions(parsed, grammar, text.splitlines())
    assert [" ".join(each.path) for each in known.all] == headings
    names = {each.symbol for each in known.all} | {name for _, name in known.values}
    assert names == {symbol for chunk in lawful_chunks(path, text) for symbol in chunk.symbols}


def test_a_mend_that_makes_a_tree_no_better_is_not_used() -> None:
    grammar = GRAMMARS["sql"]
    for source in (b"SELECT a[i] FROM t;\n", b"CREATE TABLE t (a int[]);\n(((\n[x]", b"(" * 9):
        parsed = parse_repaired(grammar, source)
        assert parsed is not None
        assert parsed.tree.root_node.text == source


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("orders", "orders"),
        ("dbo].[Orders", "dbo.Orders"),
        ('[a b].`c d`."e f" @id int', "a b.c d.e f"),
        ("dbo].[pay] @id int", "dbo.pay"),
        ('"cut off', "cut off"),
        ("[x]", "x"),
        ("[]", "[]"),
        ("", ""),
        ('dbo."say ""hi"""', 'dbo.say "hi"'),
        ("[a]]b].[c]", "a]b.c"),
        ("`a``b`", "a`b"),
    ],
)
def test_a_name_of_sql_is_known_without_its_quotes(written: str, name: str) -> None:
    assert unquoted(written) == name


def test_a_parameter_or_a_call_on_a_broken_line_defines_nothing() -> None:
    text = (
        "}}}\nstatic int run(\n    struct state *data,\n    struct peer other,\n)(\nreturn f(x)\n"
    )
    named = {symbol for chunk in lawful_chunks("a.c", text) for symbol in chunk.symbols}
    assert named <= {"run"}


@pytest.mark.parametrize(
    "line",
    ["template <" * 30_000, "class " * 50_000, "class A" + "(" * 200_000, "a " * 100_000 + "b(",
     "pub(" * 50_000, "create table " * 20_000, "struct " + "A " * 100_000],
    ids=lambda line: line[:12],
)  # fmt: skip
def test_patterns_look_at_the_begin_of_a_line_alone(line: str) -> None:
    for patterns in PATTERNS.values():
        names_in(patterns, range(2_000), [line] * 2_000)


def test_a_specialisation_is_found_by_the_name_of_its_template() -> None:
    arguments = "T, Char, enable_if_t<detail::type_constant<T, Char>::value != detail::custom_type>"
    for start in (f"formatter<{arguments}>", f"formatter< {arguments} >", "formatter <bool>"):
        text = f"namespace fmt {{\ntemplate <typename T> struct {start} {{\n  int size;\n}};\n}}\n"
        names = {name for chunk in lawful_chunks("a.hpp", text) for name in chunk.symbols}
        assert "formatter" in names


def test_names_that_are_no_paths_are_left_as_they_are() -> None:
    for name in (".", "operator<", "operator>", ".btn:hover", "a b", "x.", "<>"):
        assert names_of(name) == (name,)
    assert names_of("") == ()


def test_typedefs_on_lines_with_errors_are_recognised_by_the_form_of_the_line() -> None:
    text = [
        "typedef void (*read_cb)(int fd,",
        "  typedef int (WINAPI *opener)",
        "typedef NS_ENUM(NSInteger, Kind) {",
        "typedef struct a_s a_t;",
        "typedef char row[3][4];",
        "typedef NSString *Name NS_TYPED_ENUM;",
        "} flags;",
        "  } inner;",
        "} else;",
        "typedef struct {",
        "x = typedef_of(a);",
    ]
    assert names_in(PATTERNS["c"], range(len(text)), text) == [
        (0, "read_cb"), (1, "opener"), (2, "Kind"), (3, "a_t"), (4, "row"), (5, "Name"),
        (6, "flags"),
    ]  # fmt: skip
