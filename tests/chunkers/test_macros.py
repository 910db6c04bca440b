"""What looks like a macro of C or C++ may be a name, and keeps its symbol."""

from __future__ import annotations

import re

import pytest

from pincite.chunkers.code.find_definitions import find_definitions
from pincite.chunkers.code.grammars import GRAMMARS
from pincite.chunkers.code.kept_names import restored, types_in
from pincite.chunkers.code.macros import drop_calls, drop_macros
from pincite.chunkers.code.parsing import broken_bytes, parse, parse_repaired
from pincite.chunkers.code.repairs import OF_CPP, Repair, severe_bytes
from pincite.support.fields import replace
from tests.chunkers.laws import lawful_chunks
from tests.counting import grows_in_proportion

#: Functions of C++, with more bytes than a severe error has.
FUNCTIONS = "".join(f"int f{n}(int a) {{\n  return a + {n};\n}}\n\n" for n in range(40))
assert len(FUNCTIONS) > severe_bytes(b"")
#: Each with its names. Those before `|` are definitions, the others values.
CORPUS = {
    "class FS_USER final : public Base { int a; };": "FS_USER | a",
    "class FS_USER\n    final : public Base { int a; };": "FS_USER | a",
    "class JSON final {\n  int a;\n};": "JSON | a",
    "class SHOP_API JSON final {\n  int a;\n};": "JSON | a",
    "struct alignas(16) VEC4 { float x; };": "VEC4 | x",
    "struct alignas(sizeof(size_t)) VEC4 final { float x; };": "VEC4 | x",
    "struct __attribute__((aligned(sizeof(int)))) HEADER { int a; };": "HEADER | a",
    "class __declspec(dllexport) WINDOW { int a; };": "WINDOW | a",
    "union alignas(8) WORD { int i; };": "WORD | i",
    "typedef struct { int a; } __attribute__((packed)) MESSAGE;": "MESSAGE | a",
    "typedef struct {\n  int a;\n} __attribute__((packed)) MESSAGE;": "MESSAGE | a",
    "int __attribute__((noinline)) RUN;": "| RUN",
    "decltype(1) COUNT;": "| COUNT",
    "enum GL_API get_api(void) { return GL; }": "get_api |",
    "struct GL_API get_api(void) { return GL; }": "get_api |",
    "struct POINT p {1, 2};": "| p",
    "struct POINT p {x, y};": "| p",
    "struct POINT p {.x = 1};": "| p",
    "union VALUE v {1};": "| v",
    "struct GPIO { struct BITS port : 3; };": "GPIO | port",
    "class SHOP_API LRU {\n  LRU(int n)\n      : n_(n) {}\n  int n_;\n};": "LRU | n_",
    "class SHOP_API Lock {\n  Lock(int* m)\n      LOCKS(m)\n      : m_(m) {}\n};": "Lock |",
    "class SHOP_API Bag\n#if A\n  // why\n  : private Base\n#endif\n{\n  int a;\n};": "Bag | a",
    "class SHOP_API Basket : A\n# if B\n  , b::Base<int>\n# endif // B\n{ int a; };": "Basket | a",
    "class radio_t SHOP_FINAL : public base_t {\n  void stop();\n};": "radio_t stop |",
    "class SHOP_FINAL : public base_t {\n  void stop();\n};": "SHOP_FINAL stop |",
    "struct A { bool operator==(int a) const REQUIRES(m) { return 1; } };": "A operator== |",
    "struct A { bool operator()(int a) const NOEXCEPT { return 1; } };": "A operator() |",
    "template <> int limit<10>() { return 1; }": "limit<10> limit |",
    "struct A { operator bool() const { return 1; } };": "A operator bool |",
    "struct A { explicit operator std::function<int()>() const; };": (
        "A operator std::function<int()> |"
    ),
    "A::operator int*() const { return 0; }": "operator int* |",
}


@pytest.mark.parametrize("text", CORPUS)
def test_definitions_and_values_of_a_corpus_have_their_names(text: str) -> None:
    definitions, _, values = CORPUS[text].partition("|")
    chunks = lawful_chunks("shop.hpp", f"#pragma once\n{text}\n")
    defined = [name for chunk in chunks for name in chunk.definitions]
    found = [name for chunk in chunks for name in chunk.symbols]
    assert " ".join(dict.fromkeys(defined)) == definitions.strip()
    assert [name for name in found if name not in defined] == values.split()


def test_a_class_that_begins_in_both_branches_has_its_name_in_both() -> None:
    text = "#if A\ntemplate <class T> class Queue\n#else\nclass Queue\n#endif\n{ int a; };\n"
    parsed = parse_repaired(GRAMMARS["cpp"], text.encode())
    assert parsed is not None
    definitions = find_definitions(parsed, GRAMMARS["cpp"], text.split("\n"))
    assert [definitions.symbols_in(row, row) for row in (1, 3)] == [["Queue"], ["Queue"]]


def test_a_cast_in_front_of_a_constant_stays() -> None:
    text = b"int x = (int) MAX;\nint y = f((long) MIN);\nreturn (a) ONE;\n"
    assert drop_macros(text) == text


_BLANKED = re.compile(
    rb"FS_USER|VEC4|HEADER|MESSAGE|SHOP_API|LOCK\(m\)|REQUIRES\(m\)|(?<=  )LRU\(int n\)"
)


def _blank_names(source: bytes) -> bytes:
    """A repair that takes names for macros, too."""
    return _BLANKED.sub(lambda found: b" " * len(found[0]), source)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class FS_USER final : public Base { int a; };\n", ["FS_USER"]),
        ("struct alignas(16) VEC4\n{ float x; };\n", ["VEC4"]),
        ("struct __attribute__((packed)) HEADER { int a; };\n", ["HEADER"]),
        ("typedef struct {\n  int a;\n} __attribute__((packed)) MESSAGE;\n", ["MESSAGE"]),
        ("class LRU {\n  LRU(int n)\n      : n_(n) {}\n  int n_;\n};\n", ["LRU", "LRU"]),
        ("class SHOP_API Basket {\n  void total() LOCK(m);\n};\n", ["Basket", "total"]),
    ],
)
def test_a_repair_that_blanks_a_name_loses_no_definition(text: str, names: list[str]) -> None:
    repair = Repair(_blank_names, misread=OF_CPP[0].misread)
    grammar = replace(GRAMMARS["cpp"], repairs=(repair,))
    source = f"{text}void start() REQUIRES(m);\n".encode()
    assert repair.is_misread(source)
    parsed = parse_repaired(grammar, source)
    assert parsed is not None
    found = find_definitions(parsed, grammar, source.decode().split("\n"))
    assert [each.symbol for each in found.all][: len(names)] == names


def test_statements_that_are_macros_hide_no_definitions_behind_a_severe_error() -> None:
    flag = (
        'static FLAG(int, size, 256 << 10,\n  "the size (bytes");\nBOOL_VAR(b, 1 << 2, "text");\n'
    )
    text = "\n".join([flag * 6, "Shop::Shop(int a)\n    : a_(a) {\n}\n", FUNCTIONS])
    tree = parse(GRAMMARS["cpp"], text.encode())
    assert tree is not None
    assert broken_bytes(tree) >= severe_bytes(text.encode())
    headings = {chunk.headings for chunk in lawful_chunks("shop.cc", text)}
    assert {("Shop", "Shop"), ("f0",), ("f39",)} <= headings


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("FLAG(a, b,\n  c);\nint a;\n", "int a;"),
        ("static FLAG(a)\nint a;\n", "int a;"),
        ("FLAG(\")\", ')', (a)) // why\nint a;\n", "// why int a;"),
        ("FLAG(a)", ""),
    ],
)
def test_a_statement_that_is_a_macro_is_blanked(text: str, rest: str) -> None:
    dropped = drop_calls(text.encode())
    assert len(dropped) == len(text)
    assert dropped.count(b"\n") == text.count("\n")
    assert " ".join(dropped.decode().split()) == rest


@pytest.mark.parametrize(
    "text",
    [
        "TEST(Basket, Total) {\n}\n",
        "TEST(Basket, Total)\n{\n}\n",
        "LRU(int n)\n  : n_(n) {}\n",
        "FLAG(a\n",
        "FLAG(a) + 1;\n",
        "  FLAG(a);\n",
        "/* \nFLAG(a); */\n",
        "FLAG(\n#if A\na\n#else\nb\n#endif\n);\n",
    ],
)
def test_other_calls_stay(text: str) -> None:
    assert drop_calls(text.encode()) == text.encode()


@pytest.mark.parametrize("path", ["lapi.c", "lapi.m"])
def test_the_type_behind_a_macro_is_not_the_name_of_the_function(path: str) -> None:
    text = """
LIB_API lib_CFunction lib_panic (lib_State *L, lib_CFunction f) {
  return f;
}
static int CALLBACK on_event (int a) {
  return a;
}
LIB_API lib_Integer lib_length (lib_State *L);
int old PROTOTYPE ((int a)) {
  return a;
}
"""
    found = {name for chunk in lawful_chunks(path, text) for name in chunk.definitions}
    assert {"lib_panic", "on_event", "lib_length"} <= found
    assert found.isdisjoint({"lib_CFunction", "lib_Integer", "CALLBACK", "PROTOTYPE"})


@pytest.mark.parametrize("language", ["c", "cpp"])
@pytest.mark.parametrize("word", ["if", "while", "switch", "return"])
@pytest.mark.parametrize(
    "text",
    [
        "int f(int a) {\n  LIB_A LIB_B %s (a) {\n    g();\n  }\n  return 1;\n}\n",
        "int f(int a) {\n  return 1;\n}\nLIB_A(x) LIB_B %s (a) {\n  g();\n}\n",
        "int f(int a) {\n  FOO\n  BAR\n  %s (a) { g(); }\n}\n",
    ],
)
def test_a_keyword_behind_two_macros_is_no_definition(language: str, word: str, text: str) -> None:
    source = text % word
    grammar = GRAMMARS[language]
    parsed = parse_repaired(grammar, source.encode())
    assert parsed is not None
    found = find_definitions(parsed, grammar, source.split("\n"))
    assert found.symbols_in(0, source.count("\n")) == ["f"]
    assert [each.symbol for each in found.all] == ["f"]


def test_a_word_that_is_a_keyword_elsewhere_is_a_name() -> None:
    text = "int new(int a) {\n  return a;\n}\n"
    chunks = lawful_chunks("shop.c", text)
    assert [symbol for chunk in chunks for symbol in chunk.symbols] == ["new"]


def test_half_of_a_call_with_several_rows_does_not_return() -> None:
    """A macro has the name of a class. Its first row broke all functions behind it."""
    call = 'FLAG(int, size_%d, 1 << 10,\n     "text", struct x, if)\nint fun%d(int a) {\n}\n'
    source = "struct FLAG {\n  int x;\n};\n" + "".join(call % (n, n) for n in range(60))
    parsed = parse_repaired(GRAMMARS["cpp"], source.encode())
    assert parsed is not None
    assert broken_bytes(parsed.tree) == 0
    found = find_definitions(parsed, GRAMMARS["cpp"], source.split("\n"))
    assert [each.symbol for each in found.all] == ["FLAG", *(f"fun{n}" for n in range(60))]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("TEST_IMPL(timer_stops) {\n  return 0;\n}\n", ["timer_stops"]),
        ("static BENCHMARK(timers)\n{\n  run();\n}\n", ["timers"]),
        ("void LIB_PRIVATE(add_block)(arena* a, void* b) {\n  run();\n}\n", ["add_block"]),
        ("void* LIB_PRIVATE(steal)(arena* a) {\n  return a;\n}\n", ["steal"]),
        ("void f(void) {\n  LIST_EACH(item) {\n    run();\n  }\n}\n", ["f"]),
        ("type (name) {\n  run();\n}\n", []),
    ],
)
def test_a_macro_of_c_around_a_name_defines_it(text: str, names: list[str]) -> None:
    chunks = lawful_chunks("shop.c", text)
    assert [symbol for chunk in chunks for symbol in chunk.symbols] == names


def test_one_row_of_a_call_does_not_return_if_it_breaks_the_text() -> None:
    """The same in one row, which would return as a whole."""
    call = 'FLAG(int, size_%d, 1 << 10, "text", struct x, if)\nint fun%d(int a) {\n}\n'
    source = "struct FLAG {\n  int x;\n};\n" + "".join(call % (n, n) for n in range(60))
    parsed = parse_repaired(GRAMMARS["cpp"], source.encode())
    assert parsed is not None
    assert broken_bytes(parsed.tree) == 0


@pytest.mark.parametrize("call", ["FLAG(int,\n  a)\n", "FLAG(a) ONE(b,\n  c)\n"])
def test_rows_return_only_with_all_their_parentheses(call: str) -> None:
    source = f"{call}FLAG(b)\n".encode()
    text = re.sub(rb"\S", b" ", source)
    assert restored(source, text, {b"FLAG"}) == text[: len(call)] + b"FLAG(b)\n"


def test_a_type_with_an_error_around_its_name_has_none() -> None:
    tree = parse(GRAMMARS["c"], b"typedef struct { int a; } PACKED MSG;\nstruct ONE { int b; };\n")
    assert tree is not None
    assert types_in(GRAMMARS["c"], tree) == {b"ONE"}


def test_many_names_of_one_line_return_in_linear_time() -> None:
    def restore(size: int) -> None:
        source = b" int f() ABC;" * (size // 13)
        assert restored(source, source.replace(b"ABC", b"   "), {b"ABC"}) == source

    assert grows_in_proportion(restore, 30_000)


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("shop.c", "struct PACKED point {\n  int x;\n};\n", "point"),
        ("shop.c", "typedef struct PACKED point {\n  int x;\n} point_t;\n", "point_t"),
        ("shop.c", "union ALIGNED(8) word {\n  int x;\n};\n", "word"),
        (
            "shop.c",
            "#ifdef A\nstruct PACKED p {\n#else\nstruct p {\n#endif\n  int a;\n  int b;\n};\n",
            "p",
        ),
        ("shop.cc", "class [[nodiscard]] EXPORT Vec {\n  int x;\n};\n", "Vec"),
        ("shop.cc", "class EXPORT Foo::Bar {\n  int x;\n};\n", "Bar"),
        ("shop.cc", "struct EXPORT Foo::Bar : public Base {\n  int x;\n};\n", "Bar"),
    ],
)
def test_a_macro_before_the_name_of_a_structure_does_not_hide_it(
    path: str, text: str, name: str
) -> None:
    others = "int f(int a) {\n  return a;\n}\n"
    chunks = lawful_chunks(path, text + others)
    found = [one.rpartition("::")[2] for chunk in chunks for one in chunk.definitions]
    assert {name, "f"} <= set(found)


@pytest.mark.parametrize(
    "text",
    [
        "struct POINT p = {1, 2};\n",
        "struct POINT p;\n",
        "static struct OPTION list[] = {{1}};\n",
        "struct POINT f(int a) {\n  return g(a);\n}\n",
        "// struct PACKED point {\nint a;\n",
    ],
)
def test_a_type_of_c_in_capitals_stays(text: str) -> None:
    parsed = parse_repaired(GRAMMARS["c"], text.encode())
    assert parsed is not None
    assert parsed.before is None
    assert parsed.tree.root_node.text == text.encode()
