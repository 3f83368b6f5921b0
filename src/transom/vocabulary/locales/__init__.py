"""One file a language."""
