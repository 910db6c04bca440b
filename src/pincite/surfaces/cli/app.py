"""`pincite`: results on stdout, everything else on stderr.

Exit codes: 0 found or done, 1 error, 2 wrong usage, 3 nothing relevant or a check that failed,
4 there is evidence and the language model failed, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, NoReturn

import click

from pincite.errors import PinciteError, UsageError
from pincite.support.processes.gc_tuning import rarely_collect
from pincite.support.processes.leaving import run_and_leave
from pincite.support.terminal import guard_streams
from pincite.surfaces.cli.ahead import start_ahead
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.named_index import for_named_index
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.run import ERROR, INTERRUPTED, OK, USAGE
from pincite.version import VERSION

#: The commands in the order of `--help`, the ones for newcomers first.
SECTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "First steps": ("init", "index", "search", "ask", "chat", "verify", "status", "ui"),
        "Finding and reading": ("evidence", "context", "explain", "get", "multi-get", "ls"),
        "Collections": ("collections", "describe", "watch", "reembed", "push", "pull", "stop"),
        "Records": ("import", "delete"),
        "Agents and servers": ("mcp", "serve", "worker", "workspace"),
        "Models": ("models", "doctor", "embed", "rerank", "cache"),
        "Memory": ("memory", "conversations"),
        "Quality": ("eval", "replay"),
        "Settings": ("config", "presets", "trust", "schema", "completion"),
    }
)


#: By module of this package: the names of its commands.
_COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ask": "ask",
        "chat": "chat",
        "citations": "get verify",
        "collection_group": "collections",
        "completion": "completion",
        "config": "config presets",
        "context": "context",
        "describe": "describe",
        "eval.run": "eval",
        "files": "ls multi-get",
        "index": "index",
        "init": "init trust",
        "mcp": "mcp",
        "memory": "memory conversations",
        "models": "models",
        "providers": "cache doctor embed",
        "records": "import delete",
        "reembed": "reembed",
        "replay": "replay",
        "rerank": "rerank",
        "schema": "schema",
        "search": "search evidence explain",
        "serve": "serve worker",
        "status": "status stop",
        "store": "push pull",
        "ui": "ui",
        "watch": "watch",
        "workspace.group": "workspace",
    }
)
_MODULE_OF: Final = {name: module for module, names in _COMMANDS.items() for name in names.split()}
#: By command: its name in the module, if it is not the same.
_NAMED: Final = {"eval": "evaluate", "import": "import_", "multi-get": "multi_get"}

#: Commands that store a part of their results at a time.
_STORING: Final = frozenset(
    (
        *("index", "import", "delete", "describe", "reembed", "push", "pull"),
        *("collections drop", "collections forget", "collections rebuild", "models fetch"),
        *("eval gen", "eval label", "eval sweep"),
    )
)


class Commands(Group):
    """A group that imports the module of a command at its first use. To import all takes a tenth of
    a second."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name. If there is none, all are imported, because the error
        suggests similar names."""
        for name in (cmd_name,) if self._has(cmd_name) else _MODULE_OF:
            if name not in self.commands:
                module = import_module(f"pincite.surfaces.cli.{_MODULE_OF[name]}")
                self.add_command(getattr(module, _NAMED.get(name, name)), name)
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Hints of its errors name the index folder that it was given."""
        try:
            return super().invoke(ctx)
        except PinciteError as error:
            for_named_index(error)
            raise

    def _has(self, name: str) -> bool:
        return name in self.commands or name in _MODULE_OF

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*super().list_commands(ctx), *_MODULE_OF})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of commands for each section."""
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(self.summaries(ctx, section))


@click.group(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(VERSION, message="pincite %(version)s")
def app() -> None:
    """Search documentation and code. Every result cites exact lines of an exact revision."""


def program() -> NoReturn:
    """Run the console script, and end the process."""
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        _restart_in_utf8()
    run_and_leave(main)


def _restart_in_utf8() -> NoReturn:
    """Start this program again in the UTF-8 mode of Python (PEP 540), which cannot be chosen later:
    a locale that is not UTF-8 would change the names of files. Terminals keep their encoding.
    Arguments that are no UTF-8 are in that encoding."""
    given = [os.fsencode(one) for one in sys.orig_argv[1:]]
    for place, one in enumerate(sys.orig_argv[1:]):
        try:
            given[place].decode("utf-8")
        except UnicodeDecodeError:
            given[place] = one.encode("utf-8", "surrogateescape")
    os.environ.setdefault("PYTHONIOENCODING", sys.getfilesystemencoding())
    python = os.fsencode(sys.executable)
    os.execv(python, [python, b"-X", b"utf8", *given])


def main() -> None:
    """Run a command. Raises SystemExit with its exit code."""
    # One small matrix product needs no threads, and starting them doubles numpy's import time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    guard_streams()
    start_ahead(sys.argv[1:], os.environ)
    rarely_collect()
    code = OK
    with suppress(BrokenPipeError):  # the reader has closed the pipe
        code = _run()
    sys.exit(_written(code) or OK)


def _run() -> int:
    """Run the command, print its errors, and return its exit code."""
    stdout = sys.stdout
    try:
        code: int = app(standalone_mode=False, prog_name="pincite")
    except click.ClickException as error:
        with suppress(OSError):
            error.show(file=sys.stderr)
        if isinstance(error, click.NoSuchOption):
            _tell_of_dashes(error.ctx)
        return error.exit_code
    except PinciteError as error:
        _complain(f"error: {error}")
        return USAGE if isinstance(error, UsageError) else ERROR
    except (KeyboardInterrupt, click.Abort) as error:
        worked = isinstance(error, KeyboardInterrupt) or error.__cause__ is not None
        kept = "; all that is stored by now is kept: run the same command again to continue"
        _complain(f"interrupted{kept if worked and _stores(sys.argv[1:]) else ''}")
        return INTERRUPTED
    except BrokenPipeError:
        return OK
    except OSError as error:  # a failing disk, or a file that was removed meanwhile
        return _failed(error)
    except SystemExit:
        if sys.stdout is stdout:
            raise
        return OK  # click replaces stdout if the reader of a pipe has closed it
    return code or OK


def _stores(arguments: Sequence[str]) -> bool:
    return not _STORING.isdisjoint((" ".join(arguments[:1]), " ".join(arguments[:2])))


def _tell_of_dashes(ctx: click.Context | None) -> None:
    """Print how to write words that begin with a dash, if the command takes words."""
    if ctx and any(isinstance(one, click.Argument) for one in ctx.command.params):
        _complain(f"  try: for words that begin with a dash: {ctx.command_path} -- -WORD")


def _failed(error: OSError) -> int:
    at = f": {error.filename}" if error.filename else ""
    _complain(f"error: {error.strerror or error}{at}")
    return ERROR


def _complain(message: str) -> None:
    """Print a message on stderr. If that fails, the exit code does not change."""
    with suppress(OSError):
        say(message)


def _written(code: int) -> int:
    """Flush all output, and return the exit code, with errors of writing: Python's own flush at
    exit would not report them."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if code == OK and not isinstance(error, BrokenPipeError):
                code = _failed(error)
    return code


if __name__ == "__main__":
    program()
