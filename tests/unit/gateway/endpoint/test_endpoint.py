"""What a request's path means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.gateway.endpoint import Endpoint, endpoint, is_misplaced

CLAUDE = {"Anthropic-Version": "2023-06-01"}


@pytest.mark.parametrize(
    ("path", "protocol", "kind"),
    [
        ("/v1/chat/completions", "openai", "generate"),
        ("/chat/completions", "openai", "generate"),
        ("/v1/chat/completions/", "openai", "generate"),
        ("/v1beta/openai/chat/completions", "openai", "generate"),
        ("/openai/v1/chat/completions", "openai", "generate"),
        ("/openai/deployments/gpt/chat/completions?api-version=1", "openai", "generate"),
        ("/v1/responses", "openai-responses", "generate"),
        ("/v1/messages", "anthropic", "generate"),
        ("/v1/messages?beta=true", "anthropic", "generate"),
        ("/v1/messages/count_tokens?beta=true", "anthropic", "count"),
        ("/api/chat", "ollama", "generate"),
        ("/api/generate", "ollama", "generate"),
    ],
)
def test_each_protocol_is_known_by_its_paths(path: str, protocol: str, kind: str) -> None:
    found = endpoint("POST", path, {})
    assert found is not None
    assert (found.protocol, found.kind, found.stream) == (protocol, kind, None)


@pytest.mark.parametrize(
    ("path", "kind", "stream", "model"),
    [
        ("/v1beta/models/gemini-2.5-pro:generateContent", "generate", False, "gemini-2.5-pro"),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "generate", True, "gemini-2.5-pro"),
        ("/v1beta/models/gemini-2.5-pro%3AstreamGenerateContent", "generate", True, "gemini-2.5-pro"),
        ("/v1beta/models/gemini-2.5-pro:countTokens", "count", None, "gemini-2.5-pro"),
        ("/v1/models/gemini-2.5-pro:generateContent", "generate", False, "gemini-2.5-pro"),
        ("/v1beta/tunedModels/mine:generateContent", "generate", False, "mine"),
        ("/v1/projects/p/locations/l/publishers/google/models/g:generateContent", "generate", False, "g"),
        ("/v1beta/models/embedding-001:embedContent", "other", None, "embedding-001"),
        ("/v1beta/models/embedding-001:batchEmbedContents", "other", None, "embedding-001"),
    ],
)
def test_geminis_path_names_the_model_and_decides_whether_the_answer_streams(
    path: str, kind: str, stream: bool | None, model: str
) -> None:
    found = endpoint("POST", path, {})
    assert found is not None
    assert (found.protocol, found.kind, found.stream, found.model) == ("gemini", kind, stream, model)


def test_the_models_have_anthropics_shape_for_clients_that_speak_it() -> None:
    assert endpoint("GET", "/v1/models", {}) == Endpoint(protocol="openai", kind="models")
    assert endpoint("GET", "/v1/models", CLAUDE) == Endpoint(protocol="anthropic", kind="models")
    assert endpoint("GET", "/v1/models", {"x-api-key": "k"}) == Endpoint(protocol="anthropic", kind="models")
    assert endpoint("GET", "/v1/models", {"x-goog-api-key": "k"}) == Endpoint(protocol="gemini", kind="models")
    assert endpoint("GET", "/v1/models/openai/gpt-oss-20b", {}) == Endpoint(
        protocol="openai", kind="models", model="openai/gpt-oss-20b"
    )
    assert endpoint("GET", "/v1beta/models", {}) == Endpoint(protocol="gemini", kind="models")
    assert endpoint("GET", "/v1beta/models/g", {}) == Endpoint(protocol="gemini", kind="models", model="g")


@pytest.mark.parametrize(
    ("method", "path", "protocol"),
    [
        ("POST", "/v1/completions", "openai"),
        ("POST", "/v1/embeddings", "openai"),
        ("GET", "/v1/responses/resp_1", "openai-responses"),
        ("DELETE", "/v1/responses/resp_1", "openai-responses"),
        ("POST", "/v1/responses/resp_1/cancel", "openai-responses"),
        ("POST", "/v1/responses/input_tokens", "openai-responses"),
        ("POST", "/v1/responses/compact", "openai-responses"),
        ("GET", "/v1/files", "openai"),
        ("POST", "/v1/messages/batches", "anthropic"),
        ("POST", "/v1/skills", "anthropic"),
        ("POST", "/v1beta/cachedContents", "gemini"),
        ("POST", "/upload/v1beta/files", "gemini"),
        ("POST", "/api/v0/chat/completions", "openai"),
        ("GET", "/api/tags", "ollama"),
        ("POST", "/api/show", "ollama"),
        ("POST", "/api/blobs/sha256:00", "ollama"),
    ],
)
def test_what_is_only_handed_through_still_says_whose_shape_an_error_has(method: str, path: str, protocol: str) -> None:
    found = endpoint(method, path, {})
    assert found is not None
    assert (found.protocol, found.kind) == (protocol, "other")


def test_files_are_anthropics_for_clients_that_speak_it() -> None:
    found = endpoint("GET", "/v1/files", CLAUDE)
    assert found is not None
    assert found.protocol == "anthropic"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("HEAD", "/"),
        ("GET", "/"),
        ("GET", "/props"),
        ("POST", "/tokenize"),
        ("POST", "/completion"),
        ("GET", "/health"),
        ("POST", "/api/v1/chat"),
        ("GET", "/v1/messages"),
        ("GET", "/api/chat"),
        ("POST", "/v1/chat/completions/control"),
        ("POST", ""),
    ],
)
def test_nothing_is_said_of_other_paths(method: str, path: str) -> None:
    assert endpoint(method, path, {}) is None


@given(st.text(max_size=80), st.sampled_from(["GET", "POST", "put", ""]))
def test_no_path_is_too_odd(path: str, method: str) -> None:
    endpoint(method, path, {})
    endpoint(method, f"/v1/{path}", {"": ""})


@pytest.mark.parametrize(
    "path, expected",
    [
        ("/three/v1/chat/completions", True),
        ("/v1/v1/chat/completions", True),
        ("/v1/v1/messages", True),
        ("/three/v1beta/models/gemini-2.5-flash:generateContent", True),
        ("/v1/chat/completions", False),
        ("/v1/models", False),
        ("/three/v1/embeddings", False),
        ("/anything", False),
    ],
)
def test_a_known_path_behind_something_unknown_is_misplaced(path: str, expected: bool) -> None:
    assert is_misplaced("POST", path) is expected
    assert not is_misplaced("GET", path)
