"""The vocabulary part."""
