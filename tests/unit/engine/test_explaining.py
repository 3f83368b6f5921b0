"""Any compile can be explained: while its session lives by number, later and elsewhere from its flight record."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.sessions import HEAD, context_of, dialogue, driven, round_of, tool_loop, words

from transom import Context, Message, SQLiteBackend, Store, chain, clear, reset
from transom.engine.explaining import MOST_REMEMBERED, Explanation, RecentCompiles, account, explain_flight
from transom.engine.payload import PayloadMeta
from transom.errors import InputError
from transom.recorder import FlightRecorder, flight

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")


@pytest.mark.feature("X6")
@pytest.mark.parametrize("target", TARGETS)
async def test_every_compile_of_a_session_is_explained_by_its_number(target: str) -> None:
    context = context_of(overflow=chain(clear(), reset()))
    context.head = HEAD
    context.system("Be brief.")
    payloads = await driven(context, tool_loop(40), target)
    assert len(payloads) > 30
    for number, payload in enumerate(payloads, 1):
        explained = context.explain(number)
        assert explained.turn == number
        assert explained.record == flight(payload.meta)
        assert context.explain(number - len(payloads) - 1) == explained
        said = explained.text()
        assert said.startswith(f"Compile {number} for {target}, window {payload.meta.window_id}\n")
        assert f"{payload.meta.tokens_after:,} went out" in said
        for part, tokens in payload.meta.parts.items():
            assert (f"{part} {tokens:,}" in said.splitlines()[2]) == (tokens > 0)
        for moved in payload.meta.moved[:12]:
            assert moved.uri in said
        assert ("have to be read again" in said) == payload.meta.prefix.broken
        assert ("closed w" in said) == bool(payload.meta.closed)


@pytest.mark.feature("X6")
async def test_the_text_of_a_closing_says_what_left_where_and_what_it_cost() -> None:
    context = context_of(overflow=reset())
    payloads = await driven(context, tool_loop(40))
    number, closing = next((n, p) for n, p in enumerate(payloads, 1) if p.meta.closed)
    lines = context.explain(number).text().splitlines()
    meta = closing.meta
    assert f"  reset closed w1 and opened w2: {meta.closing.before:,} tokens became {meta.closing.after:,}" in lines  # type: ignore[union-attr]
    assert f"  what left in the last closing: {meta.archives[-1]}" in lines
    (evicted,) = [moved for moved in meta.moved if moved.kind == "evict"]
    assert any(line.startswith("    whole turns, when the window closed") and line.endswith(evicted.uri) for line in lines)
    lost = next(line for line in lines if "have to be read again" in line)
    assert lost.startswith(("    moved at messages[0]: reset closed w1; ", "    moved at the head: reset closed w1; "))
    assert f"{meta.prefix.lost_bytes:,} bytes" in lost


@pytest.mark.feature("X6")
async def test_a_pruned_result_is_explained_with_its_address_and_its_tool() -> None:
    context = context_of(round_of(1, 40_000, ask="Read it."), window=200_000)
    payload = await context.compile()
    (moved,) = payload.meta.moved
    assert f"    an oversized result when it was first seen (read_file): {moved.bytes:,} bytes, {moved.uri}" in str(
        context.explain(1)
    )


@pytest.mark.feature("X6")
async def test_repairs_and_losses_are_explained() -> None:
    context = context_of([Message("user", "Hello."), Message("tool", "orphan", tool_call_id="nobody")])
    await context.compile()
    assert "orphan_result" in context.explain(-1).text()


@pytest.mark.feature("X6")
async def test_another_process_explains_a_compile_from_its_flight_record(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    async with Store(SQLiteBackend(path)) as store:
        context = context_of(store=store, overflow=reset())
        recorder = FlightRecorder("monday")
        context.join(recorder)
        payloads = await driven(context, tool_loop(30))
        await recorder.flush(store)
        here = [context.explain(number).text() for number in range(1, len(payloads) + 1)]
    code = (
        "import asyncio, json, sys\n"
        "from transom import SQLiteBackend, Store\n"
        "from transom.engine.explaining import explain_flight\n"
        "async def main():\n"
        "    async with Store(SQLiteBackend(sys.argv[1])) as store:\n"
        "        records = sorted((await store.read_all('flights', 'monday/')).items())\n"
        "    said = [explain_flight(json.loads(e.data), int(p.rsplit('/')[-1])).text() for p, e in records]\n"
        "    print(json.dumps(said))\n"
        "asyncio.run(main())\n"
    )
    done = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(path), stdout=subprocess.PIPE)
    said, _ = await done.communicate()
    assert done.returncode == 0
    assert json.loads(said) == here


async def test_an_explanation_is_json() -> None:
    context = context_of(overflow=reset())
    payloads = await driven(context, tool_loop(30))
    explained = context.explain(-1)
    value = json.loads(json.dumps(explained.as_dict()))
    assert value["turn"] == len(payloads)
    assert explain_flight(value).text() == explained.text().replace(f"Compile {len(payloads)}", "Compile")


def test_no_field_of_an_account_is_forgotten() -> None:
    said_otherwise = {
        "lineage": {"window_id", "previous_window"},
        **{key: {"tokens"} for key in ("tokens_before", "tokens_after", "reserve", "trigger")},
        **{key: {"prefix"} for key in ("prefix_bytes", "sequence_bytes", "tail_bytes")},
        "archives": {"archive"},
        "closed": {"closed_by"},
        "repairs": {"notes"},
        "timings": {"milliseconds"},
    }
    context = context_of(dialogue(1))
    record = account(context.compile_sync().meta)
    for field in fields(PayloadMeta):
        assert said_otherwise.get(field.name, {field.name}) <= set(record), field.name


@pytest.mark.parametrize("turn", [0, 4, -4, 10_000, True, "1", 1.0, None])
async def test_a_compile_that_was_not_is_refused(turn: object) -> None:
    context = context_of(dialogue(1))
    for _ in range(3):
        await context.compile()
    with pytest.raises(InputError) as refused:
        context.explain(turn)  # type: ignore[arg-type]
    assert refused.value.hint


def test_before_the_first_compile_there_is_nothing_to_explain() -> None:
    with pytest.raises(InputError, match="nothing was compiled yet"):
        context_of(dialogue(1)).explain(-1)


async def test_the_last_compiles_are_remembered_and_no_more() -> None:
    context = Context(window=8_000, tokenizer="chars4")
    context.append(Message("user", "Hello."))
    for _ in range(MOST_REMEMBERED + 3):
        await context.compile()
    assert context.explain(-1).turn == MOST_REMEMBERED + 3
    assert context.explain(4).turn == 4
    assert context.explain(-MOST_REMEMBERED).turn == 4
    with pytest.raises(InputError, match="compile 3 is no longer remembered"):
        context.explain(3)


async def test_what_left_is_not_kept_in_memory_for_the_explanation() -> None:
    context = context_of(round_of(1, 40_000, ask="Read it."), window=200_000)
    payload = await context.compile()
    recent = RecentCompiles()
    recent.add(payload.meta)
    assert payload.meta.moved[0].text
    (kept,) = recent._metas  # what is held is what this is about
    assert not kept.moved[0].text
    assert recent.explain(1).record == account(payload.meta)


@given(st.lists(st.integers(1, 5)), st.integers(1, 6))
def test_numbers_stay_true_whatever_was_forgotten(seen: list[int], limit: int) -> None:
    meta = context_of([Message("user", words(3))]).compile_sync().meta
    recent = RecentCompiles(limit)
    for _ in seen:
        recent.add(meta)
    assert recent.count == len(seen)
    assert len(recent) == min(len(seen), limit)
    for number in range(1, len(seen) + 1):
        if number > len(seen) - limit:
            assert recent.explain(number).turn == recent.explain(number - len(seen) - 1).turn == number
        else:
            with pytest.raises(InputError, match="no longer remembered"):
                recent.explain(number)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    "target",
    "window",
    "parts",
    "moved",
    "closed_by",
    "closing",
    "notes",
    "prefix",
    "audit",
    "milliseconds",
    "memory",
    "archive",
)


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
@settings(max_examples=200)
def test_a_record_of_any_age_is_explained_as_far_as_it_goes(record: dict[str, object]) -> None:
    assert explain_flight({**record, "tokens": {}}).text().startswith("Compile for ")


@given(JSON)
def test_what_is_no_record_is_refused(value: object) -> None:
    if not (isinstance(value, dict) and isinstance(value.get("tokens"), dict)):
        with pytest.raises(InputError, match="not a flight record"):
            explain_flight(value)


def test_a_long_list_is_cut_and_counted() -> None:
    notes = [{"code": "dropped", "where": f"messages[{n}]", "detail": "x"} for n in range(40)]
    lines = Explanation(1, {"tokens": {}, "notes": notes}).text().splitlines()
    assert lines[-1] == "    and 28 more"
