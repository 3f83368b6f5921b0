"""The verbs by which a caller adds to a conversation what is no part of it.

Knows the session's additions. Where each stands and how long it stands still is said there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..errors import InputError
from .additions import Additions
from .arguments import check_text, kind
from .placement.announcements import Announcement, Channel
from .placement.dynamic_state import DynamicState, validated
from .placement.guardrail import Guardrail
from .skills.arguments import Arguments, Missing
from .skills.block import NO_SKILL, SkillPlace, place_skill
from .skills.library import SkillLibrary
from .skills.listing import Listing, render_listing
from .skills.skill import Skill

__all__ = ["Adding"]


class Adding:
    """What a context can be told to add."""

    _additions: Additions
    _library: SkillLibrary | None

    def skill(
        self,
        skill: Skill | str | None,
        *,
        arguments: Arguments = None,
        place: SkillPlace = "prefix",
        missing: Missing = "refuse",
    ) -> None:
        """Put a skill in force, in place of the one before; ``None`` ends it.

        Args:
            skill: a skill, or the name of one in the library of this context.
            arguments: what it is called with: text as a user types it, texts in order, or texts by name.
            place: behind the system prompt and before memory, where it stays as it is until the window closes, and what changes
                meanwhile stands at the end; or always at the end.
            missing: what becomes of a placeholder without an argument: an error, or it stays as it is.

        Raises:
            InputError: there is no such skill, an argument is missing or unknown, or an unknown place.
            FormatError: the skill's file was changed and can no longer be read.
        """
        if place not in {"prefix", "tail"}:
            raise InputError(f"no place {place!r} for a skill", hint="prefix or tail")
        if isinstance(skill, str):
            if self._library is None:
                raise InputError("this context has no skills to name", hint="Context(…, skills=SkillLibrary(directory))")
            skill = self._library.get(skill)
        elif skill is not None and not isinstance(skill, Skill):
            raise InputError(f"skill takes a Skill or a name, not {kind(skill)}", hint="parse_skill reads one from text")
        words = self._additions.words.skills
        self._additions.skill = NO_SKILL if skill is None else place_skill(skill, arguments, words, missing=missing)
        self._additions.skill_place = place

    def skills(self, *, max_tokens: int = 2_000, tool: str = "") -> Listing:
        """The skills of this context's library that a model may choose, as text within a budget, to be placed where you like.

        Where nothing can be named the text says how many there are. What cannot be used is in ``Listing.unusable``.

        Args:
            max_tokens: the text never has more.
            tool: the tool by which the model loads one, for the text to name.

        Raises:
            InputError: the context has no library.
        """
        if self._library is None:
            raise InputError("this context has no skills to list", hint="Context(…, skills=SkillLibrary(directory))")
        words, count = self._additions.words.skills, self._additions.count
        listing = render_listing(self._library.skills, words, max_tokens=max_tokens, count=count, tool=tool)
        return replace(listing, unusable=self._library.unusable)

    def tail(self, text: str) -> None:
        """Set volatile text for the end of the payload; an empty text takes it away."""
        check_text("tail", text)
        self._additions.tail = text

    def sticky(self, text: str) -> None:
        """Put text beside the newest message of the user, where it stays for as long as that message is in the window.

        For what belongs to one question: documents, passages found. It goes beside the message that the next payload sends for
        the first time; until there is one it stands in the tail.
        """
        check_text("sticky text", text)
        if text:
            self._additions.pending.append(text)

    def state(
        self, value: object, *, schema: object = None, tag: str = "state", place: Literal["last_user", "system"] = "last_user"
    ) -> None:
        """Set the state of the world as the model is to see it, as XML; ``None`` takes it away.

        Args:
            value: a pydantic model, dataclass or mapping.
            schema: a pydantic model class that ``value`` must satisfy.
            tag: the outermost XML element.
            place: at the end, in the user's last message, or behind the system prompt, where it stays as it is until the
                window closes; what changes meanwhile stands at the end.

        Raises:
            InputError: the value does not satisfy the schema, or cannot be said as XML.
        """
        checked = value if schema is None or value is None else validated(value, schema)
        self._additions.state = None if checked is None else DynamicState(checked, tag=tag, place=place)

    def guardrail(self, contract: str = "", *, prefill: str = "", answer: str = "") -> None:
        """Say how an answer has to look; without arguments, take that away.

        Args:
            contract: the rules, in your words; they stand at the end, where they cost no cache.
            prefill: how the answer begins.
            answer: an XML element that the answer is asked for in.

        Raises:
            InputError: the contract closes its own element, or ``answer`` is no XML name.
        """
        for name, value in (("contract", contract), ("prefill", prefill), ("answer", answer)):
            check_text(name, value)
        wanted = bool(contract or prefill or answer)
        self._additions.guardrail = Guardrail(contract, prefill, answer) if wanted else None

    def announce(self, id: str, text: str, *, channel: Channel = "auto") -> None:  # noqa: A002  # the contract's name
        """Tell the model something until it is retracted. One of the same id is replaced.

        Args:
            id: replaces or retracts it.
            text: what the model reads.
            channel: ``system`` or ``auto``: a system message at the end where the target takes one there, else the user's tail;
                ``tail``: always the user's tail.

        Raises:
            InputError: an empty id or text, or an unknown channel.
        """
        check_text("announcement id", id)
        check_text("announcement", text)
        self._additions.announcements.announce(id, text, channel)

    def retract(self, id: str) -> bool:  # noqa: A002  # the contract's name
        """Take an announcement back; whether there was one."""
        return self._additions.announcements.retract(id)

    @property
    def announcements(self) -> tuple[Announcement, ...]:
        """What is announced now, in the order of first announcement."""
        return self._additions.announcements.list()
