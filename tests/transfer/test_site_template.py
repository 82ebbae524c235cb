"""Reading site templates: the real ones, old and new element names, folder and zip."""

import zipfile
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tools.site_templates import OLD_SITE, Template, encoded, feed, old_channel, old_content
from transfer.package import GroupRecord, PackageError, SiteRecord
from transfer.site_template import SiteTemplate

REAL_TEMPLATES = Path(__file__).parents[3] / "shared" / "site-templates"
SHANGHAI = ZoneInfo("Asia/Shanghai")

needs_real_templates = pytest.mark.skipif(
    not REAL_TEMPLATES.is_dir(), reason="The real site templates do not lie in ../shared/site-templates."
)


@contextmanager
def opened(path):
    with SiteTemplate(path, SHANGHAI) as template:
        yield template


def read_all(path):
    with opened(path) as template:
        channels = list(template.channels())
        return template.site, channels, [list(template.contents(channel)) for channel in channels]


@needs_real_templates
@pytest.mark.parametrize(
    ("name", "site_name", "site_dir", "channel_count", "content_count"),
    [
        ("T_aeson", "迅驰汽车用品", "Aeson", 35, 76),
        ("T_girish", "Girish", "girish", 21, 71),
        ("T_scevola", "Scevola", "Scevola", 8, 35),
    ],
)
def test_reads_the_real_templates(name, site_name, site_dir, channel_count, content_count):
    site, channels, contents = read_all(REAL_TEMPLATES / name)
    assert (site.site_name, site.site_dir, site.is_root) == (site_name, site_dir, False)
    assert len(channels) == channel_count
    assert sum(map(len, contents)) == content_count
    assert [channel.content_num for channel in channels] == [len(some) for some in contents]
    assert [channel.fields["taxis"] for channel in channels] == list(range(1, channel_count + 1))


@needs_real_templates
def test_reads_every_field_of_a_real_content():
    _, channels, contents = read_all(REAL_TEMPLATES / "T_aeson")
    channel, listed = channels[4], contents[4]
    assert (channel.source_id, channel.position, len(listed)) == (110, (2, 1), 2)
    content = listed[1]
    assert content.source_id == 689
    assert content.origin == "SiteTemplateMetadata/SiteContent/1_2_1.xml, entry 2"
    assert content.fields == {
        "add_user_name": "siteserver",
        "last_edit_user_name": "siteserver",
        "last_edit_date": datetime(2017, 6, 21, 10, 8),
        "taxis": 2,
        "is_checked": True,
        "checked_level": 0,
        "hits": 0,
        "hits_by_day": 0,
        "hits_by_week": 0,
        "hits_by_month": 0,
        "last_hits_date": datetime(2015, 9, 16, 11, 7),
        "title": "迅驰汽车万家通，智慧中国百城秀",
        "is_top": False,
        "add_date": datetime(2017, 6, 19, 8, 39, 22),
        "image_url": "@/upload/images/2017/6/20105022513.png",
    }
    assert content.settings["titleformatstring"] == "False_False_False_"


OLD_NAMES = Template(
    site=OLD_SITE | {"SettingsXml": "pagesize=20&logo=@/logo.png"},
    channels={
        "1": feed(old_channel(7)),
        "1_1": feed(
            old_channel(
                8,
                7,
                NodeIndexName="news",
                NodeGroupNameCollection="nav,foot",
                Content=encoded("<p>News</p>"),
                LinkType="LinkNoRelatedToChannelAndContent",
                AddDate="2017年6月20日",
                ExtendValues="iscontentaddable=False",
            ),
            [
                {
                    "ID": "5",
                    "NodeId": "8",
                    "PublishmentSystemId": "7",
                    "ContentGroupNameCollection": "a,b",
                    "Tags": encoded("x,y"),
                    "IsChecked": "True",
                    "Title": encoded("Title"),
                    "IsTop": "True",
                    "isrecommend": encoded("True"),
                    "ishot": encoded("False"),
                    "iscolor": encoded("True"),
                    "imageurl": encoded("@/a.png"),
                    "content": encoded("<p>Body</p>"),
                    "AddDate": "06/20/2017 10:52:00",
                    "venue": encoded("Pier 2"),
                }
            ],
        ),
    },
)
NEW_NAMES = Template(
    site={
        "Id": "7",
        "SiteName": "Harbour",
        "PublishmentSystemName": "Harbour",
        "SiteDir": "harbour",
        "TableName": "model_Content",
        "IsRoot": "False",
        "SettingsXml": '{"pagesize": 20, "logo": "@/logo.png"}',
    },
    channels={
        "1": feed({"Id": "7", "NodeId": "7", "ChannelName": "Channel 7", "ParentId": "0"}),
        "1_1": feed(
            {
                "Id": "8",
                "ChannelName": "Channel 8",
                "NodeName": "Channel 8",
                "SiteId": "7",
                "ParentId": "7",
                "ParentsPath": "7",
                "ChildrenCount": "0",
                "IndexName": "news",
                "GroupNames": "nav,foot",
                "Content": encoded("<p>News</p>"),
                "LinkType": "None",
                "AddDate": "Tuesday, June 20, 2017",
                "ExtendValues": '{"isContentAddable": false}',
            },
            [
                {
                    "Id": "5",
                    "ChannelId": "8",
                    "SiteId": "7",
                    "GroupNames": "a,b",
                    "TagNames": encoded("x,y"),
                    "Checked": "True",
                    "Title": encoded("Title"),
                    "Top": "True",
                    "Recommend": "True",
                    "Hot": "False",
                    "Color": "True",
                    "ImageUrl": encoded("@/a.png"),
                    "Body": encoded("<p>Body</p>"),
                    "Content": encoded("<p>Body</p>"),
                    "AddDate": "2017-06-20T02:52:00Z",
                    "venue": encoded("Pier 2"),
                }
            ],
        ),
    },
)


@pytest.mark.parametrize("template", [OLD_NAMES, NEW_NAMES], ids=["old names", "new names"])
def test_reads_old_and_new_names_alike(template, tmp_path):
    site, (home, news), (_, (content,)) = read_all(template.write_folder(tmp_path))
    settings = {"pageSize": 20, "logo": "@/logo.png"}
    assert site == SiteRecord("Harbour", "harbour", "model_Content", False, settings)
    assert (home.source_id, home.position, home.fields) == (7, (), {"channel_name": "Channel 7"})
    assert (news.source_id, news.position) == (8, (1,))
    assert news.settings == {"isContentAddable": False}
    assert news.fields == {
        "channel_name": "Channel 8",
        "index_name": "news",
        "group_name_collection": "nav,foot",
        "content": "<p>News</p>",
        "link_type": "None",
        "add_date": datetime(2017, 6, 20),
    }
    assert (content.source_id, content.settings) == (5, {"venue": "Pier 2"})
    assert content.fields == {
        "group_name_collection": "a,b",
        "tags": "x,y",
        "is_checked": True,
        "title": "Title",
        "is_top": True,
        "is_recommend": True,
        "is_hot": False,
        "is_color": True,
        "image_url": "@/a.png",
        "content": "<p>Body</p>",
        "add_date": datetime(2017, 6, 20, 10, 52),
    }


@pytest.mark.parametrize("top", ["", "T_Harbour/", "exports/T_港口/", "T_Harbour\\"])
def test_reads_a_zip_like_the_folder(top, tmp_path):
    beside = {"index.html": "<html></html>", "upload/SiteContent/1.xml": "no XML at all"}
    template = replace(OLD_NAMES, others=beside)
    folder = template.write_folder(tmp_path / "folder" / "T_Harbour")
    zipped = template.write_zip(tmp_path / "harbour.zip", top)

    def without_origin(records):
        return [[(record.source_id, record.fields, record.settings) for record in some] for some in records]

    from_folder, from_zip = read_all(folder), read_all(zipped)
    assert from_zip[0] == from_folder[0]
    assert without_origin(from_zip[2]) == without_origin(from_folder[2])
    assert read_all(folder.parent)[0] == from_folder[0]
    assert read_all(folder)[1] == from_folder[1]


def test_names_of_files_are_compared_without_letter_case(tmp_path):
    path = tmp_path / "harbour.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in Template().files().items():
            archive.writestr(name.lower(), text)
    assert read_all(path)[0].site_name == "Harbour"


def test_channels_come_in_the_order_of_the_tree(tmp_path):
    channels = {
        "1_10": feed(old_channel(20, 7)),
        "1_2_1": feed(old_channel(31, 30)),
        "1_2": feed(old_channel(30, 7)),
        "1_9": feed(old_channel(21, 7)),
        "1_2_10": feed(old_channel(32, 30)),
        "1": feed(old_channel(7)),
    }
    _, records, _ = read_all(Template(channels=channels).write_folder(tmp_path))
    assert [record.source_id for record in records] == [7, 30, 31, 32, 21, 20]
    assert [record.position for record in records] == [(), (2,), (2, 1), (2, 10), (9,), (10,)]


def test_reads_content_groups_that_no_content_has(tmp_path):
    groups = [
        {"IsContentGroup": "True", "ContentGroupName": "Acquisitions", "Description": "What is new"},
        {"IsNodeGroup": "True", "NodeGroupName": "nav"},
    ]
    site, _, _ = read_all(Template(groups=groups).write_folder(tmp_path))
    assert site.content_groups == (GroupRecord("Acquisitions", "What is new"),)


def test_columns_win_over_settings_and_elements_over_settings(tmp_path):
    entry = old_content(1, venue=encoded("Pier 2"), SettingsXml="venue=Pier 1&title=Other&seats=12")
    _, _, ((content,),) = read_all(Template(channels={"1": feed(old_channel(7), [entry])}).write_folder(tmp_path))
    assert content.fields["title"] == "Content 1"
    assert content.settings == {"venue": "Pier 2", "seats": "12"}


def refused(path):
    with pytest.raises(PackageError) as caught:
        read_all(path)
    assert str(caught.value).endswith(".")
    return caught.value


@pytest.mark.parametrize(
    ("channels", "message"),
    [
        (
            {"1": feed(old_channel(7), [old_content(1), old_content(2, Hits="many")])},
            'SiteTemplateMetadata/SiteContent/1.xml, entry 2, element Hits: "many" is not a whole number.',
        ),
        (
            {"1": feed(old_channel(7), [old_content(1, AddDate="soon")])},
            "SiteTemplateMetadata/SiteContent/1.xml, entry 1, element AddDate: "
            '"soon" is not a date in any known format.',
        ),
        (
            {"1": feed(old_channel(7, ExtendValues="iscontentaddable=perhaps"))},
            'SiteTemplateMetadata/SiteContent/1.xml, settings: isContentAddable: "perhaps" is neither True nor False.',
        ),
        (
            {"1": feed(old_channel(7)), "1_1": feed(old_channel(8, 99))},
            "SiteTemplateMetadata/SiteContent/1_1.xml, element ParentId: "
            "The channel names 99 as its parent, but its file name puts it below channel 7.",
        ),
        (
            {"1": feed(old_channel(7)), "1_1_1": feed(old_channel(8, 7))},
            "SiteTemplateMetadata/SiteContent/1_1_1.xml: The package has no file for the parent of this channel.",
        ),
        (
            {"1": feed(old_channel(7)), "2": feed(old_channel(8))},
            "SiteTemplateMetadata/SiteContent/2.xml: The package has no file for the parent of this channel.",
        ),
        (
            {"1": feed(old_channel(7)), "1_01": feed(old_channel(8)), "1_1": feed(old_channel(9))},
            "SiteTemplateMetadata/SiteContent/1_1.xml: "
            "The file has the same place in the tree as SiteTemplateMetadata/SiteContent/1_01.xml.",
        ),
        ({"1_1": feed(old_channel(7))}, "The package has no SiteContent/1.xml, which is the home channel."),
        (
            {"1": feed(old_channel(7), [old_content(1, "before\0after")])},
            "SiteTemplateMetadata/SiteContent/1.xml, entry 1, element Title: The text contains a NUL character.",
        ),
    ],
)
def test_says_which_file_which_element_and_why(channels, message, tmp_path):
    assert str(refused(Template(channels=channels).write_folder(tmp_path))).startswith(message)


def test_refuses_a_folder_without_a_template(tmp_path):
    assert refused(tmp_path).reason.startswith(
        "This is not a site template: it has no SiteTemplateMetadata/Configuration.xml"
    )


def test_refuses_two_templates_in_one_package(tmp_path):
    Template().write_folder(tmp_path / "T_A")
    Template().write_folder(tmp_path / "T_B")
    assert refused(tmp_path).reason.startswith("The package holds several site templates")


def test_refuses_a_path_where_nothing_is(tmp_path):
    assert refused(tmp_path / "nowhere").reason == "There is no folder or zip file at this path."
