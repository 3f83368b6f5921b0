"""Calling a model: the client, the summarizer, and what a host says of its windows.

Speaks JSON over HTTP with the standard library alone. Knows messages, the wire and errors; nothing of contexts, which only see
that a summarizer can be called.
"""

from .client import Client, Limits
from .summarizer import ChatModel, Completion
from .windows import learn_window

__all__ = ["ChatModel", "Client", "Completion", "Limits", "learn_window"]
