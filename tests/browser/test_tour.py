"""The tour in the documents is that of its script (tools/tour)."""

import pytest

from tools.tour.camera import MAX_BYTES, file_names
from tools.tour.day import STOPS
from tools.tour.document import FOLDER, TARGET, document_of


def test_the_document_shows_the_stops():
    assert TARGET.read_text(encoding="utf-8") == document_of(STOPS)


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.name)
def test_a_stop_has_its_pictures(stop):
    sizes = {name: (FOLDER / name).stat().st_size for name in file_names(stop) if (FOLDER / name).is_file()}
    assert set(sizes) == file_names(stop)
    assert max(sizes.values()) <= MAX_BYTES


def test_there_are_no_other_pictures():
    assert {path.name for path in FOLDER.iterdir()} == set().union(*map(file_names, STOPS))
