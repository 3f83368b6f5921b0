"""What a model remembers, recalls, searches and forgets through the tools."""

from __future__ import annotations

import pytest
from tests.unit.toolbox.memory.memory_box import NOW, Box

from transom.engine.memory.facts import Facts
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.memory import FAMILY
from transom.toolbox.tool import Envelope


def _records(answer: Envelope, family: str) -> list[dict[str, object]]:
    found = answer.data[family]
    assert isinstance(found, list)
    return found


@pytest.mark.feature("S10")
async def test_what_is_remembered_is_recalled_searched_and_forgotten_by_its_id() -> None:
    box = Box()
    kept = await box.ok("remember", fact="The build needs Python 3.11", title="Python", tags=["build"])
    assert kept.data["remembered"] is True
    recalled = await box.ok("recall")
    (entry,) = _records(recalled, "entries")
    assert (entry["id"], entry["type"], entry["title"], entry["tags"]) == (
        kept.data["entry_id"],
        "decision",
        "Python",
        ["build"],
    )
    assert recalled.data["diagnostics"] == {"total_records_in_file": 1, "memory_entries_found": 0, "context_entries_found": 1}
    found = await box.ok("search_context", query="python")
    assert [hit["id"] for hit in _records(found, "hits")] == [kept.data["entry_id"]]
    gone = await box.ok("forget", entry_id=kept.data["entry_id"])
    assert gone.data["family"] == "context"
    again = await box.call("forget", entry_id=kept.data["entry_id"])
    assert (again.ok, again.error) == (False, "not_found")
    assert "entries" in again.text
    assert "facts" in again.text
    assert _records(await box.ok("recall"), "entries") == []


@pytest.mark.feature("L11")
async def test_recall_shows_both_families_each_with_how_sure_it_is_and_from_when() -> None:
    box = Box()
    await Facts(box.store, clock=lambda: NOW).set("style/quotes", "double", confidence="inferred")
    await box.ok("remember", fact="It may be a race", confidence="ambiguous")
    answer = await box.ok("recall")
    assert "style/quotes: double (inferred" in answer.text
    assert "It may be a race (ambiguous" in answer.text
    assert answer.text.count("2023-11-14") == 2
    assert [fact["key"] for fact in _records(answer, "facts")] == ["style/quotes"]


async def test_a_long_entry_is_shown_in_part_and_read_whole_at_its_address() -> None:
    box = Box()
    text = "begins here " + "x" * 3_000
    kept = await box.ok("remember", fact=text)
    answer = await box.ok("recall")
    assert len(answer.text) < 1_000
    assert str(kept.data["uri"]) in answer.text
    assert "x" * 1_000 in (await box.ok("context", command="view", path=kept.data["uri"])).text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("remember", {"fact": "  "}),
        ("remember", {"fact": "x", "type": "thought"}),
        ("remember", {"fact": "x" * 262_145}),
        ("recall", {"limit": 51}),
        ("recall", {"limit": 0}),
        ("search_context", {"query": "x", "type": "none"}),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_is_kept(tool: str, arguments: dict[str, object]) -> None:
    box = Box()
    answer = await box.call(tool, **arguments)
    assert (answer.ok, answer.error) == (False, "invalid_input")
    assert await box.store.list("memory") == []


async def test_an_entry_of_a_session_is_seen_by_that_session_alone_and_for_a_day() -> None:
    times = [NOW]
    box = Box(clock=lambda: times[0])
    await box.ok("remember", fact="only now", scope="session")
    other = Box(store=box.store, session="s2", box=box.box)
    assert len(_records(await box.ok("recall"), "entries")) == 1
    assert _records(await other.ok("recall"), "entries") == []
    times[0] += 86_401
    assert _records(await box.ok("recall"), "entries") == []
    assert await box.store.list("memory") == []


@pytest.mark.parametrize("session", ["a/b+c==", "../x", "\ud800", "x" * 2_000, "  "])
async def test_a_client_may_call_its_session_as_it_likes(session: str) -> None:
    box = Box(session=session)
    await box.ok("remember", fact="only here", scope="session")
    assert "only here" in (await box.ok("recall")).text
    assert "only here" not in (await Box(store=box.store).ok("recall")).text


async def test_without_a_session_nothing_is_remembered_for_one() -> None:
    answer = await Box(session=None).call("remember", fact="x", scope="session")
    assert (answer.ok, answer.error) == (False, "invalid_input")
    assert "global" in answer.text


@pytest.mark.parametrize(
    ("alias", "arguments", "tool"),
    [
        ("save_memory", {"fact": "x"}, "remember"),
        ("track_important_event", {"title": "t", "content": "x", "type": "error"}, "remember"),
        ("get_memory", {}, "recall"),
        ("get_context_memory", {"limit": 3}, "recall"),
        ("context_summary", {}, "recall"),
        ("register_project", {"name": "Alpha", "path": "/tmp/alpha"}, "manage_projects"),
        ("list_projects", {}, "manage_projects"),
        ("search_projects", {"query": "alpha"}, "manage_projects"),
    ],
)
async def test_older_names_answer_and_say_what_they_are_called_now(alias: str, arguments: dict[str, object], tool: str) -> None:
    box = Box()
    answer = await box.ok(alias, **arguments)
    assert answer.data["deprecated_alias"] == alias
    assert tool in str(answer.data["deprecation_note"])
    assert box.box is not None
    assert alias not in {listed.name for listed in box.box.listed()}


async def test_older_names_for_deleting_and_looking_up_take_their_older_arguments() -> None:
    box = Box()
    await Facts(box.store).set("k", "v")
    assert (await box.ok("delete_memory", key="k")).data["family"] == "facts"
    kept = await box.ok("save_memory", content="x")
    assert (await box.ok("delete_context_entry", id=kept.data["entry_id"])).data["family"] == "context"
    await box.ok("register_project", project_name="Alpha")
    assert "alpha" in (await box.ok("get_project_info", name="Alpha")).text


async def test_the_summary_of_the_older_name_shows_five_entries_and_no_facts() -> None:
    box = Box()
    await Facts(box.store).set("k", "v")
    for number in range(7):
        await box.ok("remember", fact=f"thing {number}")
    answer = await box.ok("context_summary")
    assert len(_records(answer, "entries")) == 5
    assert _records(answer, "facts") == []


@pytest.mark.parametrize(("scope", "left"), [("facts", (0, 2)), ("entries", (1, 0)), ("all", (0, 0))])
async def test_memory_is_cleared_only_when_it_is_confirmed_and_only_the_open_projects(
    scope: str, left: tuple[int, int]
) -> None:
    box = Box()
    await box.ok("remember", fact="everybody's")
    await box.ok("manage_projects", action="register", name="Alpha")
    await box.ok("switch_context", project="alpha")
    await box.ok("remember", fact="one")
    await box.ok("remember", fact="two")
    await Facts(box.store, project="alpha").set("k", "v")
    await Facts(box.store).set("shared", "v")
    refused = await box.call("clear_context_memory", scope=scope)
    assert (refused.ok, refused.error) == (False, "confirm_required")
    await box.ok("clear_context_memory", scope=scope, confirm=True)
    after = await box.ok("recall")
    own = [fact for fact in _records(after, "facts") if fact["project"] == "alpha"]
    assert (len(own), len([entry for entry in _records(after, "entries") if entry["scope"] == "project"])) == left
    assert [entry["content"] for entry in _records(after, "entries") if entry["scope"] == "global"] == ["everybody's"]
    assert "shared" in [fact["key"] for fact in _records(after, "facts")]


async def test_what_another_process_remembers_is_seen_at_once() -> None:
    box = Box()
    await box.ok("recall")
    other = Box(store=box.store)
    kept = await other.ok("remember", fact="from elsewhere")
    await Facts(box.store).set("k", "from elsewhere too")
    answer = await box.ok("recall")
    assert [entry["id"] for entry in _records(answer, "entries")] == [kept.data["entry_id"]]
    assert [fact["value"] for fact in _records(answer, "facts")] == ["from elsewhere too"]


async def test_without_the_service_the_answer_says_that_memory_is_not_here() -> None:
    answer = await Toolbox((FAMILY,)).call("recall", {}, Caller(session="s"))
    assert (answer.ok, answer.error) == (False, "unavailable")


async def test_what_older_prompts_save_they_get_back() -> None:
    box = Box()
    await box.ok("save_memory", memory="the quay floods")
    assert "the quay floods" in (await box.ok("get_memory")).text


async def test_the_start_of_an_id_is_enough_to_forget_where_no_other_begins_so() -> None:
    box = Box()
    kept = str((await box.ok("remember", fact="one")).data["entry_id"])
    await box.ok("remember", fact="two")
    assert (await box.call("forget", entry_id=kept[:5])).error == "not_found"
    await box.ok("forget", entry_id=kept[:6])
    assert [record["content"] for record in _records(await box.ok("recall"), "entries")] == ["two"]
