"""A process that confines itself and then becomes the program it was asked to run: Landlock, seccomp, limits.

Loaded on its own by a bare interpreter (``python -I -S``), not as a part of the library: it imports nothing but ``ctypes`` and
what is built in, because its start stands in front of every command.
"""

__all__ = ["MARK", "NOT_CONFINED"]

MARK = "transom jail: "
"""Begins the line it writes when it could not confine itself."""
NOT_CONFINED = 125
"""The status it then ends with."""
