"""Summaries by a model: what it is asked, how much at a time, which of its answers are taken, and the head made of them.

Knows spans, messages and words; no provider. Any callable on messages is a model.
"""

from .calling import Summarizer, ask, model_name
from .closing import close_with_model, model_window, with_known_addresses, write_in_time
from .settings import TIMEOUT, SummarySettings, summary_settings
from .strategy import ByModel, by_model
from .transcript import spoken_messages
from .writing import Writer

__all__ = [
    "TIMEOUT",
    "ByModel",
    "Summarizer",
    "SummarySettings",
    "Writer",
    "ask",
    "by_model",
    "close_with_model",
    "model_name",
    "model_window",
    "spoken_messages",
    "summary_settings",
    "with_known_addresses",
    "write_in_time",
]
