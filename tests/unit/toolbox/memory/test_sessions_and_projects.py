"""What a session leaves to the next, and whose memory is open, through the tools."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.toolbox.memory.memory_box import NOW, Box


@pytest.mark.feature("S11")
async def test_a_session_leaves_a_summary_that_the_next_one_restores() -> None:
    times = [NOW]
    box = Box(clock=lambda: times[0])
    saved = await box.ok(
        "save_session_summary",
        summary="Built the parser.\nTests pass.",
        title="Parser",
        tags=["parsing"],
        decisions=["Recursive descent"],
        next_steps=["[x] write it", "Measure it"],
        files=["src/parser.py"],
    )
    await box.ok("remember", fact="Grammar is in docs/grammar.md")
    times[0] += 3_600
    later = Box(store=box.store, session="s2", clock=lambda: times[0])
    dossier = await later.ok("restore_session_context")
    for text in ("Measure it", "Built the parser.", "Recursive descent", "docs/grammar.md", "1 hour ago"):
        assert text in dossier.text
    assert "write it" not in dossier.text
    assert dossier.data["session_id"] == saved.data["session_id"]
    whole = await later.ok("get_session_summary", session_id=saved.data["session_id"])
    assert whole.data["summary"] == "Built the parser.\nTests pass."
    assert "[x] write it" in whole.text


async def test_a_restored_session_keeps_its_budget_and_says_what_is_left_out() -> None:
    box = Box()
    await box.ok("save_session_summary", summary="word " * 5_000, decisions=[f"decision {number}" for number in range(200)])
    dossier = await box.ok("restore_session_context", max_tokens=200)
    tokens = dossier.data["tokens"]
    assert isinstance(tokens, int)
    assert tokens <= 200
    assert dossier.data["left_out"]
    assert dossier.uri is not None


async def test_sessions_are_listed_newest_first_searched_by_words_and_replaced_by_id() -> None:
    times = [NOW]
    box = Box(clock=lambda: times[0])
    first = await box.ok("save_session_summary", summary="about lexers", title="First")
    times[0] += 10
    second = await box.ok("save_session_summary", summary="about parsers", title="Second", tags=["p"])
    times[0] += 10
    await box.ok("save_session_summary", summary="about lexers again", title="First", session_id=first.data["session_id"])
    listed = (await box.ok("list_sessions")).data["sessions"]
    assert isinstance(listed, list)
    assert [session["id"] for session in listed] == [first.data["session_id"], second.data["session_id"]]
    assert "Second" in (await box.ok("list_sessions", tag="p")).text
    found = (await box.ok("search_sessions", query="parsers")).data["sessions"]
    assert isinstance(found, list)
    assert [session["id"] for session in found] == [second.data["session_id"]]


async def test_summaries_are_deleted_only_when_it_is_confirmed() -> None:
    box = Box()
    await box.ok("save_session_summary", summary="x")
    assert (await box.call("clear_session_index")).error == "confirm_required"
    assert (await box.ok("clear_session_index", confirm=True)).data["deleted"] == 1
    missing = await box.call("get_session_summary")
    assert (missing.ok, missing.error) == (False, "not_found")


async def test_a_switch_opens_a_projects_memory_for_that_session_and_no_other() -> None:
    box = Box()
    other = Box(store=box.store, session="s2", box=box.box)
    await box.ok("manage_projects", action="register", name="Alpha", root="/src/alpha")
    switched = await box.ok("switch_context", project="Alpha")
    assert "working directory stays" in switched.text
    await box.ok("remember", fact="alpha's secret")
    assert "alpha's secret" in (await box.ok("recall")).text
    assert "alpha's secret" not in (await other.ok("recall")).text
    await box.ok("switch_context", project="")
    assert "alpha's secret" not in (await box.ok("recall")).text


async def test_an_unknown_project_is_refused_with_those_there_are_and_the_memory_stays() -> None:
    box = Box()
    await box.ok("manage_projects", action="register", name="Alpha")
    await box.ok("switch_context", project="alpha")
    answer = await box.call("switch_context", project="beta")
    assert (answer.ok, answer.error) == (False, "not_found")
    assert "alpha" in answer.text
    assert (await box.ok("remember", fact="x")).data["scope"] == "project"
    listed = (await box.ok("manage_projects", action="list")).data["projects"]
    assert isinstance(listed, list)
    assert [project["id"] for project in listed] == ["alpha"]


@pytest.mark.parametrize(("session", "stateful"), [(None, True), ("s1", False)])
async def test_a_call_without_a_session_cannot_switch(session: str | None, stateful: bool) -> None:
    box = Box(session=session, stateful=stateful)
    await box.ok("manage_projects", action="register", name="Alpha")
    answer = await box.call("switch_context", project="alpha")
    assert (answer.ok, answer.error) == (False, "unavailable")


async def test_a_callers_own_project_is_open_from_the_beginning() -> None:
    box = Box()
    await box.ok("manage_projects", action="register", name="Alpha")
    within = Box(store=box.store, project="alpha", session=None)
    assert (await within.ok("remember", fact="x")).data["scope"] == "project"
    assert (await box.ok("recall")).data["entries"] == []


async def test_a_projects_memory_is_erased_only_when_it_is_confirmed() -> None:
    box = Box()
    await box.ok("manage_projects", action="register", name="Alpha")
    await box.ok("switch_context", project="alpha")
    await box.ok("remember", fact="x")
    await box.ok("switch_context", project="")
    refused = await box.call("manage_projects", action="remove", project="alpha", erase=True)
    assert refused.error == "confirm_required"
    kept = await box.ok("manage_projects", action="remove", project="alpha")
    assert "entries/project/alpha" in kept.text
    await box.ok("manage_projects", action="register", name="Alpha")
    await box.ok("manage_projects", action="remove", project="alpha", erase=True, confirm=True)
    assert await box.store.list("memory") == []


async def test_an_action_that_lacks_an_argument_says_which() -> None:
    answer = await Box().call("manage_projects", action="register")
    assert (answer.ok, answer.error) == (False, "invalid_input")
    assert "name" in answer.text


async def test_a_switch_that_is_called_through_another_tool_does_not_wait_for_that_one() -> None:
    box = Box()
    await box.ok("manage_projects", action="register", name="Alpha")
    answer = await asyncio.wait_for(box.ok("execute_tool", tool_name="switch_context", arguments={"project": "alpha"}), 5)
    assert "alpha" in answer.text
    assert (await box.ok("remember", fact="x")).data["scope"] == "project"
