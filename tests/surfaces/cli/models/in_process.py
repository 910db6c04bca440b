"""The command line in this process, with keys of providers."""

from __future__ import annotations

import contextlib
import io
import os
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import pytest

from pincite.surfaces.cli.app import main
from tests.environment import clean_environment
from tests.surfaces.conftest import KEY, Cli

KEYS = {"VOYAGE_API_KEY": KEY, "OPENAI_API_KEY": KEY, "CO_API_KEY": KEY}


def run(cli: Cli, *arguments: str, code: int = 0, **more: str) -> str:
    """Standard output of the command, run in this process; the key shows nowhere in it."""
    variables = {
        **clean_environment(),
        "PINCITE_IDLE_S": "60",
        "PINCITE_OFFLINE": "1",
        "PINCITE_CACHE": str(cli.folder / "cache.db"),
        **KEYS,
        **more,
    }
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, variables, clear=True),
        mock.patch("sys.argv", ["pincite", *arguments]),
        contextlib.chdir(cli.folder),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as caught,
    ):
        main()
    assert KEY not in out.getvalue() + err.getvalue()
    assert caught.value.code == code, err.getvalue()
    SAID[:] = [err.getvalue()]
    return out.getvalue()


SAID: list[str] = []


def said() -> str:
    """What the last command wrote to standard error."""
    return SAID[0]
