"""What may be done: verdicts without effects.

Each module judges one kind of thing (a path, a command, a pattern, a text with secrets) and answers a ``Verdict``. Nothing here
reads a file, resolves a name or runs a program, and nothing is worded: a verdict names its rule, ``vocabulary.refusing`` has
the words. A pattern explains a refusal early; what really stops a program is the sandbox.
"""

from .verdict import ALLOWED, Verdict, refuse

__all__ = ["ALLOWED", "Verdict", "refuse"]
