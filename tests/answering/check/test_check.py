"""What a check finds in an answer, and what it leaves alone."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.check.check_answer import check_answer
from pincite.answering.check.names import names_in
from pincite.answering.check.passages import Told
from tests.answering.evidence import BACKUPS, KEYS, TERMS, evidence, told
from tests.counting import grows_in_proportion
from tests.time_limits import GROWS_S

PASSAGES = told(KEYS, BACKUPS)


def doubts(text: str, *, must_cite: bool = True) -> list[tuple[str, str]]:
    found = check_answer(text, PASSAGES, TERMS, must_cite=must_cite).doubts
    return [(one.why, one.detail) for one in found]


@pytest.mark.parametrize(
    "text",
    [
        "To rotate a key, call `rotate_key` with the new secret [1].",
        "Keys expire after thirty days [1].",
        "Keys expire after 30 days and cannot be restored. [1]",
        "Expired keys can not be restored [1].",
        "Backups run every night at 2:30 and are kept 1000 hours [2].",
        "Backups run nightly. They are kept for 1,000 hours [2].",
        "Call rotate_key with the new secret [1][2].",
        "Is that so? [1]",
        "## Backups of 2031\n\nBackups run every night [2].",
        "1. Call `rotate_key` with the new secret [1].\n2. Backups run every night [2].",
    ],
)
def test_what_the_passages_say_is_not_doubted(text: str) -> None:
    assert doubts(text) == []


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        ("The client gives up after a thirty-second timeout.", "It gives up after 30 seconds"),
        ("Set the memory limit of each pod to 512Mi.", "The memory limit is 512 MiB"),
        ("Run `tail -100 app.log` to print the last lines.", "It prints the last 100 lines"),
        ("Send kill -9 to the process.", "The process gets signal 9"),
        ("Skis: -20% in May.", "Skis have a discount of 20% in May"),
        ("Na noite são -5 graus em Lisboa.", "Na noite são 5 graus em Lisboa"),
        ("GDP growth was -2.1% in 2020.", "GDP contracted by 2.1% in 2020"),
        ("Revenue growth: -12% this year.", "Revenue sank by 12% this year"),
        ("The change of the index was -3.4%.", "The index slipped 3.4%"),
        ("The clock offset is -15 seconds.", "The clock is 15 seconds slow"),
        ("The elevation of the lake is at -430 m.", "The lake lies 430 m deep"),
        ("Compress with gzip at -9 for the best ratio.", "gzip compresses best at level 9"),
        ("Dates are formatted as in RFC7231.", "Dates are formatted as in RFC 7231"),
        ("The server supports HTTP/2 and HTTP/3.", "The server supports HTTP 2 and HTTP 3"),
        ("Tested with python3.12 and Java17.", "Tested with Python 3.12 and Java 17"),
        ("The cell lines are DU145 and MCF-7.", "The cell lines are DU 145 and MCF 7"),
        ("See p.12 for the table of limits.", "See page 12 for the table of limits"),
        ("See Fig.3 and ch.4 of the book.", "See figure 3 and chapter 4 of the book"),
        ("It is in docs/limits.md#L3C1-L9C4.", "It is on line 3 and in line 9"),
        ("The p95 and the v2 are measured.", "Percentile 95 of version 2 is measured"),
        ("At most 12 workers run at once.", "Up to 12 may run at once"),
        ("The shop opens at 10 am.", "The shop opens at 10:00"),
        ("A folder holds one hundred and two hundred files.", "It holds 100 and 200 files"),
    ],
)
def test_numbers_in_another_form_are_not_doubted(passage: str, said: str) -> None:
    assert check_answer(f"{said} [1].", told(f"# Notes\n\n{passage}\n"), TERMS).doubts == ()


MANUAL = (
    '.\\" The vault has 77 doors of polished copper\n.SH NOTES\n'
    r"Print each file with \fBfchmod\fP, but do \fInot\fP delete it after 30\ days\&."
)


@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ("It prints each file with `fchmod` [1].", []),
        ("The files are not deleted after 30 days [1].", []),
        ("The files are deleted after 30 days [1].", ["negation"]),
        ("The files are not deleted after 3 days [1].", ["number"]),
        ("The file is printed with `fBfchmod` [1].", ["name"]),
        ("The vault has doors of polished copper [1].", ["unrelated"]),
        ("It has 77 of them [1].", ["number"]),
    ],
)
def test_manual_pages_are_evidence_as_they_are_displayed(text: str, doubted: list[str]) -> None:
    for passage in (MANUAL, f"\ufeff{MANUAL}"):
        item = evidence(passage, language="roff")
        found = check_answer(text, (Told(item, item.text, item.citation),), TERMS).doubts
        assert [one.why for one in found] == doubted


def test_what_a_model_saw_beside_a_manual_page_is_evidence() -> None:
    item = evidence(MANUAL, language="roff", note="The picture has a green door.")
    passage = Told(item, item.text, item.citation)
    assert check_answer("The picture has a green door [1].", (passage,), TERMS).doubts == ()
    assert [one.text for one in passage.sentences][-1] == "The picture has a green door."


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        ("Die Temperatur beträgt -40 Grad.", "Die Temperatur beträgt 40 Grad"),
        ("La température est de -40 degrés.", "La température est de 40 degrés"),
        ("La temperatura es de -40 grados.", "La temperatura es de 40 grados"),
        ("La temperatura è di -40 gradi.", "La temperatura è di 40 gradi"),
        ("De temperatuur is -40 graden voor het huis.", "De temperatuur is 40 graden"),
        ("In der Nacht sind es -5 Grad im Tal.", "In der Nacht sind es 5 Grad im Tal"),
        ("It is -40 at night. The price fell in May.", "It is 40 at night"),
        ("It returns -1 if the lock is held under load.", "It returns 1 if the lock is held"),
        ("It is -40 degrees before sunrise.", "It is 40 degrees before sunrise"),
        ("Needs Python 3.10 or newer.", "Needs Python 3.1 or newer"),
        ("The L3 cache has an error in a line.", "The error is on line 3"),
        ("A chapter of the book is about C3 instances.", "See chapter 3 of the book"),
        ("The P2 instance has an error on a page.", "The error is on page 2"),
        ("Der Satz beträgt 2,5 %.", "Der Satz beträgt 5 %"),
        ("The file is docs/7.md of it.", "The file has 7 seconds"),
        ("It supports utf8 names.", "It supports names after 8 seconds"),
        ("It supports utf8 names.", "It supports 8 names"),
    ],
)
def test_another_sign_version_or_decimal_is_doubted(passage: str, said: str) -> None:
    doubts = check_answer(f"{said} [1].", told(f"# Notes\n\n{passage}\n"), TERMS).doubts
    assert [one.why for one in doubts] == ["number"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Keys expire after 40 days [1].", ("number", "40 days")),
        ("Keys expire after 30 hours [1].", ("number", "30 hours")),
        ("Call `delete_key` with the new secret [1].", ("name", "delete_key")),
        ("Keys expire after 30 days in Berlin [1].", ("name", "Berlin")),
        ("Keys expire after 30 days and can be restored [1].", ("negation", "cannot")),
        ("Backups never run every night [2].", ("negation", "never")),
        ("Keys expire after 30 days and cannot be restored.", ("uncited", "no passage is cited")),
        ("Tomatoes grow best beside basil in sunny gardens [1].", None),
        ("Backups run every night [2][7].", ("foreign_citation", "unknown passage: [7]")),
        ("Backups run every night and are kept for 1,000 hours [1].", None),
    ],
)
def test_what_they_do_not_say_is(text: str, expected: tuple[str, str] | None) -> None:
    found = doubts(text)
    if expected is not None:
        assert found == [expected]
    else:
        assert found[0][0] in ("unrelated", "number")


@pytest.mark.parametrize(
    ("text", "kept", "removed"),
    [
        ("A [7].", "A.", ("[7]",)),
        ("A [1, 7].", "A [1].", ("[7]",)),
        ("A [1-3].", "A [1, 2].", ("[3]",)),
        ("A [1-999].", "A [1, 2].", ("[3-999]",)),
        ("A [0-4, 7].", "A [1, 2].", ("[0, 3-4, 7]",)),
        ("A [9-7].", "A.", ("[9-7]",)),
        ("A [1][9] b.", "A [1] b.", ("[9]",)),
        ("A [0] b [3-9].", "A b.", ("[0]", "[3-9]")),
        ("A 【7】.", "A.", ("[7]",)),
        ("A [9][9].", "A.", ("[9]",)),
        ("A [1].", "A [1].", ()),
        ("`x[9]` and a[9] and [9](https://a.b)\n[9]: x", None, ()),
        ("f(x)[9] and argv[9] is a list", None, ()),
        ("~~~\nx = [9]\n~~~", None, ()),
        ("A [９].", "A.", ("[9]",)),
        ("A [ 9 ].", "A.", ("[9]",)),
        ("A [\u200b9\u2060].", "A.", ("[9]",)),
        ("A ［9］ b 【9†L3-L5】.", "A b.", ("[9]",)),
        ("A [[9]] b ([9]).", "A b.", ("[9]",)),
        ("A [1 [9]].", "A [1].", ("[9]",)),
        ("A [^9] [passage 9] [sources 1 and 9].", "A [1].", ("[9]",)),
        ("As [9]: keys.", "As: keys.", ("[9]",)),
        ("The secret[9].", "The secret.", ("[9]",)),
        ("Call `a`[9].", "Call `a`.", ("[9]",)),
        ("密钥[9]。", "密钥。", ("[9]",)),
        ("```\nx = [9]\n```", None, ()),
        ("In [2024] they did.", None, ()),
    ],
)
def test_citations_of_what_is_not_there_are_taken_out(
    text: str, kept: str | None, removed: tuple[str, ...]
) -> None:
    found = check_answer(text, PASSAGES, TERMS, must_cite=False)
    assert (found.text, found.removed) == (text if kept is None else kept, removed)


def test_a_sentence_without_a_citation_belongs_to_the_next_one_of_its_paragraph() -> None:
    text = (
        "Backups run every night at 2:40. They are kept for 1,000 hours [2].\n\nKeys expire soon."
    )
    assert [why for why, _ in doubts(text)] == ["number", "uncited"]


@pytest.mark.parametrize(
    "citation",
    ["[1]", "[１]", "[ 1 ]", "[1\u200b]", "【1†source】", "［1］", "[[1]]", "[passage 1]", "[^1]"],
)
@pytest.mark.parametrize("before", ["the new secret ", "the new secret", "`rotate_key`", "密钥"])
def test_a_citation_counts_as_models_write_it(before: str, citation: str) -> None:
    text = f"Call `rotate_key` with {before}{citation}."
    assert check_answer(text, PASSAGES, TERMS).cited == (1,)
    assert check_answer(text, PASSAGES, TERMS).text == text


@pytest.mark.parametrize(
    "before",
    [
        *("```x``` is so: ", "~~~x~~~ is so: ", "- ```\n  x\n  ```\n\n", "> ```\n> x\n\n"),
        *("```\nx\n``` ", "````\n```\n````\n"),
    ],
)
def test_code_in_an_answer_hides_no_claim_behind_it(before: str) -> None:
    found = check_answer(
        f"{before}Keys last 99 days [1].\n\nKeys last 98 days [1].", told(KEYS), TERMS
    )
    doubted = [one.detail for one in found.doubts if one.why == "number"]
    assert found.cited == (1,)
    assert doubted == ["99 days", "98 days"]


def test_an_index_behind_a_word_is_nothing_that_could_be_missing() -> None:
    found = check_answer("The third is argv[9] of it [1].", PASSAGES, TERMS)
    assert (found.cited, found.removed) == ((1,), ())


def test_general_knowledge_needs_no_citation_where_it_is_wanted() -> None:
    assert doubts("From general knowledge: keys are long numbers.", must_cite=False) == []


def test_doubts_say_where_the_sentence_is_in_the_text_that_is_left() -> None:
    found = check_answer("Fine [9]. Keys expire after 41 days [1].", PASSAGES, TERMS)
    (one,) = [one for one in found.doubts if one.why == "number"]
    assert found.text[one.start : one.end] == "Keys expire after 41 days [1]."
    assert one.numbers == (1,)
    assert found.cited == (1,)


def test_headings_paths_and_titles_are_part_of_what_a_passage_is_about() -> None:
    one = told(KEYS)[0]
    named = type(one)(
        type(one.item)(
            **{f: getattr(one.item, f) for f in one.item.__struct_fields__}
            | {"headings": ("Vault", "Keys")}
        ),
        one.text,
        one.citation,
    )
    text = "In Vault, keys expire after 30 days [1]."
    assert check_answer(text, (named,), TERMS).doubts == ()
    assert check_answer(text, (one,), TERMS).doubts[0].why == "name"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Marie Curie met Einstein.", ["Marie", "Curie", "Einstein"]),
        ("The key is in `vault.Secret`.", ["vault.Secret"]),
        ("Call getUserName or get_user.", ["getUserName", "get_user"]),
        ("It uses NASA's data and GPT-4.", ["NASA", "GPT-4"]),
        ("Keys are fine. Nothing else. I think.", []),
        ("THE WHOLE SENTENCE IS LOUD", []),
    ],
)
def test_names_are_what_is_capitalised_or_written_like_code(text: str, names: list[str]) -> None:
    assert [one.written for one in names_in(text)] == names


@given(st.text(alphabet="Keys expir 30.[1]2,9-【】`~([{†\u200b９：:^\n", max_size=200))
def test_no_foreign_citation_is_left_and_nothing_else_is_changed(text: str) -> None:
    found = check_answer(text, PASSAGES, TERMS)
    again = check_answer(found.text, PASSAGES, TERMS)
    assert again.removed == () or "`" in text
    for one in found.doubts:
        assert 0 <= one.start < one.end <= len(found.text)
    if not found.removed:
        assert found.text == text


@pytest.mark.parametrize(
    "text",
    [
        "[9]",
        "[1",
        "`",
        "[1, ",
        "```",
        "not ",
        "A B ",
        "【1】",
        "A. ",
        "1-",
        "a`",
        "[ ",
        "【9",
        "[1 and ",
        "[[1]]",
        "AB ",
        "`a` b ",
    ],
)
def test_hostile_repetition_takes_time_in_proportion(text: str) -> None:
    assert grows_in_proportion(
        lambda size: check_answer(text * (size // len(text)), PASSAGES, TERMS), 5_000
    )


@pytest.mark.parametrize("text", ["No. ", "Not Ab 1 [1]. ", "Keys are not Rotated [1-2]. "])
def test_passages_are_read_once_however_many_sentences_cite_them(text: str) -> None:
    """Once for each sentence, it would take a minute."""
    long, begun = told(f"{KEYS} " * 200, f"{BACKUPS} " * 200), time.process_time()
    assert check_answer(text * 1_500 + "So it is [1][2].", long, TERMS).cited == (1, 2)
    assert time.process_time() - begun < GROWS_S / 3


@pytest.mark.parametrize("text", ["AB ", "`a` b "])
def test_names_are_found_in_time_in_proportion(text: str) -> None:
    assert names_in(f"{text * 50_000} a_b")


@pytest.mark.parametrize(
    "text",
    [
        "The limit is 99 MB [1]\n-----",
        "The limit is 99 MB [1]\n----------------------",
        "The limit is 99 MB\nat most [1]\n--------------------",
        "The limit is 99 MB [1].\n-----------------------",
        "# The limit is 99 MB [1]",
        "!!! note The limit is 99 MB [1]",
        '!!! note "The limit is 99 MB [1]"',
        ".. |x| The limit is 99 MB [1]",
        ".. image:: The limit is 99 MB [1]",
        "__ The limit is 99 MB [1]",
        "[#The limit is 99 MB] [1]",
        "include::The limit is 99 MB [1]",
        "[[limit-of-99]]The limit is 99 MB [1]",
        "----\nThe limit is 99 MB [1]\n----",
    ],
)
def test_no_marks_hide_what_an_answer_says(text: str) -> None:
    found = check_answer(text, told("The limit is 5 MB at most, or the limit of the note."), TERMS)
    assert "number" in [one.why for one in found.doubts]
    assert found.cited == (1,)


def test_a_heading_that_cites_nothing_is_not_doubted() -> None:
    passages = told("The limit is 5 MB.")
    for heading in ("# Limits of the uploads", "Limits of the uploads\n---"):
        assert check_answer(f"{heading}\n\nThe limit is 5 MB [1].", passages, TERMS).doubts == ()
    (doubt,) = check_answer("The limits of the uploads [9]\n-----", passages, TERMS).doubts
    assert doubt.why == "foreign_citation"
    doubts = check_answer(
        "The uploads of a gate have limits.\n# The limit is 5 MB [1]", passages, TERMS
    ).doubts
    assert [one.why for one in doubts] == ["uncited"]


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        ("The agent has version 2.4.1 now.", "The agent has v2.4.1 now [1]."),
        ("The limit is 1,000 requests.", "The limit is 1k requests [1]."),
        ("The profit was 7 million euros.", "The profit was 7M euros [1]."),
        ("The revenue was $1.2 billion.", "The revenue was $1.2B [1]."),
        ("The delay is 5 ms at most.", "The delay is 5ms at most [1]."),
        ("The plan costs $5 per month.", "The plan costs 5 USD per month [1]."),
        ("It changed on 3 May 2024.", "It changed on 3rd of May 2024 [1]."),
    ],
)
def test_numbers_in_another_form_are_no_names(passage: str, said: str) -> None:
    assert check_answer(said, told(passage), TERMS).doubts == ()
    (doubt,) = check_answer(
        said, told("The agent, profit, plan and limit changed now."), TERMS
    ).doubts
    assert doubt.why in ("number", "unrelated")
