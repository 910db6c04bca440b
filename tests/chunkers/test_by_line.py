from __future__ import annotations

import time

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.code.by_line import chunk_by_line, find_by_line
from pincite.chunkers.code.line_languages import LINE_LANGUAGES
from pincite.chunkers.lines import Lines
from pincite.chunkers.packing import Packer
from pincite.readers.languages import LANGUAGES, file_type
from tests.chunkers.laws import lawful_chunks, read
from tests.chunkers.line_samples import LINE_SAMPLES, LineSample
from tests.chunkers.more_line_samples import MORE_LINE_SAMPLES
from tests.counting import CountedList
from tests.time_limits import GROWS_S

ALL = (*LINE_SAMPLES, *MORE_LINE_SAMPLES)
TINY = ChunkerConfig(target_tokens=24, max_tokens=72, solo_tokens=8)


def outline(path: str, text: str) -> list[str]:
    found = file_type(path)
    assert found
    definitions = find_by_line(Lines(text), LINE_LANGUAGES[found.language]).definitions
    return [f"{one.first + 1}-{one.last + 1} {'/'.join(one.path)}" for one in definitions]


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.path)
def test_definitions_have_their_lines_and_names(sample: LineSample) -> None:
    expected = [line.strip() for line in sample.expected.splitlines()]
    assert outline(sample.path, sample.text) == expected
    windows = sample.text.replace("\n", "\r\n")
    assert outline(sample.path, windows) == expected


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.path)
def test_every_name_is_a_symbol_of_one_chunk_and_every_line_is_in_one(sample: LineSample) -> None:
    names = [line.rpartition("/")[2].rpartition(" ")[2] for line in sample.expected.splitlines()]
    for config in (TINY, ChunkerConfig()):
        symbols = [
            name
            for chunk in lawful_chunks(sample.path, sample.text, config)
            for name in chunk.symbols
        ]
        assert set(names) <= set(symbols)


def test_every_language_has_a_sample_and_is_read() -> None:
    sampled = {found.language for each in ALL if (found := file_type(each.path))}
    assert sampled == set(LINE_LANGUAGES)
    assert sampled <= LANGUAGES


def test_a_definition_that_fits_is_one_chunk_with_its_comment() -> None:
    body = "".join(f"    my $value{n} = compute({n});\n" for n in range(4))
    text = "".join(f"# Says what {n} does.\nsub f{n} {{\n{body}}}\n\n" for n in range(3))
    chunks = lawful_chunks("a.pl", text, ChunkerConfig(60, 120, 20))
    assert [chunk.headings for chunk in chunks] == [("f0",), ("f1",), ("f2",)]
    assert all(
        chunk.text.startswith("# Says what") and chunk.text.endswith("}") for chunk in chunks
    )


def test_a_long_definition_is_cut_and_all_its_chunks_have_its_path() -> None:
    body = "".join(f"    final value{n} = compute({n});\n\n" for n in range(30))
    chunks = lawful_chunks("a.dart", f"class A {{\n  void run() {{\n{body}  }}\n}}\n", TINY)
    assert len(chunks) > 3
    assert {chunk.headings for chunk in chunks[:-1]} == {("A", "run")}
    assert chunks[0].text.startswith("class A {\n  void run() {")
    assert chunks[0].symbols == ("A", "run")


@pytest.mark.parametrize(
    "line",
    [
        "    return call(name) {",
        "    bool Function(String name)? callback = (name) {",
        "    await expect(found, () {",
        "    } else if (ready) {",
        "    call(name);",
        "    final found = call(name, () {",
        "    Page scan(String name);",
        "    Future<Page> scan(Uri url, {Map<String, String>? headers});",
        "    const SizedBox(height: 8),",
        "    const Padding(",
        "    ? first(a)",
        "    a ?? load(b),",
        "    key, make(c),",
        "    c.d && isValid(x)) {",
        "    println describe(x)",
    ],
)
def test_a_statement_is_no_function(line: str) -> None:
    assert outline("a.dart", f"void run() {{\n{line}\n}}\n") == ["1-3 run"]
    assert outline("a.groovy", f"void run() {{\n{line}\n}}\n") == ["1-3 run"]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.dart", "class A {\n  int delete(\n    a,\n  ) {\n  }\n}\n", "1-6 A\n2-5 A/delete"),
        ("a.d", "int scan(int a)\n{\n}\n", "1-3 scan"),
        (
            "a.dart",
            "class A {\n  factory A.of(int a) {\n    return A();\n  }\n"
            "  const factory A.no(int a) = B;\n}\n",
            "1-6 A\n2-4 A/A.of\n5-5 A/A.no",
        ),
        (
            "a.dart",
            "extension on Stream<int> {\n  void add() {\n    g();\n  }\n}\n",
            "1-5 Stream\n2-4 Stream/add",
        ),
        ("a.dart", "class A {\n  void f() {\n//    old();\n    g();\n  }\n}\n", "1-6 A\n2-5 A/f"),
        ("a.glsl", "void main() {\n#ifdef A\n  a();\n#endif\n}\n", "1-5 main"),
        ("a.dart", f"/* {'long ' * 60}*/\nclass A {{\n}}\n", "2-3 A"),
        (
            "a.pas",
            "procedure A;\nbegin\nend;\n\ntype\n  TFoo = class\n  end;\nbegin\nend.\n",
            "1-3 A\n6-7 TFoo",
        ),
        (
            "a.pas",
            "procedure A;\nvar\n  N: Integer;\n{ a\n function returns }\nbegin\nend;\n",
            "1-7 A",
        ),
        (
            "a.fs",
            "let record x =\n    x\nlet internalState x = x\n",
            "1-2 record\n3-3 internalState",
        ),
        ("a.fs", "(* type of\nand the *)\nlet a b = b\n", "3-3 a"),
        ("a.purs", "class Monad m <= MonadFoo m where\n  foo :: m\n", "1-2 MonadFoo"),
        (
            "a.elm",
            "port module Main exposing (a)\n\n{-| Says\nmore. -}\na : Int\na =\n    1\n",
            "5-7 a",
        ),
        (
            "a.el",
            "(define-key global-map 'a)\n(defun (setf foo) (a) a)\n(defer (lambda () 1))\n",
            "2-2 foo",
        ),
        ("a.lisp", "#| old\n(defun old () 1)\n|#\n(defun new () 1)\n", "4-4 new"),
        ("a.sv", "virtual interface my_if vif;\nmodule a;\nendmodule\n", "2-3 a"),
        ("a.thrift", "typedef i32 Foo;\ntypedef i64 Bar // ID of the thing\n", "1-1 Foo\n2-2 Bar"),
        ("a.nim", "type Foo* = object\n  a: int\n", "1-2 Foo"),
        ("a.mojo", 'fn a():\n    """Says.\n    fn main():\n    """\n    return 1\n', "1-5 a"),
        ("a.pl", "sub a {\n#   b();\n  1;\n}\n__END__\nsub c {\n", "1-4 a"),
        ("a.vhd", "function f(a : bit) return bit;\ntype t is (a, b);\n", "1-1 f"),
    ],
)
def test_extents_and_names_that_were_wrong(path: str, text: str, expected: str) -> None:
    assert outline(path, text) == expected.split("\n")


@pytest.mark.parametrize(
    ("path", "text", "symbols", "values"),
    [
        (
            "a.pm",
            "package A;\nhas 'one';\nhas [qw(two three)];\nhas ['four', '+five'] => 1;\n"
            "has [@more];\nour $VERSION = 1;\nmy %seen;\nsub f {\n  my $local = 1;\n}\n",
            "A one two three four five f",
            "VERSION seen",
        ),
        (
            "a.dart",
            "const kSize = 1;\nfinal Map<String, int> sizes = {};\nvar late = f();\n"
            "enum Mode { fast, slow }\nenum Kind {\n  /// Small.\n  small('a', 1),\n  big(\n"
            "    local,\n  ),\n  odd, // of all\n  last;\n\n  final int inner;\n}\n"
            "class A {\n  static const Duration depth = x;\n  static int? count;\n"
            "  static int get rate => 1;\n  void f() {\n    final local = 1;\n  }\n}\n",
            "Mode Kind A rate f",
            "kSize sizes late fast slow small big odd last depth count",
        ),
        ("a.vala", "void sort<T> (T a) {\n}\n", "sort", ""),
        ("a.groovy", "static <T> T find(T a) {\n}\nT made<T>(T a) {\n}\n", "find made", ""),
        ("a.d", "enum Kind { a, b }\n", "Kind", ""),
    ],
)
def test_lines_have_several_names_and_values(
    path: str, text: str, symbols: str, values: str
) -> None:
    found = lawful_chunks(path, text)
    definitions = {name for chunk in found for name in chunk.definitions}
    names = {name for chunk in found for name in chunk.symbols}
    assert (definitions, names - definitions) == (set(symbols.split()), set(values.split()))


def test_names_of_one_line_and_values_have_its_row() -> None:
    text = "has [qw(a b c)];\n\nmy $d = 1;\n"
    outlined = find_by_line(Lines(text), LINE_LANGUAGES["perl"])
    assert outlined.further == [(0, "b"), (0, "c")]
    assert outlined.values == [(2, "d")]


def test_an_entry_of_documentation_is_one_chunk() -> None:
    says = "\n\n".join(f"Says more of what it does, as often as {n}." for n in range(3))
    text = "sub a { 1 }\n\n" + "".join(f"=head2 m{n}\n\n{says}\n\n" for n in range(3)) + "=cut\n"
    found = lawful_chunks("a.pl", text, ChunkerConfig(50, 100, 12))
    assert [chunk.text.count("Says more") for chunk in found] == [3, 3, 3]
    assert [chunk.text.count("=head2") for chunk in found] == [1, 1, 1]


def test_a_comment_of_several_lines_goes_with_its_definition() -> None:
    text = "a : Int\na =\n    1\n\n\n{-| Says\nmore. -}\nb : Int\nb =\n    2\n"
    found = lawful_chunks("a.elm", text, ChunkerConfig(16, 40, 4))
    assert [chunk.text[:9] for chunk in found] == ["a : Int\na", "{-| Says\n"]


def test_names_end_after_many_and_extents_do_not() -> None:
    text = "package A;\n" + "".join(f"sub f{n} {{\n}}\n" for n in range(20_100)) + "1;\n"
    found = find_by_line(Lines(text), LINE_LANGUAGES["perl"]).definitions
    assert len(found) == 20_000
    assert found[0].last == text.count("\n") - 1


HOSTILE = (
    *("sub ", "a ", "a<", "static ", "has '", "package a", "(define ((", "a.b ", "type a = "),
    *("function a ", "mixin ", "@a ", "let rec ", "public static ", "=head1\n", "/*\n", "{\n"),
    *("  x\n", "(\n", "instance a", "has [qw(a ", "a<b, ", '"\\"', "static a ", "a, "),
)


def test_hostile_texts_take_linear_time() -> None:
    texts = [part * (40_000 // len(part)) for part in HOSTILE]
    texts += ["\n".join(part.strip() * 60 for _ in range(160)) for part in HOSTILE]
    texts += ["\n".join(" " * n + "sub a {" for n in range(800))]
    for lines in map(Lines, texts):
        for language in LINE_LANGUAGES.values():
            started_s = time.process_time()
            find_by_line(lines, language)
            assert time.process_time() - started_s < GROWS_S / 6, lines.text[:20]


def test_definitions_nested_without_end_are_cut() -> None:
    text = "\n".join(" " * n + f"sub a{n} {{" for n in range(400))
    assert lawful_chunks("a.pl", text, TINY)


def lines_read(text: str, path: str) -> int:
    """How many lines the chunker reads of a text, those that it reads again included."""
    document = read(path, text)
    lines = Lines(text)
    lines.lines = counted = CountedList(lines.lines)
    chunk_by_line(lines, Packer(document, lines, ChunkerConfig()), document.language)
    return counted.reads


def test_ends_of_comments_that_never_began_are_read_a_few_times() -> None:
    ends, rest = "x */\n", "class A {\n}\n"
    assert lawful_chunks("a.dart", ends * 2_000 + rest, ChunkerConfig())[-1].symbols == ("A",)
    once, twice = (lines_read(ends * many + rest, "a.dart") for many in (1_000, 2_000))
    assert 1_000 <= once <= 10 * 1_000  # for each end up to the start: 500,000
    assert twice <= 2.1 * once
