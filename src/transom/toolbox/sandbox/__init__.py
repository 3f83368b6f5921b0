"""Where programs run: one runner that always comes back, and the confinements of this machine around it."""

from __future__ import annotations

from .environment import child_environment, interpreter
from .output import Output
from .process import Ended, Limits, run_process
from .sandbox import Description, Run, Sandbox

__all__ = ["Description", "Ended", "Limits", "Output", "Run", "Sandbox", "child_environment", "interpreter", "run_process"]
