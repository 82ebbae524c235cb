"""Whatever is sent to an stl element, the answer is a value or an error that says what is wrong; never a 500."""

import json
from itertools import product
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contents.models import Content, CustomField
from tests.assertions import assert_error
from tests.cases import each_once
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.stl.asking import ELEMENTS, path
from tests.worlds import world

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
LISTS_FIRST = sorted(ELEMENTS, key="contents".__ne__)  # contents before all others, since they read most parameters
SLOW_TEXT = "a" * 5000 + "!"
NUMBERS = ("siteId", "channelId", "contentId", "upLevel", "topLevel", "startNum", "totalNum", "wordNum", "startIndex",
           "length", "no")  # fmt: skip
WORDS = ("siteDir", "siteName", "channelIndex", "channelName", "type", "scope", "order", "where", "tags", "context",
         "groupChannel", "groupContent", "groupContentNot", "since", "replace", "to", "formatString", "ellipsis",
         "leftText", "host", "href", "queryString", "parent", "isTop", "isImage", "isRelatedContents", "isClearTags",
         "isOriginal", "title", "hits", "addDate", "colour", "unknown")  # fmt: skip
TYPES = {"site": ["motto"], "value": ["motto"], "channel": ["content", "motto", "addDate"],
         "content": ["title", "content", "motto", "addDate", "imageUrl"]}  # fmt: skip
ODD_NUMBERS = ["-1", "0", "-0", "1.5", "1e3", "x", "", " ", "0x10", "+", "１２", str(2**31), str(2**63), "-" + "9" * 30,
               str(10**30), "9" * 50_000, "NaN", "1,2"]  # fmt: skip
ODD_TEXTS = ["%", "_", "\\", "'", '"', "''", "%s", "%(x)s", "{", "}", "{0}", "{x.__class__}", "{0:{0}}", ",", ",,", ";",
             " ", "/", "//", "/(/", "\x01", "\x7f", "\ufffe", "\U0001f600", "\u202e", "\u0130", "ß", "not:", "end:,",
             "contains:%", "start:", "x" * 50_000, "," * 50_000, "中" * 20_000, "' OR '1'='1", "1; DROP TABLE x",
             "../x", "<script>", "javascript:;", "$1", "[", "]", "(", ")", "*", "a{9999999}",
             "0001-01-01 00:00:00"]  # fmt: skip


@world
def content():
    """A content with texts that slow patterns go through; its site and channel have such texts too."""
    site = SiteFactory(settings={"motto": SLOW_TEXT})
    channel = ChannelFactory(site=site, index_name="news", channel_name="News", content=SLOW_TEXT,
                             settings={"motto": SLOW_TEXT})  # fmt: skip
    CustomField.objects.create(site=site, name="motto", folded_name="motto")
    return ContentFactory(channel=channel, title=SLOW_TEXT[:250], content=SLOW_TEXT, is_checked=True, tags="x",
                          settings_xml=json.dumps({"motto": SLOW_TEXT}))  # fmt: skip


def context(content, element):
    """Parameters that lead to the content, its channel or its site."""
    query = {"siteId": content.site_id, "channelId": content.channel_id, "contentId": content.pk}
    return {name: value for name, value in query.items() if name != "contentId" or element in {"content", "a"}}


def assert_sound(response):
    """A value, or a 400 with a sentence and a code; always JSON."""
    assert response.status_code in {200, 400}, (response.status_code, response.getvalue()[:500])
    if response.status_code == 200:
        assert list(json.loads(response.getvalue())) == ["value"]
    else:
        assert_error(response, 400)


def dealt(element, names, texts):
    """Pairs of a name and a text: each pair for one element, and several of each name for every element."""
    place = ELEMENTS.index(element)
    pairs = product(enumerate(names), enumerate(texts))
    return [(name, text) for (row, name), (column, text) in pairs if (row + column) % len(ELEMENTS) == place]


@pytest.mark.parametrize("element", ELEMENTS)
def test_odd_numbers(api, content, element):
    for name, text in dealt(element, NUMBERS, ODD_NUMBERS):
        for kind in ["", *TYPES.get(element, [])]:
            assert_sound(api.get(path(element, context(content, element) | {"type": kind, name: text})))


@pytest.mark.parametrize("element", ELEMENTS)
def test_odd_texts(api, content, element):
    query = context(content, element) | {"type": TYPES.get(element, [""])[-1]}
    for name, text in dealt(element, WORDS, ODD_TEXTS):
        assert_sound(api.get(path(element, query | {name: text})))


@pytest.mark.parametrize("element", ELEMENTS)
def test_an_odd_text_instead_of_a_site(api, content, element):
    for text in ODD_TEXTS:
        assert_sound(api.get(path(element, {"siteDir": text})))


READ = {
    "siteId": ELEMENTS,
    "siteDir": ELEMENTS,
    "siteName": ("site", "sites"),
    "channelIndex": ("channel", "channels", "contents", "a", "count"),
    "channelName": ("channel", "channels", "contents", "a", "count"),
    "type": ("site", "value", "channel", "content", "count"),
    "scope": ("sites", "channels", "contents", "count"),
    "where": ("sites", "channels", "contents"),
    "order": ("sites", "channels", "contents"),
    "title": ("contents",),
    "tags": ("contents",),
    "groupContent": ("contents",),
    "since": ("count",),
    "queryString": ("a",),
}


@pytest.mark.parametrize("name,element", [
    *((name, elements[0]) for name, elements in READ.items()),
    *(("siteId", element) for element in ELEMENTS[1:]),
])  # fmt: skip
def test_a_nul_character_in_what_is_read_is_400(api, content, name, element):
    query = {key: value for key, value in context(content, element).items() if key != name}
    if name == "siteDir":
        query.pop("siteId")
    body = assert_error(api.get(path(element, query) + f"&{name}=a%00b"), 400)
    assert name in body["message"]


@each_once(
    ("element", LISTS_FIRST),
    ("raw", [
    "%00=%00",
    "x%00y=1",
    "unknown=%00",
    "%ff=%fe",
    "type=%ff%fe",
    "siteDir=%ff",
    "channelIndex=%c3%28",
    "channelName=%ed%a0%80",
    "where=%ff",
    "order=%ed%a0%80",
    "title=%ed%a0%80",
    "tags=%ff%22",
    "%",
    "%%%",
    "=",
    "&&&",
    "?",
    ";",
    "a[b]=c",
    "type=%u0041",
    "%E4%B8%AD=%E6%96%87",
    "\u0130=1&\u0131=2&ß=3&\u017fcope=All",
]),
)  # fmt: skip
def test_what_no_browser_sends(api, content, element, raw):
    raw = quote(raw, safe="%=&?;[]") if not raw.isascii() else raw
    for kind in ["", *TYPES.get(element, [])]:
        query = urlencode(context(content, element) | ({"type": kind} if kind else {}))
        assert_sound(api.get(path(element, f"{query}&{raw}")))
        assert_sound(api.get(path(element, raw)))


@pytest.mark.parametrize("element", ELEMENTS)
def test_repeated_parameters_are_one_text(api, content, element):
    site_id = content.site_id
    # Two numbers are none; that means the first site, which is this one.
    assert_sound(api.get(path(element, f"siteId={site_id}&siteId={site_id}&SITEID=x")))
    for name in (*NUMBERS, *WORDS):
        pairs = [*context(content, element).items(), (name, "a"), (name.upper(), "b"), (name, "/(/")]
        assert_sound(api.get(path(element, pairs)))


@each_once(
    ("element", LISTS_FIRST),
    ("count", [100, 900]),
)
def test_hundreds_of_parameters(api, content, element, count):
    pairs = [*context(content, element).items(), *((f"x{number}", "y") for number in range(count))]
    response = api.get(path(element, pairs))
    assert response.status_code == 200, response.getvalue()


@pytest.mark.parametrize("element", ELEMENTS)
def test_thousands_of_parameters(api, content, element):
    for name in ("x{}", "x", "siteDir", "tags"):
        pairs = [(name.format(number), "y") for number in range(5000)]
        assert_sound(api.get(path(element, pairs)))


def test_many_filters_are_400(api, content):
    columns = ["title", "author", "source", "hits", "taxis", "summary"]
    for number in range(60):
        CustomField.objects.create(site=content.site, name=f"f{number}", folded_name=f"f{number}")
    pairs = [(name, "1") for name in [*columns, *(f"f{number}" for number in range(60))]]
    response = api.get(path("contents", [*context(content, "contents").items(), *pairs]))
    assert_error(response, 400, "too_many_entries")


# ---- patterns and formats

PATTERNS = [
    ("/(/", "bad_pattern"),
    ("/)/", "bad_pattern"),
    ("/[/", "bad_pattern"),
    ("/*/", "bad_pattern"),
    ("/a**/", "bad_pattern"),
    ("/\\/", "bad_pattern"),
    ("/(?<n>a)(?<n/", "bad_pattern"),
    (r"/\k<nothing>/", "bad_pattern"),
    ("/(((((a{99}){99}){99}){99}){99})/", "bad_pattern"),
    ("/" + "(" * 60 + ")" * 60 + "/", "bad_pattern"),
    ("/" + "a" * 2000 + "/", "bad_pattern"),
    ("/(?R)/", "bad_pattern"),
]
TYPED = [(element, kind) for element, kinds in TYPES.items() for kind in kinds if kind not in {"addDate", "imageUrl"}]


@each_once(
    ("element,kind", TYPED),
    ("pattern,code", PATTERNS),
)
def test_a_bad_pattern_is_400(api, content, element, kind, pattern, code):
    query = context(content, element) | {"type": kind, "replace": pattern, "to": "$1"}
    body = assert_error(api.get(path(element, query)), 400, code)
    assert body["member"] == "replace"


SLOW = ["/(a+)+$/", "/(a|aa)+$/", "/(a*)*$/", "/(?:a+b?)+c/", r"/(.*)\1$/"]


# Each pattern once, since all elements replace by the same function, and each element with the first.
@pytest.mark.parametrize(
    "element,kind,pattern", [*((*each, SLOW[0]) for each in TYPED), *((*TYPED[0], each) for each in SLOW[1:])]
)
def test_a_slow_pattern_is_stopped(api, content, element, kind, pattern):
    query = context(content, element) | {"type": kind, "replace": pattern, "to": "x"}
    response = api.get(path(element, query))
    assert_sound(response)
    if response.status_code == 400:
        assert response.json()["code"] == "pattern_too_slow"


def test_a_pattern_that_never_ends_is_400(api, content):
    query = context(content, "content") | {"type": "content", "replace": "/(a|aa)+$/"}
    assert_error(api.get(path("content", query)), 400, "pattern_too_slow")


def test_a_replacement_that_grows_without_end_is_400(api, content):
    for replace in ("a", "/a/", "a,!"):
        query = context(content, "content") | {"type": "motto", "replace": replace, "to": "b" * 20_000}
        assert_error(api.get(path("content", query)), 400, "result_too_large")


@each_once(
    ("element", ["channel", "content"]),
    ("format_string", [
    "q", "{0:q}", "{", "}}", "{0:yyyy", "{1}", "{0:yyyy}}", "yyyy'", '"', "\\", "%", "ffffffff", "x" * 101, "{0:{0}}",
]),
)  # fmt: skip
def test_a_bad_format_is_400(api, content, element, format_string):
    query = context(content, element) | {"type": "addDate", "formatString": format_string}
    response = api.get(path(element, query))
    assert_sound(response)
    if response.status_code == 400:
        assert assert_error(response, 400, "bad_format")["member"] == "formatString"
    else:
        # Completed to {0:…}, these are formats.
        assert format_string in {"{0:yyyy", "}}", "{", "{0:{0}}"}, response.getvalue()


# ---- hostile conditions

HOSTILE = [
    "1=1",
    "id = id",
    "id = (SELECT 1)",
    "id = 1 UNION SELECT * FROM apikeys_apikey",
    "id = 1; DELETE FROM contents_content",
    "id = 1 /* */",
    "title = 'x' OR 1=1 --",
    "title = 'x\\' OR id > 0 --'",
    "EXISTS (SELECT 1)",
    "pg_sleep(10) = ''",
    "load_extension('x') = ''",
    "title LIKE char(37)",
    "title || title = 'x'",
    "title COLLATE nocase = 'x'",
    "@@version = 1",
    "id = 0x10",
    "id = 1e9",
    "(" * 5000,
    "NOT " * 2000 + "id = 1",
    "id = 1 AND " * 300 + "id = 1",
    "id IN (" + ",".join(["1"] * 2000) + ")",
    "'" * 4001,
    '"id" = 1 AND [id',
]


@each_once(
    ("element", ["contents", "channels", "sites"]),
    ("where", HOSTILE),
)
def test_a_hostile_condition_is_400(api, content, element, where):
    query = context(content, element) | {"where": where}
    assert_error(api.get(path(element, query)), 400, "bad_where")
    assert Content.objects.count() == 1


@each_once(
    ("element", ["contents", "channels", "sites"]),
    ("where", [
    "id = '99999999999999999999999999'",
    "id = 'x'",
    "taxis > 9999999999999999999999999999",
    "id = '1''; --'",
    "id LIKE '" + "%" * 250 + "'",
    "id LIKE '" + "_%" * 125 + "'",
    "id LIKE '" + "x" * 300 + "'",
    "id = '" + "9" * 3900 + "'",
    "(" * 20 + "id = 1" + ")" * 20,
    "id = '\ufffd'",
]),
)  # fmt: skip
def test_odd_values_of_a_condition(api, content, element, where):
    assert_sound(api.get(path(element, context(content, element) | {"where": where})))


# ---- anything at all

NAMES = st.sampled_from([*NUMBERS, *WORDS, "isAllChildren", "isTotal", "groupChannelNot", "isUpper", "isReturnToBr",
                         "rightText", "separator", "isFile"])  # fmt: skip
VALUES = st.one_of(
    st.text(max_size=30),
    st.sampled_from([*ODD_NUMBERS[:-3], *(text for text in ODD_TEXTS if len(text) < 100), "All", "Self", "Descendant",
                     "true", "false", "title", "content", "addDate", "motto", "channelName", "id", "id DESC", "Random",
                     "AddDateBack", "Hits", "id > 0", "title LIKE '%a%'", "news", "News", "Site", "Channel", "1", "2",
                     "yyyy", "all", "contains:a", "not:x", "1d"]),
    st.integers().map(str),
)  # fmt: skip


@settings(max_examples=75, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    element=st.sampled_from(ELEMENTS),
    pairs=st.lists(st.tuples(st.one_of(NAMES, NAMES, NAMES, st.text(max_size=8)), VALUES), max_size=8),
    is_led=st.booleans(),
)
def test_nothing_at_all_is_a_500(api, content, element, pairs, is_led):
    led = [(name, str(value)) for name, value in context(content, element).items()] if is_led else []
    known = [pair for pair in led if pair[0].lower() not in {name.lower() for name, _ in pairs}]
    text = urlencode([*known, *pairs], errors="surrogatepass")
    assert_sound(api.get(path(element, text)))
