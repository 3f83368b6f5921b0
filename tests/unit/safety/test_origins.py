"""Who may talk to a local server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.toolbox_case import Case, cases

from transom.safety.origins import is_loopback, judge, judge_bearer
from transom.vocabulary import ENGLISH


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases("transport")])
def test_the_cases_are_judged_as_they_say(case: Case) -> None:
    headers = {name: value.replace("{PORT}", "8123") for name, value in case.args["headers"].items()}
    assert judge(headers.get("Host"), headers.get("Origin")).allowed == (case.expect == "ok")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:80", "LOCALHOST:8123", "[::1]:8123", "[::1]"])
@pytest.mark.parametrize("origin", [None, "http://localhost:3000", "https://127.0.0.1", "http://[::1]:5173"])
def test_this_machine_may_call_under_each_of_its_names(host: str, origin: str | None) -> None:
    assert judge(host, origin).allowed


@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", "evil.example:8123", "127.0.0.1.evil.example", "localhost.evil.example",
     "localhost@evil.example", "127.0.0.1 ",
     "127.0.0.1:99999", "127.0.0.1:", "127.0.0.1:80:80", "localhost\r\nx", "localhost.", "0.0.0.0:8123", "::1", "2130706433"],
)  # fmt: skip
def test_another_host_is_refused(host: str | None) -> None:
    verdict = judge(host, None)
    assert verdict.reason == "origin_host"
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://evil.example", "http://localhost.evil.example", "http://localhost@evil.example", "file://",
     "chrome-extension://abc",
     "http://localhost/path", "http://", "localhost", "http://127.0.0.1:80, http://evil.example"],
)  # fmt: skip
def test_another_origin_is_refused(origin: str) -> None:
    verdict = judge("localhost:8123", origin)
    assert verdict.reason == "origin_foreign"
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


def test_names_are_allowed_with_their_port_or_with_any() -> None:
    assert judge("tools.example:443", None, allowed_hosts={"tools.example"}).allowed
    assert judge("tools.example:443", None, allowed_hosts={"Tools.Example:443"}).allowed
    assert not judge("tools.example:80", None, allowed_hosts={"tools.example:443"}).allowed
    assert judge("localhost", "vscode-webview://abc", allowed_origins={"vscode-webview://abc/"}).allowed
    assert not judge("localhost", "https://app.example", allowed_origins={"http://app.example"}).allowed


@given(st.one_of(st.none(), st.text()), st.one_of(st.none(), st.text()))
def test_any_headers_get_an_answer(host: str | None, origin: str | None) -> None:
    judge(host, origin)
    judge_bearer(host, origin or "")


def test_a_token_is_compared_whole() -> None:
    assert judge_bearer("Bearer s3cret", "s3cret").allowed
    assert judge_bearer("bearer  s3cret ", "s3cret").allowed
    for wrong in (None, "", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret", "Bearer s3cret x"):
        verdict = judge_bearer(wrong, "s3cret")
        assert verdict.error == "unauthorized"
        assert ENGLISH.refusing.say(verdict.reason, verdict.facts)
    assert not judge_bearer("Bearer ", "").allowed


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("127.8.8.8", True), ("0.0.0.0", False), ("::", False), ("",
     False),
     ("192.168.1.2", False), ("127.0.0.1.example.org", False), ("127.0.0.1\n", False)],
)  # fmt: skip
def test_what_is_reachable_from_here_alone(host: str, here: bool) -> None:
    assert is_loopback(host) == here


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site "])
def test_what_a_page_of_another_site_shows_or_leads_to_is_refused_though_it_tells_no_origin(site: str) -> None:
    assert judge("127.0.0.1:8642", None, fetch_site=site).reason == "origin_foreign"
    assert judge("127.0.0.1:8642", "http://localhost:3000", fetch_site=site).allowed, "an origin says more"


@pytest.mark.parametrize("site", ["none", "same-origin", ""])
def test_what_a_user_typed_and_what_is_no_page_are_allowed(site: str) -> None:
    assert judge("127.0.0.1:8642", None, fetch_site=site).allowed
