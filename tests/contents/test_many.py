"""Contents that are stored many at once are those that would have been stored one by one."""

import pytest
from django.db import transaction

from contents.models import Content, ContentBody, ContentChange, CustomField, ListedContent
from contents.services.bulk import change_contents, create_contents, update_contents
from contents.services.single import create_content, update_content
from contents.storing.locking import Seen
from core import audit
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.errors import InvalidInput, NotFound, ServiceError
from core.rest.serializers import Members
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stopped_clock")]
ACTOR = audit.Actor("administrator", administrator_id=7, name="harriet")


@pytest.fixture(autouse=True)
def somebody_acts_at_one_moment(monkeypatch):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    with audit.acting_as(ACTOR):
        yield


def channels(**options):
    """Two channels of two sites that are alike."""
    made = [ChannelFactory(site=SiteFactory(web_url="https://port.example"), **options) for _each in range(2)]
    for channel in made:
        CustomField.objects.create(site=channel.site, name="videoLength", folded_name="videolength")
    return made


def state(channel):
    """All that is stored of the contents of the channel, but for numbers that differ anyway."""
    own = {"id", "site_id", "channel_id"}
    contents = Content.objects.filter(channel=channel).order_by("taxis")
    rows = [{name: value for name, value in row.items() if name not in own} for row in contents.values()]
    numbers = list(contents.values_list("pk", flat=True))
    bodies = [ContentBody.objects.filter(pk=pk).values_list("text", flat=True).first() for pk in numbers]
    changes = ContentChange.objects.filter(content__in=numbers).order_by("content__taxis", "version")
    told = changes.values("version", "at", "kind", "actor_name", "before", "body_before")
    entries = AuditEntry.objects.filter(site_id=channel.site_id, action__startswith="content.").order_by("object_name")
    lists = ListedContent.objects.filter(content__in=numbers).order_by("content__taxis", "kind", "owner_id")
    fields = CustomField.objects.filter(site=channel.site).order_by("name").values_list("name", flat=True)
    return {
        "rows": rows,
        "bodies": bodies,
        "changes": list(told),
        "audit": list(entries.values_list("action", "object_name", "actor_name")),
        "lists": list(lists.values_list("kind", "is_checked", "is_top", "taxis")),
        "fields": list(fields),
    }


NEW = [
    Members({"title": "港口", "content": "<p>a</p>", "tags": "ships,Quays", "group_name_collection": "News"}, {}),
    Members({"title": "b", "is_checked": True, "is_top": True, "image_url": "/sites/1/upload/a.jpg"}, {}),
    Members({"title": "c", "add_user_name": "ann"}, {"VIDEOLENGTH": "3:20", "berth": "4", "title": "none"}),
]


def test_new_ones():
    one, other = channels()
    for members in NEW:
        create_content(one.site_id, one.pk, members, "harriet")
    create_contents(other.site_id, other.pk, NEW, "harriet")
    assert state(other) == state(one)
    assert [row["settings_xml"] for row in state(other)["rows"]][2] == '{"videoLength":"3:20","berth":"4"}'
    # The next ones are numbered after them.
    create_contents(other.site_id, other.pk, [NEW[0]], "harriet")
    assert Content.objects.filter(channel=other).order_by("-taxis").values_list("taxis", flat=True).first() == 4


CHANGES = [
    Members({"title": "Changed", "content": "<p>after</p>", "is_checked": True}, {}),
    Members({"summary": "S", "tags": "new", "is_checked": False, "is_top": True}, {"videolength": "9:00"}),
    Members({"title": "Same", "content": "<p>same</p>"}, {}),  # as it is
    Members({"content": "<p>of one that had none</p>"}, {}),
    Members({"image_url": "https://port.example/a.jpg", "title": "Once more"}, {}),  # what a client was answered
    Members({"link_url": "https://example.org/"}, {"berth": ""}),
]
OLD = [
    {"title": "Old", "content": "<p>before</p>", "is_checked": False},
    {"title": "Old too", "is_checked": True, "settings_xml": '{"videoLength":"3:20","other":"x"}'},
    {"title": "Same", "content": "<p>same</p>"},
    {"title": "Bodiless"},
    {"title": "Picture", "image_url": "@/a.jpg"},
    {"title": "Linked"},
]


def fill(channel):
    added = {"channel": channel, "add_date": clock.now()}
    made = [ContentFactory(taxis=place, **added, **values) for place, values in enumerate(OLD, 1)]
    ContentBody.objects.filter(pk=made[3].pk).delete()
    return made


@pytest.mark.parametrize("most", [4_000_000, 15])
def test_changed_ones(monkeypatch, most):
    monkeypatch.setattr("contents.storing.batches._MAX", most)
    one, other = channels()
    old, others = fill(one), fill(other)
    for content, members in zip(old, CHANGES, strict=True):
        update_content(one.site_id, one.pk, content.pk, members, "harriet")
    locked = list(Content.objects.filter(pk__in=[each.pk for each in others]).order_by("pk"))
    change_contents(other.site, list(zip(locked, CHANGES, strict=True)), "harriet")
    assert state(other) == state(one)
    versions = [row["version"] for row in state(other)["rows"]]
    assert versions == [2, 2, 1, 2, 2, 2]
    assert len(state(other)["audit"]) == 2


def test_members_are_kept_whichever_way_a_row_spells_them():
    one, other = channels()
    rows = [{"harbourDue": "1"}, {"HARBOURDUE": "2"}, {"harbourdue": "3", "VideoLength": "4"}]
    bodies = [Members({"title": str(place)}, row) for place, row in enumerate(rows)]
    for members in bodies:
        create_content(one.site_id, one.pk, members, "harriet")
    create_contents(other.site_id, other.pk, bodies, "harriet")
    assert state(other) == state(one)
    assert [row["settings_xml"] for row in state(other)["rows"]] == [
        '{"harbourDue":"1"}', '{"harbourDue":"2"}', '{"harbourDue":"3","videoLength":"4"}',
    ]  # fmt: skip


ODD = [
    Members({"title": "taxis of its own", "taxis": 11}, {}),
    Members({"title": "after it"}, {}),
    Members({"title": "below both", "taxis": 3}, {}),
    Members({"title": "settings", "settings_xml": '{"VIDEOLENGTH": 3, "depth": [1]}'}, {"harbour": True}),
    Members({"title": "pairs", "settings_xml": "berth=4&pier=2", "last_hits_date": None}, {"berth": 5}),
    Members({"title": "no dates", "add_date": None, "last_edit_date": None}, {}),
]


def test_members_that_no_table_has():
    one, other = channels()
    for members in ODD:
        create_content(one.site_id, one.pk, members, "harriet")
    create_contents(other.site_id, other.pk, ODD, "harriet")
    assert state(other) == state(one)
    assert list(Content.objects.filter(channel=other).order_by("pk").values_list("taxis", flat=True)) == [
        11, 12, 3, 13, 14, 15,
    ]  # fmt: skip
    changes = [
        Members({"taxis": 40}, {}),
        Members({"settings_xml": '{"depth": 2}', "add_date": None}, {"quay": "x"}),
        Members({"title": "same", "last_hits_date": None}, {}),
    ]
    for channel in (one, other):
        contents = list(Content.objects.filter(channel=channel).order_by("pk")[:3])
        if channel == one:
            for content, members in zip(contents, changes, strict=True):
                update_content(one.site_id, one.pk, content.pk, members, "harriet")
        else:
            change_contents(other.site, list(zip(contents, changes, strict=True)), "harriet")
        create_content(channel.site_id, channel.pk, Members({"title": "next"}, {}), "harriet")
    assert state(other) == state(one)
    assert state(other)["rows"][-1]["taxis"] == 41


def test_those_that_cannot_be_stored_are_refused_and_all_others_stored():
    (channel, _other) = channels()
    blank, unreadable = Members({"title": " "}, {}), Members({"title": "a", "settings_xml": "{"}, {"onlyHere": 1})
    made = create_contents(channel.site_id, channel.pk, [blank, NEW[0], unreadable, NEW[1]], "harriet")
    assert [isinstance(each, ServiceError) for each in made] == [True, False, True, False]
    assert [row["taxis"] for row in state(channel)["rows"]] == [1, 2]
    seen = [Seen(channel.site_id, each.pk) for each in (made[1], made[3])] + [Seen(channel.site_id, 10**9)]
    done = update_contents(seen, [blank, Members({"title": "changed"}, {}), Members({}, {})], "harriet")
    assert [type(each) for each in done] == [InvalidInput, Content, NotFound]
    assert [row["title"] for row in state(channel)["rows"]] == ["港口", "changed"]
    assert "onlyHere" not in state(channel)["fields"]


def test_a_field_that_is_too_large_leaves_its_content_as_it_was(settings):
    settings.CMS_MAX_CUSTOM_FIELD_BYTES = 20
    (channel, _other) = channels()
    old = [ContentFactory(channel=channel, content="before") for _ in range(2)]
    large = Members({"content": "after", "title": "after"}, {"depth": "x" * 30})
    refusal, _changed = change_contents(
        channel.site, [(old[0], large), (old[1], Members({"content": "after"}, {}))], "harriet"
    )
    assert refusal.code == "custom_field_too_large"
    assert sorted(ContentBody.objects.values_list("text", flat=True)) == ["after", "before"]
    assert [row["version"] for row in state(channel)["rows"]] == [1, 2]
    assert "depth" not in state(channel)["fields"]


def test_the_last_hit_may_never_have_been():
    one, other = channels()
    for channel in (one, other):
        hit = {"title": "Hit", "last_hits_date": "2026-01-01 00:00:00"}
        ContentFactory(channel=channel, taxis=1, add_date=clock.now(), **hit)
    never = Members({"last_hits_date": None}, {})
    content = Content.objects.get(channel=one)
    update_content(one.site_id, one.pk, content.pk, never, "harriet")
    change_contents(other.site, [(Content.objects.get(channel=other), never)], "harriet")
    assert state(other) == state(one)
    assert state(other)["rows"][0]["last_hits_date"] is None


@pytest.mark.parametrize("settings,trashed", [({"isContentAddable": False}, None), ({}, "2026-01-01 00:00:00")])
def test_a_channel_that_takes_none_gets_none(settings, trashed):
    channel = ChannelFactory(settings=settings, trashed_at=trashed)
    with pytest.raises(InvalidInput), transaction.atomic():
        create_contents(channel.site_id, channel.pk, NEW, "harriet")
    assert not Content.objects.exists()
