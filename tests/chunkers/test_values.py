"""Constants, variables of the top level, members of enumerations and fields are found by name."""

from __future__ import annotations

import time

import pytest

from pincite.chunkers import ChunkerConfig, lacks_grammar
from pincite.chunkers.code.find_definitions import find_definitions
from pincite.chunkers.code.grammars import GRAMMARS
from pincite.chunkers.code.parsing import Parsed, parse
from pincite.chunkers.code.value_queries import VALUES
from pincite.readers.languages import file_type
from tests.chunkers.laws import lawful_chunks

#: A program of each language, its values, and names in it that are none.
PROGRAMS = {
    "a.py": (
        "import os\nLIMIT = 1\nrate: int = 2\nlow, high = 1, 2\nclass Job:\n    size: int\n"
        "    KIND = 3\n    def __init__(self, owner):\n        self.owner = owner\n"
        "        self.age: int = 1\n        local = 2\n    def run(self):\n        self.late = 1\n",
        "LIMIT rate low high size KIND owner age",
        "os local late",
    ),
    "a.js": (
        'const http = require("http");\nconst port = 3000, host = f();\nvar LIMITS = {a: 1};\n'
        "class Job { static kind = 1; constructor() { this.owner = 1; } run() { this.late = 2 } }\n"
        "let state;\nfunction f() { const local = 1; }\n"
        "const api = { isOpen: (x) => x, shut: function () {}, plain: 1 };\n"
        "exports.MOST = exports.LEAST = 3; module.exports.depth = f();\n"
        "exports.same = same; exports.read = require('b'); exports.gone = void 0;\n"
        "exports.lost = exports.void = void 0; exports.one = exports.two = one;\n"
        "exports.kept = __importStar(require('c')); exports.part = require('d').part;\n"
        "exports.base = (0, _interop.default)(require('c')).default;\n"
        "exports.VERSION = require('../p.json').version; exports.pool = open(require('c'));\n"
        "Object.defineProperty(exports, 'x', {get: function () { return 1; }});\n",
        "port host LIMITS kind owner state api isOpen shut MOST LEAST depth two VERSION pool",
        "http a local late plain same read gone lost void one kept part base version get x",
    ),
    "a.ts": (
        "const rate: number = 1;\nenum Kind { Small, Big = 2 }\n"
        "interface Job { name: string; run(): void }\ntype Options = { depth: number };\n"
        "class Task { private readonly age = 1; constructor(private owner: number, x: Q) {} }\n"
        "export const limit = 2;\ndeclare const known: string;\n"
        "const api = { isOpen: (x: Q): x is R => true };\nexports.MOST = 3;\n"
        "const props = withDefaults(defineProps<{ text: string, size?: number }>(), {});\n"
        "const [page] = useState<{ unseen: string }>();\n",
        "api isOpen MOST props text size known rate Small Big name depth age owner limit",
        "x number unseen",
    ),
    "a.tsx": (
        "const Rate = 1;\nfunction App() { const local = 2; return <a/>; }\n",
        "Rate",
        "local",
    ),
    "a.go": (
        "package a\nconst Limit = 1\nconst (\n\tFirst = iota\n\tSecond\n)\nvar (\n\trate int\n)\n"
        "var low, high = 1, 2\ntype Job struct {\n\tName, Kind string\n\t*Base\n}\n"
        "func f() { var local int }\n",
        "Limit First Second rate low high Name Kind",
        "local Base",
    ),
    "a.rs": (
        "struct Job { pub name: u8, age: u8 }\nenum Kind { Small, Big(u8), Odd { size: u8 } }\n"
        "fn f() { let local = 1; }\n",
        "name age Small Big Odd size",
        "local",
    ),
    "A.java": (
        "class A { static final int LIMIT = 1; private String name, owner;\n"
        "  enum Kind { SMALL, BIG(1) }\n  void f() { int local = 1; } }\n"
        "interface I { int RATE = 1; }\nrecord Point(int left, int top) {}\n",
        "LIMIT name owner SMALL BIG RATE left top",
        "local",
    ),
    "a.c": (
        "#ifndef GUARD_H\n#define GUARD_H\n#define LIMIT 1\nenum kind { SMALL, BIG = 2 };\n"
        "static int rate = 1;\nchar *name = 0;\nint table[3] = {1};\nint later;\n"
        "struct job { int age; char *owner; int marks[3]; int (*run)(int); };\n"
        "struct bits { unsigned : 4; char **words; struct job *jobs[4]; };\n"
        "int f(void) { int local = 1; return local; }\n#endif\n",
        "words jobs LIMIT SMALL BIG rate name table later age owner marks run",
        "GUARD_H local",
    ),
    "a.cpp": (
        "constexpr int limit = 1;\nnamespace n { const int rate = 2; }\n"
        "class Job { int age_; static const int kind = 3; };\nenum class Size { Small };\n",
        "limit rate age_ kind Small",
        "",
    ),
    "a.m": (
        "#define LIMIT 1\n@interface Job : Base\n@end\nstatic int rate = 1;\n",
        "LIMIT rate",
        "",
    ),
    "a.cs": (
        "class A { public const int Limit = 1; readonly int _name; enum Kind { Small, Big = 1 } }\n"
        "record Point(int Left, Other Top);\n"
        "class Bus { public event H Sent, Lost; event H Moved { add { } remove { } } }\n",
        "Limit _name Small Big Left Top Sent Lost Moved",
        "Other",
    ),
    "a.rb": (
        "LIMIT = 1\nclass Job\n  KINDS = 2\n  attr_reader :owner, :age\n"
        "  def run; local = 1; end\n  alias_method :go, :run_old\n  alias one two\n"
        "  alias :write= :store\n  define_method(:stop) { 1 }\n  delegate :size, to: :items\n"
        "end\n",
        "LIMIT KINDS owner age go one write= stop size",
        "local run_old two store items to",
    ),
    "a.php": (
        "<?php\nconst LIMIT = 1;\ndefine('RATE', 2);\nclass Job { const KIND = 1;\n"
        "  public $age = 2; function __construct(private int $owner) { $local = 1; } }\n"
        "enum Size { case Small; }\n",
        "LIMIT RATE KIND age owner Small",
        "local",
    ),
    "a.kt": (
        "class Job(val owner: Int) {\n  val age = 2\n"
        "  companion object { const val LIMIT = 1 }\n}\nenum class Kind { SMALL, BIG }\n"
        "fun f() { val local = 1 }\n",
        "owner age LIMIT SMALL BIG",
        "local",
    ),
    "a.scala": (
        "object Jobs {\n  val limit = other\n  private val Pat(x) = y\n"
        "  var rate = 2\n  def f = { val local = 1; local }\n}\n"
        "enum Kind { case Small, Big }\ncase class Point(left: Int)\n"
        "object Pairs { val (first, second: Int) = f }\n",
        "first second limit rate Small Big left",
        "local other Pat x y",
    ),
    "a.swift": (
        "let limit = 1\nclass Job {\n  var age: Int = 2\n  func f() { let local = 1 }\n}\n"
        "enum Kind { case small, big(Int)\n  static let usual = 1\n"
        "  var title: String { let inner = 1; return inner } }\n"
        "protocol Sized { var size: Int { get } }\n",
        "limit age small big usual title size",
        "local inner",
    ),
    "a.lua": (
        "local M = {}\nM.timeout = 5\nlocal low, high = 1, 2\n"
        "local function f() local inner = 1 end\n"
        "local m = {\n  enter = function (w) end,\n  ['leave'] = function () end, plain = 1,\n"
        "  [index] = function () end,\n}\nadd{ removed = function (_, v) return v end }\n",
        "M timeout low high m enter leave removed",
        "inner plain index",
    ),
    "a.sh": ("LIMIT=1\nexport RATE=2\nf() { inner=1; }\n", "LIMIT RATE", "inner"),
    "a.ex": (
        'defmodule Jobs do\n  @moduledoc "x"\n  @timeout 5000\n'
        "  @spec f() :: any\n  def f, do: not open?(1)\n"
        "  @type state :: :on | :off\n  @opaque pair(a, b) :: {a, b}\n"
        "  @callback run(job) :: :ok when job: term\n  @macrocallback wrap(x) :: any\nend\n",
        "timeout state pair run wrap",
        "moduledoc spec open? type opaque callback job",
    ),
    "a.hs": (
        "data Kind = Small Int | Odd { size :: Int }\nnewtype Name = Name { text :: Int }\n"
        "main = run def { mask = 1 }\nhigh Rect { height = h } = h\n"
        "class Store m where\n  put, get :: m ()\n  free :: m Int\npattern Zero :: Int\n",
        "Small Odd size text put get free Zero",
        "mask Rect height",
    ),
    "a.zig": (
        'const std = @import("std");\nconst limit = 1;\nconst Job = struct { age: u8 };\n'
        "const Page = struct {\n  pub const most = 3;\n  const own: u8 = 1;\n"
        '  const mem = @import("mem");\n  fn f() void { const local = 1; }\n};\n'
        "const Kind = enum { small, pub const first = 1; };\n"
        "const Any = union { a: u8, pub const none = 2; };\n",
        "limit age most own small first none",
        "std mem local",
    ),
    "a.css": (":root { --main-color: red; color: blue; }\n", "--main-color", "color"),
    "a.sql": ("CREATE TABLE jobs (id INT, [owner name] INT);\n", "id", ""),
    "a.jl": ("rate = 1\nstruct Job\n  age::Int\n  name\nend\n", "rate age name", ""),
    "a.ml": ("type job = { age : int }\ntype kind = Small | Big of int\n", "age Small Big", ""),
    "a.mli": ("type kind = Small | Big of int\n", "Small Big", ""),
    "a.tf": (
        'resource "aws_vpc" "main" {\n  cidr = 1\n}\ndata "aws_ami" "linux" {\n}\n'
        'variable "region" {\n}\n',
        "aws_vpc aws_ami main linux region",
        "resource data variable cidr",
    ),
    "a.ps1": ("class Job { [int]$Age }\nenum Kind { Small; Big }\n", "Age Small Big", "$Age"),
    "a.clj": (
        "(ns a)\n(s/def ::path-params (s/keys))\n(spec/def :my.ns/options string?)\n"
        "(s/valid? ::other {})\n",
        "path-params options",
        "other my.ns",
    ),
    "a.sol": ("contract A { struct Job { uint age; } enum Kind { Small } }\n", "age Small", ""),
    "Dockerfile": ("FROM a\nENV RATE=1 LIMIT=2\n", "RATE LIMIT", ""),
    "CMakeLists.txt": ("set(LIMIT 1)\nset(${x}_y 2)\n", "LIMIT", "${x}_y"),
    "a.R": ("limit <- 1\nrate = 2\ndata |> show()\n", "limit rate", "data"),
    "a.proto": (
        'syntax = "proto3";\nmessage Job { string name = 1; repeated int32 ids = 2; }\n'
        "message Page { oneof of { int32 row = 1; } map<string, int32> ages = 2; }\n"
        "enum Kind { SMALL = 0; }\n",
        "name ids row ages SMALL",
        "",
    ),
    "a.graphql": (
        "type Job { name: Int }\nenum Kind { SMALL }\ninput New { age: Int }\n",
        "name SMALL age",
        "",
    ),
}


def language_of(path: str, text: str) -> str:
    found = file_type(path, text[:1000].encode())
    assert found is not None
    return found.language


@pytest.mark.parametrize("path", PROGRAMS)
def test_values_are_found_by_name_in(path: str) -> None:
    text, values, others = PROGRAMS[path]
    if lacks_grammar(language_of(path, text)):
        pytest.skip("needs the extra `languages`")
    symbols = {name for chunk in lawful_chunks(path, text) for name in chunk.symbols}
    assert symbols >= set(values.split())
    assert "" not in symbols
    assert symbols.isdisjoint(others.split())


def test_every_query_has_a_program() -> None:
    assert {language_of(path, text) for path, (text, _, _) in PROGRAMS.items()} == set(VALUES)
    assert set(VALUES) <= set(GRAMMARS)


def test_names_of_definitions_precede_those_of_values() -> None:
    text = "LIMIT = 1\n\n\ndef run():\n    pass\n"
    (chunk,) = lawful_chunks("a.py", text)
    assert (chunk.symbols, chunk.named_values) == (("run", "LIMIT"), 1)
    assert chunk.definitions == ("run",)


def test_a_name_that_is_defined_and_assigned_is_a_definition() -> None:
    (chunk,) = lawful_chunks("a.js", "const run = () => 1;\nlet state = 2;\n")
    assert (chunk.symbols, chunk.definitions) == (("run", "state"), ("run",))


def test_a_section_of_a_long_line_has_the_values_that_it_names() -> None:
    text = "const " + ", ".join(f"name{number} = {number}" for number in range(400)) + ";\n"
    chunks = lawful_chunks("a.js", text)
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.named_values == len(chunk.symbols) > 0
        assert all(name in chunk.text for name in chunk.symbols)


@pytest.mark.parametrize(
    ("path", "text", "rows"),
    [
        (
            "a.py",
            "class A:\n  def __init__(self):\n    self.size = 1\n    self.age = 2\n  size: int\n",
            [(3, "age"), (4, "size")],
        ),
        (
            "a.js",
            "class A {\n  size;\n  constructor() {\n    this.size = 1;\n    this.age = 2\n  }\n}\n",
            [(1, "size"), (4, "age")],
        ),
    ],
)
def test_a_field_that_its_class_declares_is_found_there_and_not_in_the_constructor(
    path: str, text: str, rows: list[tuple[int, str]]
) -> None:
    grammar = GRAMMARS[language_of(path, text)]
    tree = parse(grammar, text.encode())
    assert tree is not None
    assert find_definitions(Parsed(tree), grammar, text.splitlines()).values == rows


def test_a_value_neither_cuts_a_file_nor_names_a_section() -> None:
    text = "".join(f"LIMIT_{number} = {number}  # of something\n" for number in range(60))
    chunks = lawful_chunks("a.py", text, ChunkerConfig(target_tokens=64))
    assert {chunk.headings for chunk in chunks} == {()}
    assert len(chunks) < 30
    assert sum(len(chunk.symbols) for chunk in chunks) == 60


#: Each is a list of many names. The query of Lua took 200 s for 4,000 of them.
WIDE = {
    "a.lua": "local {} last = 1\n",
    "a.py": "{} last = 1\n",
    "a.js": "const {} last = 1;\n",
    "a.go": "package a\nvar {} last int\n",
    "a.c": "int {} last;\n",
    "A.java": "enum E {{ {} LAST }}\n",
    "a.rs": "enum E {{ {} Last }}\n",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("path", WIDE)
def test_a_list_of_20000_names_takes_no_time(path: str) -> None:
    assert lawful_chunks(path, WIDE[path].format("a, " * 20_000))


@pytest.mark.parametrize(
    ("right", "is_value"),
    [
        ("require('../package.json').version", True),
        ("functions.https.onRequest(require('./app'))", True),
        ("serverless(require('./app'))", True),
        ("mysql.createPool(require('./config'))", True),
        ("other", True),
        ("!name", True),
        ("require('./a')", False),
        ("require('./a').name", False),
        ("require('./a').default", False),
        ("_interopRequireDefault(require('./a'))", False),
        ("_interop_require_default(require('./a')).default", False),
        ("__importDefault(require('./a'))", False),
        ("tslib_1.__importStar(require('./a'))", False),
        ("(0, tslib_1.__importStar)(require('./a'))", False),
        ("__toESM(require('./a'))", False),
        ("void 0", False),
        ("undefined", False),
        ("a.name", False),
    ],
)
@pytest.mark.parametrize("path", ["a.js", "a.ts"])
def test_an_export_is_a_value_unless_it_only_passes_something_on(
    path: str, right: str, is_value: bool
) -> None:
    (chunk,) = lawful_chunks(path, f"exports.first = exports.name = {right};\n", ChunkerConfig())
    assert ("name" in chunk.symbols) == is_value


def test_get_and_set_are_names_unless_they_describe_a_property() -> None:
    text = "const cache = {\n  get: (key) => key,\n  set: function (key) {},\n  has: () => 1\n};\n"
    (chunk,) = lawful_chunks("a.js", text, ChunkerConfig())
    assert set(chunk.symbols) == {"cache", "get", "set", "has"}
    text = (
        "Object.defineProperty(exports, 'Kind', {\n  enumerable: true,\n"
        "  get: function () { return a.Kind; },\n  set: (value) => {}\n});\n"
        "defineProperty(get(), key, [1, {}], {set: () => 1});\n"
    )
    (chunk,) = lawful_chunks("a.js", text, ChunkerConfig())
    assert chunk.symbols == ("set",)


def test_a_chain_of_exports_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        text = f"{' = '.join(f'exports.n{i}' for i in range(count))} = void 0;\n"
        grammar = GRAMMARS["javascript"]
        tree = parse(grammar, text.encode())
        assert tree is not None
        begun_s = time.process_time()
        assert find_definitions(Parsed(tree), grammar, text.split("\n")).values == []
        return time.process_time() - begun_s

    assert seconds(16_000) < 60 * max(seconds(1_000), 0.01)
