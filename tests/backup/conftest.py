"""What backups are made of."""

import pytest


@pytest.fixture(autouse=True)
def media(media_folder):
    """Folders of files for the test alone: a backup holds whatever is there."""
