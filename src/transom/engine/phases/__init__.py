"""The steps of a compile, one module each. They alone see the compile's state; the order stands in ``pipeline``."""
