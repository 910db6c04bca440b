"""What a command has imported when it ends."""

from __future__ import annotations

import subprocess
import sys

from tests.environment import clean_environment
from tests.surfaces.conftest import Cli
from tests.time_limits import HANGS_S


def modules_of(cli: Cli, *arguments: str, **variables: str) -> list[str]:
    """What a command has imported when it ends."""
    code = (
        "import sys\nfrom pincite.surfaces.cli.app import main\n"
        f"sys.argv = ['pincite', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write('modules ' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"} | variables,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_S,
    )
    return done.stderr.rpartition("modules ")[2].split()
