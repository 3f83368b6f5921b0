"""One digest after another: what must survive does, and the text stays within its budget."""

from __future__ import annotations

import pytest

from transom.engine.overflow.digesting.reading import Reading
from transom.messages import Message
from transom.vocabulary import ENGLISH

from .spans import Quarters, answer, assistant, call, chatter, user, write


def _windows(count: int, budget: int, first: list[Message]) -> list[str]:
    texts: list[str] = []
    previous: str | None = None
    for number in range(1, count + 1):
        span = [*([user(previous)] if previous else first), *chatter(12, start=number * 12)]
        span += [user(f"Now have a look at part {number}, it should not take long."), assistant(f"Part {number} is fine.")]
        previous = write(span, budget, previous=previous, window=f"w{number}").text
        assert Quarters().count(previous) <= budget
        texts.append(previous)
    return texts


FIRST = [
    user("Port the scheduler to the new runtime. Never change the public API. The health check must stay on port 9412."),
    call("TodoWrite", "p", todos=[{"content": "Port the timer wheel", "status": "pending"}]),
    answer("ok", "p"),
    call("bash", "x", command="make verify-abi"),
    answer("Exit code 1\nabi.c:8: error: symbol sched_tick is missing", "x", is_error=True),
]


@pytest.mark.feature("O19")
@pytest.mark.parametrize("budget", [900, 2_000])
def test_task_constraints_open_tasks_and_unresolved_errors_survive_twenty_windows(budget: int) -> None:
    last = _windows(20, budget, FIRST)[-1]
    for fact in (
        "Port the scheduler to the new runtime.",
        "Never change the public API.",
        "9412",
        "Port the timer wheel",
        "make verify-abi",
        "symbol sched_tick is missing",
    ):
        assert fact in last, fact


@pytest.mark.feature("O19")
def test_a_hundred_windows_stay_bounded_and_name_the_newest_archives() -> None:
    texts = _windows(100, 900, FIRST)
    assert "context://archive/w100" in texts[-1]
    assert "context://archive/w99" in texts[-1]
    assert "Port the scheduler" in texts[-1]
    notes = Reading(ENGLISH.digesting).read(texts[-1])
    assert notes is not None
    assert notes.windows == 100
    assert notes.before > 5_000


@pytest.mark.feature("O19")
def test_constraints_of_a_request_shown_whole_stand_by_themselves_once_it_is_shortened() -> None:
    request = "Work on the parser.\n" + "The grammar has rules. " * 30 + "\nNever touch lexer.c.\n" + "More of it. " * 30
    first = write([user("Start."), user(request)], 3_000).text
    assert request in first.replace("  > ", "")
    later = write([user(first), *(user(f"Step {n}: " + "z" * 200) for n in range(40))], 600, previous=first, window="w2").text
    assert "> Never touch lexer.c." in later


@pytest.mark.feature("O19")
def test_an_error_of_an_earlier_window_ends_when_the_command_passes() -> None:
    first = write(FIRST).text
    assert "- unresolved w1:4 > $ make verify-abi" in first
    span = [user(first), call("bash", "1", command="make verify-abi"), answer("ABI unchanged", "1")]
    later = write(span, previous=first, window="w2").text
    assert "- later ok w1:4 > $ make verify-abi" in later
    assert "unresolved" not in later


@pytest.mark.feature("O19")
def test_a_tool_updates_a_task_it_made_in_an_earlier_window() -> None:
    first = write([user("Go."), call("TaskCreate", "1", subject="Write the report"), answer("Task #7 created", "1")]).text
    assert "#7 > Write the report" in first
    done = [user(first), call("TaskUpdate", "1", taskId="7", status="completed"), answer("ok", "1")]
    assert "Write the report" not in write(done, previous=first, window="w2").text


@pytest.mark.feature("O19")
def test_files_and_commands_add_up_over_windows() -> None:
    span = [
        user("Go."),
        call("edit", "1", path="a/b.py", newText="x"),
        answer("ok", "1"),
        call("bash", "2", command="make"),
        answer("ok", "2"),
    ]
    first = write(span).text
    second = write([user(first), *span[1:]], previous=first, window="w2").text
    assert "- edited ×2 > a/b.py" in second
    assert "- ok ×2 $ make" in second


@pytest.mark.feature("O19")
def test_a_head_of_another_strategy_is_quoted() -> None:
    text = write([user("Summary so far: the port is 4711."), user("Go on.")], previous="Summary so far: the port is 4711.").text
    assert "summary > Summary so far: the port is 4711." in text
    assert text.count("4711") == 1


@pytest.mark.feature("O19")
def test_reading_back_and_writing_again_changes_nothing() -> None:
    first = write([*FIRST, *chatter(8)], 4_000).text
    notes = Reading(ENGLISH.digesting).read(first)
    again = write([user(first)], 4_000, previous=first, window="w2").text
    other = Reading(ENGLISH.digesting).read(again)
    assert notes is not None
    assert other is not None
    for name in ("task", "requests", "tasks", "errors", "files", "commands", "recurring", "calls"):
        assert getattr(notes, name) == getattr(other, name), name
