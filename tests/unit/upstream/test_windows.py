from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.unit.upstream.conftest import Paths

from transom.testing.provider import ScriptedProvider
from transom.upstream import Client, learn_window

SHOWN = {
    "parameters": 'stop "<end>"\nnum_ctx                        16384\ntemperature 0.7',
    "model_info": {"llama.context_length": 131_072},
}


@pytest.mark.parametrize(
    ("paths", "window"),
    [
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": 32_768}]}}, 32_768),
        ({"/v1/models": {"data": [{"id": "x", "max_model_len": 1}, {"id": "m", "context_length": 200_000}]}}, 200_000),
        ({"/v1/models": {"data": [{"id": "m", "context_window": 131_072}]}}, 131_072),
        ({"/v1/models": {"data": [{"id": "other.gguf", "meta": {"n_ctx": 4_096, "n_ctx_train": 8_192}}]}}, 4_096),
        ({"/v1/models": {"data": [{"id": "m"}]}, "/props": {"default_generation_settings": {"n_ctx": 4_096}}}, 4_096),
        ({"/api/v0/models": {"data": [{"id": "m", "max_context_length": 99_999, "loaded_context_length": 8_000}]}}, 8_000),
        ({"/api/v0/models": {"data": [{"id": "m", "state": "not-loaded", "max_context_length": 99_999}]}}, None),
        ({"/api/ps": {"models": [{"name": "m:latest", "context_length": 4_096}]}, "/api/show": SHOWN}, 4_096),
        ({"/api/ps": {"models": []}, "/api/show": SHOWN}, 16_384),
        ({"/api/show": {"model_info": {"llama.context_length": 131_072}}}, None),
        ({"/v1/models": {"data": [{"id": "x"}, {"id": "y"}]}}, None),
        ({"/v1/models": {"data": [{"id": "m", "max_model_len": True}]}}, None),
        (
            {"/v1/models": {"data": "none"}, "/props": [1], "/api/v0/models": {"data": [7]}, "/api/ps": "x", "/api/show": []},
            None,
        ),
        ({}, None),
    ],
)
async def test_each_kind_of_host_is_asked_where_it_says_its_window(
    host: Paths, paths: Mapping[str, object], window: int | None
) -> None:
    assert await learn_window(Client(host(paths)), "m") == window


async def test_a_path_before_the_version_is_kept(host: Paths) -> None:
    url = host({"/llm/props": {"default_generation_settings": {"n_ctx": 2_048}}})
    assert await learn_window(Client(f"{url}/llm/v1"), "m") == 2_048


async def test_a_host_that_is_not_there_has_no_window() -> None:
    with ScriptedProvider() as provider:
        pass
    assert await learn_window(Client(provider.url), "m") is None


async def test_the_scripted_provider_says_its_window() -> None:
    with ScriptedProvider(window=12_000) as provider:
        assert await learn_window(Client(provider.url), "scripted") == 12_000
