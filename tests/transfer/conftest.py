"""What the tests of imports and exports share."""

import pytest


@pytest.fixture
def museum(media_folder):
    """A site with some of everything. Only for tests with transactions of their own."""
    # Imported here and below, since Django is not set up while this module is loaded.
    from tests.transfer.site_files import make_site

    return make_site()


@pytest.fixture
def site_file(museum, tmp_path):
    """The file of that site."""
    from tests.transfer.site_files import export

    made = tmp_path / "museum.tar"
    export(museum, made)
    return made
