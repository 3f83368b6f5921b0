"""What a request's path means: which protocol speaks, and whether it asks for an answer, a count or the models.

Pure. Knows the paths of the providers' own references and nothing of who answers: the same path may belong to several
upstreams, and a path that is not known here is handed through as it is. Sources: OpenAI, Anthropic and Gemini API references;
Ollama ``docs/api.md``; LM Studio and llama.cpp server documentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

__all__ = ["Endpoint", "Kind", "Protocol", "endpoint", "is_misplaced"]

Protocol = Literal["openai", "openai-responses", "anthropic", "gemini", "ollama"]
"""How a body is spelled; also the name of the wire format."""

Kind = Literal["generate", "count", "models", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """What a path means.

    Attributes:
        protocol: whose shapes the request, the answer and an error have.
        kind: ``generate`` asks a model for an answer, ``count`` asks what a request weighs, ``models`` lists models or
            describes one; ``other`` is handed through, and the protocol only says which shape an error of ours has.
        stream: whether the answer comes in pieces, where the path decides that (Gemini); ``None`` where the body does.
        model: the model, where the path names it (Gemini, the description of one model); empty otherwise.
    """

    protocol: Protocol
    kind: Kind
    stream: bool | None = None
    model: str = ""


_BASE = r"(?:/openai)?(?:/api/v1|/v1|/v1beta)?(?:/openai)?(?:/deployments/[^/]+)?"
"""What stands before OpenAI's paths: a version, or none where the address ends in it; Gemini's and Azure's spellings of it."""

_POSTED: tuple[tuple[re.Pattern[str], Endpoint], ...] = (
    (re.compile(_BASE + r"/chat/completions"), Endpoint(protocol="openai", kind="generate")),
    (re.compile(r"(?:/openai)?(?:/v1)?/responses"), Endpoint(protocol="openai-responses", kind="generate")),
    (re.compile(r"(?:/v1)?/messages"), Endpoint(protocol="anthropic", kind="generate")),
    (re.compile(r"(?:/v1)?/messages/count_tokens"), Endpoint(protocol="anthropic", kind="count")),
    (re.compile(r"/api/(?:chat|generate)"), Endpoint(protocol="ollama", kind="generate")),
)

_GEMINI = re.compile(r"/v1(?:beta|alpha)?\d*(?:/.+)?/(?:models|tunedModels|endpoints)/([^/:]+(?:/[^/:]+)*):(\w+)")
_GEMINI_MODELS = re.compile(r"/v1(?:beta|alpha)\d*/models(?:/([^:]+))?")
_MODELS = re.compile(r"/v1/models(?:/(.+))?")

_SLASHES = re.compile("//+")

_MOST_PARTS = 16
"""Parts of a path that are looked at: a longer one is nobody's slip."""

_GEMINI_METHODS: Mapping[str, tuple[Kind, bool | None]] = {
    "generateContent": ("generate", False),
    "streamGenerateContent": ("generate", True),
    "countTokens": ("count", None),
}

_OTHERS: tuple[tuple[re.Pattern[str], Protocol], ...] = (
    (re.compile(r"/v1/(?:messages/batches|files|skills|complete)(?:/.*)?"), "anthropic"),
    (re.compile(r"/v1/responses/.+"), "openai-responses"),
    (re.compile(r"/v1(?:beta|alpha)\d*/.+|/upload/.+"), "gemini"),
    (re.compile(r"/api/(?:tags|show|ps|version|embed|embeddings|pull|push|create|copy|delete|blobs)(?:/.*)?"), "ollama"),
    (
        re.compile(
            r"/v1/(?:completions|embeddings|responses|files|batches|audio|images|moderations|conversations|uploads|fine_tuning"
            r"|vector_stores|assistants|threads)(?:/.*)?|/api/v0/.+"
        ),
        "openai",
    ),
)


def endpoint(method: str, path: str, headers: Mapping[str, str]) -> Endpoint | None:
    """What a request asks for.

    Args:
        method: HTTP method.
        path: the path, without the prefix that chose the upstream; a query behind it does not matter.
        headers: the request's; names in any case. They tell Anthropic's list of models from OpenAI's.

    Returns:
        ``None`` where nothing is known of the path.
    """
    path = path.partition("?")[0]
    if "%" in path:
        path = unquote(path)
    if "//" in path:
        # A base URL that ends with a slash; servers take it for one, so it is guarded as one.
        path = _SLASHES.sub("/", path)
    path = path.rstrip("/")
    method = method.upper()
    if method == "POST":
        for pattern, found in _POSTED:
            if pattern.fullmatch(path):
                return found
        if named := _GEMINI.fullmatch(path):
            return _gemini(named[1], named[2])
    elif method == "GET":
        if described := _GEMINI_MODELS.fullmatch(path):
            return Endpoint(protocol="gemini", kind="models", model=described[1] or "")
        if described := _MODELS.fullmatch(path):
            speaks = _speaker(headers)
            return Endpoint(protocol=speaks, kind="models", model=described[1] or "")
    for pattern, protocol in _OTHERS:
        if pattern.fullmatch(path):
            theirs = protocol == "anthropic" and "/files" in path and not _is_anthropic(headers)
            return Endpoint(protocol="openai" if theirs else protocol, kind="other")
    return None


def is_misplaced(method: str, path: str) -> bool:
    """Whether an unknown path ends as one that asks a model: a version too many, or the name of no upstream before it."""
    if endpoint(method, path, {}) is not None:
        return False
    parts = path.partition("?")[0].strip("/").split("/")[:_MOST_PARTS]
    tails = (endpoint(method, "/" + "/".join(parts[index:]), {}) for index in range(1, len(parts)))
    return any(found is not None and found.kind == "generate" for found in tails)


def _gemini(model: str, method: str) -> Endpoint:
    kind, stream = _GEMINI_METHODS.get(method, ("other", None))
    return Endpoint(protocol="gemini", kind=kind, stream=stream, model=model)


def _speaker(headers: Mapping[str, str]) -> Protocol:
    """Whose list of models a client expects, told by the header its key comes in."""
    if _is_anthropic(headers):
        return "anthropic"
    return "gemini" if any(name.lower() == "x-goog-api-key" for name in headers) else "openai"


def _is_anthropic(headers: Mapping[str, str]) -> bool:
    return any(name.lower() in ("anthropic-version", "x-api-key") for name in headers)
