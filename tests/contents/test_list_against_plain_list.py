"""Any list of any contents is what plain Python makes of them (tests/contents/plain_list.py)."""

import json
from datetime import datetime

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app.models import Channel
from contents.lists import deep_pages
from contents.models import CustomField
from tests.contents.asking import PATH
from tests.contents.plain_list import list_plainly
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

TEXTS = [
    "",
    "a",
    "A",
    "ab",
    "!*[?]",
    "B",
    "b%",
    "_a",
    "é",
    "É",
    "中文",
    "10",
    "9",
    "it's",
    'x"\\',
    "a\nb",
    " a",
    "True",
]
DATES = [datetime(2019, 12, 31, 23, 59, 59), datetime(2020, 1, 1), datetime(2020, 1, 1, 0, 0, 1)]
NAMES = ["", "g", "g,h", " h , i ", "G", "gh", ",g,,g"]
LINKS = ["", "@/x.html", "~/x.html", "http://a/", "/b"]
PATTERNS = ["%", "a%", "%A", "%b%", "_%", "%_%_%", "%é", "%_a%", "1%", "%'%", "%\\", "%e", "20%", "%:0_", "%\n%", "/%"]
PLACES = st.integers(0, 4)

TEXT_COLUMNS = {
    "addUserName": "add_user_name",
    "lastEditUserName": "last_edit_user_name",
    "writingUserName": "writing_user_name",
    "subTitle": "sub_title",
    "summary": "summary",
    "author": "author",
    "source": "source",
    "imageUrl": "image_url",
    "videoUrl": "video_url",
    "fileUrl": "file_url",
    "content": "content",
}
NUMBER_COLUMNS = {
    "taxis": "taxis",
    "sourceId": "source_id",
    "referenceId": "reference_id",
    "checkedLevel": "checked_level",
    "hits": "hits",
    "hitsByDay": "hits_by_day",
    "hitsByWeek": "hits_by_week",
    "hitsByMonth": "hits_by_month",
}
FLAG_COLUMNS = {
    "isChecked": "is_checked",
    "isTop": "is_top",
    "isRecommend": "is_recommend",
    "isHot": "is_hot",
    "isColor": "is_color",
}
CUSTOM = "it's 50%"

sparse = st.sampled_from
CONTENTS = st.lists(
    st.fixed_dictionaries(
        {"place": PLACES, "is_trashed": sparse([False, False, False, True]), "title": sparse(TEXTS[1:])},
        optional={
            **dict.fromkeys(TEXT_COLUMNS.values(), sparse(TEXTS)),
            **dict.fromkeys(NUMBER_COLUMNS.values(), st.integers(0, 11)),
            **dict.fromkeys(FLAG_COLUMNS.values(), st.booleans()),
            "group_name_collection": sparse(NAMES),
            "tags": sparse(NAMES),
            "link_url": sparse(LINKS),
            "add_date": sparse(DATES),
            "last_edit_date": sparse(DATES),
            "last_hits_date": sparse([None, *DATES]),
            "custom": sparse(["red", "Red", "", 12, -1, True, False, None, "x'\"\\%"]),
        },
    ),
    max_size=10,
)


def rules(columns, values):
    """Where rules on the columns; In takes several of the values."""
    column = sparse(columns)
    compared = st.fixed_dictionaries(
        {"column": column, "value": values}, optional={"operator": sparse(["=", "!=", ">", ">=", "<", "<="])}
    )
    several = st.lists(values, max_size=3).map(lambda chosen: " , ".join(map(str, chosen)))
    return compared | st.fixed_dictionaries({"column": column, "value": several, "operator": sparse(["In", "NotIn"])})


PLAIN_TEXTS = [text for text in TEXTS if text == text.strip() and "," not in text]
ALL_TEXTS = [*TEXT_COLUMNS, "title", "groupNameCollection", "tags", "linkUrl", "navigationUrl", "settingsXml", CUSTOM]
NUMBERS = [*NUMBER_COLUMNS, "id", "channelId", "siteId"]
WHEN = ["addDate", "lastEditDate", "lastHitsDate"]
COLUMNS = [*ALL_TEXTS, *NUMBERS, *WHEN, *FLAG_COLUMNS]
ENDS = [text for text in PLAIN_TEXTS if text]
PARTS = ["a", "A", "%", "_", "b%", "_a", "É", "e", "'", "\\", "\n", "中", "1", "0", "!", "*", "[", "?", "20", "/", "Ru"]


def between(columns, values):
    """Between rules on the columns."""
    ends = st.tuples(values, values).map(lambda chosen: " , ".join(map(str, chosen)))
    return st.fixed_dictionaries({"column": sparse(columns), "operator": st.just("Between"), "value": ends})


RULES = st.one_of(
    rules(ALL_TEXTS, sparse([*PLAIN_TEXTS, *LINKS, *NAMES[:2], "red", "12", "False", "{}"])),
    rules(NUMBERS, st.integers(-1, 12)),
    rules(list(FLAG_COLUMNS), sparse(["True", "false"])),
    rules(WHEN, sparse([date.isoformat() for date in DATES])),
    between(ALL_TEXTS, sparse(ENDS)),
    between(NUMBERS, st.integers(-1, 12)),
    between(WHEN, sparse([date.isoformat() for date in DATES])),
    st.fixed_dictionaries(
        {"column": sparse(COLUMNS), "operator": sparse(["Like", "NotLike"]), "value": sparse(PATTERNS)}
    ),
    st.fixed_dictionaries(
        {
            "column": sparse(COLUMNS),
            "operator": sparse(["StartsWith", "EndsWith", "Contains"]),
            "value": sparse(PARTS),
        }
    ),
    st.fixed_dictionaries(
        {"column": sparse(COLUMNS), "operator": st.just("IsNull")}, optional={"value": sparse([True, "false", "True"])}
    ),
)
ENTRIES = st.recursive(
    RULES,
    lambda entries: st.one_of(
        st.fixed_dictionaries({"any": st.lists(entries, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"all": st.lists(entries, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"not": entries}),
    ),
    max_leaves=6,
)
WHERES = st.lists(ENTRIES, max_size=2)
REQUESTS = st.fixed_dictionaries(
    {"perPage": st.integers(1, 4)},
    optional={
        "page": st.integers(-1, 4),
        "place": PLACES,
        **dict.fromkeys(["checked", "top", "recommend", "hot", "color"], st.booleans()),
        "groupNames": st.lists(sparse(["g", "h", "i", "G", "?"]), max_size=3),
        "tagNames": st.lists(sparse(["g", "h", "i", "G", "?"]), max_size=3),
        "wheres": WHERES,
        "orders": st.lists(st.fixed_dictionaries({"column": sparse(COLUMNS), "desc": st.booleans()}), max_size=2)
        | st.booleans().map(lambda desc: [{"column": "addDate", "desc": desc}]),
    },
)


@pytest.fixture
def channels(db):
    """Five channels of one site, at three levels, the home channel first."""
    site = SiteFactory(site_dir="museum")
    CustomField.objects.create(site=site, name=CUSTOM, folded_name=CUSTOM.casefold())
    first = ChannelFactory(site=site)
    below = [ChannelFactory(parent=first) for _ in range(2)]
    return [Channel.objects.get(pk=site.pk), first, *below, ChannelFactory(parent=below[0])]


def make(channel, *, place, is_trashed, custom=..., **fields):
    """A content, and its members as values of Python; None for one in the trash."""
    if custom is not ...:
        fields["settings_xml"] = json.dumps({CUSTOM: custom}, separators=(",", ":"))
    content = ContentFactory(channel=channel, trashed_at=DATES[0] if is_trashed else None, **fields)
    if is_trashed:
        return None
    wires = TEXT_COLUMNS | NUMBER_COLUMNS | FLAG_COLUMNS
    record = {wire: fields.get(name, getattr(content, name, "")) for wire, name in wires.items()}
    page = f"/museum/contents/{channel.pk}/{content.pk}.html"
    link = content.link_url.replace("@/", "/museum/").removeprefix("~") or page
    return record | {
        "id": content.pk,
        "channelId": channel.pk,
        "siteId": channel.site_id,
        "title": content.title,
        "groupNameCollection": content.group_name_collection,
        "tags": content.tags,
        "linkUrl": content.link_url,
        "navigationUrl": link,
        "settingsXml": content.settings_xml,
        "addDate": content.add_date,
        "lastEditDate": content.last_edit_date,
        "lastHitsDate": content.last_hits_date,
        CUSTOM: "" if custom in (..., None) else str(custom),
        "above": [channel.pk, *map(int, filter(None, channel.parents_path.split(",")))],
    }


ANY_LIST = settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
# Members of any length have no place in a cursor.
UNLIMITED = {"content", "summary", "settingsXml", CUSTOM}


def body_of(channels, request):
    """The body that asks for it."""
    body = {name: value for name, value in request.items() if name != "place"}
    place = {"channelId": channels[request["place"]].pk} if "place" in request else {}
    return {"siteId": channels[0].pk, **body, **place}


def answer_to(api, body):
    answer = api.post(PATH, body)
    assert answer.status_code == 200, (body, answer.content)
    return answer.json()


@pytest.mark.parametrize("threshold", [deep_pages.THRESHOLD, 0])
@ANY_LIST
@given(contents=CONTENTS, requests=st.lists(REQUESTS, min_size=1, max_size=5))
def test_any_list_is_what_plain_python_makes_of_it(api, channels, monkeypatch, threshold, contents, requests):
    # Every page of the default order counts as deep in the second run.
    monkeypatch.setattr(deep_pages, "THRESHOLD", threshold)
    with transaction.atomic():
        made = [make(channels[content["place"]], **content) for content in contents]
        records = [record for record in made if record is not None]
        for request in requests:
            body = body_of(channels, request)
            found = answer_to(api, body)
            total, ids = list_plainly(records, body)
            assert (found["totalCount"], [record["id"] for record in found["contents"]]) == (total, ids), body
        transaction.set_rollback(True)


@ANY_LIST
@given(contents=CONTENTS, request=REQUESTS)
def test_pages_by_cursor_are_the_whole_list(api, channels, contents, request):
    with transaction.atomic():
        made = [make(channels[content["place"]], **content) for content in contents]
        records = [record for record in made if record is not None]
        body = body_of(channels, request) | {"count": "none"}
        body.pop("page", None)
        body["orders"] = [order for order in body.get("orders", []) if order["column"] not in UNLIMITED]
        pages, cursor = [], ""
        while cursor is not None:
            found = answer_to(api, body | {"cursor": cursor})
            assert found["totalCount"] is None
            pages.append([record["id"] for record in found["contents"]])
            cursor = found["nextCursor"]
            assert len(pages) <= len(contents) + 1, body
        _, ids = list_plainly(records, body | {"perPage": 100})
        assert [one for page in pages for one in page] == ids, body
        assert all(len(page) == body["perPage"] for page in pages[:-1])
        assert len(pages[-1]) > 0 or not ids
        transaction.set_rollback(True)


@ANY_LIST
@given(contents=CONTENTS, request=REQUESTS, fields=st.lists(sparse([*COLUMNS, "ID", "NavigationURL"]), min_size=1))
def test_chosen_members_are_those_of_the_whole_contents(api, channels, contents, request, fields):
    with transaction.atomic():
        for content in contents:
            make(channels[content["place"]], **content)
        body, folded = body_of(channels, request), {name.casefold() for name in fields}
        whole, chosen = answer_to(api, body), answer_to(api, body | {"fields": fields})
        expected = [
            [(name, value) for name, value in record.items() if name.casefold() in folded]
            for record in whole["contents"]
        ]
        assert [list(record.items()) for record in chosen["contents"]] == expected
        assert chosen["totalCount"] == whole["totalCount"]
        transaction.set_rollback(True)
