"""Further runs bring what has changed in the source, and leave what was changed here."""

import pytest

from channels_app.models import Channel
from channels_app.services import trash_channel
from contents.models import Content, ContentBody, CustomField
from contents.services.single import trash_contents
from contents.services.trash import purge_channel, restore_contents
from contents.storing.locking import Seen
from migration.references import References
from migration.report import Outcome
from sites.models import Site


@pytest.fixture
def second(moved, small):
    """Migrates, changes the rows by a function, migrates again, and returns the second report."""

    def run(change):
        moved(small)
        change(small)
        return moved(small)

    return run


def row(tables, table, pk):
    return next(row for row in tables[table] if row["Id"] == pk)


def content(title):
    return Content.objects.get(title=title)


def is_right(report):
    return all(each["is_right"] for each in report.checks)


def test_an_unchanged_source_changes_nothing(second):
    versions = {}
    report = second(lambda tables: versions.update(Content.objects.values_list("pk", "version")))
    assert dict(Content.objects.values_list("pk", "version")) == versions
    assert report.outcomes["contents"][Outcome.UNCHANGED] == len(versions)
    assert not report.outcomes["contents"][Outcome.UPDATED] and not report.outcomes["channels"][Outcome.UPDATED]
    assert is_right(report)


def test_a_changed_content_is_updated_under_its_id(second):
    def change(tables):
        found = row(tables, "siteserver_Content_36", 1)
        found |= {"Title": "新标题", "Content": "<p>新正文</p>", "ChannelId": 38, "Hits": 5, "Region": "华南"}

    pk_before = None

    def remember_and_change(tables):
        nonlocal pk_before
        pk_before = content("同号的另一篇").pk
        change(tables)

    report = second(remember_and_change)
    found = content("新标题")
    assert (found.pk, found.channel_id, found.hits, found.version) == (pk_before, 38, 5, 2)
    assert ContentBody.objects.get(pk=found.pk).text == "<p>新正文</p>"
    assert '"region":"华南"' in found.settings_xml
    assert report.outcomes["contents"][Outcome.UPDATED] == 1
    assert is_right(report)


def test_a_new_content_a_new_channel_and_a_new_site_come_along(second):
    def change(tables):
        tables["siteserver_Content_1"].append(row(tables, "siteserver_Content_1", 1) | {"Id": 8, "ChannelId": 50})
        tables["siteserver_Channel"].append(
            row(tables, "siteserver_Channel", 3) | {"Id": 50, "ParentId": 2, "IndexName": "", "Taxis": 3}
        )
        row(tables, "siteserver_Channel", 3)["Taxis"] = 4

    report = second(change)
    assert Content.objects.get(pk=8).channel_id == 50
    order = Channel.objects.filter(site_id=1).order_by("taxis").values_list("pk", flat=True)
    assert list(order) == [1, 2, 50, 3]
    assert Channel.objects.get(pk=50).parents_path == "1,2"
    assert is_right(report)


def test_what_the_source_has_no_more_goes_to_the_trash_and_comes_back(moved, small):
    moved(small)
    gone = row(small, "siteserver_Content_1", 2)
    small["siteserver_Content_1"].remove(gone)
    report = moved(small)
    assert content("置顶：搬迁公告").trashed_at
    assert report.outcomes["contents"][Outcome.DELETED] == 1
    small["siteserver_Content_1"].append(gone)
    moved(small)
    assert content("置顶：搬迁公告").trashed_at is None


def test_a_channel_that_the_source_deleted_goes_to_the_trash_with_its_contents(second):
    def change(tables):
        tables["siteserver_Channel"].remove(row(tables, "siteserver_Channel", 38))

    report = second(change)
    assert is_right(report)
    assert Channel.objects.get(pk=38).trashed_at
    assert content("潮汐“早报”").trashed_at
    assert report.outcomes["channels"][Outcome.DELETED] == 1


def test_what_is_in_the_trash_and_vanishes_from_the_source_is_forgotten(moved, small):
    moved(small)
    in_trash = row(small, "siteserver_Content_1", 3)
    assert in_trash["ChannelId"] < 0
    small["siteserver_Content_1"].remove(in_trash)
    here = row(small, "siteserver_Content_36", 2)
    pk = content(here["Title"]).pk
    trash_contents([Seen(36, pk)])
    small["siteserver_Content_36"].remove(here)
    report = moved(small)
    assert is_right(report)
    assert report.outcomes["contents"][Outcome.DELETED] == 2
    again = moved(small)
    assert is_right(again)
    assert not again.outcomes["contents"][Outcome.DELETED]
    small["siteserver_Content_1"].append(in_trash | {"ChannelId": 2})
    small["siteserver_Content_36"].append(here)
    report = moved(small)
    assert is_right(report)
    assert content(in_trash["Title"]).trashed_at is None
    assert Content.objects.get(pk=pk).trashed_at  # by people here


def test_a_content_that_was_taken_out_of_the_trash_here_stays(moved, small):
    moved(small)
    small["siteserver_Content_1"].remove(row(small, "siteserver_Content_1", 2))
    moved(small)
    restore_contents([Seen(1, 2)])
    report = moved(small)
    assert is_right(report)
    assert Content.objects.get(pk=2).trashed_at is None


def test_a_channel_that_the_source_deleted_takes_what_was_in_its_trash_along(second):
    def change(tables):
        tables["siteserver_Channel"].remove(row(tables, "siteserver_Channel", 2))

    report = second(change)
    assert is_right(report)
    assert report.outcomes["contents"][Outcome.DELETED] == 3
    assert content("已删除的稿件").trashed_at


def test_a_content_that_was_changed_here_stays(moved, small):
    moved(small)
    Content.objects.filter(pk=1).update(title="Changed here", version=2)
    row(small, "siteserver_Content_1", 1)["Title"] = "Changed there"
    report = moved(small)
    assert Content.objects.get(pk=1).title == "Changed here"
    assert report.explains("siteserver_content_1 1")
    assert is_right(report)


def test_settings_and_kinds_of_fields_follow_the_source(second):
    def change(tables):
        row(tables, "siteserver_Site", 36)["SettingsXml"] = '{"checkContentLevel":3}'
        row(tables, "siteserver_TableStyle", 1)["DisplayName"] = "产地"

    second(change)
    assert Site.objects.get(pk=36).settings["checkContentLevel"] == 3
    # Editors may have described the field here since.
    assert CustomField.objects.get(site_id=36, folded_name="region").label == "地区"


def test_only_the_chosen_sites_come_and_the_others_may_follow(moved, small):
    report = moved(small, site_ids=frozenset({36}))
    assert list(Site.objects.values_list("pk", flat=True)) == [36]
    assert content("同号的另一篇").pk == 1  # no other content has it yet
    assert is_right(report)
    report = moved(small)
    assert Site.objects.count() == 2
    assert content("年度报告").pk > 7
    assert is_right(report)


def test_a_run_for_one_site_leaves_the_others(moved, small):
    moved(small)
    assert is_right(moved(small, site_ids=frozenset({36})))
    assert not Content.objects.filter(site_id=1, trashed_at__isnull=False).exclude(title="已删除的稿件").exists()
    report = moved(small)
    assert not report.outcomes["contents"][Outcome.UPDATED]


def test_references_that_an_interrupted_run_did_not_reach_are_made_later(moved, small, monkeypatch):
    monkeypatch.setattr(References, "resolve", lambda self: None)
    moved(small)
    assert content("引用国内稿件").reference_id == 0
    monkeypatch.undo()
    moved(small)
    assert content("引用国内稿件").reference_id == content("同号的另一篇").pk


def test_what_was_deleted_here_for_good_stays_deleted(moved, small):
    moved(small)
    trash_channel(36, 38)
    purge_channel(36, 38)
    report = moved(small)
    assert not Channel.objects.filter(pk=38).exists()
    assert report.explains("siteserver_Channel 38")
    assert is_right(report)
