"""English. See ``vocabulary.digesting``."""

from __future__ import annotations

from ...digesting import DigestWords

__all__ = ["DIGESTING"]

DIGESTING = DigestWords()
