"""A small installation whose two sites number their contents alike."""

import pytest
from django.db.models import F

from channels_app.models import Channel
from contents.models import Content, ContentBody, ContentGroup, ContentTag, CustomField, LastTaxis
from migration.models import MigratedRecord
from migration.report import Outcome
from sites.models import FieldDefinition, Site


@pytest.fixture
def report(moved, small):
    return moved(small)


def content(title):
    return Content.objects.get(title=title)


def test_sites_keep_their_ids_settings_and_groups(report):
    root, news = Site.objects.order_by("pk")
    assert (root.pk, root.site_name, root.is_root, root.settings["checkContentLevel"]) == (1, "总站", True, 2)
    assert (news.pk, news.site_dir, news.settings["copyright"]) == (36, "news", "甲&乙")
    assert news.settings["checkContentLevel"] == 1
    groups = ContentGroup.objects.values_list("site_id", "group_name", "description")
    assert set(groups) == {(1, "推荐", "首页推荐"), (36, "专题", "")}


def test_tags_without_contents_come_along(report):
    assert ContentTag.objects.filter(site_id=36, tag_name="潮汐").exists()


def test_channels_keep_their_ids_and_places(report):
    rows = Channel.objects.filter(site_id=36).order_by("taxis").values_list("pk", "parent_id", "parents_path", "taxis")
    assert list(rows) == [(36, None, "", 1), (37, 36, "36", 2), (38, 37, "36,37", 3)]
    assert Channel.objects.get(pk=2).group_name_collection == "导航,首页栏目"


def test_the_second_channel_with_an_index_name_loses_it(report):
    assert Channel.objects.get(pk=37).index_name == "cn"
    assert Channel.objects.get(pk=38).index_name == ""
    assert report.explains("siteserver_Channel 38")


def test_a_content_has_all_that_its_row_has(report):
    found = content("年度报告")
    assert (found.pk, found.channel_id, found.hits, found.tags) == (1, 2, 31, "年报,华东 地区")
    assert str(found.last_hits_date) == "2020-05-30 12:00:00"
    assert ContentBody.objects.get(pk=1).text == '<p><img src="@/upload/images/2019/3/1.jpg"></p>'
    assert '"downloads":"4"' in found.settings_xml
    assert '"titleFormatString":"True_False_False_#f00"' in found.settings_xml


def test_the_smaller_table_gets_new_ids_where_the_larger_one_has_them(report):
    assert content("同号的另一篇").pk > 7
    assert content("年代不明").pk == 6
    assert not report.explains("siteserver_content_36 1")
    changed = MigratedRecord.objects.filter(channel_id__isnull=False).exclude(target_id=F("source_id"))
    assert set(changed.values_list("source_table", "channel_id", "source_id")) == {
        ("siteserver_content_36", 37, 1),
        ("siteserver_content_36", 38, 2),
        ("siteserver_content_36", 38, 3),
    }


def test_a_reference_leads_to_the_content_of_its_own_table(report):
    assert content("引用国内稿件").reference_id == content("同号的另一篇").pk


def test_trash_previews_and_orphans(report):
    assert content("已删除的稿件").trashed_at
    assert not Content.objects.filter(title__in=["预览稿", "栏目已删除"]).exists()
    assert report.outcomes["contents"][Outcome.LEFT_OUT] == 2


def test_custom_columns_become_custom_fields_with_their_kinds(report):
    assert '"region":"华东"' in content("同号的另一篇").settings_xml
    field = CustomField.objects.get(site_id=36, folded_name="region")
    assert (field.label, field.kind, field.choices) == ("地区", "choice", "华东\n华南")
    assert FieldDefinition.objects.get(site_id=36, name="region").kind == "SelectOne"


def test_a_content_without_values_has_empty_ones(report):
    found = content("年代不明")
    assert (found.is_checked, found.summary, found.link_url) == (False, "", "")
    assert str(found.add_date) == "2019-03-03 10:20:30"  # of its last edit


def test_new_contents_are_ordered_after_the_old_ones(report):
    assert LastTaxis.objects.get(channel_id=2).taxis == 2_000_000_001


def test_the_verification_finds_no_difference(report):
    assert [each for each in report.checks if not each["is_right"]] == []


def test_tables_that_are_not_used_are_in_the_report_with_their_rows(moved, small):
    small["siteserver_Log"] = [{"Id": 1, "UserName": "admin"}, {"Id": 2, "UserName": "admin"}]
    small["ss_form_entry"] = [{"Id": 1}]
    small["model_Content_Archive"] = small["siteserver_Content_1"][:3]
    small["empty"] = []
    report = moved(small)
    counts = {kind: outcomes[Outcome.LEFT_OUT] for kind, outcomes in report.outcomes.items() if "not used" in kind}
    assert counts == {
        "model_content_archive, not used": 3,
        "siteserver_channelgroup, not used": 1,
        "siteserver_log, not used": 2,
        "siteserver_usermenu, not used": 1,
        "ss_form_entry, not used": 1,
    }
    page = (report.folder / "report.html").read_text()
    assert "ss_form_entry, not used" in page


def test_of_the_one_log_of_version_7_rows_of_administrators_are_not_used(moved, small):
    del small["siteserver_UserLog"]
    small["siteserver_Log"] = [{"Id": 1, "UserId": 1, "AdminId": 0}, {"Id": 2, "UserId": 0, "AdminId": 1}]
    report = moved(small)
    assert report.outcomes["siteserver_log, not used"] == {Outcome.LEFT_OUT: 1}
    assert report.outcomes["entries of the user log"] == {Outcome.NEW: 1}
