"""Why something was refused, and what to do instead: one text a rule of ``safety``, by the rule's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["RefusingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RefusingWords:
    """One sentence that says what is wrong, then the next step. A field's name is the rule's, ``Verdict.reason``.

    Attributes:
        path_empty, path_nul, path_control, path_surrogate, path_network, path_device, path_drive, path_home, path_url,
            path_stream, path_trailing, path_long, path_segment_long: forms a path may not have (``{path}``; ``{segment}``, a
            part of it; ``{limit}``, characters or bytes).
        path_repository, path_protected: places that file tools do not write (``{segment}``).
    """

    path_empty: str
    path_nul: str
    path_control: str
    path_surrogate: str
    path_network: str
    path_device: str
    path_drive: str
    path_home: str
    path_url: str
    path_stream: str
    path_trailing: str
    path_long: str
    path_segment_long: str
    path_repository: str
    path_protected: str

    def sentence(self, reason: str, facts: Mapping[str, str]) -> str:
        """The words of a rule.

        Args:
            reason: the rule's name.
            facts: what they are filled with.

        Raises:
            AttributeError: there is no such rule.
        """
        template: str = getattr(self, reason)
        return template.format_map(facts)
