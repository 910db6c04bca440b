"""A pager, where there is a terminal and a long result, and nowhere else; colour when it is asked
for; completion by the shell itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.settings.terminal import terminal_settings
from tests.environment import clean_environment
from tests.surfaces.cli.terminal.screens import on_terminal
from tests.surfaces.conftest import Cli
from tests.time_limits import HANGS_S

PLAIN = {"PINCITE_PAGER": "cat"}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """Results that are longer than a terminal of 24 lines."""
    cli = Cli(tmp_path_factory.mktemp("paged"))
    for number in range(4):
        lines = "\n".join(f"Line {n} of the zebra {number}." for n in range(15))
        cli.write(f"zoo/z{number}.md", f"# Zebra {number}\n\n{lines}\n")
    cli("index", "zoo", "--lexical", "--name", "zoo")
    yield cli
    cli("stop")


def pager(cli: Cli, body: str) -> str:
    place = cli.write("bin dir/my pager", f"#!/bin/sh\n{body}\n")
    place.chmod(0o700)
    return f"'{place}' -x 'two words; touch pwned'"


def test_a_long_result_is_read_in_the_pager_of_the_environment(zoo: Cli) -> None:
    command = pager(zoo, 'printf "<%s>" "$@" "$LESS"; cat')
    out, err, code = on_terminal(zoo, "search", "zebra", PINCITE_PAGER=command)
    assert out.startswith("<-x><two words; touch pwned><FRX>")
    assert "z3.md:" in out
    assert "\x1b[1;31mzebra" in out
    assert "\x1b]8" not in out  # pagers may show links as text
    assert code == 0
    assert "warning: the pager" not in err
    assert not list(zoo.folder.rglob("pwned"))
    out, _, _ = on_terminal(zoo, "search", "zebra", PAGER=command, PINCITE_PAGER="")
    assert out.startswith("\x1b[1;32mon topic")
    out, _, _ = on_terminal(zoo, "search", "zebra", PAGER=command, LESS="-R")
    assert out.startswith("<-x><two words; touch pwned><-R>")


@pytest.mark.parametrize(
    "options", [("--no-pager",), ("-n", "1"), ("--json",), ("-f", "files"), ("-f", "md")]
)
def test_what_is_short_or_for_programs_is_not_paged(zoo: Cli, options: tuple[str, ...]) -> None:
    command = pager(zoo, "echo PAGED")
    assert "PAGED" not in on_terminal(zoo, "search", "zebra", *options, PINCITE_PAGER=command)[0]


def test_nothing_is_paged_painted_or_linked_in_a_pipe(zoo: Cli) -> None:
    out = zoo("search", "zebra", PINCITE_PAGER=pager(zoo, "echo PAGED"), TERM="xterm").stdout
    assert "PAGED" not in out
    assert "\x1b" not in out
    painted = zoo("search", "zebra", "--color", "always", TERM="xterm").stdout
    assert "\x1b[1;31mzebra" in painted
    assert "\x1b]8" not in painted


def test_colour_never_and_always_win_over_the_environment(zoo: Cli) -> None:
    assert "\x1b" not in on_terminal(zoo, "search", "zebra", "--color", "never", **PLAIN)[0]
    painted, _, _ = on_terminal(zoo, "search", "zebra", "--color", "always", NO_COLOR="1", **PLAIN)
    assert "\x1b[1;31mzebra" in painted
    assert "\x1b" not in on_terminal(zoo, "search", "zebra", TERM="dumb")[0]


def test_a_place_can_be_clicked_on_a_terminal(zoo: Cli) -> None:
    out, _, _ = on_terminal(zoo, "search", "zebra", "-n1", **PLAIN)
    assert f"{zoo.folder}/zoo/z" in out.split("\x1b]8;;file://")[1]


@pytest.mark.parametrize("body", ["exit 3", "head -c 10 >/dev/null", "kill -9 $$"])
def test_a_pager_that_ends_early_is_no_error(zoo: Cli, body: str) -> None:
    _, err, code = on_terminal(zoo, "search", "zebra", PINCITE_PAGER=pager(zoo, body))
    assert code == 0
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["/no/such/pager", "'unclosed", "/"])
def test_a_pager_that_cannot_be_started_is_named_and_done_without(zoo: Cli, command: str) -> None:
    out, err, code = on_terminal(zoo, "search", "zebra", PINCITE_PAGER=command)
    assert "warning: the pager" in err
    assert "z3.md:" in out
    assert code == 0


@pytest.mark.parametrize(
    ("environ", "pager", "colour", "links"),
    [
        ({"TERM": "xterm"}, "less", True, True),
        ({"TERM": "dumb"}, "", False, False),
        ({}, "", True, False),
        ({"TERM": "xterm", "PAGER": "more"}, "more", True, True),
        ({"TERM": "xterm", "PAGER": "cat"}, "", True, True),
        ({"TERM": "xterm", "PAGER": "more", "PINCITE_PAGER": ""}, "", True, True),
        ({"TERM": "xterm", "NO_COLOR": "1", "VTE_VERSION": "4200"}, "less", False, False),
        ({"TERM": "xterm", "VTE_VERSION": "7000"}, "less", True, True),
        ({"TERM": "xterm", "INSIDE_EMACS": "x"}, "less", True, False),
    ],
)
def test_the_environment_says_what_a_terminal_takes(
    environ: dict[str, str], pager: str, colour: bool, links: bool
) -> None:
    found = terminal_settings(environ)
    assert (found.pager, found.colour, found.links) == (pager, colour, links)


def test_bash_completes_commands_options_choices_and_names(zoo: Cli) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    zoo("search", "zebra")  # the daemon knows names
    folder = zoo.folder / "programs"
    folder.mkdir(exist_ok=True)
    (folder / "pincite").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m pincite.surfaces.cli.app "$@"\n'
    )
    (folder / "pincite").chmod(0o700)
    script = """
source <(pincite completion bash)
complete -p pincite
of() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _pincite_completion pincite
       echo "${COMPREPLY[*]}"; }
of pincite sea
of pincite search --no-p
of pincite search --kind ""
of pincite search --source ""
of pincite search --collection ma
"""
    environ = clean_environment()
    done = subprocess.run(
        [bash, "--norc", "--noprofile", "-c", script],
        cwd=zoo.folder,
        env=environ | {"PATH": f"{folder}:{environ['PATH']}", "PINCITE_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_S,
    )
    registered, *completed = done.stdout.splitlines()
    assert "_pincite_completion pincite" in registered
    assert completed == ["search", "--no-pager", "docs code data", "zoo", "main"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_their_script(cli: Cli, shell: str) -> None:
    assert f"_PINCITE_COMPLETE={shell}_complete" in cli("completion", shell).stdout


def test_a_shell_that_is_not_known_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    assert "'bash', 'zsh', 'fish'" in cli("completion", "tcsh", code=2).stderr
