"""Transom: a context engine for language-model agents."""
