"""The address of a content's page in Where and Order rules is, byte for byte, the one which is answered."""

from datetime import datetime

import orjson
import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app.models import Channel
from contents.models import Content, CustomField
from contents.rules.sql import TABLES, Rules
from sites.models import Site
from tests.assertions import assert_error
from tests.contents.asking import found, read
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db

HOSTILE = [
    "it's",
    'say "x"',
    "50%",
    "%s %(x)s %%",
    "a/b//c",
    "</script><!--",
    "back\\slash",
    "\\'; DROP TABLE contents_content; --",
    "'; DROP TABLE contents_content; --",
    "$1 ${x} {0} {}",
    "?a=1&b=2#c",
    "*|:",
    "(a|b)",
    "{@title}",
    "{@contentId}",
    "新闻 中心",
    "ÉCOLE Straße İı",
    "😀👩‍👩‍👧",
    "a\r\n\tb\x01c",
    "[1]",
    '$."x"',
    "",
    " ",
    "ABC xyz",
]
FIELDS = {
    "price": 9.5,
    "Colour": "Red & GREEN",
    "颜色": "红",
    "isNew": True,
    "isOld": False,
    "nothing": None,
    "number": 12,
    "large": 2**62,
    "third": 1 / 3,
    "tenths": 0.1 + 0.2,
    "huge": 1e22,
    "tiny": 1e-7,
    "whole": 3.0,
    "names": ["a", "b"],
    "map": {"a": 1},
    "lowerX": "LOWER X",
    "channelName": "of the content",
    "contentId": "of the content",
    "sequence": "of the content",
    "year": "of the content",
    "straße": "SS",
}
TOKENS = [
    *("channelId", "contentId", "year", "month", "day", "hour", "minute", "second", "sequence", "parentRule"),
    *("channelName", "lowerChannelName", "channelIndex", "lowerChannelIndex"),
    *("id", "siteId", "title", "lowerTitle", "subTitle", "author", "lowerAuthor", "summary", "source", "tags"),
    *("groupNameCollection", "addUserName", "writingUserName", "addDate", "lastEditDate", "lastHitsDate"),
    *("isTop", "lowerIsTop", "isChecked", "hits", "taxis", "sourceId", "checkedLevel", "referenceId"),
    *("linkUrl", "imageUrl", "lowerImageUrl", "videoUrl", "fileUrl", "content", "lowerContent", "settingsXml"),
    *("navigationUrl", "lowerNavigationUrl", "unknown", "lower", "lowerUnknown", "lowerContentId", "lowerYear", "x_1"),
    *FIELDS,
    *(f"lower{name}" for name in FIELDS),
]


def addresses_in_database(site):
    """What Where and Order rules compare, by content."""
    sql = Rules(site.pk).column("navigationUrl", "rule").sql
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT c.id, {sql} FROM {TABLES} WHERE c.site_id = %s AND c.trashed_at IS NULL", [site.pk])
        return dict(cursor.fetchall())


def answered(api, site):
    """What the list answers, by content."""
    return {record["id"]: record["navigationUrl"] for record in read(api, site, perPage=1000)["contents"]}


def assert_agree(api, site):
    addresses = answered(api, site)
    assert addresses_in_database(site) == addresses
    for desc in (False, True):
        ordered = read(api, site, perPage=1000, orders=[{"column": "navigationUrl", "desc": desc}])["contents"]
        expected = sorted(((address, pk) for pk, address in addresses.items()), reverse=desc)
        assert [(record["navigationUrl"], record["id"]) for record in ordered] == expected
    return addresses


def assert_found(api, site):
    """Each answered address finds the contents that have it, and no others."""
    addresses = assert_agree(api, site)
    for address in set(addresses.values()):
        same = {pk for pk, one in addresses.items() if one == address}
        rules = [("=", address, same), (">=", address, {pk for pk, one in addresses.items() if one >= address})]
        if "," not in address and address == address.strip():
            rules.append(("In", f"{address}, nowhere", same))
        for operator, value, expected in rules:
            assert ids_found(api, site, operator, value) == expected, (operator, value)
        assert same <= ids_found(api, site, "Like", f"{address[:200]}%")
        assert not same & ids_found(api, site, "NotLike", f"{address[:200]}%")


def ids_found(api, site, operator, value):
    where = {"column": "NavigationUrl", "operator": operator, "value": value}
    return {record["id"] for record in read(api, site, perPage=1000, wheres=[where])["contents"]}


def add_contents(channel, *texts, **fields):
    """Contents whose texts are these, with all the fields that rules may name."""
    for place, text in enumerate(texts):
        ContentFactory(
            channel=channel,
            title=text or "x",
            **{
                "author": text,
                "summary": text,
                "sub_title": text[::-1],
                "tags": text,
                "image_url": ["@/a.png", "~/b.png", "/c.png", ""][place % 4],
                "video_url": ["", "@/" + text, "~/", "@"][place % 4],
                "is_checked": place % 3 != 1,
                "is_top": place % 2 == 0,
                "hits": place,
                "add_date": datetime(2018, 1 + place % 12, 3 + place % 25, place % 24, 5, 7),
                "last_hits_date": None if place % 2 else datetime(2019, 2, 3),
                "content": "body",
                "settings_xml": orjson.dumps(FIELDS | {"text": text}).decode(),
                **fields,
            },
        )


def know_fields(site):
    for name in [*FIELDS, "text"]:
        CustomField.objects.create(site=site, name=name, folded_name=name.casefold())


RULES = [
    "",
    "/contents/{@ChannelID}/{@ContentID}.html",
    "/CONTENTS/{@channelid}/{@contentid}.html",
    "news/{@contentId}.html",
    "//a///b////{@contentId}//.html",
    "/{@year}/{@month}/{@day}/{@hour}{@minute}{@second}/{@contentId}.html",
    "/{@sequence}.html",
    "/{@parentRule}/{@channelName}/{@lowerChannelName}/{@channelIndex}/{@lowerChannelIndex}.html",
    "/{@lowerTitle}-{@lowerAuthor}-{@lowerColour}-{@lowerText}.html",
    "/({@text}|{@contentId}).html",
    "/({@unknown}|{@summary}|{@contentId}).html",
    "/({@unknown}|).html",
    "/(|{@title}).html",
    "/(a|{@title}).html",
    "/(x{@text}|y).html",
    "/({@nothing}|{@names}|{@map}|none).html",
    "{@unknown}",
    "/{@imageUrl}/{@videoUrl}/{@fileUrl}.html",
    "/it's \"50%\" %s %(x)s \\ ? : $1 {} {0} ' \\' '' -- ;.html",
    "/新闻/😀/{@颜色}/{@lower颜色}/{@STRASSE}.html",
    "/(({@title}|b)|c) {@ {@} {@title {@a-b} (unclosed| .html",
    "/{@isTop}/{@lowerIsTop}/{@isNew}/{@lowerIsNew}/{@isOld}.html",
    "/{@addDate}/{@lastHitsDate}/{@lastEditDate}.html",
    "/{@content}{@settingsXml}{@navigationUrl}{@linkUrl}x.html",
]


@world
def site():
    """A site with hostile names, a channel without a rule of its own, and one below another."""
    site = SiteFactory(site_dir="museum")
    know_fields(site)
    for place, name in enumerate(HOSTILE):
        ChannelFactory(site=site, channel_name=name or "x", index_name=name)
        if place % 5 == 0:
            ChannelFactory(parent=Channel.objects.filter(site=site).last(), channel_name=name or "x")
    for place, channel in enumerate(Channel.objects.filter(site=site).order_by("id")):
        add_contents(channel, HOSTILE[place % len(HOSTILE)], HOSTILE[(place * 7 + 1) % len(HOSTILE)])
    return site


TOKENS_BY_SIX = ["/".join(f"{{@{token}}}" for token in TOKENS[start : start + 6]) for start in range(0, len(TOKENS), 6)]


@pytest.mark.parametrize("rules", [RULES[:12], RULES[12:], TOKENS_BY_SIX])
def test_a_rule_of_the_site_gives_one_address(api, site, rules):
    for rule in rules:
        Site.objects.filter(pk=site.pk).update(settings={"contentFilePathRule": rule})
        assert_agree(api, site)


def test_each_channel_may_have_another_rule(api, site):
    channels = list(Channel.objects.filter(site=site).order_by("id"))
    for place, channel in enumerate(channels):
        Channel.objects.filter(pk=channel.pk).update(content_file_path_rule=RULES[place % len(RULES)])
    assert_agree(api, site)


@pytest.mark.parametrize("rule", RULES)
def test_each_address_is_found(api, rule):
    site = SiteFactory(site_dir="museum", settings={"contentFilePathRule": rule})
    know_fields(site)
    for name in ("it's 50%", "新闻 😀"):
        add_contents(ChannelFactory(site=site, channel_name=name), *HOSTILE[::3])
    assert_found(api, site)


@pytest.mark.parametrize("fields", [
    {"site_dir": "", "is_root": True},
    {"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://x.example/a//b/"}},
    {"settings": {"isSeparatedWeb": True, "separatedWebUrl": "https://it's.example/50%"}},
    {"site_dir": "it's 100% 新闻"},
])  # fmt: skip
def test_a_site_may_stand_anywhere(api, fields):
    site = SiteFactory(**fields)
    for rule in ("", "/{@title}.html", "{@channelName}/{@contentId}.html"):
        channel = ChannelFactory(site=site, content_file_path_rule=rule)
        for link in ("", "@/x", "~/x", "@x", "~x", "@/", "~/", "@", "/x", "it's 50%", "https://a//b"):
            ContentFactory(channel=channel, link_url=link)
    assert_found(api, site)


def test_pictures_stand_in_addresses_as_they_are_answered(api):
    site = SiteFactory(site_dir="museum")
    channel = ChannelFactory(site=site, content_file_path_rule="/{@imageUrl}/{@videoUrl}.html")
    ContentFactory(channel=channel, title="a", image_url="@/A.png", video_url="~/b")
    (record,) = read(api, site)["contents"]
    assert record["navigationUrl"] == "/museum/museum/A.png/b.html"
    assert found(api, site, ("navigationUrl", "=", record["navigationUrl"])) == "a"


@pytest.mark.parametrize("pattern", ["%ÉCOLE%", "%école%", "%Éc_le%"])
@pytest.mark.parametrize(
    "rule", ["/{@lowerTitle}/{@title}.html", "/{@lowerTitle}{@lowerAuthor}.html", "/{@title}.html"]
)
def test_like_ignores_letter_case_beyond_ascii(api, rule, pattern):
    site = SiteFactory(settings={"contentFilePathRule": rule})
    channel = ChannelFactory(site=site)
    for title in ("ÉCOLE", "École", "ecole"):
        ContentFactory(channel=channel, title=title)
    records = read(api, site, wheres=[{"column": "navigationUrl", "operator": "Like", "value": pattern}])["contents"]
    assert {record["title"] for record in records} == {"ÉCOLE", "École"}


@pytest.mark.parametrize(
    "rules",
    [{"orders": [{"column": "navigationUrl", "desc": True}]}, {"wheres": [{"column": "navigationUrl", "value": "/"}]}],
)
def test_a_rule_for_a_site_that_is_not_there_is_400(api, rules):
    assert_error(api.post("/api/v1/contents", {"siteId": 5008} | rules), 400, "site_not_found")
    assert_error(api.get("/api/v1/contents/5008?orderBy=navigationUrl"), 404, "site_not_found")


def test_a_rule_is_400_where_too_many_contents_refer_to_others(api, monkeypatch):
    monkeypatch.setattr("contents.navigation.page_urls._MAX_REFERRING", 1)
    channel = ChannelFactory(content_file_path_rule="/{@title}.html")
    rules = {"siteId": channel.site_id, "orders": [{"column": "navigationUrl", "desc": True}]}
    for _ in range(2):
        assert api.post("/api/v1/contents", rules).status_code == 200
        ContentFactory(channel=channel, reference_id=1)
    assert_error(api.post("/api/v1/contents", rules), 400, "query_too_slow")


def test_references_count_as_what_they_lead_to(api):
    site, other = SiteFactory(), SiteFactory(site_dir="it's 50%")
    channel = ChannelFactory(site=site, content_file_path_rule="/{@title}/{@lowerTitle}.html")
    far = ContentFactory(channel=ChannelFactory(site=other), is_checked=True)
    hidden = ContentFactory(channel=far.channel)
    near = ContentFactory(channel=channel, title="it's 新 A")
    linked = ContentFactory(channel=channel, link_url='@/it\'s "x" \\ %s')
    copy = '{"translateContentType":"ReferenceContent"}'
    gone = ContentFactory(channel=channel, trashed_at=datetime(2020, 1, 1))
    for place, target in enumerate((far, hidden, near, linked, gone)):
        ContentFactory(channel=channel, title=f"r{place}", reference_id=target.pk)
        ContentFactory(channel=channel, title=f"c{place}", reference_id=target.pk, settings_xml=copy)
    ContentFactory(channel=channel, reference_id=-1)
    ContentFactory(channel=channel, reference_id=2**63 - 1, link_url="/link")
    assert_found(api, site)


def test_a_setting_does_not_stand_for_a_member(api):
    site = SiteFactory(settings={"contentFilePathRule": "/{@title}/{@author}/{@id}.html"})
    content = ContentFactory(
        channel=ChannelFactory(site=site), title="a", author="b", settings_xml='{"Title":"x","AUTHOR":"y","ID":0}'
    )
    assert assert_agree(api, site) == {content.pk: f"{site.web_url}/a/b/{content.pk}.html"}


def test_names_and_rules_are_no_sql(api, site):
    count = Content.objects.count()
    rule = "/'; DELETE FROM contents_content; --/{@title}.html"
    Site.objects.filter(pk=site.pk).update(settings={"contentFilePathRule": rule})
    address = next(iter(assert_agree(api, site).values()))
    assert "DELETE" in address
    assert Content.objects.count() == count


def letter_cases(names):
    return st.tuples(st.sampled_from(names), st.sampled_from([str, str.upper, str.lower, str.title])).map(
        lambda drawn: drawn[1](drawn[0])
    )


LITERALS = st.sampled_from([
    "/", "//", "a", ".html", "'", '"', "%", "%s", "%%", "\\", "\\'", "(", ")", "|", "{", "}", "{@", "@/", "~/", "?",
    ":", "$1", "\\1", "&", " ", "--", ";", "中文", "😀", "É", "ß", "\n", "_", "[", "]", "''", "E'", "$$", "a|b",
    "\u2028",
])  # fmt: skip
PIECES = LITERALS | letter_cases(TOKENS).map(lambda name: f"{{@{name}}}")
TEXTS = st.lists(PIECES, max_size=5).map("".join)
CHOICES = st.lists(TEXTS, min_size=2, max_size=3).map(lambda options: f"({'|'.join(options)})")
ANY_RULE = st.lists(PIECES | CHOICES, max_size=8).map(lambda pieces: "".join(pieces)[:500])
ANY_TEXT = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8
)


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    site_rule=ANY_RULE,
    rules=st.lists(ANY_RULE, min_size=3, max_size=3),
    channel_rules=st.lists(ANY_RULE, min_size=3, max_size=3),
    names=st.lists(ANY_TEXT, min_size=3, max_size=3),
    texts=st.lists(ANY_TEXT, min_size=3, max_size=3),
)
def test_any_rules_give_one_address(api, site_rule, rules, channel_rules, names, texts):
    with transaction.atomic():
        site = SiteFactory(site_dir="museum", settings={"contentFilePathRule": site_rule})
        know_fields(site)
        parent = None
        for rule, channel_rule, name in zip(rules, channel_rules, names, strict=True):
            place = {"site": site} if parent is None else {"parent": parent}
            channel = ChannelFactory(
                **place,
                channel_name=name,
                index_name=name if not Channel.objects.filter(site=site, index_name=name).exists() else "",
                content_file_path_rule=rule,
                channel_file_path_rule=channel_rule,
            )
            parent = parent or channel
            add_contents(channel, *texts)
        add_contents(Channel.objects.get(pk=site.pk), *texts)
        assert_agree(api, site)
        transaction.set_rollback(True)
