"""Damaged rows end up in the report; everything else comes along."""

import json
from datetime import datetime

import pytest

from accounts.models import Administrator, User, UserLog
from channels_app.models import Channel
from channels_app.tree import read_tree
from channels_app.tree_fields import Survey
from contents.models import Content
from contents.navigation.page_urls import read_addresses
from migration.contents import ContentsMigration
from migration.report import Outcome
from migration.sources.source import SourceError
from sites.models import Site
from tests.cases import each_once


def row(tables, table, pk):
    return next(row for row in tables[table] if row["Id"] == pk)


def check(report, name):
    return next(each for each in report.checks if each["name"] == name)


def wrong(report):
    return [each for each in report.checks if not each["is_right"]]


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


LEFT_OUT_WITHOUT_SITE = "A content of no site that is here was left out."


@pytest.mark.parametrize("missing", [None, 0, -1, ""])
def test_a_content_without_site_is_of_the_site_of_its_channel(moved, small, missing):
    row(small, "siteserver_Content_1", 1)["SiteId"] = missing
    row(small, "siteserver_Content_36", 1)["SiteId"] = missing
    report = moved(small)
    assert Content.objects.get(pk=1).site_id == 1
    assert Content.objects.count() == 8 and LEFT_OUT_WITHOUT_SITE not in report.findings
    assert not wrong(report)


@pytest.mark.parametrize(
    "place", [{"SiteId": 4711}, {"SiteId": None, "ChannelId": 4711}, {"SiteId": 0, "ChannelId": 0}]
)
def test_a_content_of_no_site_is_left_out_with_a_finding(moved, small, place):
    row(small, "siteserver_Content_1", 1).update(place)
    report = moved(small)
    assert report.findings[LEFT_OUT_WITHOUT_SITE].places == ["siteserver_content_1 1"]
    assert (report.outcomes["contents"][Outcome.NEW], report.outcomes["contents"][Outcome.LEFT_OUT]) == (7, 3)
    assert check(report, "contents: rows")["expected"] == 10
    assert not wrong(report)


def test_contents_of_other_sites_are_not_read(moved, small):
    row(small, "siteserver_Content_1", 1)["SiteId"] = None
    row(small, "siteserver_Content_36", 1)["SiteId"] = None
    report = moved(small, site_ids=frozenset({36}))
    assert Content.objects.get(title="同号的另一篇").site_id == 36
    assert report.findings[LEFT_OUT_WITHOUT_SITE].places == ["siteserver_content_1 1"]  # maybe of one of these sites
    assert not wrong(report)


def test_the_verification_finds_rows_that_were_lost(moved, small, monkeypatch):
    known = ContentsMigration._is_wanted
    lossy = lambda self, table, row, seen: row["id"] != 2 and known(self, table, row, seen)  # noqa: E731
    monkeypatch.setattr(ContentsMigration, "_is_wanted", lossy)
    found = check(moved(small), "contents: rows")
    assert (found["expected"], found["found"], found["is_right"]) == (10, 8, False)


def test_a_channel_without_site_is_of_the_site_above_it(moved, small):
    for pk in (1, 2, 38):
        row(small, "siteserver_Channel", pk)["SiteId"] = None
    report = moved(small)
    assert dict(Channel.objects.values_list("pk", "site_id")) == {1: 1, 2: 1, 3: 1, 36: 36, 37: 36, 38: 36}
    assert Content.objects.count() == 8 and not wrong(report)


def test_a_channel_of_no_site_is_left_out_with_its_contents(moved, small):
    row(small, "siteserver_Channel", 38)["SiteId"] = 4711
    row(small, "siteserver_Channel", 3).update({"SiteId": 0, "ParentId": 4711})
    report = moved(small)
    told = "A channel of no site that is here was left out."
    assert report.findings[told].places == ["siteserver_Channel 3", "siteserver_Channel 38"]
    assert (report.outcomes["channels"][Outcome.NEW], report.outcomes["channels"][Outcome.LEFT_OUT]) == (4, 2)
    assert report.outcomes["contents"][Outcome.LEFT_OUT] == 6
    assert not wrong(report)


NEVER = [None, "0000-00-00 00:00:00", "1754-01-01 00:00:00", "0001-01-01 00:00:00", "yesterday"]


@pytest.mark.parametrize("never", NEVER)
def test_records_without_a_date_get_an_old_one(moved, small, never):
    row(small, "siteserver_Content_36", 1).update({"AddDate": never, "LastEditDate": never})
    row(small, "siteserver_Channel", 37).update({"AddDate": never, "ContentFilePathRule": "/{@year}/{@contentId}.html"})
    row(small, "siteserver_Administrator", 1).update({"CreationDate": never, "LastActivityDate": never})
    row(small, "siteserver_User", 1).update({"CreateDate": never, "LastActivityDate": never})
    row(small, "siteserver_UserLog", 1)["AddDate"] = never
    report = moved(small)
    found = Content.objects.get(title="同号的另一篇")
    user, administrator = User.objects.get(), Administrator.objects.get(pk=1)
    dates = {found.add_date, found.last_edit_date, Channel.objects.get(pk=37).add_date, user.create_date}
    dates |= {administrator.creation_date, UserLog.objects.get().add_date}
    assert dates == {datetime(1970, 1, 1)}
    assert user.last_activity_date is None and administrator.last_activity_date is None
    assert read_addresses(36, {found.pk})[found.pk] == f"/news/1970/{found.pk}.html"
    for told, place in [
        ("A content had no date; it got 1970-01-01.", "siteserver_content_36 1: addDate, lastEditDate"),
        ("A channel had no date; it got 1970-01-01.", "siteserver_Channel 37"),
        ("An account had no date of creation; it got 1970-01-01.", "siteserver_administrator 1"),
        ("An account had no date of creation; it got 1970-01-01.", "siteserver_user 1"),
        ("An entry of the user log had no date; it got 1970-01-01.", "siteserver_UserLog 1"),
    ]:
        assert place in report.findings[told].places
    assert not wrong(report)


def test_a_content_with_one_date_gets_it_as_the_other(moved, small):
    row(small, "siteserver_Content_1", 1)["LastEditDate"] = None
    report = moved(small)
    found = Content.objects.get(pk=1)
    assert str(found.add_date) == str(found.last_edit_date) == "2019-03-02 10:20:30"
    told = "A content lacked one of its two dates; it got the other one."
    assert "siteserver_content_1 1: lastEditDate" in report.findings[told].places


@pytest.mark.parametrize(("name", "value"), [("n" * 300, "1"), ("large", "x" * 300_000), ("Large", "长" * 100_000)])
def test_a_custom_field_that_cannot_be_stored_is_named_and_the_others_stay(moved, small, name, value):
    row(small, "siteserver_Content_36", 2)["SettingsXml"] = json.dumps({"venue": "Pier", name: value, "hall": "4"})
    row(small, "siteserver_Content_36", 2)["Region"] = "华东"
    report = moved(small)
    settings = json.loads(Content.objects.get(title="潮汐“早报”").settings_xml)
    assert settings == {"downloads": "0", "region": "华东", "price": "12.50", "venue": "Pier", "hall": "4"}
    [place] = report.findings["A custom field of a content cannot be stored and was left out."].places
    assert place.startswith(f"siteserver_content_36 2: {name[:40]}: ")
    assert not wrong(report)


def test_of_too_many_custom_fields_the_last_ones_are_left_out(moved, small):
    written = {f"field{number}": "1" for number in range(501)}
    row(small, "siteserver_Content_1", 2)["SettingsXml"] = json.dumps(written)
    report = moved(small)
    assert len(json.loads(Content.objects.get(pk=2).settings_xml)) == 500
    assert report.findings["A custom field of a content cannot be stored and was left out."].count >= 1


@each_once(
    (
        ("table", "column", "pk"),
        [
            ("siteserver_Site", "SettingsXml", 36),
            ("siteserver_Channel", "ExtendValues", 37),
            ("siteserver_Content_1", "SettingsXml", 1),
            ("siteserver_User", "SettingsXml", 1),
        ],
    ),
    ("value", ['{"a":1,', '<Attributes a="1"><b>', "['a']"]),
)
def test_settings_that_are_cut_off_are_reported(moved, small, table, column, pk, value):
    row(small, table, pk)[column] = value
    [place] = moved(small).findings["Settings cannot be read and were left out."].places
    assert place.casefold().startswith(f"{table} {pk}: ".casefold())


def test_settings_with_a_bad_character_lose_it_alone(moved, small):
    row(small, "siteserver_Site", 36)["SettingsXml"] = '{"checkContentLevel":3,"copyright":"a\\u0000b","bad":"\\ud800"}'
    report = moved(small)
    settings = Site.objects.get(pk=36).settings
    assert (settings["checkContentLevel"], settings["copyright"], settings["bad"]) == (3, "ab", "")
    assert report.explains("siteserver_Site 36")


def test_addresses_that_run_scripts_are_kept_and_reported(moved, small):
    row(small, "siteserver_Content_1", 1).update({"LinkUrl": "javascript:void(0)", "ImageUrl": "data:text/html,x"})
    row(small, "siteserver_Channel", 37).update({"LinkUrl": "javascript:alert(1)", "ImageUrl": "vbscript:x"})
    report = moved(small)
    assert Content.objects.get(pk=1).link_url == "javascript:void(0)"
    told = "An address has a scheme that runs scripts, such as javascript:; it is kept, but pages do not run it."
    assert set(report.findings[told].places) == {
        "siteserver_content_1 1: linkUrl javascript:void(0)",
        "siteserver_content_1 1: imageUrl data:text/html,x",
        "siteserver_Channel 37: linkUrl javascript:alert(1)",
        "siteserver_Channel 37: imageUrl vbscript:x",
    }
    assert not wrong(report)


@pytest.mark.parametrize("path", ["../../etc/passwd", "..\\..\\x.html", "@/../x.html", "/a<b>.html", "/a\x01.html"])
def test_a_channel_with_an_impossible_path_follows_the_rules(moved, small, path):
    paths = {
        "FilePath": path,
        "ChannelFilePathRule": f"/{path}/{{@channelId}}.html",
        "ContentFilePathRule": f"/{path}/x",
    }
    row(small, "siteserver_Channel", 37).update(paths)
    report = moved(small)
    assert read_tree(36).channels[37]["navigationUrl"] == "/news/channels/37.html"
    assert read_tree(36).channels[38]["navigationUrl"] == "/news/finance/index.html"
    found = Content.objects.get(title="同号的另一篇")
    assert read_addresses(36, {found.pk})[found.pk] == f"/news/contents/37/{found.pk}.html"
    for name in ("filePath", "channelFilePathRule", "contentFilePathRule"):
        told = f"The {name} of a channel is impossible here; the channel follows the rule above it."
        assert report.findings[told].places[0].startswith("siteserver_Channel 37: ")


def test_a_name_that_the_api_refuses_is_kept_and_reported(moved, small):
    row(small, "siteserver_User", 1)["UserName"] = 'a,b"c<d>'
    report = moved(small)
    assert User.objects.get().user_name == 'a,b"c<d>'
    told = "The name of an account has letters that new names may not have; it was kept."
    assert report.findings[told].places == ['siteserver_user 1: a,b"c<d>']


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
