"""Every word a model reads comes from the vocabulary: sessions in a language of its own letters, and what else they say.

The vocabulary of these sessions has all its letters in a plane that nothing else uses. The callers speak scripts other than
Latin, and the little Latin they need (names, paths, arguments) is known. Whatever else of Latin letters a payload holds is a
literal that some module says past the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime

import pytest
from tests.unit.vocabulary.moved import MOVED, own_words

from transom import Context, Message, chain, clear, digest, reset
from transom.engine.memory.entry import ENTRY_TYPES
from transom.engine.memory.hooks import MemorySettings
from transom.engine.memory.switching import open_memory
from transom.engine.offload.payloads import PruneSettings
from transom.engine.overflow.digesting import digest as write_digest
from transom.engine.overflow.durable import compact_history, plan_compaction
from transom.engine.overflow.guard import guard
from transom.engine.overflow.handoff import Handoff
from transom.engine.overflow.strategies import anchored, background, server, summarize
from transom.engine.overflow.strategy import Strategy
from transom.engine.placement.temporal import Temporal
from transom.engine.retrieval import COMMANDS, NEW_CONTEXT, READABLE, Retrieval
from transom.jsontext import dumps_text, loads
from transom.messages import Attachment, Call, Result, Text, Thinking, Tool
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.testing.model import ScriptedModel
from transom.tokens.chars import Chars
from transom.vocabulary import ENGLISH
from transom.wire.convert import convert_request
from transom.wire.format import Head, RenderOptions, Request
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

pytestmark = pytest.mark.feature("X5")

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")

_NAMES = frozenset(
    (
        *("role", "type", "id", "call_id", "tool_use_id", "tool_call_id", "name", "model", "media_type", "mimeType", "data"),
        *(
            "url",
            "image_url",
            "file_data",
            "fileUri",
            "detail",
            "status",
            "mode",
            "signature",
            "arguments",
            "input",
            "args",
            "enum",
            "required",
        ),
    )
)
"""Members whose values are a protocol's or the caller's own, not text."""

_TAGS = re.compile(r"</?(?:earlier|messages|output_contract|parts|part_\d+)_*>")
"""Elements that frame a text: marks of structure, the same in all languages."""

_ADDRESS = re.compile(r"context://[^\s\"'<>)\]]+|#[0-9a-f]{8}\b|\bw\d+(?::\d+)?\b")
_LATIN = re.compile(r"[A-Za-z]{2,}")


@dataclass
class Spoken:
    """What the caller said, and the payloads that came of it.

    Attributes:
        caller: every text of the caller.
        told: every word of ours that was seen, moved back.
    """

    caller: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)

    def strays(self, body: object) -> list[str]:
        """Latin words of a payload that neither the caller nor the vocabulary said."""
        corpus = "\n".join(self.caller)
        found: list[str] = []
        for text in _texts(body):
            self.told.update(own_words(text))
            rest = _TAGS.sub(" ", _ADDRESS.sub(" ", text))
            found.extend(f"{word!r} in {text[:300]!r}" for word in _LATIN.findall(rest) if word not in corpus)
        return found


def _texts(value: object, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if name not in _NAMES:
            yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, name)


def _said(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            match part:
                case Text() | Thinking():
                    yield part.text
                case Call():
                    yield f"{part.name} {part.arguments}"
                case Result():
                    yield part.text
                case Attachment():
                    yield f"{part.filename} {part.media_type} {part.url}"
                case _:
                    pass


TOOLS = (
    Tool("zeta_run", description="запускает", parameters={"type": "object", "properties": {}}),
    Tool("zeta_open", description="открывает", parameters={"type": "object", "properties": {}}),
)
HEAD = Head(model="a-model", tools=TOOLS)
PAGE = "Строка длинного вывода, в которой ничего нет, кроме слов и числа 4711.\n"
PICTURE = "iVBORw0KGgo="


def call(number: int, name: str, **arguments: object) -> Message:
    return Message("assistant", tool_calls=[Call(name, dumps_text(arguments), f"c{number}")])


def result(number: int, text: str, *, failed: bool = False) -> Message:
    return Message("tool", [Result((Text(text),), call_id=f"c{number}", is_error=failed)])


def episode(number: int) -> list[Message]:
    """A piece of work in which everything happens that a digest has words for."""
    n = number * 100
    path, other = f"/q/folder/zz{number}.py", f"/q/folder/yy{number}.py"
    long = "x" * 300
    return [
        Message("user", f"Задача {number}: нельзя трогать файл {path}. Нужно исправить ошибку. " + "Подробности ниже. " * 30),
        Message(
            "assistant", [Thinking("Думаю об этом долго."), Text("Решено: причина в кодировке. Дальше осталось проверить.")]
        ),
        Message("user", "好的"),
        call(n + 1, "zeta_open", path=path, pattern="ищу"),
        result(n + 1, PAGE * 12),
        call(n + 2, "grep", path=path, pattern="ищу"),
        result(n + 2, "мало"),
        call(n + 3, "bash", command=f"qtest {path}"),
        result(n + 3, f"Не вышло: {path}\n" + PAGE * 10, failed=True),
        call(n + 4, "write", path=path, content="- [ ] проверить\n- [x] начать\n"),
        result(n + 4, "готово"),
        call(n + 5, "bash", command=f"qtest {path}"),
        result(n + 5, "хорошо"),
        call(n + 6, "delete", path=other),
        result(n + 6, "готово"),
        call(n + 11, "str_replace", path=path),
        result(n + 11, "не вышло", failed=True),
        call(n + 12, "rename", path=other),
        result(n + 12, "готово"),
        call(n + 13, "zeta_open", path="/q/folder/same.py"),
        result(n + 13, "кратко"),
        call(n + 14, "bash", command=f"cd /q && qtest {long} ; qtest {number}"),
        result(n + 14, f"panic: {path} {long}", failed=True),
        call(n + 15, "bash", command="qsame"),
        result(n + 15, f"panic: zz{number}.py", failed=number % 2 == 0),
        call(n + 16, "str_replace", path=path),
        result(n + 16, "готово"),
        call(n + 7, ""),
        result(n + 7, "пусто"),
        call(n + 8, "todo", todos=[{"content": f"сделать {number}", "status": "pending"}]),
        result(n + 8, "принято"),
        call(n + 9, "bash", command=f"qbuild {number}"),
        result(n + 9, '{"returncode": 2}', failed=True),
        call(n + 17, "bash", command="qagain"),
        result(n + 17, '{"returncode": 2}', failed=True),
        call(n + 19, "bash", command=f"qgone {number}"),
        result(n + 19, MOVED.cleared_mark("bash", 4711, "context://vfs/" + "0" * 64)),
        call(n + 20, "str_replace", path=f"/q/last{number}.py"),
        result(n + 20, "не вышло", failed=True),
        call(n + 18, "zeta_run", query=f"запрос {number} ZETA_NAME"),
        result(n + 18, PAGE * 10),
        Message("user", [Attachment("application/x-zz", data="AAAA", filename="zz.bin")]),
        Message("assistant", [Text("Что сделать дальше? " + "Объяснение. " * 20)]),
        Message("user", [Attachment("application/x-zz", data="AAAA"), Text("И ещё вот это.")]),
        call(n + 10, "zeta_run", q=number),
    ]


def session(episodes: int) -> list[Message]:
    """Several pieces of work. Each leaves a call without a result, the whole begins without a user."""
    opening = [Message("assistant", "Начинаю без вопроса.")]
    rules = [Message("user", "<user_instructions>Правила проекта ZETA_NAME.</user_instructions>")]
    return [*opening, *rules, *(message for number in range(1, episodes + 1) for message in episode(number))]


SUMMARY = (
    "<analysis>Думаю.</analysis><summary>## Итог\nСделано то и это, осталось проверить. Пользователь просил не трогать файл и"
    " исправить ошибку; причина в кодировке. Всё остальное лежит здесь: context://archive/0123456789abcdef</summary>"
)


def model() -> ScriptedModel:
    return ScriptedModel(lambda _received: SUMMARY, name="zeta-model", window=4_000)


PRUNE = PruneSettings(threshold=1_024, head=200, tail=100)
STRATEGIES: dict[str, tuple[Callable[[ScriptedModel], Strategy], dict[str, object]]] = {
    "chain": (lambda _: chain(clear(), digest(), reset()), {}),
    "clear": (lambda _: chain(clear(), reset()), {}),
    "digest": (lambda _: chain(digest(), reset()), {"window": 24_000, "prune": False}),
    "small digest": (lambda _: chain(digest(max_tokens=400), reset()), {"window": 4_000}),
    "reset": (lambda _: reset(), {}),
    "summarize": (lambda model: chain(summarize(model, instructions="Кратко.", guidelines=["По делу."]), reset()), {}),
    "anchored": (lambda model: chain(anchored(model), reset()), {}),
    "background": (lambda model: chain(background(summarize(model)), digest(), reset()), {}),
    "server": (lambda _: server(fallback=chain(clear(), digest(), reset())), {}),
}


def context(strategy: Strategy, **more: object) -> Context:
    given = {"window": 8_000, "store": Store(MemoryBackend()), "tokenizer": "chars4", "thinking": "text", "prune": PRUNE} | more
    made = Context(overflow=strategy, vocabulary=MOVED, **given)  # type: ignore[arg-type]
    made.head = HEAD
    made.system("Ты помощник.")
    return made


def spoken_by(messages: Sequence[Message], *more: str) -> Spoken:
    return Spoken([*_said(messages), *(f"{tool.name} {tool.description}" for tool in TOOLS), *more])


async def run(made: Context, messages: Sequence[Message], spoken: Spoken, target: str) -> list[str]:
    """Compile a session as its agent would; the strays of all its payloads."""
    found: list[str] = []
    for message in messages:
        made.append(message)
        if message.role == "user":
            found.extend(spoken.strays((await made.compile(target)).body))
    return found


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", STRATEGIES)
async def test_no_strategy_says_anything_past_the_vocabulary(name: str, target: str) -> None:
    make, settings = STRATEGIES[name]
    asked, messages = model(), session(8)
    spoken = spoken_by(messages, SUMMARY)
    assert await run(context(make(asked), **settings), messages, spoken, target) == []
    assert spoken.told, "a session in which nothing of ours is seen shows nothing"
    if asked.received:
        assert set(_LATIN.findall(ENGLISH.summarizing.mark)) <= spoken.told
    for received in asked.received:
        assert spoken.strays(list(_said(received.request.messages))) == []


async def test_every_word_of_digests_and_repairs_is_seen_in_some_payload() -> None:
    messages = session(12)
    spoken = spoken_by(messages)
    for target, settings in (("openai", {"window": 24_000, "prune": False}), ("gemini", {}), ("anthropic", {"window": 3_500})):
        assert await run(context(chain(digest(), reset()), **settings), messages, spoken, target) == []
    made = context(reset())
    made.append(Message("user", "Вопрос"), Message("assistant", "Ответ начинается так"))
    assert spoken.strays((await made.compile("gemini")).body) == []
    for budget in range(20, 400, 20):
        made_of = write_digest(
            messages,
            previous=None,
            budget=budget,
            tokenizer=Chars(),
            archive_uri="context://archive/a1",
            window="w1",
            vocabulary=MOVED,
        )
        assert spoken.strays(made_of.text) == []
    for part in (ENGLISH.digesting, ENGLISH.mending):
        for item in fields(part):
            words = _LATIN.findall(re.sub(r"\{[^}]*\}", "", getattr(part, item.name)))
            assert set(words) <= spoken.told, f"{item.name} is not seen"


@pytest.mark.parametrize("target", TARGETS)
async def test_what_stands_around_a_conversation_is_said_in_the_words_of_the_vocabulary(target: str) -> None:
    made = context(
        chain(clear(), digest(), reset()),
        handoff=Handoff(2_000),
        guard=guard(warn=0.3, compress=0.6, keep_last=2),
        memory=MemorySettings(max_tokens=200, max_facts=4),
        temporal=Temporal(clock=lambda: datetime(2026, 3, 5, 9, 30, tzinfo=UTC), form="prominent"),
    )
    messages = session(5)
    spoken = spoken_by(messages, "zeta_key", "zeta_state", "zeta_tag")
    made.state({"zeta_state": "состояние"}, tag="zeta_tag")
    made.guardrail("Отвечай кратко.", answer="zeta_tag", prefill="Итак")
    made.announce("one", "Идёт выкладка.")
    for number in range(8):
        await made.memory.facts.set(f"zeta_key{number}", "значение " * 20 * number, description="описание" * (number % 2))
    found: list[str] = []
    for at, message in enumerate(messages):
        if at == len(messages) // 2:
            await made.memory.facts.set("zeta_key1", "другое")
            await made.memory.facts.delete("zeta_key2")
            made.sticky("Кусок документа.")
            made.request_new_context()
        found += await run(made, [message], spoken, target)
    assert found == []


FOLDERS = ("", "/", "memory", "notes", "archive", "sessions", "zeta", "../x", "a/")
ASKED: tuple[dict[str, object], ...] = (
    *[dict[str, object](command="view", path=path) for path in FOLDERS],
    {"command": "create", "path": "notes/план", "file_text": "один\nдва\nтри\n" * 400},
    {"command": "create", "path": "notes/план", "file_text": "ещё"},
    {"command": "create", "path": "notes/пусто", "file_text": ""},
    {"command": "create", "path": "memory/zeta_key", "file_text": "значение"},
    {"command": "create", "path": "vfs/x", "file_text": "нет"},
    {"command": "view", "path": "notes/план"},
    {"command": "view", "path": "notes/план", "view_range": [5, 9]},
    {"command": "view", "path": "notes/план", "view_range": [9, 5]},
    {"command": "view", "path": "notes/план", "view_range": "все"},
    {"command": "view", "path": "notes/план", "offset": 9_999},
    {"command": "view", "path": "notes/пусто"},
    {"command": "view", "path": "notes/нет"},
    {"command": "str_replace", "path": "notes/план", "old_str": "один", "new_str": "раз"},
    {"command": "str_replace", "path": "notes/план", "old_str": "сто", "new_str": "раз"},
    {"command": "str_replace", "path": "memory/zeta_key", "old_str": "значение", "new_str": "другое"},
    {"command": "str_replace", "path": "memory/zeta_key", "old_str": "другое", "new_str": "другое"},
    {"command": "insert", "path": "notes/план", "insert_line": 0, "insert_text": "ноль"},
    {"command": "insert", "path": "notes/план", "insert_line": 99_999, "insert_text": "ноль"},
    {"command": "rename", "old_path": "notes/план", "new_path": "notes/другой"},
    {"command": "rename", "old_path": "notes/другой", "new_path": "notes/пусто"},
    {"command": "delete", "path": "notes/другой"},
    {"command": "delete", "path": "archive"},
    {"command": "search", "query": "слов число"},
    {"command": "search", "query": "неслыханно"},
    {"command": "search"},
    {"command": "лети"},
    {},
)
"""Calls of the context tool that are answered with everything there is to say: views, changes and refusals."""


@pytest.mark.parametrize("target", TARGETS)
async def test_the_context_tool_is_defined_and_answers_in_the_words_of_the_vocabulary(target: str) -> None:
    made = context(chain(clear(), digest(), reset()), context_tool=Retrieval(budget=300), memory=MemorySettings(max_tokens=200))
    messages = session(5)
    # Commands, arguments and namespaces are names, and the same in every language.
    names = [*COMMANDS, *(item.name for item in fields(MOVED.retrieving.arguments)), *READABLE, "context", NEW_CONTEXT]
    spoken = spoken_by(messages, *names, *map(str, ASKED), "user assistant tool system")
    assert await run(made, messages, spoken, target) == []
    for asked in ASKED:
        answer = await made.handle_tool(("context", asked))
        assert spoken.strays(answer) == [], asked
    for uri in await made.store.list("archive"):
        assert spoken.strays(await made.handle_tool(("context", {"command": "view", "path": f"archive/{uri}"}))) == []
    # What a parser, a hook or the store says is quoted.
    spoken.caller.append("not JSON: Expecting property name enclosed in double quotes at line, column")
    assert spoken.strays(await made.handle_tool(("context", "{не JSON"))) == []
    assert spoken.strays(await made.handle_tool((NEW_CONTEXT, {}))) == []


async def test_what_is_recalled_and_restored_is_said_in_the_words_of_the_vocabulary() -> None:
    store = Store(MemoryBackend())
    clock = iter(range(1_000_000, 99_000_000, 100_000)).__next__
    scope = await open_memory(store, clock=clock, ids=iter(["zeta1", "zeta2"]).__next__, vocabulary=MOVED)
    # Kinds of entries are names that a model asks by.
    spoken = Spoken(["zeta1 zeta2 zeta_key /q/zz", *READABLE, *ENTRY_TYPES])
    assert spoken.strays((await scope.memory.recall()).summary) == []
    for number in range(6):
        await scope.memory.facts.set(f"zeta_key{number}", "значение " * 30)
        await scope.memory.remember("стоит помнить " * 20, title="Запись", type=ENTRY_TYPES[number % 2])
    assert spoken.strays((await scope.memory.recall(limit=2)).summary) == []
    await scope.sessions.save(
        "Сделано.", title="Итог", next_steps=["дальше"], decisions=["решено"] * 9, files=[f"/q/zz{n}" for n in range(9)]
    )
    for budget in (60, 150, 400, 4_000):
        dossier = await scope.restore(max_tokens=budget, count=Chars().count, vocabulary=MOVED)
        assert spoken.strays(dossier.text) == []
    assert set(_LATIN.findall(ENGLISH.remembering.dossier.next_steps)) <= spoken.told


async def test_a_history_compacted_by_hand_says_nothing_past_the_vocabulary() -> None:
    asked, messages = model(), session(4)
    spoken = spoken_by(messages, SUMMARY)
    planned = plan_compaction(messages, window=4_000, tokenizer="chars4", vocabulary=MOVED)
    made = await compact_history(messages, planned, model=asked)
    assert made.changed
    assert spoken.strays(list(_said(made.messages))) == []
    for received in asked.received:
        assert spoken.strays(list(_said(received.request.messages))) == []
    assert spoken.told


async def test_the_memory_tool_of_anthropic_answers_in_the_words_of_the_vocabulary() -> None:
    made = context(reset(), context_tool=Retrieval(native_memory=True))
    path = {"path": "/memories/zeta.txt"}
    spoken = spoken_by([], "/memories/zeta.txt /memories/zeta2.txt /tmp")
    for asked in (
        {"command": "view", "path": "/memories"},
        {"command": "create", **path, "file_text": "один\nдва\n"},
        {"command": "create", **path, "file_text": "один"},
        {"command": "view", "path": "/memories"},
        {"command": "view", **path},
        {"command": "str_replace", **path, "old_str": "один", "new_str": "раз"},
        {"command": "str_replace", **path, "old_str": "сто", "new_str": "раз"},
        {"command": "insert", **path, "insert_line": 1, "insert_text": "ещё"},
        {"command": "insert", **path, "insert_line": 100, "insert_text": "ещё"},
        {"command": "rename", "old_path": "/memories/zeta.txt", "new_path": "/memories/zeta2.txt"},
        {"command": "delete", **path},
        {"command": "delete", "path": "/memories/zeta2.txt"},
        {"command": "view", "path": "/tmp"},
    ):
        assert spoken.strays(await made.handle_tool(("memory", asked))) == [], asked


@pytest.mark.parametrize("target", TARGETS)
async def test_a_begun_answer_and_a_system_message_in_between_are_said_in_the_words_of_the_vocabulary(target: str) -> None:
    made = context(reset())
    messages = [
        Message("user", "Вопрос"),
        Message("assistant", [Attachment("image/png", data=PICTURE), Text("Вот.")]),
        Message("system", "Правило посередине.", positional=True),
        Message("user", "Ещё вопрос"),
        Message("assistant", "Ответ начинается так"),
    ]
    made.append(*messages)
    assert spoken_by(messages).strays((await made.compile(target)).body) == []


@pytest.mark.parametrize("target", TARGETS)
def test_a_rendering_has_no_words_but_those_it_was_given(target: str) -> None:
    messages = [message for message in session(1) if not message.tool_calls and not message.results]
    report, options = Report(), RenderOptions(thinking="text", words=MOVED.mending)
    body = loads(convert_request(Request(head=HEAD, messages=tuple(messages)), builtin_registry().get(target), options, report))
    assert spoken_by(messages).strays(body) == []
