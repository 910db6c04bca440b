from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.chunkers.budget import estimate_word_pieces
from pincite.readers.languages import LANGUAGES
from pincite.support.fields import replace
from tests.chunkers.laws import SMALL, SOURCE, Child, lawful_chunks, read

SUFFIXES = (
    "md py js ts tsx go rs java c cpp cs rb php kt sh scala swift lua ex hs zig css html json yaml"
    " toml ini xml csv rst txt sql proto dart m jl r pl ml mli erl clj ps1 sol tf mk cmake graphql"
    " vue svelte groovy d vala glsl fs nim cr el f90 tcl gleam elm purs sv vhd pas odin mojo thrift"
    " fish awk vim bzl adoc org roff"
).split()
FRAGMENTS = st.sampled_from(
    [
        "\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\u2028", "\x85", "\t", "    ", "  ", " ",
        "# Heading", "## Sub", "Title\n===", "---", "----", "== Part", "[[id]]", "* Part",
        "#+begin_src", "#+end_src", "<dt>term</dt>", "<dd>", "+++", "```",
        "~~~python", "- item", "1. one",
        "> quote", "| a | b |\n|---|---|", "| 1 | 2 |", '!!! note "Mind"', '=== "Python"',
        "[a]: http://x", "<div>", "</div>", "<h2>Part</h2>", "<!--", "-->", "<script>",
        "def f(x):", "class Foo:", "@decorator", "return 1", '"""', "'''", "function f() {", "}",
        "{", "(", ")", "[", "]", "fn main() {", "impl A {", "// comment", "/* c", "*/", "#", "=",
        "{\n", '"key": 1,', "key: value", "[section]", "end", "if x then", "ünïcode wörd",
        "漢字かな交じり文。", "🦜", "\u200b", "\ufeff", "word " * 40, "x" * 300, "a.b, c; d. E f! ",
        "\\", "'", '"', "`", "$", "%", "<", ">", "&amp;", "\0",
        " " * 600, "\t" * 600, "\u2028" * 80, "abdfjkqvxz" * 40,
        # text that costs nearly nothing
        "th" * 3_000, "e" * 900, " " * 5_000, "\t" * 1_100, "\0" * 4_500, "\n" * 5_000,
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(FRAGMENTS, st.text(max_size=12)), max_size=30).map("".join)

#: Two lines of together 66 tokens, the limit, whose costs add up to 66.00000000000001
_AT_THE_LIMIT = (
    '"""}🦜\\\\\\0 V:À:A ÀN::¡GÀG::a.b, c; d. E f! :À¡⺀\u3040XÀ ::X{\n'
    "🦜a.b, c; d. E f! end\rÀVÀ::¡ÀÀ "
)

#: A long word behind blanks; a space costs nothing, a line separator more than many a letter.
_AFTER_SPACES = "one\n\n" + " " * 600 + "abdfjkqvxz" * 300 + "\nnext"
_AFTER_SEPARATORS = "one\n" + "\u2028" * 90 + "abdfjkqvxz" * 300
SPACES = st.sampled_from([" ", "\t", "\x0c", "\xa0", "\u2028", "\u3000"])

CHILD = Child()


@pytest.fixture(scope="module", autouse=True)
def child() -> Iterator[None]:
    yield
    CHILD.close()


def test_a_parser_that_crashes_ends_its_child_alone() -> None:
    own = Child()
    assert own.lawful_chunks("a.py", "def f(x):\n    return x\n")
    assert own._pool is not None
    (process,) = own._pool._processes.values()
    process.kill()
    assert not own.lawful_chunks("a.py", "x = 1\n")
    assert own.lawful_chunks("a.py", "x = 1\n")
    own.close()


@example("md", "#")
@example("md", "# Top\n\n##\n\nbelow a heading that says nothing")
@example("py", _AT_THE_LIMIT)
@example("txt", _AFTER_SPACES)
@example("html", _AFTER_SEPARATORS)
@given(st.sampled_from(SUFFIXES), TEXTS)
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_in_any_language_is_cut_exactly_and_wholly(suffix: str, text: str) -> None:
    if not CHILD.lawful_chunks(f"a.{suffix}", text):
        event(f"the parser of {suffix} crashed")


@given(st.sampled_from(["md", "py", "txt", "html", "json"]), st.binary(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_bytes_become_a_document_that_is_cut_exactly(suffix: str, raw: bytes) -> None:
    lawful_chunks(f"a.{suffix}", raw)


@example("md", " " * 4_000 + "# Heading", "utf-16")
@given(st.sampled_from(["md", "py", "txt"]), TEXTS, st.sampled_from(["utf-16", "utf-32"]))
@settings(max_examples=100, deadline=None)
def test_wide_encodings_are_cut_at_the_same_lines(suffix: str, text: str, encoding: str) -> None:
    lawful_chunks(f"a.{suffix}", text.encode(encoding))


@given(st.sampled_from(SUFFIXES), TEXTS, st.integers(16, 60), st.integers(0, 60))
@settings(max_examples=100, deadline=None)
def test_every_size_keeps_the_laws(suffix: str, text: str, target: int, more: int) -> None:
    config = ChunkerConfig(target, target + more, 1 + target // 3)
    if not CHILD.lawful_chunks(f"a.{suffix}", text, config):
        event(f"the parser of {suffix} crashed")


@example("c", "x = ", " ", 600, "abdfjkqvxz" * 300)
@example("roff", "", "\u2028", 600, "abdfjkqvxz" * 20)
@given(
    st.sampled_from(SUFFIXES),
    st.sampled_from(["", "# Top\n", "x = "]),
    SPACES,
    st.integers(1, 900),
    st.text("abdfjkqvxz. ", min_size=1, max_size=40).map(lambda one: one * 60),
)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_long_line_after_any_number_of_blanks_has_no_empty_part(
    suffix: str, before: str, space: str, count: int, line: str
) -> None:
    if not CHILD.lawful_chunks(f"a.{suffix}", f"{before}one\n\n{space * count}{line}\nnext"):
        event(f"the parser of {suffix} crashed")


@pytest.mark.parametrize("space", [" ", "\u2028"])
def test_blanks_before_a_long_line_stay_with_it_unless_they_fill_a_chunk(space: str) -> None:
    chunks = lawful_chunks("a.txt", space * 90 + "abdfjkqvxz" * 60)
    assert len(chunks) > 3
    assert all(estimate_word_pieces(chunk.text) <= SMALL.max_tokens for chunk in chunks)
    assert chunks[0].text.startswith(" " * 90 + "abd" if space == " " else "abd")


def test_chunking_twice_gives_equal_chunks() -> None:
    text = "# A\n\nsome words\n\n## B\n\n" + "more words. " * 80
    assert lawful_chunks("a.md", text) == lawful_chunks("a.md", text)


def test_an_id_does_not_depend_on_the_revision_but_on_name_path_content_and_span() -> None:
    def ids(**changes: str) -> tuple[str, ...]:
        document = replace(read("a.md", "# A\n\nwords\n"), **changes)
        return tuple(chunk.id for chunk in chunks_of(document, sections_of(document, SMALL)))

    (first,) = ids()
    assert len(first) == 32
    assert int(first, 16) >= 0
    assert ids(ref="2.0") == (first,)
    assert ids(url="https://x/") == (first,)
    assert ids(source="other") != (first,)
    assert ids(path="b.md") != (first,)
    assert ids(content_hash="0" * 64) != (first,)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\r\n \t\r\n", "\x0b\x0c"])
def test_a_blank_text_has_no_chunks(text: str) -> None:
    for suffix in SUFFIXES:
        assert lawful_chunks(f"a.{suffix}", text) == ()


def test_the_last_newline_is_not_part_of_a_chunk_whichever_it_is() -> None:
    assert [chunk.text for chunk in lawful_chunks("a.txt", "one\r\ntwo\r\n")] == ["one\r\ntwo"]
    assert [chunk.text for chunk in lawful_chunks("a.txt", "one\ntwo\n")] == ["one\ntwo"]
    assert [chunk.text for chunk in lawful_chunks("a.txt", "one\ntwo\r")] == ["one\ntwo\r"]


def test_a_long_line_is_cut_between_sentences_and_names_its_columns() -> None:
    line = " ".join(f"This is sentence number {number} of them." for number in range(20))
    chunks = lawful_chunks("a.md", f"# Title\n\n{line}\n")
    parts = [chunk for chunk in chunks if chunk.start_column is not None]
    assert len(parts) > 3
    assert parts[0].text.startswith("# Title\n\nThis is")  # a heading is not left alone
    assert (parts[0].start_line, parts[0].end_line, parts[0].start_column) == (1, 3, 1)
    assert all(chunk.start_line == chunk.end_line == 3 for chunk in parts[1:])
    assert all(chunk.text.endswith("of them.") for chunk in parts)
    assert parts[-1].end_column == len(line)


def test_every_language_that_is_read_is_also_chunked() -> None:
    document = read("a.txt", "some words\n")
    for language in LANGUAGES:
        for source_type in ("docs", "code", "data"):
            as_read = replace(document, language=language, source_type=source_type)
            assert len(sections_of(as_read, SMALL)) == 1


def test_a_source_with_another_name_keeps_its_name_in_the_chunks() -> None:
    (chunk,) = lawful_chunks("docs/a.md", "words\n")
    assert (chunk.repo, chunk.ref, chunk.path) == (SOURCE.name, "1.0", "docs/a.md")
    assert chunk.candidate_id == f"acme/docs@1.0:docs/a.md:{chunk.id}"
