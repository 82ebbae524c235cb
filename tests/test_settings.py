"""Settings that cannot be: neither a command nor the server starts with one, and each says why."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import Error, Warning, run_checks
from django.core.exceptions import ImproperlyConfigured

from accounts import avatars
from accounts.validators import MAX_LENGTH
from apikeys.models import MAX_REQUESTS
from cms_api.checks import check_weak_settings
from cms_api.environment import CONSTANTS, ENVIRONMENT
from contents.lists.request import MAX_NAMES, MAX_RULES
from contents.rules.sql import MAX_IN_VALUES
from core.lib.environment import HINT, Environment, Setting, read_peppers
from core.rest import idempotency
from core.tables.reading import MAX_FILE_BYTES, MAX_ROWS
from server.serving import ENVIRONMENT as SERVER

ROOT = Path(__file__).resolve().parent.parent


def found():
    """What the checks say of settings."""
    return [message for message in run_checks() if message.id in {"accounts.E001", "cms_api.E001", "cms_api.W004"}]


# setting, value, what is said
WRONG = [
    (
        "CMS_EMBED_HOSTS",
        ["https://video.example.com"],
        'CMS_EMBED_HOSTS: "https://video.example.com" is not a host name',
    ),
    ("CMS_PASSWORD_COMPOSITION", "letteranddigit", "CMS_PASSWORD_COMPOSITION must be one of "),
    ("CMS_LOCKOUT", "minutes", "CMS_LOCKOUT must be one of off, hours, forever, not 'minutes'."),
    ("CMS_EMBED_HOSTS", ["*"], 'CMS_EMBED_HOSTS: "*" is not a host name'),
    ("CMS_TRUSTED_PROXIES", ["10.0.0.1", "10.0.0.0/40"], 'CMS_TRUSTED_PROXIES: "10.0.0.0/40" is neither an address'),
    ("CMS_TRUSTED_PROXIES", ["UNIX"], 'CMS_TRUSTED_PROXIES: "UNIX" is neither an address'),
    ("CMS_LOG_FORMAT", "xml", "CMS_LOG_FORMAT must be line or json."),
    ("CMS_METRICS_TOKEN", "a secret with blanks in it", "CMS_METRICS_TOKEN must consist of at least 20 characters"),
    ("CMS_METRICS_TOKEN", "short-secret", "CMS_METRICS_TOKEN must consist of at least 20 characters"),
    *[
        ("CMS_SENTRY_DSN", dsn, "CMS_SENTRY_DSN must be a URL such as https://key@host/1.")
        for dsn in (
            "secret",
            "https://host/1",
            "https://secret@host",
            "https://secret@host/project",
            "ftp://secret@host/1",
        )
    ],
    *[
        ("CMS_CACHE_URL", url, "CMS_CACHE_URL must begin with redis://, rediss:// or unix://.")
        for url in ("memcached://:secret@cache", "cache:6379", " redis://cache", "REDIS://cache")
    ],
    *[
        ("CMS_CACHE_URL", url, "CMS_CACHE_URL cannot be read")
        for url in (
            "redis://:sec/ret@cache/0",
            "redis://cache:secret/0",
            "redis://cache:70000/0",
            "redis://[cache/0",
            "redis://cache/0?secret=1",
            "redis://cache/secret",
            "rediss://cache/0/1",
            "redis://cache/0?socket_timeout=secret",
        )
    ],
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_a_wrong_setting_is_an_error_that_names_it_without_a_secret(settings, name, value, said):
    setattr(settings, name, value)
    (message,) = found()
    assert type(message) is Error
    assert message.msg.startswith(said)
    assert message.hint == HINT
    assert "sec" not in message.msg


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CMS_EMBED_HOSTS", ["video.example.com", "example.cn"]),
        ("CMS_LOG_FORMAT", "json"),
        ("CMS_METRICS_TOKEN", "prometheus-reads-this-1"),
        *[("CMS_SENTRY_DSN", dsn) for dsn in ("https://key@host/1", "http://key:more@127.0.0.1:9000/path/42")],
        ("CMS_TRUSTED_PROXIES", []),
        ("CMS_TRUSTED_PROXIES", ["10.0.0.1", " 10.0.0.0/8", "2001:db8::/32", "::1", "unix"]),
        *[
            ("CMS_CACHE_URL", url)
            for url in (
                "",
                "redis://cache",
                "redis://u:p@cache:6380/3",
                "rediss://cache/0",
                "unix:///run/redis.sock?db=1",
            )
        ],
    ],
)
def test_nothing_is_said_of_what_can_be(settings, name, value):
    setattr(settings, name, value)
    assert found() == []


@pytest.mark.parametrize("network", ["0.0.0.0/0", "::/0", "::ffff:0:0/96"])
def test_whoever_trusts_everybody_is_warned(settings, network):
    settings.CMS_TRUSTED_PROXIES = ["10.0.0.1", network]
    (message,) = found()
    assert type(message) is Warning
    assert "every client can claim any address" in message.msg


@pytest.mark.parametrize(("name", "value", "said"), [
    ("ALLOWED_HOSTS", ["cms.example.org", "*"], "CMS_ALLOWED_HOSTS has *"),
    ("SECRET_KEY", "secret", "CMS_SECRET_KEY can be guessed"),
    ("SECRET_KEY", "secret" * 20, "CMS_SECRET_KEY can be guessed"),
    ("PASSWORD_PEPPERS", {"p2": "k3" + "abcdefgh" * 8, "p1": "x"}, 'The pepper "p1" of CMS_PASSWORD_PEPPERS can'),
    ("CMS_SQL_SLOTS", 4, "CMS_SQL_SLOTS (4) is not below CMS_THREADS (4)"),
    *[("CMS_ADMIN_URL", url, "CMS_ADMIN_URL is no address, so links in e-mails lead nowhere.")
      for url in ("foo", "cms.example.org", "https://", "ftp://cms.example.org", "https://cms.example.org/?next=")],
    ("SECURE_SSL_REDIRECT", True, "CMS_SECURE needs a proxy, but CMS_TRUSTED_PROXIES is empty: all clients count as"),
])  # fmt: skip
def test_a_weak_setting_is_a_warning_that_names_it_without_a_secret(settings, monkeypatch, name, value, said):
    monkeypatch.delenv("CMS_THREADS", raising=False)
    assert check_weak_settings() == []
    setattr(settings, name, value)
    (message,) = check_weak_settings()
    assert (type(message), message.msg[: len(said)]) == (Warning, said)
    assert "secretsecret" not in message.msg and "abcdefgh" not in message.msg
    assert message in run_checks(include_deployment_checks=True)


@pytest.mark.parametrize("url", ["https://cms.example.org", "http://cms:8000/", "https://[::1]:8000/cms"])
def test_the_address_of_the_service_is_one_that_links_can_begin_with(settings, url):
    settings.CMS_ADMIN_URL = url
    assert check_weak_settings() == []


# ---- Settings that only the server reads


@pytest.mark.parametrize(("name", "value", "said"), [
    ("CMS_WORKERS", "many", "CMS_WORKERS must be a whole number from 1 to 256, not 'many'."),
    ("PORT", "abc", "PORT must be a whole number from 0 to 65535, not 'abc'."),
    ("CMS_THREADS", "0", "CMS_THREADS must be a whole number from 1 to 256, not '0'."),
    ("CMS_MAX_QUEUE", "-1", "CMS_MAX_QUEUE must be a whole number from 1 to 10000, not '-1'."),
    ("CMS_MAX_QUEUE_SECONDS", "601", "CMS_MAX_QUEUE_SECONDS must be"),
    ("CMS_CLIENT_SECONDS", "x", "CMS_CLIENT_SECONDS must be a whole number from 1 to 3600, not 'x'."),
    ("CMS_BIND_HOST", "nohost.invalid", "CMS_BIND_HOST must be an address or a name that can be resolved, not"),
])  # fmt: skip
def test_the_checks_find_what_would_stop_the_server(monkeypatch, name, value, said):
    assert found() == []
    monkeypatch.setenv(name, value)
    (message,) = found()
    assert type(message) is Error
    assert message.msg.startswith(said)
    assert check_weak_settings() == []


@pytest.mark.parametrize("host", ["", "127.0.0.1", "0.0.0.0", "localhost"])
def test_the_server_may_listen_on_any_address_of_this_machine(monkeypatch, host):
    monkeypatch.setenv("CMS_BIND_HOST", host)
    assert found() == check_weak_settings() == []


def test_an_address_of_another_machine_to_listen_on_is_a_warning(monkeypatch):
    monkeypatch.setenv("CMS_BIND_HOST", "192.0.2.1")
    assert found() == []
    (message,) = check_weak_settings()
    assert message.msg.startswith("CMS_BIND_HOST is not an address of this machine")


@pytest.mark.parametrize(("name", "hint"), [
    ("CMS_ALOWED_HOSTS", "Did you mean CMS_ALLOWED_HOSTS?"),
    ("CMS_WORKER", "Did you mean CMS_WORKERS?"),
    ("cms_secure", "Did you mean CMS_SECURE?"),
    ("CMS_XYZZY_QWQ", "docs/reference/settings.md lists all."),
])  # fmt: skip
def test_an_unknown_name_is_a_warning_with_the_nearest_known_one(monkeypatch, name, hint):
    monkeypatch.setenv(name, "canary")
    (message,) = check_weak_settings()
    assert message.msg == f"{name} is not a setting of this service and has no effect."
    assert message.hint.endswith(hint)
    assert "canary" not in message.msg + message.hint


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_former_setting_is_a_warning_with_the_value_of_today(monkeypatch, name):
    assert name not in ENVIRONMENT
    monkeypatch.setenv(name, "canary")
    (message,) = check_weak_settings()
    assert message.msg == f"{name} is no longer a setting and has no effect; the value is {CONSTANTS[name]}."
    assert message.hint == "Remove it."


def test_the_values_of_former_settings_are_those_of_the_code():
    assert {
        "CMS_AVATAR_SIDE": f"{avatars.SIDE} pixels",
        "CMS_IMPORT_MAX_BYTES": f"{MAX_FILE_BYTES // 1024**2} MiB",
        "CMS_IMPORT_MAX_ROWS": f"{MAX_ROWS:,} rows",
        "CMS_MAX_IN_VALUES": f"{MAX_IN_VALUES:,} values",
        "CMS_MAX_NAMES": f"{MAX_NAMES} names",
        "CMS_MAX_RULES": f"{MAX_RULES} rules",
        "CMS_STORED_ANSWERS": f"{idempotency.MAX_STORED:,} responses",
        "CMS_STORED_ANSWERS_BYTES": f"{idempotency.MAX_STORED_BYTES // 1024**2} MiB",
    } == CONSTANTS


# ---- Ranges

NUMBERS = {name: setting for name, setting in (ENVIRONMENT | SERVER).items() if setting.type in (int, float)}
# Numbers without an upper end, by the reason for it.
UNBOUNDED = {
    "only the machine limits memory, disk and connections": {
        "CMS_DATABASE_POOL_SIZE", "CMS_MAX_BODY_BYTES", "CMS_MAX_CUSTOM_FIELD_BYTES", "CMS_TREE_CACHE_BYTES",
        "CMS_CONTENT_CACHE_BYTES", "CMS_PAGE_CACHE_BYTES",
        "CMS_PACKAGE_MAX_BYTES",
    },
    "the time limit of statements holds in any case": {"CMS_MAX_PER_PAGE"},
    "a huge number means: without this limit": {
        "CMS_STATEMENT_SECONDS", "CMS_LOCKOUT_FAILURES", "CMS_LOGIN_FAILURES_PER_ACCOUNT",
        "CMS_LOGIN_FAILURES_PER_ADDRESS", "CMS_LOGIN_FAILURES_EVERYWHERE",
    },
    "a huge number means: never": {"CMS_RESTART_MIN_SECONDS", "CMS_SLOW_STATEMENT_MILLISECONDS"},
}  # fmt: skip


def test_every_number_has_a_range_or_a_reason_for_having_no_upper_end():
    assert [name for name, setting in NUMBERS.items() if setting.least is None] == []
    assert sorted(name for name, setting in NUMBERS.items() if setting.most is None) == sorted(
        name for names in UNBOUNDED.values() for name in names
    )


@pytest.mark.parametrize("name", NUMBERS)
def test_both_ends_of_a_range_are_accepted_and_one_beyond_each_is_refused(name):
    kind, least, most = NUMBERS[name].type, NUMBERS[name].least, NUMBERS[name].most
    step = 1 if kind is int else 0.0001
    for end, beyond in ((least, least - step), *([(most, most + step)] if most else [])):
        assert number_of(name, end) == end
        with pytest.raises(ImproperlyConfigured, match=rf"^{name} must be a .*number (from|of at least) {least}\b"):
            number_of(name, beyond)
    assert number_of(name, NUMBERS[name].default) == NUMBERS[name].default


def number_of(name, number):
    return Environment(NUMBERS, {name: str(number)})(name)


def test_settings_have_the_limits_of_what_they_replace():
    assert NUMBERS["CMS_KEY_REQUESTS_PER_MINUTE"].most == MAX_REQUESTS
    assert NUMBERS["CMS_PASSWORD_MIN_LENGTH"].most == MAX_LENGTH
    assert NUMBERS["CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH"].most == MAX_LENGTH


# ---- Reading the environment

DECLARED = {
    "CMS_TEXT": Setting(str, "text", ""),
    "CMS_FLAG": Setting(bool, False, ""),
    "CMS_INT": Setting(int, 3, ""),
    "CMS_FEW": Setting(int, 3, "", least=0, most=5),
    "CMS_MANY": Setting(float, 3.0, "", least=0.5),
    "CMS_FLOAT": Setting(float, 0.5, ""),
    "CMS_LIST": Setting(list, ["one"], ""),
}


def value_of(name, text):
    return Environment(DECLARED, {name: text})(name)


@pytest.mark.parametrize("name", DECLARED)
def test_what_is_unset_or_blank_has_the_default_but_a_blank_list_is_empty(name):
    default = DECLARED[name].default
    blank = [] if DECLARED[name].type is list else default
    assert {repr(value_of(name, text)) for text in ("", " ", "\t")} == {repr(blank)}
    assert Environment(DECLARED, {})(name) == default


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        *[("CMS_FLAG", text, True) for text in ("true", "TRUE", "1", "Yes", "on", " true ")],
        *[("CMS_FLAG", text, False) for text in ("false", "False", "0", "no", "OFF")],
        ("CMS_INT", "12", 12),
        ("CMS_INT", "-1", -1),
        ("CMS_FLOAT", "2", 2.0),
        ("CMS_FLOAT", "0.25", 0.25),
        ("CMS_LIST", "a, b,,c ,", ["a", "b", "c"]),
        ("CMS_TEXT", "$HOME=x", "$HOME=x"),
    ],
)
def test_a_value_is_read_by_its_type(name, text, value):
    assert value_of(name, text) == value
    assert type(value_of(name, text)) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        *[("CMS_FLAG", text, "true or false") for text in ("ture", "2", "y", "None")],
        *[("CMS_INT", text, "a whole number") for text in ("x", "1.5", "1e3", "nan")],
        *[("CMS_FEW", text, "a whole number from 0 to 5") for text in ("-1", "6", "x")],
        ("CMS_MANY", "0.4", "a number of at least 0.5"),
        *[("CMS_FLOAT", text, "a number") for text in ("x", "nan", "inf", "-inf", "1e999")],
    ],
)
def test_a_value_that_cannot_be_read_is_refused_by_name(name, text, expected):
    with pytest.raises(ImproperlyConfigured, match=f"^{name} must be {expected}.*, not '{text}'.$"):
        value_of(name, text)


@pytest.mark.parametrize(
    ("text", "peppers"),
    [
        ("p1:secret", {"p1": "secret"}),
        (" p2 : new , p1:old,", {"p2": "new", "p1": "old"}),
        ("A-b_9:with:colons$", {"A-b_9": "with:colons$"}),
        (f"{'a' * 64}:secret", {"a" * 64: "secret"}),
    ],
)
def test_peppers_are_read_in_their_order_without_blanks(text, peppers):
    assert list(read_peppers(text).items()) == list(peppers.items())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("harbour", "without a colon or a secret"),
        ("p1:har,bour", "without a colon or a secret"),
        ("p1:", "without a colon or a secret"),
        ("p1: ,p2:harbour", "without a colon or a secret"),
        (":harbour", "an id that does not consist"),
        ("a$b:harbour", "an id that does not consist"),
        ("p 1:harbour", "an id that does not consist"),
        ("pé:harbour", "an id that does not consist"),
        (f"{'a' * 65}:harbour", "an id that does not consist"),
        ("p1:harbour,p1:harbours", "the same id twice"),
        ("p1:harbour, p1 :harbour", "the same id twice"),
        (",", "at least one"),
        ("", "at least one"),
    ],
)
def test_wrong_peppers_are_refused_by_name_without_a_secret(text, problem):
    with pytest.raises(ImproperlyConfigured, match=f"^CMS_PASSWORD_PEPPERS .*{problem}") as refused:
        read_peppers(text)
    assert not any(part in str(refused.value) for part in ("har", "bour", "$", "é"))


# ---- At start


@pytest.mark.large
@pytest.mark.parametrize("name", ["CMS_SECURE", "CMS_PASSWORD_PEPPERS"])
def test_a_command_ends_with_the_sentence_alone(installation, name):
    value, said = WRONG_AT_START[name]
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=installation.environment | {name: value},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(said) and done.stderr.count("\n") == 1


@pytest.mark.large
def test_the_server_says_at_its_start_whose_pepper_is_missing(installation):
    with installation.serve(CMS_PASSWORD_PEPPERS="p2:another secret") as running:
        running.stop()
        # Other tests may have made more of them in the same installation.
        assert re.search(r"administrators \([1-9]\d*\) and users \(\d+\) need a pepper that is missing", running.log)
        assert "another secret" not in running.log


@pytest.mark.large
def test_the_server_says_at_its_start_which_settings_are_weak(installation):
    weak = {"CMS_ALLOWED_HOSTS": "*", "CMS_SECRET_KEY": "short", "CMS_THREADS": "2", "CMS_SQL_SLOTS": "9"}
    with installation.serve(**weak) as running:
        running.stop()
        for said in ("CMS_ALLOWED_HOSTS has *", "CMS_SECRET_KEY can be guessed", "CMS_SQL_SLOTS (9) is not below"):
            assert running.log.count(said) == 1


@pytest.mark.large
def test_the_server_says_at_its_start_that_a_pepper_was_replaced(installation):
    with installation.serve() as running:
        running.stop()
    with installation.serve(CMS_PASSWORD_PEPPERS="p1:another secret") as running:
        running.stop()
        assert "The pepper p1 is not the one used for stored passwords" in running.log


@pytest.mark.large
def test_a_server_with_another_data_folder_makes_no_pepper_of_its_own(installation, tmp_path):
    database = f"sqlite:///{installation.environment['CMS_DATA_DIR']}/db.sqlite3"
    with installation.serve(CMS_DATA_DIR=str(tmp_path), CMS_DATABASE_URL=database) as running:
        running.stop()
        assert "need a pepper that is missing" in running.log
    assert not (tmp_path / "password_pepper").exists()


WRONG_AT_START = {
    "CMS_SENTRY_DSN": ("abc", "CMS_SENTRY_DSN must be a URL such as"),
    "CMS_TRUSTED_PROXIES": ("10.0.0.1,proxy.example", 'CMS_TRUSTED_PROXIES: "proxy.example" is neither'),
    "CMS_CACHE_URL": ("http://cache", "CMS_CACHE_URL must begin with redis://"),
    "CMS_LOCKOUT": ("perhaps", "CMS_LOCKOUT"),
    "CMS_KEY_REQUESTS_PER_MINUTE": (
        "-1",
        "CMS_KEY_REQUESTS_PER_MINUTE must be a whole number from 0 to 1000000, not '-1'.",
    ),
    "CMS_SECURE": ("ture", "CMS_SECURE must be true or false"),
    "CMS_PASSWORD_PEPPERS": ("nocolon", "CMS_PASSWORD_PEPPERS must be a comma-separated list of id:secret"),
}


@pytest.mark.large
@pytest.mark.parametrize("name", WRONG_AT_START)
def test_the_server_does_not_start_with_a_wrong_setting_and_says_why_in_a_line(installation, tmp_path, name):
    value, said = WRONG_AT_START[name]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "gunicorn",
            "-c",
            "python:server.configuration",
            "--pid",
            tmp_path / "pid",
            "cms_api.wsgi",
        ],
        cwd=ROOT,
        env=installation.environment | {"PORT": "0", name: value},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert [said in line for line in done.stderr.splitlines()].count(True) == 1
    assert "Traceback" not in done.stderr
    assert "Listening" not in done.stderr
    assert not (tmp_path / "pid").exists()
