"""What window a model has at its host: asked of the host itself, as cheaply as each kind offers.

Knows the client and where each host says it; no table of models. The window meant is the one in force (what the model was
loaded with), not the length it was trained for, which the same hosts also tell.

Sources: llama.cpp ``tools/server/README.md`` (``/props``, ``/v1/models``); LM Studio REST API v0 (``loaded_context_length``);
Ollama ``docs/api.md`` (``/api/ps``, ``/api/show``); vLLM ``ModelCard.max_model_len``; OpenRouter and Groq model lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from ..errors import UpstreamError
from .client import Client, Limits

__all__ = ["learn_window"]

_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d+)\s*$", re.MULTILINE)

PATIENCE = Limits(connect=3.0, read=5.0, total=5.0)
"""A host that does not tell at once is not worth waiting for: whoever asks can do without."""


async def learn_window(client: Client, model: str) -> int | None:
    """The window of a model at its host, in tokens; ``None`` where the host does not say or cannot be reached.

    Args:
        client: the host.
        model: the model's name there.
    """
    asking = client.within(PATIENCE)
    root, base = client.address.root, client.address.base
    asked: tuple[tuple[str, str, Callable[[object, str], int | None]], ...] = (
        (f"{base}/models", "", _from_models),
        # Without autoload=false a llama.cpp router would load the model to answer.
        (f"{root}/props", f"model={quote(model, safe='')}&autoload=false", _from_props),
        (f"{root}/api/v0/models", "", _from_lm_studio),
        (f"{root}/api/ps", "", _from_ollama_running),
    )
    for path, query, read in asked:
        try:
            found = read(await asking.get(path, query), model)
        except UpstreamError as error:
            if error.status in (None, 401, 403):
                # Nobody there, or nobody for us: the next endpoint of the same host would say the same.
                return None
            continue
        if found is not None:
            return found
    try:
        return _from_ollama_model(await asking.post(f"{root}/api/show", {"model": model}))
    except UpstreamError:
        return None


def _from_models(value: object, model: str) -> int | None:
    """vLLM ``max_model_len``; OpenRouter ``context_length``; Groq ``context_window``; llama.cpp ``meta.n_ctx``."""
    entries = list(_entries(value, "data"))
    chosen = [entry for entry in entries if entry.get("id") == model] or (entries if len(entries) == 1 else [])
    for entry in chosen:
        meta = entry.get("meta")
        fields = (entry.get("max_model_len"), meta.get("n_ctx") if isinstance(meta, Mapping) else None)
        # The last two are a model's length; where a server of one's own gives it, it need not be the one in force.
        listed = (entry.get("context_length"), entry.get("context_window"))
        if (found := _first(*fields, *listed)) is not None:
            return found
    return None


def _from_props(value: object, _: str) -> int | None:
    settings = value.get("default_generation_settings") if isinstance(value, Mapping) else None
    return _first(settings.get("n_ctx")) if isinstance(settings, Mapping) else None


def _from_lm_studio(value: object, model: str) -> int | None:
    for entry in _entries(value, "data"):
        if entry.get("id") == model:
            # One that is not loaded has a ceiling only: what it will be loaded with is a setting of the host.
            return _first(entry.get("loaded_context_length"))
    return None


def _from_ollama_running(value: object, model: str) -> int | None:
    names = (model, f"{model}:latest")
    for entry in _entries(value, "models"):
        if entry.get("name") in names or entry.get("model") in names:
            return _first(entry.get("context_length"))
    return None


def _from_ollama_model(value: object) -> int | None:
    parameters = value.get("parameters") if isinstance(value, Mapping) else None
    found = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    return int(found[1]) if found else None


def _entries(value: object, field: str) -> Iterator[Mapping[str, object]]:
    entries = value.get(field) if isinstance(value, Mapping) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping):
            yield entry


def _first(*values: object) -> int | None:
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool) and value > 0), None)
