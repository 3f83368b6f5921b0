"""An agent whose model reads back what left its window, keeps a note and closes the window itself."""

import json
import re

from transom import Context, MemoryBackend, Retrieval, Store, Tool

READ_FILE = Tool("read_file", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


def read_file(path):
    return f"# {path}\n" + "".join(f"setting_{number} = {number * 7}\n" for number in range(120))


def model(turn, body):
    """Stands for the provider: what the model wants, turn by turn, as an answer of OpenAI's Chat Completions."""

    def call(name, **arguments):
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"call_{turn}", "type": "function", "function": function}

    assert [tool["function"]["name"] for tool in body["tools"]] == ["read_file", "context", "new_context"]
    if turn < 6:
        return {"role": "assistant", "content": None, "tool_calls": [call("read_file", path=f"part{turn}.toml")]}
    found = re.search(r"context://archive/\w+", str(body["messages"][-1]["content"]))
    asked = {
        6: call("context", command="search", query="part0.toml"),
        7: call("context", command="view", path=found[0] if found else "archive", view_range=[2, 3]),
        8: call("context", command="create", path="notes/settings.md", file_text="part0: setting_9 is 63\n"),
        9: call("new_context"),
    }
    if turn in asked:
        return {"role": "assistant", "content": None, "tool_calls": [asked[turn]]}
    return {"role": "assistant", "content": "setting_9 of part0.toml is 63."}


def main():
    ctx = Context(window=8_000, store=Store(MemoryBackend()), context_tool=Retrieval(budget=400))
    ctx.tools(READ_FILE)
    history = [{"role": "user", "content": "What is setting_9 of part0.toml? Read all six parts first."}]
    for turn in range(12):
        ctx.load(history, format="openai")
        payload = ctx.compile_sync("openai")
        answer = model(turn, payload.body)
        history.append(answer)
        for call in answer.get("tool_calls", ()):
            name = call["function"]["name"]
            if ctx.owns_tool(name):
                result = ctx.handle_tool_sync(call)
                print(f"{name}: {result.splitlines()[0]}")
            else:
                result = read_file(**json.loads(call["function"]["arguments"]))
            history.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        if "tool_calls" not in answer:
            print(answer["content"])
            break
    print(f"{payload.meta.window_id}, {payload.meta.tokens_after:,} of {payload.meta.window:,} tokens")
    ctx.close()


main()
