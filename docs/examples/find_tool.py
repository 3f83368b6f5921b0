"""Which of many tools fit a task that is said in plain words."""

from transom import search_tools
from transom.engine.selection.ranking import ToolIndex
from transom.testing.toolset import tools

catalog = tools()
for hit in search_tools("who wrote this line and in which commit", catalog, limit=3):
    print(f"{hit.tool.name:12} {hit.score:5.1f}  {', '.join(hit.why)}")

index = ToolIndex(catalog)
for task in ("draw a pie chart of the sales figures", "how busy is the processor"):
    print(task, "→", index.search(task, limit=1)[0].tool.name)
