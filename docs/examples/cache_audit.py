"""What keeps Anthropic's cache breakpoints from hitting, named with its place."""

from transom import Context, Message
from transom.engine.events import CacheWarned

MANUAL = "Read before you write. " * 200


def warned(event: CacheWarned) -> None:
    print(f"{event.finding.key}\n  {event.finding.detail}")


ctx = Context(window=32_000)
ctx.on(CacheWarned, warned)
for minute in (4, 5, 6):
    ctx.system(f"It is 2026-11-30 12:{minute:02}. {MANUAL}", cache_breakpoint=True)
    ctx.append(Message("user", f"Look at part {minute}."))
    payload = ctx.compile_sync("anthropic")
    ctx.append(Message("assistant", "Seen."))
print([finding.key for finding in payload.meta.audit])

ctx.system(MANUAL, cache_breakpoint=True)
for minute in (7, 8):
    ctx.tail(f"It is 2026-11-30 12:{minute:02}.")
    ctx.append(Message("user", f"Look at part {minute}."))
    payload = ctx.compile_sync("anthropic")
    ctx.append(Message("assistant", "Seen."))
print([finding.key for finding in payload.meta.audit])
ctx.close()
