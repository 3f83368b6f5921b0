"""Secrets: found by form and by name, never shown whole, and nothing taken for one that is none.

The tokens here are made up while the tests run, so that no file of the repository holds the form of one.
"""

from __future__ import annotations

import base64
import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases.toolbox_case import Case, cases

from transom.safety.secrets import EXCERPT_LENGTH, find, masked

LETTERS = string.ascii_letters + string.digits


def made(length: int, letters: str = LETTERS) -> str:
    """A random text with a digit in it, the same in each run."""
    return "7" + "".join(random.Random(length).choices(letters, k=length - 1))


TOKENS = {
    "github_token": ["ghp_" + made(36), "gho_" + made(36), "ghs_" + made(40), "github_pat_" + made(22) + "_" + made(59)],
    "gitlab_token": ["glpat-" + made(20)],
    "aws_access_key": ["AKIA" + made(16, string.ascii_uppercase + "234567"), "ASIA" + made(16, string.ascii_uppercase)],
    "google_key": ["AIza" + made(35), "GOCSPX-" + made(28), "ya29." + made(60)],
    "slack_token": ["xoxb-" + made(12, "0123456789") + "-" + made(24), "xapp-1-" + made(30), "xoxe.xoxp-1-" + made(60)],
    "stripe_key": ["sk_live_" + made(24), "rk_test_" + made(30), "whsec_" + made(32)],
    "model_key": ["sk-proj-" + made(48), "sk-ant-api03-" + made(60), "hf_" + made(34)],
    "package_token": ["npm_" + made(36), "pypi-AgE" + made(80), "dckr_pat_" + made(27)],
    "cloud_token": ["dop_v1_" + made(64, "0123456789abcdef"), "hvs." + made(24), "SG." + made(22) + "." + made(43)],
    "bot_token": ["123456789:AA" + made(33)],
    "jwt": ["eyJ" + made(20) + ".eyJ" + made(40) + "." + made(43)],
    "age_key": ["AGE-SECRET-KEY-1" + made(58, string.ascii_uppercase + string.digits)],
}
CASES = [(kind, token) for kind, tokens in TOKENS.items() for token in tokens]


@pytest.mark.parametrize("frame", ["{}", "x = '{}'\n", "first\nTOKEN={}\r\nlast", '{{"k": "{}"}}', "see {} there"])
@pytest.mark.parametrize(("kind", "token"), CASES)
def test_a_token_is_known_by_its_form_and_never_shown_whole(kind: str, token: str, frame: str) -> None:
    text = frame.format(token)
    [finding] = find(text)
    assert finding.kind == kind
    assert finding.length == len(token)
    before = text[: text.index(token)]
    assert (finding.line, finding.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))
    assert token[8:] not in finding.excerpt + masked(text)
    assert len(finding.excerpt) <= EXCERPT_LENGTH
    assert masked(text).startswith(before)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases("secrets")])
def test_the_cases_are_found_as_they_say(case: Case) -> None:
    text = base64.b64decode(case.setup["files"]["ws/conf.env"]["b64"]).decode()
    findings = find(text)
    assert len(findings) == case.expected["findings"] if "findings" in case.expected else findings
    shown = masked(text) + repr(findings)
    for hidden in case.expected.get("not_contains_b64", []):
        assert base64.b64decode(hidden).decode() not in shown


BODY = "\n".join(made(64) for _ in range(5))


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("escaped", [True, False])
def test_a_private_key_is_one_finding_whole_or_cut_off(kind: str, end: bool, escaped: bool) -> None:
    key = f"-----BEGIN {kind}PRIVATE KEY-----\n{BODY}\n" + (f"-----END {kind}PRIVATE KEY-----\n" if end else "")
    text = "a: 1\n" + (key.replace("\n", "\\n") if escaped else key)
    [finding] = find(text)
    assert (finding.kind, finding.line) == ("private_key", 2)
    assert made(64)[:32] not in masked(text) + finding.excerpt


def test_speaking_of_a_key_is_not_having_one() -> None:
    text = "A file that begins with -----BEGIN PRIVATE KEY----- is a key."
    assert find(text) == []
    assert masked(text) == text


@pytest.mark.parametrize(
    "line",
    [
        "password = 'hunter2hunter2'", 'DB_PASSWORD="c0rrect-horse!"', "api_key: 9f8a7b6c5d4e3f2a1b0c",
        "client_secret=9f8a7b6c5d4e3f2a1b0c",
        '"accessToken": "9f8a7b6c5d4e3f2a"', "AWS_SECRET_ACCESS_KEY=wJ4lrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzz1KEY",
        "secret := `a1b2c3d4e5`",
        "İ PASSWORD = 'hunter2hunter2'",
        "config['token'] = 'a1b2c3d4e5'", "Authorization: Bearer a1b2c3d4e5f6a7b8c9",
        "postgres://user:s3cr3tpw@db.internal/x",
    ],
)  # fmt: skip
def test_a_value_is_a_secret_by_the_name_it_is_given(line: str) -> None:
    assert len(find(line)) == 1
    assert masked(line) != line


@pytest.mark.parametrize(
    "line",
    [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b", "sha256:" + "ab12" * 16, "password = os.environ['DB_PASSWORD1']",
        "token = get_token(1)",
        "password: ${DB_PASSWORD1}", "PASSWORD=changeme123", "api_key = 'your-api-key-1'", "secret = 'xxxxxxxxxxxx1'",
        "max_tokens = 4096",
        "password = settings.database.password1", "tokens: list[int8]", "token = 'placeholder-1'",
        "skip-this-one-and-that-other-thing", "https://example.org:8080/x@y",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA", "def password(self, value1): ...",
        "secret = '<fill in here 1>'", "task-sk-list",
    ],
)  # fmt: skip
def test_what_is_no_secret_is_left_alone(line: str) -> None:
    assert find(line) == []
    assert masked(line) == line


def test_findings_stand_in_order_and_a_limit_holds() -> None:
    text = "\n".join(f"line {token}" for _, token in CASES)
    assert [finding.line for finding in find(text)] == list(range(1, len(CASES) + 1))
    assert len(find(text, limit=3)) == 3


def test_two_secrets_on_one_line_are_both_masked_in_each_excerpt() -> None:
    one, two = TOKENS["github_token"][0], TOKENS["google_key"][0]
    findings = find(f"{one} {two}")
    assert [finding.kind for finding in findings] == ["github_token", "google_key"]
    for finding in findings:
        assert one[8:] not in finding.excerpt
        assert two[8:] not in finding.excerpt


@given(st.text(), st.sampled_from(CASES), st.text())
def test_masking_leaves_the_rest_and_can_be_repeated(before: str, case: tuple[str, str], after: str) -> None:
    text = f"{before} {case[1]} {after}"
    once = masked(text)
    assert case[1] not in once
    assert masked(once) == once


@pytest.mark.parametrize(
    "piece",
    ["a", "token", "password=", "password='a1", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n ", "eyJ",
     "eyJaaaaaaaaa.", "http://a:",
     "Bearer ", "ghp_", "sk-", "AKIA", "\n", "api_key_", "PuTTY-User-Key-File-2: a\n", "ghp_" + made(36) + " ", "x://",
     "123456789:AA"],
)  # fmt: skip
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        begun = time.process_time()
        find(text)
        return time.process_time() - begun

    short, long = min(seconds(15_000) for _ in range(3)), min(seconds(120_000) for _ in range(2))
    assert long < 28 * short + 0.05, (short, long)
