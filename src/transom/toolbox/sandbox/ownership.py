"""Whether a file that tells what to do next time can have been written by nobody else. Knows statuses only."""

from __future__ import annotations

import os
import stat

__all__ = ["is_ours"]


def is_ours(status: os.stat_result) -> bool:
    """Whether it is a plain file that nobody but this user may write."""
    if not stat.S_ISREG(status.st_mode):
        return False
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)
