"""An agent's loop over each provider's SDK: whatever the model does, no request is refused and nothing is lost.

The scripted provider refuses what the real ones refuse, by their rules and by its window. The loops are those of the how-to,
with every shape of an answer: words, reasoning, one call, several at once, calls of our own tools, with mistakes in them.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from typing import Any, cast

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from transom import Call, Context, Tool
from transom.testing.provider import Reply, ScriptedProvider, calls, says

WINDOW = 6_000
ROUNDS = 45
NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
Body = dict[str, Any]
Loop = Callable[[ScriptedProvider, Context, str], str]


def read(number: int) -> str:
    """What the agent's own tool gives: long, and with something to find."""
    return "\n".join(f"entry {number}-{line}: value {number * 7_919 + line}" for line in range(40 + number % 5 * 30))


def script(seed: int) -> Iterator[Reply]:
    chance = random.Random(seed)
    number = 0

    def call() -> Call:
        nonlocal number
        number += 1
        return Call("read", json.dumps({"number": number}))

    for _ in range(ROUNDS):
        match chance.randrange(7):
            case 0 | 1:
                yield Reply(calls=(call(),))
            case 2:
                yield Reply(calls=tuple(call() for _ in range(chance.randrange(2, 4))))
            case 3:
                yield says(f"I have read {number} so far, and go on.", call())
            case 4:
                yield Reply("So.", (call(),), thinking="What comes next? The next number, of course.")
            case 5:
                yield calls("context", command="search", query=f"value {number * 7_919}")
            case _:
                yield calls("context", command=chance.choice(["view", "shred"]), path=chance.choice(["archive", "../x", ""]))
    yield says("Done.")


def spelled(text: str) -> str:
    """A text as it stands within JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def answer_of(ctx: Context, name: str, call: object, arguments: Body) -> str:
    return ctx.handle_tool_sync(call) if ctx.owns_tool(name) else read(**arguments)


def chat(provider: ScriptedProvider, ctx: Context, question: str) -> str:
    history: list[Body] = [{"role": "user", "content": question}]
    with openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0) as client:
        while True:
            ctx.load(history, format="openai")
            answer = client.chat.completions.create(model="m", **cast("Any", ctx.compile_sync("openai").body))
            ctx.report_usage(answer.usage.prompt_tokens)
            message = answer.choices[0].message
            history.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                text = answer_of(ctx, call.function.name, call, json.loads(call.function.arguments))
                history.append({"role": "tool", "tool_call_id": call.id, "content": text})


def responses(provider: ScriptedProvider, ctx: Context, question: str) -> str:
    history: list[Body] = [{"role": "user", "content": question}]
    with openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0) as client:
        while True:
            ctx.load(history, format="openai-responses")
            answer = client.responses.create(model="m", store=False, **cast("Any", ctx.compile_sync("openai-responses").body))
            ctx.report_usage(answer.usage.input_tokens)
            history.extend(item.model_dump(exclude_none=True) for item in answer.output)
            asked = [item for item in answer.output if item.type == "function_call"]
            if not asked:
                return str(answer.output_text)
            for call in asked:
                text = answer_of(ctx, call.name, call, json.loads(call.arguments))
                history.append({"type": "function_call_output", "call_id": call.call_id, "output": text})


def messages(provider: ScriptedProvider, ctx: Context, question: str) -> str:
    history: list[Body] = [{"role": "user", "content": question}]
    with anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0) as client:
        while True:
            ctx.load(history, format="anthropic")
            body = {"max_tokens": 1_000, **ctx.compile_sync("anthropic").body}
            answer = client.messages.create(model="m", **cast("Any", body))
            ctx.report_usage(answer.usage.input_tokens)
            history.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in answer.content]})
            asked = [block for block in answer.content if block.type == "tool_use"]
            if not asked:
                return "".join(block.text for block in answer.content if block.type == "text")
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": answer_of(ctx, block.name, block, block.input)}
                for block in asked
            ]
            history.append({"role": "user", "content": results})


def gemini(provider: ScriptedProvider, ctx: Context, question: str) -> str:
    history: list[Body] = [{"role": "user", "parts": [{"text": question}]}]
    with genai.Client(api_key="none", http_options=types.HttpOptions(base_url=provider.url)) as client:
        while True:
            ctx.load(history, format="gemini")
            body = dict(ctx.compile_sync("gemini").body)
            contents = cast("Any", body.pop("contents"))
            config = types.GenerateContentConfig(**cast("Any", body))
            answer = client.models.generate_content(model="m", contents=contents, config=config)
            assert answer.usage_metadata is not None
            assert answer.usage_metadata.prompt_token_count is not None
            ctx.report_usage(answer.usage_metadata.prompt_token_count)
            assert answer.candidates
            assert answer.candidates[0].content is not None
            history.append(answer.candidates[0].content.model_dump(mode="json", by_alias=True, exclude_none=True))
            if not answer.function_calls:
                return str(answer.text)
            results = [
                {
                    "functionResponse": {
                        "name": call.name,
                        "response": {"output": answer_of(ctx, call.name or "", call, call.args or {})},
                    }
                }
                for call in answer.function_calls
            ]
            history.append({"role": "user", "parts": results})


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("loop", [chat, responses, messages, gemini], ids=lambda loop: loop.__name__)
def test_no_request_of_a_loop_is_refused_and_everything_can_be_read_back(loop: Loop, seed: int) -> None:
    with ScriptedProvider(script(seed), window=WINDOW) as provider:
        ctx = Context(window=WINDOW, context_tool=True, memory=True)
        ctx.system("You read entries by number.")
        ctx.tools(Tool("read", "Read the entries of a number.", NUMBER))
        archives: dict[str, None] = {}
        ctx.on("compile_done", lambda event: archives.update(dict.fromkeys(event.meta.archives)))
        assert loop(provider, ctx, "Read everything.") == "Done."
        kept = [asyncio.run(ctx.store.expand(uri)).decode() for uri in archives]
        ctx.close()
    assert provider.refusals == []
    assert len(provider.received) == ROUNDS + 1
    assert ctx.lineage.current != "w1"
    sent = [result.text for message in provider.received[-1].messages for result in message.results]
    given = [result.text for message in ctx.messages for result in message.results]
    assert len(given) >= ROUNDS - 1
    assert [text for text in given if text not in sent and not any(spelled(text) in archive for archive in kept)] == []
