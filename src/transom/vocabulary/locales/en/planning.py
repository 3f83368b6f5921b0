"""English. See ``vocabulary.planning``."""

from __future__ import annotations

from ...planning import PlanningWords

__all__ = ["PLANNING"]

PLANNING = PlanningWords(
    created="Created plan {plan}.",
    heading="Plan {plan}: {goal} ({done} of {total} done)",
    heading_without_goal="Plan {plan} ({done} of {total} done)",
    elsewhere="It was made in another session: give plan_id {plan} to change it.",
    pending="[ ]",
    in_progress="[>]",
    done="[x]",
    blocked="[!]",
    step="{mark} {number}. {text}",
    step_with_note="{mark} {number}. {text} — {note}",
    changed="Step {number}: {old} → {new}.",
    unchanged="Step {number} was {new} already.",
    next="Next: step {number}, {text}",
    finished="Every step is done.",
    stuck="What is left is blocked: {numbers}.",
    no_plan="There is no plan. Make one with create_plan.",
    unknown_plan="There is no plan {plan}. There are: {known}.",
    not_ours="This session has no plan; the newest is {plan}: {goal}. Give plan_id {plan} to change it, or make your own.",
    no_such_step="There is no step {number}. The plan has steps 1 to {total}; get_plan shows them.",
    empty_step="Step {number} says nothing. Give every step a text.",
    not_allowed="Step {number} is {old} and cannot become {new}. From there it can become {allowed}.",
    needs_note="To block step {number}, say in note what it waits for.",
    full="The plan was changed {limit} times. Make a new one with create_plan from what is left.",
    busy="Others are changing the plan at this moment, so nothing was changed. Call again.",
)
