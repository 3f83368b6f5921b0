"""``background``: another strategy, off-turn. Compiles go on while it works; what it decides lands when it is ready.

Knows the protocol and the session's jobs, no single strategy. The runner lets what is ready land; this only starts the work,
says that it is waiting, and bounds how long a window that has to close now waits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....errors import StrategyError
from ..jobs import Base, Job
from ..strategy import Managing, Outcome, Span, Strategy

__all__ = ["Background", "background"]


@dataclass(frozen=True, slots=True)
class Background:
    """Starts a strategy in a thread of its own when the window would close, and leaves the history as it is until then.

    Attributes:
        strategy: what works there.
        wait: seconds for which a window that has to close now waits for it.
        timeout: seconds after which its work is given up.
    """

    strategy: Strategy
    wait: float = 10.0
    timeout: float = 600.0

    @property
    def name(self) -> str:
        """``background`` and what works there."""
        return f"background({self.strategy.name})"

    @property
    def model_free(self) -> bool:
        """Whether what works there needs no model."""
        return bool(getattr(self.strategy, "model_free", False))

    @property
    def fingerprint(self) -> str:
        """That of what works there, marked."""
        return f"background({self.strategy.fingerprint})"

    async def apply(self, span: Span) -> Outcome:
        """What the work decided, where it is ready; else nothing yet. For work under way the runner has waited.

        Raises:
            StrategyError: it is not ready, and the window has to close now.
        """
        if span.forced:
            # Who asks for a new window wants it now, and what is under way would not fold as much.
            span.jobs.drop(self.fingerprint, "a new window was asked for")
            return await self.strategy.apply(span)
        job, must = self._standing(span), span.total_after(Outcome()) > span.room.available
        if job is None:
            job = self._started(span)
            # Whether it has ended already or not: what a payload holds is no matter of a thread's speed.
            if not must:
                return Outcome(strategy=self.name, waiting=True)
            await job.wait()
        if not job.done and not must:
            return Outcome(strategy=self.name, waiting=True)
        if not job.done:
            span.jobs.drop(self.fingerprint, "it was not ready when the window had to close")
            raise StrategyError(f"not ready within {self.wait:g} seconds, when the window had to close")
        span.jobs.take(job)
        if job.error is not None:
            raise job.error
        if not isinstance(job.result, Outcome):
            raise StrategyError(f"a strategy gives an Outcome, not {type(job.result).__name__}")
        return replace(job.result, waiting=False)

    def _standing(self, span: Span) -> Job | None:
        job = span.jobs.of(self.fingerprint)
        if job is None or job.base.heads(span.turns, span.lineage, span.archive_uri):
            return job
        span.jobs.drop(self.fingerprint, "what it worked on is no longer the head of the history")
        return None

    def _started(self, span: Span) -> Job:
        base = Base(span.lineage.current, tuple(span.turns[: span.deepest]), span.archive_uri(span.deepest))
        # The turns as read: those of the session go on growing.
        read = replace(span, turns=tuple(span.turns))
        return span.jobs.start(
            self.fingerprint, self.name, base, lambda: self.strategy.apply(read), patience=self.wait, timeout=self.timeout
        )


def background(strategy: Strategy, *, wait: float = 10.0, timeout: float = 600.0) -> Background:
    """A strategy that works while the conversation goes on.

    The first payload over the trigger starts it, in a thread with an event loop of its own, on the history as read. Payloads
    are sent with the history as it is while it fits. When it has decided, the next compile lets that land, whatever the budget
    says by then, if what it worked on is still the head of the history; what was appended meanwhile stays. Else it is dropped,
    and started anew when it is due. Whatever it calls must bear being called in another thread and another event loop.

    Args:
        strategy: what to do; ``chain(background(summarize(…)), digest(), reset())`` has steps for when it is late.
        wait: seconds for which a window that has to close now waits for it, before the next step has its turn.
        timeout: seconds after which its work is given up; a function that blocks its thread cannot be interrupted, and keeps
            that thread until it returns.

    Raises:
        StrategyError: no strategy, one that is in the background already, or times below 0.
    """
    if not isinstance(getattr(strategy, "fingerprint", None), str):
        raise StrategyError(f"{strategy!r} is no strategy", hint="background(summarize(model=…))")
    if isinstance(strategy, Background | Managing):
        raise StrategyError(f"{strategy.name} cannot work in the background", hint="put background(…) around its fallback")
    if wait < 0 or timeout <= 0:
        raise StrategyError("background waits for times above 0", hint="background(strategy, wait=10, timeout=600)")
    return Background(strategy, wait, timeout)
