"""Paths, addresses, names and Korean words that a line end divides."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite.readers.pdf.extract import extract_pdf
from pincite.readers.pdf.layout import Line, Style
from pincite.readers.pdf.line_ends import text_with_ending, words_of
from tests.counting import grows_in_proportion
from tests.readers.pdf.files import drawn, texts

BODY = Style(10, False, False, 0)


def ended(text: str, more: str, *, right: float = 500, words: Collection[str] = ()) -> str:
    """What two lines make, of which the first ends at 500 points. `words` are those of the rest of
    the document."""
    before = Line(50, 100, 500, 110, text, BODY)
    after = Line(50, 112, 500, 122, more, BODY)
    return text_with_ending(before, after, {*words_of([before, after]), *words}, right) + more


@pytest.mark.parametrize(
    ("text", "more", "whole"),
    [
        ("see the file in /var/log/", "installer/syslog.", "/var/log/installer"),
        ("the (CD/", "DVD images", "(CD/DVD images"),
        ("found at https:", "//wiki.debian.org", "https://wiki.debian.org"),
        ("found at (https://", "CRAN.R-project.org", "https://CRAN.R-project"),
        ("found at https://CRAN.", "R-project.org", "https://CRAN.R-project"),
        ("found at https://www.debian.", "org/ports", "www.debian.org/ports"),
        ("the list of /etc/apt/sources.", "list has", "/etc/apt/sources.list has"),
        ("the variable R_DEFAULT_", "PACKAGES is", "R_DEFAULT_PACKAGES is"),
        ("a note to owner@", "example.org", "owner@example.org"),
        ("a note to owner@example.", "org soon", "owner@example.org soon"),
        ("see https://debian.org/doc/debian-", "policy/ch.html", "/debian-policy/ch"),
        ("see http://www.gnu.org/prep/-", "standards/index.html", "/prep/standards/index"),
        ("in GNU/-", "Linux today", "GNU/Linux today"),
        ("the option rotate_", "key with it", "rotate_key with it"),
        ("a list of created_", "at is in it", "created_at is in it"),
        ("they are in /usr/share/", "doc are the", "/usr/share/doc are"),
        ("see https://docs.python.org/3/library/", "asyncio for more", "/library/asyncio for"),
        ("as in https://example.org/?q=", "value", "?q=value"),
        ("see https://github.com/acme/data-", "loader", "acme/data-loader"),
        ("it is in /usr/share/my-", "project", "/usr/share/my-project"),
        ("see debian/source/-", "format file", "debian/source/format file"),
        ("one and/", "or the other", "and/or the other"),
        ("the input/", "output of it", "input/output of it"),
        ("see configure.", "in the folder", "configure. in the folder"),
        ("see ./src/configure.", "in the folder", "./src/configure.in the"),
        ("没有问题。", "Debian 是", "没有问题。Debian"),
    ],
)
def test_a_path_an_address_or_a_name_has_no_space_within(text: str, more: str, whole: str) -> None:
    assert whole in ended(text, more)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("It is on https://www.debian.org/ports.", "The next"),
        ("It is on https://www.debian.org/ports", "and more"),
        ("one or the other /", "neither"),
        ("It ends here.", "then more"),
        ("a sum of x_1 and", "more"),
        ("as follows:", "a list"),
        ("a dash -", "and words"),
    ],
)
def test_other_line_ends_are_spaces(text: str, more: str) -> None:
    assert ended(text, more) == f"{text} {more}"


@pytest.mark.parametrize("word", ["PACKAGES", "list", "loader", "doc", "format", "Linux"])
def test_a_part_of_a_name_may_be_a_word_of_the_document(word: str) -> None:
    lines = [Line(50, 0, 500, 10, f"The {word} is a {word} with {word} and more", BODY)]
    words = words_of(lines)
    assert ended("set R_DEFAULT_", f"{word} if", words=words) == f"set R_DEFAULT_{word} if"
    assert ended("see /a/b/c/", f"{word} if", words=words) == f"see /a/b/c/{word} if"
    assert ended("see /a/b/c-", f"{word} if", words=words) == f"see /a/b/c-{word} if"
    assert ended("see a/b/c/-", f"{word} if", words=words) == f"see a/b/c/{word} if"


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("To learn more, visit https://example.com/", "for more details"),
        ("The lock is below /var/lib/pump/", "unless the option keep is set"),
        ("Old keys are in the folder /var/log/pump.", "never delete them"),
        ("This includes bits/, tr1/", "and tr2/, none of which"),
        ("a count /* of references */", "unsigned int count"),
        ("dists/stable/main/", "dists/stable/main/source/"),
        ("pool/", "pool/main/a/"),
        ("https://example.org/a/", "https://example.org/b/"),
    ],
)
def test_a_sentence_goes_on_after_a_path(text: str, more: str) -> None:
    assert ended(text, more) == f"{text} {more}"


def test_a_word_that_follows_a_path_elsewhere_is_no_part_of_one() -> None:
    apart = words_of([Line(50, 0, 500, 10, "It is in the debian/ directory of the source", BODY)])
    both = apart | words_of([Line(50, 0, 500, 10, "One has debian/directory as well", BODY)])
    assert "/ directory" in apart
    text, more = "It is in debian/patches/", "directory of it"
    assert ended(text, more) == f"{text}{more}"
    assert ended(text, more, words=apart) == f"{text} {more}"
    assert ended(text, more, words=both) == f"{text}{more}"


@pytest.mark.parametrize("right", [500, 700])
def test_no_hyphen_of_a_path_is_deleted(right: float) -> None:
    for text in ("/usr/share/my-", "https://github.com/acme/my-", "a/b/my-", "me@my-"):
        assert ended(f"see {text}", "project", right=right) == f"see {text}project"


def test_a_line_with_room_for_the_next_word_ends_there() -> None:
    text = "See also http://www.gnuplot.info/demo/"
    assert ended(text, "When gnuplot starts", right=700) == f"{text} When gnuplot starts"


def test_a_korean_word_that_the_document_has_is_one_word() -> None:
    lines = [Line(50, 0, 500, 10, "이제 리눅스를 설치하는 방법을 봅니다", BODY)]
    words = frozenset(words_of(lines))
    assert words == {"리눅스를", "설치하는", "방법을"}
    assert ended("데비안 리눅", "스를 봅니다", words=words) == "데비안 리눅스를 봅니다"
    assert ended("데비안 설치", "방법을", words=words) == "데비안 설치 방법을"
    both = words | {"리눅", "스를"}
    assert ended("데비안 리눅", "스를 봅니다", words=both) == "데비안 리눅 스를 봅니다"


@pytest.mark.parametrize("sign", ["/", "/a", "/ a", "_", "-", "~.", "://", "가-", "w.", "@."])
def test_long_lines_of_marks_take_linear_time(sign: str) -> None:
    assert grows_in_proportion(lambda size: ended(sign * size, sign * size), 5_000)


def test_the_text_of_a_pdf_has_whole_paths() -> None:
    def draw(canvas: Canvas) -> None:
        lines = ("The installer writes a log to /var/log/", "installer/syslog, and others read it.")
        for row, text in enumerate(lines):
            canvas.drawString(72, 700 - 14 * row, text)

    whole = "The installer writes a log to /var/log/installer/syslog, and others read it."
    assert texts(extract_pdf(drawn(draw))) == [whole]
