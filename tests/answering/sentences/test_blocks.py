"""Which list, code or rows an introduction and a denial belong to."""

from __future__ import annotations

import pytest

from pincite.answering.extract import extract
from tests.answering.evidence import TERMS, evidence
from tests.counting import grows_in_proportion


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
    "<p>Not supported:</p>\n<ul>\n<li>Windows 95</li>\n</ul>\n<ul>\n<li>Linux</li>\n</ul>\n",
    "Not supported:\n\n- Windows 95\n\n```\nwin\n```\n\n* Linux\n",
    "Not supported:\n\n1. Windows 95\n\n```\nwin\n```\n\nThese are supported.\n\n1. Linux\n",
    "Not supported:\n\n1. Windows 95\n\nThese are supported:\n\n2. Linux\n",
    "Not supported:\n\n- Windows 95\n\n```\nwin\n```\n\n## Supported\n\n- Linux\n",
)
HTML_LISTS = (
    "<p>Not supported:</p><ul><li>Windows 95</li></ul><p>Others.</p><ul><li>Linux</li></ul>",
    "<ul><li>Not supported:<ul><li>Windows 95</li></ul></li><li>Linux</li></ul>",
    "<p>Not supported:</p><ul><li>Windows 95</li></ul><ul><li>Linux</li></ul>",
    "<p>Not on:</p><ol><li>Unix<ul><li>V7</li></ul></li></ol><ul><li>Linux</li></ul>",
)
OTHER_BLOCKS = (
    ("Not supported:\n\n```\nwin95\n```\n\n```\nLinux\n```\n", "markdown"),
    ("Not supported:\n\n```\nwin95\n```\n```\nLinux\n```\n", "markdown"),
    ("Not supported:\n\n- Windows 95\n\n```\nLinux\n```\n", "markdown"),
    ("Not supported:\n\nThe old ones.\n\n```\nLinux\n```\n", "markdown"),
    ("Not supported::\n\n    win95\n\n.. code-block:: sh\n\n    Linux\n", "rst"),
    ("Not supported:\n\n----\nwin95\n----\n\n----\nLinux\n----\n", "asciidoc"),
    ("Not supported:\n.nf\nwin95\n.fi\n.nf\nLinux\n.fi\n", "roff"),
    ("Not supported:\n\n    win95\n\n| a |\n|---|\n| Linux |\n", "markdown"),
    ("Not supported:\n\n```\nwin95\n```\n\n| a |\n|---|\n| Linux |\n", "markdown"),
    ("Not supported:\n\n| a |\n|---|\n| win95 |\n\n| a |\n|---|\n| Linux |\n", "markdown"),
    ("Not supported:\n\n|===\n|win95\n|===\n\n|===\n|Linux\n|===\n", "asciidoc"),
    ("Not supported:\n.TS\nl l.\na\tb\n.TE\n.TS\nl l.\nLinux\tc\n.TE\n", "roff"),
    ("<p>Not supported:<table><tr><td>a</table><table><tr><td>Linux</table>", "html"),
)


@pytest.mark.parametrize("text", [*OTHER_LISTS, *HTML_LISTS])
def test_what_denies_one_list_does_not_deny_another_or_its_siblings(text: str) -> None:
    language = "html" if text in HTML_LISTS else "markdown"
    assert shown("is Linux there?", text, language) == "Linux [1]"


@pytest.mark.parametrize(("text", "language"), OTHER_BLOCKS)
def test_what_denies_one_block_of_code_or_table_does_not_deny_another(
    text: str, language: str
) -> None:
    found = shown("is Linux there?", text, language)
    assert "Linux" in found
    assert "Not" not in found


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Not on:\n\n```\na\n\nSolaris of old\n```\n", "markdown"),
        ("Not on::\n\n    a\n\n    Solaris of old\n", "rst"),
        ("Not on:\n\n- a\n\n  ```\n  b\n  Solaris of old\n  ```\n", "markdown"),
        ("Not on:\n\n- a\n\n  | b |\n  |---|\n  | Solaris of old |\n", "markdown"),
        ("Not on:\n\n* a\n+\n----\nb\nSolaris of old\n----\n", "asciidoc"),
        ("Not on:\n\n|===\n|a |b\n\n|Solaris of old |c\n|===\n", "asciidoc"),
        ("Not on:\n.TS\nl l.\na\tb\nSolaris of old\tc\n.TE\n", "roff"),
        ('Not on:\n.nf\na\n.sp\n.ft B\n.\\" b\n.if n .sp\nSolaris of old\n.fi\n', "roff"),
        ("Not on:\n.EX\na\n.PP\nSolaris of old\n.EE\n", "roff"),
        ("Not on:\n\n1. a\n\n```\nb\n  c\n```\n\n2. Solaris of old\n", "markdown"),
        ("Not on:\n\n1. a\n\n```\nb\n```\n\n1. Solaris of old\n", "markdown"),
        ("Not on:\n\n1. a\n\nIt is a b.\n\n2. Solaris of old\n", "markdown"),
        ("Not on:\n\n- a\n\n```\nb\n```\n\n- Solaris of old\n", "markdown"),
        ("Not on:\n\n- a\n\n```\nSolaris of old\n```\n\n- b\n", "markdown"),
        ("Not on:\n\n- a\n\n| b |\n|---|\n| c |\n\n- Solaris of old\n", "markdown"),
        ("Not on:\n\n| a |\n|---|\n| b |\n<!-- c -->\n| Solaris of old |\n", "markdown"),
        ("<p>Not on<ul><li>\n a</li><li>\n Solaris of old</li></ul>", "html"),
        ("<p>Not on:<table><tr><td>a</tr><tr><td>Solaris of old</tr></table>", "html"),
        ("<p>Not on:<ul><li>a<p>b</li><li>Solaris of old</li></ul>", "html"),
        ("<p>Not on:<ul><li>a<ul><li>b</li></ul></li><li>Solaris of old</li></ul>", "html"),
    ],
)
def test_a_denial_is_above_its_whole_block(text: str, language: str) -> None:
    found = shown("is Solaris of old there?", text, language)
    assert found.startswith("Not on")
    assert "Solaris of old" in found


BOXED = "The lock is open. The door is red.\n\nThe gate is blue.\n\n    The roof is flat.\n"


@pytest.mark.parametrize(
    ("before", "after", "language"),
    [
        ('!!! warning "Not so"\n', "", "markdown"),
        ('=== "Not so"\n\n', "", "markdown"),
        (".. admonition:: Not so\n\n", "", "rst"),
        (":::danger[Not so]\n\n", ":::", "markdown"),
        (":::danger Not so\n", ":::", "markdown"),
        ("::: danger Not so\n", "::: <!-- the end -->", "markdown"),
        ("::::danger[Not so]\n:::tip\nA tip.\n:::\n", "::::", "markdown"),
        ("<details>\n<summary>Not so</summary>\n\n", "</details>", "markdown"),
        ("<details><summary>Not so</summary><p>", "</details><p>", "html"),
    ],
)
@pytest.mark.parametrize("word", ["lock", "door", "gate", "roof", "wall"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_title_of_a_box_denies_all_of_it(
    before: str, after: str, language: str, word: str, line_end: str
) -> None:
    lines = BOXED if after else BOXED.replace("The lock", "    The lock")
    lines = lines if after else lines.replace("The gate", "    The gate")
    text = f"{before}{lines}{after}\n\nThe wall is green.\n"
    found = shown(f"what is the {word}?", text.replace("\n", line_end), language)
    assert found.startswith("Not so\n") == (word != "wall")
    assert found.count("Not so") == (word != "wall")
    assert ("wall" in found) == (word == "wall")


@pytest.mark.parametrize(
    ("begins", "ends", "language"),
    [
        (":::danger Not so\n", ":::\n", "markdown"),
        ("<details>\n<summary>Not so</summary>\n\n", "</details>\n", "markdown"),
        ("<ul><li>not:", "</ul>", "html"),
        (".RS\n.IP a\nnot so:\n", ".RE\n", "roff"),
        ('!!! note "Not so"\n    A b.\n\n', "", "markdown"),
        ("Not so:\n\n1. a\n\nb\n\n", "", "markdown"),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_nested_boxes_and_lists_take_time_in_proportion(
    begins: str, ends: str, language: str, inside: bool
) -> None:
    def work(size: int) -> str:
        count = size // len(begins + ends)
        wall, end = "\nThe wall is green.\n", ends * count
        text = begins * count + (wall + end if inside else end + wall)
        return shown("what is the wall?", text, language)

    assert grows_in_proportion(work, 4_000)


def test_of_many_titles_above_a_sentence_the_nearest_are_quoted() -> None:
    titles = "".join(f":::tip Title {n}\n" for n in range(20))
    found = shown("is the wall green?", f":::tip Not so\n{titles}The wall is green.\n")
    assert found.startswith("Not so\nTitle 12\n")
    assert found.count("Title") == 8


def test_the_heading_above_a_box_that_denies_is_quoted_too() -> None:
    text = '## Not here\n\n!!! note "Not so"\n    The lock is open.\n'
    assert shown("is the lock open?", text) == "Not here\nNot so\nThe lock is open. [1]"


def test_the_end_of_a_box_makes_no_heading() -> None:
    text = ":::note\nThe door is red\n:::\n\nA wall is green.\n"
    assert shown("is the door red?", text).startswith("The door is red")


TERMS_OF_ROFF = (
    ".SH OPTIONS\nThese are not supported:\n.TP\n.B \\-\\-alpha\nReads it.\n.TP\n"
    '.BR \\-\\-beta " " \\fIn\\fP\nWrites the log.\n'
)
LIST_OF_ROFF = ".Sh X\nNot with these:\n.Bl -tag\n.It Fl a\nThe lock.\n.It Fl b\nThe pump.\n.El\n"


def test_lists_of_manual_pages_have_depths_and_marks() -> None:
    found = shown("what writes the log?", TERMS_OF_ROFF, "roff")
    assert found == "These are not supported:\n- --beta n: Writes the log. [1]"
    nested = (
        ".TP\n.B \\-x\nNever combine it with:\n.RS\n.TP\n.I fast\nThe pump.\n.TP\n.B slow\n"
        "The lock.\n.RE\n.TP\n.I \\-y\nWrites the log."
    )
    assert shown("what writes the log?", nested, "roff") == "-y Writes the log. [1]"
    assert shown("the lock", nested, "roff") == "-x Never combine it with:\n- slow The lock. [1]"
    bullets = "Not with:\n.IP \\(bu 2\nThe lock.\n.IP \\(bu\nThe pump.\n.PP\nThe gate is green."
    assert shown("the pump", bullets, "roff") == "Not with:\n- The pump. [1]"
    assert shown("is the gate green?", bullets, "roff") == "The gate is green. [1]"
    assert shown("the pump", LIST_OF_ROFF, "roff") == "Not with these:\n- -b The pump. [1]"
    two = f"{LIST_OF_ROFF}.Bl -tag\n.It Fl c\nThe gate.\n.El\n.RE\n.RE\nThe end."
    assert shown("the gate", two, "roff").startswith("-c The gate.")


_BULLET = (
    ".sp\n.RS 4\n.ie n \\{\\\n\\h'-04'%s\\h'+03'\\c\n.\\}\n.el \\{\\\n.sp -1\n.IP \\(bu 2.3\n"
    ".\\}\nThe %s.\n.RE\n"
)


def test_lists_that_programs_write_count_in_manual_pages() -> None:
    bullets = f"Not with:\n{_BULLET % ('•', 'pump')}{_BULLET % ('•', 'lock')}.sp\nA gate is green."
    assert shown("the lock", bullets, "roff") == "Not with:\n- The lock. [1]"
    assert shown("is the gate green?", bullets, "roff") == "A gate is green. [1]"
    numbers = f"Not with:\n{_BULLET % (' 1.', 'pump')}{_BULLET % (' 2.', 'lock')}"
    assert shown("the lock", numbers, "roff") == "Not with:\n- The lock. [1]"
    terms = (
        "Not with:\n.PP\n\\fB\\-a\\fR\n.RS 4\nThe pump.\n.RE\n.PP\n\\-b\n.RS 4\nThe lock.\n.sp\n"
        "The roof.\n.RE\n.sp\nThe gate is green."
    )
    assert shown("the pump", terms, "roff") == "Not with:\n- -a: The pump. [1]"
    assert shown("the lock", terms, "roff").startswith("Not with:\n- -b The lock.")
    assert shown("the roof", terms, "roff").startswith("Not with: The roof. [1]")
    assert shown("is the gate green?", terms, "roff") == "The gate is green. [1]"
    item = '.IP "\\fB\\-%s\\fR" 4\n.IX Item "-%s"\nThe %s.\n'
    pod = f"Not with:\n{item % ('a', 'a', 'pump')}{item % ('b', 'b', 'lock')}"
    assert shown("the lock", pod, "roff") == "Not with:\n- -b: The lock. [1]"


def test_names_without_text_are_items_and_names_of_one_text_are_together() -> None:
    names = "Not with:\n.Bl -tag\n.It PumpName\n.It LockName\n.El\nThe end."
    assert shown("is it LockName?", names, "roff") == "Not with:\n- LockName [1]"
    both = 'Use:\n.IP "\\-a" 4\n.IP "\\-b" 4\nThe lock.\n'
    assert shown("the lock", both, "roff") == "-a: -b: The lock. [1]"


def test_rows_of_manual_pages_are_rows() -> None:
    table = "Text:\n.TS\nl l.\nLinux\tPump\nSun\tLock\n.TE\nA gate."
    assert shown("linux pump", table, "roff") == "Linux|Pump [1]"
    long = f"Linux\t{'The pump is old and it leaks. ' * 40}\n"
    found = shown("is linux old?", f".TS\nl l.\n{long}.TE\n", "roff")
    assert found.startswith("| Linux | The pump")
    assert found.endswith(" … | [1]")


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
