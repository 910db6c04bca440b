"""What belongs to a sentence that is taken as an answer."""

from __future__ import annotations

import pytest

from pincite.answering.extract import extract
from pincite.answering.sentences.directives import REMOVALS
from pincite.model import Context, Evidence
from pincite.model.citation import parse_citation
from tests.answering.evidence import BACKUPS, TERMS, evidence


def texts(question: str, *items: Evidence) -> list[str]:
    return [one.text for one in extract(question, items, TERMS).sources]


def test_the_sentence_with_the_answer_follows_the_one_with_the_words() -> None:
    said = "The size of files considered big, as discussed below in more words. It is 512 MiB."
    text = f"{said}\n\n{'More of it. ' * 9}"
    assert texts("size of big files?", evidence(text)) == [said]
    long = f"Keys expire in May. {'They are sold in every town of the valley. ' * 20}"
    (one,) = texts("when do keys expire?", evidence(long))
    assert len(one) <= 300
    assert one.endswith("valley.")


def test_a_short_paragraph_goes_on_in_the_next_one() -> None:
    text = "Do keys rust?\n\nNo.\n\nThey are made of brass.\n\n" + "A third one is here. " * 5
    (one,) = texts("do keys rust?", evidence(text))
    assert one.startswith("No.\n\nThey are made of brass.")


@pytest.mark.parametrize(
    "other",
    [
        "\n\n**Is Windows supported?**\n\nYes.",
        "\n\n__Is Windows supported?__\n\nYes.",
        "\n\nQ: Is Windows supported?\nA: Yes.",
        "\nQ: Is Windows supported?\nA: Yes.",
        "\n\n**Windows**\n\nYes.",
        "\n\n**On Windows**:\n\nYes.",
        "\n</details>\n\n<details><summary>Is Windows supported?</summary>\n\nYes.\n</details>",
    ],
)
def test_an_answer_ends_before_the_next_question_or_label(other: str) -> None:
    for asked in ("**Is ARM supported?**\n\n", "Q: Is ARM supported?\n"):
        (one,) = texts("Is ARM supported?", evidence(f"{asked}A: No.{other}\n"))
        assert one == "A: No."


def test_emphasis_and_a_question_inside_of_a_paragraph_end_nothing() -> None:
    text = "Is ARM supported?\n\nNo.\n\n**It breaks the lock.** Why? It is too fast."
    (one,) = texts("Is ARM supported?", evidence(text))
    assert one.endswith("Why? It is too fast.")


def test_an_introduction_has_its_block_and_is_none_without_it() -> None:
    text = "To purge all tasks, run:\n\n```\ncelery purge\n```\n\nThe end of it.\n"
    found = extract("how do I purge all tasks?", [evidence(text)], TERMS)
    assert found.text == "To purge all tasks, run:\n\n    celery purge\n[1]"
    assert found.sources[0].text == "To purge all tasks, run:\n\n```\ncelery purge"
    items = "Keys are cut in two shapes:\n\n- round ones\n- flat ones\n\nThat is all.\n"
    found = extract("which shapes do keys have?", [evidence(items)], TERMS)
    assert found.text == "Keys are cut in two shapes:\n- round ones\n- flat ones [1]"
    alone = "Keys are kept in a safe. The keys that are kept rotate as follows:"
    (one,) = texts("how do the keys that are kept rotate?", evidence(alone))
    assert one == "Keys are kept in a safe."
    assert texts("how do keys rotate?", evidence("Keys rotate as follows:")) == [
        "Keys rotate as follows:"
    ]


def test_a_default_is_with_what_it_is_the_default_of() -> None:
    text = "The timeout of a lock\n=====================\n\nDefaults to 5 s.\n"
    found = extract("default timeout of a lock", [evidence(text)], TERMS)
    assert found.text == "The timeout of a lock\nDefaults to 5 s. [1]"
    two = "Whether a lock rusts. Defaults to true.\n"
    assert texts("defaults", evidence(two)) == ["Whether a lock rusts. Defaults to true."]


def test_a_name_or_title_is_before_its_first_sentence() -> None:
    text = (
        ".. function:: connect(host, port=5432)\n.. function:: open(host)\n\n"
        "   Opens a session.\n\n.. function:: close()\n\n   Closes it.\n"
    )
    found = extract("what are the arguments of connect?", [evidence(text, language="rst")], TERMS)
    shown = "connect(host, port=5432)\nopen(host)\nOpens a session. [1]"
    assert found.text == shown
    box = '!!! danger "It is not safe in production"\n\n    Use another one.\n\nIn tests it is.\n'
    found = extract("is it safe in production?", [evidence(box)], TERMS)
    assert found.text.startswith("It is not safe in production\nUse another one.")
    note = ".. [#f1] The limit of a footnote is 5 MB.\n\nThe footnote is marked.\n"
    (one,) = texts("what is the limit of a footnote?", evidence(note, language="rst"))
    assert one.startswith("The limit of a footnote is 5 MB.")


def test_a_list_goes_on_with_a_sentence_that_has_no_end() -> None:
    text = "You may use it at work, unless\n\n* you have no license, or\n* it is for war.\n"
    found = extract("may I use it at work?", [evidence(text)], TERMS)
    assert found.text.endswith("unless\n- you have no license, or\n- it is for war. [1]")
    nested = "- The flag is required\n  - only on Windows\n  - or at night\n- Other\n"
    found = extract("is the flag required?", [evidence(nested)], TERMS)
    assert found.text == "The flag is required\n- only on Windows\n- or at night [1]"
    siblings = "- Keys. They rust at night\n- Locks of doors\n"
    assert texts("what rusts at night?", evidence(siblings)) == ["They rust at night"]
    fields = "Rotates the keys\n\n:param a: The first.\n:param b: The second.\n"
    assert texts("what rotates the keys?", evidence(fields)) == ["Rotates the keys"]


def test_a_heading_or_introduction_that_denies_is_above_its_items() -> None:
    text = "## Not supported\n\n- Windows 95\n- Solaris\n\n## Supported\n\n- Linux\n"
    found = extract("is Solaris there?", [evidence(text)], TERMS)
    assert found.text == "Not supported\nSolaris [1]"
    assert found.sources[0].text.startswith("## Not supported")
    assert extract("is Linux there?", [evidence(text)], TERMS).text == "Linux [1]"
    asks = "## Why is a lock not there?\n\nIt rusts.\n"
    assert extract("why is it not there?", [evidence(asks)], TERMS).text == "It rusts. [1]"
    text = "These are not sold:\n\n- Keys\n- Locks\n"
    assert extract("what about locks?", [evidence(text)], TERMS).text.startswith("These are not")


def test_items_of_front_matter_are_before_no_sentence() -> None:
    front = evidence("---\ntags:\n- keys\n---\nA keeper keeps it.\n")
    assert texts("who keeps keys?", front) == ["A keeper keeps it."]


def test_what_takes_a_sentence_back_belongs_to_it() -> None:
    for back in ("But not in May.", "However, it rusts.", "This will not open the gate."):
        text = f"A key opens every door{' of the lodge' * 30}.\n\n{back} It is sold.\n"
        (one,) = texts("what opens a door?", evidence(text))
        assert one.endswith(back)
    text = f"Do windows open?\n\nNo. {'Not one of them does so today. ' * 2}\n\nBut a door may."
    (one,) = texts("do windows open?", evidence(text))
    assert one.endswith("But a door may.")


def test_what_takes_back_and_is_too_long_has_a_mark() -> None:
    long = f"However, {'it does so in the light of a very old lamp, ' * 14}never."
    text = f"A key opens every door. {long}"
    assert extract("what opens a door?", [evidence(text)], TERMS).text == (
        "A key opens every door. … [1]"
    )
    after = f"A key opens every door. It is sold. {long.replace('However, it', 'It')}"
    assert extract("what opens a door?", [evidence(after)], TERMS).text == (
        "A key opens every door. It is sold. [1]"
    )


@pytest.mark.parametrize("name", sorted(REMOVALS))
def test_each_notice_of_a_removal_takes_back_what_is_above(name: str) -> None:
    text = f"A key opens every door{' of the lodge' * 9}.\n\n.. {name}:: 3.9\n\nIt is sold.\n"
    found = extract("what opens a door?", [evidence(text, language="rst")], TERMS)
    assert "3.9" in found.text


def test_what_follows_a_denied_list_is_not_denied() -> None:
    text = "Not sold:\n\n- Old keys\n- Locks\n\nDoors are new.\n"
    assert extract("what about locks?", [evidence(text)], TERMS).text == "Not sold:\n- Locks [1]"


def test_a_notice_has_its_name_and_one_of_deprecation_belongs_to_what_is_before() -> None:
    text = f"A key opens every door{' of the lodge' * 9}.\n\n.. deprecated:: 3.9\n\nIt is sold.\n"
    found = extract("what opens a door?", [evidence(text, language="rst")], TERMS)
    assert found.text.endswith(" of the lodge. deprecated: 3.9 [1]")
    assert found.sources[0].text.endswith(".. deprecated:: 3.9")


def test_a_sentence_of_another_file_adds_two_words() -> None:
    first = evidence("Keys expire in May.")
    filler = evidence("The valley is cold.", 2)
    asked = "when do keys of the valley expire?"
    assert texts(asked, first, filler) == ["Keys expire in May."]
    useful = evidence("Locks of the valley are cold.", 2)
    asked = "when do keys expire and are locks of the valley cold?"
    assert texts(asked, first, useful) == ["Keys expire in May.", "Locks of the valley are cold."]


def test_of_a_long_row_each_cell_is_shown() -> None:
    filler = "the old gate was painted over and over again, " * 12
    row = f"| `timeout` | {filler} of the lock {filler} | 10s |"
    found = extract("timeout of the lock", [evidence(f"{row}\n"), evidence(BACKUPS, 2)], TERMS)
    assert found.text.startswith("| `timeout` | … ")
    assert "of the lock" in found.text
    assert found.text.endswith("… | 10s | [1]")
    assert len(found.text) < 700
    assert found.sources[0].text == row


HTML = (
    "<!DOCTYPE html>\n<html><head><title>Orphan Mode</title>\n<meta name='a'></head><body>\n"
    "<h3>Orphan Mode</h3><p>Servers <tt>ntpd</tt>'s <b>elect</b> an orphan &amp; parent.</p>\n"
    "<dl><dt><tt>-n <i>tries</i></tt></dt>\n<dd>Number of tries before it\ngives up.</dd></dl>\n"
    "<table><tr><th>Flag</th>\n<th>Use</th></tr>"
    "<tr><td>kod</td><td>sends a packet</td></tr></table>"
)


@pytest.mark.parametrize(
    ("question", "text", "source"),
    [
        (
            "who elects an orphan parent?",
            "Servers ntpd's elect an orphan & parent.",
            "Servers <tt>ntpd</tt>'s <b>elect</b> an orphan &amp; parent.",
        ),
        (
            "number of tries",
            "-n tries: Number of tries before it gives up.",
            "<tt>-n <i>tries</i></tt></dt>\n<dd>Number of tries before it\ngives up.",
        ),
        ("what sends a packet?", "| kod | sends a packet", "<td>kod</td><td>sends a packet"),
    ],
)
def test_tags_are_not_shown_and_the_citation_is_exact(
    question: str, text: str, source: str
) -> None:
    item = evidence(HTML, language="html")
    found = extract(question, [item], TERMS)
    assert found.text == f"{text} [1]"
    assert found.sources[0].text == source
    cited = parse_citation(found.sources[0].citation)
    assert cited is not None
    assert cited.start_column is not None
    lines = HTML.split("\n")[cited.start_line - 3 : cited.end_line - 2]  # type: ignore[operator]
    lines[-1] = lines[-1][: cited.end_column]
    lines[0] = lines[0][cited.start_column - 1 :]
    assert "\n".join(lines) == source


def test_titles_and_front_matter_are_no_answers() -> None:
    front = "---\ntitle: Rotate keys\nlayout: page\n---\n\n"
    text = f"{front}<div class='note'>\nA keeper does it.</div>\n"
    assert texts("rotate keys", evidence(text, start_line=1)) == ["A keeper does it."]
    word = evidence("Rotate keys\n\nA keeper does it.", headings=("Lodge", "Rotate keys"))
    assert texts("rotate keys", word) == ["A keeper does it."]
    code = evidence("A `<p>` ends. Use <path> as a name.")
    assert extract("what ends and what is a name?", [code], TERMS).text == (
        "A `<p>` ends. Use <path> as a name. [1]"
    )


FAQ = (
    ".. _purge:\n\nHow do I purge all tasks?\n-------------------------\n\n"
    "**Answer:** Use the command:\n\n.. code-block:: console\n\n    $ celery purge\n\n"
    "That is all.\n"
)


def test_a_question_as_a_heading_is_answered_by_what_is_below() -> None:
    found = extract("how do I purge all tasks", [evidence(FAQ, language="rst")], TERMS)
    assert found.text == "**Answer:** Use the command:\n\n        $ celery purge\n[1]"


@pytest.mark.parametrize(
    "condition",
    [
        "**Only if you have a license**",
        "__Unless it is for war__",
        "**Except on Sundays**",
        "**However, not on Sundays**",
        "**Not on Sundays**",
    ],
)
def test_a_condition_in_bold_is_no_label(condition: str) -> None:
    for asked in ("You may use it at work.", f"You may use it{' at work' * 12}."):
        text = f"{asked}\n\n{condition}\n\nThe keeper knows.\n"
        found = extract("may I use it at work?", [evidence(text)], TERMS)
        assert found.text == f"{asked} {condition} The keeper knows. [1]"
        text = text.replace("The keeper", "The keeper of all the keys" * 20)
        found = extract("may I use it at work?", [evidence(text)], TERMS)
        assert found.text == f"{asked} {condition} … [1]"


def test_what_announces_something_else_is_not_the_end() -> None:
    text = "Linux is supported.\n\n**Not supported**\n\n- Windows\n"
    assert extract("is Linux there?", [evidence(text)], TERMS).text == "Linux is supported. [1]"


def test_what_takes_a_sentence_back_is_not_alone() -> None:
    text = "A key opens it.\n\nBut it rusts in the rain of May.\n"
    assert texts("what rusts in the rain?", evidence(text)) == [text.strip()]
    for alone in ("# Keys\n\nOnly at night.\n", "It opens.\n\nNot at night:\n\n- A door\n"):
        (one,) = texts("what is there at night?", evidence(alone))
        assert one.startswith(("Only", "Not"))
    flags = "- `--key`: It opens.\n- `--only-doors`: It closes doors.\n"
    assert texts("what opens?", evidence(flags)) == ["`--key`: It opens."]


def test_what_the_passage_cuts_has_a_mark() -> None:
    text = "A key opens every door, and a lock of the"
    for more, mark in (("valley is old.\n", " …"), ("", ""), ("- A lock\n", ""), ("\n", "")):
        context = Context(1, 6, f"one\ntwo\n{text}\n{more}")
        found = extract("what opens a door?", [evidence(text, context=context)], TERMS)
        assert found.text == f"{text}{mark} [1]"
        assert found.sources[0].text == text
    for cut in (text, f"| opens | a door | {text}"):
        found = extract("what opens a door?", [evidence(cut, end_column=41)], TERMS)
        assert found.text == f"{cut} … [1]"
    ended = evidence("A key opens every door.", end_column=23)
    assert extract("what opens a door?", [ended], TERMS).text == "A key opens every door. [1]"
    filler = "the old gate was painted over and over again, " * 40
    item = evidence(f"{filler}the keys of the lodge expire in May, {filler}and so on.")
    found = extract("when do the keys of the lodge expire?", [item], TERMS)
    assert found.text.startswith("… ")
    assert found.text.endswith(" … [1]")


@pytest.mark.parametrize(
    ("question", "entry", "said"),
    [
        ("What is a layout?", "layout: docs", "A layout is a template of a page."),
        ("What is the weight of a page?", "weight: 30", "The weight of a page sorts it."),
        ("Which version of Python is needed?", "version: 1.2", "Python 3.11 is needed."),
        ("What type does rotate return?", "type: reference", "rotate gives a `Key`."),
        ("Is the page published?", "published: false", "A page is published at night."),
        ("What are default values?", "date: 2020", "Default values are in the file of it."),
    ],
)
def test_front_matter_is_no_answer_to_what_the_page_is_about(
    question: str, entry: str, said: str
) -> None:
    text = f"---\ntitle: Pages\n{entry}\n---\n\n{said}\n"
    assert texts(question, evidence(text, start_line=1)) == [said]
    front, rest = text.split("\n\n")
    assert texts(question, evidence(front, start_line=1), evidence(rest, 2)) == [said]


def test_an_entry_of_front_matter_is_by_itself() -> None:
    text = "---\ntitle: Gateway\nowner: Anna\n---\nNobody but the keepers has a key.\n"
    page = evidence(text, start_line=1)
    assert texts("who is the owner of the gateway?", page) == ["owner: Anna"]
