"""What conversion keeps: bodies written back in their own format, sessions carried into every format, and who accepts them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import orjson
from figures import HERE, TRANSCRIPTS, Figure
from sessions import chat_body, session
from turns import TARGETS, Account, Conversation, conversations, run_turns, source

from transom import Context
from transom.errors import JSONError
from transom.jsontext import canonical, loads
from transom.messages import Call, Message, Result, Text
from transom.messages.turns import group_turns
from transom.wire.convert import convert, convert_request
from transom.wire.format import Request
from transom.wire.pairing import pair
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

WINDOW = 32_000
WIRE_FILES = {
    "openai-responses-compaction.json": "openai-responses",
    "anthropic-messages-web-search.json": "anthropic",
    "gemini-contents-image.json": "gemini",
}


def measure() -> Iterable[Figure]:
    """Counts, in percent of what there was."""
    talks = list(conversations())
    bodies = {(talk.name, target): _written(talk, target) for talk in talks for target in TARGETS}
    yield from _round_trips(bodies)
    yield from _any_to_any(talks, bodies)
    yield from _accepted(talks, bodies)


def _written(talk: Conversation, target: str) -> bytes:
    request = Request(head=talk.head, messages=talk.messages)
    return convert_request(request, builtin_registry().get(target), None, Report())


def _found() -> Iterator[tuple[str, bytes]]:
    """Recorded bodies and lists of messages as they are, and one generated body."""
    yield "openai", orjson.dumps(chat_body(session(300)))
    if not TRANSCRIPTS.is_dir():
        return
    for name, spelled in WIRE_FILES.items():
        yield spelled, (TRANSCRIPTS / name).read_bytes()
    logged = loads((TRANSCRIPTS / "openai-chat-openhands-sdk.json").read_bytes())
    assert isinstance(logged, dict)
    yield "openai", orjson.dumps({"model": "m", "tools": logged.get("tools", []), "messages": logged["messages"]})
    runs = loads((TRANSCRIPTS / "openai-chat-taubench-airline.json").read_bytes())
    assert isinstance(runs, list)
    for run in runs:
        yield "openai", orjson.dumps({"model": "m", "messages": run["traj"]})


def _round_trips(bodies: dict[tuple[str, str], bytes]) -> Iterator[Figure]:
    registry = builtin_registry()
    given = [*_found(), *((target, body) for (_, target), body in bodies.items())]
    equal = 0
    for target, body in given:
        back, report = convert(body, target, target, registry)
        equal += loads(back) == loads(body) and not report.notes
    note = f"{len(given)} bodies: {source()}, files in a wire format among them, and what we wrote of them"
    yield Figure("same-format round trip, equal as JSON", 100 * equal / len(given), "%", at_least=100, note=note)


def _any_to_any(talks: list[Conversation], bodies: dict[tuple[str, str], bytes]) -> Iterator[Figure]:
    registry = builtin_registry()
    kept, said = Counter[str](), Counter[str]()
    ways = 0
    for talk in talks:
        for target in TARGETS:
            there = registry.get(target).parse(bodies[talk.name, target]).messages
            _compare(talk.messages, there, kept, said)
            ways += 1
            for other in TARGETS:
                if other != target:
                    body, _ = convert(bodies[talk.name, target], target, other, registry)
                    _compare(there, registry.get(other).parse(body).messages, kept, said)
                    ways += 1
    for kind in ("texts", "calls", "results with their call"):
        note = f"of {said[kind]:,} over {ways:,} conversions: reader to target, and each target to each"
        yield Figure(f"any to any: {kind} kept", 100 * kept[kind] / max(1, said[kind]), "%", at_least=100, note=note)


def _compare(then: tuple[Message, ...], now: tuple[Message, ...], kept: Counter[str], said: Counter[str]) -> None:
    for kind, before, after in zip(("texts", "calls", "results with their call"), _said(then), _said(now), strict=True):
        said[kind] += before.total()
        kept[kind] += (before & after).total()


def _said(messages: tuple[Message, ...]) -> tuple[Counter[object], Counter[object], Counter[object]]:
    texts, calls, results = Counter[object](), Counter[object](), Counter[object]()
    for turn in group_turns(messages):
        span = messages[turn.start : turn.stop]
        pairing = pair(span)
        asked = [(part.name, _arguments(part)) for message in span for part in message.parts if isinstance(part, Call)]
        for at, message in enumerate(span):
            for index, part in enumerate(message.parts):
                match part:
                    case Text() if part.text.strip():
                        # Without the role: an answer to be continued becomes a system note where nothing continues it.
                        texts[part.text] += 1
                    case Call():
                        calls[part.name, _arguments(part)] += 1
                    case Result():
                        answered = pairing.calls[at, index] is not None
                        results[asked[pairing.order[at, index]] if answered else None, part.text] += 1
                    case _:
                        pass
    return texts, calls, results


def _arguments(call: Call) -> bytes:
    if call.kind == "custom":
        return canonical({"input": call.arguments})
    try:
        return canonical(loads(call.arguments))
    except JSONError:
        return call.arguments.encode(errors="surrogatepass")


def _accepted(talks: list[Conversation], bodies: dict[tuple[str, str], bytes]) -> Iterator[Figure]:
    registry = builtin_registry()
    accepts = _sdk_checks()
    compiled = ours = typed = theirs = as_it_came = 0
    refused: list[str] = []
    for talk in talks:
        for target in TARGETS:
            context, account = Context(window=WINDOW), Account()
            last = asyncio.run(run_turns(talk, context, target, "appended", account))
            own = any(message.origin and message.origin.format == target for message in talk.messages)
            for body in (bodies[talk.name, target], *([last.json()] if last is not None else [])):
                value = loads(body)
                assert isinstance(value, dict)
                named = value if target == "gemini" else {"model": "m", **value}
                if body is not bodies[talk.name, target]:
                    # A conversion repairs nothing, so what a recording broke as its agent sent it stays broken there.
                    compiled += 1
                    ours += not registry.get(target).validate(named)
                if own and target.startswith("openai"):
                    as_it_came += 1
                    continue
                typed += 1
                try:
                    accepts[target](named)
                    theirs += 1
                except (AssertionError, ValueError, TypeError) as error:
                    refused.append(f"{talk.name} → {target}: {str(error)[:80]}")
    share = 100 * ours / max(compiled, 1)
    yield Figure("compiled payloads accepted by our validators", share, "%", at_least=100, note=f"of {compiled}")
    note = f"of {typed}; {as_it_came} went out as they came in the same format and are not judged; {'; '.join(refused[:2])}"
    yield Figure("payloads accepted by the SDKs' request types", 100 * theirs / max(typed, 1), "%", at_least=100, note=note)


def _sdk_checks() -> dict[str, Callable[[dict[str, object]], None]]:
    """The checks that the tests make, one a target."""
    sys.path.insert(0, str(HERE.parent))
    from tests.invariants import test_sdk_types_anthropic as anthropic
    from tests.invariants import test_sdk_types_gemini as gemini
    from tests.invariants import test_wire_openai_types as openai

    return {
        "openai": lambda body: openai.check("openai", json.dumps(body).encode()),
        "openai-responses": lambda body: openai.check("openai-responses", json.dumps(body).encode()),
        "anthropic": lambda body: anthropic.assert_typed(anthropic.REQUEST, {"max_tokens": 1, **body}),
        "gemini": gemini.assert_typed,
    }
