"""Planning: a list of steps that outlasts the window and the process, and how far each of them is."""

from __future__ import annotations

import uuid
from typing import Annotated

from msgspec import Meta

from ....store.store import Store
from ...access.projects import project_of
from ...tool import Family, Result, ToolContext, tool
from .plans import LONGEST_STEP, MOST_STEPS, Plan, Plans, Status

__all__ = ["FAMILY"]

StepText = Annotated[str, Meta(max_length=LONGEST_STEP)]
Steps = Annotated[list[StepText], Meta(min_length=1, max_length=MOST_STEPS)]


@tool(family="planning", title="Create a plan", destructive=False, visible=True, tier=2)
async def create_plan(context: ToolContext, steps: Steps, goal: Annotated[str, Meta(max_length=LONGEST_STEP)] = "") -> Result:
    """Write down a plan as steps, kept across windows and restarts.

    Args:
        steps: 1 to 30 steps in order, one thing each, at most 500 characters.
        goal: what they lead to.
    """
    plan = await (await _plans(context)).create(goal, steps, context.session or "")
    return _shown(context, plan, context.words.planning.created.format(plan=plan.id))


@tool(family="planning", title="Show a plan", read_only=True, idempotent=True, visible=True, tier=2)
async def get_plan(context: ToolContext, plan_id: str | None = None) -> Result:
    """Show a plan: its steps, how far each is, what comes next.

    Args:
        plan_id: which; the newest if left out.
    """
    plan = await (await _plans(context)).get(plan_id, context.session or "")
    words = context.words.planning
    return _shown(context, plan, "" if plan.session == (context.session or "") else words.elsewhere.format(plan=plan.id))


@tool(family="planning", title="Update a step of a plan", destructive=False, idempotent=True, visible=True, tier=2)
async def update_plan_step(
    context: ToolContext,
    step: int,
    status: Status,
    note: Annotated[str, Meta(max_length=LONGEST_STEP)] = "",
    plan_id: str | None = None,
) -> Result:
    """Say how far a step is: pending to in_progress to done; any to blocked, with a note; blocked to pending.

    Args:
        step: its number, from 1.
        status: its new state.
        note: what to keep beside it; for blocked, what it waits for.
        plan_id: which plan; the newest of this session if left out.
    """
    plan, old = await (await _plans(context)).update(plan_id, context.session or "", step, status, note)
    words = context.words.planning
    template = words.unchanged if old == status else words.changed
    return _shown(context, plan, template.format(number=step, old=old, new=status))


def _new_id() -> str:
    return uuid.uuid4().hex[:8]


async def _plans(context: ToolContext) -> Plans:
    return Plans(context.use(Store), await project_of(context), clock=context.clock, ids=_new_id, words=context.words.planning)


def _shown(context: ToolContext, plan: Plan, said: str) -> Result:
    words = context.words.planning
    lines = [words.step_line(number, step.text, step.status, step.note) for number, step in enumerate(plan.steps, 1)]
    following = plan.following
    left = words.left((following[0], following[1].text) if following is not None else None, plan.blocked)
    heading = words.title(plan.id, plan.goal, plan.done, len(plan.steps))
    return Result(
        data={
            "plan_id": plan.id,
            "goal": plan.goal,
            "done": plan.done,
            "total": len(plan.steps),
            "next": following[0] if following is not None else None,
            "steps": [
                {"number": number, "text": step.text, "status": step.status, "note": step.note}
                for number, step in enumerate(plan.steps, 1)
            ],
        },
        text="\n".join([*([said] if said else []), heading, *lines, left]),
        provenance=plan.uri,
    )


FAMILY = Family(name="planning", title="Planning", tools=(create_plan, get_plan, update_plan_step))
