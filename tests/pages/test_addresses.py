"""Which page a path is: the inverse of `navigationUrl`."""

import random
from datetime import datetime
from urllib.parse import urlsplit

import pytest

from channels_app.links import NO_LINK
from channels_app.models import Channel, LinkType
from channels_app.tree import contents, read_tree
from contents.navigation.page_urls import read_addresses as content_addresses
from pages.models import TemplateKind
from pages.resolver import Page, Redirect, read_addresses
from tests.factories import ChannelFactory, ContentFactory
from tests.pages.sites import make_site, make_template

pytestmark = pytest.mark.django_db

KINDS = [
    {"site_dir": "museum"},
    {"site_dir": "", "is_root": True},
    {"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/"}},
    {"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://m.example/a b"}},
]
CHANNEL_RULES = [
    *("", "", "/channels/{@channelId}.html", "/{@channelName}/index.html", "/{@parentRule}/{@channelId}.htm"),
    *("/{@year}/{@sequence}_{@channelId}.html", "{@lowerChannelName}//{@channelId}", "/{@colour}/{@channelIndex}.html"),
]
CONTENT_RULES = [
    *("", "", "/contents/{@channelId}/{@contentId}.html", "/{@year}{@month}/{@contentId}.html", "/{@contentId}"),
    *("/{@channelId}_{@contentId}.html", "/{@year}{@contentId}.html", "/{@contentId}{@title}.html", "{@title}.html"),
    *("/{@parentRule}/{@day}-{@title}.html", "/({@author}|{@contentId}).html", "/{@channelId}/{@sequence}.html"),
    *(
        "/{@channelName}/{@lowerTitle}.html",
        "/{@colour}/{@contentId}_{@id}.html",
        "/{@title}{@sequence}.html",
        "/it's 1/{@channelName}{@id}.html",
    ),
]
NAMES = ["News", "Fine Arts", "A/B", "艺术", "9", "it's", "Ä", "x_2", "x"]


def make_random_site(choose):
    settings = {"channelFilePathRule": choose(CHANNEL_RULES), "contentFilePathRule": choose(CONTENT_RULES)}
    kind = choose(KINDS)
    site = make_site(**kind | {"settings": kind.get("settings", {}) | {k: v for k, v in settings.items() if v}})
    channels = [Channel.objects.get(pk=site.pk)]
    for number in range(6):
        files = ["", "", "", f"@/{choose(NAMES)}{number}.html", f"/x/{number}.html", f"{choose(NAMES)}{number}/"]
        channel = ChannelFactory(
            parent=choose(channels),
            channel_name=choose(NAMES),
            index_name=choose(["", f"i{number}"]),
            file_path=choose(files),
            channel_file_path_rule=choose(CHANNEL_RULES),
            content_file_path_rule=choose(CONTENT_RULES),
            settings=choose([{}, {"colour": choose(NAMES)}]),
            link_type=choose([LinkType.NONE] * 3 + list(LinkType)),
            link_url=choose([""] * 5 + ["/elsewhere.html"]),
            add_date=datetime(2018, 3, choose([4, 15]), 5),
        )
        channels.append(Channel.objects.get(pk=channel.pk))
    for channel in channels:
        for number in range(choose([0, 1, 2, 4])):
            ContentFactory(
                channel=channel,
                title=choose(NAMES),
                author=choose(["", "", f"Ada {number}"]),
                taxis=number,
                is_checked=choose([True, True, True, False]),
                link_url=choose([""] * 5 + ["@/elsewhere.html"]),
                add_date=datetime(2018, 3, choose([4, 15]), 5),
                settings_xml=choose(["{}", '{"colour":"Red"}']),
            )
    return site


def named(found):
    return (found.channel["id"], found.content_id, found.number) if isinstance(found, Page) else found


@pytest.mark.parametrize("seed", range(40))
def test_each_address_leads_to_its_record(seed):
    site = make_random_site(random.Random(seed).choice)
    tree = read_tree(site.pk)
    addresses = read_addresses(site.pk)
    tree.renew_addresses(contents())
    records = {content.pk: content for content in site.contents.all()}
    of_contents = content_addresses(site.pk, set(records))
    expected = {}
    for path, pk in tree.by_path.items():
        if urlsplit(tree.channels[pk]["navigationUrl"]).path == path:
            expected[path] = (pk, 0, 1)
    own = {pk: address for pk, address in of_contents.items() if not records[pk].link_url}
    paths = {pk: address.removeprefix("https://m.example") for pk, address in own.items()}
    for pk, path in sorted(paths.items()):
        if records[pk].is_checked and path not in tree.by_path:
            expected.setdefault(path, (records[pk].channel_id, pk, 1))
    assert expected
    for path, record in expected.items():
        assert named(addresses.find(path)) == record, path
        further = addresses.find("_3.".join(path.rsplit(".", 1)))
        assert named(further) == (*record[:2], 3) or "." not in path.rpartition("/")[2], path
    # Nothing else has a page.
    waiting = {path for pk, path in paths.items() if not records[pk].is_checked} - expected.keys() - tree.by_path.keys()
    assert not [path for path in waiting if isinstance(addresses.find(path), Page)]


def find(site, path):
    return read_addresses(site.pk).find(path)


@pytest.mark.parametrize("path", ["/museum/", "/museum/index.html"])
def test_the_index_page_has_the_default_index_template(path):
    site = make_site(site_dir="museum")
    found = find(site, path)
    assert found.template.kind == TemplateKind.INDEX
    assert named(found) == (site.pk, 0, 1)


def test_an_index_template_with_another_path_has_both():
    site = make_site(site_dir="museum")
    site.templates.filter(kind=TemplateKind.INDEX).update(page_path="default.htm")
    assert named(find(site, "/museum/default.htm")) == named(find(site, "/museum/index.html")) == (site.pk, 0, 1)


def test_a_folder_without_its_slash_leads_to_the_folder():
    site = make_site(site_dir="museum")
    ChannelFactory(site=site, file_path="/fine arts/index.html")
    assert find(site, "/museum") == Redirect("/museum/")
    assert find(site, "/museum/fine arts") == Redirect("/museum/fine%20arts/")
    assert find(site, "/museum/none") is None


def test_pages_of_lists_have_a_number():
    site = make_site(site_dir="museum")
    channel = ChannelFactory(site=site)
    content = ContentFactory(channel=channel, is_checked=True)
    beginning = f"/museum/contents/{channel.pk}/{content.pk}"
    assert named(find(site, "/museum/index_2.html")) == (site.pk, 0, 2)
    assert named(find(site, f"/museum/channels/{channel.pk}_13.html")) == (channel.pk, 0, 13)
    assert named(find(site, f"{beginning}_999999.html")) == (channel.pk, content.pk, 999999)
    for wrong in ("_0.html", "_1.html", "_02.html", "_1000000.html", "_2_2.html", "_2", "_2.htm", "_\u0662.html"):
        assert find(site, f"{beginning}{wrong}") is None, wrong


def test_a_page_of_that_name_comes_before_a_page_of_a_list():
    site = make_site(site_dir="museum")
    ChannelFactory(site=site, file_path="/news.html")
    second = ChannelFactory(site=site, file_path="/news_2.html")
    assert named(find(site, "/museum/news_2.html")) == (second.pk, 0, 1)
    assert named(find(site, "/museum/news_2_2.html")) == (second.pk, 0, 2)


def test_file_templates_have_their_path():
    site = make_site(site_dir="museum")
    search = make_template(site, TemplateKind.FILE, page_path="utils/search.html")
    make_template(site, TemplateKind.INCLUDE, page_path="include/head.html")
    found = find(site, "/museum/utils/search.html")
    assert (found.template, found.channel["id"], found.content_id) == (search, site.pk, 0)
    assert find(site, "/museum/include/head.html") is None
    assert find(site, "/museum/Utils/search.html") is None


@pytest.mark.parametrize("name,kind", [
    ("channel_template_id", TemplateKind.CHANNEL),
    ("content_template_id", TemplateKind.CONTENT),
])  # fmt: skip
def test_a_channel_names_its_templates(name, kind):
    site = make_site(site_dir="museum")
    other_kind = TemplateKind.CHANNEL if kind == TemplateKind.CONTENT else TemplateKind.CONTENT
    own = make_template(site, kind, name="own")
    default = site.templates.get(kind=kind, is_default=True)
    foreign = make_template(make_site(), kind, name="foreign")
    wrong = make_template(site, other_kind, name="wrong")
    ids = {own.pk: own, 0: default, 10**9: default, foreign.pk: default, wrong.pk: default}
    for template_id, expected in ids.items():
        channel = ChannelFactory(site=site, **{name: template_id})
        content = ContentFactory(channel=channel, is_checked=True)
        path = f"contents/{channel.pk}/{content.pk}" if kind == TemplateKind.CONTENT else f"channels/{channel.pk}"
        assert find(site, f"/museum/{path}.html").template == expected


def test_without_a_default_a_kind_has_no_pages():
    site = make_site(site_dir="museum")
    site.templates.filter(kind=TemplateKind.CHANNEL).delete()
    channel = ChannelFactory(site=site)
    assert find(site, f"/museum/channels/{channel.pk}.html") is None


@pytest.mark.parametrize("fields", [
    {"is_checked": False},
    {"trashed_at": datetime(2020, 1, 1)},
])  # fmt: skip
def test_some_contents_have_no_page(fields):
    site = make_site(site_dir="museum")
    content = ContentFactory(**{"channel": ChannelFactory(site=site), "is_checked": True} | fields)
    assert find(site, f"/museum/contents/{content.channel_id}/{content.pk}.html") is None


def test_a_content_has_its_page_in_its_own_channel_and_site_only():
    site, other = make_site(site_dir="museum"), make_site(site_dir="other")
    channel, further = ChannelFactory(site=site), ChannelFactory(site=site)
    content = ContentFactory(channel=channel, is_checked=True)
    assert named(find(site, f"/museum/contents/{channel.pk}/{content.pk}.html")) == (channel.pk, content.pk, 1)
    assert find(site, f"/museum/contents/{further.pk}/{content.pk}.html") is None
    assert find(site, f"/museum/contents/{channel.pk}/0{content.pk}.html") is None
    assert find(other, f"/other/contents/{channel.pk}/{content.pk}.html") is None


@pytest.mark.parametrize("setting,path", [
    ("isChannelCreatable", "channels/{channel}.html"),
    ("isContentCreatable", "contents/{channel}/{content}.html"),
])  # fmt: skip
def test_a_channel_can_switch_pages_off(setting, path):
    site = make_site(site_dir="museum")
    channel = ChannelFactory(site=site, settings={setting: False})
    content = ContentFactory(channel=channel, is_checked=True)
    assert find(site, f"/museum/{path.format(channel=channel.pk, content=content.pk)}") is None


def test_a_channel_that_leads_elsewhere_redirects():
    site = make_site(site_dir="museum")
    channel = ChannelFactory(site=site, link_type=LinkType.LINK_TO_FIRST_CONTENT)
    path = f"/museum/channels/{channel.pk}.html"
    assert named(find(site, path)) == (channel.pk, 0, 1)
    content = ContentFactory(channel=channel, is_checked=True)
    assert find(site, path) == Redirect(f"/museum/contents/{channel.pk}/{content.pk}.html")
    linked = ChannelFactory(site=site, link_url="https://elsewhere.example/x")
    assert find(site, f"/museum/channels/{linked.pk}.html") == Redirect("https://elsewhere.example/x")
    assert find(site, f"/museum/channels/{linked.pk}_2.html") == Redirect("https://elsewhere.example/x")


def test_a_channel_without_a_link_has_no_page():
    site = make_site(site_dir="museum")
    channel = ChannelFactory(site=site, link_type=LinkType.NO_LINK)
    assert read_tree(site.pk).channels[channel.pk]["navigationUrl"] == NO_LINK
    assert find(site, f"/museum/channels/{channel.pk}.html") is None


@pytest.mark.parametrize(
    "link", ["@/channels/{pk}.html", "#top", "?x=1", "{pk}.html#x", "/museum/%63hannels/{pk}.html"]
)
def test_a_link_to_the_page_itself_is_the_page(link):
    site = make_site(site_dir="museum")
    channel = ChannelFactory(site=site)
    Channel.objects.filter(pk=channel.pk).update(link_url=link.format(pk=channel.pk))
    assert named(find(site, f"/museum/channels/{channel.pk}.html")) == (channel.pk, 0, 1)


def test_a_content_with_a_link_or_a_reference_redirects():
    site = make_site(site_dir="museum")
    channel = ChannelFactory(site=site)
    target = ContentFactory(channel=channel, is_checked=True)
    linked = ContentFactory(channel=channel, is_checked=True, link_url="@/x.html")
    referring = ContentFactory(channel=channel, is_checked=True, reference_id=target.pk)
    to_nothing = ContentFactory(channel=channel, is_checked=True, reference_id=10**9)
    copy = ContentFactory(
        channel=channel,
        is_checked=True,
        reference_id=target.pk,
        settings_xml='{"translateContentType":"ReferenceContent"}',
    )
    beginning = f"/museum/contents/{channel.pk}"
    assert find(site, f"{beginning}/{linked.pk}.html") == Redirect("/museum/x.html")
    assert find(site, f"{beginning}/{referring.pk}.html") == Redirect(f"{beginning}/{target.pk}.html")
    assert find(site, f"{beginning}/{to_nothing.pk}.html") is None
    assert named(find(site, f"{beginning}/{copy.pk}.html")) == (channel.pk, copy.pk, 1)


def test_a_separated_site_redirects_within_its_host():
    site = make_site(settings={"isSeparatedWeb": True, "separatedWebUrl": "https://m.example"})
    channel = ChannelFactory(site=site, link_url="@/x.html")
    outside = ChannelFactory(site=site, file_path="~/y.html")
    assert find(site, f"/channels/{channel.pk}.html") == Redirect("/x.html")
    assert named(find(site, "/y.html")) == (outside.pk, 0, 1)


@pytest.mark.parametrize(
    "path", ["", "/", "/museumindex.html", "/museum/\0.html", "/museum/" + "1" * 5000, "/museum//index.html"]
)
def test_odd_paths_have_no_page(path):
    site = make_site(site_dir="museum", settings={"contentFilePathRule": "/{@title}.html"})
    ContentFactory(channel=Channel.objects.get(pk=site.pk), is_checked=True)
    assert find(site, path) is None


def test_paths_with_the_id_cost_few_statements_and_look_at_no_other_content(django_assert_max_num_queries):
    rule = "/{@year}/{@contentId}-{@title}.html"
    site = make_site(site_dir="museum", settings={"contentFilePathRule": rule})
    channel = ChannelFactory(site=site)
    content = ContentFactory(channel=channel, is_checked=True, title="X", add_date=datetime(2018, 1, 2))
    path = f"/museum/2018/{content.pk}-X.html"
    find(site, path)
    addresses = read_addresses(site.pk)
    with django_assert_max_num_queries(1):
        assert named(addresses.find(path)) == (channel.pk, content.pk, 1)
    with django_assert_max_num_queries(2):
        assert addresses.find(f"/museum/2018/{content.pk}-Y.html") is None


SPECIAL = "/a?b#c%2e{}.html"


@pytest.mark.parametrize("where", ["filePath", "channelFilePathRule", "contentFilePathRule"])
def test_stored_paths_may_have_characters_that_end_an_address(client, where):
    site = make_site(site_dir="museum")
    site.templates.update(text="<stl:contents><stl:a></stl:a></stl:contents>{stl.currentUrl}")
    channel = ChannelFactory(site=site)
    content = ContentFactory(channel=channel, is_checked=True)
    if where == "filePath":
        Channel.objects.filter(pk=channel.pk).update(file_path=SPECIAL.format(""))
    else:
        site.settings = {where: SPECIAL.format("{@id}" if where == "contentFilePathRule" else "{@channelId}")}
        site.save()
    number = {"filePath": "", "channelFilePathRule": channel.pk, "contentFilePathRule": content.pk}[where]
    expected = f"/museum/a%3Fb%23c%252e{number}.html"
    of_channel = read_tree(site.pk).channels[channel.pk]["navigationUrl"]
    of_content = content_addresses(site.pk, {content.pk})[content.pk]
    assert expected == (of_content if where == "contentFilePathRule" else of_channel)
    page = client.get(expected)
    assert page.status_code == 200
    assert page.content.decode().endswith(expected)
    assert f'href="{of_content}"' in client.get(of_channel).content.decode()
    assert f"{expected}</loc>" in client.get("/museum/sitemap.xml").getvalue().decode()
