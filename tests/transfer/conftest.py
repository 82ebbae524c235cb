"""What the tests of imports and exports share."""

import pytest

from core.jobs import running
from tests.factories import AdministratorFactory
from tests.transfer.wizard import browser_of


@pytest.fixture
def museum(media_folder):
    """A site with some of everything. Only for tests with transactions of their own."""
    # Imported here and below, since Django is not set up while this module is loaded.
    from tests.transfer.site_files import make_site

    return make_site()


@pytest.fixture
def site_file(museum, tmp_path):
    """The file of that site, with the entries of its forms."""
    from tests.transfer.site_files import export

    made = tmp_path / "museum.tar"
    export(museum, made, "--with-entries")
    return made


@pytest.fixture
def one_at_a_time(settings, tmp_path, monkeypatch):
    """Jobs wait until the test does them."""
    settings.CMS_JOBS_AT_ONCE = 1
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(running, "start_waiting", lambda: None)


@pytest.fixture
def highest(db):
    return browser_of(AdministratorFactory(user_name="harriet"))
