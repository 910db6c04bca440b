r"""What a manual page displays: `\fBNAME\fP` is the word NAME."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.support.roff.reader import read_roff, roff_title, shown_of, words_of
from tests.counting import grows_in_proportion

_PIECES = st.sampled_from(
    [
        *(".TP", ".B ", ".IP ", ".SH", ".It Fl ", ".de", "..", ".if t \\{", "\\}", "'", ".Xr a 1"),
        *("\\fB", "\\(aq", "\\f(", "\\[", "\\s-1", "\\*(", '\\"', "\\", '"', "\\h'", ".TS", "é"),
        *(".EQ", ".Bl", ".El", ".RS", ".RE", ".nf", ".fi", "a", " ", "\n", "\r", "\t", "\0", "|."),
    ]
)


def shown(text: str) -> list[str]:
    """The displayed lines, without hidden ones."""
    return [said for line in read_roff(text) if (said := shown_of(line).strip())]


@pytest.mark.parametrize(
    ("written", "displayed"),
    [
        (r"\fBNAME\fP \f(CWcode\fR \f[B]bold\f[]", "NAME code bold"),
        (r"\-\-all\&.", "--all."),
        (r"\fI\,FILE\/\fP", "FILE"),
        (r"\s-1GNU\s0 tar \s+2big\s0", "GNU tar big"),
        (r"don\(aqt \(lqsay\(rq \[u00FC]ber \(:uber", "don't “say” über über"),
        (r"a\ b\~c \e n \\n \(em", "a b c \\ n \\n —"),
        (r"\*(lqx\*(rq \*(Aqy\*(Aq \*(C`z\*(C'", "“x” 'y' z"),
        (r"text \" comment", "text"),
        (r"\h'+03'x\v'1m' \m[blue]b\m[]", "x b"),
        (r"\N'39' \[u0041_0300] \[u0001]x", "' À x"),
        (".B bold words", "bold words"),
        ('.BR ssh (1) ", " sshd (8)', "ssh(1), sshd(8)"),
        ('.IP "\\fB\\-x\\fP ""q""" 4', '-x "q"'),
        (".Fl v Ar file .", "-v file."),
        (".Op Fl v Ns = Ns Ar x", "-v=x"),
        (".Xr ssh 1 ,", "ssh(1),"),
        (".Xr tar 1 does not rotate.", "tar(1) does not rotate."),
        (r".Xr tar 1 ) and Xr \-cp 1 , too \(dq \" comment", 'tar(1)) and -cp 1, too "'),
        (".Nd remote login", "- remote login"),
        (".nop Keys are never kept.", "Keys are never kept."),
        (".do nop Keys are never kept.", "Keys are never kept."),
        (".if n .nop .B Never", "Never"),
        (".if n .if !t words", "words"),
        (r".if \n(.g .if c \(de .if !d xx .B words", "words"),
        (".MYMACRO an unknown one", "an unknown one"),
        (".profile is a file", ".profile is a file"),
        ("'tis text", "'tis text"),
        (".if n .B shown", "shown"),
        (".if !'x'y' words", "words"),
    ],
)
def test_words_are_displayed_without_requests_and_escapes(written: str, displayed: str) -> None:
    assert shown(written) == [displayed]


@pytest.mark.parametrize(
    "hidden",
    [
        '.\\" A comment',
        "'\\\" t",
        '.de Sp \\" Vertical space\n.if t .sp .5v\nwords\n..',
        ".ig zZ\nwords\n.zZ",
        ".if t \\{\\\nwords\n.\\}",
        ".ie t words",
        ".ds Aq '",
        ".nh\n.ad l",
        ".do xflag 1",
        ".if n .do xflag 1",
        ".IX Header NAME",
        ".Bl -tag -width Ds",
    ],
)
def test_definitions_comments_and_layout_are_not_displayed(hidden: str) -> None:
    assert shown(f"{hidden}\nAfter.") == ["After."]


@pytest.mark.parametrize("opened", [".de XX", ".ig", ".if t \\{\\", ".TS"])
def test_a_block_that_nothing_closes_hides_no_section(opened: str) -> None:
    assert shown(f"{opened}\n.SH NAME\nwords\n")[-2:] == ["NAME", "words"]


@pytest.mark.parametrize(
    ("text", "displayed"),
    [
        (".ie n \\{\\\n.if t .sp\nA\n.\\}\n.el \\{\\\nB\n.\\}\nC", "A C"),
        (".ie n \\{\\\n. ie t B\n. el A\n.\\}\n.el B\nC", "A C"),
        (".ie t \\{\\\n. ie n B\n. el B\n.\\}\n.el A\nC", "A C"),
        (".ie n \\{ .if t B\nA\\}\n.el B\nC", "A C"),
        (".ie n \\{\\\n.if t \\{ B\n.\\}\\}\n.el B\nC", "C"),
        (".ie n \\{ .if t \\{ B\nB\n.\\}\nA\n.\\}\n.el B\nC", "A C"),
        (".ie n \\{\\\n.if n \\{ .if t \\{\\\nB\n.\\}\\}\nA\n.\\}\n.el B\nC", "A C"),
        (".ie t B\n.el .ie n A\n.el B\nC", "A C"),
        (".ie n A\n.el .ie t B\n.el B\nC", "A C"),
        (".TP\n.if \\n(.H>23 .if \\n(.V>19 \\\n.ds x y\nA", "A"),
        (".ie !t A\n.el B\n.ie !n B\n.el C", "A C"),
        (".ie n \\{\\\nA\n.SH Open\n.ie t B\n.el C", "A Open C"),
    ],
)
def test_conditions_within_a_branch_do_not_display_the_other(text: str, displayed: str) -> None:
    assert " ".join(shown(text)) == displayed


@pytest.mark.parametrize("part", [".if n ", ".nop ", ".do ", ".do nop ", ".ie n \\{ ", ".if '"])
def test_conditions_in_one_line_take_time_in_proportion(part: str) -> None:
    assert grows_in_proportion(lambda size: shown(part * size), 10_000)


@pytest.mark.parametrize("number", [1, 7, 8, 9, 20])
def test_text_behind_any_number_of_conditions_is_displayed(number: int) -> None:
    assert "words" in " ".join(shown(".if n " * number + "words"))


@pytest.mark.parametrize(
    "layout",
    [
        *(
            "l l.",
            "lB lB",
            "tab(@);",
            "allbox tab(:);",
            "center, tab (|) ;",
            "lfCWw(2.5i) | rp-2.",
            "|l|L|.",
        ),
        *(
            "cb s s",
            "tab(@); l l.",
            "^ lw20 n1",
            "l1fBx lf[CB] .",
            "_",
            "lt lt.",
            "expand;\r",
            "css.",
        ),
    ],
)
def test_options_and_formats_of_tables_are_not_displayed(layout: str) -> None:
    assert shown(f".TS\n{layout}\n.TE\nA") == ["A"]


def test_a_table_without_a_format_hides_no_text() -> None:
    assert shown(".TS\nThe never rule.\nAnother one\n.TE") == ["The never rule.", "Another one"]
    assert shown(".TS\ntab(@);\nNever a@rule.\n.TE") == ["Never a|rule."]


def test_one_of_two_branches_is_displayed() -> None:
    assert shown('.ie n .IP "for terminals"\n.el .IP "for paper"\n') == ["for terminals"]
    assert shown('.ie t .IP "for paper"\n.el .IP "for terminals"\n') == ["for terminals"]


def test_kinds_of_lines() -> None:
    text = (
        ".TH A 1\n.SH\nName\n.SS Sub\n.TP\n.B a\nText\n.IP b 4\n.IP \\(bu 2\n.PP\n.RS\n.RE\n"
        ".nf\nx\n.fi\n.TS\ntab(@);\nl l.\na@b\n.TE\n.Bl\n.It Fl x\n.El"
    )
    assert [line.kind for line in read_roff(text)] == [
        *("title", "break", "section", "subsection", "tag", "term", "text", "term", "item"),
        *("paragraph", "indent", "outdent", "break", "code", "close", "break", "hidden", "hidden"),
        *("row", "close", "list", "term", "end"),
    ]
    assert "a|b" in shown(text)


def test_the_title_is_the_name_and_the_section() -> None:
    assert roff_title('.\\" x\n.TH "GIT\\-ADD" "1" "2025"\n') == "GIT-ADD(1)"
    assert roff_title(".Dd May 2020\n.Dt SSH 1\n") == "SSH(1)"
    assert roff_title(".TH tool\n") == "tool"
    assert roff_title(".so man1/a.1\n") == ""


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_each_line_displays_as_many_characters_as_it_has(text: str) -> None:
    page = read_roff(text)
    assert [len(line.words) for line in page] == [len(line) for line in text.split("\n")]
    assert len(words_of(page)) == len(text)
