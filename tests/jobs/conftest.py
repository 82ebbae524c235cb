"""Who asks for jobs."""

import pytest

from tests.factories import AdministratorFactory


@pytest.fixture
def administrator():
    return AdministratorFactory(user_name="harriet")
