from uuid import uuid4

import pytest

from tests.admin.conftest import highest

__all__ = ["highest"]


@pytest.fixture(autouse=True)
def counts_of_the_test(monkeypatch):
    """Redis keeps counts beyond a test, for forms that tests share."""
    number = uuid4()
    monkeypatch.setattr("forms.receiving._name", lambda form: f"{number} {form.pk}")
