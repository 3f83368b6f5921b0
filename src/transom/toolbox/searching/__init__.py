"""Searching files: by what is in them, with ripgrep or a process of our own, and by their names. No tool, and no words."""
