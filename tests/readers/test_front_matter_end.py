"""The front matter of a file ends at one place, whoever asks for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.sentences.markup import words_of_markup
from pincite.chunkers import ChunkerConfig, sections_of
from pincite.chunkers.lines import Lines
from pincite.chunkers.markup.blocks import front_matter_end
from pincite.readers.front_matter import front_matter_of, without_front_matter
from pincite.readers.front_matter_end import end_of_front_matter
from pincite.readers.markdown_tree import Lines as Window
from pincite.readers.markdown_tree import markdown_tree
from pincite.readers.untrusted_yaml import MOST_CHARS
from tests.chunkers.laws import read
from tests.counting import grows_in_proportion

ALL = Window(0, 10**6)
FRONT = [
    "---\ntitle: a\n---\n",
    "---\n---\n",
    "---\n\n---\n",
    "---  \ntitle: a\n--- \t\n",
    "---\r\ntitle: a\r\n---\r\n",
    "---\ntitle: a\n...\n",
    "---\n\n# of the site\ntitle: a\n---\n",
    "---\ntitle: a\n\n# more\nlayout: b\n---\n",
    "---\ntitle: a\n---",
    "---\n  title: a\n  layout: b\n---\n",
    "---\ndate created: 2026-01-01\n\nlast seen: 2026-01-02\n---\n",
    "---\nog:title: a\n---\n",
    "---\n'title': a\n---\n",
    '---\n"the \\"title\\"": a\n---\n',
    '---\n"C:\\\\": a\n---\n',
    "---\n✅ done: 1\n---\n",
    "---\n⭐: 1\n\n🏷️ tags: a\n---\n",
    "---\n<<: *a\n---\n",
    "---\n? [a]\n: b\n---\n",
    '---\n{"title": "a"}\n---\n',
    "---\ntags:\n- a\n\n- b\n---\n",
    "---\ntags: [\na,\n]\n\nlayout: b\n---\n",
    "---\ndescription: a text\nthat is not indented\n---\n",  # wrong, but meant so
    "---\ntitle: |\n  a\n\n  b\n---\n",
    '---\ntitle: a\ndescription: "one\n\nAnd two."\nlayout: b\n---\n',
    '---\ndescription: "one\n\nAnd two."\n---\n',
    "---\ntags: [\n\na, b]\n---\n",
    "---\nmap: {a: 1,\n\nb: 2}\n\nlayout: c\n---\n",
    '---\ntitle: "The 6\\" pipe"\n\nlayout: post\n---\n',
    "---\ntitle: 'x' # it's new\n\nlayout: post\n---\n",
    "---\ntags: [a, b] # [old\n\nlayout: post\n---\n",
    '---\ntags: ["[", b]\n\nlayout: post\n---\n',
    '---\nsep: "\\""\n\nlayout: post\n---\n',
    "---\ntitle: 'Don't do this'\n\nlayout: post\n---\n",  # wrong, but meant so
    '---\ntitle: "one\nsays \\"hi\n\nAnd two."\nlayout: b\n---\n',
    "---\ntitle: 'one\nit''s\n\nAnd two.'\nlayout: b\n---\n",
    "---\nt: [\n[a],\n\nb\n]\n---\n",
    '---\nt:\n  a: "one\n\nAnd two."\n---\n',
    "---\na: &a [x]\nb: !b {c: *a,\n\nd: 1}\n---\n",  # valid, and refused as values
    "+++\ntitle = 1\n+++\n",
    "+++\n+++\n",
    "+++\n# of the site\n[params]\na.b = 1\n+++\n",
    '+++\na = """\n\nA paragraph.\n"""\n+++\n',
    "---\n" + "a: b\n" * 498 + "---\n",
    "---\n" + "a: b\n" * 499 + "---\n",
    "---\n" + "a: b\n" * 5_000 + "---\n",
    f"---\na: {'b' * 300_000}\n---\n",
]
NONE = [
    "",
    '---\nNote: "one\n\nA paragraph.\n---\n',  # quotes that do not end
    '---\nNote: "one" and\n\nA paragraph.\n---\n',
    '---\nNote: "one\n\nA paragraph with "words" in it.\n---\n',
    "---\nSong: 'Tis the season\n\nWe don't stop.\n\n---\n",
    "---\nNote: [draft\n\nSee the [docs](a.md). A paragraph.\n---\n",
    "---\nNote: [a,\n\nb]\n--- # a second document\nc\n---\n",
    f"---\nNote: [a,\n\nb{' ' * MOST_CHARS}]\n---\n",  # not read
    # not read to their end
    f"---\nNote: [{'1,' * 5_100}]\n\nA paragraph.\n\n# A heading\n\nText.\n---\n",
    f"---\nNote: {'[' * 30}\n\nA paragraph.\n\n---\n",
    "---",
    "---\n",
    "---\ntitle: a\n",
    " ---\ntitle: a\n---\n",
    "\n---\ntitle: a\n---\n",
    "----\ntitle: a\n----\n",
    "---\ntitle: a\n+++\n",
    "+++\na = 1\n...\n",
    "---\nJust a sentence.\n---\n",
    "---\n# A heading\n---\n",
    "---\n\n# A heading\n\nSome text.\n\n---\n",
    "---\n\nWhat follows is new: two keys.\n\n---\n",
    "---\nNote: read this.\n\nAnother paragraph.\n\n---\n",
    "---\nNote: read this.\n# A heading\nA paragraph.\n\n---\n",
    "---\n- a\n- b: c\n---\n",
    '---\n"A \\" b\nc": d\n---\n',
    "---\n✅ It is done.\n---\n",
    "---\n[a]: https://a.example\n---\n",
    "---\nhttps://a.example\n---\n",
    "---\n**Note:** b\n---\n",
    "---\n{% include a %}\n---\n",
    "---\n\n    code: 1\n---\n",
    "+++\nJust a sentence.\n+++\n",
]


@pytest.mark.parametrize("text", FRONT, ids=range(len(FRONT)))
@pytest.mark.parametrize("before", ["", "\ufeff"], ids=["plain", "with a mark"])
def test_entries_between_two_marks_are_front_matter(before: str, text: str) -> None:
    assert end_of_front_matter(f"{before}{text}") == len(before) + len(text)
    page = before + text.rstrip("\n") + "\nText of the page.\n"
    lines = text.rstrip("\n").count("\n") + 1
    assert without_front_matter(page) == "Text of the page.\n"
    assert front_matter_end(Lines(page)) == lines
    (pre, paragraph) = markdown_tree(page, ALL, ALL).nodes
    assert (pre[0], paragraph[0]) == ("pre", "p")
    *entries, last = words_of_markup(page, "markdown")[1]
    assert page[last.start : last.end] == "Text of the page."
    assert all(one.heading and one.item for one in entries)


@pytest.mark.parametrize("text", NONE, ids=range(len(NONE)))
@pytest.mark.parametrize("before", ["", "\ufeff"], ids=["plain", "with a mark"])
def test_anything_else_belongs_to_the_page(before: str, text: str) -> None:
    page = f"{before}{text}"
    assert end_of_front_matter(page) == 0
    assert without_front_matter(page) == page
    assert front_matter_end(Lines(page)) == 0
    found = front_matter_of(page)
    assert (dict(found.values), found.problem) == ({}, "")
    assert all(one[0] != "pre" or "code" in page for one in markdown_tree(page, ALL, ALL).nodes)
    assert not any(one.heading and one.item for one in words_of_markup(page, "markdown")[1])


def test_a_page_that_begins_with_a_rule_has_its_heading() -> None:
    for page in ("---\n# Keys\n---\nText.\n", "---\n\n# Keys\n\nText.\n\n---\n\nMore.\n"):
        document = read("a.md", page)
        assert document.title == "Keys"
        assert [one.headings for one in sections_of(document, ChunkerConfig())] == [("Keys",)]


def test_long_front_matter_is_no_heading_and_says_why_it_gives_no_attributes() -> None:
    comments = "# not a heading\n" * 600
    page = f"---\ntitle: Keys\n{comments}layout: page\n---\n\n# One\n\nText.\n"
    front, *_ = sections_of(read("a.md", page), ChunkerConfig(target_tokens=24, solo_tokens=10))
    assert front.headings == ()
    assert front_matter_of(page).values == {"title": "Keys", "layout": "page"}
    found = front_matter_of(f"---\na: {'b' * 300_000}\n---\n")
    assert found.problem == f"300,003 characters, at most {MOST_CHARS:,} are read"


@given(
    st.text(alphabet="-+.: \n\n#a1\"'[]{}\t\r\x0b\u2028\ufeff", max_size=60),
    st.sampled_from(("---", "+++", "\ufeff---")),
)
def test_all_who_ask_get_the_same_end(block: str, mark: str) -> None:
    page = f"{mark}\n{block}\n{mark[-3:]}\nText\n"
    end = end_of_front_matter(page)
    assert len(page) - len(without_front_matter(page)) == end
    assert front_matter_end(Lines(page)) == page.count("\n", 0, end)
    assert end or (front_matter_of(page).values, front_matter_of(page).problem) == ({}, "")


@pytest.mark.parametrize(
    "part",
    [
        "a: b\n",
        "a\n",
        "\n",
        "- \n",
        "#\n",
        " ",
        "a",
        "a ",
        "a:",
        "a.",
        "'",
        '"',
        "[",
        "{a: ",
        "-",
        "---a\n",
        "--- a\n",
    ],
)
def test_hostile_text_takes_time_in_proportion(part: str) -> None:
    def work(size: int) -> None:
        for page in (
            "---\n{}",
            "+++\n{}",
            "---\na: b\n{}\n---\n",
            "---\na: [b,\n\nc,\n{}\n---\n",
            '---\na: "b\n\nc\n{}\n---\n',
            "---\n{}\n---\n",
            "+++\n{}\n+++\n",
        ):
            end_of_front_matter(page.format(part * (size // len(part))))

    assert grows_in_proportion(work, 20_000)
