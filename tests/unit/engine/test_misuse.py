"""What a newcomer gets wrong is refused at once, with the line to write instead."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from transom import Context, Message, SQLiteBackend, TransomError, chain, clear


def _context(**arguments: object) -> Context:
    return Context(**({"window": 8_000} | arguments))  # type: ignore[arg-type]


def _append(*values: object) -> None:
    _context().append(*values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("attempt", "mend"),
    [
        (lambda: _context(window="8000"), "for example 32000"),
        (lambda: _context(window=0), "for example 32000"),
        (lambda: _context(store="agent.db"), "write Store(SQLiteBackend('agent.db'))"),
        (lambda: _context(store=SQLiteBackend("never-made.db")), "write Store(SQLiteBackend('agent.db'))"),
        (lambda: _context(overflow=clear), "write chain(clear(), digest(), reset())"),
        (lambda: _context(overflow="clear"), "write chain(clear(), digest(), reset())"),
        (lambda: _context(prune=4_096), "write PruneSettings(threshold=8192), or False"),
        (lambda: chain(clear), "chain(clear(), digest(), reset())"),  # type: ignore[arg-type]
        (lambda: _append({"role": "user", "content": "hi"}), "load(history, format='openai')"),
        (lambda: _append([Message("user", "hi")]), "append(*messages)"),
        (lambda: _context().tools({"name": "read"}), "Tool(name, description, parameters)"),  # type: ignore[arg-type]
        (lambda: _context().on("compile_finished", print), "compile_done"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_with_the_line_to_write(attempt: Callable[[], object], mend: str) -> None:
    with pytest.raises(TransomError) as refused:
        attempt()
    assert mend in refused.value.hint


def test_what_was_refused_changes_nothing() -> None:
    ctx = _context()
    with pytest.raises(TransomError):
        ctx.append(Message("user", "hi"), {"role": "user"})  # type: ignore[arg-type]
    ctx.append(Message("user", "hi"))
    assert ctx.compile_sync("openai").body == {"messages": [{"role": "user", "content": "hi"}]}
    ctx.close()


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Message.of("user", "hi"),  # type: ignore[arg-type]
        lambda: Message("user", ["hi"]),  # type: ignore[list-item]
        lambda: Message("user", {"type": "text", "text": "hi"}),  # type: ignore[arg-type]
        lambda: Message("assistant", tool_calls=[{"id": "1"}]),  # type: ignore[list-item]
        lambda: Message("tool", ["hi"], tool_call_id="1"),  # type: ignore[list-item]
    ],
)
def test_a_message_of_something_else_than_parts_is_refused_when_it_is_made(attempt: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        attempt()
