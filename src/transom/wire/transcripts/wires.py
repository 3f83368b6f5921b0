"""The wire formats whose elements the readers hand their messages to. Stateless values, nothing else."""

from __future__ import annotations

from ..anthropic import Anthropic
from ..gemini import Gemini
from ..openai_chat import OpenAIChat
from ..openai_responses import OpenAIResponses

__all__ = ["ANTHROPIC", "CHAT", "GEMINI", "RESPONSES"]

ANTHROPIC = Anthropic()
CHAT = OpenAIChat()
GEMINI = Gemini()
RESPONSES = OpenAIResponses()
