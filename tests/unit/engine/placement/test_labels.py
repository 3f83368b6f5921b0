"""A label goes along with what it labels, from where that was written down to what the model reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transom import Context, MemoryBackend, Message, Snapshot, SQLiteBackend, Store
from transom.engine.memory.projects import Projects
from transom.engine.memory.switching import open_memory
from transom.engine.placement.labels import Labels, Provenance, day_of, label
from transom.errors import InputError
from transom.tokens import Heuristic
from transom.vocabulary import ENGLISH
from transom.vocabulary.placing import CONFIDENCES, Confidence

WORDS = ENGLISH.placing


def context_of(store: Store | None = None, **more: Any) -> Context:
    context = Context(window=8_000, tokenizer="chars4", store=store, memory=True, context_tool=True, **more)
    context.append(Message("user", "Hello."))
    return context


@pytest.mark.feature("L11")
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_a_label_says_how_sure_where_from_and_when_in_one_form(confidence: Confidence) -> None:
    where = Provenance("fact", "context://memory/style", day_of(1_743_400_000.0))
    assert label(confidence, where, WORDS, Labels(dates=True)) == f"({confidence}, fact, 2025-03-31, context://memory/style)"
    assert label(confidence, where, WORDS, Labels()) == f"({confidence}, fact, context://memory/style)"
    assert label(confidence, Provenance(), WORDS, Labels()) == f"({confidence})"
    assert label(confidence, where, WORDS, Labels(show="none")) == ""
    assert (label(confidence, where, WORDS, Labels(show="doubtful")) == "") == (confidence == "extracted")


def test_a_time_that_nobody_knows_has_no_day() -> None:
    assert (day_of(0.0), day_of(1e30), day_of(float("nan"))) == ("", "", "")


@pytest.mark.feature("L11")
async def test_every_fact_in_a_payload_says_how_sure_it_is() -> None:
    context = context_of()
    facts = context.memory.facts
    await facts.set("a", "said so")
    await facts.set("b", "must be", confidence="inferred")
    await facts.set("c", "one or two\nlines", description="about lines", confidence="ambiguous")
    text = (await context.compile()).json().decode()
    for line in ("- a: said so (extracted)", "- b: must be (inferred)", "lines (ambiguous)"):
        assert line in text
    await facts.set("b", "must be otherwise")
    assert "- b: must be otherwise (inferred)" in (await context.compile()).json().decode()
    await facts.set("b", "seen by now", confidence="extracted")
    assert "- b: seen by now (extracted)" in (await context.compile()).json().decode()


@pytest.mark.feature("L11")
@pytest.mark.parametrize(("labels", "shown"), [(False, 0), (True, 2), (Labels(show="doubtful"), 1), (Labels(show="none"), 0)])
async def test_labels_can_be_switched_off(labels: Labels | bool, shown: int) -> None:
    context = context_of(labels=labels)
    await context.memory.facts.set("a", "said so")
    await context.memory.facts.set("b", "must be", confidence="inferred")
    text = (await context.compile()).json().decode()
    assert text.count("(extracted)") + text.count("(inferred)") == shown
    found = await context.handle_tool(("context", {"command": "search", "query": "must"}))
    assert ("(inferred, fact)" in found) == (labels is True or (isinstance(labels, Labels) and labels.show != "none"))


@pytest.mark.feature("L11")
async def test_a_date_is_said_where_it_is_asked_for_and_is_that_of_the_writing() -> None:
    context = context_of(Store(MemoryBackend()), labels=Labels(dates=True))
    fact = await context.memory.facts.set("a", "said so")
    assert f"- a: said so (extracted, {day_of(fact.updated)})" in (await context.compile()).json().decode()


@pytest.mark.feature("L11")
async def test_what_a_search_gives_of_memory_is_labelled_and_what_was_said_needs_none() -> None:
    context = context_of()
    await context.memory.facts.set("harbour", "The pilot comes at noon.", confidence="ambiguous")
    await context.memory.remember("The pilot is probably ill.", confidence="inferred")
    await context.store.put("notes", "The pilot called.", path="pilot.md")
    found = await context.handle_tool(("context", {"command": "search", "query": "pilot"}))
    assert "context://memory/harbour (ambiguous, fact)" in found
    assert "(inferred, entry)\nThe pilot is probably ill." in found
    assert "context://notes/pilot.md, line 1\nThe pilot called." in found


@pytest.mark.feature("L11")
async def test_a_confidence_goes_through_a_snapshot_and_another_process(tmp_path: Path) -> None:
    store = Store(SQLiteBackend(tmp_path / "s.db"))
    context = context_of(store)
    await context.memory.facts.set("b", "must be", confidence="inferred")
    await context.compile()
    taken = context.snapshot().to_json()
    other = context_of(Store(MemoryBackend()))
    other.restore(Snapshot.from_json(taken))
    assert "- b: must be (inferred)" in (await other.compile()).json().decode()
    [fact] = await other.memory.facts.list()
    assert fact.confidence == "inferred"
    await context.aclose()
    again = context_of(Store(SQLiteBackend(tmp_path / "s.db")))
    assert "- b: must be (inferred)" in (await again.compile()).json().decode()
    moved = await again.memory.facts.rename("b", "c")
    assert (moved.confidence, (await again.memory.facts.revise("c", "else")).confidence) == ("inferred", "inferred")
    await again.aclose()


@pytest.mark.feature("L11")
async def test_a_dossier_labels_what_is_remembered_and_calls_its_summary_inferred() -> None:
    store = Store(MemoryBackend())
    await Projects(store).register("Port")
    scope = await open_memory(store, "Port")
    await scope.memory.facts.set("cranes", "three", confidence="ambiguous")
    entry = await scope.memory.entries.remember("The quay is closed.", confidence="inferred")
    await scope.sessions.save("Dredged the harbour.", session_id="s0")
    dossier = await scope.restore(count=Heuristic().count)
    assert "Summary (inferred)\nDredged the harbour." in dossier.text
    assert "- cranes: three (ambiguous, context://memory/projects/port/cranes)" in dossier.text
    assert f"The quay is closed. (inferred, {entry.uri})" in dossier.text
    assert "inferred" not in (await scope.restore(count=Heuristic().count, labelled=False)).text


@pytest.mark.parametrize("wrong", ["all", 1, None])
def test_what_is_no_setting_is_refused(wrong: object) -> None:
    with pytest.raises(InputError):
        Context(window=4_000, labels=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        Labels(show="some")  # type: ignore[arg-type]


async def test_a_confidence_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        await context_of().memory.facts.set("a", "b", confidence="sure")  # type: ignore[arg-type]
    assert "inferred" in refused.value.hint
