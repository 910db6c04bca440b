"""Open the user's editor at a line."""

from __future__ import annotations

import shlex
from pathlib import PurePath

from pincite.errors import UsageError

_HINT = "export EDITOR=nano, for example"
#: Editors by their syntax for a line number. All others get only the path of the file.
_PLUS = frozenset(
    "ed ee elvis emacs emacsclient ex gedit gvim jed joe jmacs kak lime mg micro mvim nano ne"
    " nvim pico pluma vi view vim vis xed".split()
)
_COLON = frozenset("hx helix subl sublime_text zed zeditor atom lapce".split())
_GOTO = frozenset("code code-insiders codium vscodium cursor windsurf positron".split())
_LINE = frozenset("idea pycharm webstorm goland clion phpstorm rubymine rider charm".split())
_DASH_L = frozenset("kate kwrite mate".split())


def editor_words(command: str, path: str, line: int) -> list[str]:
    """Return the program and arguments that open an absolute path at a line. `command` is split
    into words as by a shell, but no shell runs it. Raises UsageError."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"cannot parse the editor command {command!r}: {error}", hint=_HINT
        ) from error
    if not words:
        raise UsageError("no editor is set", hint=_HINT)
    if not path.startswith("/"):
        raise UsageError(f"{path!r} is not an absolute path")
    name, at = PurePath(words[0]).name.lower(), max(1, line)
    if name in _PLUS:
        return [*words, f"+{at}", path]
    if name in _COLON:
        return [*words, f"{path}:{at}"]
    if name in _GOTO:
        return [*words, "-g", f"{path}:{at}"]
    if name in _LINE:
        return [*words, "--line", str(at), path]
    if name in _DASH_L:
        return [*words, "-l", str(at), path]
    return [*words, path]
