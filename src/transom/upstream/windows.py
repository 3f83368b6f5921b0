"""What window a model has at its host: asked of the host itself, as cheaply as each kind offers.

Knows the client and where each host says it; no table of models. The window meant is the one in force (what the model was
loaded with), not the length it was trained for, which the same hosts also tell. No question makes a host load a model.

Sources: llama.cpp ``tools/server/README.md`` (``/props``, ``/v1/models``); LM Studio REST API v0 (``loaded_context_length``)
and v1 (``loaded_instances``); Ollama ``docs/api.md`` (``/api/ps``, ``/api/show``); vLLM ``ModelCard.max_model_len``; OpenRouter
and Groq model lists; Anthropic Models API (``max_input_tokens``); Gemini API ``models`` (``inputTokenLimit``).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal
from urllib.parse import quote

from ..errors import UpstreamError
from ..tokens.bounds import is_window
from .client import Client, Limits

__all__ = ["PATIENCE", "Told", "ask_window", "host_kind", "learn_window"]

_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d+)\s*$", re.MULTILINE)

PATIENCE = Limits(connect=3.0, read=5.0, total=5.0)
"""A host that does not tell at once is not worth waiting for: whoever asks can do without."""
_START = 0.1
"""Seconds that the first question has before the others are put too: a host at hand answers in less, and one far away is asked
everything in little more than one round trip."""

Kind = Literal["anthropic", "gemini", "openai", ""]


@dataclass(frozen=True, slots=True)
class Told:
    """What a host says of a model's window.

    Attributes:
        tokens: the window; ``None`` where it does not say.
        settled: it is in force. Not so for a model that is not loaded: it is to be asked again once that has answered.
    """

    tokens: int | None
    settled: bool = True


def host_kind(host: str) -> Kind:
    """Which provider's own API a host is; empty for every other, which is asked whatever it may know."""
    name = host.lower().rstrip(".")
    for domain, kind in _OWN:
        if name == domain or name.endswith(f".{domain}"):
            return kind
    return ""


_OWN: tuple[tuple[str, Kind], ...] = (("anthropic.com", "anthropic"), ("googleapis.com", "gemini"), ("openai.com", "openai"))


async def learn_window(client: Client, model: str) -> int | None:
    """The window of a model at its host, in tokens; ``None`` where the host does not say or cannot be reached.

    Args:
        client: the host.
        model: the model's name there.
    """
    return (await ask_window(client, model)).tokens


async def ask_window(client: Client, model: str) -> Told:
    """What a host says of a model's window, and whether that is final.

    Args:
        client: the host.
        model: the model's name there.
    """
    asking = client.within(PATIENCE)
    root, base = client.address.root, client.address.base
    named = quote(model.removeprefix("models/"), safe="")
    match host_kind(client.address.host):
        case "openai":
            # It tells names only.
            return Told(None)
        case "anthropic":
            own = f"{base}/models/{quote(model.removesuffix('[1m]'), safe='')}"
            return await _first([partial(_get, asking, own, _from_anthropic, model)])
        case "gemini":
            return await _first([partial(_get, asking, f"{root}/v1beta/models/{named}", _from_gemini, model)])
        case _:
            # Without autoload=false a llama.cpp router would load the model to answer.
            query = f"model={quote(model, safe='')}&autoload=false"
            return await _first(
                [
                    partial(_get, asking, f"{base}/models", _from_models, model),
                    partial(_get, asking, f"{root}/props", _from_props, model, query),
                    partial(_get, asking, f"{root}/api/v1/models", _from_lm_studio_v1, model),
                    partial(_get, asking, f"{root}/api/v0/models", _from_lm_studio, model),
                    partial(_ollama, asking, root, model),
                ]
            )


Ask = Callable[[], Coroutine[object, object, Told | None]]
"""Puts one question: ``None`` where the host knows nothing of the model there."""
Read = Callable[[object, str], Told | None]
"""Reads what an endpoint answered, likewise."""


async def _first(asks: Sequence[Ask]) -> Told:
    """What the first of them tells, in their order, that tells anything.

    They are put at once; the first has a start, since most hosts tell there, and then see none of the others.
    """
    tasks = [asyncio.create_task(_answer(asks[0]))]
    settled = True
    try:
        await asyncio.wait(tasks, timeout=_START)
        if not tasks[0].done() or not _ends(tasks[0].result()):
            tasks += [asyncio.create_task(_answer(ask)) for ask in asks[1:]]
        for task in tasks:
            found = await task
            if found is not None and _ends(found):
                return found
            settled = settled and found is None
        return Told(None, settled=settled)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _ends(found: Told | None) -> bool:
    return found is not None and (found.tokens is not None or found.settled)


async def _answer(ask: Ask) -> Told | None:
    try:
        return await ask()
    except UpstreamError as error:
        if error.status in (401, 403):
            # It is not for us to know: the next endpoint of the same host would say the same.
            return Told(None)
        return None if error.status is not None else Told(None, settled=False)


async def _get(client: Client, path: str, read: Read, model: str, query: str = "") -> Told | None:
    return read(await client.get(path, query), model)


async def _ollama(client: Client, root: str, model: str) -> Told | None:
    """What it runs a model with, else what it would load it with. It alone is sent a POST, once it answered as Ollama does."""
    running = _from_ollama_running(await client.get(f"{root}/api/ps"), model)
    if running is None or running.tokens is not None:
        return running
    try:
        return _from_ollama_model(await client.post(f"{root}/api/show", {"model": model})) or running
    except UpstreamError:
        return running


def _told(*values: object, settled: bool = True) -> Told | None:
    """The first of them that can be a window: a host that tells another figure is taken for one that tells none."""
    found = next(filter(is_window, values), None)
    return None if found is None else Told(found, settled)


def _from_models(value: object, model: str) -> Told | None:
    """vLLM ``max_model_len``; OpenRouter ``context_length``; Groq ``context_window``; llama.cpp ``meta.n_ctx``."""
    entries = list(_entries(value, "data"))
    chosen = [entry for entry in entries if entry.get("id") == model] or (entries if len(entries) == 1 else [])
    for entry in chosen:
        meta = entry.get("meta")
        fields = (entry.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, Mapping) else None)
        # The others are a model's length; where a server of one's own gives it, it need not be the one in force.
        listed = (entry.get("context_length"), entry.get("context_window"), entry.get("max_input_tokens"))
        if (found := _told(*fields, *listed)) is not None:
            return found
    return None


def _from_anthropic(value: object, _: str) -> Told | None:
    return _told(value.get("max_input_tokens")) if isinstance(value, Mapping) else None


def _from_gemini(value: object, _: str) -> Told | None:
    return _told(value.get("inputTokenLimit")) if isinstance(value, Mapping) else None


def _from_props(value: object, _: str) -> Told | None:
    """What one slot has, which is what one request gets."""
    settings = value.get("default_generation_settings") if isinstance(value, Mapping) else None
    return _told(settings.get("n_ctx")) if isinstance(settings, Mapping) else None


def _from_lm_studio_v1(value: object, model: str) -> Told | None:
    """An instance by its own name, else the first of the model; one that is not loaded has a ceiling only."""
    found: Told | None = None
    for entry in _entries(value, "models"):
        for instance in _entries(entry, "loaded_instances"):
            config = instance.get("config")
            told = _told(config.get("context_length")) if isinstance(config, Mapping) else None
            if told is not None and instance.get("id") == model:
                return told
            if entry.get("key") == model:
                found = told if found is None or found.tokens is None else found
        if entry.get("key") == model and found is None:
            found = Told(None, settled=False)
    return found


def _from_lm_studio(value: object, model: str) -> Told | None:
    for entry in _entries(value, "data"):
        if entry.get("id") == model:
            # One that is not loaded has a ceiling only: what it will be loaded with is a setting of the host.
            return _told(entry.get("loaded_context_length")) or Told(None, settled=False)
    return None


def _from_ollama_running(value: object, model: str) -> Told | None:
    names = (model, f"{model}:latest")
    for entry in _entries(value, "models"):
        if entry.get("name") in names or entry.get("model") in names:
            return _told(entry.get("context_length"))
    return Told(None, settled=False) if isinstance(value, Mapping) and isinstance(value.get("models"), list) else None


def _from_ollama_model(value: object) -> Told | None:
    """What it will be loaded with, unless a request says otherwise."""
    parameters = value.get("parameters") if isinstance(value, Mapping) else None
    found = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    return _told(int(found[1][:12]), settled=False) if found else None


def _entries(value: object, field: str) -> Iterator[Mapping[str, object]]:
    entries = value.get(field) if isinstance(value, Mapping) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping):
            yield entry
