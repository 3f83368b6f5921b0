"""Only addresses of public hosts may be reached, in whatever form an address comes."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.safety import addresses
from transom.vocabulary import ENGLISH

pytestmark = pytest.mark.feature("Z6")

ipv4 = st.integers(0, 2**32 - 1).map(IPv4Address)
ipv6 = st.integers(0, 2**128 - 1).map(IPv6Address)


@pytest.mark.parametrize(
    "text", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "2002:808:808::"]
)
def test_a_public_host_may_be_reached(text: str) -> None:
    assert addresses.judge(text)
    assert addresses.judge(ip_address(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0.0.0.0", "address_unspecified"),
        ("0.1.2.3", "address_unspecified"),
        ("::", "address_unspecified"),
        ("127.9.8.7", "address_loopback"),
        ("::1", "address_loopback"),
        ("10.0.0.5", "address_private"),
        ("172.31.255.255", "address_private"),
        ("192.168.0.1", "address_private"),
        ("fd12:3456::1", "address_private"),
        ("fec0::1", "address_private"),
        ("100.64.0.1", "address_shared"),
        ("169.254.1.1", "address_link_local"),
        ("fe80::1%eth0", "address_link_local"),
        ("169.254.169.254", "address_metadata"),
        ("100.100.100.200", "address_metadata"),
        ("192.0.0.192", "address_metadata"),
        ("168.63.129.16", "address_metadata"),
        ("fd00:ec2::254", "address_metadata"),
        ("239.1.2.3", "address_multicast"),
        ("ff02::1", "address_multicast"),
        ("192.0.2.1", "address_reserved"),
        ("198.18.0.1", "address_reserved"),
        ("203.0.113.9", "address_reserved"),
        ("240.0.0.1", "address_reserved"),
        ("255.255.255.255", "address_reserved"),
        ("2001:db8::1", "address_reserved"),
        ("100::1", "address_reserved"),
        ("64:ff9b:1::a00:1", "address_reserved"),
        ("4000::5efe:808:808", "address_reserved"),
        ("::ffff:127.0.0.1", "address_loopback"),
        ("::ffff:a9fe:a9fe", "address_metadata"),
        ("::ffff:0:10.0.0.1", "address_private"),
        ("::10.0.0.1", "address_private"),
        ("64:ff9b::7f00:1", "address_loopback"),
        ("2002:7f00:1::", "address_loopback"),
        ("2001:0:808:808::f5ff:fffe", "address_private"),
        ("2001:0:808:808::f7f7:f7f7", "address_reserved"),
        ("::8.8.8.8", "address_reserved"),
        ("2606:2800::5efe:10.0.0.1", "address_private"),
        ("2606:2800::200:5efe:192.168.0.1", "address_private"),
    ],
)
def test_everything_else_is_blocked_and_says_what_it_is(text: str, reason: str) -> None:
    verdict = addresses.judge(text)
    assert (verdict.error, verdict.reason) == ("ssrf_blocked", reason)
    assert text in ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize("text", ["", "example.org", "1.2.3", "::g", "1.2.3.4.5", "0x7f.0.0.1"])
def test_text_that_is_no_address_is_no_address(text: str) -> None:
    assert addresses.judge(text).error == "invalid_input"


@given(ipv4)
def test_an_address_hidden_in_another_is_judged_as_itself(address: IPv4Address) -> None:
    number, plain = int(address), bool(addresses.judge(address))
    for form in (
        IPv6Address(0xFFFF << 32 | number),
        IPv6Address(0x64FF9B << 96 | number),
        IPv6Address(0x2002 << 112 | number << 80),
    ):
        assert bool(addresses.judge(form)) == plain


@given(ipv4 | ipv6)
def test_what_python_calls_private_is_never_reached(address: IPv4Address | IPv6Address) -> None:
    if address.is_private or address.is_loopback or address.is_link_local or address.is_multicast or address.is_reserved:
        # Python calls mapped and translated addresses reserved, whatever they stand for.
        assert not addresses.judge(address) or int(address) >> 32 in {0xFFFF, 0xFFFF << 16, 0x64FF9B << 64}


@given(ipv4, st.sampled_from(["{0}", "{0:#x}", "{0:#o}"]), st.integers(1, 4))
def test_every_spelling_of_the_c_library_is_read(address: IPv4Address, form: str, parts: int) -> None:
    number = int(address)
    first = [number >> (24 - 8 * place) & 255 for place in range(parts - 1)]
    last = number & (256 ** (5 - parts) - 1)
    host = ".".join(form.format(part).replace("0o", "0") for part in [*first, last])
    assert addresses.spelled(host) == address
    assert IPv4Address(socket.inet_aton(host)) == address


@pytest.mark.parametrize("host", ["", "a", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "09", "0x", "1..2", "9" * 5000])
def test_what_is_no_such_number_is_none(host: str) -> None:
    assert addresses.spelled(host) is None or host == "0x"
