"""What a command logs: to stderr, secrets masked. Every command that sets up logging does it here."""

from __future__ import annotations

import logging
import sys

from ..safety.masking import Masking

__all__ = ["log_to_stderr", "mask_last_resort"]


def mask_last_resort() -> None:
    """Mask what is logged where no handler is set up."""
    if logging.lastResort is not None:
        logging.lastResort.addFilter(Masking())


def log_to_stderr(told: str | None = None) -> None:
    """Warnings and worse, for commands that run until they are stopped.

    Args:
        told: a logger of which everything is told that is worth knowing.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(Masking())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format="transom: %(message)s")
    if told is not None:
        logging.getLogger(told).setLevel(logging.INFO)
