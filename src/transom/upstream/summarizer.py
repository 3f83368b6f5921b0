"""``ChatModel``: any OpenAI-compatible chat endpoint as the function that ``summarize`` calls.

Knows messages, the chat format and what hosts answer; nothing of spans, prompts or closing windows. An answer is given back
only if the model wrote it and finished it: an error in whatever dress, an answer cut off or filtered, or one to a request that
the server had shortened in silence, is an ``UpstreamError`` and never a text that could be taken for a summary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import InputError, UpstreamError
from ..jsontext import dumps_text
from ..messages import Message
from ..tokens.heuristic import Heuristic
from ..wire.convert import convert_request
from ..wire.format import Head, Request
from ..wire.openai_chat import OpenAIChat
from ..wire.report import Report
from .client import Client, Limits
from .windows import learn_window

__all__ = ["ChatModel", "Completion"]

SHORTENED_FROM = 2_000
"""Estimated tokens of a request from which a count by the server that is less than half of it means that it cut the request."""

LEAST_ANSWER = 64
"""Tokens that are asked for even where our count, which leans upwards, leaves none: the server knows whether they fit."""

_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPEN_THOUGHT = re.compile(r"\s*<think(?:ing)?>")


@dataclass(frozen=True, slots=True)
class Completion:
    """A finished answer.

    Attributes:
        text: what the model wrote, reasoning left out, white space around it too.
        model: the model that the server says answered.
        input_tokens, output_tokens: as the server counted; 0 where it does not say.
    """

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0


class ChatModel:
    """A model behind an OpenAI-compatible chat endpoint: ``await model(messages)`` gives its text.

    Args:
        url: the server; with or without ``/v1``, or the whole address of its chat endpoint.
        model: the model's name there; servers of a single model take any.
        key: sent as a bearer token; never shown, stored or logged.
        window: tokens that a request and its answer may take together; ``None`` where it is not known (see ``learn_window``).
        max_tokens: the longest answer, in tokens, reasoning included; less is asked for where the window leaves less. An answer
            that is cut off is refused.
        temperature: 0 by default; ``None`` leaves it to the server, which some reasoning models demand.
        fields: further fields of the request, as the server knows them: ``{"reasoning_effort": "low"}``,
            ``{"chat_template_kwargs": {"enable_thinking": False}}``.
        timeout: seconds for a whole answer.
        connect_timeout: seconds until the connection stands.

    Raises:
        InputError: an address, a key or a number that cannot be used.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        window: int | None = None,
        max_tokens: int = 4_096,
        temperature: float | None = 0.0,
        fields: Mapping[str, object] | None = None,
        timeout: float = 300.0,
        connect_timeout: float = 10.0,
    ) -> None:
        if max_tokens < 1 or timeout <= 0 or connect_timeout <= 0 or (window is not None and window < 1):
            raise InputError("window, max_tokens and the timeouts of a model must be above 0")
        limits = Limits(connect=connect_timeout, read=timeout, total=timeout)
        self._client = Client(url, key=key, limits=limits)
        self._model = model
        self._max_tokens = max_tokens
        self._limit_field = "max_tokens"
        self._temperature = temperature
        self._fields = dict(fields or {})
        self.window = window

    def __repr__(self) -> str:
        return f"ChatModel({self._client.address.shown!r}, {self._model!r})"

    @property
    def fingerprint(self) -> str:
        """What shapes its answers, and not where it runs: model, length, temperature and further fields."""
        return f"{self._model},{self._max_tokens},{self._temperature},{dumps_text(self._fields)}"

    async def __call__(self, messages: Sequence[Message]) -> str:
        """The model's answer as text.

        Raises:
            UpstreamError: there is no whole answer by the model; says why.
        """
        return (await self.ask(messages)).text

    async def ask(self, messages: Sequence[Message]) -> Completion:
        """The model's answer with what the server counted.

        Raises:
            UpstreamError: there is no whole answer by the model; says why.
        """
        body = self._body(messages)
        try:
            value = await self._client.post(self._client.address.chat, body)
        except UpstreamError as error:
            if not self._wants_other_limit(error):
                raise
            body = self._body(messages)
            value = await self._client.post(self._client.address.chat, body)
        completion = _completion(value, self._client.address.at(self._client.address.chat), self._model)
        self._check_read(completion, body)
        return completion

    async def learn_window(self) -> int | None:
        """Ask the server what window the model has, unless it is known; it is remembered.

        Returns:
            Tokens, or ``None`` where the server does not say.
        """
        if self.window is None:
            self.window = await learn_window(self._client, self._model)
        return self.window

    def _body(self, messages: Sequence[Message]) -> bytes:
        body = self._spelled(messages, self._max_tokens)
        if self.window is not None:
            # vLLM and OpenAI refuse a request that asks for more than the window leaves.
            left = max(LEAST_ANSWER, self.window - Heuristic().count(body.decode()))
            if left < self._max_tokens:
                body = self._spelled(messages, left)
        return body

    def _spelled(self, messages: Sequence[Message], limit: int) -> bytes:
        fields: dict[str, object] = {"model": self._model, self._limit_field: limit, "stream": False}
        if self._temperature is not None:
            fields["temperature"] = self._temperature
        fields |= self._fields
        request = Request(head=Head(format=_FORMAT.name, fields=fields), messages=tuple(messages))
        return convert_request(request, _FORMAT, None, Report())

    def _wants_other_limit(self, error: UpstreamError) -> bool:
        """OpenAI: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

        Other servers know ``max_tokens`` alone, so that it comes first.
        """
        other = "max_completion_tokens"
        if error.status != 400 or self._limit_field == other or other not in error.message:
            return False
        self._limit_field = other
        return True

    def _check_read(self, completion: Completion, body: bytes) -> None:
        """Ollama cuts a request that is too long at its beginning, and answers as if nothing had happened."""
        sent = Heuristic().count(body.decode())
        if sent >= SHORTENED_FROM and 0 < completion.input_tokens < sent // 2:
            raise UpstreamError(
                f"{self._client.address.shown} read {completion.input_tokens:,} of about {sent:,} tokens: it cut the request",
                hint="give its window (Ollama: num_ctx), or make it larger",
            )


_FORMAT = OpenAIChat()


def _completion(value: object, place: str, model: str) -> Completion:
    choices = value.get("choices") if isinstance(value, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(value, Mapping) or not isinstance(choice, Mapping):
        raise UpstreamError(f"{place} answered without a choice", hint="is it the address of a chat API?")
    # OpenRouter puts what its provider answered into the choice.
    inner = choice.get("error")
    if inner:
        said = inner.get("message") if isinstance(inner, Mapping) else inner
        raise UpstreamError(f"{place} answered with an error: {str(said)[:500]}")
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise UpstreamError(f"{place} answered without a message")
    _check_finished(choice.get("finish_reason"), message, place)
    text = _text(message.get("content"))
    if (thought := _THOUGHT.match(text)) is not None:
        text = text[thought.end() :]
    text = text.strip()
    if _OPEN_THOUGHT.match(text):
        raise UpstreamError(f"{place} answered with unfinished reasoning and no text")
    if not text:
        raise UpstreamError(f"{place} answered with no text")
    said_model = value.get("model")
    return Completion(text, said_model if isinstance(said_model, str) else model, *_usage(value.get("usage")))


def _check_finished(reason: object, message: Mapping[str, object], place: str) -> None:
    match reason:
        case "length":
            raise UpstreamError(f"{place} was cut off before its answer was complete", hint="allow more tokens with max_tokens")
        case "content_filter":
            raise UpstreamError(f"{place} withheld its answer: a content filter")
        case "tool_calls" | "function_call":
            raise UpstreamError(f"{place} called a tool, though it has none")
        case "error":
            raise UpstreamError(f"{place} failed in the middle of its answer")
        case _:
            # "stop", "eos", null: hosts differ in what they call a finished answer.
            pass
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        raise UpstreamError(f"{place} refused: {' '.join(refusal.split())[:500]}")


def _text(content: object) -> str:
    """Content as text; some hosts answer with a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping) and part.get("type") in ("text", "output_text")]
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return ""


def _usage(usage: object) -> tuple[int, int]:
    if not isinstance(usage, Mapping):
        return 0, 0
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
    read, written = (count if isinstance(count, int) and count >= 0 else 0 for count in counts)
    return read, written
