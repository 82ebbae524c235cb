"""The page of a site in the back end: its settings are changed there, and nothing is lost."""

import re

import pytest
from django.urls import reverse

from core.admin.attribute_form import sentence
from sites.attributes import REGISTRY
from sites.models import Site
from tests.admin.pages.browsing import noted, unrendered
from tests.factories import AdministratorFactory, SiteFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client):
    client.force_login(AdministratorFactory())
    return client


def place(site):
    return reverse("admin:cms_sites_site_change", args=[site.pk])


def form_of(signed_in, site):
    """What a browser sends when the page is saved as it is shown."""
    form = unrendered(signed_in, place(site)).context_data["adminform"].form
    shown = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in shown.items() if value is not None and value is not False}


def save(signed_in, site, **changes):
    """Save the page with some fields changed, confirm new addresses of pages, and return the answer."""
    sent = form_of(signed_in, site) | changes
    sent = {name: value for name, value in sent.items() if value is not False}
    answer = signed_in.post(place(site), sent)
    form = answer.context["adminform"].form if answer.status_code == 200 else None
    if form and form.address_change:
        return signed_in.post(place(site), sent | {"confirmed": form.confirmation})
    return answer


def errors(answer):
    assert answer.status_code == 200
    return dict(answer.context["adminform"].form.errors)


def stored(site):
    return Site.objects.get(pk=site.pk)


def test_saving_the_page_as_it_is_shown_changes_nothing(signed_in):
    settings = {
        "pageSize": 20,
        "isCountHits": True,
        "isCreateWithJQuery": False,
        "charset": "gb2312",
        "createStaticContentAddDate": "2026-11-20 09:30:00",
        "separatedWebUrl": "https://m.example",
        "configUploadImageTitleImageWidth": "",
        "logo": "@/logo.png",
    }
    site = SiteFactory(settings=settings, parent=SiteFactory(), taxis=3)
    before = Site.objects.filter(pk=site.pk).values().get()
    assert save(signed_in, site).status_code == 302
    assert Site.objects.filter(pk=site.pk).values().get() == before


@pytest.mark.parametrize("sent,expected", [
    ({"pageSize": "20"}, {"pageSize": 20}),
    ({"isCountHits": "on"}, {"isCountHits": True}),
    ({"isCreateWithJQuery": False}, {"isCreateWithJQuery": False}),
    ({"charset": "big5"}, {"charset": "big5"}),
    ({"configExportType": "ContentZip"}, {"configExportType": "ContentZip"}),
    ({"separatedWebUrl": " https://m.example "}, {"separatedWebUrl": "https://m.example"}),
    ({"createStaticContentAddDate": "2026-11-20"}, {"createStaticContentAddDate": "2026-11-20 00:00:00"}),
    ({"configUploadImageTitleImageWidth": ""}, {"configUploadImageTitleImageWidth": ""}),
    ({"imageUploadDirectoryName": "up"}, {"imageUploadDirectoryName": "up"}),
    ({"pageSize": "30"}, {}),
    ({}, {}),
])  # fmt: skip
def test_a_change_is_stored_and_defaults_are_not(signed_in, sent, expected):
    site = SiteFactory(settings={"logo": "@/logo.png"})
    assert save(signed_in, site, **sent).status_code == 302
    assert stored(site).settings == expected | {"logo": "@/logo.png"}


def test_a_member_that_is_set_back_to_its_default_is_not_stored_any_more(signed_in):
    site = SiteFactory(
        settings={"pageSize": 20, "isWaterMark": True, "createStaticContentAddDate": "2026-11-20 00:00:00"}
    )
    assert save(signed_in, site, pageSize="30", isWaterMark=False, createStaticContentAddDate="").status_code == 302
    assert stored(site).settings == {}


@pytest.mark.parametrize("name,sent,message", [
    ("pageSize", "0", "Rows per page must be an integer from 1 to 10000."),
    ("pageSize", "many", "Rows per page must be an integer from 1 to 10000."),
    ("pageSize", "", "Rows per page must be an integer from 1 to 10000."),
    ("charset", "utf-7", "Select a valid choice. utf-7 is not one of the available choices."),
    ("separatedWebUrl", "javascript:alert(1)",
     "Address of the host of the pages must be a text of at most 2000 characters and without a javascript: or data: "
     "scheme."),
    ("imageUploadTypeCollection", "gif,jpg",
     "Accepted types of pictures must be extensions separated by | and of at most 2000 characters."),
    ("assetsDir", "", "This field is required."),
    ("createStaticContentAddDate", "soon", "Enter a valid date/time."),
    ("site_name", " ", "This field is required."),
    ("site_dir", "a/b", '"a/b" cannot be the folder of a site: a folder must be a single part of a URL.'),
    ("site_dir", "API", 'The folder "API" is reserved for the service; choose another one.'),
    ("site_dir", "", "Enter a folder; only the root site needs none."),
    ("parent", "999", "Select a valid choice. That choice is not one of the available choices."),
])  # fmt: skip
def test_a_wrong_value_is_shown_at_its_field_and_nothing_is_stored(signed_in, name, sent, message):
    site = SiteFactory(settings={"logo": "@/logo.png"})
    before = Site.objects.filter(pk=site.pk).values().get()
    answer = save(signed_in, site, isCountHits="on", **{name: sent})
    assert errors(answer) == {name: [message]}
    assert Site.objects.filter(pk=site.pk).values().get() == before


@pytest.mark.parametrize("switch,address", [
    ("isSeparatedWeb", "separatedWebUrl"),
    ("isSeparatedAssets", "separatedAssetsUrl"),
])  # fmt: skip
def test_a_host_of_its_own_must_be_named(signed_in, switch, address):
    site = SiteFactory()
    assert errors(save(signed_in, site, **{switch: "on"})) == {
        address: [f"“{REGISTRY.by_name[address].label}” is required while “{REGISTRY.by_name[switch].label}” is on."]
    }
    assert save(signed_in, site, **{switch: "on", address: "https://m.example"}).status_code == 302


def test_a_taken_folder_and_a_loop_are_shown_at_their_fields(signed_in):
    other = SiteFactory(site_dir="Museum")
    site = SiteFactory()
    below = SiteFactory(parent=site)
    assert errors(save(signed_in, site, site_dir="museum", parent=below.pk)) == {
        "site_dir": [f'The folder "museum" belongs to site {other.pk}.'],
        "parent": ["A site cannot be below itself."],
    }


def test_new_addresses_reach_the_sites_below(signed_in):
    top, other = SiteFactory(site_dir="a"), SiteFactory(site_dir="z")
    middle = SiteFactory(site_dir="b", parent=top)
    bottom = SiteFactory(site_dir="c", parent=middle)
    save(signed_in, top, site_dir="x")
    assert stored(bottom).web_url == "/x/b/c"
    save(signed_in, middle, parent=other.pk)
    assert stored(bottom).web_url == "/z/b/c"
    save(signed_in, other, isSeparatedWeb="on", separatedWebUrl="https://m.example/")
    assert [stored(site).web_url for site in (other, middle, bottom)] == [
        "https://m.example", "https://m.example/b", "https://m.example/b/c",
    ]  # fmt: skip


def test_number_table_and_rank_are_not_changed(signed_in):
    site = SiteFactory()
    save(signed_in, site, id=999, table_name="x", is_root="on", web_url="/x", webUrl="/x", assetsUrl="/x")
    assert (stored(site).is_root, stored(site).table_name) == (False, site.table_name)
    assert (stored(site).web_url, stored(site).settings) == (site.web_url, {})


def test_a_misspelt_member_that_the_page_does_not_show_stays(signed_in):
    site = SiteFactory(settings={"pagesize": 20, "isWaterMark": "True"})
    assert form_of(signed_in, site)["pageSize"] == 30
    save(signed_in, site, taxis="4")
    assert (stored(site).taxis, stored(site).settings) == (4, site.settings)


def test_what_two_change_at_once_is_stored_by_neither_unnoticed(signed_in):
    site = SiteFactory()
    mine = form_of(signed_in, site) | {"pageSize": "20"}
    assert save(signed_in, site, pageSize="40", isCountHits="on").status_code == 302
    answer = signed_in.post(place(site), mine)
    form = answer.context["adminform"].form
    assert stored(site).settings == {"pageSize": 40, "isCountHits": True}
    assert (form.theirs, form["pageSize"].value()) == (["pageSize", "isCountHits"], "20")
    assert "Count views of content items (isCountHits)" in answer.content.decode()
    assert signed_in.post(place(site), mine | {"overwrite": form.accepted}).status_code == 302
    # Only what was changed here replaces what the other one has stored.
    assert stored(site).settings == {"pageSize": 20, "isCountHits": True}


def test_an_acceptance_holds_for_what_was_shown_only(signed_in):
    site = SiteFactory()
    mine = form_of(signed_in, site) | {"pageSize": "20"}
    save(signed_in, site, pageSize="40")
    accepted = signed_in.post(place(site), mine).context["adminform"].form.accepted
    save(signed_in, site, pageSize="50")
    assert signed_in.post(place(site), mine | {"overwrite": accepted}).status_code == 200
    assert stored(site).settings == {"pageSize": 50}


def test_a_name_that_another_has_given_meanwhile_stays(signed_in):
    site = SiteFactory(site_name="Quay")
    mine = form_of(signed_in, site) | {"pageSize": "20"}
    save(signed_in, site, site_name="Harbour")
    accepted = signed_in.post(place(site), mine).context["adminform"].form.accepted
    signed_in.post(place(site), mine | {"overwrite": accepted})
    assert (stored(site).site_name, stored(site).settings) == ("Harbour", {"pageSize": 20})


@pytest.mark.parametrize("seen", ["", "x", "[]", "{}", "9", '{"pageSize": {}}'])
def test_a_stamp_that_is_none_does_no_harm(signed_in, seen):
    site = SiteFactory(settings={"pageSize": 40})
    assert save(signed_in, site, seen=seen).status_code in {200, 302}
    assert stored(site).settings == {"pageSize": 40}


def test_what_is_stored_and_equals_a_default_stays(signed_in):
    settings = {"pageSize": 30, "isCountHits": False, "createStaticContentAddDate": "0001-01-01 00:00:00"}
    site = SiteFactory(settings=settings)
    assert save(signed_in, site, checkContentLevel="3").status_code == 302
    assert stored(site).settings == settings | {"checkContentLevel": 3}
    (entry,) = noted("site.changed")
    assert entry.changed == ["settings.checkContentLevel"]
    assert save(signed_in, site, checkContentLevel="1", pageSize="20").status_code == 302
    assert stored(site).settings == settings | {"pageSize": 20}


def test_what_is_wrong_is_listed_above_with_links_to_the_fields(signed_in):
    answer = save(signed_in, SiteFactory(), site_name=" ", pageSize="0", separatedWebUrl="not an address")
    listed = re.search(r'<ul class="wrong-fields">.*?</ul>', answer.content.decode())[0]
    assert re.findall(r'<a href="#(\w+)">([^<]+)</a>', listed) == [
        ("id_site_name", "Name"),
        ("id_pageSize", "Rows per page (pageSize)"),
        ("id_separatedWebUrl", "Address of the host of the pages (separatedWebUrl)"),
    ]
    assert all(f' id="{name}"' in answer.content.decode() for name in re.findall(r"#(\w+)", listed))


def test_a_page_without_faults_lists_none(signed_in):
    assert "wrong-fields" not in signed_in.get(place(SiteFactory())).content.decode()


def test_the_page_explains_every_member_and_shows_the_computed_ones(signed_in):
    text = signed_in.get(place(SiteFactory(site_dir="museum"))).content.decode()
    assert all(f"({attribute.name})" in text for attribute in REGISTRY)
    assert 'Rows per page <span class="wire">(pageSize)</span>' in text
    assert "Not used by this service" in text
    assert "/museum/upload/" in text
    assert "<details" in text


def test_sites_are_not_deleted_here(signed_in):
    site = SiteFactory()
    assert signed_in.post(reverse("admin:cms_sites_site_delete", args=[site.pk]), {"post": "yes"}).status_code == 403
    assert Site.objects.filter(pk=site.pk).exists()


def test_other_ranks_change_nothing(client):
    site = SiteFactory()
    client.force_login(AdministratorFactory(is_superuser=False))
    assert client.post(place(site), {"site_name": "x"}).status_code == 404
    assert stored(site).site_name == site.site_name


REFUSED = {
    "pageSize": ("0", "每页条数 必须是 1 到 10000 之间的整数。"),
    "channelFilePathRule": ("x" * 501, "栏目页路径规则 必须是非空白文本，最多 500 个字符。"),
    "configExportPeriods": ("week", "上次导出：最近天数 必须是以数字表示的天数、-1 或留空。"),
    "separatedWebUrl": (
        "javascript:x",
        "网页的独立域名地址 必须是文本，最多 2000 个字符，且不能使用 javascript: 或 data: 协议。",
    ),
}
NEEDED = "启用 “上传文件使用独立域名” 时必须填写 “上传文件的独立域名地址”。"


def test_a_chinese_page_refuses_in_chinese(signed_in):
    signed_in.cookies["cms_language"] = "zh-hans"
    sent = {name: value for name, (value, _told) in REFUSED.items()}
    answer = save(signed_in, SiteFactory(), isSeparatedAssets=True, **sent)
    assert set(errors(answer)) == {*REFUSED, "separatedAssetsUrl"}
    text = answer.content.decode()
    assert [told for told in (NEEDED, *(told for _value, told in REFUSED.values())) if told not in text] == []
    assert "must be" not in text


@pytest.mark.any_database
@pytest.mark.parametrize(
    "attribute", [each for each in REGISTRY if each.kind in {"text", "integer"} and not each.choices]
)
def test_an_english_page_says_what_the_api_says(attribute):
    assert sentence(attribute) == f"{attribute.label} must be {attribute.expected}."


def test_choices_are_told_in_the_language_of_the_page(signed_in):
    site = SiteFactory()
    assert '<option value="Month" selected>Month</option>' in signed_in.get(place(site)).content.decode()
    signed_in.cookies["cms_language"] = "zh-hans"
    text = signed_in.get(place(site)).content.decode()
    assert '<option value="Month" selected>按月（Month）</option>' in text
    assert '<option value="gb2312">gb2312</option>' in text
