"""What marked-up documentation says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.sentences.markup import shown, words_of_markup
from tests.counting import grows_in_proportion


def said(text: str, language: str = "html") -> list[str]:
    words, found = words_of_markup(text, language)
    assert len(words) == len(text)
    return [
        ("# " if one.heading else "") + " ".join(shown(words[one.start : one.end]).split())
        for one in found
    ]


def test_tags_of_blocks_end_sentences_and_others_leave_nothing() -> None:
    text = (
        "<h2>Keys</h2><p>They <b>rust.</b> A <code>key</code>'s end<br>is <x-y>round</x-y></p>End"
    )
    assert said(text) == ["# Keys", "They rust.", "A key's end is round", "End"]
    assert said("<script>var a = '<p>';</script><style>p{}</style>Word") == ["Word"]
    assert said("<ul><li>one<li>two</ul>") == ["one", "two"]
    assert said("a &lt;b&gt; <!-- not <p> this --> c") == ["a <b> c"]


def test_terms_are_with_their_text_and_cells_with_their_row() -> None:
    assert said("<dl><dt>-a</dt><dt>-b</dt><dd><p>Foo.</p><p>Bar.</p></dd></dl>") == [
        "-a: -b: Foo.",
        "Bar.",
    ]
    assert said("<dl><dt>Is it?</dt><dd>No.</dd></dl>") == ["Is it?", "No."]
    assert said("<tr><td>a\nb</td>\n<td>c<p>d</td></tr>\n<tr><td>e</tr>") == ["| a b | c d", "| e"]
    assert said("| <a id='x'>`b`</a> | c<br />d <ul><li>e</li></ul> | 5 |", "markdown") == [
        "| `b` | c d e | 5 |"
    ]


def test_code_and_placeholders_of_markdown_keep_their_brackets() -> None:
    assert said("Use `<p>` for <path>.\n\n```html\n<p>x</p>\n```\n", "markdown") == [
        "Use `<p>` for <path>.",
        "<p>x</p>",
    ]
    for language in ("rst", "text", "yaml"):
        assert said("Give <b> or <a>.", language) == ["Give <b> or <a>."]


@pytest.mark.parametrize(
    "text",
    [
        "tool set --label <label> --title <title> [--input <input>] <dir> <table>",
        "Foo<S> or Box<Q> or Pair<A, B>",
        "If a <b and c> d",
        "The tag is ``<br>`` or ``a`<b>`` here",
        "Put a <script> tag in the head, and the closing </script> tag below",
        "Write <?php as the first",
    ],
)
def test_placeholders_of_markdown_are_no_tags(text: str) -> None:
    assert said(text, "markdown") == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Press <kbd>a</kbd>, <b>b</b> or <a href='c'>\n\nc</a><p/>", ["Press a, b or", "c"]),
        ("<p>\n\n**x**\n\n</p>\n<p>Text\n\n<section>\n<p>y\n", ["**x**", "Text", "y"]),
        ("<style>\na {}\n\nb {}\n</style>\n\nText", ["Text"]),
        ("A <script src='a'>run(1)</script> b <?php echo $a->b; ?> c", ["A", "b c"]),
        ("A <script src='a'> b.\n\nClose it by </script> c", ["A", "b.", "Close it by", "c"]),
        ("<table><tr><td><p>a</td></tr></table>", ["| a"]),
    ],
)
def test_tags_of_markdown_have_attributes_or_an_end_or_a_line(
    text: str, expected: list[str]
) -> None:
    assert said(text, "markdown") == expected


def test_summaries_are_headings_of_what_follows() -> None:
    text = "<details>\n<summary>Windows <b>10</b></summary>\n\nYes. It is.\n\n</details>\n\nEnd"
    for language in ("markdown", "html"):
        words, found = words_of_markup(text, language)
        labels = [shown(words[one.start : one.end]) for one in found if one.label and one.heading]
        assert labels == ["Windows 10"]
        assert said(text, language) == ["# Windows 10", "Yes.", "It is.", "End"]


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\nms.date: 10/01/2020\n'og:x' : b\ntags:\n- c\n---\n\nText.",
        '+++\ntitle = "A"\na.b = 2020\ntags = [\n"c",\n]\n\n[extra]\nx = 1\n+++\n\nText.',
        "\ufeff---\ntitle: A\nb: 1\nc: 2\n...\nText.",
    ],
)
def test_front_matter_is_yaml_or_toml(text: str) -> None:
    found = said(text, "markdown")
    assert found[-1] == "Text."
    assert all(one.startswith("# ") for one in found[:-1])
    assert len(found) > 3


@pytest.mark.parametrize("text", ["+++\nText.\n+++\nx", "---\nText.\n---\nx", "+++\na = 1\n"])
def test_text_between_rules_is_no_front_matter(text: str) -> None:
    assert not any(one.item and one.heading for one in words_of_markup(text, "markdown")[1])


def test_front_matter_begins_a_line() -> None:
    for text in (" ---\nowner: kim\n---\n\nText.\n", " ---\nowner: kim\n---\n\nText &.\n"):
        for before in ("", "\ufeff"):
            found = words_of_markup(f"{before}{text}", "markdown")[1]
            assert not any(one.item for one in found)


def test_indented_lines_of_markdown_are_code_unless_they_belong_to_an_item_or_a_box() -> None:
    code = "<b>x</b> &lt;"
    assert said(f"Run:\n\n    {code}\n\n    {code}\n\nEnd <b>x</b>", "markdown") == [
        *("Run:", code, code, "End x")
    ]
    for text in ("Run:\n    ", "- a\n\n    ", "1. a\n\n       b\n\n    ", "!!! note\n\n    "):
        assert said(text + code, "markdown")[-1].endswith("x <"), text
    assert said(f"    a\n\n    {code}", "markdown") == ["a", "x <"]
    assert said(f"\n{code}", "markdown") == ["x <"]
    for text in ("- a\n\n      ", "1. a\n\n       ", "!!! note\n\n        ", "- a\n\nb\n\n    "):
        assert said(text + code, "markdown")[-1] == code, text
    assert said(f"Run:\n\n    {code}", "mdx") == ["Run:", "x <"]
    assert said(f"```\na\n\n    {code}\n```\nb <b>x</b>", "markdown") == [*("a", code, "b x")]


def test_named_characters_are_decoded_where_they_are_no_address_and_no_code() -> None:
    address = "See https://x.org/a?page=1&region=eu&copy=2&section=3 of it."
    for language in ("html", "markdown", "mdx"):
        assert said(address, language) == [address]
        assert said("a &lt; b&nbsp;&#38;&#x26; &amp;lt; &notit; &nosuch; &#; &nGt;", language) == [
            "a < b && &lt; &notit; &nosuch; &#; \u226b\u20d2"
        ]
    code = "Text has `&lt;` for &lt;.\n\n```\n&amp;\n```"
    assert said(code, "markdown") == ["Text has `&lt;` for <.", "&amp;"]
    assert said("&lt; is `&lt;`", "rst") == ["&lt; is `&lt;`"]
    assert said("<code>&lt;p&gt;</code>") == ["<p>"]
    assert said("&#35; no heading\n&#45; and no item") == ["# no heading - and no item"]


@given(
    st.text(alphabet="<>/!-ptdbr hl1`\n|a&;'\"", max_size=200),
    st.sampled_from(("html", "markdown")),
)
def test_any_text_keeps_its_length(text: str, language: str) -> None:
    words, found = words_of_markup(text, language)
    assert len(words) == len(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)


@pytest.mark.parametrize(
    "part",
    [
        *("<p", "<!--", "<p>", "<td>|", "`<", "<script>", "<h1>", "<tr><td>\n", "<a <", "<dd>"),
        *("<dt>", "&lt;", "&#", "&a", "<?", "``", "``a", "\n\n    <b>", "<b>a", "<b>\n\n"),
        *("<b></b>", "<style>\n\n", "\t", " <p>", "a <script b=c>", "<a ", "a <!--", "\n \n"),
    ],
)
def test_hostile_markup_takes_time_in_proportion(part: str) -> None:
    for language in ("html", "markdown"):

        def work(size: int, language: str = language) -> object:
            text = f"{part * (size // len(part))}\n\n</p></b></script>-->?>"
            return words_of_markup(text, language)

        assert grows_in_proportion(work, 8_000)


@pytest.mark.parametrize("part", ["a: b\n", "---\n", "- \n", "a\n---\n", "a.", "a = b\n", "'a'."])
def test_hostile_front_matter_takes_time_in_proportion(part: str) -> None:
    for mark in ("---", "+++"):

        def work(size: int, mark: str = mark) -> object:
            return words_of_markup(f"{mark}\n{part * (size // len(part))}", "markdown")

        assert grows_in_proportion(work, 5_000)


@pytest.mark.parametrize(
    "text", ["# Beta\n\nThe port is 7443.\n", "---\ntitle: Sigma\n---\n\nThe quota is 77 files.\n"]
)
def test_a_byte_order_mark_hides_no_heading_and_no_front_matter(text: str) -> None:
    words, plain = words_of_markup(text, "markdown")
    marked_words, marked = words_of_markup(f"\ufeff{text}", "markdown")
    assert len(marked_words) == len(words) + 1
    moved = [(one.start - 1, one.end - 1, one.heading, one.item) for one in marked]
    assert moved == [(one.start, one.end, one.heading, one.item) for one in plain]
    assert plain[0].heading
