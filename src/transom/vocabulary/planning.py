"""A plan as a model reads it, and what is said about changes of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["PlanningWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanningWords:
    """A plan as a model reads it.

    Attributes:
        created: a plan was made (``{plan}``, its id).
        heading, heading_without_goal: above a plan (``{plan}``, ``{done}`` of ``{total}`` steps; ``{goal}``).
        elsewhere: it was made by another session, so changing it takes its id (``{plan}``).
        pending, in_progress, done, blocked: what stands before a step of that state.
        step: one step (``{mark}``, ``{number}``, ``{text}``).
        step_with_note: the same with a note (``{note}``).
        changed: a step went from one state to another (``{number}``, ``{old}``, ``{new}``).
        unchanged: it was in that state before (``{number}``, ``{new}``).
        next: the step to go on with (``{number}``, ``{text}``).
        finished: every step is done.
        stuck: every step that is left is blocked (``{numbers}``).

    Refusals:

    Attributes:
        no_plan: there is none.
        unknown_plan: none has this id (``{plan}``; ``{known}``, those there are).
        not_ours: the newest plan is another session's (``{plan}``, ``{goal}``).
        no_such_step: the number is none of a step (``{number}``, ``{total}``).
        empty_step: a step says nothing (``{number}``).
        not_allowed: a step cannot go there from where it is (``{number}``, ``{old}``, ``{new}``; ``{allowed}``).
        needs_note: a blocked step needs a note (``{number}``).
        full: a plan that was changed too often (``{limit}``).
        busy: others change the plan at this moment.
    """

    created: str
    heading: str
    heading_without_goal: str
    elsewhere: str
    pending: str
    in_progress: str
    done: str
    blocked: str
    step: str
    step_with_note: str
    changed: str
    unchanged: str
    next: str
    finished: str
    stuck: str
    no_plan: str
    unknown_plan: str
    not_ours: str
    no_such_step: str
    empty_step: str
    not_allowed: str
    needs_note: str
    full: str
    busy: str

    def step_line(self, number: int, text: str, status: str, note: str) -> str:
        """One step."""
        template = self.step_with_note if note else self.step
        return template.format(mark=str(getattr(self, status)), number=number, text=text, note=note)

    def title(self, plan: str, goal: str, done: int, total: int) -> str:
        """What stands above the steps."""
        template = self.heading if goal else self.heading_without_goal
        return template.format(plan=plan, goal=goal, done=done, total=total)

    def left(self, following: tuple[int, str] | None, blocked: Sequence[int]) -> str:
        """What comes next: a step, nothing, or nothing that can be done."""
        if following is not None:
            return self.next.format(number=following[0], text=following[1])
        return self.stuck.format(numbers=", ".join(map(str, blocked))) if blocked else self.finished
