"""Summaries by a model: what it is asked, how much at a time, which of its answers are taken, and the head made of them.

Knows spans, messages and words; no provider. Any callable on messages is a model.
"""

from .calling import Summarizer, model_name
from .closing import close_with_model
from .settings import TIMEOUT, SummarySettings, summary_settings

__all__ = ["TIMEOUT", "Summarizer", "SummarySettings", "close_with_model", "model_name", "summary_settings"]
