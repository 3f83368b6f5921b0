"""Addresses: syntax, validation, and finding them again in text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.errors import URIError
from transom.store.uri import NAMESPACES, backend_namespace, check_path, format_uri, mentions, parse_uri
from transom.testing.store_conformance import AWKWARD_PATHS, REFUSED_PATHS

pytestmark = pytest.mark.feature("S2", "S5")

segments = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\\u2028\u2029"), min_size=1, max_size=40
)
paths = st.lists(segments.filter(lambda segment: segment not in {".", ".."}), min_size=1, max_size=5).map("/".join)


@given(st.sampled_from(NAMESPACES), paths)
def test_every_valid_path_comes_back_from_its_address(namespace: str, path: str) -> None:
    uri = format_uri(namespace, path)
    assert uri.isascii()
    assert parse_uri(uri) == (namespace, path)


@given(
    st.sampled_from(NAMESPACES), paths, st.sampled_from(["see {}.", "({})", '"{}"', "{}, and", "was {}。", "<{}>", "[x]({})"])
)
def test_an_address_is_found_again_in_prose_and_in_json(namespace: str, path: str, around: str) -> None:
    if path.endswith(("~", "-")):
        return
    assert list(mentions(around.format(format_uri(namespace, path)))) == [(namespace, path)]


@pytest.mark.parametrize("path", AWKWARD_PATHS)
def test_awkward_paths_are_addresses(path: str) -> None:
    assert parse_uri(format_uri("notes", path)).path == path


@pytest.mark.parametrize("path", REFUSED_PATHS)
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(URIError):
        check_path(path)
    with pytest.raises(URIError):
        format_uri("notes", path)


@pytest.mark.parametrize(
    "uri",
    [
        *(
            "",
            "notes/a",
            "http://x/y",
            "context:/notes/a",
            "context://",
            "context://notes",
            "context://notes/",
            "context://Notes/a",
        ),
        *(
            "context://nope/a",
            "context://notes/a%",
            "context://notes/%zz",
            "context://notes/%2e%2e/a",
            "context://notes/a%2f%2fb",
        ),
        *("context://notes/%00", "context://notes/%ff", "context://notes/a%5cb"),
    ],
)
def test_a_malformed_address_is_refused_with_a_hint_or_a_reason(uri: str) -> None:
    with pytest.raises(URIError) as caught:
        parse_uri(uri)
    assert caught.value.code == "uri"


def test_an_address_that_a_model_wrote_without_escapes_is_understood() -> None:
    assert parse_uri(" context://notes/my plan/日本.md\n") == ("notes", "my plan/日本.md")


@given(st.text(max_size=20), st.text(max_size=20), st.sampled_from(NAMESPACES), st.sampled_from(NAMESPACES))
def test_no_two_scopes_share_a_namespace(one: str, two: str, first: str, second: str) -> None:
    try:
        same = backend_namespace(one, first) == backend_namespace(two, second)
    except URIError:
        return
    assert same == ((one, first) == (two, second))


def test_the_empty_scope_has_plain_names_and_no_scope_can_imitate_them() -> None:
    assert backend_namespace("", "notes") == "notes"
    assert backend_namespace("A", "notes") == "notes@%41"
    with pytest.raises(URIError, match="170 bytes"):
        backend_namespace("ж" * 200, "notes")
