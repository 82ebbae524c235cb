"""What is so already is told apart: an undo must not take back what somebody else has done meanwhile."""

import pytest

from contents.services.labels import add_names, remove_names
from contents.services.single import set_flag
from contents.storing.locking import Seen
from tests.factories import ContentFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "again",
    [
        lambda seen: set_flag(seen, "is_top", True, "ann"),
        lambda seen: add_names(seen, "group_name_collection", ["News"], "ann"),
        lambda seen: remove_names(seen, "tags", ["quays"], "ann"),
    ],
)
def test_only_what_was_changed_is_told(again):
    contents = [
        ContentFactory(is_top=True, group_name_collection="News"),
        ContentFactory(is_top=False, tags="quays"),
    ]
    results = again([Seen(content.site_id, content.pk) for content in contents])
    assert [result and (result.pk, result.version) for result in results] == [None, (contents[1].pk, 2)]
