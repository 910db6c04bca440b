"""Comments and imports that stand alone, behind what they introduce."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.bare import is_bare, known_bare
from tests.builders import chunk

BARE = {
    "python": "# Keys of a tenant.\nimport os\nfrom a.b import (\n    c,\n    d,\n)\n\n",
    "python docstring": '"""Keys,\nrotated daily."""\nfrom __future__ import annotations',
    "java": "package a.b;\n\nimport java.util.List;\nimport static a.B.c;",
    "javadoc": "/**\n * Writes a value, as {@code class Writer {} } does.\n */",
    "block without stars": "/* Writes a value\n   to a stream\n*/",
    "go": 'import (\n\t"fmt"\n\t"os"\n)',
    "c": '/* keys */\n#include <stdio.h>\n#include "keys.h"',
    "rust": "//! Keys.\nuse super::{\n    a, b,\n};\npub use self::c::*;\nmod d;",
    "typescript": 'import {\n  a,\n  b,\n} from "./x";\nconst fs = require("fs");',
    "lua": '-- keys\n--[[ of\na tenant ]]\nlocal keys = require "keys"',
    "haskell": "{- Keys\n-}\nimport qualified Data.Map as M",
    "ruby": "=begin\nKeys\n=end\nrequire 'set'\nrequire_relative \"keys\"",
    "csharp": "/// <summary>Keys</summary>\nusing System.Linq;",
    "elixir": "# keys\nalias Plug.Conn\nimport Plug.Conn",
    "php": "use Monolog\\Logger;\nrequire_once 'x.php';",
    "ocaml": "(* keys *)\nopen Core",
    "perl": "=head2 rotate\n\n  $keys->rotate(3);\n\nRotates keys.\n\n=cut",
    "perl's end": "1;\n\n__END__\n\n=encoding utf8\n\n=head1 NAME\n\nKeys\n\n=cut",
    "entry of perl": "=item * rotates keys\n\n=back\n\n=cut",
}
CODE = {
    "definition": "# rotates\ndef rotate(key):\n    return key",
    "macro": "#include <a.h>\n#define KEYS 3",
    "attribute": "/// Keys.\n#[derive(Debug)]\nstruct Keys;",
    "rust module": "mod tests {\n    fn a() {}\n}",
    "namespace": "namespace a {\nint b;\n}",
    "csharp statement": "using (var a = b)\n{\n}",
    "csharp declaration": "using var a = b;",
    "swift": "/// Keys.\nopen class Keys {",
    "assignment": "from = 3",
    "kotlin check": "require(a) {\n  b\n}",
    "ruby block": "load do\n  a\nend",
    "behind a comment": "/* a */ int b;",
    "declaration": "int a;",
    "perl behind its documentation": "=head2 rotate\n\nRotates.\n\n=cut\n\n$keys->rotate;",
    "yaml": "= a",
}


@pytest.mark.parametrize("name", BARE)
def test_comments_and_imports_are_bare_in_any_language(name: str) -> None:
    assert is_bare(BARE[name])


def test_documentation_of_perl_may_go_on_to_the_end() -> None:
    assert is_bare("=head2 rotate\n\nRotates keys.\n\n  $keys->rotate(3);")


@pytest.mark.parametrize("name", CODE)
def test_what_does_something_is_not(name: str) -> None:
    assert not is_bare(CODE[name])


@given(st.text(max_size=200), st.sampled_from([*BARE.values()]))
@example("\x00\n\u2028import\n", BARE["go"])
def test_any_text_is_judged_and_code_behind_makes_it_code(text: str, bare: str) -> None:
    assert is_bare(text) in (True, False)
    assert not is_bare(f"{bare}\nint a = 3;")


def test_a_long_line_takes_little_time() -> None:
    for text in (
        "import " * 100_000,
        "const " + "a " * 200_000,
        "#" + " " * 400_000,
        "/*" * 200_000,
    ):
        assert is_bare(text) in (True, False)


def one(name: str, score: float, path: str, text: str, *symbols: str) -> Candidate:
    found = chunk(name, text=text, id=name, path=path, source_type="code", symbols=symbols)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def order(*found: Candidate) -> list[str]:
    query = prepare(Question("how is a key rotated"), PrepareConfig())
    config = RankCodeConfig()
    ranked = rank_code(query, found, informative_terms("english"), config, frozenset(("main",)))
    return [one.chunk.id for one in ranked]


def test_a_definition_goes_ahead_of_the_comment_above_it() -> None:
    comment = one("comment", 1.0, "keys.c", "/* How a key is rotated. */")
    function = one("function", 0.6, "keys.c", "void turn(void)\n{\n}", "turn")
    assert order(comment, function) == ["function", "comment"]


def test_a_file_keeps_its_rank_for_what_its_comments_say() -> None:
    comment = one("comment", 1.0, "keys.c", "/* How a key is rotated. */")
    function = one("function", 0.6, "keys.c", "void turn(void)\n{\n}", "turn")
    other = one("other", 0.8, "other.c", "void other(void);", "other")
    assert order(comment, function, other)[0] == "function"


def test_a_comment_alone_of_its_file_is_shown_as_before() -> None:
    comment = one("comment", 1.0, "keys.c", "/* How a key is rotated. */")
    other = one("other", 0.8, "other.c", "void other(void);", "other")
    assert order(comment, other) == ["comment", "other"]


def test_long_texts_are_not_cached() -> None:
    known_bare.cache_clear()
    assert is_bare("import os\n")
    assert is_bare("import os\n" * 1_000)
    assert known_bare.cache_info().currsize == 1
