"""Which list, code or rows an introduction and a denial belong to."""

from __future__ import annotations

import pytest

from pincite.answering.extract import extract
from tests.answering.evidence import TERMS, evidence


def shown(question: str, text: str, language: str = "markdown") -> str:
    return extract(question, [evidence(text, language=language)], TERMS).text


OTHER_LISTS = (
    "Not supported:\n\n- Windows 95\n\nThese are supported.\n\n- Linux\n",
    "**Not supported**:\n\n- Windows 95\n\n**Supported**\n\n- Linux\n",
    "Not supported:\n\n* Windows 95\n\n1. Linux\n",
    "Not supported:\n\n```\nwin95\n```\n\n- Linux\n",
    "Not supported:\n\nSome of the old ones.\n\n- Linux\n",
    "- Not supported:\n  - Windows 95\n- Linux\n",
    "- Not supported:\n\n\t- Windows 95\n\n- Linux\n",
    "- Keys. These are not sold:\n- Linux\n",
    "- Keys.\n  These are not sold:\n\n- Linux\n",
    "- Keys.\n\n  They are not sold (anyway)\n\n- Linux\n",
    "1. If you have not done so, install it:\n\n   ```\n   make it\n   ```\n\n2. Linux\n",
)
HTML_LISTS = (
    "<p>Not supported:</p><ul><li>Windows 95</li></ul><p>Others.</p><ul><li>Linux</li></ul>",
    "<ul><li>Not supported:<ul><li>Windows 95</li></ul></li><li>Linux</li></ul>",
)


@pytest.mark.parametrize("text", [*OTHER_LISTS, *HTML_LISTS])
def test_what_denies_one_list_does_not_deny_another_or_its_siblings(text: str) -> None:
    language = "html" if text in HTML_LISTS else "markdown"
    assert shown("is Linux there?", text, language) == "Linux [1]"


@pytest.mark.parametrize(
    ("text", "denial"),
    [
        ("Not supported:\n\n- Windows\n- Solaris of old\n", "Not supported:\n- "),
        ("**Not supported**\n\n- Windows\n- Solaris of old\n", "**Not supported**\n- "),
        ("Not on\n\n- Windows. It is old.\n- Solaris of old\n", "Not on\n- "),
        ("Not on:\n\n- Windows\n\n  It is old.\n\n- Solaris of old\n", "Not on:\n- "),
        ("Not on:\n\n- Unix:\n  - Solaris of old\n", "Not on:\n- "),
        ("- Not on:\n  - Windows\n  - Solaris of old\n", "Not on:\n- "),
        ("## Not on these\n\nThey are:\n\n- Solaris of old\n", "Not on these\n"),
        ("## Not here\n\n| System |\n|---|\n| Solaris of old |\n", "Not here\n"),
        ("Not here:\n\n| System |\n|---|\n| Solaris of old |\n", "Not here:\n"),
        ("## Not here\n\n```\nSolaris of old\n```\n", "Not here\n\n    "),
        ("Not here:\n\n```\na\nSolaris of old\n```\n", "Not here:\n\n    "),
        ("## Not here\n\n" + "- Another system\n" * 50 + "- Solaris of old\n", "Not here\n"),
    ],
)
def test_a_denial_is_above_all_that_it_denies(text: str, denial: str) -> None:
    found = shown("is Solaris of old there?", text)
    assert found.startswith(denial)
    assert "Solaris of old" in found
    assert "Windows" not in found


def test_a_denial_is_above_long_sentences_and_names() -> None:
    long = "Solaris of old, on SPARC and on x86 machines, with each of its many descendants today."
    assert shown("is Solaris there?", f"## Not supported\n\n{long}\n").startswith("Not supported\n")
    text = "Deprecated names\n----------------\n\n.. function:: rotate(key)\n\n   Rotates it.\n"
    found = shown("what does rotate do?", text, "rst")
    assert found == "Deprecated names\nrotate(key)\nRotates it. [1]"


@pytest.mark.parametrize(
    ("text", "language", "block"),
    [
        ("- Removed are:\n  - turbo\n- Keys work.\n- Locks work.\n", "markdown", "- turbo [1]"),
        ("- Removed are:\n    - a\n      - b\n    - c\n- Keys\n", "markdown", "- a\n- b\n- c [1]"),
        ("* Removed are:\n\n  * ``turbo``\n\n* Keys\n", "rst", "- ``turbo`` [1]"),
        ("* Removed are:\n+\n----\nturbo\n----\n* Keys\n", "asciidoc", "\n    turbo\n[1]"),
        ("Removed are:\n- turbo, the\n  old. It was one.\n- Keys\n", "markdown",
         "- turbo, the old. It was one.\n- Keys [1]"),
        ("Removed are:\n\n- a\n\n  It was one.\n\n- b\n\nKeys work.\n", "markdown",
         "- a It was one.\n- b [1]"),
        ("<ul><li>Removed are:<ul><li>a</li></ul></li><li>b</li></ul>", "html", "- a [1]"),
        ("<dl><dt>Removed are:</dt><dd><ul><li>a</li></ul></dd><dt>b</dt></dl>", "html",
         "- a [1]"),
    ],
)  # fmt: skip
def test_a_block_ends_with_its_list(text: str, language: str, block: str) -> None:
    assert shown("what is removed?", text, language) == f"Removed are:\n{block}"


def test_an_item_that_has_no_block_is_no_answer() -> None:
    text = "- Keys that are removed:\n- Keys are removed at night.\n"
    assert shown("which keys are removed?", text) == "Keys are removed at night. [1]"


def test_a_block_that_is_not_whole_has_a_mark() -> None:
    items = "".join(f"- The system number {n}, with all of its releases\n" for n in range(20))
    found = shown("which ones are known?", f"These are known:\n\n{items}")
    assert found.startswith("These are known:\n- The system number 0, with")
    assert found.endswith(" releases … [1]")
    code = "".join(f"command --number {n} --with --all --of --them\n" for n in range(20))
    found = shown("which ones are known?", f"These are known:\n\n```\n{code}```\n")
    assert found.endswith(" --of --them\n    …\n[1]")
    nested = "- The known ones are here:\n  - a\n  - b:\n\n"
    assert shown("which are known ones?", nested) == "The known ones are here:\n- a … [1]"
