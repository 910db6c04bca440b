"""A quote begins and ends where words and numbers do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.support.finding.code_letters import Escapes
from pincite.support.finding.ends import ANYWHERE, WORDS
from pincite.support.finding.find import Lines, find_text, has_words
from pincite.support.finding.word_ends import whole, whole_places
from tests.counting import grows_in_proportion

_MANY = 50_000
_TEXTS = st.text(alphabet="ab12_.,-' 天é\u0301(", max_size=24).map(
    lambda text: " ".join(text.split())
)


def is_quote(text: str, quote: str, *, escapes: Escapes = "") -> bool:
    near = Lines(1, 1)
    return find_text(text, quote, near, spaces="any", ends=WORDS, escapes=escapes) is not None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("kept for 130 days", "30 days"),
        ("unable to log in", "able to"),
        ("rose by 0.5 percent", "5 percent"),
        ("rose by .5 percent", "5 percent"),
        ("rose by 0.5%", ".5%"),
        ("runs at -40 degrees", "40 degrees"),
        ("1,000 requests", "000 requests"),
        ("a limit of 1,000", "a limit of 1"),
        ("version 2.4.1", "version 2.4"),
        ("version 2.4.1", "version 2."),
        ("stores 10GB", "stores 10"),
        ("rotate_key(x)", "key(x)"),
        ("rotateKey(x)", "rotate"),
        ("You can't restart it", "You can"),
        ("保留备份130天", "30天"),
        ("cafe\u0301 au lait", "cafe"),
        ("अनुमतियाँ दी गईं", "अनुमति"),
        ("अनुमति दी गई", "अनुमत"),
        ("अनुमति दी गई", "ति दी"),
        ("மரத்தின்", "மர"),
        ("மரத்தின்", "தின்"),
        ("1٣ days", "1"),
        (r'"C:\\nothing"', "othing"),
        ("a sure thing", "ure thing"),
        ("1,000,000 users", "000 users"),
        ("a limit of 1,000,000", "a limit of 1,000"),
        ("1,234,567 users", "567 users"),
        ("1'000'000 users", "000 users"),
        ("about a thousand (1,100)", "100"),
        ("1,000, then more", "000, then"),
        ("Der Preis beträgt 3,14 Euro", "Der Preis beträgt 3"),
        ("Der Preis beträgt 3,14 Euro", "beträgt 3,"),
        ("ein Zinssatz von 2,5 %", "5 %"),
        ("kostet 1.234,56 Euro", "kostet 1.234"),
        ("kostet 1.234,56 Euro", "56 Euro"),
        ("kostet 1.234,56 Euro", "234,56 Euro"),
        ("a fee of ₹1,00,000", "a fee of ₹1"),
        ("a fee of ₹12,34,567.50", "34,567.50"),
        ("2 500 000 Euro", "500 000 Euro"),
        ("genau 2 500 000 Euro", "genau 2 500"),
        ("kostet 2 000 Euro", "kostet 2"),
        ("for 2½ hours", "for 2"),
        ("429,503 users", "503 users"),
        ("lines: 2,500", "500"),
        ("it isn´t so", "it isn"),
        (r"\x1b[31mERROR", "mERROR"),
        (r'"caf\u00e9s"', "s"),
        ("a 50%increase", "ncrease"),
    ],
)
def test_what_begins_or_ends_inside_of_a_word_or_number_is_no_quote(text: str, quote: str) -> None:
    assert quote in text
    assert not is_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("call a.rotate(x)", "rotate("),
        ("call a.rotate(x)", ".rotate"),
        ("config.key = 1", ".key = 1"),
        ("items[1].key", "[1].key"),
        ("f(1,2)", "f(1"),
        ("_word_ and **word**", "word"),
        ("服务器保留备份30天", "保留备份30天"),
        ("サーバーを再起動する", "再起動"),
        ("서버는 30일", "서버"),
        ("Alice's keys", "Alice"),
        ("10-40 bar", "40 bar"),
        ("10 -40 bar", "40 bar"),
        ("covid-19 cases", "19 cases"),
        ("in 2024.", "in 2024"),
        ("1,000 requests", "1,000"),
        ("$5 per month", "5 per month"),
        ("130 days, then 30 days", "30 days"),
        (r'"archive\nPress any key"', "Press any key"),
        (r'"archive\nPress any key"', r"archive\n"),
        (r'"archive\nPress any key"', "archive"),
        (r'"wait\t30 days"', "30 days"),
        ("ports 443,500 are open", "500 are open"),
        ("retry_on: 429,503", "503"),
        ("retry_on: 429,503", "429"),
        ("HTTP 429,503 and others", "429"),
        ("pages 3,4 and 5", "4 and 5"),
        ("1..5 of them", "5 of them"),
        ("\x1b[31mERROR: disk full\x1b[0m", "ERROR: disk full"),
        ("\x1b[1;38;2;255;10;10mINFO\x1b(B\x1b[mready", "INFO"),
        ("\x1b[1;38;2;255;10;10mINFO\x1b(B\x1b[mready", "ready"),
        ("\x1b[32m30 days", "30 days"),
        (r'printf("\033[31mERROR: disk full\n")', "ERROR: disk full"),
        (r'"\x1b[31mERROR: disk full"', "ERROR: disk full"),
        (r'{"msg": "\u00bbDisk full"}', "Disk full"),
        ("%d30 items", "30 items"),
        ("within 30 days¹ of it", "within 30 days"),
        ("an area of 10 m² is", "an area of 10 m"),
        ("CO₂ emissions", "CO"),
        ("½cup and ①first", "cup"),
        ("½cup and ①first", "first"),
        ("f(200,404,500)", "404"),
        ("f(200,404,500)", "200,404"),
        ("codes 100,200,300,400", "200,300"),
        ("[1,100,200]", "[1,100"),
        ("f(1,100)", "100"),
        ("a,7,500,b", "500"),
        ("10,404,5", "404"),
        ("पुलिस की अनुमति है", "अनुमति"),
        ("மரம் வளரும்", "மரம்"),
        ("sunny ☀\ufe0f day", "sunny ☀"),
    ],
)
def test_punctuation_code_and_scripts_without_spaces_are_quoted(text: str, quote: str) -> None:
    assert is_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (r"\bword\b", "word"),
        (r'"C:\nothing"', "othing"),
        (r'"archive\npress any key"', "press any key"),
        ("%sfoo bar", "foo bar"),
        ("%3ditems", "items"),
        ("%ldkB free", "kB free"),
        ("%lukB free", "kB free"),
        ("%vitems left", "items left"),
        ("%-5.2fkm", "km"),
        ("%(name)sfile", "file"),
    ],
)
def test_escapes_and_formats_before_small_letters_are_those_of_code(text: str, quote: str) -> None:
    assert is_quote(text, quote, escapes="code")
    assert not is_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (r"$\theta$ or \theta grows", "heta grows"),
        (r"\begin{x}", "egin"),
        (r"\nabla f", "abla f"),
        (r"a \\nothing", "othing"),
    ],
)
def test_commands_of_tex_are_words_in_any_file(text: str, quote: str) -> None:
    assert not is_quote(text, quote)
    assert not is_quote(text, quote, escapes="code")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (r"\fBNAME\fP", "NAME"),
        (r"\f(CWname", "name"),
        (r"\s-1GNU\s0 tar", "GNU"),
        (r"\(aqword\(aq", "word"),
        (r"\*(lqword", "word"),
        (r"a \en", "n"),
        (r"Print \fB%s\fPKEY", "KEY"),
        (r"Print \enPress", "Press"),
        (r"run \(oqtar\(cq here", "tar"),
        ("a " + r"\fB" * 14 + "b", "b"),
    ],
)
def test_escapes_of_roff_end_words_in_manual_pages_only(text: str, quote: str) -> None:
    assert is_quote(text, quote, escapes="roff")
    assert not is_quote(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (r"is \f[B]\s-1\m[blue]NAME\m[]\s0\f[]", "NAME"),
        (r"a \fIb\fP \-\-all\&.", "all"),
        (r"\fBread\fP(2)", r"\fBread\fP"),
        ('.\\" A comment', "A comment"),
    ],
)
def test_words_of_manual_pages_are_quoted_with_escapes_around(text: str, quote: str) -> None:
    assert is_quote(text, quote, escapes="roff")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (r"\(:uber", "ber"),
        (r"\\fBar", "ar"),
        (r"\fBNAME", "AME"),
        (r"\fBNAME", "BNAME"),
        ("fBar", "ar"),
        (r"It is un\fIable to\fP rotate.", "able to"),
        (r"It is un\f[I]able to\f[] rotate.", "able to"),
        (r"It is un\fI\,\s-1able to\/\s0\fP rotate.", "able to"),
        (r"It is un\&able to rotate.", "able to"),
        (r"It is un\fIable to\fP rotate.", r"\fIable to\fP"),
        (r"It is in\fBvalid\fP.", "valid"),
        (r"It is \fBun\fPsafe.", "safe"),
        (r"It is \fBuse\fPless.", "It is \\fBuse"),
        (r"It is \fBuse\fPless.", "use"),
        (r"after 1\fB30 days\fP", "30 days"),
        (r"after \-\fB30 days\fP", "30 days"),
        (r"after \-30 days", "30 days"),
        (r"for \fB30\fP0 days", "30"),
        ("un" + r"\fB" * 100 + "able", "able"),
    ],
)
def test_what_is_within_a_word_of_roff_is_no_quote(text: str, quote: str) -> None:
    assert not is_quote(text, quote, escapes="roff")


def test_formats_before_capitals_are_no_part_of_words_in_manual_pages() -> None:
    assert is_quote("Print %sKEY here", "KEY", escapes="roff")
    assert not is_quote("Print %skey here", "key", escapes="roff")


def test_what_is_before_a_part_of_a_manual_page_is_displayed_as_well() -> None:
    text = r"It is un\fI\s-1\f(CW\s+2\f[BI]\m[blue]able to rotate."
    start = text.index("able")
    assert not has_words(text, start, len(text), "able", escapes="roff")
    assert has_words(text, start, len(text), "rotate", escapes="roff")


@given(
    st.lists(
        st.sampled_from(["\\fB", "\\(aq", "\\-", "\\", "a", "b1", " ", "%s", "'"]), max_size=12
    ),
    st.text(alphabet="ab1 f", max_size=3),
)
def test_whole_places_of_roff_are_those_of_every_position(pieces: list[str], wanted: str) -> None:
    text = "".join(pieces)
    ends = ((at, at + len(wanted)) for at in range(len(text)))
    expected = [
        at
        for at, end in ends
        if text.startswith(wanted, at) and whole(text, at, end, escapes="roff")
    ]
    assert list(whole_places(text, wanted, escapes="roff")) == (expected if wanted else [])


@pytest.mark.parametrize("length", range(0, 260, 13))
def test_words_anywhere_in_a_manual_page_are_whole_or_not(length: int) -> None:
    text = f"{'x' * length} un\\fIable to\\fP and \\fBable to\\fP, dis\\[u0041]able to and able to."
    wanted = [text.index("able to\\fP, dis"), text.rindex("able to")]
    assert list(whole_places(text, "able to", escapes="roff")) == wanted


@pytest.mark.parametrize(
    ("part", "wanted"),
    [("\\[aaaaaaaaa", "aaa"), ("\\fBaaaaaaaaaa", "a"), ("un\\fIable\\fP ", "able")],
)
def test_escapes_of_roff_take_time_in_proportion(part: str, wanted: str) -> None:
    def work(size: int) -> None:
        assert not list(whole_places(part * size, wanted, escapes="roff"))

    assert grows_in_proportion(work, 500)


@pytest.mark.parametrize("count", [20, 21, 400])
def test_a_quote_of_any_length_has_whole_words(count: int) -> None:
    words = " ".join(["ab"] * count)
    assert is_quote(f"x {words} y", words)
    assert not is_quote(f"x{words}", words)
    assert not is_quote(f"{words} at most 30", f"{words} at most 3")
    assert not has_words(f"x{words} y", 0, len(words) + 3, words)
    assert has_words(f"x{words} y", 0, len(words) + 3, words, ends=ANYWHERE)


@given(_TEXTS, st.data())
def test_all_words_between_two_spaces_are_a_quote(text: str, data: st.DataObject) -> None:
    words = text.split()
    first = data.draw(st.integers(0, len(words)))
    quote = " ".join(words[first : data.draw(st.integers(first, len(words)))])
    signed = first and quote[:1].isdigit() and words[first - 1].endswith(("-", "."))
    assert not quote or signed or is_quote(text, quote)


@given(_TEXTS, st.text(alphabet="ab12_.", max_size=4))
def test_whole_places_are_those_of_every_position(text: str, wanted: str) -> None:
    ends = ((at, at + len(wanted)) for at in range(len(text)))
    expected = [at for at, end in ends if text.startswith(wanted, at) and whole(text, at, end)]
    assert list(whole_places(text, wanted)) == (expected if wanted else [])


@given(_TEXTS, st.integers(0, 24), st.integers(0, 24), st.text(alphabet="ab12.", max_size=3))
def test_a_part_of_a_text_is_read_with_what_is_around_it(
    text: str, start: int, end: int, wanted: str
) -> None:
    inside = " ".join(text[start:end].split())
    assert not inside or has_words(text, start, end, inside, ends=ANYWHERE)
    if has_words(text, start, end, wanted):
        assert wanted in inside
        assert is_quote(text, wanted)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("wanted", ["a", "a" * 150, "a" * 150 + "b", "b" + "a" * 150, "ab" * 100])
def test_a_hostile_text_is_searched_in_bounded_time(wanted: str) -> None:
    text = ("ab" if "ab" in wanted else "a") * 2 * _MANY
    assert not is_quote(f"1{text}1", wanted)
    assert not has_words(text, 1, len(text), wanted)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("wanted", ["a" * _MANY, "a" * _MANY + "b", "b" + "a" * _MANY])
def test_many_overlapping_places_are_searched_in_bounded_time(wanted: str) -> None:
    assert not list(whole_places("1" + "a" * 2 * _MANY + "1", wanted))
