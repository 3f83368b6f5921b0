"""How clients of five protocols spell what they send: elements with fields nobody knows, numbers and escapes as they like.

A client keeps its history as the very bytes it sent before. What it sends is what the provider takes.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

__all__ = ["CLIENTS", "Client", "Step"]

_NUMBER = re.compile(rb'"@@([^"@]*)@@"')
_ODD = ("1.0", "1e5", "-0.0", "12345678901234567890", "1E-7")
_PIXELS = bytes(range(256)) * 12

Element = dict[str, object]


@dataclass(frozen=True, slots=True)
class Step:
    """What a model did at once: thought, said something, and called tools, which answered.

    Attributes:
        number: tells it from others.
        text: what it said; may be empty.
        thinking: what it thought; may be empty.
        results: what the tools answered, in the order of the calls.
        custom: the first call is one of free text, where the protocol has such.
        extra: what else stands with the results; may be empty.
    """

    number: int
    text: str = ""
    thinking: str = ""
    results: Sequence[str] = ()
    custom: bool = False
    extra: str = ""


@dataclass
class Client:
    """One client: its protocol, and how it writes.

    Attributes:
        rng: what it is made of.
        stream: it wants its answers as streams.
        signs: the model signs what it thinks.
        leads: what it offers and how it instructs the model leads its conversation, where the protocol leaves that open.
        ids: calls and items have ids where the protocol leaves that open.
        protocol, conversation, path: the wire format, the member that holds the conversation, and where requests go.
    """

    rng: Random
    stream: bool = False
    signs: bool = True
    ids: bool = True
    leads: bool = False
    protocol: ClassVar[str] = ""
    conversation: ClassVar[str] = "messages"
    path: ClassVar[str] = ""
    _style: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng = self.rng
        separators = rng.choice(((",", ":"), (", ", ": "), (" , ", " : ")))
        self._style = {"ensure_ascii": rng.random() < 0.5, "separators": separators}
        self.stream = rng.random() < 0.4
        self.signs = rng.random() < 0.7
        self.ids = rng.random() < 0.7
        self.leads = rng.random() < 0.5

    def spell(self, value: object) -> bytes:
        """JSON as this client writes it."""
        text = json.dumps(value, **self._style)  # type: ignore[arg-type]
        return _NUMBER.sub(rb"\1", text.encode("utf-8", "surrogatepass"))

    def odd(self, element: Element) -> Element:
        """Now and then with a field nobody knows."""
        if self.rng.random() < 0.12:
            element["x_odd"] = {"n": f"@@{self.rng.choice(_ODD)}@@", "é": ["\u2028", None]}
        return element

    def body(self, system: str, tools: Sequence[str], elements: Sequence[bytes], model: str) -> bytes:
        """A request."""
        listed = b"[" + self._gap.join(elements) + b"]"
        outer = self.outer(system, tools, model)
        marked = self.spell({**outer, "x_last": "@@2.50@@"})
        place = b'"@list@"'
        return marked.replace(place, listed, 1)

    @property
    def _gap(self) -> bytes:
        return b",\n " if self._style["ensure_ascii"] else b","

    def path_of(self, model: str) -> str:
        """Where requests for a model go."""
        del model
        return self.path

    def lead(self, system: str, tools: Sequence[str]) -> list[bytes]:
        """What stands before the conversation in its list."""
        del system, tools
        return []

    def outer(self, system: str, tools: Sequence[str], model: str) -> Element:
        """The request, with a mark where the list is."""
        raise NotImplementedError

    def user(self, text: str, *, image: bool) -> list[bytes]:
        """What the user says."""
        raise NotImplementedError

    def said(self, step: Step) -> list[bytes]:
        """What the model says at the end of a turn."""
        raise NotImplementedError

    def worked(self, step: Step) -> list[bytes]:
        """What the model did in the middle of a turn, results included."""
        raise NotImplementedError

    def image(self) -> str:
        """A picture, in base64."""
        start = self.rng.randrange(256)
        return base64.b64encode(_PIXELS[start : start + self.rng.choice((60, 900, 2_700))]).decode()


def _schema(name: str) -> Element:
    properties = {"q": {"type": "string", "description": f"What {name} is asked."}, "n": {"type": "number"}}
    return {"type": "object", "properties": properties}


def _arguments(step: Step, index: int) -> Element:
    return {"q": f"step {step.number} call {index}", "n": "@@1.50@@"}


def _spelled_arguments(step: Step, index: int) -> str:
    return f'{{ "q": "step {step.number} call {index}", "n": 1.50 }}'


class Chat(Client):
    """OpenAI Chat Completions."""

    protocol, path = "openai", "/v1/chat/completions"

    def outer(self, system: str, tools: Sequence[str], model: str) -> Element:
        del system
        offered = [{"type": "function", "function": {"name": name, "parameters": _schema(name)}} for name in tools]
        made: Element = {"temperature": "@@1.0@@", "model": model, "messages": "@list@"}
        return made | ({"tools": offered} if offered else {}) | ({"stream": True} if self.stream else {})

    def lead(self, system: str, tools: Sequence[str]) -> list[bytes]:
        del tools
        return [self.spell({"role": "system", "content": system})] if system else []

    def user(self, text: str, *, image: bool) -> list[bytes]:
        content: object = text
        if image:
            content = [
                {"type": "text", "text": text},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{self.image()}"}},
            ]
        elif self.rng.random() < 0.3:
            content = [{"type": "text", "text": text}]
        return [self.spell(self.odd({"role": "user", "content": content}))]

    def said(self, step: Step) -> list[bytes]:
        message: Element = {"role": "assistant", "content": step.text}
        if step.thinking:
            message["reasoning_content"] = step.thinking
        return [self.spell(self.odd(message))]

    def worked(self, step: Step) -> list[bytes]:
        calls = [
            {
                "id": f"call_{step.number}_{index}",
                "type": "function",
                "function": {"name": "read", "arguments": _spelled_arguments(step, index)},
            }
            for index, _ in enumerate(step.results)
        ]
        content = step.text or self.rng.choice((None, ""))
        message: Element = {"role": "assistant", "content": content, "tool_calls": calls}
        if step.thinking:
            message["reasoning_content"] = step.thinking
        found = [self.spell(self.odd(message))]
        for index, result in enumerate(step.results):
            said: object = [{"type": "text", "text": result}] if result and self.rng.random() < 0.2 else result
            found.append(self.spell(self.odd({"role": "tool", "tool_call_id": f"call_{step.number}_{index}", "content": said})))
        return found


class Ollama(Client):
    """Ollama's ``/api/chat``."""

    protocol, path = "ollama", "/api/chat"

    def outer(self, system: str, tools: Sequence[str], model: str) -> Element:
        del system
        offered = [{"type": "function", "function": {"name": name, "parameters": _schema(name)}} for name in tools]
        made: Element = {"model": model, "messages": "@list@", "keep_alive": "@@5e2@@", "stream": self.stream}
        return made | ({"tools": offered} if offered else {})

    def lead(self, system: str, tools: Sequence[str]) -> list[bytes]:
        del tools
        return [self.spell({"role": "system", "content": system})] if system else []

    def user(self, text: str, *, image: bool) -> list[bytes]:
        message: Element = {"role": "user", "content": text}
        if image:
            message["images"] = [self.image()]
        return [self.spell(self.odd(message))]

    def said(self, step: Step) -> list[bytes]:
        message: Element = {"role": "assistant", "content": step.text}
        if step.thinking:
            message["thinking"] = step.thinking
        return [self.spell(self.odd(message))]

    def worked(self, step: Step) -> list[bytes]:
        calls: list[Element] = []
        found: list[bytes] = []
        for index, result in enumerate(step.results):
            name = "read" if self.ids else f"read{index}"
            call: Element = {"function": {"name": name, "arguments": _arguments(step, index)}}
            message: Element = {"role": "tool", "content": result, "tool_name": name}
            if self.ids:
                call["id"] = message["tool_call_id"] = f"call_{step.number}_{index}"
            calls.append(call)
            found.append(self.spell(self.odd(message)))
        message = {"role": "assistant", "content": step.text, "tool_calls": calls}
        if step.thinking:
            message["thinking"] = step.thinking
        return [self.spell(self.odd(message)), *found]


class Messages(Client):
    """Anthropic Messages."""

    protocol, path = "anthropic", "/v1/messages"

    def outer(self, system: str, tools: Sequence[str], model: str) -> Element:
        made: Element = {"model": model, "max_tokens": 4_000, "messages": "@list@"}
        if self.signs:
            made["thinking"] = {"type": "enabled", "budget_tokens": 2_000}
        if system:
            made["system"] = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        offered = [{"name": name, "input_schema": _schema(name)} for name in tools]
        return made | ({"tools": offered} if offered else {}) | ({"stream": True} if self.stream else {})

    def user(self, text: str, *, image: bool) -> list[bytes]:
        content: object = text
        if image:
            source = {"type": "base64", "media_type": "image/png", "data": self.image()}
            content = [{"type": "image", "source": source}, {"type": "text", "text": text}]
        elif self.rng.random() < 0.4:
            content = [{"type": "text", "text": text}]
        return [self.spell(self.odd({"role": "user", "content": content}))]

    def _thought(self, step: Step) -> list[Element]:
        if not step.thinking or not self.signs:
            return []
        if self.rng.random() < 0.2:
            return [{"type": "redacted_thinking", "data": base64.b64encode(step.thinking.encode()).decode()}]
        return [{"type": "thinking", "thinking": step.thinking, "signature": f"sig-{step.number}=="}]

    def said(self, step: Step) -> list[bytes]:
        blocks: list[Element] = [*self._thought(step), {"type": "text", "text": step.text}]
        content: object = step.text if len(blocks) == 1 and self.rng.random() < 0.5 else blocks
        return [self.spell(self.odd({"role": "assistant", "content": content}))]

    def worked(self, step: Step) -> list[bytes]:
        blocks: list[Element] = self._thought(step)
        if step.text:
            blocks.append({"type": "text", "text": step.text})
        answers: list[Element] = []
        for index, result in enumerate(step.results):
            use = f"toolu_{step.number}_{index}"
            blocks.append({"type": "tool_use", "id": use, "name": "read", "input": _arguments(step, index)})
            answer: Element = {"type": "tool_result", "tool_use_id": use}
            if result:
                answer["content"] = [{"type": "text", "text": result}] if self.rng.random() < 0.4 else result
            elif self.rng.random() < 0.5:
                answer["content"] = self.rng.choice(("", []))
            if self.rng.random() < 0.1:
                answer["is_error"] = True
            answers.append(answer)
        if step.extra:
            answers.append({"type": "text", "text": step.extra})
        return [
            self.spell(self.odd({"role": "assistant", "content": blocks})),
            self.spell(self.odd({"role": "user", "content": answers})),
        ]


class Responses(Client):
    """OpenAI Responses, as Codex uses it: nothing is kept by the provider, reasoning comes back encrypted.

    Half of them offer their tools and instruct the model in items that lead the conversation, as Codex does with newer models.
    """

    protocol, path, conversation = "openai-responses", "/v1/responses", "input"

    def outer(self, system: str, tools: Sequence[str], model: str) -> Element:
        made: Element = {"model": model, "input": "@list@", "store": False, "include": ["reasoning.encrypted_content"]}
        if self.leads:
            return made | ({"stream": True} if self.stream else {})
        made["instructions"] = system
        offered = self._offered(tools)
        return made | ({"tools": offered} if offered else {}) | ({"stream": True} if self.stream else {})

    def user(self, text: str, *, image: bool) -> list[bytes]:
        content: object = [{"type": "input_text", "text": text}]
        if image:
            url = f"data:image/png;base64,{self.image()}"
            content = [{"type": "input_text", "text": text}, {"type": "input_image", "image_url": url, "detail": "auto"}]
        elif self.rng.random() < 0.2:
            content = text
        message: Element = {"role": "user", "content": content}
        if self.rng.random() < 0.7:
            message = {"type": "message", **message}
        return [self.spell(self.odd(message))]

    def _thought(self, step: Step) -> list[bytes]:
        if not step.thinking:
            return []
        item: Element = {"type": "reasoning", "summary": [{"type": "summary_text", "text": step.thinking}]}
        if self.signs:
            item["encrypted_content"] = base64.b64encode(f"{step.number} {step.thinking}".encode() * 3).decode()
        if self.ids or not self.signs:
            item["id"] = f"rs_{step.number}"
        return [self.spell(item)]

    @staticmethod
    def _offered(tools: Sequence[str]) -> list[Element]:
        offered: list[Element] = [{"type": "function", "name": name, "parameters": _schema(name)} for name in tools]
        return [*offered, {"type": "custom", "name": "apply_patch", "description": "Change files."}] if offered else []

    def lead(self, system: str, tools: Sequence[str]) -> list[bytes]:
        if not self.leads:
            return []
        spaces = [{"type": "namespace", "name": "functions", "description": "", "tools": self._offered(tools)}]
        items: list[Element] = [{"type": "additional_tools", "id": "at_1", "role": "developer", "tools": spaces}]
        if system:
            part = {"type": "input_text", "text": system}
            items.append({"type": "message", "role": "developer", "content": [part]})
        return [self.spell(item) for item in items]

    def _message(self, step: Step) -> list[bytes]:
        part = {"type": "output_text", "text": step.text, "annotations": []}
        item: Element = {"type": "message", "role": "assistant", "content": [part]}
        if self.ids:
            item |= {"id": f"msg_{step.number}", "phase": "commentary", "status": "completed"}
        return [self.spell(self.odd(item))]

    def said(self, step: Step) -> list[bytes]:
        return [*self._thought(step), *self._message(step)]

    def worked(self, step: Step) -> list[bytes]:
        calls: list[bytes] = []
        outputs: list[bytes] = []
        for index, result in enumerate(step.results):
            named = f"call_{step.number}_{index}"
            own: Element = {"id": f"fc_{step.number}_{index}", "status": "completed"} if self.ids else {}
            if step.custom and not index:
                text = f"*** Begin Patch\nstep {step.number} call {index}"
                patch = {"type": "custom_tool_call", "call_id": named, "name": "apply_patch", "input": text}
                calls.append(self.spell(own | patch))
                outputs.append(self.spell({"type": "custom_tool_call_output", "call_id": named, "output": result}))
                continue
            spelled = _spelled_arguments(step, index)
            call = own | {"type": "function_call", "call_id": named, "name": "read", "arguments": spelled}
            output: object = [{"type": "input_text", "text": result}] if result and self.rng.random() < 0.2 else result
            calls.append(self.spell(self.odd(call)))
            outputs.append(self.spell(self.odd({"type": "function_call_output", "call_id": named, "output": output})))
        if self.rng.random() < 0.3:
            paired = [item for pair in zip(calls, outputs, strict=True) for item in pair]
        else:
            paired = [*calls, *outputs]
        return [*self._thought(step), *(self._message(step) if step.text else []), *paired]


class Gemini(Client):
    """Gemini ``generateContent``."""

    protocol, conversation = "gemini", "contents"

    def path_of(self, model: str) -> str:
        method = "streamGenerateContent" if self.stream else "generateContent"
        return f"/v1beta/models/{model}:{method}"

    def outer(self, system: str, tools: Sequence[str], model: str) -> Element:
        del model
        made: Element = {"contents": "@list@", "generationConfig": {"temperature": "@@1.0@@"}}
        if system:
            made["systemInstruction"] = {"role": "user", "parts": [{"text": system}]}
        declared = [{"name": name, "parameters": _schema(name)} for name in tools]
        return made | ({"tools": [{"functionDeclarations": declared}]} if declared else {})

    def user(self, text: str, *, image: bool) -> list[bytes]:
        parts: list[Element] = [{"text": text}]
        if image:
            inline, kind = ("inlineData", "mimeType") if self.ids else ("inline_data", "mime_type")
            parts.append({inline: {"data": self.image(), kind: "image/png"}})
        return [self.spell(self.odd({"role": "user", "parts": parts}))]

    def said(self, step: Step) -> list[bytes]:
        parts: list[Element] = []
        if step.thinking and self.rng.random() < 0.5:
            parts.append({"text": step.thinking, "thought": True})
        parts.append({"text": step.text})
        if self.signs and self.rng.random() < 0.3:
            parts.append({"text": "", "thoughtSignature": _signature(step.number)})
        return [self.spell(self.odd({"role": "model", "parts": parts}))]

    def worked(self, step: Step) -> list[bytes]:
        parts: list[Element] = []
        if step.thinking and self.rng.random() < 0.5:
            parts.append({"text": step.thinking, "thought": True})
        if step.text:
            parts.append({"text": step.text})
        answers: list[Element] = []
        for index, result in enumerate(step.results):
            call: Element = {"name": "read", "args": _arguments(step, index)}
            answer: Element = {"name": "read", "response": {"output": result} if result else {}}
            if self.ids:
                call["id"] = answer["id"] = f"call_{step.number}_{index}"
            part: Element = {"functionCall": call}
            if not index:
                part["thoughtSignature"] = _signature(step.number)
            parts.append(part)
            answers.append({"functionResponse": answer})
        role = "user" if self.ids else self.rng.choice(("user", "function"))
        return [
            self.spell(self.odd({"role": "model", "parts": parts})),
            self.spell(self.odd({"role": role, "parts": answers})),
        ]


def _signature(number: int) -> str:
    return base64.b64encode(f"signature {number} ".encode() * 9).decode()


CLIENTS: Mapping[str, Callable[[Random], Client]] = {
    "openai": Chat,
    "openai-responses": Responses,
    "anthropic": Messages,
    "gemini": Gemini,
    "ollama": Ollama,
}
