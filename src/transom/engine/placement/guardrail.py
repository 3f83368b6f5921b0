"""A guardrail: what an answer has to look like, said last, and how it begins.

Pure. It stands at the effective tail, behind the dynamic state: what is said last is kept best, and it costs no cache there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import InputError
from ...vocabulary.placing import PlacementWords

__all__ = ["Guardrail", "render_guardrail"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")


@dataclass(frozen=True, slots=True)
class Guardrail:
    """An output contract and the beginning of the answer.

    Args:
        contract: the rules, in the caller's words; stands in an XML element of its own.
        prefill: how the answer begins; the model continues it where the target can, and is told of it where not.
        answer: an XML name: the answer is asked for inside an element of that name.

    Raises:
        InputError: all three are empty, ``answer`` is no XML name, or the contract closes its own element.
    """

    contract: str
    prefill: str = ""
    answer: str = ""

    def __post_init__(self) -> None:
        if not (self.contract.strip() or self.prefill or self.answer):
            raise InputError("a guardrail without a contract, an answer or a prefill", hint="clear it instead")
        if self.answer and not _NAME.match(self.answer):
            raise InputError(f"{self.answer!r} is no name for an XML element", hint="letters, digits, '_', '-' and '.'")
        if "</output_contract" in self.contract:
            raise InputError("a contract may not close the element it stands in", hint="leave out </output_contract>")


def render_guardrail(guardrail: Guardrail, words: PlacementWords) -> str:
    """What a model reads of it; empty where it is nothing but a prefill."""
    rules = [guardrail.contract.strip()] if guardrail.contract.strip() else []
    if guardrail.answer:
        rules.append(words.answer_inside(guardrail.answer))
    return words.output_contract("\n".join(rules)) if rules else ""
