"""URLs are read once and strictly: only http and https to public hosts, and nothing that two parsers read differently."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.safety import urls
from transom.vocabulary import ENGLISH

pytestmark = pytest.mark.feature("Z6")

CASES = [
    json.loads(line) for line in (Path(__file__).parents[2] / "cases" / "toolbox-ssrf.jsonl").read_text("utf-8").splitlines()
]
BY_THE_TOOL = {
    "TBX-SSR-S23": "what a name resolves to",
    "TBX-SSR-S24": "what a name resolves to",
    "TBX-SSR-S25": "what a name resolves to",
    "TBX-SSR-S26": "what a name resolves to the second time",
    "TBX-SSR-S27": "where a server redirects to",
    "TBX-SSR-S28": "where a server redirects to",
    "TBX-SSR-S29": "how often a server redirects",
    "TBX-SSR-S41": "what a server answers",
    "TBX-SSR-S42": "which headers follow a redirect",
    "TBX-SSR-S43": "how much of an answer is read",
}
"""Cases that the text of a URL does not decide, and what they depend on: they come with the tools that connect."""
SAMPLES = [case for case in CASES if case["id"] not in BY_THE_TOOL]


@pytest.mark.parametrize("case", SAMPLES, ids=lambda case: case["id"])
def test_a_case_that_the_url_decides_is_refused_with_its_symbol_and_a_sentence(case: dict[str, dict[str, list[str]]]) -> None:
    verdict = urls.judge(str(case["args"]["url"]))
    assert verdict.error in case["expected"]["error"]
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts).endswith(".")


def test_the_first_url_of_every_other_case_is_a_plain_one() -> None:
    for case in CASES:
        if case["id"] in BY_THE_TOOL:
            assert urls.judge(case["args"]["url"])


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["id"] in {"TBX-SSR-S27", "TBX-SSR-S28"}], ids=lambda case: case["id"]
)
def test_the_place_a_case_redirects_to_is_refused_when_asked_about(case: dict[str, dict[str, list[dict[str, str]]]]) -> None:
    assert urls.judge(case["setup"]["http"][0]["location"]).error == "ssrf_blocked"


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("http://example.org", "example.org", 80, "/"),
        ("HTTPS://Example.ORG./a?b=c#d", "example.org.", 443, "/a?b=c"),
        ("https://example.org:8443?x=1", "example.org", 8443, "/?x=1"),
        ("http://example.org:/x", "example.org", 80, "/x"),
        ("http://a_b.example.org/@x:y", "a_b.example.org", 80, "/@x:y"),
        ("https://münchen.example/straße", "xn--mnchen-3ya.example", 443, "/stra%C3%9Fe"),
        ("http://bücher。example/", "xn--bcher-kva.example", 80, "/"),
        ("http://93.184.216.34:8080/", "93.184.216.34", 8080, "/"),
        ("http://1572395042/", "93.184.216.34", 80, "/"),
        ("http://[2606:2800:220:1:248:1893:25C8:1946]:81/", "2606:2800:220:1:248:1893:25c8:1946", 81, "/"),
    ],
)
def test_a_url_is_taken_apart(url: str, host: str, port: int, path: str) -> None:
    target = urls.read(url)
    assert isinstance(target, urls.Target)
    assert (target.host, target.port, target.path) == (host, port, path)


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("", "invalid_input"),
        ("example.org/x", "invalid_input"),
        ("http:example.org", "invalid_input"),
        ("http:///x", "invalid_input"),
        ("http://:80/", "invalid_input"),
        (" http://example.org/", "invalid_input"),
        ("http://example.org/\n", "invalid_input"),
        ("http://example.org/a b", "invalid_input"),
        ("http://exam\0ple.org/", "invalid_input"),
        ("http://example.org\u2028/", "invalid_input"),
        ("http://example.org/\ud800", "invalid_input"),
        ("http://example%2eorg/", "invalid_input"),
        ("http://example%00.org/", "invalid_input"),
        ("http://example..org/", "invalid_input"),
        ("http://-example.org/", "invalid_input"),
        ("http://exa<mple.org/", "invalid_input"),
        ("http://ｅxample.org/", "invalid_input"),
        ("http://faß.de/", "invalid_input"),
        ("http://ü" + "ü" * 300 + ".de/", "invalid_input"),
        ("http://example.org:0/", "invalid_input"),
        ("http://example.org:+80/", "invalid_input"),
        ("http://example.org:８０/", "invalid_input"),
        ("http://example.org:80:80/", "invalid_input"),
        ("http://[::1/", "invalid_input"),
        ("http://[v1.x]/", "invalid_input"),
        ("http://[2606:2800::1%25eth0]/", "invalid_input"),
        ("http://[2606:2800::1]x/", "invalid_input"),
        ("http://1.2.3.4.5/", "invalid_input"),
        ("http://example.0x7f/", "invalid_input"),
        ("http://" + "a." * 130 + "org/", "invalid_input"),
        ("http://example.org/" + "a" * 9_000, "invalid_input"),
        ("javascript:alert(1)", "bad_scheme"),
        ("localhost:80/", "bad_scheme"),
        ("http://LOCALHOST./", "ssrf_blocked"),
        ("http://api.localhost/", "ssrf_blocked"),
        ("http://printer.local/", "ssrf_blocked"),
        ("http://127.0.0.1./", "ssrf_blocked"),
        ("http://１２７.０.０.１/", "ssrf_blocked"),
    ],
)
def test_what_is_no_plain_url_to_a_public_host_is_refused(url: str, error: str) -> None:
    verdict = urls.judge(url)
    assert verdict.error == error
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@given(
    st.text(st.sampled_from(list("htp:/@[]%.0x17a\\?#-ßⓐ\0 ")), max_size=30).map(lambda text: "http://" + text)
    | st.text(max_size=30)
)
def test_any_text_gets_a_verdict_and_a_target_holds_plain_ascii_only(text: str) -> None:
    found = urls.read(text)
    if isinstance(found, urls.Target):
        assert (found.host + found.path).isascii()
        assert urls.judge(f"{found.scheme}://{f'[{found.host}]' if ':' in found.host else found.host}:{found.port}{found.path}")
    else:
        assert ENGLISH.refusing.say(found.reason, found.facts)
