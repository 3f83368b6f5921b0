"""Context and memory: what left the window, what outlasts it, whose project it is. Thin tools over the engine's memory.

Three of them need a conversation (``new_context``, ``auto_summarize_context``, ``context_stats``): a face that holds one
registers ``Conversation`` among its caller's services and lists them.
"""

from __future__ import annotations

from ...tool import Family
from .opened import Conversation, Memories, memory_services
from .registry import manage_projects, switch_context
from .remembering import clear_context_memory, forget, recall, remember, search_context
from .summaries import (
    clear_session_index,
    get_session_summary,
    list_sessions,
    restore_session_context,
    save_session_summary,
    search_sessions,
)
from .windows import auto_summarize_context, context_stats, context_tool, new_context

__all__ = ["FAMILY", "Conversation", "Memories", "memory_services"]

FAMILY = Family(
    name="memory",
    title="Context and memory",
    tools=(
        context_tool,
        new_context,
        remember,
        recall,
        search_context,
        forget,
        auto_summarize_context,
        save_session_summary,
        get_session_summary,
        list_sessions,
        search_sessions,
        clear_session_index,
        restore_session_context,
        clear_context_memory,
        manage_projects,
        switch_context,
        context_stats,
    ),
)
