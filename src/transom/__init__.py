"""Transom: a context engine for language-model agents.

It fits any conversation into any window and loses nothing: what leaves is stored first and can be had back byte for byte.

The names below are imported when they are first asked for, so that ``import transom`` and the command line start in no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .engine.context import Context
    from .engine.memory.hooks import MemorySettings
    from .engine.memory.managing import manage_projects
    from .engine.memory.projects import Projects
    from .engine.memory.sessions import Sessions
    from .engine.memory.switching import open_memory, switch_context
    from .engine.offload.payloads import PruneSettings
    from .engine.overflow.durable import CompactionSettings, compact_history, plan_compaction, summarize_history
    from .engine.overflow.guard import guard
    from .engine.overflow.handoff import Handoff
    from .engine.overflow.strategies import anchored, background, chain, clear, digest, reset, server, summarize
    from .engine.payload import Payload
    from .engine.placement.labels import Labels
    from .engine.placement.temporal import Temporal
    from .engine.pool import ContextPool
    from .engine.retrieval.answering import Retrieval
    from .engine.retrieval.recall import Recall
    from .engine.selection.minification import minify
    from .engine.selection.ranking import search_tools
    from .engine.selection.registry import Registered, Toolkit, ToolNamespace
    from .engine.skills.library import SkillLibrary
    from .engine.skills.parsing import parse_skill, render_skill
    from .engine.skills.skill import Skill
    from .engine.snapshot import Snapshot
    from .errors import TransomError
    from .messages import Call, Message, Result, Text, Tool
    from .store.backends.filesystem import FilesystemBackend
    from .store.backends.memory import MemoryBackend
    from .store.backends.sqlite import SQLiteBackend
    from .store.store import Store
    from .upstream import ChatModel
    from .wire.schemas import convert_tools, restore_arguments
else:

    def __getattr__(name: str) -> object:
        for module, names in _HOMES:
            if name in names:
                value = getattr(import_module(module, __name__), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


_HOMES = (
    (".engine.context", ("Context",)),
    (".engine.memory.hooks", ("MemorySettings",)),
    (".engine.memory.managing", ("manage_projects",)),
    (".engine.memory.projects", ("Projects",)),
    (".engine.memory.sessions", ("Sessions",)),
    (".engine.memory.switching", ("open_memory", "switch_context")),
    (".upstream", ("ChatModel",)),
    (".engine.offload.payloads", ("PruneSettings",)),
    (".engine.overflow.durable", ("CompactionSettings", "compact_history", "plan_compaction", "summarize_history")),
    (".engine.overflow.guard", ("guard",)),
    (".engine.overflow.handoff", ("Handoff",)),
    (".engine.overflow.strategies", ("anchored", "background", "chain", "clear", "digest", "reset", "server", "summarize")),
    (".engine.payload", ("Payload",)),
    (".engine.placement.labels", ("Labels",)),
    (".engine.placement.temporal", ("Temporal",)),
    (".engine.pool", ("ContextPool",)),
    (".engine.retrieval.answering", ("Retrieval",)),
    (".engine.retrieval.recall", ("Recall",)),
    (".engine.selection.ranking", ("search_tools",)),
    (".engine.selection.registry", ("Registered", "Toolkit", "ToolNamespace")),
    (".engine.skills.library", ("SkillLibrary",)),
    (".engine.skills.parsing", ("parse_skill", "render_skill")),
    (".engine.skills.skill", ("Skill",)),
    (".engine.snapshot", ("Snapshot",)),
    (".engine.selection.minification", ("minify",)),
    (".wire.schemas", ("convert_tools", "restore_arguments")),
    (".errors", ("TransomError",)),
    (".messages", ("Call", "Message", "Result", "Text", "Tool")),
    (".store.backends.filesystem", ("FilesystemBackend",)),
    (".store.backends.memory", ("MemoryBackend",)),
    (".store.backends.sqlite", ("SQLiteBackend",)),
    (".store.store", ("Store",)),
)

__all__ = [
    "Call",
    "ChatModel",
    "CompactionSettings",
    "Context",
    "ContextPool",
    "FilesystemBackend",
    "Handoff",
    "Labels",
    "MemoryBackend",
    "MemorySettings",
    "Message",
    "Payload",
    "Projects",
    "PruneSettings",
    "Recall",
    "Registered",
    "Result",
    "Retrieval",
    "SQLiteBackend",
    "Sessions",
    "Skill",
    "SkillLibrary",
    "Snapshot",
    "Store",
    "Temporal",
    "Text",
    "Tool",
    "ToolNamespace",
    "Toolkit",
    "TransomError",
    "anchored",
    "background",
    "chain",
    "clear",
    "compact_history",
    "convert_tools",
    "digest",
    "guard",
    "manage_projects",
    "minify",
    "open_memory",
    "parse_skill",
    "plan_compaction",
    "render_skill",
    "reset",
    "restore_arguments",
    "search_tools",
    "server",
    "summarize",
    "summarize_history",
    "switch_context",
]
