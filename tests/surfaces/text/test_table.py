"""What a person sees of a pack: places to click, excerpts around the words, and what is missing."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.model import AbsentTerms, Context, Match, Notice, Omitted
from pincite.support.terminal import Painted, file_link, sequences, visible
from pincite.surfaces.text.columns import cut, wrapped
from pincite.surfaces.text.excerpt import Weighed, excerpt
from pincite.surfaces.text.highlight import Highlighter
from pincite.surfaces.text.render import render
from pincite.surfaces.text.table import Look, grouped, table
from tests.surfaces.packs import pack, result, text_of

_SENT = re.compile(r"\x1b\[[0-9;]+m|\x1b\]8;;(?:file://[\w.~/%-]*)?\x1b\\")


def shown(found: Any, look: Look | None = None, **how: bool) -> str:
    return text_of(table(found, look or Look()), **how)


def marked(question: str, line: str, *languages: str) -> list[str]:
    highlighter = Highlighter(question, languages or ("english",))
    return [line[mark.start : mark.end] for mark in highlighter.marks(line)]


def test_a_result_is_one_line_with_a_place_a_score_and_an_id_and_its_text_with_numbers() -> None:
    lines = shown(pack(result())).split("\n")
    assert lines[0].startswith("on topic: ")
    assert lines[2] == "[1] docs/keys.md:3-5  0.71  Keys  #000000000000"
    assert lines[4:7] == [
        "  3: To rotate a key, call `rotate_key`.",
        "  4:",
        "  5: Keys are kept for a day.",
    ]


@pytest.mark.parametrize(
    ("question", "line", "found"),
    [
        (
            "how do I rotate a key",
            "Rotating the keys of rotation",
            ["Rotating", "keys", "rotation"],
        ),
        ("rotate key", "def rotate_key(new):", ["rotate", "key"]),
        ("user name", "getUserName(userid)", ["User", "Name"]),
        ("getUserName", "get_user_name and user", ["get_user_name", "user"]),
        ("the of a", "the end of a day", []),
        ("os.path.join", "call os.path.join here", ["os.path.join"]),
        ("C++ templates", "a template of C++ code", ["template", "C++"]),
        ("鍵の更新", "秘密鍵の更新", ["鍵の更新"]),
        ("", "anything", []),
    ],
)
def test_words_are_marked_as_the_index_compares_them(
    question: str, line: str, found: list[str]
) -> None:
    assert marked(question, line) == found


def test_words_of_another_language_are_marked_by_its_stemmer() -> None:
    assert marked("Schlüssel drehen", "die gedrehten Schlüsseln", "german")[-1:] == ["Schlüsseln"]


@given(st.text(max_size=60), st.text(max_size=120))
@example("a", "\x1b]0;x\x07 a")
def test_marks_are_within_the_line_and_apart(question: str, line: str) -> None:
    at = 0
    for mark in Highlighter(question).marks(line):
        assert at <= mark.start < mark.end <= len(line)
        at = mark.end


@given(st.text(max_size=200), st.text(max_size=20), st.integers(20, 80))
def test_a_line_is_shown_within_the_columns_and_with_its_own_characters_only(
    line: str, question: str, width: int
) -> None:
    plain = visible(line.replace("\n", " ").replace("\t", " "))
    parts = tuple(cut(plain, Highlighter(question).marks(plain), width))
    said = text_of(parts)
    kept = said.removeprefix("...").removesuffix("...")
    assert kept.strip(".") in plain
    assert len(plain) <= width or len(said) <= width + 3
    assert not _SENT.sub("", text_of(parts, colour=True, links=True)).count("\x1b")


@given(st.text(max_size=300), st.text(max_size=20), st.integers(20, 80))
@example("aaaa bbbb cccc dddd eeeee ffff", "", 20)
@example(f"{'x' * 20} {'y' * 20} ", "", 20)
def test_a_wrapped_line_keeps_all_but_spaces_at_the_ends_of_rows_within_the_columns(
    line: str, question: str, width: int
) -> None:
    plain = visible(line.replace("\n", " ").replace("\t", " "))
    rows = text_of(wrapped(plain, Highlighter(question).marks(plain), width, "", 300, "")).split(
        "\n"
    )
    assert "".join(rows).replace(" ", "") == plain.replace(" ", "")
    assert all(len(row) <= width for row in rows if row.isascii())
    assert not any(row.endswith(" ") for row in rows)


PROSE = f"{'Every contract names its term. ' * 20}The lease of the barn ends after 37 months."


def one_long_line(text: str = PROSE, **values: Any) -> Any:
    return pack(result(text=text, start_line=3, end_line=3, **values), query="when does it end")


@pytest.mark.parametrize("kind", ["docs", "code", "data"])
@pytest.mark.parametrize("around", [None, 1])
def test_nothing_of_a_line_is_cut_in_a_pipe(kind: str, around: int | None) -> None:
    found = one_long_line(PROSE * 60, source_type=kind)
    assert f"\n  3: {PROSE * 60}\n" in f"{shown(found, Look(around=around))}\n"


def test_a_line_of_prose_is_wrapped_below_its_number_on_a_terminal() -> None:
    rows = shown(one_long_line(), Look(width=80)).split("\n")[4:]
    assert rows[0].startswith("  3: Every contract names its term. ")
    assert all(row.startswith("     ") and len(row) <= 80 for row in rows[1:])
    assert " ".join(row.strip() for row in rows) == f"3: {PROSE}"


def test_a_line_that_would_flood_the_screen_is_shown_around_the_words_and_says_how_to_see_it() -> (
    None
):
    flood = one_long_line("x " * 10_000)
    rows = shown(flood, Look(width=80)).split("\n")[4:]
    assert len(rows) == 13
    assert rows[-1].strip() == "... 19088 more characters of this line: --context unit"
    late = one_long_line(f"{'x ' * 900}it ends after 37 months {'y ' * 900}")
    assert "ends after 37 months" in shown(late, Look(width=80))
    assert "more character" not in shown(flood, Look(width=80, whole=True))


def test_the_row_about_the_rest_is_not_wider_than_the_terminal() -> None:
    rows = shown(one_long_line("x " * 10_000), Look(width=40)).split("\n")[4:]
    assert rows[-1].strip() == "... 19568 more"
    assert max(map(len, rows)) <= 40


def test_a_line_of_code_or_of_a_sheet_is_wrapped_only_if_the_whole_is_wanted() -> None:
    for values in ({"source_type": "code"}, {"source_type": "data"}, {"rows": (1, 3)}):
        found = one_long_line(**values)
        assert len(shown(found, Look(width=80)).split("\n")) == 5
        for look in (Look(width=80, whole=True), Look(width=80, around=0)):
            assert "".join(shown(found, look).split("\n")[4:]).count("contract") == 20


def test_a_long_text_is_shown_around_the_words_and_not_from_the_top() -> None:
    lines = [f"line {n}" for n in range(1, 101)]
    lines[79] = "here the key is rotated"
    found = pack(result(text="\n".join(lines), start_line=1, end_line=100))
    said = shown(found)
    assert "   80: here the key is rotated" in said.replace("  80:", "   80:")
    assert "line 5\n" not in said
    above, below = re.findall(r"\.\.\. (\d+) (?:lines above|more lines)", said)
    assert int(above) + int(below) == 76
    assert said.index("lines above") < said.index("80:") < said.index("more lines")
    whole = shown(found, Look(whole=True))
    assert "line 100" in whole
    assert "more line" not in whole
    assert "above" not in whole


def merged(*matches: tuple[int, int], **lines: str) -> Any:
    """Lines 3 to 5 of a file of 100 lines, merged with passages at these lines."""
    text = [lines.get(f"line{n}", f"text {n}") for n in range(1, 101)]
    found = tuple(Match("c", str(n), *match) for n, match in enumerate(matches))
    return pack(result(context=Context(1, 100, "\n".join(text), "c", found)))


def test_the_lines_that_the_heading_cites_are_shown_though_merged_ones_have_more_terms() -> None:
    found = merged((3, 5), (60, 80), line70="rotating all keys", line71="a key is rotated")
    said = shown(found)
    assert [f"\n{n:>5}: text {n}\n" in said for n in (3, 4, 5)] == [True] * 3
    assert "... 76 more lines" in said
    around = shown(found, Look(around=0))
    assert re.findall(r"^ +(\d+):", around, re.M) == ["3", "70", "71"]


def test_of_too_many_cited_lines_those_with_the_terms_are_shown() -> None:
    context = Context(1, 100, "\n".join(["text"] * 69 + ["keys"] + ["text"] * 30), "c")
    found = result(context=context, start_line=11, end_line=73)
    numbers = [int(n) for n in re.findall(r"^ +(\d+):", shown(pack(found)), re.M)]
    assert numbers == list(range(50, 74))
    assert "... 49 lines above" in shown(pack(found))


def test_on_a_page_the_cited_lines_are_shown_as_well() -> None:
    text = "".join(f"text {n:02}\n" for n in range(60)).replace("text 50", "keys 50")
    matches = (Match("c", "a", 0, 0, 80, 160), Match("c", "b", 0, 0, 400, 460))
    context = Context(0, 0, text, "acme@c0ffee:a.pdf#page=1&chars=0-480", matches)
    place = {"page": 1, "start_line": 0, "end_line": 0, "start_char": 80, "end_char": 160}
    said = shown(pack(result(path="a.pdf", context=context, **place)))
    assert "text 10" in said
    assert "text 19" in said
    assert "keys 50" not in said


def test_lines_around_each_word_are_shown_as_grep_does() -> None:
    lines = [f"line {n}" for n in range(1, 41)]
    lines[9] = lines[29] = "a key"
    said = shown(pack(result(text="\n".join(lines), start_line=1, end_line=40)), Look(around=1))
    assert [line.strip() for line in said.split("\n")[4:]] == [
        *("9: line 9", "10: a key", "11: line 11"),
        "--",
        *("29: line 29", "30: a key", "31: line 31"),
    ]


def test_what_stands_around_the_cited_lines_is_told_apart_from_them() -> None:
    context = Context(
        1, 4, "one\ntwo\nthree\nfour", "c", (Match("c", "id", 2, 2), Match("c", "i", 4, 4))
    )
    said = shown(pack(result(context=context)))
    assert "  1- one\n  2: two\n  3- three\n  4: four" in said


def test_results_of_one_file_stand_together_and_best_first() -> None:
    results = (result(1, "a.md"), result(2, "b.md"), result(3, "a.md"), result(4, "c.md"))
    assert [[one.number for one in group] for group in grouped(results)] == [[1, 3], [2], [4]]
    blocks = shown(pack(*results)).split("\n\n")
    assert [re.findall(r"^\[(\d)\]", block, re.M) for block in blocks[1:]] == [
        ["1", "3"],
        ["2"],
        ["4"],
    ]


def test_a_path_counts_from_where_the_user_stands_and_can_be_clicked(tmp_path: Path) -> None:
    (tmp_path / "work" / "docs").mkdir(parents=True)
    (tmp_path / "work" / "docs" / "keys.md").write_text("x")
    roots = {("main", "acme"): str(tmp_path / "work")}
    here = Look(here=str(tmp_path / "work" / "docs"), roots=roots, host="box")
    said = shown(pack(result()), here, links=True)
    address = f"file://box{tmp_path}/work/docs/keys.md"
    assert f"\x1b]8;;{address}\x1b\\keys.md:3\x1b]8;;\x1b\\" in said
    above = Look(here=str(tmp_path), roots=roots)
    assert "[1] work/docs/keys.md:3" in shown(pack(result()), above)
    elsewhere = Look(here="/nowhere", roots=roots)
    assert "[1] acme:docs/keys.md:3" in shown(pack(result()), elsewhere)
    beside = Look(here=f"{tmp_path}/wor", roots=roots)
    assert "[1] acme:docs/keys.md:3" in shown(pack(result()), beside)
    assert "[1] docs/keys.md:3" in shown(pack(result()), Look(roots=roots))
    assert "\x1b" not in shown(pack(result(2, "gone.md")), here, links=True)


@pytest.mark.parametrize("path", ["../outside.md", "a/../../outside.md", "/etc/passwd", "", "a\0b"])
def test_a_path_that_leaves_its_source_or_cannot_be_is_no_link(tmp_path: Path, path: str) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "outside.md").write_text("x")
    look = Look(here=str(tmp_path), roots={("main", "acme"): str(tmp_path / "root")})
    assert "\x1b]8" not in shown(pack(result(path=path)), look, links=True)


@given(st.binary(min_size=1, max_size=60))
@example(b"\x1b]8;;http://evil/\x1b\\\x07\n\x9b")
@example("\u202e\u2066é".encode())
def test_an_address_of_a_file_holds_nothing_that_a_terminal_obeys(raw: bytes) -> None:
    path = os.fsdecode(b"/" + raw)
    link = file_link(path, "box")
    assert re.fullmatch(r"file://box[A-Za-z0-9._~/%-]*", link)
    sent = sequences(Painted(path, "35", link), colour=True, links=True)
    assert not re.search(
        r"[\x00-\x1f\x7f-\x9f]",
        _SENT.sub("", sent).replace("\r\n", "\n").replace("\t", "").replace("\n", ""),
    )


@pytest.mark.parametrize("link", ["http://x/\x1b\\", "a\nb", "\x07", "ä", "\u202e"])
def test_an_address_with_anything_else_in_it_is_left_out(link: str) -> None:
    assert sequences(Painted("x", "", link), colour=True, links=True) == "x"


@pytest.mark.parametrize("name", ["a\x1b[2Jb.md", "a\nb.md", "\u202ea.md", "a\x9bb.md"])
def test_hostile_names_and_texts_are_shown_escaped(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x")
    item = result(
        path=name,
        text=f"key {name}\r\n\tkeys\x07",
        headings=(name,),
        citation=name,
        attributes={"course": name},
    )
    found = pack(
        item,
        query=f"key {name}",
        omitted=(Omitted("stale", name, "main", name, name),),
        absent_terms=AbsentTerms((name,), (name,)),
    )
    look = Look(here=str(tmp_path), roots={("main", "acme"): str(tmp_path)}, details=True)
    for form in ("table", "md"):
        said = text_of(render(found, form, look), colour=True, links=True)
        rest = _SENT.sub("", said)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", rest.replace("\n\t", "\n"))


def test_what_moved_is_left_out_is_missing_or_below_the_bar_is_said() -> None:
    found = pack(
        result(truth="moved"),
        omitted=(
            Omitted("deleted", "c", "main", "old.md"),
            Omitted("stale", "c", "main", "new.md"),
        ),
        absent_terms=AbsentTerms(("cassandra",), ("cassandra", "retry")),
    )
    said = shown(found)
    assert "moved since it was indexed" in said
    assert "nowhere in the index: cassandra\n" in said
    assert "not in the shown passages: retry\n" in said
    assert "left out: old.md: its file is gone" in said
    assert "left out: new.md: its file has changed there" in said
    none = shown(pack(level="none", closest=(result(1, "near.md"),)))
    assert none.startswith("nothing on topic: ")
    bar, near = none.index("below the bar"), none.index("near.md:3")
    assert bar < near
    markdown = text_of(render(pack(level="none", closest=(result(1, "near.md"),)), "md"))
    assert "## [1] Below the bar, only nearest: `acme@c0ffee:near.md#L3-L5`" in markdown


def test_a_filter_that_lets_nothing_pass_says_nothing_of_what_is_indexed() -> None:
    why = Notice("nothing_in_scope", "no indexed document matches paths=['x']; near: src/x.py")
    found = pack(level="none", warnings=(why,))
    for said in (shown(found), text_of(render(found, "md"))):
        assert "nothing was searched" in said
        assert "topic" not in said


def test_the_citation_and_the_signals_are_details() -> None:
    look = Look(roots={("main", "acme"): "/nowhere"})
    assert "acme@c0ffee" not in shown(pack(result()), look)
    said = shown(pack(result()), Look(roots=look.roots, details=True))
    assert "acme@c0ffee:docs/keys.md#L3-L5" in said
    assert "fused 0.712 (normalised)" in said


@given(
    st.lists(
        st.builds(
            Weighed,
            st.frozensets(st.sampled_from("abc")),
            st.booleans(),
            st.booleans(),
            st.booleans(),
        )
    ),
    st.integers(1, 30),
    st.none() | st.integers(0, 5),
)
def test_an_excerpt_is_in_order_and_no_longer_than_asked(
    lines: list[Weighed], most: int, around: int | None
) -> None:
    picked = excerpt(lines, most, around)
    assert list(picked) == sorted(set(picked))
    assert all(0 <= n < len(lines) for n in picked)
    own = [n for n, line in enumerate(lines) if line.own and not line.blank]
    assert not own or any(own[0] <= n <= own[-1] for n in picked)
    if around is None:
        assert len(picked) <= most
        assert bool(picked) == any(not line.blank for line in lines)
