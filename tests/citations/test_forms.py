"""Citations in the forms that people, programs and models write."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.citations.compare_claim import Claim
from pincite.citations.forms import MOST_CHARS, Span, forms, places, spans, trimmed
from pincite.citations.passage import Passage
from pincite.citations.resolve import NotNamed
from pincite.engine import AsyncPincite
from pincite.errors import UsageError
from pincite.ingestion.options import IndexOptions
from pincite.model import Source
from pincite.settings.load import Settings, load_settings
from pincite.support.terminal import one_line
from tests.quick_folder import quick_folder
from tests.sources.helpers import commit, git

LINES = [f"line {n}" for n in range(1, 61)]
ODD = "web/app/(shop)/[slug]/page.tsx"


class Indexed:
    """A checkout with a remote, indexed."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "proj"
        self.settings: Settings = load_settings({"PINCITE_IDLE_S": "60"}, folder)
        for path in ("src/a.py", "src/a b.py", "lib/v:1-2.md", ODD):
            (self.place / path).parent.mkdir(parents=True, exist_ok=True)
            (self.place / path).write_text("\n".join([path, *LINES[1:]]) + "\n")
        long = f"{'word ' * 800}a gharial {'word ' * 200}"
        (self.place / "long.txt").write_text(f"short\n{long}\nshort\n")
        self.sha = commit(self.place)
        git(self.place, "remote", "add", "origin", "git@github.com:acme/proj.git")

    async def index(self) -> None:
        async with AsyncPincite(self.settings) as engine:
            await engine.index([self.place], options=IndexOptions(lexical=True, name="proj"))

    def get(self, locator: str, context: int = 0) -> Passage:
        async def session() -> Passage:
            async with AsyncPincite(self.settings) as engine:
                return await engine.get(self.fill(locator), context)

        return asyncio.run(session())

    def status(self, citation: str, quote: str) -> str:
        async def session() -> str:
            async with AsyncPincite(self.settings) as engine:
                (found,) = await engine.check([Claim(self.fill(citation), quote)])
                return found.status

        return asyncio.run(session())

    def fill(self, text: str) -> str:
        return text.replace("{root}", str(self.place)).replace("{sha}", self.sha)


@pytest.fixture(scope="module")
def indexed() -> Iterator[Indexed]:
    with quick_folder() as folder:
        made = Indexed(folder)
        asyncio.run(made.index())
        yield made

        async def stop() -> None:
            async with AsyncPincite(made.settings) as engine:
                await engine.stop()

        asyncio.run(stop())


FORMS = [
    ("src/a.py:12-20", 12, 20),
    ("src/a.py:12:9", 12, 20),  # LINE:COUNT, as ever
    ("src/a.py#L12-L20", 12, 20),
    ("src/a.py#L12-20", 12, 20),
    ("src/a.py#L12C3-L20C1", 12, 20),
    ("src/a.py:L12-L20", 12, 20),
    ("src/a.py#L12", 12, 12),
    ("src/a.py:L12", 12, 12),
    ("src/a.py(12)", 12, 12),
    ("src/a.py(12,5)", 12, 12),
    ("src/a.py, lines 12-20", 12, 20),
    ("src/a.py line 12", 12, 12),
    ("src/a.py (lines 12\u201320)", 12, 20),
    ("./src/a.py:12-20", 12, 20),
    ("src\\a.py:12-20", 12, 20),
    ("src//a.py:12-20", 12, 20),
    ("proj:src/a.py:12-20", 12, 20),
    ("proj:src/a.py#L12-20", 12, 20),
    ("proj@{sha}:src/a.py#L12-20", 12, 20),
    ("proj@{sha}:src/a.py:12-20", 12, 20),
    ("proj@{sha}:src/a.py#L12-L20.", 12, 20),
    ("{root}/src/a.py:12-20", 12, 20),
    ("{root}/src/a.py:12:9", 12, 20),
    ("{root}/src/a.py#L12-L20", 12, 20),
    ("file://{root}/src/a.py#L12-L20", 12, 20),
    ("file://localhost{root}/src/a.py:12-20", 12, 20),
    ("https://github.com/acme/proj/blob/{sha}/src/a.py#L12-L20", 12, 20),
    ("https://github.com/acme/proj/blob/feature/x/src/a.py?plain=1#L12-L20", 12, 20),
    ("https://raw.githubusercontent.com/acme/proj/main/src/a.py", 1, 60),
    ("`src/a.py:12-20`", 12, 20),
    ("(src/a.py:12-20).", 12, 20),
    ("[src/a.py#L12-L20](src/a.py#L12-L20)", 12, 20),
    ("**src/a.py:12-20**,", 12, 20),
    ('"src/a.py:12-20"', 12, 20),
    ("<src/a.py:12-20>", 12, 20),
    ('  File "{root}/src/a.py", line 12, in run', 12, 31),
    ("src/a.py:12", 12, 31),
    ("src/a.py:12.", 12, 31),
    ("src/a.py", 1, 60),
    ("a.py:12-20", 12, 20),
    ('"src/a.py":12-20', 12, 20),
    ('"src/\\141.py":12-20', 12, 20),  # as git and `search --format files` quote names
    ('"proj:src/\\141.py":12-20', 12, 20),
]


@pytest.mark.parametrize(("locator", "first", "last"), FORMS)
def test_lines_are_read_by_any_of_the_forms(
    indexed: Indexed, locator: str, first: int, last: int
) -> None:
    passage = indexed.get(locator)
    assert (passage.path, passage.start_line, passage.end_line) == ("src/a.py", first, last)


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("[a b](<src/a b.py#L12-L20>)", "src/a b.py"),
        ("[a b](src/a b.py#L12-L20).", "src/a b.py"),
        (f"[page](<{ODD}#L12-L20>)", ODD),
    ],
)
def test_a_link_may_have_spaces_or_brackets_in_its_target(
    indexed: Indexed, link: str, path: str
) -> None:
    passage = indexed.get(link)
    assert (passage.path, passage.start_line, passage.end_line) == (path, 12, 20)


def test_a_citation_with_columns_gives_its_characters_alone(indexed: Indexed) -> None:
    cited = f"proj@{indexed.sha}:src/a.py"
    one = indexed.get(f"{cited}#L12C1-L12C4")
    assert (one.text, one.raw, one.citation) == ("line", b"line", f"{cited}#L12C1-L12C4")
    assert indexed.get(f"{cited}#L12C6-L13").raw == b"12\nline 13\n"
    assert indexed.get(f"{cited}#L12-L13C4").text == "line 12\nline"
    with pytest.raises(UsageError, match="has 7 characters: column 400 does not exist"):
        indexed.get(f"{cited}#L12C6-L12C400")
    assert indexed.get("a.py#L12C1-L12C4") == indexed.get("a.py:L12C1-L12C4") == one


def test_lines_around_columns_are_whole_unless_they_are_long(indexed: Indexed) -> None:
    around = indexed.get("a.py#L12C1-L12C4", 1)
    assert (around.text, around.citation[-8:]) == ("line 11\nline 12\nline 13", "#L11-L13")
    part = indexed.get("long.txt#L2C4001-L2C4009", 1)
    assert (part.text, part.citation[-16:]) == ("a gharial", "#L2C4001-L2C4009")


def test_columns_of_a_long_line_are_compared(indexed: Indexed) -> None:
    assert indexed.status("long.txt#L2C4001-L2C4009", "a gharial") == "fresh"
    assert indexed.status("long.txt#L2C5-L2C20", "a gharial") == "moved"


@pytest.mark.parametrize("form", [form for form, first, _ in FORMS if first == 12])
def test_a_claim_is_checked_by_any_of_the_forms(indexed: Indexed, form: str) -> None:
    quote = "line 13" if "C3" in form else "line 12"  # which begins before the third column
    assert indexed.status(form, quote) == "fresh"
    assert indexed.status(form, "line 50") == "moved"
    assert indexed.status(form, "a giraffe") == "changed"


def test_a_permalink_names_its_commit(indexed: Indexed) -> None:
    link = "https://github.com/acme/proj/blob/{}/src/a.py#L12-L20"
    assert indexed.status(link.format(indexed.sha), "") == "fresh"
    assert indexed.status(link.format("0" * 40), "") == "unknown"
    with pytest.raises(UsageError, match="no indexed file is named"):
        indexed.get("https://github.com/other/proj/blob/main/src/a.py#L12")


@pytest.mark.parametrize(
    ("locator", "path", "first"),
    [
        ("lib/v:1-2.md", "lib/v:1-2.md", 1),
        ("lib/v:1-2.md:3-4", "lib/v:1-2.md", 3),
        ("src/a b.py:3-4", "src/a b.py", 3),
        ("file://{root}/src/a%20b.py#L3", "src/a b.py", 3),
        (f"{ODD}:3-4", ODD, 3),
        (f"({ODD}:3-4)", ODD, 3),
        (f"{ODD}(3)", ODD, 3),
    ],
)
def test_a_name_that_looks_like_lines_or_brackets_is_a_name(
    indexed: Indexed, locator: str, path: str, first: int
) -> None:
    passage = indexed.get(locator)
    assert (passage.path, passage.start_line) == (path, first)


@pytest.mark.parametrize(
    "locator",
    [
        "src/b.py:12-20",
        "{root}/../src/a.py",
        "/etc/passwd",
        "file:///etc/passwd#L1",
        "[](#L1)",
        ".",
    ],
)
def test_what_is_not_indexed_is_not_read(indexed: Indexed, locator: str) -> None:
    with pytest.raises(NotNamed):
        indexed.get(locator)


HOSTILE = [
    *(sign * 100_000 for sign in 'a1:#@%/\\()[]<>`".-,L \n\0'),
    *(part * 25_000 for part in (":12-", "#L1-", "](a", "%2523", "a@b:", "blob/", "../", "(a)")),
    "a.py:" + "9" * 100_000,
    "a.py#L" + "9" * 4_000,
    "https://github.com/" + "a/blob/" * 1_000 + "#",
    '"' + "\\" * 8_000 + '"',
    '"' + "\\777" * 2_000 + '":1-2',
    '"' + "\\377" * 2_000 + '":1-2',
    "(" * 8_000,
    ")" * 8_000,
    "`" * 8_000,
    'File "' + "a" * 8_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_locator_hangs_and_none_is_repeated_at_length(indexed: Indexed, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        indexed.get(text)
    assert len(str(raised.value)) < 2_000
    assert indexed.status(text, "line 12") == "unknown"


@given(st.text("ab/.:#L12-3() `[]%@\"'<>,\\\n", max_size=40))
def test_a_form_is_never_longer_than_the_text_and_its_lines_are_in_order(text: str) -> None:
    for form in forms(text):
        assert len(form) <= len(text)
        for span in spans(form):
            assert span.name
            assert span.first is None or span.last is None or span.first <= span.last
        places(form, [Source("acme", "/nowhere/acme", "folder")])


@given(st.text(max_size=20))
def test_what_is_trimmed_stays_trimmed(text: str) -> None:
    assert trimmed(trimmed(text)) == trimmed(text)
    assert trimmed(text) in text


def test_a_text_that_is_too_long_to_be_a_path_is_taken_as_it_stands() -> None:
    text = "a" * MOST_CHARS + ":1-2"
    assert forms(text) == (text,)
    assert spans(text) == ()
    assert spans("a:1-2") == (Span("a:1-2"), Span("a", 1, 2))


@pytest.mark.parametrize(
    "path", [r"C:\Users\me\docs\a.md", "c:/users/me/docs/a.md", "file:///C:/Users/me/docs/a.md"]
)
def test_an_absolute_path_of_windows_is_of_the_source_that_it_lies_in(path: str) -> None:
    source = Source("docs", r"C:\Users\me\docs", "folder")
    assert places(path, [source]) == ((source, "a.md"),)
    assert Span(path, 12, 20) in spans(f"{path}:12-20")


def test_a_name_is_read_as_a_line_of_text_shows_it() -> None:
    for name in ("nl\nx.md", "tab\tx.md", "a\u202eb.md", "\U000e0041.md", "a\x1bb.md"):
        shown = f"acme@v1:{one_line(name)}#L1-L3"
        assert shown != f"acme@v1:{name}#L1-L3"
        assert forms(shown)[0] == shown
        assert f"acme@v1:{name}#L1-L3" in forms(f"`{shown}`.")
    assert forms(r"a\ud800.md\U00110000") == (r"a\ud800.md\U00110000",)
