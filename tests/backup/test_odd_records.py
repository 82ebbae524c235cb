"""Whatever the API takes survives the way through a backup and a site file to another engine, and back."""

import io
import json
import random

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app.models import Channel
from cms_api.backup import restoring
from contents.models import Content, ContentGroup, ContentTag, CustomField
from tests.backup.places import ENGINES, place
from tests.factories import ChannelFactory
from tests.odd_texts import CHANNELS, CONTENTS, USERS
from tests.transfer.site_files import bring_in


def state_of(site_id):
    """Return the visible values of a site, without its ids."""
    return {
        "groups": sorted(ContentGroup.objects.filter(site=site_id).values_list("group_name", flat=True)),
        "tags": sorted(ContentTag.objects.filter(site=site_id).values_list("tag_name", flat=True)),
        "fields": sorted(CustomField.objects.filter(site=site_id).values_list("name", "folded_name")),
        "channels": sorted(
            Channel.objects.filter(site=site_id, parent__isnull=False).values_list(
                *("channel_name", "index_name", "group_name_collection", "file_path", "description")
            )
        ),
        "contents": sorted(
            [*row[:-1], json.dumps(json.loads(row[-1]), sort_keys=True)]
            for row in Content.objects.filter(site=site_id).values_list(
                *("title", "group_name_collection", "tags", "summary", "author", "settings_xml")
            )
        ),
    }


class Silence:
    """No progress."""

    def begin(self, *_):
        """Nothing."""

    advance = end = begin


@pytest.mark.django_db(transaction=True)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(USERS, max_size=4), st.lists(CHANNELS, max_size=4), st.lists(CONTENTS, min_size=2, max_size=8))
def test_what_the_api_takes_can_be_exported_and_imported(api, tmp_path_factory, users, channels, contents):
    folder, news = tmp_path_factory.mktemp("odd"), ChannelFactory()
    for path, records in (
        ("users", users),
        (f"channels/{news.site_id}", channels),
        (f"contents/{news.site_id}/{news.pk}", contents),
    ):
        for record in records:
            assert api.post(f"/api/v1/{path}", record).status_code in {200, 400}
    call_command("export_site", str(news.site_id), str(folder / "site.tar"), quiet=True, stdout=io.StringIO())
    told, _errors = bring_in(folder / "site.tar", "--site-dir", f"copy{news.pk}")
    assert state_of(int(told["siteId"])) == state_of(news.site_id)

    call_command("backup", str(folder / "all.tar"), quiet=True, stdout=io.StringIO())
    with (folder / "all.tar").open("rb") as file:
        restoring.check(file, Silence(), vendor="postgresql")


@pytest.mark.large
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("other", ENGINES)
def test_what_the_api_takes_survives_the_way_to_another_engine(tmp_path, engine, other):
    number = random.randrange(2**30)
    with place(tmp_path / "source", engine) as source, place(tmp_path / "target", other) as target:
        taken = source.script("odd", number)
        assert min(taken.values()) > 15, (number, taken)
        source.manage("backup", tmp_path / "all.tar")
        verified = source.manage("verify_backup", tmp_path / "all.tar")
        assert verified.endswith("differences=0"), (number, verified)
        target.manage("restore", tmp_path / "all.tar")
        assert target.rows() == source.rows(), number

        source.manage("export_site", 1, tmp_path / "site.tar")
        assert "differences=0" in source.manage("verify_backup", tmp_path / "site.tar"), number
        target.manage("import_site", tmp_path / "site.tar", "--site-dir", "copy")
        assert target.manage("check_lists") == "The lists are correct."
        assert target.manage("check_accounts") == "The names of the accounts are correct."
