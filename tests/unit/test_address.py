"""From a URL to an address that may be loaded."""

import ipaddress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from breakstep.model.errors import TargetError
from breakstep.plan.address import Url, authorisation_fault, is_own, parse_url, resolve
from breakstep.plan.redact import redact_url


@pytest.mark.parametrize(
    ("text", "host", "port", "path"),
    [
        ("http://h", "h", 80, "/"),
        ("https://h", "h", 443, "/"),
        ("http://h:8080/a/b?c=d&e", "h", 8080, "/a/b?c=d&e"),
        ("h:8080/x", "h", 8080, "/x"),
        ("localhost", "localhost", 80, "/"),
        ("  http://H.Example/ ", "h.example", 80, "/"),
        ("http://[::1]:81/x", "::1", 81, "/x"),
        ("[::1]:81", "::1", 81, "/"),
        ("http://h?q=1", "h", 80, "/?q=1"),
        ("http://h/a#part", "h", 80, "/a"),
        ("http://h/a b?c d", "h", 80, "/a%20b?c%20d"),
        ("http://h/phở?món=bún", "h", 80, "/ph%E1%BB%9F?m%C3%B3n=b%C3%BAn"),
        ("http://h/%C3%A4%2Fb?c=%20", "h", 80, "/%C3%A4%2Fb?c=%20"),
        ("http://h//twice//", "h", 80, "//twice//"),
        ("http://bücher.example/", "xn--bcher-kva.example", 80, "/"),
        ("http://u:p@h:8080/", "h", 8080, "/"),
    ],
)
def test_a_url_is_taken_apart(text: str, host: str, port: int, path: str) -> None:
    """Without a scheme it is http; what a request line cannot carry is percent-encoded."""
    url = parse_url(text)
    assert (url.host, url.port, url.path) == (host, port, path)
    assert url.tls == text.startswith("https")


def test_user_and_password_are_kept_apart_from_what_is_shown() -> None:
    """The URL as it is shown has neither."""
    url = parse_url("https://me:p%40ss@h:444/x?y#z")
    assert url == Url("https://h:444/x?y", True, "h", 444, "/x?y", "me:p%40ss")  # noqa: FBT003


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no host: write http://HOST:PORT/path"),
        ("http:///path", "names no host"),
        ("http://:80/", "names no host"),
        ("http://a b/", "names no host"),
        ("ftp://h/", "ftp:// is not spoken here; use http:// or https://"),
        ("ws://h/", "ws:// is not spoken here"),
        ("http://h:0/", "a port is a number from 1 to 65535"),
        ("http://h:65536/", "a port is a number from 1 to 65535"),
        ("http://h:http/", "a port is a number from 1 to 65535"),
        ("http://h:-1/", "a port is a number from 1 to 65535"),
        ("http://[::1/", r"is not a URL: write http://HOST:PORT/ or http://\[::1\]/"),
        ("http://[nonsense]/", "is not a URL"),
    ],
)
def test_what_is_no_url_is_refused_with_the_remedy(text: str, words: str) -> None:
    """The message quotes the text and says what to write."""
    with pytest.raises(ValueError, match=words):
        parse_url(text)


@pytest.mark.parametrize(
    "text",
    [
        "ftp://me:hunter2@h/",
        "http://me:hunter2@/",
        "http://me:hunter2@h:x/",
        "http://me:hunter2@[::1/",
        "http://me:hunt#hunter2@h/",
        "http://me:hunter2@h\u2100/",
        "http://h:x/?token=hunter2",
    ],
)
def test_a_faulty_url_is_quoted_without_its_secrets(text: str) -> None:
    """A password in the wrong place is not printed into a build log."""
    with pytest.raises(ValueError, match="http") as raised:
        parse_url(text)
    assert "hunter2" not in str(raised.value)


@given(st.text(max_size=30))
@example("//[x")
def test_every_path_of_a_url_can_be_sent_and_shown(path: str) -> None:
    """Whatever the path, the request line is printable ASCII without blanks."""
    url = parse_url(f"http://h/{path}")
    assert all("!" <= character <= "~" for character in url.path)
    assert redact_url(url.url).startswith("http://h/")
    assert redact_url(url.path).startswith("/")


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.255.0.9", "::1"),
        *("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1"),
        *("fc00::1", "fdff::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:192.168.1.1"),
    ],
)
def test_loopback_and_private_addresses_are_own(address: str) -> None:
    """Load on them can only meet what belongs to the user."""
    assert is_own(address)


@pytest.mark.parametrize(
    "address",
    [
        *("8.8.8.8", "203.0.113.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),  # noqa: S104
        *(
            "126.255.255.255",
            "128.0.0.1",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.1.1",
            "11.0.0.1",
        ),
        *("2001:db8::1", "::ffff:8.8.8.8", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0"),
        *("::", "::2", "::7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "ff02::1"),
    ],
)
def test_every_other_address_is_not(address: str) -> None:
    """Public, shared, link-local and documentation addresses, and tunnels to own ones."""
    assert not is_own(address)


@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_what_it_maps(address: ipaddress.IPv4Address) -> None:
    """`::ffff:a.b.c.d` is a.b.c.d."""
    assert is_own(f"::ffff:{address}") == is_own(str(address))


def test_own_addresses_need_no_authorisation() -> None:
    """Nobody is asked for load at home."""
    assert authorisation_fault("h", ("127.0.0.1", "10.0.0.1", "::1"), ()) is None


def test_one_foreign_address_is_enough_to_ask() -> None:
    """A name that leads home first and away second is refused, with what to add."""
    fault = authorisation_fault("shop.example", ("127.0.0.1", "203.0.113.7"), ("other.example",))
    assert fault == (
        "shop.example (203.0.113.7) is not a loopback or private address: load on other people's "
        "machines needs their consent; if you have it, add --authorized shop.example"
    )


def test_a_foreign_address_is_named_once() -> None:
    """An IP address that was given as such is not repeated in brackets."""
    fault = authorisation_fault("203.0.113.7", ("203.0.113.7",), ())
    assert (fault or "").startswith("203.0.113.7 is not a loopback")


def test_authorisation_is_for_the_host_that_was_named() -> None:
    """The same host, exactly."""
    assert authorisation_fault("shop.example", ("203.0.113.7",), ("shop.example",)) is None
    assert authorisation_fault("a.shop.example", ("203.0.113.7",), ("shop.example",)) is not None


def test_an_ip_address_resolves_to_itself() -> None:
    """No name server is asked."""
    assert resolve("127.0.0.1", 80) == ("127.0.0.1",)


@pytest.mark.parametrize("host", ["nosuch.invalid", "a" * 64, "a..b"])
def test_a_host_that_does_not_resolve_is_an_error_with_the_remedy(host: str) -> None:
    """Unknown names and impossible ones."""
    with pytest.raises(TargetError, match=r"cannot resolve .*; check the spelling"):
        resolve(host, 80)
