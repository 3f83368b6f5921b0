"""Text that changes with every call stands at the end of the payload, where it costs no cache; and the slots of a compile."""

from collections.abc import Sequence

from transom import Context, Message
from transom.engine.state import CompileState

ctx = Context(window=16_000)
ctx.system("You watch a job queue.")
waiting = 41


def queue_length(state: CompileState) -> None:
    state.inject(f"Jobs waiting: {waiting}.")


def not_while_busy(_: CompileState) -> bool:
    return waiting < 100  # False keeps the window open this time


def masked(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if "password" not in message.text]


def with_stop(body: dict[str, object]) -> dict[str, object]:
    return {**body, "stop": ["\n\n"]}


ctx.use("before-assemble", queue_length)
ctx.use("before-overflow", not_while_busy)
out = ctx.use("before-adapt", masked)
ctx.use("after-adapt", with_stop)

ctx.append(Message("user", "How is the queue?"))
for minute in (1, 2):
    ctx.tail(f"It is 12:{minute:02}.")
    payload = ctx.compile_sync("openai")
    print(payload.json().decode())
out()
ctx.close()
