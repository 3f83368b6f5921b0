"""The tools, one file or package a family, strangers to each other. Each offers ``FAMILY``; ``catalog`` has the list."""
