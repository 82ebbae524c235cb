"""Settings that cannot be: neither a command nor the server starts with one, and each says why."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import Error, Warning, run_checks

ROOT = Path(__file__).resolve().parent.parent


def found():
    """What the checks say of settings."""
    return [message for message in run_checks() if message.id in {"cms_api.E001", "cms_api.W004"}]


# setting, value, what is said
WRONG = [
    ("CMS_AVATAR_MAX_BYTES", 999, "CMS_AVATAR_MAX_BYTES is 999; it has to be between 1000 and 67108864."),
    ("CMS_AVATAR_MAX_BYTES", 2**26 + 1, "CMS_AVATAR_MAX_BYTES is 67108865;"),
    ("CMS_AVATAR_MAX_PIXELS", 0, "CMS_AVATAR_MAX_PIXELS is 0; it has to be between 1000 and 100000000."),
    ("CMS_AVATAR_MAX_PIXELS", 100_000_001, "CMS_AVATAR_MAX_PIXELS is 100000001;"),
    ("CMS_AVATAR_SIDE", 15, "CMS_AVATAR_SIDE is 15; it has to be between 16 and 4096."),
    ("CMS_AVATAR_SIDE", 4097, "CMS_AVATAR_SIDE is 4097;"),
    ("CMS_TRUSTED_PROXIES", ["10.0.0.1", "10.0.0.0/40"], 'CMS_TRUSTED_PROXIES: "10.0.0.0/40" is neither an address'),
    ("CMS_TRUSTED_PROXIES", ["UNIX"], 'CMS_TRUSTED_PROXIES: "UNIX" is neither an address'),
    *[
        ("CMS_CACHE_URL", url, "CMS_CACHE_URL has to begin with redis://, rediss:// or unix://.")
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
    assert "sec" not in message.msg + message.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("CMS_AVATAR_MAX_BYTES", value) for value in (1000, 2**26)],
        *[("CMS_AVATAR_MAX_PIXELS", value) for value in (1000, 100_000_000)],
        *[("CMS_AVATAR_SIDE", value) for value in (16, 4096)],
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


WRONG_AT_START = {
    "CMS_TRUSTED_PROXIES": ("10.0.0.1,proxy.example", 'CMS_TRUSTED_PROXIES: "proxy.example" is neither'),
    "CMS_CACHE_URL": ("http://cache", "CMS_CACHE_URL has to begin with redis://"),
    "CMS_LOCKOUT": ("perhaps", "CMS_LOCKOUT"),
}


@pytest.mark.parametrize("name", WRONG_AT_START)
def test_the_server_does_not_start_with_a_wrong_setting_and_says_why_in_a_line(installation, tmp_path, name):
    value, said = WRONG_AT_START[name]
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "-c", "python:cms_api.server", "--pid", tmp_path / "pid", "cms_api.wsgi"],
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
