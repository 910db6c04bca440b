from __future__ import annotations

import json

import pytest

from pincite.chunkers import ChunkerConfig
from tests.chunkers.laws import SMALL, lawful_chunks

LONG = "a value with so many words in it that nothing else can be merged with it here or there so"


def headings(path: str, text: str, config: ChunkerConfig = SMALL) -> list[tuple[str, ...]]:
    return [chunk.headings for chunk in lawful_chunks(path, text, config)]


def test_the_keys_of_json_are_the_headings() -> None:
    value = json.dumps(f"{LONG} {LONG}")
    text = f"""{{
  "scripts": {{
    "build": {value},
    "test": {{
      "unit": {value},
      "all": {value}
    }}
  }},
  "name": {value}
}}
"""
    found = headings("a.json", text)
    assert found[0] == ("scripts", "build")
    assert ("scripts", "test", "unit") in found
    assert found[-1] == ("name",)


def test_the_keys_of_yaml_are_the_headings_and_comments_lead() -> None:
    steps = f"    run: {LONG}\n    then: {LONG}\n"
    text = f"on: push\njobs:\n  # builds\n  build:\n{steps}  lint:\n{steps}"
    chunks = lawful_chunks("a.yaml", text)
    assert [chunk.headings for chunk in chunks][-2:] == [("jobs", "build"), ("jobs", "lint")]
    assert "# builds" in chunks[-2].text


def test_the_tables_of_toml_are_the_headings() -> None:
    text = f'[project]\nname = "{LONG}"\n\n# tools\n[tool.ruff]\nselect = "{LONG}"\n'
    chunks = lawful_chunks("pyproject.toml", text)
    assert [chunk.headings for chunk in chunks] == [("project",), ("tool.ruff",)]
    assert chunks[1].text.startswith("# tools")


def test_the_sections_of_ini_are_the_headings() -> None:
    assert headings("a.cfg", f"[one]\na = {LONG}\n[two]\nb = {LONG}\n") == [("one",), ("two",)]


def test_the_elements_of_xml_are_the_headings() -> None:
    inner = "".join(f'  <target name="t{n}">\n    <run a="{LONG}"/>\n  </target>\n' for n in "ab")
    found = headings("a.xml", f'<?xml version="1.0"?>\n<project name="x">\n{inner}</project>\n')
    assert ("project x", "target ta") in found
    assert ("project x", "target tb") in found


def test_later_rows_of_a_table_know_the_first() -> None:
    text = "name,age\n" + "".join(f"somebody{number},{number}\n" for number in range(60))
    chunks = lawful_chunks("a.csv", text)
    assert chunks[0].headings == ()
    assert {chunk.headings for chunk in chunks[1:]} == {("name,age",)}


def test_restructured_text_has_levels_by_order_of_appearance() -> None:
    text = (
        f"=====\nTitle\n=====\n\n{LONG}\n\nFirst\n-----\n\n{LONG}\n\nSub\n~~~\n\n{LONG}\n\n"
        f"Second\n------\n\n{LONG}\n"
    )
    assert headings("a.rst", text) == [
        ("Title",), ("Title", "First"), ("Title", "First", "Sub"), ("Title", "Second"),
    ]  # fmt: skip


def test_a_directive_of_restructured_text_keeps_its_content() -> None:
    code = ".. code:: python\n\n    one = 1\n\n    two = 2\n"
    chunks = lawful_chunks("a.rst", f"Title\n=====\n\n{LONG}\n\n{code}\n{LONG}\n{LONG}\n")
    assert any("one = 1" in chunk.text and "two = 2" in chunk.text for chunk in chunks)


def test_asciidoc_is_cut_by_its_headings_outside_of_blocks() -> None:
    listing = "[source,sh]\n----\n== no heading\n\nlast line\n----\n"
    text = (
        f":toc:\n\n= The _title_\n\n{LONG}\n\n[[first]]\n== First ==\n\n{LONG}\n\n{LONG}\n\n"
        f"{listing}\n{LONG}\n\n=== Sub\n\n{LONG}\n\n== Second\n\n{LONG}\n"
    )
    chunks = lawful_chunks("a.adoc", text)
    assert list(dict.fromkeys(chunk.headings for chunk in chunks)) == [
        ("The _title_",), ("The _title_", "First"), ("The _title_", "First", "Sub"),
        ("The _title_", "Second"),
    ]  # fmt: skip
    assert {chunk.title for chunk in chunks} == {"The _title_"}
    assert any(chunk.text.startswith("[[first]]\n== First") for chunk in chunks)
    assert any(listing.strip() in chunk.text for chunk in chunks)


def test_asciidoc_has_titles_above_a_line_of_their_length() -> None:
    text = (
        f"keys(1)\n=======\n\nNAME\n----\n{LONG}\n\nOPTIONS\n-------\n{LONG}\n\n"
        f"A paragraph\nof two lines\n------------\n{LONG}\n"
    )
    found = list(dict.fromkeys(headings("a.asciidoc", text)))
    assert found == [("keys(1)", "NAME"), ("keys(1)", "OPTIONS")]
    assert lawful_chunks("a.asciidoc", text)[0].title == "keys(1)"


@pytest.mark.parametrize("open_block", ["----", "====", "....", "|==="])
def test_a_block_of_asciidoc_that_nothing_closes_hides_no_heading(open_block: str) -> None:
    text = f"= Title\n\n{LONG}\n\n{open_block}\n\n== Part\n\n{LONG}\n"
    assert headings("a.adoc", text)[-1] == ("Title", "Part")


def test_org_is_cut_by_its_headings_outside_of_blocks() -> None:
    listing = "#+BEGIN_SRC sh\n,* no heading\n\nlast\n#+END_SRC\n"
    text = (
        f"#+TITLE: Notes\n\n* TODO First :work:home:\n\n{LONG}\n\n** Sub\n{LONG}\n\n"
        f"* Second\n\n{LONG}\n\n{LONG}\n\n#+begin_example\n* Third\n{LONG}\n"
    )
    assert list(dict.fromkeys(headings("a.org", text))) == [
        ("First",), ("First", "Sub"), ("Second",), ("Third",),
    ]  # fmt: skip
    assert lawful_chunks("a.org", text)[0].title == "Notes"
    cut = lawful_chunks("b.org", f"* A\n\n{LONG}\n\n{listing}\n{LONG}\n")
    assert {chunk.headings for chunk in cut} == {("A",)}
    assert any(listing.strip() in chunk.text for chunk in cut)


def test_plain_text_is_cut_between_paragraphs() -> None:
    text = f"First. {LONG}\n\nSecond. {LONG}\n\n\nThird. {LONG}\n"
    assert [chunk.text[:5] for chunk in lawful_chunks("a.txt", text)] == ["First", "Secon", "Third"]


def test_code_without_a_grammar_is_cut_between_blocks() -> None:
    block = "CREATE TABLE t{n} (\n  a int,\n\n  b int, -- " + LONG + "\n  c int\n);\n"
    chunks = lawful_chunks("a.sql", "\n".join(block.replace("{n}", n) for n in "123"))
    assert [chunk.text.split(" (")[0] for chunk in chunks] == [f"CREATE TABLE t{n}" for n in "123"]


HTML = f"""<!doctype html>
<html><head><title>The &amp; title</title>
<style>p {{ color: red }}</style>
<script>
var hidden = "<p>not text</p>";
</script></head>
<body>
<h1>Main <em>thing</em></h1>
<p>Words &lt;here&gt; and <b>bold</b>ness. {LONG}</p>
<h2 id="part">Part</h2>
<ul>
<li>One {LONG}</li>
<li>Two {LONG}</li>
</ul>
</body></html>
"""


def test_html_is_cut_by_its_headings_and_read_without_its_tags() -> None:
    chunks = lawful_chunks("a.html", HTML)
    plain = [chunk.plain or "" for chunk in chunks]
    together = "\n".join(plain)
    assert "Main thing" in together
    assert "Words <here> and boldness." in together
    assert "hidden" not in together
    assert "color" not in together
    assert "<b>" not in together
    assert ("Main thing", "Part") in [chunk.headings for chunk in chunks]
    assert chunks[0].title == "The & title"
    assert "var hidden" in "".join(chunk.text for chunk in chunks)


def test_list_items_do_not_run_into_each_other_in_plain_text() -> None:
    (chunk,) = lawful_chunks("a.html", "<ul><li>one</li><li>two</li></ul>", ChunkerConfig())
    assert chunk.plain == "one\ntwo"


@pytest.mark.parametrize("ends", ["</dt>", ""])
def test_a_term_of_html_stays_with_its_definition(ends: str) -> None:
    one = f"<dt><b>{{n}}</b>{ends}\n<dt>or {{n}}{ends}\n<dd>\n<p>{LONG}</p>\n<p>{LONG}</p>\n</dd>\n"
    text = "<dl>\n" + "".join(one.replace("{n}", f"term{n}") for n in range(9)) + "</dl>\n"
    chunks = lawful_chunks("a.html", text)
    assert len(chunks) > 9
    for n in range(9):
        (chunk,) = (chunk for chunk in chunks if f"or term{n}" in (chunk.plain or ""))
        assert (chunk.plain or "").startswith(f"term{n}\nor term{n}\na value with")


def test_unclosed_markup_is_text_or_tag_but_never_lost() -> None:
    for text in ("a < b and c", "<!-- never closed", "<script> var a", "<p", "1 <2> 3", "</"):
        lawful_chunks("a.html", text)


@pytest.mark.parametrize(
    ("tag", "shown"),
    [
        ('<img alt="A map of the cellar &amp; vault" src="x.png">', "A map of the cellar & vault"),
        ("<IMG src=x.png\n  ALT = 'two\n words' />", "two words"),
        ("<img alt=vault src=x>", "vault"),
        ('<area alt="vault"><input type=image alt="door">', "vault door"),
        ("""<img title='an alt="no" here' data-alt="no" alt="vault">""", "vault"),
        ('<img alt="">', ""),
        ("<img alt>", ""),
        ('<img alt="never closed>', ""),
        ('</img alt="no"><p alt="no">', ""),
    ],
)
def test_an_image_in_html_is_found_by_its_alternative_text(tag: str, shown: str) -> None:
    (chunk,) = lawful_chunks("a.html", f"<div>one{tag}two</div>", ChunkerConfig())
    assert chunk.text == f"<div>one{tag}two</div>"
    words = (chunk.plain or "").split()
    assert words == (f"one {shown} two".split() if shown else words)
    assert "no" not in words
    assert shown or "".join(words) == "onetwo"


def test_the_image_in_a_heading_is_no_part_of_its_title() -> None:
    chunks = lawful_chunks("a.html", f'<h1><img alt="Logo">Title</h1>\n<p>{LONG}</p>')
    assert {chunk.headings for chunk in chunks} == {("Title",)}
    assert "Logo" in (chunks[0].plain or "")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("path", ["a.md", "a.adoc", "a.org", "a.rst", "a.html", "a.py", "a.yaml"])
def test_a_byte_order_mark_hides_no_heading(path: str, encoding: str) -> None:
    begins = {
        "a.md": "# Alpha\r\n\r\n", "a.adoc": "== Alpha\n\n", "a.org": "* Alpha\n\n",
        "a.rst": "Alpha\n=====\n\n", "a.html": "<h1>Alpha</h1>\n", "a.py": "def alpha():\n    ",
        "a.yaml": "alpha: ",
    }  # fmt: skip
    text = f"{begins[path]}{'x' if path == 'a.py' else LONG}\n"
    (plain,) = lawful_chunks(path, text)
    (marked,) = lawful_chunks(path, text.encode(encoding))
    assert marked.text == f"\ufeff{plain.text}"
    assert (marked.headings, marked.symbols) == (plain.headings, plain.symbols)
    assert plain.headings or plain.symbols
    assert (marked.start_line, marked.end_line) == (plain.start_line, plain.end_line)
    assert marked.start_column is None


def test_marks_alone_and_more_marks_are_text() -> None:
    assert [chunk.text for chunk in lawful_chunks("a.md", "\ufeff\n\n")] == ["\ufeff"]
    (chunk,) = lawful_chunks("a.md", "\ufeff" * 20 + "# Alpha")
    assert chunk.headings == ()
