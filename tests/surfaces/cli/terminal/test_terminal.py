"""What a terminal would obey never reaches one; a pipe gets a file as it is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environment import clean_environment
from tests.surfaces.cli.terminal.screens import on_terminal
from tests.surfaces.conftest import Cli
from tests.time_limits import HANGS_S

#: A title, a link, the screen cleared, a line overwritten; C1; what reorders or cannot be seen.
EVIL = (
    "\x1b]0;owned\x07 \x1b]8;;http://evil/\x1b\\here\x1b]8;;\x1b\\ \x1b[2J \x1b[31mred\rback\b\b"
    "\x7f\x9b2J \x90x\x9c \u202ereversed\u2066\u2069 \u061c\u200b\u200e\u2028\u2060\ufeff\xad"
    "\U000e0041"
)
NAME = "evil\x1b[2J\x1b[8m\u202e\nsecond.md"
GUIDE = f"# Zebras {EVIL}\n\nA zebra\tstripes {EVIL}\n\n## Feeding\r\n\r\nA zebra eats grass.\r\n"
_OURS = re.compile(
    r"\x1b\[(?:0|1|2|3[2356]|1;3[123])m|\r\x1b\[K|\x1b\]8;;(?:file://[\w.~/%-]*)?\x1b\\"
)
_OBEYED = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]|\r(?!\n)"
)
JOINED = "a\tb\r\nफ़ारसी\u200cها 👩\u200d🚀 ÄÖ\n"


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """One index for all tests that change nothing in it."""
    cli = Cli(tmp_path_factory.mktemp("evil"))
    cli.write(f"zoo/{NAME}", GUIDE)
    cli.write("zoo/joined.md", JOINED)
    cli.write("zoo/plain.md", "# Giraffes\n\nA giraffe is tall.\n")
    cli("index", "zoo", "--lexical", "--name", "zoo")
    cli.write("pack.json", cli("search", "zebra", "--json").stdout)
    yield cli
    cli("stop")


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "zebra"),
        ("search", f"zebra {EVIL}", "--explain"),
        ("search", "zebra", "-f", "md"),
        ("search", "zebra", "-f", "files"),
        ("search", "zebra", "--json"),
        ("search", "zebra", "--context", "section"),
        ("evidence", "zebra"),
        ("explain", f"zebra {EVIL}"),
        ("explain", "zebra", "--json"),
        ("get", NAME),
        ("get", NAME, "--json"),
        ("get", f"no {EVIL}.md"),
        ("verify", "pack.json"),
        ("verify", f"no {EVIL}.json"),
        ("status",),
        ("status", "--json"),
        ("collections",),
        ("collections", "drop", f"no {EVIL}"),
        ("search", "zebra", "-c", f"no {EVIL}"),
        ("search", "zebra", f"--no{EVIL}"),
        ("search", "zebra", "--where", f"path = '{EVIL}"),
        ("eval", "check", f"no {EVIL}.jsonl"),
        ("rerank", "zebra", "a", "--model", f"no{EVIL}:x"),
    ],
    ids=lambda arguments: " ".join(arguments)[:40].encode("ascii", "replace").decode(),
)
def test_no_command_writes_what_a_terminal_obeys(evil: Cli, arguments: tuple[str, ...]) -> None:
    out, err, _ = on_terminal(evil, *arguments)
    assert out + err
    assert "Traceback" not in err
    for text in (out, err):
        assert not _OBEYED.search(_OURS.sub("", text))


def test_what_is_logged_asked_again_and_measured_is_shown_escaped(evil: Cli) -> None:
    evil("search", f"zebra {EVIL}")
    listed, _, _ = on_terminal(evil, "replay")
    again, _, _ = on_terminal(evil, "replay", "last")
    assert "zebra \\x1b]0;owned\\x07" in listed
    assert "zebra \\x1b]0;owned\\x07" in again
    golden = {"id": f"q{EVIL}", "query": "zebra", "expected": [{"path": NAME, "grade": 1}]}
    evil.write("golden.jsonl", json.dumps(golden) + "\n")
    run, told, _ = on_terminal(evil, "eval", "run", "golden.jsonl", "-o", f"run{EVIL[0]}.json")
    assert "nDCG@10" in run
    assert "wrote the run to run\\x1b.json" in told
    for text in (listed, again, run, told):
        assert not _OBEYED.search(_OURS.sub("", text))


def test_progress_and_reports_of_indexing_are_escaped(cli: Cli) -> None:
    cli.write(f"zoo/{NAME}", GUIDE)
    _, err, code = on_terminal(cli, "index", "zoo", "--lexical", "--name", f"zoo{EVIL}")
    assert code == 0
    assert "1 new document," in err
    assert not _OBEYED.search(_OURS.sub("", err))


def test_a_text_keeps_its_tabs_newlines_and_letters_on_a_terminal(evil: Cli) -> None:
    out, _, _ = on_terminal(evil, "get", "joined.md")
    assert out == JOINED
    out, _, _ = on_terminal(evil, "get", NAME)
    assert "\\x1b]0;owned\\x07" in out
    assert "\\u202ereversed\\u2066" in out
    assert "\\U000e0041" in out


def test_colour_is_ours_and_goes_with_no_color(evil: Cli) -> None:
    assert "\x1b[35m" in on_terminal(evil, "search", "zebra")[0]
    assert "\x1b" not in on_terminal(evil, "search", "zebra", NO_COLOR="1")[0]


def test_json_means_the_same_on_a_terminal_and_in_a_pipe(evil: Cli) -> None:
    shown, _, _ = on_terminal(evil, "get", NAME, "--json")
    piped = evil("get", NAME, "--json").stdout
    assert json.loads(shown) == json.loads(piped)
    assert json.loads(shown)["text"] == GUIDE.removesuffix("\r\n")


@pytest.mark.parametrize(
    "raw",
    [
        GUIDE.encode(),
        b"\xef\xbb\xbf# BOM\r\n\r\nwith CRLF\r\n",
        b"no newline at the end",
        b"one\rtwo\n\x1b[31mred\x1b[0m\x1b]0;title\x07\n\n\n",
        "caf\xe9 \u201cquoted\u201d\n".encode("cp1252"),
        b"\x81 \x8d latin-1 \xff\n",
        "\ufeffUTF-16 \u00e4\r\n".encode("utf-16-le"),
    ],
    ids=["evil", "bom", "no-newline", "escapes", "cp1252", "latin-1", "utf-16"],
)
def test_a_pipe_gets_the_file_byte_for_byte(cli: Cli, raw: bytes) -> None:
    cli.write("notes/one.md", raw)
    cli("index", "notes", "--lexical")
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "get", "one.md"]
    done = subprocess.run(
        command,
        cwd=cli.folder,
        env=clean_environment(),
        capture_output=True,
        timeout=HANGS_S,
        check=True,
    )
    assert done.stdout == raw


def test_a_pipe_gets_single_lines_byte_for_byte(evil: Cli) -> None:
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "get", f"{NAME}:5:2"]
    done = subprocess.run(
        command,
        cwd=evil.folder,
        env=clean_environment(),
        capture_output=True,
        timeout=HANGS_S,
        check=True,
    )
    assert done.stdout == b"## Feeding\r\n\r\n"


def test_one_name_is_one_line_in_quotes_or_ends_with_a_nul(evil: Cli) -> None:
    lines = evil("search", "zebra", "-f", "files").stdout.splitlines()
    assert len(lines) == len(set(lines))
    quoted = '"evil\\033[2J\\033[8m\\342\\200\\256\\nsecond.md"'
    assert all(line.startswith(f"{quoted}:") for line in lines)
    raw = evil("search", "zebra", "-f", "files", "-0").stdout
    assert raw.endswith("\0")
    names = raw.split("\0")[:-1]
    assert [name.rsplit(":", 1)[0] for name in names] == [NAME] * len(lines)
    assert "files" in evil("search", "zebra", "-0", code=2).stderr
    plain = evil("search", "giraffe", "-f", "files").stdout
    assert re.fullmatch(r"plain\.md:\d+-\d+\n", plain)


def test_no_files_print_nothing(evil: Cli) -> None:
    for options in ((), ("-0",)):
        assert evil("search", "quantum", "-f", "files", *options, code=3).stdout == ""


def test_markdown_has_no_control_characters_and_its_fences_hold(cli: Cli) -> None:
    body = "before ```` \n~~~\n```\n# Injected zebra heading\n````\n\x1b[2J\r\u202e"
    cli.write("zoo/a.md", f"# ``` zebra\n\nzebra {body}\n")
    cli.write("zoo/b.py", f'"""zebra {body}"""\n')
    cli("index", "zoo", "--lexical")
    text = cli("search", "zebra", "-f", "md").stdout
    assert not _OBEYED.search(text)
    outside, fence = [], ""
    for line in text.split("\n"):
        opened = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence:
            if (
                opened
                and line.strip() == line.strip()[0] * len(line.strip())
                and (opened[1][0] == fence[0] and len(opened[1]) >= len(fence))
            ):
                fence = ""
        elif opened:
            fence = opened[1]
        else:
            outside.append(line)
    assert not fence
    assert not [line for line in outside if line.startswith(("# Injected", "~~~"))]
    assert sum(line.startswith("## [") for line in outside) == text.count("\n## [")


def test_nothing_goes_round_the_writer() -> None:
    """click's own `echo` drops some sequences in a pipe and lets all of them on a terminal."""
    folder = Path(__file__).parents[4] / "src" / "pincite" / "surfaces"
    for path in sorted(folder.rglob("*.py")):
        assert not re.search(r"click\.s?echo\(|\bprint\(", path.read_text()), path
