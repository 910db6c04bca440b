"""Texts that are made to hurt: each must end in seconds. The limit only finds quadratic work."""

from __future__ import annotations

import time

import pytest

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from tests.chunkers.laws import assert_exact, read
from tests.time_limits import GROWS_S

HOSTILE = {
    "one line of 1 MB": ("word " * 200_000, ("md", "py", "txt", "html", "json")),
    "one word of 1 MB": ("x" * 1_000_000, ("md", "txt", "js")),
    "brackets": ("[" * 100_000, ("md", "py", "js", "json")),
    "nested brackets on lines": ("[\n" * 20_000 + "]\n" * 20_000, ("py", "js", "json", "yaml")),
    "headings": ("# h\n" * 40_000, ("md", "rst")),
    "backticks": ("`" * 1_000_000, ("md", "txt")),
    "items": ("- a\n" * 60_000, ("md",)),
    "fences": ("```\n" * 40_000, ("md",)),
    "nested functions": ("function f(){\n" * 5_000 + "}\n" * 5_000, ("js", "cpp")),
    "functions": ("def f(): pass\n" * 20_000, ("py", "rb")),
    "deep indentation": ("".join(" " * n + "- x\n" for n in range(1_000)), ("md", "yaml", "txt")),
    "quotes": (">" * 100_000, ("md", "html")),
    "comments never closed": ("<!--" * 100_000, ("html", "md", "xml")),
    "tags": ("<div>\n" * 40_000, ("html", "md", "xml")),
    "angles": ("<" * 300_000, ("html",)),
    "blank lines": ("\n" * 300_000 + "x", ("md", "txt", "py")),
    "table": ("|a|b|\n|-|-|\n" + "|1|2|\n" * 40_000, ("md", "txt")),
    "a heading of white space": ("# a" + " " * 900_000 + "b", ("md",)),
    "a heading of braces": ("# " + "{a " * 300_000, ("md",)),
    "a heading of emphasis": ("# " + "_a " * 300_000, ("md",)),
    "a heading of brackets": ("# " + "[a](" * 250_000, ("md",)),
    "a heading of comments": ("# " + "<!--" * 250_000, ("md",)),
    "a heading of code": ("# " + "".join("`" * (n % 900) + "a" for n in range(2_000)), ("md",)),
    "a label of white space": ("!!! a" + " " * 900_000 + "!", ("md",)),
    "a table's rule of white space": ("a|b\n-" + " " * 900_000 + "x|y", ("md",)),
    "a section of white space": ("[ " + " " * 900_000 + "]", ("toml", "ini")),
    "a value of white space": (" " * 900_000 + "!", ("toml", "ini")),
    "comments that a tag ends": ("<!-- >" * 160_000, ("html",)),
    "scripts never closed": ("<script>x" * 110_000, ("html",)),
    "images": ("<img alt=x>" * 90_000, ("html",)),
    "attributes of an image": ("<img " + "a=' alt=\" " * 100_000 + ">", ("html",)),
    "white space in an image": ("<img alt" + " " * 900_000 + ">", ("html",)),
    "comments of code never closed": ("/**\n" * 30_000, ("js", "ts", "tsx")),
    "lines continued": ("\\\n" * 100_000, ("py",)),
    "functions on one line": ("fn f(){}" * 60_000, ("rs", "go")),
    "names on one line": ("".join(f"fn f{n}(){{}}" for n in range(60_000)), ("rs",)),
    "nested labels": ("".join("    " * (n % 30) + '!!! a "b"\n' for n in range(9_000)), ("md",)),
}
#: The grammars that came later, and what other grammars of their kind do not end on.
_LATER = ("sql", "m", "jl", "ml", "mli", "ps1", "sol", "tf", "dockerfile", "mk", "clj", "graphql",
          "cmake", "r", "proto", "vue", "svelte")  # fmt: skip
#: Shorter than the others, as there are so many grammars; their limit is lower by the square.
SHORTER = {
    "300 kB of brackets": ("[" * 300_000, _LATER),
    "150 kB of angles": ("<" * 150_000, _LATER),
    "brackets in brackets": ("(\n" * 7_000 + ")\n" * 7_000, _LATER),
    "braces in braces": ("{\n" * 7_000 + "}\n" * 7_000, _LATER),
    "300 kB of NUL": ("\0" * 300_000, _LATER),
    "quotes never closed": ('"' * 100_001, _LATER),
}
HOSTILE |= SHORTER
HOSTILE |= {
    "scripts one after the other": ("<script>\nlet a\n</script>\n" * 20_000, ("vue", "svelte")),
}
HOSTILE |= {
    "bodies in one line": ("class A { fun a() }\n" * 20_000, ("kt",)),
    "bodies in bodies": ("class A { " * 4_000 + " }" * 4_000, ("kt",)),
    "half a MB of blanks": ("class A {" + " " * 500_000 + "}}", ("kt", "sql")),
    "names in brackets": ("CREATE TABLE [dbo].[Orders] ([Id] int)\nGO\n" * 8_000, ("sql",)),
    "brackets never closed": ("[Order Details " * 30_000, ("sql",)),
}
HOSTILE |= {
    "documents never closed": ("<<E\n" * 40_000, ("hs",)),  # each step took longer
    "tags that compare": ("<b>&a " * 30_000, ("cs",)),  # the same
    "one range in another": ("@a .. a::\n" * 16_000, ("ps1",)),  # each level was cut again
    "a tuple without an end": ("a," * 80_000, ("ml",)),  # each child was searched for
}
HOSTILE |= {
    "typedefs": ("typedef void (*f)(int);\n" * 10_000, ("c", "cpp", "m")),
    "names of a typedef": ("typedef int " + "*a, " * 20_000 + "b;", ("c", "cpp", "m")),
    "declarators in declarators": (
        "typedef int " + "(*" * 5_000 + "f" + ")(int)" * 5_000 + ";",
        ("c", "cpp", "m"),
    ),
    "ends of types": ("(\n" + "} name;\n" * 10_000, ("c", "cpp", "m")),
    "exports of exports": ("exports.a = " * 10_000 + "3;", ("js", "ts")),
    "functions in properties": ("x = " + "{a: () => (" * 5_000 + "1" + ")}" * 5_000, ("js", "ts")),
    "types of types": ("@type " + "a :: " * 10_000 + "b\n", ("ex",)),
}
CASES = [(name, suffix) for name, (_, suffixes) in HOSTILE.items() for suffix in suffixes]


@pytest.mark.parametrize(("name", "suffix"), CASES)
def test_hostile_texts_end_in_seconds(name: str, suffix: str) -> None:
    text = HOSTILE[name][0]
    document = read(f"a.{suffix}", text)
    begun = time.process_time()
    chunks = chunks_of(document, sections_of(document, ChunkerConfig()))
    assert time.process_time() - begun < GROWS_S / (8 if name in SHORTER else 1)
    assert_exact(text.encode(), document, chunks)


def test_the_names_of_many_definitions_are_read_after_the_parser_has_ended() -> None:
    """The limit of reads is for the parser. A name is read in the same way, and each counted."""
    text = "".join(f"def lamp_{number}(): 0\n" for number in range(10_000))
    sections = sections_of(read("a.py", text), ChunkerConfig())
    assert len({name for one in sections for name in one.symbols}) == 10_000


def test_parts_of_one_line_have_no_more_names_than_they_contain() -> None:
    """Each part had all names of the line: half a megabyte became one of 800 MB."""
    text = "".join(f"fn lamp_{number}() {{}} " for number in range(4_000))
    sections = sections_of(read("a.rs", text), ChunkerConfig())
    names = [name for one in sections for name in one.symbols]
    assert set(names) == {f"lamp_{number}" for number in range(4_000)}
    assert len(names) < 4_000 + len(sections)
    for one in sections:
        assert all(name in text[one.start : one.end] for name in one.symbols)


def test_parts_of_one_line_with_few_names_have_all_of_them() -> None:
    text = "fn lamp() { turn(" + "on, " * 2_000 + "off); } fn wick() {}"
    sections = sections_of(read("a.rs", text), ChunkerConfig())
    assert len(sections) > 5
    assert {one.symbols for one in sections} == {("lamp", "wick")}
