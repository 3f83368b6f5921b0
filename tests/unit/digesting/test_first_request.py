"""The first request stays the task, however often windows close and whatever comes in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from transom import Call, Context, MemoryBackend, Message, Store, reset
from transom import digest as make_digest
from transom.engine.overflow.digesting import digest
from transom.engine.overflow.digesting.notes import Notes
from transom.engine.overflow.digesting.reading import Reading
from transom.engine.overflow.strategy import Outcome, Span
from transom.messages import Result, Text
from transom.vocabulary import ENGLISH

from .spans import Quarters, assistant, chatter, user, write

pytestmark = pytest.mark.feature("O19")

WINDOWS = (4_000, 6_000, 8_000, 16_000)
TASK = (
    "Please make the importer of ledgers idempotent.\nA file that is read twice must never book an amount twice.\n"
    + "".join(f"Paragraph {number} tells how bank {number % 7} spells its dates and sums.\n" for number in range(120))
    + "Do not touch the tables of the archive.\nWrite down what you changed when you are done."
)
SYSTEM = "You are a careful agent. " * 22


def typed_loop(steps: int, tokens: int) -> Iterator[Message]:
    """An agent without tool calls: commands in fences, and what they print as words of the user."""
    for number in range(steps):
        size = tokens * (1, 3, 1, 2, 5)[number % 5] // 2
        yield assistant(f"THOUGHT: next comes file {number}.\n\n```bash\ngrep -n book src/part_{number}.py\n```")
        printed = "".join(f"{line}: def book_{line}(amount):\n" for line in range(size * 4 // 26))
        yield user(f"<returncode>0</returncode>\n<output>\n{printed}</output>")


def called_loop(steps: int, tokens: int) -> Iterator[Message]:
    """An agent with tool calls whose user speaks in between."""
    for number in range(steps):
        given = json.dumps({"path": f"src/part_{number}.py"})
        yield Message("assistant", f"I look at part {number}.", tool_calls=[Call("read_file", given, f"c{number}")])
        printed = f"def book_{number}(amount): ...\n" * (tokens * 4 // 30)
        yield Message.of("tool", (Result((Text(printed),), f"c{number}"),))
        if number % 3 == 2:
            yield assistant(f"Part {number} is done.")
            yield user(f"Good. Now part {number + 1}, please.")


async def heads(window: int, messages: list[Message], store: Store | None = None, **more: object) -> list[tuple[str, str]]:
    """(strategy, head) of every closing of an agent that compiles after each message that is not its own."""
    context = Context(window=window, store=store or Store(MemoryBackend()), check=True, **more)  # type: ignore[arg-type]
    context.append(Message("system", SYSTEM))
    found: list[tuple[str, str]] = []
    for message in messages:
        context.append(message)
        if message.role == "assistant":
            continue
        payload = await context.compile("openai")
        if payload.meta.closed:
            elements = payload.body["messages"]
            assert isinstance(elements, list)
            found.append((payload.meta.closed, str(elements[1]["content"])))
    return found


class Alternating:
    """``reset`` and ``digest`` in turn: a head that is no digest stands between any two of them."""

    name = "alternating"
    fingerprint = "alternating"

    def __init__(self) -> None:
        self.applied = 0

    async def apply(self, span: Span) -> Outcome:
        self.applied += 1
        return await (reset() if self.applied % 2 else make_digest()).apply(span)


def read(text: str) -> Notes:
    notes = Reading(ENGLISH.digesting).read(text)
    assert notes is not None
    return notes


def check_task(text: str, request: str) -> int:
    """Whether a digest's task is the beginning of the request and says where the whole is; how many characters it shows."""
    task = read(text).task
    assert task is not None, text
    assert task.who == "user"
    assert task.place.endswith(":1")
    pieces = [piece for piece in task.quote.pieces if isinstance(piece, str)]
    assert request.startswith(pieces[0])
    at = 0
    for piece in pieces:
        at = request.index(piece, at) + len(piece)
    assert task.quote.size == len(request)
    assert task.quote.uri or "context://archive/" in text
    return sum(map(len, pieces))


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("loop", [typed_loop, called_loop])
async def test_the_first_request_and_its_constraints_outlast_fifteen_closings(window: int, loop: object) -> None:
    assert callable(loop)
    messages = [user(TASK), *loop(46, window // 9)]
    closings = await heads(window, messages)
    digests = [text for closed, text in closings if closed == "digest"]
    assert len(digests) >= 15
    for text in digests:
        assert check_task(text, TASK) >= 60
        assert not any("def book_" in request.said.quote.shown for request in read(text).requests)
        if len(text) > 500:  # less is written where the turns that stay leave no more room
            assert "must never book an amount twice" in text or "Do not touch the tables" in text
    shown = sorted(check_task(text, TASK) for text in digests)
    assert shown[len(shown) // 2] >= window // 40


async def test_the_same_history_gives_the_same_digests() -> None:
    messages = [user(TASK), *typed_loop(30, 600)]
    assert await heads(6_000, messages) == await heads(6_000, messages)


async def test_a_digest_after_a_reset_has_the_task_again() -> None:
    store = Store(MemoryBackend())
    context = Context(window=6_000, store=store, check=True, overflow=Alternating(), tokenizer="chars4")
    context.append(user(TASK))
    closed: list[str] = []
    for message in typed_loop(30, 600):
        context.append(message)
        payload = await context.compile("openai")
        if payload.meta.closed:
            closed.append(payload.meta.closed)
        if payload.meta.closed == "digest":
            text = str(payload.body["messages"][0]["content"])  # type: ignore[index]
            assert check_task(text, TASK) >= 100
            assert "archive w1: context://archive/" in text
            archive = next(line for line in text.split("\n") if line.startswith("archive w1: "))
            assert TASK in (await store.expand(archive.removeprefix("archive w1: "))).decode().replace("\\n", "\n")
    assert closed[:4] == ["reset", "digest", "reset", "digest"]


async def test_a_real_session_of_an_agent_without_tool_calls_keeps_its_request(transcripts: Path) -> None:
    data = json.loads((transcripts / "mini-swe-agent-django-15629.traj.json").read_text())
    messages = [Message(entry["role"], entry["content"]) for entry in data["messages"] if entry["role"] != "system"]
    for window in WINDOWS:
        closings = await heads(window, messages)
        assert len(closings) >= 5
        for closed, text in closings:
            if closed == "digest":
                assert check_task(text, messages[0].text) >= 100
                assert any(note.place == "w1:1" for note in read(text).constraints), text


def test_a_digest_of_digests_carries_the_task_on_word_for_word_where_only_its_text_is_at_hand() -> None:
    previous = write([user(TASK), *chatter(4)], 900).text
    first = read(previous).task
    assert first is not None
    for number in range(2, 18):
        span = [user(previous), *chatter(6, start=number * 6), user(f"And now part {number}.")]
        previous = write(span, 900, previous=previous, window=f"w{number}").text
        task = read(previous).task
        assert task is not None
        assert (task.place, task.quote.pieces[0], task.quote.size) == (first.place, first.quote.pieces[0], first.quote.size)


@pytest.mark.parametrize("budget", [120, 160, 240, 400])
def test_the_smallest_digest_still_says_how_the_request_begins(budget: int) -> None:
    text = write([user(TASK), *chatter(10)], budget).text
    assert Quarters().count(text) <= budget
    assert check_task(text, TASK) >= 16


def test_a_command_output_whose_command_left_before_is_a_call_and_no_request() -> None:
    printed = "<returncode>1</returncode>\n<output>\nE   ValueError: bad row 7\n</output>"
    first = write([assistant("I begin.")]).text
    text = write([user(first), user(printed), assistant("I see.")], previous=first, window="w2").text
    notes = read(text)
    assert notes.task is None
    assert notes.requests == ()
    assert "ValueError: bad row 7" in text


def test_a_first_message_that_looks_like_an_output_is_still_the_first_request() -> None:
    asked = "<output>\nE   ValueError: bad row 7\n</output>\nWhat does this mean?"
    check_task(write([user(asked), assistant("A row is bad.")]).text, asked)


def test_what_a_closing_had_no_room_for_comes_back_from_the_history() -> None:
    request = [user(TASK)]
    small = write([*request, *chatter(3)], 160).text
    made = digest(
        [user(small), *chatter(3)],
        previous=small,
        budget=6_000,
        tokenizer=Quarters(),
        archive_uri="context://archive/w2",
        window="w2",
        opening=request,
    )
    assert check_task(made.text, TASK) == len(TASK)


def test_constraints_that_a_digest_left_out_are_not_counted_twice() -> None:
    rules = "".join(f"- Never touch the file number {number} of the archive.\n" for number in range(30))
    request = [user(f"Tidy up.\n{rules}{'Some more words about it. ' * 60}")]
    previous = write([*request, *chatter(3)], 300).text
    for number in range(2, 9):
        previous = digest(
            [user(previous), *chatter(3, start=number)],
            previous=previous,
            budget=300,
            tokenizer=Quarters(),
            archive_uri=f"context://archive/w{number}",
            window=f"w{number}",
            opening=request,
        ).text
        notes = read(previous)
        assert len(notes.constraints) + notes.hidden.get("constraints", 0) == 30


def test_a_request_that_stays_beside_the_digest_takes_no_room_from_the_rest() -> None:
    span = [user(TASK), *chatter(20), *(user(f"Now part {number}, please. {'It is long. ' * 30}") for number in range(9))]

    def written(standing: set[str]) -> str:
        return digest(
            span,
            previous=None,
            budget=600,
            tokenizer=Quarters(),
            archive_uri="context://archive/w1",
            window="w1",
            standing=standing,
        ).text

    gone, stays = written(set()), written({TASK})
    assert check_task(gone, TASK) > check_task(stays, TASK)
    assert len(read(stays).calls) > len(read(gone).calls)


def test_one_request_met_again_is_shown_once() -> None:
    first = write([user("Port the scheduler."), *chatter(3)]).text
    again = [user(first), user("Port the scheduler."), *chatter(3, start=3)]
    text = write(again, previous=first, window="w2").text
    assert text.count("Port the scheduler.") == 1
