"""The test run itself: what it must not touch."""

import os
from pathlib import Path

from django.db import connection


def test_the_data_folder_belongs_to_this_process_of_the_run(settings):
    assert Path(os.environ["CMS_DATA_DIR"]).resolve() == settings.DATA_DIR
    assert settings.DATA_DIR.name.startswith("cms-tests-")
    assert settings.BASE_DIR not in settings.DATA_DIR.parents


def test_the_database_is_a_test_database(db):
    assert "test" in Path(str(connection.settings_dict["NAME"])).name
