"""The observe part."""
