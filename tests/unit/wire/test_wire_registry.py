"""Registering, finding and unloading formats."""

from __future__ import annotations

import subprocess
import sys

import pytest

from transom.errors import FormatError
from transom.wire.openai_chat import OpenAIChat
from transom.wire.registry import FormatRegistry, builtin_registry


class Custom(OpenAIChat):
    @property
    def name(self) -> str:
        return "custom"


@pytest.mark.feature("M10")
def test_formats_are_found_by_name_alias_and_instance() -> None:
    registry = builtin_registry()
    assert registry.names == ("openai", "openai-responses", "anthropic", "gemini", "ollama")
    for alias, name in {"openai-chat": "openai", "anthropic-messages": "anthropic", "gemini-contents": "gemini"}.items():
        assert alias in registry
        assert registry.get(alias).name == name
    custom = Custom()
    assert registry.get(custom) is custom


@pytest.mark.feature("M10")
def test_a_format_is_registered_by_instance_under_its_own_name_or_another() -> None:
    registry = builtin_registry()
    custom = Custom()
    registry.register(custom)
    registry.register(custom, name="house")
    assert registry.get("custom") is custom
    assert registry.get("house") is custom
    assert len(registry) == 7


@pytest.mark.feature("M10")
def test_unloading_a_source_gives_a_name_its_former_meaning_back() -> None:
    registry = builtin_registry()
    former = registry.get("openai")
    registry.register(Custom(), name="openai", source="plugin")
    registry.register(Custom(), source="plugin")
    assert registry.get("openai").name == "custom"
    assert registry.unload("plugin") == ("custom", "openai")
    assert registry.get("openai") is former
    assert "custom" not in registry
    assert registry.unload("plugin") == ()


@pytest.mark.feature("M10")
def test_the_default_target_is_what_none_means_and_must_exist() -> None:
    registry = builtin_registry()
    assert registry.get().name == registry.default_target == "openai"
    registry.default_target = "anthropic"
    assert registry.get(None).name == "anthropic"
    with pytest.raises(FormatError):
        registry.default_target = "nothing"


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(FormatError) as caught:
        builtin_registry().get("antropic")
    assert "anthropic" in caught.value.hint
    with pytest.raises(FormatError):
        FormatRegistry().get("openai")


@pytest.mark.feature("M10")
def test_two_registries_share_nothing_and_an_import_fills_none() -> None:
    first, second = builtin_registry(), builtin_registry()
    first.register(Custom())
    assert "custom" not in second
    code = "import sys, transom.wire.registry; print([m for m in sys.modules if m.startswith('transom.wire.openai')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in {"[]", "[]\n"} or "openai" not in done.stderr
