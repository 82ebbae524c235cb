"""What backups are made of."""

import pytest

from core.lib.media_storage import read_storage


@pytest.fixture(autouse=True)
def media(settings, tmp_path_factory):
    """A folder of media for the test alone: a backup holds whatever is there."""
    settings.STORAGES = settings.STORAGES | {"default": read_storage("", tmp_path_factory.mktemp("media"))}
