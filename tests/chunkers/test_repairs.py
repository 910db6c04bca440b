"""Macros and branches that a parser of C or C++ misunderstands hide no definitions."""

from __future__ import annotations

import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.chunkers.code.branches import blank, drop_branches
from pincite.chunkers.code.grammars import GRAMMARS
from pincite.chunkers.code.kept_names import constructors, possible_types, restored
from pincite.chunkers.code.macros import drop_calls
from pincite.chunkers.code.parsing import broken_bytes, parse, parse_repaired
from pincite.chunkers.code.repairs import OF_C, OF_CPP, severe_bytes
from tests.chunkers.laws import lawful_chunks

_drop_macros = OF_CPP[0].rewrite
_drop_both = OF_C[0].rewrite
#: Functions of C, with more bytes than a severe error has.
FUNCTIONS = "".join(f"int f{n}(int a) {{\n  return a + {n};\n}}\n\n" for n in range(40))
assert len(FUNCTIONS) > severe_bytes(b"")


def symbols(path: str, text: str) -> set[str]:
    return {symbol for chunk in lawful_chunks(path, text) for symbol in chunk.symbols}


def within(path: str, text: str, start: str) -> tuple[str, ...]:
    """The headings of the chunk with the line that begins with these words."""
    return next(
        chunk.headings
        for chunk in lawful_chunks(path, text)
        if any(line.lstrip().startswith(start) for line in chunk.text.splitlines())
    )


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("class SHOP_EXPORT Basket {\n public:\n  int total() const;\n};\n", "Basket total"),
        ("class SHOP_EXPORT Basket : public Base {\n  int total();\n};\n", "Basket total"),
        ('class CAPABILITY("mutex") Basket final {\n  void total();\n};\n', "Basket total"),
        ("struct Basket {\n  void total() ASSERT_LOCKED() {}\n};\n", "Basket total"),
        ("void Basket::total() const REQUIRES(mutex_) {\n  add();\n}\n", "Basket total"),
        ("SHOP_INLINE Basket::total(int sum, int tax) : sum_(sum) {\n}\n", "Basket total"),
    ],
)
def test_a_macro_of_cpp_is_no_name(text: str, path: str) -> None:
    chunks = lawful_chunks("shop.cc", text)
    known = {symbol for chunk in chunks for symbol in chunk.symbols}
    assert known <= set(path.split()), known
    assert path.split()[-1] in known
    assert tuple(path.split()) in {chunk.headings for chunk in chunks} | {
        (*chunk.headings, *chunk.symbols[1:]) for chunk in chunks
    }


def test_a_guarded_field_is_a_value() -> None:
    text = "class Basket {\n  int a_ GUARDED_BY(mutex_);\n  int b_ GUARDED_BY(mutex_) = 0;\n};\n"
    chunks = lawful_chunks("shop.h", text)
    assert {name for chunk in chunks for name in chunk.definitions} == {"Basket"}
    assert symbols("shop.h", text) == {"Basket", "a_", "b_"}


@pytest.mark.parametrize(
    "text",
    [
        '// class SHOP_EXPORT Basket {\nconst char* text = "class SHOP_EXPORT Basket {";\n',
        "/* void f() REQUIRES(m) {\n SHOP_API int x; */\n",
        "#define SHOP_API __declspec(export)\n#define OPEN(x) f(x) CLOSE(x) \\\n  SHOP_API int\n",
        'auto text = R"x(\n"class SHOP_EXPORT Basket {)x";\n',
        "enum { FIRST,\n  LIST_END\n};\n",
        "TEST(Basket, Total)\n{\n}\n",
    ],
)
def test_text_that_only_looks_like_a_macro_stays(text: str) -> None:
    assert _drop_macros(text.encode()) == text.encode()


SPLIT = f"""
int connect(int fd) {{
#ifdef FAST
  if (fast(fd)) {{
#else
  if (slow(fd,
           1)) {{
#endif
    return 1;
  }}
  return 0;
}}

{FUNCTIONS}
"""
CONTINUED = """
int connect(int fd) {
  return fd
#if defined(FAST) && \\
    defined(FASTER)
    + 1
#elif defined(SLOW)
    + 2
#endif
    ;
}
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_branches_that_split_a_statement_hide_no_definitions(language: str) -> None:
    grammar = GRAMMARS[language]
    tree = parse(grammar, SPLIT.encode())
    parsed = parse_repaired(grammar, SPLIT.encode())
    assert tree is not None
    assert parsed is not None
    assert broken_bytes(tree) >= severe_bytes(SPLIT.encode())
    assert broken_bytes(parsed.tree) == 0
    assert parsed.before is not None
    path = f"net.{language}"
    assert within(path, SPLIT, "return a + 39") == ("f39",)
    assert within(path, SPLIT, "int connect") == ("connect",)


def test_branches_within_an_expression_are_left_out() -> None:
    repaired = drop_branches(CONTINUED.encode())
    tree = parse(GRAMMARS["c"], repaired)
    assert tree is not None
    assert broken_bytes(tree) == 0
    assert b"+ 1" in repaired
    assert b"+ 2" not in repaired


def test_names_in_a_branch_that_is_left_out_are_found() -> None:
    text = f"""
#ifdef FAST
struct fast {{
#else
#define SLOW_LIMIT 3
static int limit_of(int a) {{ return a; }}
enum kind {{
  SLOW_KIND
}};
struct slow {{
#endif
  int size;
}};
int broken(int a) {{
#ifdef FAST
  if (a) {{
#else
  if (!a) {{
#endif
  }}
}}
{FUNCTIONS}
"""
    parsed = parse_repaired(GRAMMARS["c"], text.encode())
    assert parsed is not None
    assert 5 in parsed.hidden
    assert {"fast", "size", "SLOW_LIMIT", "limit_of", "kind", "slow"} <= symbols("a.c", text)
    assert within("a.c", text, "return a + 39") == ("f39",)


def test_of_a_branch_that_is_never_compiled_the_other_one_is_read() -> None:
    text = b"int f(void) {\n#if 0\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n"
    dropped = drop_branches(text)
    assert b"if (b)" in dropped
    assert b"if (a)" not in dropped
    assert b"#" not in dropped


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef A\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n",
        '#ifndef A\n#define A\n# if B\nint a;\n# else\n# error "it\'s" {\n# endif\n#endif\n',
        "#if A\nchar c = '{'; /* { */ // {\n#else\nchar* c = \"}}\";\n#endif\n",
        "#if A\n++a;\n#else\n::run();\n#endif\n",
        "#if A\nint a;\n",
        "#endif\n#else\n",
    ],
)
def test_branches_that_can_be_read_alone_stay(text: str) -> None:
    assert drop_branches(text.encode()) == text.encode()


def test_a_small_error_of_c_is_not_repaired() -> None:
    text = b"SHOP_API int total(void);\n"
    parsed = parse_repaired(GRAMMARS["c"], text)
    assert parsed is not None
    assert parsed.tree.root_node.has_error
    assert parsed.tree.root_node.text == text


def test_a_text_that_is_worse_without_its_macros_is_parsed_as_it_is() -> None:
    text = ("class SHOP_EXPORT Basket {\n" + "(" * 2000 + "\n").encode()
    parsed = parse_repaired(GRAMMARS["cpp"], text)
    assert parsed is not None
    assert parsed.tree.root_node.text == text


PARTS = (
    *("#if A\n", "#else\n", "#endif\n", "#if 0 \\\n", "{", "}", "(", ")", '"', "'", "/*", "*/"),
    *("//", "\\", "\n", "\r\n", "é", 'R"(', ')"', "class API_X Y ", "A_FIELDS", " X(a)", ";"),
)


@given(st.lists(st.sampled_from(PARTS)))
def test_any_text_keeps_its_length_and_lines(parts: list[str]) -> None:
    text = "".join(parts).encode()
    repaired = _drop_both(text)
    assert len(repaired) == len(text)
    assert [len(line) for line in repaired.split(b"\n")] == [
        len(line) for line in text.split(b"\n")
    ]


@pytest.mark.parametrize(
    "part",
    [
        *('"', '\\"', "'", "/*", 'R"(', "//", "\\", "\n#", "#if A\n", "{", ") ", ") A", "A" * 99),
        *(
            ") AAAA (",
            "class AAA ",
            "class AAA b",
            " A_GUARDED_BY(a",
            "(a",
            "\nAAA(",
            "A_",
            "\nA_FIELDS",
        ),
        *("#if A\n{\n#else\n", "#if A\n#endif\n(", "\n#if A \\", " ", ")\n", "\nAAA (a) \n"),
        *("\nAAA(a);", "\nAAA(\n", ")\nAAA(a)\n:", "(a) AAA;", "a)b)c) AAA;", "(((a))) AAA;"),
        *("struct AAA b", "union AAA(a) b::", "struct AAA b::c::", "]] AAA b "),
        *("class AAA {", "class AAA final", "} AAA;\n", "A_FINAL : ", "enum A_API a ("),
        *("\n#if A\n:", "\n#if A\n: a\n#endif\n", "\n#if A\n,\n"),
    ],
)
def test_hostile_text_is_rewritten_in_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        text = (part * (size // len(part))).encode()
        begun_s = time.thread_time()
        OF_CPP[0].is_misread(text)
        OF_C[1].is_misread(text)
        drop_calls(text)
        for repaired in (_drop_both(text), blank(text)):
            possible_types(text, repaired)
            restored(text, repaired, constructors(text, repaired))
        return time.thread_time() - begun_s

    gc.disable()  # it would look at all objects of the test process
    try:
        seconds(100)
        assert seconds(400_000) < 40 * max(seconds(40_000), 0.002)
    finally:
        gc.enable()
