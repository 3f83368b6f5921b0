"""What every test may ask for: the repository, the shared transcripts, and an environment free of this machine's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.prefix_net import prefix_net

# How long an example takes says more about the machine than about the code: time is measured by script/bench.
settings.register_profile("transom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("transom")

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def transcripts() -> Path:
    """The folder of real transcripts that lies beside the checkout; tests that need it are skipped where it does not."""
    folder = REPOSITORY / ".." / "shared" / "data" / "transcripts"
    if not folder.is_dir():
        pytest.skip(f"no real transcripts here: they are read from {Path('..') / 'shared' / 'data' / 'transcripts'}")
    return folder.resolve()


@pytest.fixture(autouse=True, scope="session")
def _no_settings_of_this_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings come from the test alone: no ``TRANSOM_*`` variable, and user directories that are empty."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("TRANSOM_")]:
            patch.delenv(name)
        if sys.platform.startswith("linux"):
            patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
            patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(autouse=True)
def _prefix_stands_still(request: pytest.FixtureRequest) -> Iterator[None]:
    """No compile of a test changes what its window has sent before; ``unstable_prefix`` leaves this net with a reason."""
    marker = request.node.get_closest_marker("unstable_prefix")
    if marker is not None:
        assert marker.args, "unstable_prefix needs its reason"
        assert str(marker.args[0]).strip(), "unstable_prefix needs its reason"
        yield
        return
    with prefix_net() as net:
        yield
    assert net.broken == [], "a prefix broke within its window"
