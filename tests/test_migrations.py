"""Models and migrations say the same."""

from io import StringIO

import pytest
from django.core.management import call_command


@pytest.mark.django_db
def test_no_migration_is_missing():
    out = StringIO()
    call_command("makemigrations", "--check", "--dry-run", stdout=out)
    assert out.getvalue().strip() == "No changes detected"


@pytest.mark.django_db
def test_every_migration_is_applied():
    out = StringIO()
    call_command("showmigrations", "--plan", stdout=out)
    assert "[ ]" not in out.getvalue()
