"""E-mail: stored with its change, sent later to a real server, and again after errors."""

import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.utils.translation import override

from core.lib import clock
from core.lib.environment import read_mail_server
from core.mail import sending
from core.mail.messages import Message, queue
from core.mail.models import OutgoingMail
from core.notifications.models import AdminAddress
from core.operation import doctor_checks
from tests.mail.smtp_server import mail_server

pytestmark = pytest.mark.django_db(transaction=True)
MESSAGE = Message(
    "New lamps", ["Lamps & <lenses>", "A second paragraph."], "Open", "https://cms.example.org/admin/?a=1&b=2"
)


@pytest.fixture
def server(settings):
    with mail_server() as server:
        _use(settings, server.port)
        yield server


def _use(settings, port):
    settings.CMS_EMAIL_URL = f"smtp://127.0.0.1:{port}"
    for name, value in read_mail_server("CMS_EMAIL_URL", settings.CMS_EMAIL_URL).items():
        setattr(settings, name, value)
    settings.DEFAULT_FROM_EMAIL = "Harbour museum <cms@example.org>"


def make_due():
    OutgoingMail.objects.update(next_attempt_at=clock.now())


def test_a_message_arrives_as_text_and_html(server):
    with override("zh-hans"):
        queue("desk@example.org", MESSAGE)
    sending.send_due()
    (message,) = server.messages
    assert (message["To"], message["From"]) == ("desk@example.org", "Harbour museum <cms@example.org>")
    assert message["Subject"] == "New lamps"
    text, html = (message.get_body([kind]).get_content().replace("\r\n", "\n") for kind in ("plain", "html"))
    assert "Lamps & <lenses>\n\nA second paragraph.\n\nOpen:\nhttps://cms.example.org/admin/?a=1&b=2" in text
    assert "<p>Lamps &amp; &lt;lenses&gt;</p>" in html
    assert '<html lang="zh-hans">' in html
    assert 'href="https://cms.example.org/admin/?a=1&amp;b=2"' in html
    assert not OutgoingMail.objects.exists()


def test_a_rolled_back_change_sends_nothing(server):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        queue("desk@example.org", MESSAGE)
        raise ZeroDivisionError
    sending.send_due()
    assert not server.messages


def test_line_ends_in_a_subject_make_no_header(server):
    queue("desk@example.org", Message("A\r\nBcc: all@example.org", []))
    sending.send_due()
    assert server.messages[0]["Subject"] == "A Bcc: all@example.org"
    assert server.messages[0]["Bcc"] is None


def test_a_server_that_is_down_delays_messages_and_loses_none(settings):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    _use(settings, port)
    for number in range(3):
        queue(f"desk{number}@example.org", MESSAGE)
    sending.send_due()
    first, second, _third = OutgoingMail.objects.order_by("pk")
    assert (first.attempts, second.attempts) == (1, 0)  # one message is enough to find out
    assert first.last_error.startswith("ConnectionRefusedError")
    assert first.next_attempt_at > clock.now()
    make_due()
    with mail_server() as server:
        _use(settings, server.port)
        sending.send_due()
        assert [message["To"] for message in server.messages] == [f"desk{number}@example.org" for number in range(3)]


def test_a_refused_recipient_holds_up_no_other(server):
    queue("refused@example.org", MESSAGE)
    queue("desk@example.org", MESSAGE)
    sending.send_due()
    assert [message["To"] for message in server.messages] == ["desk@example.org"]
    assert OutgoingMail.objects.get().recipient == "refused@example.org"


def test_it_is_given_up_after_the_last_attempt_and_forgotten_later(server):
    queue("refused@example.org", MESSAGE)
    for _number in range(sending.MAX_ATTEMPTS + 1):
        OutgoingMail.objects.exclude(next_attempt_at=None).update(next_attempt_at=clock.now())
        sending.send_due()
    mail = OutgoingMail.objects.get()
    assert (mail.attempts, mail.next_attempt_at) == (sending.MAX_ATTEMPTS, None)
    OutgoingMail.objects.update(created_at=clock.now() - sending.KEPT - timedelta(minutes=1))
    sending.send_due()
    assert not OutgoingMail.objects.exists()


def test_two_servers_send_each_message_once(server):
    for number in range(20):
        queue(f"desk{number}@example.org", MESSAGE)

    def send(_):
        try:
            sending.send_due()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(send, range(2)))
    sending.send_due()  # where SQLite was busy
    assert len({message["To"] for message in server.messages}) == len(server.messages) == 20


def test_a_message_under_way_is_sent_again_if_the_process_dies(server, monkeypatch):
    queue("desk@example.org", MESSAGE)

    def die(mail, connection):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(sending, "_send", die)
        sending.send_due()
    sending.send_due()
    assert not server.messages  # not before its time
    make_due()
    sending.send_due()
    assert len(server.messages) == 1


def test_the_doctor_warns_if_links_follow_the_last_sign_in(server, settings):
    settings.CMS_ADMIN_URL = ""
    (finding,) = doctor_checks._mail()
    assert "forgotten passwords cannot be reset" in finding.told and "CMS_ADMIN_URL" in finding.remedy
    AdminAddress.objects.create(pk=1, base_url="http://127.0.0.1:8000")
    (finding,) = doctor_checks._mail()
    assert "lead to http://127.0.0.1:8000" in finding.told
    settings.CMS_EMAIL_URL = ""
    (finding,) = doctor_checks._mail()
    assert finding.told.startswith("No mail server is set up (CMS_EMAIL_URL)")


def test_the_doctor_names_messages_that_wait_long(server, settings):
    settings.CMS_ADMIN_URL = "https://cms.example.org"
    assert not list(doctor_checks._mail())
    queue("desk@example.org", MESSAGE)
    OutgoingMail.objects.update(created_at=clock.now() - timedelta(hours=2), last_error="SMTPDataError: full")
    (finding,) = doctor_checks._mail()
    assert "Not sent for more than an hour: 1 messages. The latest error: SMTPDataError: full." in str(finding)


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("localhost", "must begin with smtp://"),
        ("http://localhost", "must begin with smtp://"),
        ("smtp://user:secret@host:port", "its port is not a number"),
        ("smtp://", "names no host"),
    ],
)
def test_a_wrong_address_of_the_server_is_told_without_its_password(url, told):
    with pytest.raises(ImproperlyConfigured, match=told) as raised:
        read_mail_server("CMS_EMAIL_URL", url)
    assert "secret" not in str(raised.value)


@pytest.mark.any_database
@pytest.mark.parametrize(("scheme", "port"), [("smtp", 25), ("smtp+tls", 587), ("smtp+ssl", 465)])
def test_each_scheme_has_its_port(scheme, port):
    assert read_mail_server("CMS_EMAIL_URL", f"{scheme}://host")["EMAIL_PORT"] == port


def test_a_failed_message_is_sent_again_after_its_pause_when_clocks_go_back(server, autumn):
    autumn("02:59:30")
    queue("refused@example.org", MESSAGE)
    sending.send_due()
    OutgoingMail.objects.update(recipient="desk@example.org")
    autumn("02:00:20", 1)
    sending.send_due()
    assert not server.messages
    autumn("02:00:30", 1)
    sending.send_due()
    assert len(server.messages) == 1


def test_a_message_that_waits_longer_than_its_pause_is_due(server):
    queue("desk@example.org", MESSAGE)
    later = clock.now() + timedelta(minutes=62)  # the clock of the machine was set back by an hour
    OutgoingMail.objects.update(attempts=7, next_attempt_at=later)  # of a pause of 64 minutes
    sending.send_due()
    assert not server.messages
    OutgoingMail.objects.update(attempts=1)
    sending.send_due()
    assert len(server.messages) == 1
