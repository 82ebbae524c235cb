"""One request to a receiver: to which addresses it goes, and what a receiver can do to it."""

import socket
import ssl
import subprocess
import threading
from ipaddress import ip_address

import pytest

from core.lib import pinned_connection
from core.lib.errors import InvalidInput
from core.lib.public_addresses import is_allowed
from webhooks.http_client import MAX_RESPONSE, SHOWN, post
from webhooks.receivers import allowed_networks, read_url

REFUSED = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.168.1.1",
    "192.88.99.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:93.184.216.34",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", REFUSED)
def test_addresses_beyond_the_public_internet_are_refused(address):
    assert not is_allowed(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_public_addresses_are_allowed(address):
    assert is_allowed(ip_address(address))


def test_a_network_of_the_setting_is_allowed_and_no_other(settings):
    settings.CMS_WEBHOOK_NETWORKS = ["10.1.0.0/16", " fd12::/16"]
    networks = allowed_networks()
    allowed = [
        is_allowed(ip_address(text), networks) for text in ("10.1.2.3", "fd12::1", "10.2.0.1", "::ffff:10.1.2.3")
    ]
    assert allowed == [True, True, False, False]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("", "url_invalid"),
        ("ftp://example.com/", "url_invalid"),
        ("https:///path", "url_invalid"),
        ("https://user:secret@example.com/", "url_invalid"),
        ("https://example.com/#part", "url_invalid"),
        ("https://example.com\\@10.0.0.1/", "url_invalid"),
        ("https://example.com/a b", "url_invalid"),
        ("https://example.com/\r\nHost: other", "url_invalid"),
        ("https://exämple.com/", "url_invalid"),
        ("https://example.com:22/", "url_invalid"),
        ("https://example.com:0/", "url_invalid"),
        ("https://example.com:99999/", "url_invalid"),
        ("https://[::1/", "url_invalid"),
        ("https://example.com/" + "a" * 500, "url_invalid"),
        ("http://169.254.169.254/latest", "address_refused"),
        ("http://[::ffff:10.0.0.1]/", "address_refused"),
    ],
)
def test_urls_that_no_receiver_needs_are_refused(url, code):
    with pytest.raises(InvalidInput) as refusal:
        read_url(url)
    assert refusal.value.code == code


@pytest.mark.parametrize("host", ["0x7f.1", "2130706433", "0177.0.0.1"])
def test_other_spellings_of_an_address_are_refused_once_resolved(settings, host):
    settings.CMS_WEBHOOK_NETWORKS = []
    outcome = post(f"http://{host}/", b"{}", {})
    assert not outcome.is_success and outcome.status is None


def resolver(monkeypatch, *answers):
    """The resolver gives another answer each time."""
    left = list(answers)

    def getaddrinfo(host, port, *args, **kwargs):
        try:  # connecting to a number asks, too
            ip_address(host)
            found = [host]
        except ValueError:
            found = left.pop(0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return left


def test_a_name_is_resolved_once_and_the_checked_address_is_used(monkeypatch, receiver):
    left = resolver(monkeypatch, ["127.0.0.1"], ["10.9.9.9"])
    outcome = post(f"http://rebinding.example:{receiver.port}/", b"{}", {})
    assert (outcome.status, left) == (204, [["10.9.9.9"]])
    assert receiver.requests[0][0]["host"] == f"rebinding.example:{receiver.port}"


def test_one_refused_address_among_several_refuses_the_name(monkeypatch, settings, receiver):
    settings.CMS_WEBHOOK_NETWORKS = ["127.0.0.1/32"]
    resolver(monkeypatch, ["127.0.0.1", "169.254.169.254"])
    outcome = post(f"http://both.example:{receiver.port}/", b"{}", {})
    assert "169.254.169.254" in outcome.error and outcome.status is None
    assert not receiver.requests


def test_the_second_address_is_used_if_the_first_does_not_accept(monkeypatch, receiver):
    resolver(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    assert post(f"http://two.example:{receiver.port}/", b"{}", {}).is_success


def test_a_redirect_is_not_followed_and_fails(receiver):
    receiver.status, receiver.headers = 302, {"Location": receiver.url}
    outcome = post(receiver.url, b"{}", {})
    assert (outcome.status, outcome.is_success, len(receiver.requests)) == (302, False, 1)
    assert "redirect" in outcome.error


def test_proxies_of_the_environment_are_not_used(monkeypatch, receiver):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert post(receiver.url, b"{}", {}).is_success


def test_the_beginning_of_the_response_is_returned(receiver):
    receiver.status, receiver.body = 500, "zerö\0".encode() + b"\xff" + b"x" * 5000
    outcome = post(receiver.url, b"{}", {})
    assert (outcome.status, outcome.is_success) == (500, False)
    assert outcome.response.startswith("zerö\ufffd\ufffdx") and len(outcome.response.encode()) <= SHOWN + 8


def endless(handler, body):
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 65536)


def test_an_endless_response_is_read_up_to_the_limit(receiver):
    receiver.respond = endless
    outcome = post(receiver.url, b"{}", {})
    assert outcome.is_success and outcome.response == "x" * SHOWN
    assert MAX_RESPONSE == 64 * 1024


def drop_by_drop(text):
    def respond(handler, body):
        ended = threading.Event()
        for byte in text:
            handler.wfile.write(bytes([byte]))
            ended.wait(0.05)

    return respond


SLOW = {
    "in the headers": b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1000,
    "in the body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000,
    "in endless hints": b"HTTP/1.1 100 Continue\r\n\r\n" * 100,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_a_receiver_that_responds_byte_by_byte_is_left_at_the_time_limit(short, receiver, text):
    receiver.respond = drop_by_drop(text)
    outcome = post(receiver.url, b"{}", {})
    assert not outcome.is_success and "did not respond within" in outcome.error


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_receiver_that_never_responds_is_left_at_the_time_limit(short, scheme):
    from tests.webhooks.receivers import silent

    with silent() as port:
        outcome = post(f"{scheme}://127.0.0.1:{port}/", b"{}", {})
    assert (outcome.status, outcome.is_success) == (None, False)
    assert "did not respond within" in outcome.error


def test_a_port_that_nothing_listens_at_is_an_error():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    outcome = post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert outcome.status is None and "ConnectionRefused" in outcome.error


def test_what_is_not_http_is_an_error(receiver):
    receiver.respond = lambda handler, body: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n")
    outcome = post(receiver.url, b"{}", {})
    assert not outcome.is_success and "BadStatusLine" in outcome.error


@pytest.fixture
def certificate(tmp_path):
    """Key and certificate of receiver.example."""
    file = tmp_path / "receiver.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-days", "1", "-subj", "/CN=receiver.example", "-addext", "subjectAltName=DNS:receiver.example"),
            *("-keyout", file, "-out", tmp_path / "cert.pem"),
        ],
        check=True,
        capture_output=True,
    )
    file.write_text(file.read_text() + (tmp_path / "cert.pem").read_text())
    return file


def test_tls_names_and_checks_the_receiver_although_the_address_is_pinned(monkeypatch, receiver, certificate):
    resolver(monkeypatch, ["127.0.0.1"], ["127.0.0.1"])
    names = []
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate)
    serving.sni_callback = lambda connection, name, context: names.append(name)
    with socket.create_server(("127.0.0.1", 0)) as plain:
        port = plain.getsockname()[1]

        def serve():
            for _ in range(2):
                connection, _ = plain.accept()
                try:
                    with serving.wrap_socket(connection, server_side=True) as secure:
                        received = b""
                        while not received.endswith(b"{}"):  # closing before the end would reset the connection
                            received += secure.recv(65536)
                        secure.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
                except OSError:
                    connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        trusting = ssl.create_default_context(cafile=certificate)
        monkeypatch.setattr(pinned_connection, "tls_context", lambda: trusting)
        assert post(f"https://receiver.example:{port}/", b"{}", {}).is_success
        other = post(f"https://other.example:{port}/", b"{}", {})
        thread.join()
    assert names == ["receiver.example", "other.example"]
    assert not other.is_success and "CERTIFICATE_VERIFY_FAILED" in other.error
