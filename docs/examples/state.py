"""State, a guardrail, an announcement and the date: what is true now stands at the end, where it costs no cache."""

from datetime import UTC, datetime

from pydantic import BaseModel, Field

from transom import Context, Message, Temporal


class Progress(BaseModel):
    goal: str
    step: int = Field(ge=1)
    open_files: list[str] = []


ctx = Context(
    window=16_000,
    temporal=Temporal(locale="de", clock=lambda: datetime(2026, 3, 5, 14, 7, tzinfo=UTC)),
)
ctx.system("You repair build scripts.")
ctx.append(Message("user", "Why does the build fail?"))

ctx.state(Progress(goal="a green build", step=1), tag="progress")
ctx.guardrail("Name the file and the line.", answer="finding")
ctx.announce("deploy", "A deployment is running: write nothing to main.", channel="tail")
first = ctx.compile_sync("openai")
print(first.body["messages"][-1]["content"])

ctx.append(Message("assistant", "<finding>build.sh, line 3</finding>"), Message("user", "Mend it."))
ctx.state({"goal": "a green build", "step": 2, "open_files": ["build.sh"]}, schema=Progress, tag="progress")
ctx.retract("deploy")
ctx.guardrail()
second = ctx.compile_sync("openai")
print("---")
print(second.body["messages"][-1]["content"])
print("---")
print(f"{second.meta.prefix_bytes} of {first.meta.sequence_bytes - first.meta.tail_bytes} bytes held")
ctx.close()
