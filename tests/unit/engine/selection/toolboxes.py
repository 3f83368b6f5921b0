"""Tools for the tests of selection, and what a payload says of them."""

from __future__ import annotations

from transom import Call, Context, Message, Payload, Registered, Tool, Toolkit, ToolNamespace
from transom.jsontext import dumps

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")


def takes(**arguments: object) -> dict[str, object]:
    """A schema; an argument whose name ends in ``_`` may be left out."""
    properties = {name.rstrip("_"): value if isinstance(value, dict) else {"type": value} for name, value in arguments.items()}
    return {"type": "object", "properties": properties, "required": [name for name in arguments if not name.endswith("_")]}


READ = Tool("read_file", "Reads a file. Use it often.", takes(path="string", limit_="integer"))
GREP = Tool("grep", "Finds lines.", takes(pattern="string"))
FETCH = Tool("fetch", "Fetches a page.", takes(url="string"))
QUERY = Tool("query", "Runs a query.", takes(sql="string", limit_="integer"))
INSERT = Tool("insert", "Inserts a row.", takes(table="string", row="object"))
BUILD = Tool("build", "Builds a target. It takes a while.", takes(target="string", clean_="boolean"))
SHIP = Tool("ship", "Ships a version.", takes(version="string"))
CHART = Tool("chart", "Draws a chart.", takes(kind={"enum": ["bar", "line"]}))

DATABASE = ToolNamespace("database", "The shop's database.", (QUERY, INSERT), tags={"data"})
DEPLOY = Toolkit("deploy", "Builds and ships what is in the repository.", (BUILD, SHIP), tags={"release"})
CHARTS = Toolkit("charts", "Draws charts.", (CHART,), tags={"data"})

EVERYTHING = (READ, Registered(GREP, tags={"code", "search"}), Registered(FETCH, tags={"search"}), DATABASE, DEPLOY, CHARTS)


def equipped(*tools: Tool | Registered | ToolNamespace | Toolkit, **more: object) -> Context:
    """A context with tools and one message."""
    context = Context(**{"window": 16_000, "check": True, **more})  # type: ignore[arg-type]
    context.tools(*(tools or EVERYTHING))
    context.append(Message("user", "Do the work."))
    return context


def names(payload: Payload) -> list[str]:
    """The names of the tools in a payload, for every target."""
    found: list[str] = []
    for entry in listed(payload):
        inner = entry.get("functionDeclarations", [entry.get("function", entry)])
        assert isinstance(inner, list)
        found += [str(tool["name"]) for tool in inner]
    return found


def listed(payload: Payload) -> list[dict[str, object]]:
    """The tools of a payload as they stand there."""
    value = payload.body.get("tools", [])
    assert isinstance(value, list)
    return value


def tool_bytes(payload: Payload) -> bytes:
    """The tools of a payload as bytes."""
    return dumps(listed(payload))


def sent(context: Context, target: str = "openai") -> list[str]:
    """The names of the tools that a compile sends now."""
    return names(context.compile_sync(target))


def load(context: Context, toolkit: str, number: int = 1) -> str:
    """What a model does that loads a toolkit, conversation included."""
    call = Call("load_toolkit", dumps({"toolkit": toolkit}).decode(), f"load_{number}")
    answer = context.handle_tool_sync(call)
    context.append(Message("assistant", [call]), Message("tool", answer, tool_call_id=call.id, name=call.name))
    return answer
