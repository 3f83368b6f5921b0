"""Laws of retrieval: whatever a model writes is answered, within the budget, and reaches nothing that is not its own."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.retrieval.desks import COUNT, Desk, joined

from transom import Call, Context, Message, Retrieval
from transom.engine.overflow.archive import archive_path, archive_writes
from transom.engine.retrieval import COMMANDS, SMALLEST
from transom.engine.retrieval.editing import lines_of
from transom.jsontext import dumps_text
from transom.store.uri import NAMESPACES
from transom.testing.generators import conversations, prose
from transom.tokens.named import tokenizer_named

SESSIONS = 1_000
TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
CALLS, ROUNDS = 500, 10


# ── 5,000 calls of any kind ────────────────────────────────────────────────────────────────────────────────────────────


async def filled() -> tuple[Desk, dict[str, dict[str, bytes]]]:
    """A store with something in every namespace, and what must stay as it is."""
    desk = Desk()
    store = desk.store
    span = [Message("user", "Look."), Message("assistant", prose(1, 6_000), tool_calls=[Call("f", '{"a":"b\\nc"}', "c1")])]
    await store.commit(archive_writes(span))
    await store.put("vfs", prose(2, 9_000))
    await store.put("vfs", b"\x00\xff" * 300)
    for name in NAMESPACES:
        if name not in {"vfs", "archive", "intents"}:
            await store.put(name, f"what lies in {name}", path="a")
    for path in ("projects/other/a", "entries/global/a"):
        await store.put("memory", "of somebody else", path=path)
    for path in ("b", "plans/a", "plans/b"):
        await store.put("notes", f"line one of {path}\nline two\n", path=path)
        await desk.facts.set(path, f"fact {path}")
    return desk, await untouchable(desk)


async def untouchable(desk: Desk) -> dict[str, dict[str, bytes]]:
    kept: dict[str, dict[str, bytes]] = {}
    for name in NAMESPACES:
        entries = await desk.store.read_all(name)
        kept[name] = {
            path: entry.data
            for path, entry in entries.items()
            if name not in {"notes", "memory"} or path.startswith(("projects/", "entries/"))
        }
    return kept


class Fuzz:
    """Calls between the sensible and the absurd."""

    def __init__(self, seed: int, archive: str) -> None:
        self.random = random.Random(seed)
        self.archive = archive

    def calls(self, count: int) -> Iterator[tuple[str, object]]:
        for _ in range(count):
            name = self.random.choice(["context", "context", "memory", "memory", "new_context"])
            yield name, self.given(name)

    def given(self, name: str) -> object:
        kind = self.random.randrange(20)
        if kind == 0:
            return self.random.choice(
                ['{"command":', "null", "[]", "", " ", "7", '"view"', '{"command":NaN}', b"\xff", None, 7, [], "{" * 2_000]
            )
        arguments = self.sensible(name) if kind < 11 else self.absurd(name)
        return arguments if kind % 2 else dumps_text(arguments)

    def sensible(self, name: str) -> dict[str, object]:
        choose = self.random.choice
        paths = ["a", "b", "plans", "plans/a", "plans/b", "c", "d/e"]
        spaces = ["/memories/"] if name == "memory" else ["notes/", "context://memory/", "context://notes/", "memory/"]
        path = choose(spaces) + choose(paths) if self.random.random() < 0.9 else self.archive
        return {
            "command": choose(COMMANDS),
            "path": path,
            "old_path": path,
            "new_path": choose(spaces) + choose(paths),
            "file_text": prose(self.random.randrange(9), 400),
            "old_str": choose(["line", "one of", "a", "fact", "two\n", "config.toml", "#3"]),
            "new_str": choose(["", "x", "another\nline"]),
            "insert_line": choose([0, 1, 2]),
            "insert_text": "inserted\n",
            "query": choose(["line", "fact", "config.toml port", '"two"']),
        }

    def absurd(self, name: str) -> dict[str, object]:
        arguments: dict[str, object] = {"command": self.random.choice([*COMMANDS, *COMMANDS, "undo", "", None, 7, ["view"]])}
        for field, value in (
            ("path", lambda: self.path(name)),
            ("old_path", lambda: self.path(name)),
            ("new_path", lambda: self.path(name)),
            ("view_range", self.range),
            ("offset", self.number),
            ("insert_line", self.number),
            ("file_text", self.text),
            ("old_str", self.text),
            ("new_str", self.text),
            ("insert_text", self.text),
            ("query", self.text),
        ):
            if self.random.random() < 0.6:
                arguments[field] = value() if self.random.random() < 0.93 else self.odd()
        return arguments

    def path(self, name: str) -> str:
        choose = self.random.choice
        space = choose([*NAMESPACES, "notes", "memory", "notes", "memory", "nowhere", ""])
        rest = choose(
            [
                *(
                    "a",
                    "b",
                    "plans",
                    "plans/",
                    "plans/a",
                    "plans/b",
                    "c",
                    "x" * 300,
                    "",
                    "..",
                    "../vfs/a",
                    "%2e%2e/vfs/a",
                    "a\\b",
                ),
                *(
                    "a//b",
                    "projects/other/a",
                    "entries/global/a",
                    "\x00",
                    "\ud800",
                    "端口",
                    "a b%",
                    "%41",
                    "/",
                    ".",
                    "%252e%252e/a",
                ),
            ]
        )
        if name == "memory" and self.random.random() < 0.8:
            return f"/memories/{rest}"
        if self.random.random() < 0.2:
            return self.archive
        return choose(["context://", "", "/", " "]) + space + choose(["/", "", "//"]) + rest

    def text(self) -> str:
        return self.random.choice(
            [
                "",
                "a",
                "line",
                "line one of b",
                "line two\n",
                "\n",
                "\r\n",
                "x" * 4_000,
                prose(3, 3_000),
                "\ud800",
                "\x00",
                "端口 設定",
                "{}",
                "fact",
            ]
        )

    def number(self) -> object:
        return self.random.choice([0, 1, 2, 3, 7, 100, 10**12, -1, 1.0, "2", 2.5])

    def range(self) -> object:
        return [self.number(), self.number()] if self.random.random() < 0.9 else self.odd()

    def odd(self) -> object:
        return self.random.choice([None, True, 7, -1, 1.5, "", "text", [], [1], {}, {"a": 1}, ["a", "b"], 10**30])


SHAPES = (
    lambda name, given: (name, given),
    lambda name, given: {"name": name, "arguments": given},
    lambda name, given: {"id": "c", "type": "function", "function": {"name": name, "arguments": given}},
    lambda name, given: {"type": "tool_use", "id": "c", "name": name, "input": given},
    lambda name, given: {"functionCall": {"name": name, "args": given}},
)


@pytest.mark.feature("R2", "R3", "R5")
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_5000_calls_of_any_kind_are_answered_within_the_budget_and_touch_nothing_but_notes_and_memory(seed: int) -> None:
    desk, before = await filled()
    budget = (SMALLEST, 300, 2_000)[seed % 3]
    context = Context(window=32_000, store=desk.store, context_tool=Retrieval(budget=budget, native_memory=True))
    context.append(Message("user", "Go."))
    await context.compile("openai")
    span = await desk.store.list("archive")
    mistakes = 0
    for number, (name, arguments) in enumerate(Fuzz(seed, f"context://archive/{span[0]}").calls(CALLS)):
        if number % 8 == 0:
            # What was answered was not taken: the next answers have room again.
            await context.compile("openai")
        answer = await context.handle_tool(SHAPES[number % len(SHAPES)](name, arguments))
        assert answer
        assert COUNT(answer) <= budget
        mistakes += answer.startswith("Error")
    assert CALLS // 10 < mistakes < CALLS * 9 // 10
    assert await untouchable(desk) == before


@pytest.mark.feature("R3")
@settings(max_examples=200)
@given(st.text() | st.binary(max_size=50).map(repr), st.sampled_from(["context", "memory", "new_context"]))
async def test_any_text_as_arguments_is_answered(text: str, name: str) -> None:
    assert await Desk().call(name, text)


# ── views ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.feature("R5")
@settings(max_examples=150)
@given(
    st.lists(st.text(max_size=400) | st.integers(1, 4_000).map(lambda size: prose(size, size)), max_size=12),
    st.integers(SMALLEST, 900),
    st.sampled_from(["heuristic", "chars4"]),
)
async def test_the_pages_of_any_text_fit_and_are_the_text(pieces: list[str], budget: int, counter: str) -> None:
    desk = Desk(budget=budget)
    count = tokenizer_named(counter).count
    desk.host = type(desk.host)(store=desk.store, count=count, budget=budget)
    text = "\n".join(pieces)
    uri = await desk.store.put("vfs", text)
    pages = await desk.pages("view", uri)
    assert all(count(page) <= budget for page in pages)
    if not text:
        assert pages[0].endswith(": empty")
    else:
        assert joined(pages) == "\n".join(lines_of(text))


@pytest.mark.feature("R2", "R5")
@settings(max_examples=60)
@given(conversations(), st.integers(SMALLEST, 600))
async def test_every_word_of_an_archive_is_reached_page_by_page(messages: tuple[Message, ...], budget: int) -> None:
    desk = Desk(budget=budget)
    await desk.store.commit(archive_writes(messages))
    pages = await desk.pages("view", f"archive/{archive_path(messages)}")
    assert all(COUNT(page) <= budget for page in pages)
    shown = "".join("".join(page.split("\n")[1:]) for page in pages)
    for message in messages:
        for part in message.parts:
            words = getattr(part, "text", "").replace("\n", "")
            assert len(words) > 100 or len(pages) > 1 or words in shown


# ── definitions ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.feature("R1")
def test_the_definitions_are_the_same_bytes_in_1000_random_sessions() -> None:
    seen: dict[str, list[bytes]] = {}

    async def session(messages: tuple[Message, ...], target: str, writes: bool) -> None:
        context = Context(window=16_000, tokenizer="chars4", context_tool=True)
        context.append(*messages)
        if writes:
            await context.handle_tool(("context", {"command": "create", "path": "notes/a", "file_text": "x"}))
        payload = await context.compile(target)
        seen.setdefault(target, []).append(payload.sequence.pieces[0])

    @settings(max_examples=SESSIONS // 4 + 20, database=None)
    @given(conversations(max_turns=2), st.booleans())
    def compare(messages: tuple[Message, ...], writes: bool) -> None:
        for target in TARGETS:
            asyncio.run(session(messages, target, writes))

    compare()
    assert sum(map(len, seen.values())) >= SESSIONS
    assert [len(set(definitions)) for definitions in seen.values()] == [1, 1, 1, 1]
