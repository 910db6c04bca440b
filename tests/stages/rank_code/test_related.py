"""Questions for callers, imports, heirs and overrides: these passages come first."""

from __future__ import annotations

import ast
import time
from pathlib import Path

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.readers.languages import LANGUAGES
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, heads, rank_code, use_lines
from pincite.stages.rank_code.related import related
from pincite.stages.rank_code.use_lines import ImportPatterns, Use
from tests.builders import candidate, chunk
from tests.counting import grows_in_proportion
from tests.time_limits import GROWS_S

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")


def one(
    path: str,
    text: str,
    *symbols: str,
    language: str = "python",
    within: tuple[str, ...] = (),
    repo: str = "acme/docs",
) -> Candidate:
    found = chunk(
        path,
        text=text,
        repo=repo,
        id=path,
        path=path,
        source_type="code",
        language=language,
        symbols=symbols,
        headings=within,
    )
    return Candidate("main", found, (Signal("fused", "normalised", 0.5),))


def found(question: str, *candidates: Candidate) -> list[str]:
    query = prepare(Question(question), PrepareConfig())
    return [each.chunk.path for each in related(query, candidates)]


OWN = one("users.py", "def load_users(path):\n    return parse(path)", "load_users")
CALLER = one("app.py", "def main():\n    users = load_users(PATH)", "main")
PASSED = one("jobs.py", "def jobs():\n    return [load_users]", "jobs")
IMPORT = one("cli.py", "from users import load_users\n\nRUN = 1")
SAID = one("notes.py", "# load_users(path) is slow\nX = 1")
NAMED = one("log.py", 'def warn():\n    log("load_users(path) failed")', "warn")
TEST = one("tests/test_users.py", "def test_it():\n    assert load_users(X)", "test_it")
LONGER = one("other.py", "def other():\n    reload_users(1)\n    load_users_of(2)", "other")
USES = (OWN, SAID, NAMED, IMPORT, TEST, PASSED, CALLER, LONGER)


def test_uses_in_the_place_that_the_question_names_precede_others() -> None:
    near = one("src/jobs/run.py", "def run():\n    return load_users(JOBS)", "run")
    assert found("who calls load_users", CALLER, near)[0] == "app.py"
    assert found("who calls load_users in src/jobs", CALLER, near) == ["src/jobs/run.py", "app.py"]
    assert found("callers of load_users in run.py", CALLER, near)[0] == "src/jobs/run.py"
    assert found("who calls load_users in the lib folder", CALLER, near)[0] == "app.py"
    ui = one("Sources/UI/run.py", "def run():\n    return load_users(JOBS)", "run")
    for place in ("Sources/UI", "../docs/Sources/UI/", "/srv/acme/docs/Sources/UI/run.py"):
        assert found(f"callers of load_users in {place}", CALLER, near, ui)[0] == ui.chunk.path
    other = one("UI/run.py", "def run():\n    return load_users(JOBS)", "run")
    assert found("callers of load_users in Sources/UI", other, ui)[0] == ui.chunk.path


@pytest.mark.parametrize(
    "places",
    [
        *("src/jobs or lib", "lib and src/jobs", "lib, src/jobs and nosuch", "jobs or in the lib"),
        *("the lib folder or the jobs folder", "the folders jobs and lib", "jobs, or lib"),
    ],
)
def test_uses_in_any_of_several_places_precede_others(places: str) -> None:
    there = [
        one(path, "def run():\n    return load_users(JOBS)", "run")
        for path in ("src/jobs/run.py", "lib/run.py")
    ]
    first = found(f"who calls load_users in {places}?", CALLER, *there)
    assert {*first[:2]} == {"src/jobs/run.py", "lib/run.py"}
    assert first[2:] == ["app.py"]


def test_the_name_of_a_source_is_a_place() -> None:
    text = "def run():\n    return load_users(JOBS)"
    there = [one(f"{source}.py", text, "run", repo=source) for source in ("blog", "shop")]
    assert found("who calls load_users in shop", *there) == ["shop.py", "blog.py"]
    assert found("who calls load_users in blog", *there) == ["blog.py", "shop.py"]


@pytest.mark.parametrize(
    "places",
    [
        *("lib or src/tests", "*.go or src/tests", "src/**/*.py or lib"),
        *("lib or /srv/acme/docs/src/tests", "/srv/acme/docs/src/tests/b.py or lib/"),
    ],
)
def test_of_several_places_the_one_with_the_longer_path_is_not_meant_more(places: str) -> None:
    there = [
        one(path, "def run():\n    return load_users(JOBS)", "run")
        for path in ("lib/a.go", "src/tests/b.py")
    ]
    question = f"who calls load_users in {places}"
    assert found(question, CALLER, *there) == ["lib/a.go", "src/tests/b.py", "app.py"]


def test_callers_in_the_code_and_the_tests_are_those_of_both() -> None:
    for places in ("the code and the tests", "the tests and the code"):
        assert found(f"who calls load_users in {places}", TEST, CALLER) == [
            *("app.py", "tests/test_users.py")
        ]


def test_callers_come_before_other_uses_and_tests() -> None:
    assert found("who calls load_users?", *USES) == ["app.py", "jobs.py", "tests/test_users.py"]


def test_tests_come_first_if_they_are_asked_for() -> None:
    assert found("which tests call load_users", *USES)[0] == "tests/test_users.py"


def test_imports_are_sought_if_they_are_asked_for() -> None:
    assert found("where is load_users imported?", *USES) == ["cli.py"]


def test_comments_and_imports_count_if_there_is_no_other_use() -> None:
    assert found("usages of load_users", OWN, SAID, IMPORT) == ["cli.py", "notes.py"]


def test_the_definition_is_no_use_unless_it_calls_itself() -> None:
    again = one("own.py", "def load_users(path):\n    return load_users(path.parent)", "load_users")
    assert found("callers of load_users", OWN) == []
    assert found("callers of load_users", again, CALLER) == ["app.py", "own.py"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "int load_users(const char *path);"),
        ("go", "type S interface {\n\tload_users(path string) error\n}"),
        ("java", "  List<User> load_users(Path path) {"),
        ("ruby", "def self.load_users(path)"),
        ("rust", "pub fn load_users(path: &str) -> Users {"),
        ("javascript", "export const load_users = (path) => {"),
    ],
)
def test_a_declaration_is_no_call(language: str, text: str) -> None:
    assert found("callers of load_users", one("a", text, language=language)) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "  return load_users(path);"),
        ("c", "  int n = load_users(path);"),
        ("java", "  throw new load_users(path);"),
        ("go", "\tusers, err := s.load_users(path)"),
        ("rust", "    let users = load_users::<User>(path)?;"),
        ("ruby", "  users = load_users path"),
        ("typescriptreact", "  return <load_users path={path} />"),
        ("python", "@load_users\ndef f(): ..."),
    ],
)
def test_a_call_is_one_in_many_languages(language: str, text: str) -> None:
    passed = one("b", "x = [load_users]", language="python")
    assert found("callers of load_users", passed, one("a", text, language=language)) == ["a", "b"]


def test_calls_of_the_owner_come_first() -> None:
    other = one("a.py", "queue.get(1)")
    cached = one("b.py", "self.cache.get(1)")
    assert found("who calls Cache.get", other, cached) == ["b.py", "a.py"]


def test_a_plain_word_must_be_defined_or_imported() -> None:
    talk = one("a.py", "def f():\n    free(memory)", "f")
    defined = one("b.py", "def memory():\n    return 1", "memory")
    assert found("what uses memory", talk) == []
    assert found("what uses memory", talk, defined) == ["a.py"]
    imported = one("c.py", "import memory\n")
    assert found("what uses memory", talk, imported) == ["c.py", "a.py"]


@pytest.mark.parametrize(
    ("language", "name", "text"),
    [
        ("python", "os.path", "from os import path"),
        ("python", "yaml", "import yaml as y"),
        ("typescript", "@scope/pkg", "import {\n  a,\n} from '@scope/pkg/sub'"),
        ("javascript", "pure-rand", "const r = require('pure-rand')"),
        ("go", "github.com/a/b", 'import (\n\t"fmt"\n\n\tb "github.com/a/b"\n)'),
        ("java", "com.a.B", "import com.a.B;"),
        ("php", "League\\A", "use League\\A;"),
        ("c_sharp", "A.Core", "global using A.Core;"),
        ("rust", "serde", "use serde::{de, ser};"),
        ("ruby", "json", 'require "json"'),
        ("c", "foo.h", '#include "foo.h"'),
    ],
)
def test_imports_of_many_languages(language: str, name: str, text: str) -> None:
    other = one("b", "x = 1\n", language=language)
    place = one("c", f"namespace {name};\nclass X {{}}", language=language)
    assert found(f"where is {name} imported?", other, place, one("a", text, language=language)) == [
        "a"
    ]


def test_reads_of_a_setting_come_before_its_constant_and_other_uses() -> None:
    constant = one("env.py", 'NO_COLOR = "NO_COLOR"', "NO_COLOR")
    told = one("help.py", 'print("set NO_COLOR")')
    read = one("a.py", 'COLOR = not os.environ.get("NO_COLOR")', "COLOR")
    by_name = one("b.py", "return env2bool(NO_COLOR)")
    assert found("where is NO_COLOR read?", constant, told, by_name, read) == ["b.py", "a.py"]
    script = one("a.ts", "const x = process.env.NO_COLOR;", language="typescript")
    assert found("where is the setting NO_COLOR used", told, script) == ["a.ts"]


BASE = one("base.py", "class Store(ABC):\n    def get(self): ...", "Store", "get")
FILE = one("file.py", "class FileStore(Store):\n    def get(self): return 1", "FileStore", "get")
DEEP = one("deep.py", "class Deep(FileStore):\n    def get(self): return 2", "Deep", "get")
OTHER = one("queue.py", "class Queue:\n    def get(self): return 3", "Queue", "get")
FAKE = one("tests/fake.py", "class Fake(Store):\n    def get(self): return 4", "Fake", "get")
TOP = one("top.py", "def get(url):\n    return Store", "get")
CLASSES = (BASE, OTHER, FAKE, TOP, DEEP, FILE)


def test_heirs_have_the_name_among_their_bases() -> None:
    assert found("subclasses of Store", *CLASSES) == ["file.py", "tests/fake.py"]
    assert found("what extends Queue?", *CLASSES) == []


def test_overrides_are_in_heirs_first_and_never_in_the_owner() -> None:
    expected = ["deep.py", "file.py", "queue.py", "tests/fake.py"]
    assert found("where is Store.get overridden?", *CLASSES) == expected
    assert found("overrides of get in subclasses of Store", *CLASSES) == expected


def test_implemented_asks_for_overrides_only_of_abstract_classes() -> None:
    assert found("where is Store.get implemented?", *CLASSES)[:2] == ["deep.py", "file.py"]
    assert found("where is Queue.get implemented?", *CLASSES) == []
    assert found("where is Store implemented?", *CLASSES) == ["file.py", "tests/fake.py"]
    assert found("where is FileStore implemented?", *CLASSES) == []


def test_a_method_that_is_apart_from_its_class_has_it_in_its_headings() -> None:
    own = one("a.py", "    def get(self): ...", "get", within=("Store", "get"))
    heir = one("b.py", "    def get(self): ...", "get", within=("FileStore", "get"))
    head = one("b.py#", "class FileStore(Store):\n    x = 1", "FileStore")
    assert found("where is Store.get overridden?", own, OTHER, head, heir) == ["b.py", "queue.py"]


def test_types_of_go_implement_an_interface_by_their_methods() -> None:
    asked = one("s.go", "type Store interface {\n\tGet() int\n\tPut(n int)\n}", language="go")
    both = "func (m *mem) Get() int { return 1 }\nfunc (m *mem) Put(n int) {}"
    has = one("mem.go", both, "mem.Get", "mem.Put", language="go")
    lacks = one("x.go", "func (x X) Close() {}", "X.Close", language="go")
    assert found("implementations of Store", asked, lacks, has) == ["mem.go"]
    assert found("where is Store.Get implemented?", asked, lacks, has) == ["mem.go"]


def test_methods_of_cpp_outside_of_their_class_have_their_owner() -> None:
    own = one("a.cpp", "int Store::get() {", "Store::get", language="cpp")
    heir = one("b.cpp", "int FileStore::get() {", "FileStore::get", language="cpp")
    head = one("b.h", "class FileStore : public Store {", "FileStore", language="cpp")
    assert found("overrides of Store::get", own, heir, head) == ["b.cpp"]


def test_the_passages_come_before_the_definition_in_the_ranking() -> None:
    query = prepare(Question("callers of load_users"), PrepareConfig())

    def first(most: int) -> str:
        config = RankCodeConfig(defined_first=most)
        return rank_code(query, USES, ENGLISH, config, CODE)[0].chunk.path

    assert first(3) == "app.py"
    assert first(0) == "users.py"


def test_names_and_texts_with_signs_of_patterns_take_no_time() -> None:
    parts = ("foo(", "foo ", "<", "(", "import foo ", "from os ", "\n  foo", '"foo', "class A:\n")
    begun = time.process_time()
    for question in ("who calls `a.(*+`", "where is os.foo imported", "where is A.foo overridden"):
        for part in parts:
            found(question, one("a", part * (50_000 // len(part)), "foo"))
    assert time.process_time() - begun < GROWS_S


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which types implement Reader", "func (" + "a" * 20_000),
        ("subclasses of Foo", "new Foo " * 2_500),
    ],
)
def test_long_lines_take_little_time(question: str, line: str) -> None:
    languages = ("python", "go", "java")
    found = [
        candidate(
            name, text=f"x = 1\n{line}\n", source_type="code", language=name, path=f"a.{name}"
        )
        for name in languages
    ]
    begun_s = time.thread_time()
    assert len(related(prepare(Question(question), PrepareConfig()), found)) <= 3
    assert time.thread_time() - begun_s < GROWS_S / 60


def test_parts_of_a_path_are_searched_for_in_linear_time() -> None:
    found = ImportPatterns("a.b.c.d.e.f")
    assert found.of("import f, a.b.c.d.e", "import") is None
    assert found.of("from a.b.c import d.e, f", "import") == Use.OTHER
    begun_s = time.thread_time()
    assert found.of("import " + "a b c d e " * 190, "import") is None
    assert time.thread_time() - begun_s < GROWS_S / 60


@pytest.mark.parametrize(
    ("question", "language", "line"),
    [
        ("overrides of A.parse", "cpp", "{} int parse( {{"),
        ("who calls parse", "c", "{}! parse(x);"),
        ("who calls parse", "python", "x = {} + parse(x)"),
    ],
)
@pytest.mark.parametrize("unit", ["th", r"\"", "a>", "]"])
def test_each_line_is_read_in_linear_time(
    question: str, language: str, line: str, unit: str
) -> None:
    def read(size: int) -> None:
        text = line.format(unit * (size // len(unit))) + "\n"
        found(question, one("a", text * 40, "parse", language=language))

    assert grows_in_proportion(read, 230)


def test_heirs_of_heirs_are_found_in_linear_time() -> None:
    def chain(size: int) -> list[Candidate]:
        heads = [f"class A{n + 1}(A{n}):\n" for n in range(size)]
        parts = ["".join(heads[n : n + 50]) + "  def run(): 1" for n in range(0, size, 50)]
        return [one(f"{n}.py", part, "run") for n, part in enumerate(parts)]

    few, many = chain(600), chain(4_800)
    assert len(found("overrides of A0.run", *few)) == 12
    assert grows_in_proportion(
        lambda size: found("overrides of A0.run", *(few if size == 1 else many)), 1
    )


def test_the_owner_of_a_method_is_the_nearest_class_with_a_smaller_indent() -> None:
    text = "class A(B):\n  class In(C):\n    x = 1\n  def get(self):\n    return 1\n"
    assert found("overrides of B.get", one("a.py", text, "A", "get")) == ["a.py"]
    assert found("overrides of A.get", one("a.py", text, "A", "get")) == []


OBJECTIVE_C = "@interface Shop : NSObject <OrderDelegate>\n- (void)close;\n@end\n"


def test_classes_of_objective_c_have_protocols_and_functions_types() -> None:
    heir = one("Shop.h", OBJECTIVE_C, "Shop", language="objective_c")
    assert found("classes that implement OrderDelegate", heir) == ["Shop.h"]
    declared = one("parse.m", "int parse_it(const char *text);\n", language="objective_c")
    call = one("main.m", "  return parse_it(text);\n", language="objective_c")
    assert found("who calls parse_it", declared, call) == ["main.m"]


def test_names_of_languages_are_those_that_passages_have() -> None:
    named = {
        *use_lines.TYPED,
        *use_lines.BARE_CALLS,
        *heads.MEMBERS_OF,
        *heads.BASES_IN_PARENTHESES,
    }
    compared = set()
    for file in Path(heads.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Compare) and "language" in ast.unparse(node.left):
                compared |= {
                    value.value
                    for value in ast.walk(node)
                    if isinstance(value, ast.Constant) and isinstance(value.value, str)
                }
    assert {"python", "go", "objective_c", "rust"} <= compared
    assert (named | compared) - LANGUAGES == {""}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "struct node *parse(int x);"),
        ("java", "  public List<Node> parse(int x) {"),
        ("c_sharp", "  public Node? parse(int x)"),
        ("cpp", "std::vector<int> Reader::parse(int x) {"),
    ],
)
def test_what_follows_a_type_is_declared_only_where_types_precede_names(
    language: str, text: str
) -> None:
    assert found("who calls parse()", one("a", text, language=language)) == []
    assert found("who calls parse()", one("a", text, language="python")) == ["a"]


def test_languages_without_parentheses_call_by_a_name_alone() -> None:
    call = one("b.rb", "  users = load_users path", language="ruby")
    passed = one("a.py", "  users = load_users", language="python")
    assert found("callers of load_users", passed, call) == ["b.rb", "a.py"]


def test_a_name_in_quotes_is_a_use_but_no_call() -> None:
    quoted = one("a.py", 'run("load_users")')
    said = one("b.py", 'log("load_users is slow")')
    assert found("where is load_users used", said, quoted) == ["a.py"]
    assert found("who calls load_users", said, quoted, PASSED) == ["jobs.py"]
