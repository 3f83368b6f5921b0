"""What a compile emits, byte for byte: every configuration for every target."""

from __future__ import annotations

import pytest
from tests.golden.configurations import CONFIGURATIONS, TARGETS
from tests.golden.recorded import FOLDER, digest_of, golden_path, reasons

from transom.jsontext import loads
from transom.wire.registry import builtin_registry

MEND = 'if it is meant to: python -m tests.golden "what changed and why"'


@pytest.mark.feature("X1", "L1")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CONFIGURATIONS)
async def test_a_payload_is_the_same_byte_for_byte(name: str, target: str) -> None:
    payload = (await CONFIGURATIONS[name](target)).json()
    golden = golden_path(name, target).read_bytes()
    if payload != golden:
        at = next((i for i, (a, b) in enumerate(zip(payload, golden, strict=False)) if a != b), min(len(payload), len(golden)))
        before, now = golden[max(0, at - 60) : at + 120], payload[max(0, at - 60) : at + 120]
        pytest.fail(f"{name} for {target} changed at byte {at} ({MEND}):\n  {before!r}\n  {now!r}")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [name for name in CONFIGURATIONS if name != "tail-and-slots"])
def test_every_golden_payload_keeps_its_providers_rules(name: str, target: str) -> None:
    body = loads(golden_path(name, target).read_bytes())
    assert [(found.rule, found.where) for found in builtin_registry().get(target).validate(body)] == []


def test_every_golden_file_gives_the_reason_of_its_last_change() -> None:
    listed = reasons()
    files = {path.name: digest_of(path) for path in FOLDER.glob("*.json")}
    assert {name: digest for name, (digest, _) in listed.items()} == files, MEND
    assert [name for name, (_, reason) in listed.items() if len(reason.split()) < 3] == []


def test_there_is_a_golden_file_for_each_configuration_and_target() -> None:
    wanted = {golden_path(name, target).name for name in CONFIGURATIONS for target in TARGETS}
    assert {path.name for path in FOLDER.glob("*.json")} == wanted
    assert len(CONFIGURATIONS) >= 10
