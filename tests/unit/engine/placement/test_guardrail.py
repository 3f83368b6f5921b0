"""What a model reads of a guardrail."""

from __future__ import annotations

import pytest

from transom.engine.placement.guardrail import Guardrail, render_guardrail
from transom.errors import InputError
from transom.vocabulary import ENGLISH

WORDS = ENGLISH.placing


@pytest.mark.feature("L5")
def test_the_contract_stands_in_an_element_of_its_own() -> None:
    assert render_guardrail(Guardrail("  Answer in German.\nNo lists.  "), WORDS) == (
        "Your next answer has to follow these rules:\n<output_contract>\nAnswer in German.\nNo lists.\n</output_contract>"
    )


@pytest.mark.feature("L5")
def test_the_answer_may_be_asked_for_inside_an_element() -> None:
    said = render_guardrail(Guardrail("Be brief.", answer="final"), WORDS)
    assert "Be brief.\nWrite the whole answer between <final> and </final>.\n</output_contract>" in said
    assert "<output_contract>\nWrite the whole answer" in render_guardrail(Guardrail("", answer="final"), WORDS)


def test_a_guardrail_that_is_only_a_prefill_says_nothing() -> None:
    assert render_guardrail(Guardrail("", prefill="{"), WORDS) == ""


def test_a_contract_may_describe_xml() -> None:
    assert "<plan>…</plan>" in render_guardrail(Guardrail("Write <plan>…</plan> first."), WORDS)


@pytest.mark.parametrize(
    "wrong", [{"contract": " "}, {"contract": "a", "answer": "two words"}, {"contract": "</output_contract>"}]
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InputError):
        Guardrail(**wrong)
