"""The documented production set-up: `check --deploy` is clean, and cookies bind themselves to the host."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOW = """
import django; django.setup()
from django.conf import settings as s
from django.core.management import call_command
call_command("collectstatic", interactive=False, verbosity=0)
call_command("check", deploy=True, fail_level="WARNING")
print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.LANGUAGE_COOKIE_NAME)
print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.LANGUAGE_COOKIE_SECURE, s.SESSION_COOKIE_AGE)
"""


@pytest.mark.large
def test_the_deployment_check_finds_nothing_and_cookies_bind_themselves_to_the_host(tmp_path):
    secure = {
        "CMS_DATA_DIR": str(tmp_path),
        "CMS_SECURE": "true",
        "CMS_TRUSTED_PROXIES": "127.0.0.1",
        "CMS_ALLOWED_HOSTS": "cms.example.org",
        "CMS_SESSION_MINUTES": "15",
        "DJANGO_SETTINGS_MODULE": "cms_api.settings",
    }
    command = [sys.executable, "-W", "error", "-c", SHOW]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | secure, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    checked, names, values = done.stdout.splitlines()
    assert "no issues" in checked
    assert names == "__Host-cms_session __Host-cms_csrf __Host-cms_language"
    assert values == "True True True 900"
