"""Tool definitions as every provider understands them.

Knows no provider. A tool read from a wire format keeps its exact definition (``origin``) for the way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..jsontext import EMPTY
from .message import Origin

__all__ = ["Tool", "ToolChoice"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the model may call.

    Attributes:
        name: what the model calls.
        description: what it is for.
        parameters: JSON Schema of the arguments; ``None`` for a tool without a schema.
        kind: ``function``, ``custom`` (free-text input) or ``native`` (hosted by one provider; only ``origin`` describes it).
        extra: fields only the source provider knows (``strict``, ``defer_loading``, ``cache_control`` …).
    """

    name: str
    description: str = ""
    parameters: Mapping[str, object] | None = None
    kind: str = "function"
    extra: Mapping[str, object] = EMPTY
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Whether and which tool must be called.

    Attributes:
        mode: ``auto``, ``none``, ``required`` (some tool) or ``tool`` (the one named).
        name: the tool, for mode ``tool``.
        parallel: whether several calls at once are allowed; ``None`` where the source does not say.
    """

    mode: str
    name: str = ""
    parallel: bool | None = None
