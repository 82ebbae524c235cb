"""What the tests of imports and exports share."""

import pytest

from cms_api.lib.media_storage import read_storage


@pytest.fixture
def media_folder(settings, tmp_path_factory):
    """The folder of the media, which is that of the test alone."""
    folder = tmp_path_factory.mktemp("media")
    settings.STORAGES = settings.STORAGES | {"default": read_storage("", folder)}
    return folder


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
