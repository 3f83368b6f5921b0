"""The one line model on bytes, and every edit made with it: pure, exact, without files. See ``document`` and ``lines``."""
