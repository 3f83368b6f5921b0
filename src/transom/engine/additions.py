"""What a session adds to its conversation: a skill, memory, state, a guardrail, announcements, the date, the caller's own text.

Knows the parts that spell each of these, no history and no target. Three kinds of text, by how long they stand still. *Frozen*
text stands behind the system prompt; it is taken when a window opens, and what changes afterwards goes to the tail until that
window closes. *Sticky* text stands beside one message of the user and stays there. *Tail* text is written anew each compile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..messages import Message
from ..vocabulary import Vocabulary
from .memory.block import NO_BLOCK, Block, is_block, render_block, render_changes
from .memory.fact import Fact
from .memory.memory import Memory
from .placement.announcements import Announcement, Announcements, split
from .placement.dynamic_state import DynamicState
from .placement.guardrail import Guardrail, render_guardrail
from .placement.labels import Labels, Provenance, day_of, label
from .placement.temporal import Temporal
from .skills.block import NO_SKILL, Placed, SkillPlace, is_placed, render_change

__all__ = ["Additions", "Frozen", "Tail"]


@dataclass(frozen=True, slots=True)
class Frozen:
    """What stands behind the system prompt for as long as a window is open.

    Attributes:
        memory: the block of facts.
        state: dynamic state placed in the system prompt, as XML; may be empty.
        skill: the skill that is followed; stands first.
        messages: all of it as system messages, in the order in which they stand.
    """

    memory: Block | None = None
    state: str = ""
    skill: Placed = NO_SKILL
    messages: tuple[Message, ...] = field(init=False)

    def __post_init__(self) -> None:
        texts = (self.skill.text, self.memory.text if self.memory is not None else "", self.state)
        object.__setattr__(self, "messages", tuple(Message("system", text) for text in texts if text))


@dataclass(frozen=True, slots=True)
class Tail:
    """What stands at the end of one payload.

    Attributes:
        notices: for system messages of their own, where the target takes them.
        texts: for the end of the last user message, in order.
        prefill: how the answer begins.
    """

    notices: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    prefill: str = ""

    @property
    def text(self) -> str:
        """The texts, parted by blank lines."""
        return "\n\n".join(self.texts)


@dataclass(slots=True)
class Additions:
    """The additions of one session.

    Attributes:
        words, count: every string a model reads; tokens of a text.
        memory: whose facts are injected; ``None`` injects none.
        tool: the tool by which the model reads memory and takes notes; empty where it has none.
        state, guardrail, announcements, temporal, tail: what the caller set.
        pending: sticky texts that wait for a message of the user that no provider has seen.
        date: what ``temporal`` said when this compile began.
        project: whose memory is frozen.
        skill, skill_place: the skill in force, and where it stands.
        labels: which labels are shown on facts.
        shown: every text that stood behind the system prompt in this session.
        frozen: what is in force; ``None`` before the first window opens.
        fresh: what would be taken now.
    """

    words: Vocabulary
    count: Callable[[str], int]
    memory: Memory | None = None
    tool: str = ""
    state: DynamicState | None = None
    guardrail: Guardrail | None = None
    announcements: Announcements = field(default_factory=Announcements)
    temporal: Temporal | None = None
    tail: str = ""
    pending: list[str] = field(default_factory=list)
    date: str = ""
    project: str = ""
    skill: Placed = NO_SKILL
    skill_place: SkillPlace = "prefix"
    labels: Labels = field(default_factory=Labels)
    shown: set[str] = field(default_factory=set)
    frozen: Frozen | None = None
    fresh: Frozen = field(default_factory=Frozen)
    _block: Block | None = None
    _lines: dict[str, tuple[Fact, str]] = field(default_factory=dict)
    _version: int = -1
    _split: tuple[tuple[Announcement, ...] | None, bool, tuple[str, ...], tuple[str, ...]] = (None, False, (), ())
    _changes: tuple[Block | None, Block | None, str] = (None, None, "")

    def look_at_the_clock(self) -> None:
        """Take the date for this compile, once: whatever is counted of it is what is shown."""
        self.date = self.temporal.text(self.words.dates) if self.temporal is not None else ""

    async def read(self, turn: int) -> None:
        """Bring ``fresh`` up to date. Where nothing changed this asks memory for a number and is done.

        Args:
            turn: how many turns the conversation has, for facts that live that long.

        Raises:
            StoreError: memory cannot be read.
        """
        if self.memory is not None:
            facts = self.memory.facts
            if facts.project != self.project:
                # Another project's memory: what stands behind the system prompt is not to be seen a moment longer.
                self.project, self.frozen = facts.project, None
            await self.memory.expire(turn)
            if facts.version != self._version:
                chosen = await facts.injected(turn=turn)
                settings = facts.settings
                self._block = render_block(
                    chosen,
                    self.words.remembering,
                    max_tokens=settings.max_tokens,
                    max_facts=settings.max_facts,
                    count=self.count,
                    tool=bool(self.tool),
                    label=self._label,
                    written=self._lines,
                )
                self._version = facts.version
        memory = self._block if self._in_prefix else None
        state = self.state.text if self.state is not None and self.state.place == "system" else ""
        skill = self.skill if self.skill_place == "prefix" else NO_SKILL
        if memory is not self.fresh.memory or state != self.fresh.state or skill is not self.fresh.skill:
            self.fresh = Frozen(memory, state, skill)

    def wrote(self, message: Message) -> bool:
        """Whether a system message is one of ours that the caller took over from a payload: it is not to stand there twice."""
        text = message.text
        if text in self.shown or is_placed(text, self.words.skills):
            return True
        return self.memory is not None and is_block(text, self.words.remembering)

    @property
    def newly_frozen(self) -> tuple[Message, ...]:
        """What the next window freezes beside what this one's tail already shows in full: a skill that was chosen later."""
        if self.frozen is None or self.frozen.skill.text == self.fresh.skill.text:
            return self.fresh.messages
        return self.fresh.messages[bool(self.fresh.skill.text) :]

    @property
    def injected(self) -> tuple[str, ...]:
        """Keys of the facts that the payload shows."""
        shown = self._block if not self._in_prefix else self.frozen.memory if self.frozen is not None else None
        return tuple(shown.keys) if shown is not None else ()

    def ending(self, *, takes_system: bool) -> Tail:
        """What belongs at the end of a payload now.

        Args:
            takes_system: the target takes system messages there.
        """
        frozen = self.frozen if self.frozen is not None else self.fresh
        notices, announced = self._announced(takes_system)
        texts = [
            render_change(frozen.skill, self.skill, self.words.skills),
            self._memory_text(frozen),
            self.state.text if self.state is not None and self.state.text != frozen.state else "",
            render_guardrail(self.guardrail, self.words.placing) if self.guardrail is not None else "",
            *announced,
            *self.pending,
            self.date,
            self.tail,
        ]
        prefill = self.guardrail.prefill if self.guardrail is not None else ""
        return Tail(notices, tuple(text for text in texts if text), prefill)

    def _announced(self, takes_system: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is announced in system messages, and what in the tail; the same objects until something changes."""
        items = self.announcements.list()
        if self._split[0] is not items or self._split[1] != takes_system:
            notices, announced = split(items, takes_system)
            # In one piece, with what parts the texts of a tail: thousands of them are then handed over as one.
            self._split = items, takes_system, notices, ("\n\n".join(announced),) if announced else ()
        return self._split[2:]

    @property
    def _in_prefix(self) -> bool:
        return self.memory is not None and self.memory.facts.settings.place == "prefix"

    def _label(self, fact: Fact) -> str:
        return label(fact.confidence, Provenance(day=day_of(fact.updated)), self.words.placing, self.labels)

    def _memory_text(self, frozen: Frozen) -> str:
        if self._block is None:
            return ""
        if not self._in_prefix:
            return self._block.text
        if self._block is frozen.memory:
            return ""
        if self._changes[0] is not frozen.memory or self._changes[1] is not self._block:
            assert self.memory is not None
            most = self.memory.facts.settings.max_tokens
            text = render_changes(
                frozen.memory or NO_BLOCK, self._block, self.words.remembering, max_tokens=most, count=self.count
            )
            self._changes = frozen.memory, self._block, text
        return self._changes[2]
