"""Pictures of the terminal for the documentation, made from what the commands really print.

    python docs/images/make_terminal.py FOLDER "QUESTION"

FOLDER has an index. The commands run in a terminal of their own (`pexpect`), whose screen is kept
by `pyte` and drawn by `rich`, all three of the development dependencies. `search.svg` is a search,
`live.svg` the live view after the question was typed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import pexpect
import pyte
from rich.console import Console
from rich.style import Style
from rich.text import Text

_HERE = Path(__file__).parent
_SIZE = (34, 96)
_WAIT_S = 20.0
_LOOK_S = 0.5
#: A font that every machine has; the usual one would be fetched from the network.
_FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" \
xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; \
line-height: {line_height}px }} {styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" \
height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}<g transform="translate({terminal_x}, {terminal_y})" \
clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g>
</g></svg>
"""


def screen_of(
    folder: Path, arguments: Sequence[str], keys: Sequence[str], wanted: str
) -> pyte.Screen:
    """The screen once it shows `wanted`, after the keys were typed."""
    screen = pyte.Screen(_SIZE[1], _SIZE[0])
    stream = pyte.ByteStream(screen)
    environ = os.environ | {"TERM": "xterm-256color", "PINCITE_PAGER": "cat"}
    child = pexpect.spawn(
        sys.executable,
        ["-m", "pincite.surfaces.cli.app", *arguments],
        cwd=str(folder),
        env=environ,
        dimensions=_SIZE,
    )
    pending = list(keys)
    until_s = time.monotonic() + _WAIT_S
    while time.monotonic() < until_s:
        try:
            stream.feed(child.read_nonblocking(65_536, timeout=_LOOK_S))
        except pexpect.TIMEOUT:
            if pending:
                child.send(pending.pop(0))
            elif wanted in "\n".join(screen.display):
                break
        except pexpect.EOF:
            break
    child.close(force=True)
    return screen


def draw(screen: pyte.Screen, title: str, path: Path) -> None:
    """Write the screen as SVG, without the empty lines at its end."""
    rows = [screen.buffer[number] for number in range(screen.lines)]
    texts = [_line(row, screen.columns) for row in rows]
    while texts and not texts[-1].plain.strip():
        texts.pop()
    console = Console(record=True, width=screen.columns, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    for text in texts:
        console.print(text, no_wrap=True, overflow="crop")
    console.save_svg(str(path), title=title, code_format=_FORMAT, unique_id="t")


def _line(row: dict[int, pyte.screens.Char], columns: int) -> Text:
    text = Text()
    cells = [row[column] for column in range(columns)]
    for style, same in groupby(cells, _style):
        text.append("".join(cell.data for cell in same), style)
    text.rstrip()
    return text


def _style(cell: pyte.screens.Char) -> Style:
    return Style(
        color=_colour(cell.fg), bgcolor=_colour(cell.bg), bold=cell.bold, reverse=cell.reverse
    )


def _colour(name: str) -> str | None:
    """A colour of `pyte` by the name that it has with `rich`."""
    if name == "default":
        return None
    plain = name.replace("brown", "yellow")
    return plain.replace("bright", "bright_") if plain.startswith("bright") else plain


def main(folder: str, question: str) -> None:
    """Draw both pictures."""
    place = Path(folder)
    found = screen_of(place, ["search", question, "-n", "2"], [], "[2]")
    draw(found, f'pincite search "{question}" -n 2', _HERE / "search.svg")
    live = screen_of(place, ["search"], [question, "\x1b[B"], "[2]")
    draw(live, "pincite search", _HERE / "live.svg")


if __name__ == "__main__":
    main(*sys.argv[1:])
