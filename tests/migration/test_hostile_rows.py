"""Damaged rows end up in the report; everything else comes along."""

import pytest

from channels_app.models import Channel
from channels_app.tree_fields import Survey
from contents.models import Content
from migration.sources.source import SourceError
from sites.models import Site


def row(tables, table, pk):
    return next(row for row in tables[table] if row["Id"] == pk)


@pytest.mark.parametrize(
    ("column", "value", "finding"),
    [
        ("Title", "", "A content had no title; it got its number as title."),
        ("Title", "长" * 300, "A text was too long and has been cut; the whole is kept as a custom field."),
        ("Title", "nul\0and \ud800", "A text had characters that databases cannot store; they were removed."),
        ("SettingsXml", '{"a": [1, }', "Settings cannot be read and were left out."),
        ("SettingsXml", '{"a": ' + "[" * 5000 + "]" * 5000 + "}", "Settings cannot be read and were left out."),
        ("LastEditDate", "yesterday", "A date cannot be read and was left out."),
        ("Tags", ",".join(f"tag{number}" * 20 for number in range(100)), None),
        ("ReferenceId", 4711, "A content refers to one that does not exist; it refers to none now."),
    ],
)
def test_a_damaged_content_comes_along_with_a_finding(moved, small, column, value, finding):
    row(small, "siteserver_Content_1", 1)[column] = value
    report = moved(small)
    found = Content.objects.get(pk=1)
    assert found.title and len(found.title) <= 255 and len(found.tags) <= 2000
    if finding:
        assert report.findings[finding].count == 1
    assert Content.objects.count() == 8


def test_numbers_flags_and_dates_of_any_form(moved, small):
    damaged = {"Hits": -5, "HitsByDay": "many", "IsTop": "yes", "IsHot": True, "AddDate": "0000-00-00 00:00:00"}
    row(small, "siteserver_Content_1", 1).update(damaged)
    moved(small)
    found = Content.objects.get(pk=1)
    assert (found.hits, found.hits_by_day, found.is_top, found.is_hot) == (0, 0, False, True)
    assert str(found.add_date) == "2019-03-03 10:20:30"


def test_channels_in_a_cycle_and_without_parent_are_below_the_home_channel(moved, small):
    row(small, "siteserver_Channel", 37)["ParentId"] = 38
    row(small, "siteserver_Channel", 2)["ParentId"] = 4711
    report = moved(small)
    assert set(Channel.objects.filter(pk__in=[2, 37]).values_list("parent_id", flat=True)) == {1, 36}
    assert Channel.objects.get(pk=38).parent_id == 37
    assert not Survey(1).problems and not Survey(36).problems
    assert report.findings["A channel had no way up to the home channel; it is directly below it now."].count == 2


def test_a_site_without_home_channel_gets_one(moved, small):
    small["siteserver_Channel"].remove(row(small, "siteserver_Channel", 36))
    moved(small)
    assert Channel.objects.get(pk=36).parent_id is None
    assert Channel.objects.get(pk=37).parent_id == 36


def test_folders_that_cannot_be_ours_are_replaced(moved, small):
    row(small, "siteserver_Site", 36)["SiteDir"] = "api"
    report = moved(small)
    assert Site.objects.get(pk=36).site_dir == "site-36"
    assert report.explains("siteserver_Site 36")


def test_a_site_that_is_here_already_is_refused_and_nothing_changes(moved, small):
    moved(small, site_ids=frozenset({36}))
    Site.objects.filter(pk=36).update(site_name="Ours")
    from migration.models import MigratedRecord

    MigratedRecord.objects.all().delete()
    with pytest.raises(SourceError, match="Site 36 here is Ours"):
        moved(small)
    assert Site.objects.count() == 1


def test_the_database_of_version_5_and_others_are_refused(moved):
    with pytest.raises(SourceError, match="SiteServer 5 or older"):
        moved({"siteserver_PublishmentSystem": [{"Id": 1}]})
    with pytest.raises(SourceError, match="no table siteserver_Site"):
        moved({"other": [{"Id": 1}]})
