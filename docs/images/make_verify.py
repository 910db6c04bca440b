"""The picture of the README: a citation is `fresh`, its file is edited, the citation is `changed`.

    python docs/images/make_verify.py

Builds a small git repository in a temporary folder, runs the commands in bash on a terminal of
their own, and draws the screen as `verify.svg`. Every line of output is what the command printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pexpect
import pyte
from make_terminal import draw

_HERE = Path(__file__).parent
_SIZE = (30, 132)
_WAIT_S = 120
_PROMPT = "$ "
_FILES = {
    "docs/tokens.md": (
        "# Access tokens\n\n## Lifetime\n\n"
        "An access token is valid for 15 minutes. A refresh token is valid for 30 days.\n"
    ),
    "docs/limits.md": (
        "# Rate limits\n\nA client may send 100 requests per minute. More get status 429.\n"
    ),
}
_COMMANDS = (
    "pincite index . 2>/dev/null",
    'pincite search "how many minutes is an access token valid" -n 1',
    'pincite search "how many minutes is an access token valid" -n 1 --json > ../pack.json',
    "pincite verify ../pack.json",
    "sed -i 's/15 minutes/5 minutes/' docs/tokens.md",
    "pincite verify ../pack.json",
    "echo $?",
)


def repository(folder: Path) -> None:
    """Write the files and commit them under a fixed date, which makes the commit the same."""
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    date = "2026-01-01T00:00:00Z"
    environ = os.environ | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    identity = ["-c", "user.name=docs", "-c", "user.email=docs@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "Tokens"]):
        subprocess.run(["git", *arguments], cwd=folder, env=environ, check=True)


def screen_after(folder: Path) -> pyte.Screen:
    """The screen after all commands."""
    screen = pyte.Screen(_SIZE[1], _SIZE[0])
    stream = pyte.ByteStream(screen)
    environ = os.environ | {
        "TERM": "xterm-256color",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PINCITE_PAGER": "cat",
        "PINCITE_REFRESH": "manual",
        "PINCITE_LOG": "0",
        "PS1": _PROMPT,
        "INPUTRC": "/dev/null",
        "BASH_SILENCE_DEPRECATION_WARNING": "1",
    }
    child = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile", "--noediting"],
        cwd=str(folder),
        env=environ,
        dimensions=_SIZE,
        timeout=_WAIT_S,
    )
    for command in (*_COMMANDS, None):
        child.expect_exact(_PROMPT)
        stream.feed(child.before)
        if command is not None:
            stream.feed(b"\x1b[32m$\x1b[0m ")
            child.sendline(command)
    child.close(force=True)
    return screen


def main() -> None:
    """Draw the picture."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "shop"
        folder.mkdir()
        repository(folder)
        screen = screen_after(folder)
        subprocess.run([sys.executable, "-m", "pincite.surfaces.cli.app", "stop"], cwd=folder)
    draw(screen, "pincite verify", _HERE / "verify.svg")


if __name__ == "__main__":
    main()
