"""Print untrusted text on a terminal: characters that would control the terminal or hide text are
escaped.

Texts, headings, file names and error messages may contain any character. A terminal executes some
of them: they set its title, clear it, or move the cursor back over earlier output. `main` replaces
every standard stream that is a terminal by a `Screen`, so that all output is escaped, including
that of libraries and tracebacks.
"""

from __future__ import annotations

import io
import os
import re
import sys
from dataclasses import dataclass
from typing import IO, TextIO

#: The escaped characters: C0 without tab and newline (a CR before a newline stays as well), DEL,
#: C1, and characters that are invisible or reorder the line: soft hyphen, bidi marks, embeddings,
#: overrides and isolates, zero width space and no-break space, line and paragraph separators, the
#: deprecated format controls, interlinear annotations, tags, lone surrogates. The joiners U+200C
#: and U+200D stay: Persian, Indic scripts and emoji are written with them.
_CONTROLS = (
    r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    r"\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f"
)
_HIDDEN = re.compile(rf"[{_CONTROLS}]|\r(?!\n)")
_HIDDEN_IN_LINE = re.compile(rf"[{_CONTROLS}\t\n\r]")


#: Characters that stay unchanged in an address; every other byte becomes `%1B`.
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


@dataclass(frozen=True, slots=True)  # a search in a warm daemon imports no msgspec
class Painted:
    """Text with an optional colour and an optional address that a click opens, for terminals that
    support them. `code` is the number in `ESC [ code m`, empty for none."""

    text: str
    code: str = ""
    link: str = ""


def file_link(path: str, host: str = "") -> str:
    """Return the address of a file of this machine, without characters that a terminal would
    execute. The path is absolute."""
    raw = os.fsencode(path)
    return f"file://{host}" + "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in raw
    )


def sequences(part: Painted, *, colour: bool, links: bool) -> str:
    """Return the visible form of the text with our own sequences around it. An address with
    anything but printable ASCII is left out."""
    text = visible(part.text)
    if colour and part.code and text:
        text = f"\x1b[{part.code}m{text}\x1b[0m"
    if links and part.link.isascii() and part.link.isprintable() and part.link:
        text = f"\x1b]8;;{part.link}\x1b\\{text}\x1b]8;;\x1b\\"
    return text


def visible(text: str) -> str:
    r"""Return the text with every such character escaped, as `\x1b`, `\u202e` or `\U000e0041`."""
    return _HIDDEN.sub(_escaped, text)


def visible_passage(text: str) -> str:
    r"""Return `visible` for a passage, with "\n" in place of "\r\n". A byte order mark at its
    beginning is left out, because it only says how the file is encoded."""
    return visible(text.removeprefix("\ufeff").replace("\r\n", "\n"))


def one_line(text: str) -> str:
    r"""Return `visible` for a name: tab, CR and newline are escaped as well, as `\x0a`, so that one
    name never looks like two."""
    return _HIDDEN_IN_LINE.sub(_escaped, text)


def hidden_in(text: str) -> str:
    """Return the first character that `one_line` would escape, as `U+202E`; "" if there is none. A
    name that has one is refused: it would look like another name."""
    found = _HIDDEN_IN_LINE.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""


def without_hidden(text: str, instead: str) -> str:
    """Return the text with `instead` for each character that `one_line` would escape."""
    return _HIDDEN_IN_LINE.sub(instead, text)


def visible_json(text: str) -> str:
    r"""Return JSON of the same meaning, with every such character escaped, as `\u202e`."""
    return _HIDDEN.sub(_escaped_json, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class Screen(io.TextIOBase):
    """A text stream to a terminal. `write` escapes, `control` does not."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        stream.reconfigure(errors="backslashreplace")  # for characters that the locale cannot write
        self._stream = stream

    @property
    def buffer(self) -> IO[bytes]:
        """Return the byte stream below, for protocols that no person reads."""
        return self._stream.buffer  # type: ignore[return-value]

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Return the encoding of the terminal."""
        return self._stream.encoding

    def write(self, text: str, /) -> int:
        """Write the visible form. Return the length of the given text."""
        self._stream.write(visible(text))
        return len(text)

    def control(self, sequence: str) -> None:
        """Write a control sequence, such as a colour, without escaping."""
        self._stream.write(sequence)

    def flush(self) -> None:
        """Flush the terminal."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Return True."""
        return True

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the terminal."""
        return self._stream.fileno()


def guard_streams() -> None:
    """Prepare the standard streams. Terminals for output become a `Screen`. Pipes and files are
    UTF-8, whatever the locale: JSON has to be, and indexed text is. A stream that was closed before
    the start of the program has no input, or discards its output."""
    for name in ("stdin", "stdout", "stderr"):  # in the order of their numbers, the next free ones
        stream = getattr(sys, name)
        if stream is None:
            mode, flags = ("r", os.O_RDONLY) if name == "stdin" else ("w", os.O_WRONLY)
            nowhere = os.open(os.devnull, flags)
            setattr(sys, name, open(nowhere, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        elif not isinstance(stream, io.TextIOWrapper):
            continue  # a test has replaced it
        elif not stream.isatty():
            errors = "replace" if name == "stdin" else "backslashreplace"
            if (stream.encoding, stream.errors) != ("utf-8", errors):
                stream.reconfigure(encoding="utf-8", errors=errors)
        elif name != "stdin":
            setattr(sys, name, Screen(stream))


def control(stream: TextIO | Screen, sequence: str) -> None:
    """Send a control sequence of our own without the escaping of a `Screen`."""
    if isinstance(stream, Screen):
        stream.control(sequence)
    else:
        stream.write(sequence)
