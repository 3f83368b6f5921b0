"""Plans: steps and their states, kept in the store as what was planned and every change since.

Knows the store's namespace ``plans`` and the rules of the states. A plan of a project lies at ``<project>/<id>/``, one of no
project at ``_/<id>/``: entry ``000000`` is the plan as it was made, each further entry one change. A change is filed under the
next number unless somebody else has taken it; then it is judged again by what the plan has become. So no acknowledged change is
lost or overwritten, however many processes share the store, and a killed one leaves nothing half done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from ....errors import IntegrityError, JSONError
from ....jsontext import dumps, loads
from ....store.store import Store
from ....vocabulary.planning import PlanningWords
from ...tool import Refused

__all__ = ["LONGEST_STEP", "MOST_STEPS", "Plan", "Plans", "Status", "Step"]

NAMESPACE = "plans"
OF_NO_PROJECT = "_"
MOST_STEPS = 30
LONGEST_STEP = 500
"""Characters of a step, or of a note."""
MOST_CHANGES = 9_999

Status = Literal["pending", "in_progress", "done", "blocked"]

_STATUSES: tuple[Status, ...] = get_args(Status)
_FROM: Mapping[Status, tuple[Status, ...]] = {
    "pending": ("in_progress", "blocked"),
    "in_progress": ("done", "blocked"),
    "done": ("blocked",),
    "blocked": ("pending",),
}
"""Where a step can go from each state."""
_ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what is to be done, how far it is, and what was noted last."""

    text: str
    status: Status = "pending"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One plan as it stands.

    Attributes:
        id: what it is named by.
        goal: what it is for; may be empty.
        steps: in order.
        session: the session that made it; empty for none.
        created: unix time in seconds.
        changes: how often it was changed since.
        uri: where it lies.
    """

    id: str
    goal: str
    steps: tuple[Step, ...]
    session: str
    created: float
    changes: int = 0
    uri: str = ""

    @property
    def done(self) -> int:
        """How many steps are done."""
        return sum(step.status == "done" for step in self.steps)

    @property
    def following(self) -> tuple[int, Step] | None:
        """The step to go on with: the first that is in progress, else the first that waits; with its number."""
        for status in ("in_progress", "pending"):
            for number, step in enumerate(self.steps, 1):
                if step.status == status:
                    return number, step
        return None

    @property
    def blocked(self) -> list[int]:
        """The numbers of the steps that are blocked."""
        return [number for number, step in enumerate(self.steps, 1) if step.status == "blocked"]


class Plans:
    """The plans of one project, or of none.

    Args:
        store: where they lie.
        project: whose; empty for none.
        clock: seconds since the epoch.
        ids: makes the ids of plans: short, without a slash.
        words: what refusals say.

    Every method raises ``StoreError`` when the store fails.
    """

    def __init__(
        self, store: Store, project: str, *, clock: Callable[[], float], ids: Callable[[], str], words: PlanningWords
    ) -> None:
        self._store = store
        self._folder = project or OF_NO_PROJECT
        self._clock = clock
        self._ids = ids
        self._words = words

    async def create(self, goal: str, steps: Sequence[str], session: str) -> Plan:
        """Keep a new plan. It is stored when this returns.

        Raises:
            Refused: a step that says nothing.
        """
        texts = [" ".join(step.split()) for step in steps]
        for number, text in enumerate(texts, 1):
            if not text:
                raise Refused("invalid_input", self._words.empty_step.format(number=number))
        goal = " ".join(goal.split())
        body = {"goal": goal, "steps": texts, "session": session, "created": self._clock()}
        while True:
            name = self._ids()
            searchable = "\n".join(filter(None, (goal, *texts)))
            if await self._store.put_if_absent(NAMESPACE, self._path(name, 0), dumps(body), text=searchable) is None:
                return self._plan(name, body)

    async def get(self, plan: str | None, session: str) -> Plan:
        """The plan of that id; without one the session's newest, or the newest of all where the session made none.

        Raises:
            Refused: there is none.
        """
        known = await self._heads()
        if plan is not None:
            if plan not in known:
                raise self._unknown(plan, known)
            return await self._whole(known[plan])
        if not known:
            raise Refused("not_found", self._words.no_plan)
        own = [head for head in known.values() if session and head.session == session]
        return await self._whole(max(own or known.values(), key=lambda head: (head.created, head.id)))

    async def update(self, plan: str | None, session: str, number: int, status: Status, note: str) -> tuple[Plan, Status]:
        """Move a step to a state, or note something about it.

        Args:
            plan: its id; without one the session's newest, and no other session's.
            session: the caller's.
            number: of the step, from 1.
            status: where it goes.
            note: what to keep beside it; empty leaves what is there.

        Returns:
            The plan as it is now, and the state in which the step was.

        Raises:
            Refused: there is no such plan or step, or it cannot go there.
        """
        if plan is None:
            newest = await self.get(None, session)
            if newest.session != session:
                raise Refused("not_found", self._words.not_ours.format(plan=newest.id, goal=newest.goal))
            plan = newest.id
        note = " ".join(note.split())
        for _ in range(_ATTEMPTS):
            now = await self.get(plan, session)
            old = self._check(now, number, status, note)
            if old.status == status and note in ("", old.note):
                return now, old.status
            if now.changes >= MOST_CHANGES:
                raise Refused("out_of_range", self._words.full.format(limit=f"{MOST_CHANGES:,}"))
            body = {"step": number, "status": status, "note": note, "at": self._clock()}
            if await self._store.put_if_absent(NAMESPACE, self._path(plan, now.changes + 1), dumps(body)) is None:
                return _changed(now, body), old.status
        raise Refused("io_error", self._words.busy)

    def _check(self, plan: Plan, number: int, status: Status, note: str) -> Step:
        if not 1 <= number <= len(plan.steps):
            raise Refused("out_of_range", self._words.no_such_step.format(number=number, total=len(plan.steps)))
        step = plan.steps[number - 1]
        if status != step.status and status not in _FROM[step.status]:
            text = self._words.not_allowed.format(
                number=number, old=step.status, new=status, allowed=", ".join(_FROM[step.status])
            )
            raise Refused("invalid_input", text, data={"allowed": list(_FROM[step.status])})
        if status == "blocked" and status != step.status and not note:
            raise Refused("invalid_input", self._words.needs_note.format(number=number))
        return step

    def _unknown(self, plan: str, known: Mapping[str, Plan]) -> Refused:
        newest = sorted(known.values(), key=lambda head: (head.created, head.id), reverse=True)
        named = ", ".join(f"{head.id} ({head.goal})" if head.goal else head.id for head in newest[:10])
        return Refused("not_found", self._words.unknown_plan.format(plan=plan, known=named) if named else self._words.no_plan)

    # ── how they lie in the store ──────────────────────────────────────────────────────────────────────────────────────

    def _path(self, plan: str, number: int) -> str:
        return f"{self._folder}/{plan}/{number:06d}"

    async def _heads(self) -> dict[str, Plan]:
        """Every plan as it was made."""
        found: dict[str, Plan] = {}
        for path in await self._store.list(NAMESPACE, f"{self._folder}/"):
            name, _, number = path.removeprefix(f"{self._folder}/").partition("/")
            if number == f"{0:06d}":
                stored = await self._store.read(NAMESPACE, path)
                if stored is not None:
                    found[name] = self._plan(name, self._body(path, stored.data))
        return found

    async def _whole(self, head: Plan) -> Plan:
        """A plan with every change since."""
        plan = head
        for path, stored in (await self._store.read_all(NAMESPACE, f"{self._folder}/{head.id}/")).items():
            if not path.endswith(f"/{0:06d}"):
                plan = _changed(plan, self._body(path, stored.data))
        return plan

    def _plan(self, name: str, body: Mapping[str, object]) -> Plan:
        steps = body.get("steps")
        created = body.get("created")
        return Plan(
            id=name,
            goal=str(body.get("goal", "")),
            steps=tuple(Step(str(text)) for text in steps) if isinstance(steps, list) else (),
            session=str(body.get("session", "")),
            created=float(created) if isinstance(created, int | float) else 0.0,
            uri=self._store.uri(NAMESPACE, self._path(name, 0)),
        )

    def _body(self, path: str, data: bytes) -> Mapping[str, object]:
        try:
            body = loads(data)
        except JSONError:
            body = None
        if not isinstance(body, Mapping):
            raise IntegrityError(f"{self._store.uri(NAMESPACE, path)} is damaged", hint="make a new plan with create_plan")
        return body


def _changed(plan: Plan, body: Mapping[str, object]) -> Plan:
    """A plan after one of its changes."""
    number, note = body.get("step"), str(body.get("note", ""))
    status = next((name for name in _STATUSES if name == body.get("status")), None)
    steps = list(plan.steps)
    if isinstance(number, int) and 1 <= number <= len(steps) and status is not None:
        old = steps[number - 1]
        # A note tells why a step is in its state, so another state without one has none.
        steps[number - 1] = replace(old, status=status, note=note or (old.note if status == old.status else ""))
    return replace(plan, steps=tuple(steps), changes=plan.changes + 1)
