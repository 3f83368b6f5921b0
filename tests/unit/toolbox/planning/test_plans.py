"""Plans as tools: what a model may do with one, and what outlasts the process that made it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import SQLiteBackend, Store
from transom.store.backends.memory import MemoryBackend
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.planning import FAMILY
from transom.toolbox.tool import Envelope

STATES = ("pending", "in_progress", "done", "blocked")
ALLOWED = {
    ("pending", "in_progress"),
    ("in_progress", "done"),
    ("pending", "blocked"),
    ("in_progress", "blocked"),
    ("done", "blocked"),
    ("blocked", "pending"),
}


class Ticking:
    """A clock that moves by a second each time it is asked."""

    def __init__(self) -> None:
        self._now = iter(range(1_000_000, 2_000_000))

    def __call__(self) -> float:
        return float(next(self._now))


class Box:
    """The planning tools of one session over a store."""

    def __init__(
        self, store: Store, session: str | None = "s1", project: str | None = None, clock: Ticking | None = None
    ) -> None:
        self._box = Toolbox((FAMILY,), services={Store: store}, clock=clock or Ticking())
        self._caller = Caller(session=session, project=project)

    async def call(self, tool: str, **arguments: object) -> Envelope:
        return await self._box.call(tool, arguments, self._caller)


@pytest.fixture
def store() -> Store:
    return Store(MemoryBackend())


def _statuses(answer: Envelope) -> list[str]:
    steps = answer.data["steps"]
    assert isinstance(steps, list)
    return [step["status"] for step in steps]


async def test_a_plan_shows_its_steps_how_far_they_are_and_what_comes_next(store: Store) -> None:
    box = Box(store)
    made = await box.call("create_plan", goal="Ship  it", steps=["Write the code", "Test it"])
    assert made.ok
    assert made.text.splitlines()[1:] == [
        f"Plan {made.data['plan_id']}: Ship it (0 of 2 done)",
        "[ ] 1. Write the code",
        "[ ] 2. Test it",
        "Next: step 1, Write the code",
    ]
    await box.call("update_plan_step", step=1, status="in_progress")
    await box.call("update_plan_step", step=1, status="done", note="merged")
    blocked = await box.call("update_plan_step", step=2, status="blocked", note="no machine")
    assert blocked.data == {
        "plan_id": made.data["plan_id"],
        "goal": "Ship it",
        "done": 1,
        "total": 2,
        "next": None,
        "steps": [
            {"number": 1, "text": "Write the code", "status": "done", "note": "merged"},
            {"number": 2, "text": "Test it", "status": "blocked", "note": "no machine"},
        ],
    }
    assert "What is left is blocked: 2." in blocked.text
    assert (await box.call("get_plan")).data == blocked.data


@pytest.mark.parametrize("old", STATES)
@pytest.mark.parametrize("new", STATES)
async def test_a_step_goes_where_the_rules_let_it_and_nowhere_else(store: Store, old: str, new: str) -> None:
    box = Box(store)
    await box.call("create_plan", steps=["one"])
    way = {"pending": [], "in_progress": ["in_progress"], "done": ["in_progress", "done"], "blocked": ["blocked"]}
    for status in way[old]:
        assert (await box.call("update_plan_step", step=1, status=status, note="because")).ok
    answer = await box.call("update_plan_step", step=1, status=new, note="because")
    now = _statuses(await box.call("get_plan"))
    if old == new or (old, new) in ALLOWED:
        assert answer.ok
        assert now == [new]
    else:
        assert (answer.ok, answer.error) == (False, "invalid_input")
        assert now == [old]


async def test_a_blocked_step_says_what_it_waits_for(store: Store) -> None:
    box = Box(store)
    await box.call("create_plan", steps=["one"])
    refused = await box.call("update_plan_step", step=1, status="blocked")
    assert refused.error == "invalid_input"
    assert "note" in refused.text
    await box.call("update_plan_step", step=1, status="blocked", note="keys")
    freed = await box.call("update_plan_step", step=1, status="pending")
    assert freed.data["steps"] == [{"number": 1, "text": "one", "status": "pending", "note": ""}]


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("create_plan", {"steps": []}, "invalid_input"),
        ("create_plan", {"steps": ["x"] * 31}, "invalid_input"),
        ("create_plan", {"steps": ["x" * 501]}, "invalid_input"),
        ("create_plan", {"steps": ["x", " \n"]}, "invalid_input"),
        ("update_plan_step", {"step": 0, "status": "done"}, "out_of_range"),
        ("update_plan_step", {"step": 3, "status": "done"}, "out_of_range"),
        ("update_plan_step", {"step": 1, "status": "finished"}, "invalid_input"),
        ("get_plan", {"plan_id": "../../memory"}, "not_found"),
        ("update_plan_step", {"step": 1, "status": "done", "plan_id": "nope"}, "not_found"),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(
    store: Store, tool: str, arguments: dict[str, object], error: str
) -> None:
    box = Box(store)
    await box.call("create_plan", steps=["x" * 500] * 2)
    before = dict(await store.read_all("plans"))
    answer = await box.call(tool, **arguments)
    assert (answer.ok, answer.error) == (False, error)
    assert dict(await store.read_all("plans")) == before


async def test_without_a_plan_the_answer_says_how_to_make_one(store: Store) -> None:
    answer = await Box(store).call("get_plan")
    assert answer.error == "not_found"
    assert "create_plan" in answer.text


async def test_each_session_goes_on_with_its_own_plan_and_a_new_one_finds_what_is_there(store: Store) -> None:
    clock = Ticking()
    first, second = Box(store, "s1", clock=clock), Box(store, "s2", clock=clock)
    mine = (await first.call("create_plan", steps=["mine"])).data["plan_id"]
    theirs = (await second.call("create_plan", steps=["theirs"])).data["plan_id"]
    assert (await first.call("get_plan")).data["plan_id"] == mine
    assert (await second.call("get_plan")).data["plan_id"] == theirs
    third = Box(store, "s3", clock=clock)
    shown = await third.call("get_plan")
    assert shown.data["plan_id"] == theirs
    refused = await third.call("update_plan_step", step=1, status="in_progress")
    assert refused.error == "not_found"
    assert str(theirs) in refused.text
    assert (await third.call("update_plan_step", step=1, status="in_progress", plan_id=theirs)).ok
    assert _statuses(await second.call("get_plan")) == ["in_progress"]


async def test_a_plan_of_one_project_is_not_seen_from_another(store: Store) -> None:
    made = await Box(store, project="alpha").call("create_plan", steps=["one"])
    assert (await Box(store, project="beta").call("get_plan")).error == "not_found"
    assert (await Box(store, project="beta").call("get_plan", plan_id=made.data["plan_id"])).error == "not_found"
    assert (await Box(store).call("get_plan")).error == "not_found"
    assert (await Box(store, "s9", project="alpha").call("get_plan")).data == made.data


async def test_a_plan_survives_a_restart(tmp_path: Path) -> None:
    async with Store(SQLiteBackend(tmp_path / "s.db")) as store:
        await Box(store).call("create_plan", goal="g", steps=["one", "two"])
        before = await Box(store).call("update_plan_step", step=1, status="in_progress", note="half way")
    async with Store(SQLiteBackend(tmp_path / "s.db")) as store:
        assert (await Box(store).call("get_plan")).data == before.data


async def test_changes_made_at_once_are_all_kept_or_refused_by_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with Store(SQLiteBackend(path)) as one, Store(SQLiteBackend(path)) as other:
        made = await Box(one).call("create_plan", steps=[f"step {number}" for number in range(30)])
        boxes = [Box(one), Box(other)]
        answers = await asyncio.gather(
            *(
                boxes[number % 2].call("update_plan_step", step=number + 1, status="in_progress", plan_id=made.data["plan_id"])
                for number in range(30)
            )
        )
        assert all(answer.ok for answer in answers)
        # The same step from both sides: one moves it, the other finds it moved.
        await asyncio.gather(
            *(box.call("update_plan_step", step=1, status="done", plan_id=made.data["plan_id"]) for box in boxes)
        )
        assert _statuses(await boxes[0].call("get_plan")) == ["done", *["in_progress"] * 29]


CHANGES = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3), st.sampled_from(STATES)), max_size=20)


@settings(max_examples=40, deadline=None)
@given(changes=CHANGES)
def test_whoever_asks_sees_what_was_acknowledged(changes: list[tuple[int, int, str]]) -> None:
    async def run() -> None:
        store = Store(MemoryBackend())
        boxes = [Box(store), Box(store)]
        plan = (await boxes[0].call("create_plan", steps=["a", "b", "c"])).data["plan_id"]
        expected = ["pending"] * 3
        for box, number, status in changes:
            answer = await boxes[box].call("update_plan_step", step=number, status=status, note="n", plan_id=plan)
            old = expected[number - 1]
            assert answer.ok == (old == status or (old, status) in ALLOWED)
            if answer.ok:
                expected[number - 1] = status
            assert _statuses(await boxes[1 - box].call("get_plan", plan_id=plan)) == expected

    asyncio.run(run())
