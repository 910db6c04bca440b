"""Answers from manual pages show no requests and escapes."""

from __future__ import annotations

import pytest

from pincite.answering.sentences.markup import shown, words_of_markup


def said(text: str) -> list[str]:
    words, found = words_of_markup(text, "roff")
    assert len(words) == len(text)
    return [" ".join(shown(words[one.start : one.end]).split()) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".TP\n\\fB\\-\\-delete\\fP\nDeletes it. Needs\n.I a file .\n.PP\nNext.",
         ["--delete: Deletes it.", "Needs a file .", "Next."]),
        (".PP\n\\-v\n.RS 4\nBe verbose\\&.\n.RE\n", ["-v Be verbose."]),
        (".It Fl D\nDeletes all identities from\n.Xr ssh-agent 1 .\n",
         ["-D Deletes all identities from ssh-agent(1)."]),
        ('.\\" Copyright\n.SH "SEE ALSO"\n.BR ls (1)\n', ["SEE ALSO", "ls(1)"]),
        ("Run it:\n.nf\ntool \\-x\nother\n.fi\nThen go\\&.", ["Run it:", "tool -x", "other",
         "Then go."]),
        (".TS\nl l.\nA\tB\n.TE\nText.", ["A|B", "Text."]),
        ("A\n.ft B\nsentence\n.nh\nover lines.", ["A sentence over lines."]),
    ],
)  # fmt: skip
def test_sentences_of_manual_pages(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_headings_code_rows_and_items_are_told() -> None:
    text = ".SH NAME\nText.\n.EX\nrun\n.EE\n.IP \\(bu 2\nAn item.\n.TP\n.B \\-x\nA term.\n"
    _, found = words_of_markup(text, "roff")
    kinds = ["heading" * one.heading or "code" * one.code or "item" * one.item for one in found]
    assert kinds == ["heading", "", "code", "item", "item"]
    assert found[1].paragraph == found[2].paragraph


def test_a_byte_order_mark_hides_no_request() -> None:
    text = ".SH NAME\n\\fBtool\\fP runs."
    assert said(f"\ufeff{text}") == said(text) == ["NAME", "tool runs."]


def test_other_languages_keep_what_looks_like_roff() -> None:
    words, _ = words_of_markup("Write \\fBar and\n.SH x", "text")
    assert words == "Write \\fBar and\n.SH x"
