"""Patterns that give types to files: what is accepted, how they add up, what is suggested."""

from __future__ import annotations

import pytest

from pincite.errors import UsageError
from pincite.model import Source
from pincite.model.left_out import line_of
from pincite.readers import FileType
from pincite.readers.given_types import GIVEN_TYPES, given_type, type_mark
from pincite.readers.languages import LANGUAGES
from pincite.sources.file_type_patterns import (
    checked_file_types,
    file_type_text,
    how_to_include,
    with_file_types,
)


def given(path: str, *texts: str) -> str | None:
    found = given_type(Source("a", "/a", "folder", file_types=texts), path)
    return found.language if found else None


@pytest.mark.parametrize(
    ("pattern", "name", "text"),
    [
        ("*.caddyfiletest", "text", "*.caddyfiletest=text"),
        (" *.mdc ", "Markdown", "*.mdc=markdown"),
        ("*.tmpl", "htm", "*.tmpl=html"),
        ("*.inc", "c++", "*.inc=cpp"),
        ("a=b/*.x", "C#", "a=b/*.x=c_sharp"),
        ("conf.d/", "ini", "conf.d/=ini"),
        ("*.p*", "text", "*.p*=text"),
        ("*.?df", "text", "*.?df=text"),
        ("*.[ch]pq", "cpp", "*.[ch]pq=cpp"),
        ("conf/[a-z]*", "ini", "conf/[a-z]*=ini"),
        ("[wW]*", "text", "[wW]*=text"),
        ("[A-Z]*", "text", "[A-Z]*=text"),
        *((one, "text", f"{one}=text") for one in ("*.[ab]", "*.[dr]at", "*.[mp]o", "*.[bc]in")),
        *((one, "text", f"{one}=text") for one in ("*n*/", "[a-l]*/", "[dekw]*", "*[dnyz]")),
    ],
)
def test_types_have_the_names_that_people_give_them(pattern: str, name: str, text: str) -> None:
    assert file_type_text(pattern, name) == text
    assert checked_file_types([f"{pattern} = {name}"]) == (text,)


@pytest.mark.parametrize("name", ["pdf", "docx", "word", "notebook", "xlsx", "transcript", "exe"])
def test_formats_that_are_not_plain_are_refused_with_a_list_of_those_that_are(name: str) -> None:
    with pytest.raises(UsageError, match=f"file type '{name}' of '\\*.x' ") as caught:
        file_type_text("*.x", name)
    assert (caught.value.hint or "").removeprefix("one of: ").split(", ") == sorted(GIVEN_TYPES)


def test_every_plain_language_can_be_given() -> None:
    extracted = {"pdf", "word", "slides", "epub", "notebook", "spreadsheet"}
    assert LANGUAGES - GIVEN_TYPES.keys() == {*extracted, "transcript"}
    assert GIVEN_TYPES["text"] == FileType("text", "docs")


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "'' is empty"),
        ("!*.x", "begins with '!'"),
        ("#x", "matches nothing"),
        ("[a", "matches nothing"),
        ("*", "matches every file"),
        ("**/*", "matches every file"),
        ("*.*", "matches nearly every file"),
        ("[!x]*", "matches nearly every file"),
        ("[a-z]*", "matches nearly every file"),
        ("/[a-z]*", "matches nearly every file"),
        ("*.[a-z]*", "matches nearly every file"),
        ("[a-z]*/", "matches nearly every file"),
        ("*.pd[f]", "is for .pdf files, whose text is extracted"),
        ("a/*.[dD][oO][cC][xX]", "is for .docx files, whose text is extracted"),
        (r"*.pd\f", "is for .pdf files, whose text is extracted"),
        (r"a\.[p]d\f", "is for .pdf files, whose text is extracted"),
        ("*.PDF", "is for .pdf files, whose text is extracted"),
        ("*.x\x1b[1m", r"contains U\+001B"),
        ("*.x\n*.y", r"contains U\+000A"),
    ],
)
def test_bad_patterns_are_refused_with_the_reason(pattern: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        file_type_text(pattern, "text")
    assert "*.tmpl=html" in (caught.value.hint or "")


def test_the_last_pattern_that_matches_decides() -> None:
    types = ("*.tmpl=html", "mail/*.tmpl=text", "sites/=ini", "/top=bash")
    assert given("a/b.tmpl", *types) == "html"
    assert given("mail/b.tmpl", *types) == "text"
    assert given("x/mail/b.tmpl", *types) == "html"
    assert given("a/sites/deep/er", *types) == "ini"
    assert given("sites", *types) is None
    assert (given("top", *types), given("a/top", *types)) == ("bash", None)
    assert given("b.tmpl/README", *types) is None, "its folder is not a file"
    assert given("B.TMPL", *types) is None, "patterns tell upper case from lower"


def test_files_whose_text_is_extracted_keep_their_type() -> None:
    assert given("a/b.pdf", "a/=text") is None
    assert given("a/b.docx", "*.do*=text") is None


def test_a_type_of_a_later_version_matches_nothing() -> None:
    assert given("a.x", "*.x=text", "*.x=hologram") == "text"


def test_a_type_that_a_file_has_anyway_is_no_change() -> None:
    def mark(path: str, text: str) -> str:
        return type_mark(Source("a", "/a", "folder", file_types=(text,)), path)

    assert mark("a.md", "*.md=markdown") == ""
    assert mark("a.md", "*.x=text") == ""
    assert mark("a.md", "*.md=text") == "type docs text"
    assert mark("a.h", "*.h=c") == "type code c", "its content would decide"


def test_given_types_are_added_to_those_that_are_kept() -> None:
    kept = ("*.a=text", "*.b=html")
    assert with_file_types(kept, ()) == kept
    assert with_file_types(kept, ("*.c=ini",)) == (*kept, "*.c=ini")
    assert with_file_types(kept, ("*.a=toml",)) == ("*.b=html", "*.a=toml")
    assert with_file_types(kept, checked_file_types(["*.a ="])) == ("*.b=html",)
    assert with_file_types(kept, checked_file_types([" "])) == ()
    assert with_file_types(kept, ("", "*.c=ini")) == ("*.c=ini",)


@pytest.mark.parametrize(
    ("paths", "option"),
    [
        (("a.Foo", "b/c.bar", "d.bar"), "'*.bar=text'"),
        (("conf/my site",), "'my site=text'"),
        (("a.ba*r",), r"'*.ba\*r=text'"),
        (("a.rtf", "b.pages"), ""),
        (("a.rtf", "x/vhost"), "vhost=text"),
        (("a.\x1bx", "b.\x1bx", "c.y"), "'*.y=text'"),
        ((), ""),
        (("a/HEAD", "a/config", "a/refs/main", "a/refs/next", "a/hooks/x.sample"), ""),
        (("HEAD", "config", "refs/main"), ""),
        (("a/HEAD", "a/config", "b/HEAD", "ab/vhost", "ab/vhost2", "c/vhost"), "vhost=text"),
        (("a/HEAD", "b/config"), "HEAD=text"),
    ],
)
def test_a_pattern_is_suggested_for_the_most_frequent_text_files(
    paths: tuple[str, ...], option: str
) -> None:
    lines = [line_of("unsupported", path) for path in paths]
    said = how_to_include([line_of("binary", "z.zzz", "contains NUL bytes"), *lines])
    prefix = "to index files of unknown types: pincite index PATH --file-type "
    assert said == (prefix + option if option else "")
