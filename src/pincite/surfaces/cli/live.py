"""`pincite search` without a question: show results while the user types, on the full screen of the
terminal."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from pincite.errors import PinciteError
from pincite.model import Evidence, EvidencePack
from pincite.model.prompt import unsearched
from pincite.support.terminal import Painted, one_line
from pincite.surfaces.cli.editor import editor_words
from pincite.surfaces.cli.latest import Latest
from pincite.surfaces.text.highlight import Highlighter
from pincite.surfaces.text.parts import asides, verdict_words
from pincite.surfaces.text.table import Look, body, file_of, grouped, heading

_PAUSE_S = 0.12  # between two keys while typing; guess, unmeasured
_ESCAPE_S = 0.05  # after Esc, for the rest of a key's sequence
_KEYS = " ↑↓ choose   Enter open in the editor   Esc leave"
_STYLES = {
    "1": "bold",
    "2": "class:dim",
    "32": "ansigreen",
    "33": "ansiyellow",
    "35": "ansimagenta",
    "1;31": "bold ansired",
    "1;32": "bold ansigreen",
    "1;33": "bold ansiyellow",
}
_STYLE = Style.from_dict(
    {"dim": "ansibrightblack", "chosen": "reverse", "keys": "reverse", "error": "ansired"}
)


@dataclass(frozen=True, slots=True)
class ShownPack:
    """A pack, and the options to show it."""

    pack: EvidencePack
    look: Look


class LiveView:
    """An input line, the results, and the text of the selected one."""

    def __init__(
        self,
        search: Callable[[str], Awaitable[ShownPack]],
        editor: str,
        *,
        stdin: Input | None = None,
        stdout: Output | None = None,
        colour: bool = True,
        pause_s: float = _PAUSE_S,
    ) -> None:
        """Prepare the view. `search` returns the results for a text or raises a PinciteError,
        `editor` is a command line. `stdin` and `stdout` default to the terminal."""
        self._latest = Latest(search, self._take, pause_s)
        self._editor = editor
        self._found: ShownPack | None = None
        self._results: list[Evidence] = []
        self._chosen = 0
        self._message = ""
        self._failed = False
        self._highlighter = Highlighter("")
        self._question = Buffer(multiline=False, on_text_changed=self._typed)
        self.application: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._bindings(),
            style=_STYLE,
            full_screen=True,
            mouse_support=False,
            input=stdin,
            output=stdout,
            color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
        )
        self.application.ttimeoutlen = _ESCAPE_S
        self.application.timeoutlen = _ESCAPE_S

    async def run(self) -> None:
        """Run until the user leaves."""
        searching = asyncio.create_task(self._latest.run())
        try:
            await self.application.run_async()
        finally:
            searching.cancel()
            with suppress(asyncio.CancelledError):
                await searching

    @property
    def chosen(self) -> Evidence | None:
        """Return the result that Enter opens."""
        return self._results[self._chosen] if self._results else None

    def _layout(self) -> Layout:
        prompt = Window(FormattedTextControl("> "), width=2, style="bold")
        question = Window(BufferControl(self._question), height=1)
        results = Window(
            FormattedTextControl(self._list, get_cursor_position=self._cursor, show_cursor=False),
            height=self._list_height,
        )
        preview = Window(FormattedTextControl(self._preview), wrap_lines=False)
        rows = [
            VSplit([prompt, question], height=1),
            Window(FormattedTextControl(self._status), height=1),
            results,
            Window(height=1, char="─", style="class:dim"),
            preview,
            Window(FormattedTextControl(_KEYS), height=1, style="class:keys"),
        ]
        return Layout(HSplit(rows), focused_element=question)

    def _list_height(self) -> Dimension:
        rows = self.application.output.get_size().rows
        return Dimension.exact(max(1, min(len(self._results), rows // 3)))

    def _cursor(self) -> Point:
        return Point(0, self._chosen)

    def _columns(self) -> int:
        return self.application.output.get_size().columns

    def _status(self) -> StyleAndTextTuples:
        if self._message:
            return [("class:error" if self._failed else "class:dim", self._message)]
        if self._found is None:
            return [("class:dim", "Type a question, or the name of a function.")]
        pack = self._found.pack
        words, _ = verdict_words(pack)
        said = "; ".join(one_line(aside) for aside in (unsearched(pack), *asides(pack)) if aside)
        count = len(pack.evidence)
        more = f", {count} result{'' if count == 1 else 's'}" if count else ""
        below = ", below the bar are only the nearest" if pack.closest and not count else ""
        told = f"{more}{below}{f'; {said}' if said else ''}"
        return [("bold", words), ("class:dim", told)]

    def _list(self) -> StyleAndTextTuples:
        shown: StyleAndTextTuples = []
        for n, item in enumerate(self._results):
            parts = tuple(heading(item, self._look))
            if n == self._chosen:
                text = "".join(one.text if isinstance(one, Painted) else one for one in parts)
                shown.append(("class:chosen", text[: self._columns()].ljust(self._columns())))
            else:
                shown += _fragments(parts)
            shown.append(("", "\n"))
        return shown[:-1]

    def _preview(self) -> StyleAndTextTuples:
        if self.chosen is None:
            return []
        parts = tuple(body(self.chosen, self._look, self._highlighter))
        shown = _fragments(parts)
        return [(shown[0][0], shown[0][1].removeprefix("\n")), *shown[1:]] if shown else []

    @property
    def _look(self) -> Look:
        found = self._found
        return found.look if found else Look()

    def _typed(self, _: Buffer) -> None:
        self._latest.ask(self._question.text)

    def _take(self, text: str, found: ShownPack | PinciteError | None) -> None:
        """Show a result or an error."""
        self._failed, self._message = False, ""
        if isinstance(found, PinciteError):
            self._failed, self._message = True, one_line(str(found).replace("\n", " "))
            found = None
        self._found, self._chosen = found, 0
        self._results = []
        if found is not None:
            shown = found.pack.evidence or found.pack.closest
            self._results = [item for group in grouped(shown) for item in group]
            self._highlighter = Highlighter(text, found.look.languages)
        self.application.invalidate()

    def _bindings(self) -> KeyBindings:
        keys = KeyBindings()

        def move(steps: int) -> Callable[[KeyPressEvent], None]:
            def moved(_: KeyPressEvent) -> None:
                last = max(0, len(self._results) - 1)
                self._chosen = min(max(0, self._chosen + steps), last)

            return moved

        for names, steps in (
            (("up", "c-p", "s-tab"), -1),
            (("down", "c-n", "tab"), 1),
            (("pageup",), -10),
            (("pagedown",), 10),
        ):
            for name in names:
                keys.add(name)(move(steps))

        @keys.add("escape", eager=False)
        @keys.add("c-c")
        @keys.add("c-d")
        def _leave(event: KeyPressEvent) -> None:
            event.app.exit()

        @keys.add("enter")
        async def _open(_: KeyPressEvent) -> None:
            await self._edit()

        return keys

    async def _edit(self) -> None:
        """Open the selected result in the editor; the view returns when the editor ends."""
        item = self.chosen
        if item is None:
            return
        path = file_of(item, self._look.roots)
        if not path:
            self._failed, self._message = True, one_line(f"no file here matches {item.citation}")
            return

        if item.page is not None:
            where = f"{item.page_unit} {item.page} of {path}"
            self._failed, self._message = True, one_line(f"text editors cannot open this: {where}")
            return

        def edited() -> None:
            try:
                subprocess.run(editor_words(self._editor, path, item.start_line), check=False)
            except PinciteError as error:
                self._failed, self._message = True, one_line(str(error).replace("\n", " "))
            except OSError as error:
                why = error.strerror or str(error)
                said = f"the editor {self._editor!r} cannot be started: {why}"
                self._failed, self._message = True, one_line(said)

        await run_in_terminal(edited, in_executor=True)


def _fragments(parts: tuple[str | Painted, ...]) -> StyleAndTextTuples:
    return [
        (_STYLES.get(part.code, ""), part.text) if isinstance(part, Painted) else ("", part)
        for part in parts
    ]
