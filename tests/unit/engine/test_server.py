"""``server``: what a request says to a provider that keeps its own window, and what happens everywhere else."""

from __future__ import annotations

import pytest
from anthropic.types.beta.beta_context_management_config_param import Edit
from pydantic import TypeAdapter, ValidationError
from tests.unit.engine.sessions import HEAD, Scripted, context_of, driven, round_of, texts, tool_loop

from transom import Context, Handoff, Message, Tool, background, chain, clear, digest, guard, reset, server
from transom.engine.events import NewContextDropped, WindowWarned
from transom.errors import StrategyError
from transom.wire.registry import builtin_registry

EDITING = "context-management-2025-06-27"
COMPACTION = "compact-2026-01-12"
FALLBACK = chain(clear(), digest(), reset())


def managed(window: int = 4_000) -> Context:
    context = context_of(tool_loop(10), window=window, overflow=server(fallback=FALLBACK))
    context.head = HEAD
    return context


def edits_of(body: dict[str, object]) -> list[dict[str, object]]:
    asked = body["context_management"]
    assert isinstance(asked, dict)
    edits = asked["edits"]
    assert isinstance(edits, list)
    TypeAdapter(list[Edit]).validate_python(edits)
    return edits


@pytest.mark.feature("O4")
async def test_anthropic_is_asked_to_clear_old_results_and_the_history_goes_out_whole() -> None:
    context = managed()
    payload = await context.compile("anthropic")
    assert payload.meta.window_id == "w1"
    assert all(message.text in texts(payload) for message in context.messages)
    (edit,) = edits_of(payload.body)
    assert edit["type"] == "clear_tool_uses_20250919"
    assert edit["trigger"] == {"type": "input_tokens", "value": payload.meta.trigger}
    assert payload.betas == (EDITING,)
    assert payload.headers == {"anthropic-beta": EDITING}
    assert builtin_registry().get("anthropic").validate(payload.body) == []


@pytest.mark.feature("O4")
@pytest.mark.parametrize("target", ["openai", "openai-responses", "gemini"])
async def test_elsewhere_the_fallback_is_at_work_as_if_it_stood_alone(target: str) -> None:
    alone = context_of(overflow=FALLBACK)
    context = context_of(overflow=server(fallback=FALLBACK))
    pairs = zip(await driven(context, tool_loop(40), target), await driven(alone, tool_loop(40), target), strict=True)
    for ours, theirs in pairs:
        assert ours.json() == theirs.json()
        assert ours.betas == ()
        assert ours.headers == {}
        assert "context_management" not in ours.body


@pytest.mark.feature("O4")
async def test_a_history_that_does_not_fit_is_closed_by_the_fallback_all_the_same() -> None:
    context = context_of(overflow=server(fallback=reset()))
    payloads = await driven(context, tool_loop(60), "anthropic")
    assert all(payload.meta.tokens_after + payload.meta.reserve <= 4_000 for payload in payloads)
    closed = [payload for payload in payloads if payload.meta.closed]
    assert closed
    assert all(payload.meta.closing and payload.meta.closing.before > 2_900 for payload in closed)
    assert len({str(edits_of(payload.body)) for payload in payloads}) == 1, "the same for every request with one head"


@pytest.mark.feature("O4")
async def test_a_context_that_serves_two_targets_lets_each_have_its_own_way() -> None:
    context = managed()
    assert (await context.compile("anthropic")).meta.window_id == "w1"
    assert (await context.compile("openai")).meta.window_id == "w2"
    context.append(*round_of(90))
    payload = await context.compile("anthropic")
    assert payload.meta.window_id == "w2"
    assert payload.betas == (EDITING,)


@pytest.mark.feature("O4")
async def test_a_request_read_from_anthropics_own_body_keeps_what_it_asks_for_itself() -> None:
    own = {"edits": [{"type": "compact_20260112"}, {"type": "clear_tool_uses_20250919"}]}
    body = {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    context = context_of(overflow=server(fallback=FALLBACK, betas=["another-2026-01-01"]))
    context.load({**body, "context_management": own}, "anthropic")
    payload = await context.compile("anthropic")
    assert payload.body["context_management"] == own
    assert payload.betas == (COMPACTION, EDITING, "another-2026-01-01")
    assert "betas" not in payload.body

    context.load({**body, "betas": ["interleaved-thinking-2025-05-14"]}, "anthropic")
    payload = await context.compile("anthropic")
    expected = ["interleaved-thinking-2025-05-14", EDITING, "another-2026-01-01"]
    assert payload.body["betas"] == expected, "arguments of the SDK stay arguments of the SDK"
    assert payload.betas == tuple(expected)
    assert edits_of(payload.body)
    assert texts(payload).count('"betas"') == 1


@pytest.mark.feature("O4")
@pytest.mark.parametrize(
    "thinking", [{"type": "enabled", "budget_tokens": 2000}, {"type": "adaptive"}, {"type": "disabled"}, None]
)
async def test_thinking_stays_where_the_request_thinks_and_is_not_spoken_of_elsewhere(thinking: object) -> None:
    body = {"model": "claude-x", "max_tokens": 4000, "messages": [{"role": "user", "content": "Hi"}]}
    context = context_of(overflow=server(fallback=FALLBACK))
    context.load(body if thinking is None else {**body, "thinking": thinking}, "anthropic")
    edits = edits_of((await context.compile("anthropic")).body)
    thinks = isinstance(thinking, dict) and thinking["type"] != "disabled"
    kinds = ["clear_thinking_20251015", "clear_tool_uses_20250919"]
    assert [edit["type"] for edit in edits] == (kinds if thinks else kinds[1:])
    assert not thinks or edits[0]["keep"] == "all"


@pytest.mark.feature("O4")
async def test_edits_of_ones_own_go_out_as_they_are_and_get_our_trigger_where_they_have_none() -> None:
    edits: list[dict[str, object]] = [
        {"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 9}},
        {"type": "compact_20260112", "instructions": "Keep paths."},
        {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}},
    ]
    context = context_of(window=40_000, overflow=server(edits, fallback=FALLBACK))
    context.append(Message("user", "Hi"))
    payload = await context.compile("anthropic")
    found = edits_of(payload.body)
    assert found[0] == edits[2], "Anthropic wants it first"
    assert found[1] == {**edits[0], "trigger": {"type": "input_tokens", "value": payload.meta.trigger}}
    assert found[2] == {**edits[1], "trigger": {"type": "input_tokens", "value": 50_000}}, "the least that Anthropic takes"
    assert payload.betas == (EDITING, COMPACTION)


@pytest.mark.feature("O4")
async def test_what_retrieval_gave_back_is_not_cleared_at_the_provider_either() -> None:
    context = managed()
    context.tools(Tool("context", "Reads.", {"type": "object", "properties": {}}))
    (edit,) = edits_of((await context.compile("anthropic")).body)
    assert edit["exclude_tools"] == ["context"]


@pytest.mark.feature("O4")
@pytest.mark.feature("O12")
async def test_nothing_is_said_of_a_window_that_the_provider_keeps() -> None:
    context = context_of(overflow=server(fallback=reset()), handoff=Handoff(600), guard=guard(warn=0.1))
    warned: list[WindowWarned] = []
    context.on(WindowWarned, warned.append)
    for payload in await driven(context, tool_loop(11), "anthropic"):
        assert not payload.meta.handoff
        assert "[Context notice]" not in texts(payload)
        assert "[ctx ~" not in texts(payload)
    assert warned == []
    assert "[ctx ~" in texts(await context.compile("openai"))


@pytest.mark.feature("O4")
@pytest.mark.feature("O13")
async def test_a_new_window_asked_of_the_provider_is_reported_as_dropped() -> None:
    context = managed()
    dropped: list[NewContextDropped] = []
    context.on(NewContextDropped, dropped.append)
    context.request_new_context()
    payload = await context.compile("anthropic")
    assert payload.meta.window_id == "w1"
    assert payload.meta.failure == "new_context: the provider keeps the window of this target"
    assert [event.window_id for event in dropped] == ["w1"]


@pytest.mark.feature("O4")
@pytest.mark.feature("K2")
async def test_what_a_provider_reports_that_cleared_something_corrects_no_count() -> None:
    context = managed(window=40_000)
    payload = await context.compile("anthropic")
    context.report_usage(payload.meta.tokens_after // 5)
    assert context.calibration.ratio == 1.0
    assert context.usage.tokens == pytest.approx(payload.meta.tokens_after, abs=2)


@pytest.mark.feature("O4")
@pytest.mark.feature("O7")
async def test_the_fallback_may_work_in_the_background_and_lands_nothing_where_the_provider_keeps_the_window() -> None:
    strategy = Scripted(lambda span: (_ for _ in ()).throw(RuntimeError("down")))
    context = context_of(tool_loop(10), overflow=server(fallback=chain(background(strategy), reset())))
    assert (await context.compile("anthropic")).meta.waiting == ""
    assert (await context.compile("openai")).meta.waiting == "background(scripted)"
    assert (await context.compile("anthropic")).meta.failure == ""


@pytest.mark.feature("O4")
@pytest.mark.parametrize(
    "wrong",
    [
        lambda: server(fallback=None),  # type: ignore[arg-type]
        lambda: server(fallback=server(fallback=reset())),
        lambda: server([{"keep": "all"}], fallback=reset()),
        lambda: chain(server(fallback=reset()), digest()),
    ],
)
def test_edits_without_a_type_and_fallbacks_that_are_none_are_refused(wrong: object) -> None:
    with pytest.raises(StrategyError):
        wrong()  # type: ignore[operator]


@pytest.mark.feature("O4")
def test_the_sdk_knows_what_we_ask_for() -> None:
    """The net under these tests: a wrong edit does not pass the SDK's own types."""
    with pytest.raises(ValidationError):
        TypeAdapter(list[Edit]).validate_python([{"type": "clear_everything"}])


@pytest.mark.parametrize("edits", [[None], [5], "clear", {"type": "x"}, 5, [{"type": 5}], [{"type": "x", "y": {1}}]])
def test_edits_that_are_none_are_refused_with_the_way_out(edits: object) -> None:
    with pytest.raises(StrategyError) as refused:
        server(edits, fallback=reset())  # type: ignore[arg-type]
    assert "an edit has a type" in refused.value.hint


@pytest.mark.parametrize("betas", ["one", [None], 5])
def test_betas_that_are_no_names_are_refused(betas: object) -> None:
    with pytest.raises(StrategyError, match="no names of betas"):
        server(fallback=reset(), betas=betas)  # type: ignore[arg-type]
