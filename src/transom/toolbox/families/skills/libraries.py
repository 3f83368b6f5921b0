"""Where skills are found for a session: below its own folders first, then in the user's.

Reads no folder before a tool asks. Which folders there are changes with the session's roots, so a library is kept for each set.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...access.workspace import Workspace
from ...tool import Refused, ToolContext

if TYPE_CHECKING:
    from ....engine.skills.library import SkillLibrary

__all__ = ["IN_PROJECT", "Skills", "skill_services"]

IN_PROJECT = (".transom/skills", ".claude/skills", ".agents/skills", "skills")
"""Where a project keeps skills, below each of its folders."""
_KEPT = 16


class Skills:
    """The skills of every session.

    Args:
        own: the user's folders of skills, the most important first; looked through after those of the session.
        in_project: where skills lie below a session's folders.
    """

    def __init__(self, own: Sequence[str | Path] = (), *, in_project: Sequence[str] = IN_PROJECT) -> None:
        self._own = tuple(Path(folder).expanduser().absolute() for folder in own)
        self._in_project = tuple(in_project)
        self._libraries: OrderedDict[tuple[Path, ...], SkillLibrary] = OrderedDict()
        self.lock = threading.Lock()
        """To be held while a library is asked: it is not made for several threads at once."""

    def directories(self, context: ToolContext) -> tuple[Path, ...]:
        """Where is looked for a caller, in order of precedence; folders that do not exist are among them."""
        try:
            roots = [Path(root.given) for root in context.use(Workspace).roots.all]
        except Refused:
            roots = []
        return (*(root / below for root in roots for below in self._in_project), *self._own)

    def library(self, context: ToolContext) -> SkillLibrary:
        """The skills that a caller sees, as they lie there now; ``lock`` must be held.

        Raises:
            InputError: one of the folders is a file.
        """
        from ....engine.skills.library import SkillLibrary

        wanted = self.directories(context)
        known = self._libraries.get(wanted)
        if known is None:
            known = self._libraries[wanted] = SkillLibrary(*wanted)
            while len(self._libraries) > _KEPT:
                self._libraries.popitem(last=False)
        else:
            self._libraries.move_to_end(wanted)
            known.refresh()
        return known


def skill_services(*own: str | Path) -> dict[type, object]:
    """What these tools use, by type.

    Args:
        own: the user's folders of skills, the most important first.
    """
    return {Skills: Skills(own)}
