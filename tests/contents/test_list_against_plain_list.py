"""Any list of any contents is what plain Python makes of them (tests/contents/plain_list.py)."""

import json
from datetime import datetime

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app.models import Channel
from contents import deep_pages
from contents.models import CustomField
from tests.contents.asking import PATH
from tests.contents.plain_list import list_plainly
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

TEXTS = ["", "a", "A", "ab", "B", "b%", "_a", "é", "É", "中文", "10", "9", "it's", 'x"\\', "a\nb", " a", "True"]
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
WHERES = st.lists(
    st.one_of(
        rules(ALL_TEXTS, sparse([*PLAIN_TEXTS, *LINKS, *NAMES[:2], "red", "12", "False", "{}"])),
        rules(NUMBERS, st.integers(-1, 12)),
        rules(list(FLAG_COLUMNS), sparse(["True", "false"])),
        rules(WHEN, sparse([date.isoformat() for date in DATES])),
        st.fixed_dictionaries(
            {"column": sparse(COLUMNS), "operator": sparse(["Like", "NotLike"]), "value": sparse(PATTERNS)}
        ),
    ),
    max_size=2,
)
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


@pytest.mark.parametrize("threshold", [deep_pages.THRESHOLD, 0])
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(contents=CONTENTS, requests=st.lists(REQUESTS, min_size=1, max_size=5))
def test_any_list_is_what_plain_python_makes_of_it(api, channels, monkeypatch, threshold, contents, requests):
    # Every page of the default order counts as deep in the second run.
    monkeypatch.setattr(deep_pages, "THRESHOLD", threshold)
    with transaction.atomic():
        made = [make(channels[content["place"]], **content) for content in contents]
        records = [record for record in made if record is not None]
        for request in requests:
            body = {name: value for name, value in request.items() if name != "place"}
            if "place" in request:
                body["channelId"] = channels[request["place"]].pk
            answer = api.post(PATH, {"siteId": channels[0].pk, **body})
            assert answer.status_code == 200, (body, answer.content)
            found = answer.json()
            total, ids = list_plainly(records, body)
            assert (found["totalCount"], [record["id"] for record in found["contents"]]) == (total, ids), body
        transaction.set_rollback(True)
