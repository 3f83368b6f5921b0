"""The one way a tool is called, for every face: alias, arguments, toggle, policy, consent, run, spill.

Knows tools by name and callers by what they can be asked; no family and no protocol. Whatever a model sends becomes an answer:
nothing raises out of ``call`` but the caller's own cancellation. An answer that is too large to hand over is stored first.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from ..engine.offload.drain import Drain
from ..errors import InputError, NotFoundError, StoreError, TransomError
from ..jsontext import dumps
from ..safety.masking import log_fault
from ..safety.verdict import Verdict
from ..store.store import Store
from ..vocabulary import Vocabulary
from .access.reasons import cause
from .calling import Call, Listen, in_thread
from .meaning import meant_arguments, meant_tools, near_tools
from .misfits import misfit
from .repeats import REMINDED, Repeats
from .saying import said, sayable
from .spilling import Spill
from .toggles import Toggles
from .tool import Alias, CallCancelled, Envelope, Listing, Refused, Result, Tool

__all__ = ["Caller", "Dispatcher", "Policy"]

Ask = Callable[[str], Awaitable[bool | None]]
Policy = Callable[[Tool, Mapping[str, object]], Verdict]
"""Whether a call may be made, by rules of the application's own."""

_log = logging.getLogger(__name__)
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a tool is called.

    Attributes:
        session: its session; ``None`` for a call that belongs to none, for example a stateless one.
        project: its project, if it has one.
        stateful: later calls of the session see what this one sets.
        services: services of this caller alone, by type; they go before those of the toolbox.
        ask: asks the user to consent; gives ``None`` where nobody can be asked.
        listen: hears of progress: done, total, message.
        usage: tokens used and tokens of the window, where the caller holds a conversation.
    """

    session: str | None = None
    project: str | None = None
    stateful: bool = True
    services: Mapping[type, object] = field(default_factory=dict)
    ask: Ask | None = None
    listen: Listen | None = None
    usage: Callable[[], tuple[int, int] | None] | None = None


NOBODY = Caller(stateful=False)


class Dispatcher:
    """Calls tools.

    Args:
        tools: those there are, by name, in the catalog's order.
        toggles: what is switched on.
        services: what tools may use, by type.
        words: what models are told.
        clock: seconds since the epoch.
        policies: rules of the application's own; the first that says no decides.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        *,
        toggles: Toggles,
        services: Mapping[type, object],
        words: Vocabulary,
        clock: Callable[[], float],
        policies: Sequence[Policy] = (),
    ) -> None:
        self._tools = tools
        self._aliases = {alias.name: (tool, alias) for tool in tools.values() for alias in tool.aliases}
        self._toggles = toggles
        self._services = services
        self._words = words
        self._clock = clock
        self._policies = policies
        self.drain = Drain()
        self._repeats = Repeats()
        store = services.get(Store)
        self._spill = Spill(store if isinstance(store, Store) else None, words)

    def knows(self, name: str) -> bool:
        """Whether a name, or an older one, is a tool's."""
        return name in self._tools or name in self._aliases

    def listings(self) -> list[Listing]:
        """Every tool there is, in the catalog's order."""
        return [
            Listing(
                name=tool.name,
                family=tool.family,
                title=tool.title,
                description=tool.description,
                enabled=self._toggles.is_on(tool),
                visible=self._toggles.is_listed(tool),
                schema=tool.schema,
                aliases=tuple(alias.name for alias in tool.aliases),
            )
            for tool in self._tools.values()
        ]

    async def call(self, name: str, arguments: object, caller: Caller = NOBODY) -> Envelope:
        """Call a tool.

        Args:
            name: the tool's, or an older one.
            arguments: by name, as the model sent them.
            caller: on whose behalf.

        Returns:
            What came of it; also where there is no such tool, the arguments do not fit, or it broke.
        """
        tool, alias = self._tools.get(name), None
        if tool is None and name in self._aliases:
            tool, alias = self._aliases[name]
        if tool is None:
            near, meant = near_tools(name, (*self._tools, *self._aliases)), meant_tools(name, self._tools)
            shown = [tool if self._toggles.is_on(self._tools[tool]) else tool + self._words.tooling.off for tool in meant]
            return _said(self._failed(Refused("unknown_tool", self._words.tooling.no_such_tool(name, near, shown))))
        try:
            answer = await self._answer(tool, alias, arguments, caller)
        except Refused as refusal:
            answer = self._failed(refusal, tool=tool, alias=alias)
        except Exception as error:  # noqa: BLE001 - arguments that no rule and no question can hold are answered like any others
            answer = self._failed(self._broken(tool, error), tool=tool, alias=alias)
        if tool.forwards:
            return answer
        answer = self._marked(answer, tool, alias, caller)
        return _said(self._reminded(answer, tool, arguments, caller))

    async def _answer(self, tool: Tool, alias: Alias | None, arguments: object, caller: Caller) -> Envelope:
        given = self._arguments(tool, alias, arguments)
        if not self._toggles.is_on(tool):
            raise Refused("disabled", self._words.tooling.disabled.format(tool=tool.name, family=tool.family))
        for policy in self._policies:
            verdict = policy(tool, given)
            if not verdict:
                raise Refused.by(verdict, self._words)
        await self._consent(tool, given, caller)
        if tool.drains and not await self.drain.settled(caller.session):
            raise Refused("unavailable", self._words.tooling.put_off.format(tool=tool.name))
        with self.drain.call(caller.session) if not tool.drains else contextlib.nullcontext():
            made = await self._run(tool, given, caller)
        if isinstance(made, Envelope):
            return made
        envelope = Envelope(
            ok=True, data=made.data, text=made.text, uri=made.uri, confidence=made.confidence, provenance=made.provenance
        )
        return envelope if tool.reader else await self._spill(envelope)

    def _reminded(self, answer: Envelope, tool: Tool, arguments: object, caller: Caller) -> Envelope:
        if caller.session is None or not isinstance(arguments, Mapping):
            return answer
        times = self._repeats.count(caller.session, tool.name, arguments)
        if times not in REMINDED:
            return answer
        reminder = self._words.tooling.repeated.format(tool=tool.name, times=times)
        return replace(answer, text=f"{answer.text}\n{reminder}")

    def _arguments(self, tool: Tool, alias: Alias | None, arguments: object) -> dict[str, object]:
        words, valid = self._words.tooling, tool.signature.names
        if not isinstance(arguments, Mapping):
            raise Refused("invalid_input", words.not_an_object.format(tool=tool.name))
        given = {str(name): value for name, value in arguments.items()}
        if alias is not None:
            given = {alias.arguments.get(name, name): value for name, value in given.items()}
            given = {**alias.fixed, **given}
        given = meant_arguments(given, valid, tool.schema["properties"])
        if unknown := [name for name in given if name not in valid]:
            raise Refused("invalid_input", words.no_such_argument(tool.name, unknown, valid), data={"valid": list(valid)})
        needed = tool.signature.required
        if missing := [name for name in needed if given.get(name) is None]:
            text = words.missing_argument.format(tool=tool.name, names=", ".join(missing), valid=", ".join(valid))
            raise Refused("invalid_input", text, data={"valid": list(valid)})
        try:
            return tool.check(given)
        except (msgspec.ValidationError, RecursionError) as error:
            detail = misfit(str(error), given, tool.schema, words)
            raise Refused("invalid_input", words.bad_argument.format(tool=tool.name, detail=detail)) from None

    async def _consent(self, tool: Tool, given: Mapping[str, object], caller: Caller) -> None:
        if not tool.needs_consent(given) or given.get("confirm") is True:
            return
        words = self._words.tooling
        shown = dumps({name: value for name, value in given.items() if name != "confirm"}).decode()
        made = await self._run(replace(tool, body=tool.preview), given, caller) if tool.preview is not None else Result()
        question = "\n".join(filter(None, (words.question.format(tool=tool.name, arguments=shown), made.text)))
        answer = await caller.ask(sayable(question)) if caller.ask else None
        if answer is False:
            raise Refused("confirm_required", words.declined.format(tool=tool.name))
        if answer is None:
            text = "\n".join(filter(None, (words.confirm.format(tool=tool.name), made.text)))
            raise Refused("confirm_required", text, data=made.data)

    async def _run(self, tool: Tool, given: Mapping[str, object], caller: Caller) -> Result | Envelope:
        words = self._words.tooling
        call = Call(
            words=self._words,
            session=caller.session,
            project=caller.project,
            stateful=caller.stateful,
            services={**self._services, **caller.services},
            now=self._clock,
            listen=caller.listen,
            tool=tool.name,
            catalog=_View(self, caller),
        )
        arguments = dict(given)
        try:
            async with asyncio.timeout(tool.seconds):
                made = (
                    tool.body(call, **arguments)
                    if tool.asynchronous
                    else await in_thread(lambda: tool.body(call, **arguments), call)
                )
                return await made if isinstance(made, Awaitable) else made
        except TimeoutError:
            raise Refused("timeout", words.timeout.format(tool=tool.name, seconds=tool.seconds)) from None
        except CallCancelled:
            raise Refused("cancelled", words.cancelled.format(tool=tool.name)) from None
        except Refused:
            raise
        except Exception as error:
            raise self._broken(tool, error) from error
        finally:
            call.end()

    def _broken(self, tool: Tool, error: Exception) -> Refused:
        match error:
            case NotFoundError():
                symbol = "not_found"
            case StoreError() | OSError():
                symbol = "io_error"
            case InputError():
                symbol = "invalid_input"
            case TransomError():
                symbol = "unavailable"
            case _:
                log_fault(_log, error, "the tool %s broke", tool.name)
                return Refused("runtime_error", self._words.tooling.fault.format(tool=tool.name, kind=type(error).__name__))
        if isinstance(error, TransomError):
            return Refused(symbol, ". ".join(part.rstrip(".") for part in (error.message, error.hint) if part) + ".")
        assert isinstance(error, OSError)
        words, reason = self._words.tooling, error.strerror or type(error).__name__
        return Refused(symbol, str(getattr(words, cause(error) or "refused")).format(tool=tool.name, reason=reason))

    def _failed(self, refusal: Refused, *, tool: Tool | None = None, alias: Alias | None = None) -> Envelope:
        text = refusal.text
        if tool is not None and alias is not None:
            text = self._words.tooling.alias_failed.format(alias=alias.name, tool=tool.name, text=text)
        text = self._words.tooling.failed.format(text=text)
        return Envelope(ok=False, error=refusal.error, data=dict(refusal.data), text=text)

    def _marked(self, answer: Envelope, tool: Tool, alias: Alias | None, caller: Caller) -> Envelope:
        lines = [answer.text] if answer.text else []
        if answer.confidence != "extracted" and answer.ok:
            lines.append(self._words.tooling.doubts[answer.confidence])
        data = dict(answer.data)
        if alias is not None and answer.ok:
            note = self._words.tooling.alias.format(alias=alias.name, tool=tool.name)
            data |= {"deprecated_alias": alias.name, "deprecation_note": note}
            lines.append(note)
        used = caller.usage() if caller.usage else None
        if used is not None and used[0] * 2 >= used[1] > 0:
            lines.append(self._words.tooling.usage(*used))
        return replace(answer, text="\n".join(lines), data=data)


def _said(answer: Envelope) -> Envelope:
    """An answer that every face can hand over."""
    text, data = sayable(answer.text), said(answer.data)
    provenance = answer.provenance and sayable(answer.provenance)
    if text == answer.text and data is answer.data and provenance == answer.provenance:
        return answer
    return replace(answer, text=text, data=data, provenance=provenance)


@dataclass(frozen=True, slots=True)
class _View:
    """The catalog as one caller may use it."""

    dispatcher: Dispatcher
    caller: Caller

    def listings(self) -> Sequence[Listing]:
        return self.dispatcher.listings()

    async def call(self, name: str, arguments: Mapping[str, object]) -> Envelope:
        with self.dispatcher.drain.aside(self.caller.session):
            return await self.dispatcher.call(name, arguments, self.caller)
