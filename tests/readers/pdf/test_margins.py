"""Only running headers, footers and page numbers are marginal, whatever else begins or ends with
the number of its page."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from pincite.readers.extraction.result import Extraction
from pincite.readers.pdf.extract import extract_pdf
from tests.readers.pdf.files import drawn, text_of, texts, typeset

NUMBERED = """
#set page("a5", margin: 2cm, footer: context align(center)[#counter(page).display()])
"""
NAMES = ("aardvark", "bittern", "capybara", "dugong")


def marginal(found: Extraction) -> list[str]:
    return [text_of(found, one) for one in found.elements if one.marginal]


def body(name: str) -> str:
    return f"The {name} has a page of its own. " * 12


def test_a_last_line_that_ends_with_the_number_of_its_page_is_text() -> None:
    last = [f"The final word about the {name} is given in chapter" for name in NAMES]
    pages = [f"{body(NAMES[i])}\n#v(1fr)\n{one} {i + 1}" for i, one in enumerate(last)]
    found = extract_pdf(typeset(NUMBERED + "#pagebreak()\n".join(pages)))
    assert marginal(found) == ["1", "2", "3", "4"]
    for number, one in enumerate(last, 1):
        assert texts(found, page=number)[-1] == f"{one} {number}"


def test_a_first_line_that_begins_with_the_number_of_its_page_is_text() -> None:
    firsts = {2: "2 The toucan motion passed", 4: "4 The ibis motion failed"}
    pages = [f"{firsts.get(i, 'Other matters')}\n\n{body(n)}" for i, n in enumerate(NAMES, 1)]
    found = extract_pdf(typeset(NUMBERED + "#pagebreak()\n".join(pages)))
    assert texts(found, page=2)[0] == firsts[2]
    assert texts(found, page=4)[0] == firsts[4]


def test_headings_and_footnotes_with_the_number_of_their_page_are_text() -> None:
    begins = '#set page(header: [Thesis of Ada 2026])\n#set heading(numbering: "1")\n'
    pages = [f"= {n.title()} chapter\n{body(n)}#footnote[About the {n}.]" for n in NAMES]
    found = extract_pdf(typeset(NUMBERED + begins + "#pagebreak()\n".join(pages)))
    assert texts(found, "heading") == [f"{i} {n.title()} chapter" for i, n in enumerate(NAMES, 1)]
    assert [texts(found, page=i)[-1] for i in range(1, 5)] == [
        f"{i}About the {n}." for i, n in enumerate(NAMES, 1)
    ]
    assert sorted(set(marginal(found))) == ["1", "2", "3", "4", "Thesis of Ada 2026"]


def test_headings_alone_are_no_page_numbers() -> None:
    pages = [f"#text(16pt)[{i} {n.title()} chapter]\n\n{body(n)}" for i, n in enumerate(NAMES, 1)]
    found = extract_pdf(typeset("#set page(margin: 2cm)\n" + "#pagebreak()\n".join(pages)))
    assert marginal(found) == []


def book(pages: list[tuple[str, str]]) -> Extraction:
    """Pages with a header, on the left on even pages and else on the right, and a text."""

    def draw(canvas: Canvas) -> None:
        for number, (header, text) in enumerate(pages, 1):
            if number % 2:
                canvas.drawRightString(520, 800, header)
            else:
                canvas.drawString(72, 800, header)
            for row in range(12):
                canvas.drawString(72, 740 - 14 * row, f"{text}, as line {'i' * (row + 1)} says")
            canvas.showPage()

    return extract_pdf(drawn(draw))


def test_headers_with_the_number_of_the_page_are_marginal() -> None:
    headers = [
        *("Rain | 1", "2 | The weather of the sea", "Snow | 3", "4 | The weather of the sea"),
        *("Snow | 5", "6 | The weather of the sea", "Hail | 7", "8 | The climate of the land"),
    ]
    names = ("oak", "elm", "ash", "fir", "yew", "box", "tea", "fig")
    found = book([(one, f"Here the {name} is") for one, name in zip(headers, names, strict=True)])
    assert marginal(found) == headers
    counted = [f"Page {n} of 4" for n in range(1, 5)]
    pages = [(one, f"A {name} is") for one, name in zip(counted, NAMES, strict=True)]
    assert marginal(book(pages)) == counted


def test_parts_of_a_header_are_marginal_where_columns_part_them() -> None:
    header = "#set page(margin: 2cm, header: [Bees in 2025 #h(1fr) A yearbook])\n"
    columns = f"{header}#lorem(60)\n\n#columns(2)[#lorem(500)]\n#pagebreak()\nOne word."
    found = extract_pdf(typeset(columns))
    assert sorted(marginal(found)) == ["A yearbook", "Bees in 2025", "Bees in 2025 A yearbook"]


def guide(headers: list[str], titles: list[str], size: float = 10) -> Extraction:
    """Pages that begin with a header above a title and its text."""

    def draw(canvas: Canvas) -> None:
        for number, (header, title) in enumerate(zip(headers, titles, strict=True)):
            canvas.setFont("Helvetica", size)
            canvas.drawString(72, 800, header)
            canvas.setFont("Helvetica-Bold", 10)
            canvas.drawString(72, 760, title)
            canvas.setFont("Helvetica", 10)
            for row in range(12):
                words = f"A word about the {NAMES[row % 4]} of page {number * 7}"
                canvas.drawString(72, 740 - 12 * row, f"{words}, as line {'i' * (row + 1)} says")
            canvas.showPage()

    return extract_pdf(drawn(draw))


ZOO = "CHAPTER 1. THE ZOO"
TITLES = ["1.1 Owls", "More", "Also", "1.2 Old elephants", "1.3 Yaks", "1.4 Kiwis"]
HEADERS = [*[f"{ZOO} 1.1. OWLS"] * 3, *(f"{ZOO} {one.upper()}" for one in TITLES[3:])]


def test_headers_of_a_chapter_and_its_sections_are_marginal() -> None:
    """Also of a section that is on one page alone, and those that end in an ellipsis."""
    headers = [*HEADERS[:3], f"{ZOO} 1.2. OLD ELEPHANTS AND …", *HEADERS[4:]]
    titles = [*TITLES[:3], "1.2 Old elephants and their tusks", *TITLES[4:]]
    assert marginal(guide(headers, titles)) == headers


def test_first_lines_that_name_no_title_are_text() -> None:
    headers = [*HEADERS[:3], "Nobody feeds the animals", *HEADERS[4:]]
    assert texts(guide(headers, TITLES), page=4)[0] == headers[3]


def test_first_lines_in_another_style_are_headings() -> None:
    """Larger than the text, or where no header repeats, or not at the height of the headers."""
    assert marginal(guide(HEADERS[3:], TITLES[3:])) == []
    assert "1.4 Kiwis" in texts(guide([*HEADERS[:5], "1.4 Kiwis"], TITLES, size=14))
    found = guide(HEADERS, TITLES)
    assert [one for one in texts(found) if one in TITLES] == TITLES


def test_headings_that_begin_pages_below_no_header_are_text() -> None:
    """Their pages repeat a heading, and a table of contents names the others."""
    pages = ["= Contents\n1 Owls\n\n2 Yaks\n\n3 Kiwis\n\n4 Emus\n\n5 Gnus"]
    pages += [f"*{n}*\n\n{body(n)}" for n in ("1 Owls", "1 Owls", "1 Owls", "2 Yaks", "3 Kiwis")]
    found = extract_pdf(typeset("#set page(margin: 2cm)\n" + "#pagebreak()\n".join(pages)))
    assert "2 Yaks" in texts(found, page=5)
    assert "3 Kiwis" in texts(found, page=6)
