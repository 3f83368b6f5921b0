"""Sessions for the golden suite: made up, the same in every process, and small enough to be read in a diff."""

from __future__ import annotations

from collections.abc import Iterator

from transom import Call, Message, Tool

TOOLS = (
    Tool(
        "read_file",
        "Read a text file.",
        {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False},
    ),
    Tool("run", "Run a command.", {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}),
)
SYSTEM = "You are a careful engineer. Keep the public names."
REQUESTS = (
    "Please move the parser into its own module. Keep `parse_line` public.",
    "Now cover it with tests; never touch `legacy/`.",
    "Why does `make check` fail? Use Python 3.11 only.",
    "Write the changelog entry and tell me what is left to do.",
)


def listing(path: str, lines: int) -> str:
    """A file's content."""
    stem = path.rsplit("/", maxsplit=1)[-1].partition(".")[0]
    return "".join(f"{number:4d}  def {stem}_{number}(value): return value + {number}\n" for number in range(lines))


def agent_session(rounds: int, *, lines: int = 12, each: int = 4) -> Iterator[Message]:
    """An agent at work: a request every few rounds, a call with its result in each, an answer before the next request."""
    for number in range(rounds):
        if number % each == 0:
            if number:
                yield Message("assistant", f"Done with step {number // each}: I decided to keep the names as they are.")
            yield Message("user", REQUESTS[number // each % len(REQUESTS)])
        name, arguments, result = ("read_file", f'{{"path":"src/part_{number}.py"}}', listing(f"src/part_{number}.py", lines))
        if number % 3 == 2:
            name, arguments = "run", f'{{"command":"make check-{number}"}}'
            result = f"collected {number} items\nError: part_{number}.py:7: name 'value' is not defined\nexit code 1\n" + result
        call = f"call_{number:03d}"
        yield Message("assistant", f"Step {number}.", tool_calls=[Call(name, arguments, call)])
        yield Message("tool", result, tool_call_id=call, name=name)


def turns_of(messages: list[Message]) -> list[list[Message]]:
    """What is new at each model call: everything up to the next assistant message, and all of it at the end."""
    turns: list[list[Message]] = [[]]
    for message in messages:
        if message.role == "assistant" and turns[-1] and turns[-1][-1].role != "assistant":
            turns.append([])
        turns[-1].append(message)
    return turns
