"""Chooses what a model can call: by task, in namespaces, in toolkits, and by what may not be called."""

from transom import Call, Context, Message, Registered, Tool, Toolkit, ToolNamespace


def tool(name: str, description: str, **arguments: str) -> Tool:
    properties = {argument: {"type": kind} for argument, kind in arguments.items()}
    return Tool(name, description, {"type": "object", "properties": properties, "required": list(properties)})


def sent(ctx: Context) -> str:
    payload = ctx.compile_sync("openai")
    names = ", ".join(entry["function"]["name"] for entry in payload.body["tools"])
    moved = payload.meta.prefix
    return f"{names}\n  ({moved.where}: {moved.reason})" if moved.broken else names


read_file = tool("read_file", "Reads a file.", path="string")
grep = tool("grep", "Finds lines in files.", pattern="string")
fetch = tool("fetch", "Fetches a page.", url="string")
run_query = tool("run_query", "Runs a query.", sql="string")
insert_row = tool("insert_row", "Inserts a row.", table="string", row="object")
build = tool("build", "Builds a target.", target="string")
ship = tool("ship", "Ships a version.", version="string")

ctx = Context(window=16_000)
ctx.append(Message("user", "Why does the import of last night have no rows?"))

# 1. A flat list: tags and names.
ctx.tools(
    read_file,
    Registered(grep, tags={"code"}),
    Registered(fetch, tags={"web"}),
    Registered(run_query, tags={"data", "code"}),
)
print("all:", sent(ctx))
ctx.select_tools(tags={"code"}, allow={"read_file"})
print("for code:", sent(ctx))

# 2. Two layers: namespaces that never change, toolkits that are loaded.
ctx.tools(
    read_file,
    grep,
    ToolNamespace("database", "The shop's database.", (run_query, insert_row)),
    Toolkit("deploy", "Builds and ships what is in the repository.", (build, ship)),
)
print("two layers:", sent(ctx))

call = Call("load_toolkit", '{"toolkit":"deploy"}', "call_1")
if ctx.owns_tool(call.name):
    answer = ctx.handle_tool_sync(call)
    ctx.append(Message("assistant", [call]), Message("tool", answer, tool_call_id=call.id, name=call.name))
print(answer)
print("loaded:", sent(ctx))

# 3. Blocks: the list stays, the call is refused.
ctx.on("tool_blocked", lambda event: print("blocked:", event.tool))
ctx.block_tools("insert_row", why="The user wants to look, not to change.")

RUN = {"run_query": lambda sql: f"0 rows for {sql}", "read_file": lambda path: f"what is in {path}"}


def dispatch(call: Call) -> str:
    if ctx.owns_tool(call.name):
        return ctx.handle_tool_sync(call)
    verdict = ctx.check_tool_call(call)
    return RUN[verdict.name](**verdict.arguments) if verdict.allowed else verdict.reason


for name, arguments in (
    ("database", '{"action":"run_query","sql":"select 1"}'),
    ("database", '{"action":"insert_row","table":"orders","row":{}}'),
    ("read_file", '{"file":"import.log"}'),
    ("raed_file", '{"path":"import.log"}'),
):
    print(dispatch(Call(name, arguments)))
ctx.close()
