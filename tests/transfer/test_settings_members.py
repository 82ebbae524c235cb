"""Settings of packages: names of old versions, names in place of numbers, values out of range."""

from datetime import UTC

import pytest
from django.core.management import CommandError, call_command

from channels_app.models import Channel
from sites.models import Site
from tools.site_templates import OLD_SITE, Template, feed, old_channel
from transfer.site_template import CHANNEL_MEMBERS, SITE_MEMBERS, typed_settings

CONFIGURATION = "SiteTemplateMetadata/Configuration.xml, settings"
HOME = "SiteTemplateMetadata/SiteContent/1.xml, settings"


@pytest.mark.parametrize("settings,expected", [
    ({"IsCheckContentUseLevel": "True"}, {"isCheckContentLevel": True}),
    ({"lisautocheckkeywords": "True"}, {"isAutoCheckKeywords": True}),
    ({"config_uploadimageistitleimage": "False"}, {"configUploadImageIsTitleImage": "False"}),
    ({"config_selectimagecurrenturl": "@/upload/images/2015/9"},
     {"configSelectImageCurrentUrl": "@/upload/images/2015/9"}),
    ({"configuploadimageistitleimage": "false"}, {"configUploadImageIsTitleImage": "False"}),
    ({"charset": "UTF-8"}, {"charset": "utf-8"}),
    ({"pagesize": "1"}, {"pageSize": 1}),
    ({"CheckContentLevel": "0"}, {"checkContentLevel": 0}),
    ({"createstaticcontentadddate": "1754/1/1 0:00:00"}, {"createStaticContentAddDate": "0001-01-01 00:00:00"}),
    ({"weburl": "/x", "AssetsUrl": "/y"}, {}),
    ({"visualtype": "Static", "pagesize": ""}, {"visualtype": "Static"}),
])  # fmt: skip
def test_members_of_a_site_get_their_present_names_and_types(settings, expected):
    assert typed_settings(settings, SITE_MEMBERS, UTC) == expected


@pytest.mark.parametrize("names", [
    ["lisautocheckkeywords", "isautocheckkeywords"],
    ["isautocheckkeywords", "lisautocheckkeywords"],
])  # fmt: skip
def test_the_present_name_of_a_member_counts(names):
    settings = {name: str(not name.startswith("l")) for name in names}
    assert typed_settings(settings, SITE_MEMBERS, UTC) == {"isAutoCheckKeywords": True}


@pytest.mark.parametrize("settings,expected", [
    ({"transtype": "allparentsite"}, {"transType": 4}),
    ({"transtype": "4"}, {"transType": 4}),
    ({"transdonetype": "Cut"}, {"transDoneType": 1}),
    ({"ispreviewcontentsexists": "True"}, {"isPreviewContents": True}),
    ({"createChannelIdsIfContentChanged": "1"}, {"createChannelIDsIfContentChanged": "1"}),
    ({"defaulttaxistype": "orderbyid"}, {"defaultTaxisType": "OrderById"}),
])  # fmt: skip
def test_members_of_a_channel_get_their_present_names_and_types(settings, expected):
    assert typed_settings(settings, CHANNEL_MEMBERS, UTC) == expected


TRANS_TYPES = "0 (None), 1 (SelfSite), 2 (SpecifiedSite), 3 (ParentSite), 4 (AllParentSite), 5 (AllSite)"


@pytest.mark.django_db
@pytest.mark.parametrize("site,channel,message", [
    ("pagesize=0", "", f'{CONFIGURATION}: pageSize: "0" is not an integer from 1 to 10000.'),
    ("pagesize=many", "", f'{CONFIGURATION}: pageSize: "many" is not an integer from 1 to 10000.'),
    ("iswatermark=often", "", f'{CONFIGURATION}: isWaterMark: "often" is neither True nor False.'),
    ('{"separatedWebUrl": "javascript:x"}', "", f'{CONFIGURATION}: separatedWebUrl: "javascript:x" is not a text of '
     "at most 2000 characters and without a javascript: or data: scheme."),
    ("createstaticcontentadddate=soon", "",
     f'{CONFIGURATION}: createStaticContentAddDate: "soon" is not a date in any known format.'),
    ("", "transtype=6", f'{HOME}: transType: "6" is not one of {TRANS_TYPES}.'),
    ("", "transsiteid=-1", f'{HOME}: transSiteId: "-1" is not an integer from 0 to 9223372036854775807.'),
])  # fmt: skip
def test_a_value_out_of_range_names_file_member_value_and_range(site, channel, message, tmp_path):
    home = feed(old_channel(7, ExtendValues=channel))
    path = Template(site=OLD_SITE | {"SettingsXml": site}, channels={"1": home}).write_folder(tmp_path)
    with pytest.raises(CommandError) as caught:
        call_command("import_site_template", str(path))
    assert str(caught.value) == message
    assert Site.objects.count() == Channel.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize("folder", ["api", "Admin", "static", "media", "start"])
def test_folders_of_the_service_are_refused(folder, tmp_path):
    path = Template().write_folder(tmp_path)
    expected = f'The service itself uses "{folder}"; give another folder with --site-dir.'
    with pytest.raises(CommandError, match=expected):
        call_command("import_site_template", str(path), site_dir=folder)
