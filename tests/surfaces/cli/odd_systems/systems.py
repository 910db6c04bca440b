"""Processes that lack what some systems lack: really lack it, as it is taken from Python itself
before anything of Pincite is imported."""

from __future__ import annotations

from pathlib import Path
from typing import Final

#: Modules that there are on Unix alone.
UNIX_ONLY: Final = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "syslog", "posix_ipc")

_TAKEN: Final = f"""
import asyncio, builtins, importlib, os, signal, socket, sys

try:
    import platformdirs  # which looks at the system by its name, and takes what that has
except ImportError:
    pass
assert "pincite" not in sys.modules
pair, family = socket.socketpair, socket.AF_UNIX  # event loops of this system need one
socket.socketpair = lambda *given: pair(family, socket.SOCK_STREAM)
del socket.AF_UNIX
for name in ("open_unix_connection", "start_unix_server"):
    delattr(asyncio, name)
if hasattr(socket, "SO_PEERCRED"):
    del socket.SO_PEERCRED
for name in (
    "fork forkpty posix_spawn posix_spawnp geteuid getuid getegid getgid chown killpg setsid nice"
    " pread pwrite sched_getaffinity sysconf sendfile SEEK_DATA SEEK_HOLE O_NOFOLLOW"
    " O_NONBLOCK O_CLOEXEC O_DIRECTORY EX_OK EX_SOFTWARE mkfifo sync"
).split():
    if hasattr(os, name):
        delattr(os, name)
del signal.SIGHUP

def no_handlers(self, number, act, *given):
    raise NotImplementedError

def no_readers(self, descriptor, act, *given):
    import stat
    if not stat.S_ISSOCK(os.fstat(descriptor if isinstance(descriptor, int)
                                  else descriptor.fileno()).st_mode):
        raise NotImplementedError
    return readers(self, descriptor, act, *given)

loop = asyncio.SelectorEventLoop
readers = loop.add_reader
loop.add_signal_handler = no_handlers
loop.add_reader = no_readers

# libraries look at the system by its name, and import what that has
def ours(names):
    return str((names or {{}}).get("__package__") or "").partition(".")[0] == "pincite"

def importing(name, names=None, *given, **more):
    if name in {UNIX_ONLY!r} and ours(names):
        raise ModuleNotFoundError(name)
    return imports(name, names, *given, **more)

def import_module(name, package=None):
    if name in {UNIX_ONLY!r} and ours(sys._getframe(1).f_globals):
        raise ModuleNotFoundError(name)
    return modules(name, package)

imports, modules = builtins.__import__, importlib.import_module
builtins.__import__, importlib.import_module = importing, import_module
"""


def poor_system(folder: Path) -> dict[str, str]:
    """Variables with which every Python that is started has no Unix sockets, no `flock`, no `fork`,
    no numbers of users, no signals in event loops and none of the modules that are for Unix."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(_TAKEN, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}
