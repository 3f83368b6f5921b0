"""Frameworks and further clients through the gateway: one prompt and one tool call each, and no byte of a request is changed.

Each is a program of its own, run by the Python of an environment that has what the checks do not need: ``script/client-checks``
makes it, and runs this; what is not in it is skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.gateway.conftest import Serve
from tests.gateway.relay import Relay

from transom.testing.provider import Received, Reply, ScriptedProvider, calls, says

PYTHON = Path(__file__).resolve().parents[2] / ".venv" / "client-checks" / "python" / "bin" / "python"
PROMPT = "Add the two numbers."
ANSWER = "They are added."
USAGE_ASKED = b',"stream_options":{"include_usage":true}}'
"""What the gateway adds to a streamed Chat request that asks for no usage; the answer is as if it had not."""

ADD = '''
def add(a: int, b: int) -> int:
    """Add two numbers.

    Args:
        a: the first.
        b: the second.
    """
    return a + b
'''
LANGCHAIN = (
    ADD
    + """
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="m", base_url=f"{BASE}/v1", api_key="key", max_retries=0, OPTIONS).bind_tools([add])
messages = [HumanMessage(PROMPT)]
while True:
    answer = None
    for chunk in model.stream(messages):
        answer = chunk if answer is None else answer + chunk
    messages.append(answer)
    if not answer.tool_calls:
        break
    messages += [ToolMessage(str(add(**call["args"])), tool_call_id=call["id"]) for call in answer.tool_calls]
print(answer.text)
"""
)
PYDANTIC_AI = (
    ADD
    + """
from pydantic_ai import Agent
from pydantic_ai.models.MODULE import MODEL
from pydantic_ai.providers.PROVIDER import MAKER

agent = Agent(MODEL("m", provider=MAKER(api_key="key", base_url=URL)), tools=[add])
print(agent.run_sync(PROMPT).output)
"""
)
AGENTS = (
    """
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
"""
    + ADD
    + """
set_tracing_disabled(True)
model = MODEL(model="m", openai_client=AsyncOpenAI(base_url=f"{BASE}/v1", api_key="key", max_retries=0))
agent = Agent(name="Adder", model=model, tools=[function_tool(add)])
print(Runner.run_sync(agent, PROMPT).final_output)
"""
)
OLLAMA = (
    ADD
    + """
from ollama import Client

client = Client(host=BASE)
messages = [{"role": "user", "content": PROMPT}]
while True:
    text, asked = "", []
    answers = client.chat(model="m", messages=messages, tools=[add], stream=STREAM)
    for answer in answers if STREAM else [answers]:
        text += answer.message.content or ""
        asked += answer.message.tool_calls or ()
    messages.append({"role": "assistant", "content": text, "tool_calls": asked})
    if not asked:
        break
    for call in asked:
        result = add(**call.function.arguments)
        messages.append({"role": "tool", "tool_name": call.function.name, "content": str(result)})
print(text)
"""
)
GEMINI = (
    ADD
    + """
from google.genai import Client
from google.genai.types import GenerateContentConfig, HttpOptions

# The SDK calls the function itself.
with Client(api_key="key", http_options=HttpOptions(base_url=BASE)) as client:
    config = GenerateContentConfig(tools=[add])
    print(client.models.generate_content(model="m", contents=PROMPT, config=config).text)
"""
)
LLM = """
import os, pathlib, subprocess, sys

home = pathlib.Path(os.environ["LLM_USER_PATH"])
home.mkdir()
(home / "keys.json").write_text('{"fake": "key"}')
(home / "extra-openai-models.yaml").write_text(
    f"- model_id: fake\\n  model_name: m\\n  api_base: {BASE}/v1\\n  api_key_name: fake\\n  supports_tools: true\\n"
)
(home / "tools.py").write_text(FUNCTIONS)
command = [sys.executable, "-m", "llm", "-m", "fake", "--functions", str(home / "tools.py"), *OPTIONS, PROMPT]
subprocess.run(command, check=True)
"""


@dataclass(frozen=True)
class Program:
    """A client: what it needs to import, and what it runs with its placeholders filled.

    Attributes:
        name: it.
        needs: the module that is there when it is installed.
        text: the program.
        filled: what stands for the words in it.
    """

    name: str
    needs: str
    text: str
    filled: Mapping[str, str] = field(default_factory=dict)

    def run(self, base: str, home: Path) -> subprocess.CompletedProcess[str]:
        text = self.text
        for word, meant in self.filled.items():
            text = text.replace(word, meant)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ANTHROPIC", "OPENAI", "GEMINI", "GOOGLE", "OLLAMA", "LANG", "PYTHON"))
        }
        nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
        private = {"HOME": str(home), "LLM_USER_PATH": str(home / "llm"), "NO_PROXY": "127.0.0.1", "DO_NOT_TRACK": "1"}
        return subprocess.run(
            [PYTHON, "-c", f"BASE, PROMPT = {base!r}, {PROMPT!r}\n{text}"],
            cwd=home,
            env=kept | nowhere | private | {"LANGSMITH_TRACING": "false"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=100,
            check=False,
        )


def pydantic_ai(module: str, model: str, provider: str, maker: str, url: str) -> Program:
    filled = {"MODULE": module, "MODEL": model, "PROVIDER": provider, "MAKER": maker, "URL": url}
    return Program(f"pydantic-ai {model}", "pydantic_ai", PYDANTIC_AI, filled)


PROGRAMS = [
    Program("llm", "llm", LLM, {"FUNCTIONS": repr(ADD), "OPTIONS": '["--no-stream"]'}),
    Program("llm streamed", "llm", LLM, {"FUNCTIONS": repr(ADD), "OPTIONS": "[]"}),
    Program("LangChain", "langchain_openai", LANGCHAIN, {"OPTIONS": "disable_streaming=True"}),
    Program("LangChain streamed", "langchain_openai", LANGCHAIN, {"OPTIONS": ""}),
    Program("LangChain Responses", "langchain_openai", LANGCHAIN, {"OPTIONS": "use_responses_api=True"}),
    pydantic_ai("openai", "OpenAIChatModel", "openai", "OpenAIProvider", 'f"{BASE}/v1"'),
    pydantic_ai("openai", "OpenAIResponsesModel", "openai", "OpenAIProvider", 'f"{BASE}/v1"'),
    pydantic_ai("anthropic", "AnthropicModel", "anthropic", "AnthropicProvider", "BASE"),
    pydantic_ai("google", "GoogleModel", "google", "GoogleProvider", "BASE"),
    Program("OpenAI Agents", "agents", AGENTS, {"MODEL": "OpenAIResponsesModel"}),
    Program("OpenAI Agents Chat", "agents", AGENTS, {"MODEL": "OpenAIChatCompletionsModel"}),
    Program("ollama", "ollama", OLLAMA, {"STREAM": "False"}),
    Program("ollama streamed", "ollama", OLLAMA, {"STREAM": "True"}),
    Program("google-genai", "google.genai", GEMINI),
]


@pytest.fixture(scope="module")
def installed() -> frozenset[str]:
    """The modules that the programs need and that are there."""
    if not PYTHON.exists():
        pytest.skip("the clients are not installed: script/client-checks does that")
    names = sorted({program.needs for program in PROGRAMS})
    look = "import importlib.util, json, sys; print(json.dumps([n for n in sys.argv[1:] if importlib.util.find_spec(n)]))"
    found = subprocess.run([PYTHON, "-c", look, *names], capture_output=True, text=True, timeout=60, check=True)
    return frozenset(json.loads(found.stdout))


@pytest.mark.feature("G1")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_prompt_and_a_tool_call_go_on_as_the_very_bytes_that_came(
    program: Program, installed: frozenset[str], tmp_path: Path, serve: Serve
) -> None:
    if program.needs not in installed:
        pytest.skip(f"{program.needs} is not installed: script/client-checks does that")

    def script(received: Received) -> Reply:
        if received.number == 1:
            return calls("add", a=48_163, b=20)
        assert b"48183" in received.data
        return says(ANSWER)

    with ScriptedProvider(script) as provider, Relay(serve(provider.url, "--window", "200000").url) as relay:
        ended = program.run(relay.url, tmp_path)
        assert (ended.returncode, provider.refusals) == (0, []), ended.stderr
        assert ANSWER in ended.stdout, ended.stderr
        came = [each.body for each in relay.posted() if each.status == 200]
        went = provider.received
    assert len(came) == 2
    for body, received in zip(came, went, strict=True):
        adds = received.format == "openai" and b'"stream":true' in body and b'"stream_options"' not in body
        assert received.data == (body.removesuffix(b"}") + USAGE_ASKED if adds else body)
