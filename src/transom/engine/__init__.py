"""The engine part."""
