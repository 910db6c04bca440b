"""What all tests share: files of their own where a user's would be."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from pincite.providers.bundled.cache import default_root
from pincite.support.capabilities import FORK
from pincite.testing.contract_server import ContractServer
from tests.forked_daemons import fork_daemons, start_daemons

# A job in the background of a script ignores SIGINT, and so do the processes that it starts: no
# test could interrupt one.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no failure.
hypothesis_settings.register_profile(
    "busy", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("busy")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Modules and tests stay to the end, so no collection of garbage need look at them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _files_of_a_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Cached vectors and rates of this process and of those that it starts, so that neither the
    user's nor those of tests beside this one change an outcome. Models are shared: they are
    fetched once and never change."""
    models = default_root()
    models.mkdir(parents=True, exist_ok=True)
    home = tmp_path_factory.mktemp("user")
    (home / "cache" / "pincite").mkdir(parents=True)
    (home / "cache" / "pincite" / "models").symlink_to(models)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("XDG_DATA_HOME", str(home / "data"))
        patch.setenv("PINCITE_TRUST", "1")  # files of tests are theirs; tests of trust say so
        patch.setenv(
            "PINCITE_REFRESH", "manual"
        )  # nothing is indexed behind a test that edits files
        yield


@pytest.fixture(scope="session", autouse=True)
def _forked_daemons() -> Iterator[None]:
    """Daemons need not be started as their users start them, except in tests of just that."""
    if FORK:
        fork_daemons()
    yield
    start_daemons()


@pytest.fixture
def server() -> Iterator[ContractServer]:
    """Models as their vendors serve them, on loopback. It takes any key, and has been asked
    nothing yet."""
    with ContractServer() as running:
        yield running
