"""Loads of the SDK what a server needs, and the rest when somebody asks for it.

Its packages ``mcp`` and ``mcp.server`` import all they have: the clients, the second, higher server, their HTTP libraries. That
is a seventh of the time that the SDK takes to start (measured: 120 of 900 ms), and this server uses none of it. So the two
packages stand here without their contents; their modules are imported as ever, and the first name that is asked of a package
loads it.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

__all__ = ["load_server_half"]


class _Package(ModuleType):
    """A package that runs its ``__init__`` when a name of it is first asked for."""

    def __init__(self, spec: ModuleSpec) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__file__ = spec.origin
        self.__package__ = spec.name
        self.__path__ = list(spec.submodule_search_locations or ())
        self._waiting = True

    def __getattr__(self, name: str) -> object:
        if not self._waiting or (name.startswith("__") and name != "__all__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self._waiting = False
        assert self.__spec__ is not None
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def load_server_half() -> None:
    """To be called before the SDK is imported; does nothing where it has been already.

    Raises:
        ModuleNotFoundError: there is no SDK.
    """
    if "mcp" in sys.modules:
        return
    for name in ("mcp", "mcp.server"):
        spec = find_spec(name)
        if spec is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        package = _Package(spec)
        sys.modules[name] = package
    # As the import of a submodule would do.
    sys.modules["mcp"].__dict__["server"] = sys.modules["mcp.server"]
