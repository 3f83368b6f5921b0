"""A tool of your own that writes a file, by the same rules as those of the toolbox."""

import asyncio
import tempfile

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.tool import Family, Result, ToolContext, tool


@tool(family="notes", title="Add a note", destructive=False)
def add_note(context: ToolContext, path: str, text: str) -> Result:
    """Add a line to a file of notes.

    Args:
        path: the file.
        text: the line.
    """
    place = context.use(Workspace).place(path)
    before = place.read() if place.exists() else None
    place.create_parents()
    place.replace((before or b"") + text.encode() + b"\n", expected=before)
    return Result(text=f"Noted in {place.shown}.", data={"path": place.shown})


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        family = Family(name="notes", title="Notes", tools=(add_note,))
        toolbox = Toolbox([family], services={Workspace: Workspace([folder])})
        for path in ("notes/today.md", "notes/today.md", "../elsewhere.md"):
            answer = await toolbox.call("add_note", {"path": path, "text": "buy milk"})
            print(answer.error or answer.text)
        print((await toolbox.call("add_note", {"path": "notes/today.md", "text": 2})).error)


if __name__ == "__main__":
    asyncio.run(main())
