"""What is known of an upstream by its address."""

from __future__ import annotations

import pytest

from transom.gateway.upstreams import Upstream


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("http://localhost:1234", True),
        ("http://127.0.0.1:1234", True),
        ("http://[::1]:1234", True),
        ("http://192.168.1.7:8080", True),
        ("http://gpu-box:8080", True),
        ("http://studio.local:1234", True),
        ("https://api.anthropic.com", False),
        ("https://8.8.8.8", False),
    ],
)
def test_a_provider_is_told_from_a_server_nearby(url: str, near: bool) -> None:
    assert Upstream(name="u", url=url).near == near
