"""Sentences of the evidence as an answer."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pincite.answering.extract import cite_span, extract
from pincite.model.citation import parse_citation
from tests.answering.evidence import BACKUPS, KEYS, TERMS, evidence
from tests.counting import grows_in_proportion

PAGE = (
    "# Keys\n\nTo rotate a key, call `rotate_key`\nwith the new secret. Keys expire.\n\nThe end.\n"
)


def test_the_sentence_that_has_the_words_is_cited_by_itself() -> None:
    found = extract("when do keys expire?", [evidence(BACKUPS), evidence(KEYS, 2)], TERMS)
    (one,) = found.sources
    assert found.text == "Keys expire after 30 days and cannot be restored. [1]"
    assert one.text == "Keys expire after 30 days and cannot be restored."
    assert (one.number, one.evidence) == (1, 2)
    assert one.citation == "acme@c0ffee:docs/2.md#L3C57-L3C105"
    assert KEYS[56:105] == one.text


def test_of_sentences_that_are_all_too_long_the_part_around_the_words_is_cited() -> None:
    filler = "the old gate was painted over and over again, " * 40
    text = f"{filler}the keys of the lodge expire after ninety days of rain, {filler}and so on."
    for kind in ("docs", "code"):
        item = evidence(text, source_type=kind)
        found = extract("when do the keys expire?", [item], TERMS)
        (one,) = found.sources
        assert "keys of the lodge expire after ninety days of rain" in one.text
        assert len(one.text) <= 600
        assert f" {one.text} " in f" {text} "  # whole words, as they stand
        cited = parse_citation(one.citation)
        assert cited is not None
        assert cited.start_column is not None
        assert text[cited.start_column - 1 : cited.end_column] == one.text
    short = evidence("Keys expire in May.", 2)
    both = extract("when do the keys expire?", [evidence(text), short], TERMS)
    assert [source.text for source in both.sources] == ["Keys expire in May."]
    assert extract("zebra?", [evidence("x" * 5_000)], TERMS).sources[0].text == "x" * 600


def test_a_number_in_brackets_of_the_sentence_itself_is_no_citation() -> None:
    text = "Keys expire after 30 days [2][1] as `x[3]` says."
    found = extract("when do keys expire?", [evidence(text)], TERMS)
    assert found.text == "Keys expire after 30 days \\[2]\\[1] as `x[3]` says. [1]"
    assert found.sources[0].text == text


def test_several_sentences_are_taken_while_they_add_words() -> None:
    asked = "when do keys expire and how long are backups kept?"
    found = extract(asked, [evidence(KEYS), evidence(BACKUPS, 2)], TERMS)
    assert [one.evidence for one in found.sources] == [1, 2]
    assert found.text.count("\n\n") == 1
    assert found.text.endswith("[2]")


def test_a_sentence_over_two_lines_is_one_line_in_the_text_and_itself_in_the_source() -> None:
    found = extract("how is a key rotated with a secret?", [evidence(PAGE)], TERMS)
    said = "To rotate a key, call `rotate_key` with the new secret. Keys expire. The end."
    assert found.text == f"{said} [1]"
    assert found.sources[0].text == PAGE[8:].rstrip()
    assert found.sources[0].citation == "acme@c0ffee:docs/1.md#L5-L8"


def test_whole_lines_are_cited_by_their_lines() -> None:
    item = evidence(PAGE)
    start = PAGE.index("The end.")
    assert cite_span(item, start, start + 8) == "acme@c0ffee:docs/1.md#L8"


def test_of_code_whole_sentences_of_docstrings_and_comments_are_taken() -> None:
    text = (
        'def keep(lamp):\n    """Every lamp survives a storm once it\n    is lit. It may fade."""\n'
        "    # What the wind puts out\n    # is lit again.\n    return lamp\n"
    )
    item = evidence(text, source_type="code")
    found = extract("what survives a storm?", [item], TERMS)
    assert found.text == "Every lamp survives a storm once it is lit. [1]"
    assert found.sources[0].text == "Every lamp survives a storm once it\n    is lit."
    assert found.sources[0].citation.endswith("#L4C8-L5C11")
    found = extract("what does wind put out again?", [item], TERMS)
    assert found.text.startswith("What the wind puts out is lit again. [1]")
    assert found.sources[0].text == "What the wind puts out\n    # is lit again."


def test_sentences_of_attribute_comments_are_taken_as_a_whole() -> None:
    text = (
        "    #: How long a lamp burns.  The default\n    #: is 31 days.\n    burns = Attribute()\n"
    )
    found = extract("what is the default?", [evidence(text, source_type="code")], TERMS)
    assert found.text == "The default is 31 days. [1]"


@pytest.mark.parametrize("blank", ["\n", "\n\n", "  \n\n"])
def test_blank_lines_within_code_are_kept(blank: str) -> None:
    code = f"a = connect()\n{blank}b = a.send()\nclose(b)\n"
    text = f"Send a message with a socket:\n\n```python\n{code}```\n\nThat is all of it.\n"
    found = extract("how do I send a message with a socket?", [evidence(text)], TERMS)
    shown = [one.content for one in MarkdownIt("commonmark").parse(found.text)]
    assert code.replace("  \n", "\n") in shown
    assert code in found.sources[0].text + "\n"
    rst = "Send a message with a socket::\n\n" + textwrap.indent(code, "    ")
    found = extract(
        "how do I send a message with a socket?", [evidence(rst, language="rst")], TERMS
    )
    gap = "\n" * (1 + blank.count("\n"))
    assert f"a = connect(){gap}        b = a.send()\n        close(b)\n" in found.text


def test_of_code_lines_are_taken_as_they_stand() -> None:
    code = "def rotate_key(secret):\n    store(secret)\n    return 1\n"
    found = extract("store secret", [evidence(code, source_type="code")], TERMS)
    assert found.sources[0].text == "    store(secret)"
    assert found.sources[0].citation.endswith("#L4")
    assert "        store(secret)\n[1]" in found.text


CODE = "def rotate_key(secret):\n    store(secret)\n"


def test_a_question_in_prose_is_answered_by_the_sentence_and_not_by_the_definition() -> None:
    both = [evidence(CODE, source_type="code"), evidence(KEYS, 2)]
    for asked in ("how do I rotate a key with a secret?", "what does rotate_key do?"):
        (first, *_) = extract(asked, both, TERMS).sources
        assert first.text.startswith("To rotate a key, call `rotate_key` with the new secret.")


def test_who_asks_for_code_gets_the_definition_and_so_does_who_finds_nothing_else() -> None:
    both = [evidence(CODE, source_type="code"), evidence(KEYS, 2)]
    for asked in ("where is rotate_key defined?", "rotate_key(secret)"):
        assert extract(asked, both, TERMS).sources[0].text == "def rotate_key(secret):"
    alone = extract("how do I rotate a key?", both[:1], TERMS)
    assert alone.sources[0].text == "def rotate_key(secret):"


def test_of_a_record_characters_are_cited() -> None:
    item = evidence(KEYS, citation="tickets@:7#char=100,205", start_char=100, end_char=205)
    (one,) = extract("when do keys expire?", [item], TERMS).sources
    assert one.citation == "tickets@:7#char=156,205"


def test_a_passage_without_lines_is_cited_whole() -> None:
    item = evidence(KEYS, citation="notes:7f3a", start_line=0, end_line=0)
    (one,) = extract("when do keys expire?", [item], TERMS).sources
    assert one.citation == "notes:7f3a"


FAQ = "How long is a key valid in production?\n\nIt expires after 7 days. Ask the owner.\n"


def test_a_question_is_answered_by_the_sentence_behind_it_and_not_by_itself() -> None:
    asked = "How long is a key valid in production?"
    for text in (FAQ, f"# {FAQ}", FAQ.replace("production?", "production?”")):
        found = extract(asked, [evidence(text), evidence(BACKUPS, 2)], TERMS)
        assert found.sources[0].text == "It expires after 7 days. Ask the owner."
    echo = f'$ ask "{asked}"\n\n' + "A key is valid for 7 days in production.\n"
    for question in (asked, asked.rstrip("?").lower()):
        found = extract(question, [evidence(echo)], TERMS)
        assert [one.text for one in found.sources] == ["A key is valid for 7 days in production."]
    assert (
        extract(asked, [evidence(asked)], TERMS).sources[0].text == asked
    )  # nothing else is there
    fence = f'```\n$ ask "{asked}"\n$ status\n```\n\nA key lives for 7 days.\n'
    assert extract(asked, [evidence(fence)], TERMS).sources[0].text == "A key lives for 7 days."
    rows = "| q | a |\n|---|---|\n| How long is a key valid in production? | 7 |\n"
    assert "| 7 |" in extract(asked, [evidence(rows)], TERMS).sources[0].text
    told = "This page says how long is a key valid in production: seven days for all of them."
    assert extract(asked, [evidence(told)], TERMS).sources[0].text == told
    kept = "Keys in production are valid for long."
    assert extract("keys in production are valid", [evidence(kept)], TERMS).sources[0].text == kept


def test_code_and_addresses_are_shown_as_they_are_written() -> None:
    text = "# A < is escaped as &lt; and the & as &amp; here.\nx = 1\n"
    item = evidence(text, language="python", source_type="code")
    assert extract("how is & escaped?", [item], TERMS).text.startswith("A < is escaped as &lt; and")
    text = "In text, `<` is escaped as `&lt;`, see https://x.org/?a=1&copy=2.\n"
    assert extract("how is text escaped?", [evidence(text)], TERMS).text == f"{text.strip()} [1]"


def test_where_no_sentence_has_a_word_it_is_the_first_of_the_best() -> None:
    found = extract("zebra", [evidence(BACKUPS), evidence(KEYS, 2)], TERMS)
    assert [one.text for one in found.sources] == [BACKUPS]


def test_what_only_its_title_makes_a_heading_answers_where_nothing_else_is_there() -> None:
    text = "The gate code is 42"
    for item in (
        evidence(text, title=text),
        evidence(f"- {text}", headings=(text,)),
        evidence(f"## User\n\n{text}\n\n## Assistant\n\nI see.", language="transcript", title=text),
        evidence(f"# {text}\n"),
    ):
        found = extract("what is the gate code?", [item], TERMS)
        assert [one.text for one in found.sources] == [text]
    assert extract("gate code", [evidence("Gate code", title="Gate code")], TERMS).sources == ()
    both = [evidence(text, title=text), evidence("The gate of the lodge is green.", 2)]
    assert extract("what is the gate code?", both, TERMS).sources[0].text == text


FRONT = "---\n# of the page\ntitle: Gateway\nowners:\n- Anna\n- Bob\nstatus: retired\n---\n"


def test_an_entry_of_front_matter_answers_a_question_about_its_key() -> None:
    page = evidence(f"{FRONT}\nThe gateway routes requests.\n", start_line=1)
    (one,) = extract("who are the owners of the gateway?", [page], TERMS).sources
    assert one.text == "owners:\n- Anna\n- Bob"
    assert one.citation.endswith("#L4-L6")
    (one,) = extract("what does the gateway do?", [page], TERMS).sources
    assert one.text == "The gateway routes requests."
    alone = evidence(FRONT, start_line=1)
    assert extract("is the gateway retired?", [alone], TERMS).sources[0].text == "status: retired"


def test_only_a_file_begins_with_front_matter() -> None:
    for text in (
        "---\n\n## Ports\n\n- 80 is open\n\n---\n",
        "---\n- 80 is open\n- Hosts: a\n---\n",
    ):
        found = extract("which ports are open?", [evidence(text, start_line=1)], TERMS)
        assert [one.text for one in found.sources] == ["80 is open"]
    part = "---\nNote: all ports are open\n\n---\n"
    assert extract("which are open?", [evidence(part)], TERMS).sources[0].text == part[4:28]


@pytest.mark.parametrize(
    ("notice", "shown"),
    [
        ("deprecated-removed:: 3.11 3.13", "deprecated-removed: 3.11 3.13"),
        ("versionremoved:: 3.13", "versionremoved: 3.13"),
        ("Warning:: It is slow,", "Warning: It is slow,"),
    ],
)
def test_a_notice_of_restructuredtext_is_shown_with_its_name(notice: str, shown: str) -> None:
    text = f".. {notice}\n   Use turn for keys.\n"
    found = extract("what to use for keys?", [evidence(text, language="rst")], TERMS)
    assert f"{shown} Use turn for keys." in found.text


def test_code_is_shown_as_it_is() -> None:
    text = "Set the date variable:\n\n```sh\nD=`date +%F`\n```\n"
    found = extract("how do I set the date variable?", [evidence(text)], TERMS)
    assert "\n    D=`date +%F`\n[1]" in found.text


@pytest.mark.parametrize("answer", ["`|`", "``|``", "✅", "❌"])
def test_code_and_signs_for_yes_and_no_are_answers_without_a_word(answer: str) -> None:
    text = f"## Which separators are allowed?\n\n{answer}\n\n## Other\n\nAnything else is text.\n"
    found = extract("which separators are allowed?", [evidence(text)], TERMS)
    assert found.text == f"{answer} [1]"
    rest = text.replace(answer, "🔑\n\n***\n\nAll of them.")
    found = extract("which separators are allowed?", [evidence(rest)], TERMS)
    assert found.text == "All of them. [1]"


def test_nothing_to_take_is_an_empty_text() -> None:
    assert extract("key", [evidence("# Key\n"), evidence("", 2)], TERMS).sources == ()


@given(st.text(alphabet="key rotate.\n`#- é文\r1[]", max_size=200), st.integers(1, 9))
def test_each_source_is_byte_for_byte_where_its_citation_says(text: str, column: int) -> None:
    """The file has `column - 1` characters before the passage in its third line."""
    cut = column > 1
    file = "one\ntwo\n" + "x" * (column - 1) + text + ("yz" if cut else "")
    start = len(file) - len(text) - (2 if cut else 0)
    lines = text.split("\n")
    columns = {"start_column": column, "end_column": len(lines[-1])} if cut else {}
    item = evidence(text, **columns)
    for one in extract("rotate the key", [item], TERMS).sources:
        cited = parse_citation(one.citation)
        assert cited is not None
        assert cited.start_line is not None
        assert cited.end_line is not None
        whole = file.split("\n")[cited.start_line - 1 : cited.end_line]
        if cited.start_column is not None and cited.end_column is not None:
            last = whole[-1][: cited.end_column]
            whole = [*whole[:-1], last]
            whole[0] = whole[0][cited.start_column - 1 :]
        if cited.start_column is not None:
            assert "\n".join(whole) == one.text
        assert one.text in "\n".join(whole)
        assert one.text in file[start:]


OLD = "Version 0.3.1\n-------------\n\nReleased 2010-05-28\n\nFixed an error.\n"
BOTH = (
    "Version 3.1.1\n-------------\n\nReleased 2025-05-13\n\n"
    "Version 3.1.0\n-------------\n\nReleased 2024-11-13\n"
)


def test_a_sentence_in_the_section_of_another_version_is_no_answer() -> None:
    found = extract("when was version 3.1.0 released?", [evidence(OLD), evidence(BOTH, 2)], TERMS)
    assert [one.text for one in found.sources] == ["Released 2024-11-13"]
    headed = evidence("Released 2010-05-28", headings=("Version 0.3.1",))
    right = evidence("Released 2026-02-18", 2, headings=("Version 3.1.3",))
    asked = "when was version 3.1.3 released?"
    assert [one.evidence for one in extract(asked, [headed, right], TERMS).sources] == [2]


def test_a_sentence_that_names_the_version_may_be_elsewhere() -> None:
    later = evidence("Restored the flag that was removed in 2.0.", headings=("Version 2.0.1",))
    found = extract("was the flag removed in 2.0?", [later], TERMS)
    assert [one.text for one in found.sources] == ["Restored the flag that was removed in 2.0."]


def test_without_the_version_there_is_no_excerpt() -> None:
    intro = evidence("All releases are listed on this page.", 2)
    found = extract("when was version 3.9.9 released?", [evidence(OLD), intro], TERMS)
    assert (found.text, found.sources, found.lacking) == ("", (), ("3.9.9",))
    how = extract("how do I fix an error in click 8.1.7", [evidence(OLD)], TERMS)
    assert how.sources


def test_many_sections_of_versions_take_a_time_that_grows_with_their_number() -> None:
    """For each sentence, the sections behind it were walked."""

    def work(size: int) -> None:
        text = "Fixed it.\n\n" * size
        text += "".join(f"## 1.{number}\n\nFixed {number}.\n\n" for number in range(size))
        found = extract("when was version 1.3 released?", [evidence(text)], TERMS)
        assert [one.text for one in found.sources] == ["Fixed 3."]

    assert grows_in_proportion(work, 1_000)
