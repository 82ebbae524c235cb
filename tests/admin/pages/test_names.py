"""The groups and tags of contents in the back end: made, renamed, joined and removed with the names in contents."""

import pytest

from contents.models import Content, ContentGroup, ContentTag
from contents.services import labels
from contents.services.labels import TAGS, replace_name
from contents.services.single import trash_content
from contents.storing.history import version_of
from tests.admin.markup import offences
from tests.admin.pages.browsing import listed, noted, place, told
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.contents.trash import restore_content
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
GROUPS_PAGE, TAGS_PAGE = "contents_contentgroup", "contents_contenttag"


@pytest.fixture
def channel():
    return ChannelFactory()


def tag(name):
    return ContentTag.objects.get(tag_name=name)


def names(member="tags"):
    return list(Content.objects.order_by("pk").values_list(member, flat=True))


def test_the_lists_tell_how_many_contents_carry_each(highest, channel):
    for tags in ("a", "a,b", "b, a"):
        ContentFactory(channel=channel, tags=tags, group_name_collection="front")
    ContentTag.objects.create(site=channel.site, tag_name="unused")
    shown = {row.tag_name: row.number_of_contents for row in listed(highest, TAGS_PAGE)}
    assert shown == {"a": 3, "b": 2, "unused": 0}
    text = highest.get(place(GROUPS_PAGE)).content.decode()
    assert f"?site__id__exact={channel.site_id}&amp;group=front" in text
    assert [row.tag_name for row in listed(highest, TAGS_PAGE, q="unu")] == ["unused"]


def test_a_tag_is_renamed_in_all_contents_and_their_histories(highest, channel):
    for tags in ("old, b", "b", "x,old"):
        ContentFactory(channel=channel, tags=tags)
    row = tag("old")
    asked = highest.post(place(TAGS_PAGE, "change", row.pk), {"name": " new "})
    assert asked.status_code == 302
    assert asked["Location"] == place(TAGS_PAGE, "rename", row.pk) + "?name=new"
    page = highest.get(asked["Location"])
    assert offences(page) == []
    assert "2 content items get the new name." in page.content.decode()
    answer = highest.post(place(TAGS_PAGE, "rename", row.pk), {"name": "new"})
    assert told(answer) == ["“old” is now “new”. Content items changed: 2."]
    assert names() == ["new,b", "b", "x,new"]
    assert not ContentTag.objects.filter(tag_name="old").exists()
    first = Content.objects.order_by("pk").first()
    assert first.version == 2
    assert version_of(first, 1)[0]["tags"] == "old, b"
    assert [entry.details for entry in noted("content.name_replaced")] == [{"name": "new"}]
    assert_derived()


def test_a_rename_leaves_a_name_with_a_comma_of_chinese_writing_whole(highest, channel):
    ContentFactory(channel=channel, tags="old，new,old,b　")
    highest.post(place(TAGS_PAGE, "rename", tag("old").pk), {"name": "c"})
    assert names() == ["old，new,c,b　"]
    highest.post(place(TAGS_PAGE, "rename", tag("old，new").pk), {"name": "d"})
    assert names() == ["d,c,b　"]
    assert_derived()


def test_two_tags_become_one(highest, channel):
    for tags in ("old,new", "old", "new"):
        ContentFactory(channel=channel, tags=tags)
    place_of = place(TAGS_PAGE, "rename", tag("old").pk)
    assert "The two will be merged" in highest.get(place_of, {"name": "new"}).content.decode()
    highest.post(place_of, {"name": "new"})
    assert names() == ["new", "new", "new"]
    assert_derived()


def test_contents_stay_when_their_tag_is_removed(highest, channel):
    ContentFactory(channel=channel, tags="a,old,b")
    row = tag("old")
    assert (
        "1 content item loses it but is not deleted."
        in highest.get(place(TAGS_PAGE, "delete", row.pk)).content.decode()
    )
    assert names() == ["a,old,b"]
    highest.post(place(TAGS_PAGE, "delete", row.pk))
    assert names() == ["a,b"]
    assert not ContentTag.objects.filter(pk=row.pk).exists()
    assert_derived()


def test_what_is_in_the_trash_does_not_bring_the_old_name_back(highest, channel):
    contents = [ContentFactory(channel=channel, tags=tags) for tags in ("old", "older,old", "older")]
    row = tag("old")
    for content in contents:
        trash_content(content.site_id, content.channel_id, content.pk)
    highest.post(place(TAGS_PAGE, "rename", row.pk), {"name": "new"})
    for content in contents:
        restore_content(content.site_id, content.pk)
    assert names() == ["new", "older,new", "older"]
    assert not ContentTag.objects.filter(tag_name="old").exists()
    assert_derived()


def test_names_and_descriptions_are_cleaned(highest, channel):
    ContentFactory(channel=channel, tags="old")
    hostile, script = "<b onclick='ran()'>b</b>", "<script>ran()</script>"
    page, rename = place(TAGS_PAGE, "change", tag("old").pk), place(TAGS_PAGE, "rename", tag("old").pk)
    assert list(highest.post(page, {"name": script}).context["form"].errors) == ["name"]
    assert "markup that is not allowed" in told(highest.post(rename, {"name": script}))[0]
    assert highest.post(page, {"name": hostile})["Location"].endswith("?name=%3Cb%3Eb%3C%2Fb%3E")
    highest.post(rename, {"name": hostile})
    assert names() == ["<b>b</b>"]
    sent = {"site": channel.site_id, "name": hostile, "description": f"a < b{script}", "taxis": 0}
    highest.post(place(GROUPS_PAGE, "add"), sent)
    group = ContentGroup.objects.get()
    assert (group.group_name, group.description) == ("<b>b</b>", "a < b")
    highest.post(place(GROUPS_PAGE, "change", group.pk), sent | {"name": group.group_name, "description": f"c{script}"})
    group.refresh_from_db()
    assert group.description == "c"


def test_many_contents_are_renamed_step_by_step(highest, channel, monkeypatch):
    monkeypatch.setattr("contents.admin.labels.STEP", 2)
    monkeypatch.setattr(labels, "BATCH_SIZE", 1)
    for _ in range(5):
        ContentFactory(channel=channel, tags="old")
    place_of, sent = place(TAGS_PAGE, "rename", tag("old").pk), {"name": "new"}
    for done in (2, 4):
        page = highest.post(place_of, sent)
        assert offences(page) == []
        assert f"{done} of 5 content items are done." in page.content.decode()
        # Whoever stops here has some contents of each name, and goes on later.
        assert sorted(names()) == ["new"] * done + ["old"] * (5 - done)
        assert_derived()
        sent = {"name": "new", "done": done}
    answer = highest.post(place_of, sent)
    assert told(answer) == ["“old” is now “new”. Content items changed: 5."]
    assert names() == ["new"] * 5
    assert_derived()


def test_a_rename_that_stopped_in_between_goes_on(channel):
    for _ in range(3):
        ContentFactory(channel=channel, tags="old")
    row = tag("old")
    assert replace_name(TAGS, row.pk, "new", 0) == (0, False)
    assert replace_name(TAGS, row.pk, "new", 1000) == (3, True)
    assert names() == ["new"] * 3
    assert_derived()


def test_a_name_that_does_not_fit_into_a_content_changes_nothing(highest, channel):
    ContentFactory(channel=channel, tags="old," + ",".join(f"{number:099}" for number in range(18)))
    answer = highest.post(place(TAGS_PAGE, "rename", tag("old").pk), {"name": "n" * 255})
    assert "choose a shorter name" in told(answer)[0]
    assert names()[0].startswith("old,")
    assert_derived()


@pytest.mark.parametrize("name", ["", "  ", "a,b", "a\nb", "n" * 256])
def test_a_name_that_contents_cannot_carry_is_refused(highest, channel, name):
    ContentFactory(channel=channel, tags="old")
    row = tag("old")
    assert highest.post(place(TAGS_PAGE, "change", row.pk), {"name": name}).context["form"].errors
    assert highest.post(place(TAGS_PAGE, "rename", row.pk), {"name": name}).status_code == 302
    assert names() == ["old"]
    assert list(ContentTag.objects.values_list("tag_name", flat=True)) == ["old"]


def test_a_group_is_made_described_ordered_and_renamed(highest, channel):
    site = channel.site
    sent = {"site": site.pk, "name": "front", "description": "On the first page", "taxis": 2}
    page = highest.get(place(GROUPS_PAGE, "add"))
    assert offences(page) == []
    assert highest.post(place(GROUPS_PAGE, "add"), sent).status_code == 302
    again = highest.post(place(GROUPS_PAGE, "add"), sent)
    assert "already has a group with this name" in again.content.decode()
    (group,) = ContentGroup.objects.all()
    ContentFactory(channel=channel, group_name_collection="front")
    assert "Position" in highest.get(place(GROUPS_PAGE)).content.decode()
    changed = {"name": "front", "description": "First", "taxis": 1}
    assert highest.post(place(GROUPS_PAGE, "change", group.pk), changed)["Location"] == place(GROUPS_PAGE)
    highest.post(place(GROUPS_PAGE, "rename", group.pk), {"name": "first page"})
    (group,) = ContentGroup.objects.all()
    assert (group.group_name, group.description, group.taxis) == ("first page", "First", 1)
    assert names("group_name_collection") == ["first page"]
    actions = ["content.group_created", "content.group_changed", "content.name_replaced"]
    assert [entry.action for entry in noted() if entry.action in actions] == actions
    assert_derived()


def test_what_has_gone_meanwhile_is_told(highest, channel):
    ContentFactory(channel=channel, tags="old")
    row = tag("old")
    replace_name(TAGS, row.pk, None, 10)
    assert highest.post(place(TAGS_PAGE, "delete", row.pk)).status_code == 404
    assert highest.get(place(TAGS_PAGE, "change", row.pk)).status_code == 404


def test_a_site_administrator_looks_after_the_names_of_own_sites(client, channel):
    other = SiteFactory()
    ContentFactory(channel=channel, tags="own")
    foreign = ContentTag.objects.create(site=other, tag_name="foreign")
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(channel.site_id)))
    assert [row.tag_name for row in listed(client, TAGS_PAGE)] == ["own"]
    for view in ("change", "delete", "rename"):
        assert client.get(place(TAGS_PAGE, view, foreign.pk)).status_code == 404
        assert client.post(place(TAGS_PAGE, view, foreign.pk), {"name": "mine"}).status_code == 404
    made = client.post(place(GROUPS_PAGE, "add"), {"site": other.pk, "name": "g", "taxis": 0})
    assert made.context["form"].errors
    assert client.post(place(TAGS_PAGE, "rename", tag("own").pk), {"name": "new"}).status_code == 302
    assert names() == ["new"]


def test_who_may_only_see_contents_changes_no_names(client, channel):
    ContentFactory(channel=channel, tags="old")
    client.force_login(administrator_with("contents.view_content"))
    assert [row.tag_name for row in listed(client, TAGS_PAGE)] == ["old"]
    for view in ("change", "delete", "rename"):
        assert client.post(place(TAGS_PAGE, view, tag("old").pk), {"name": "new"}).status_code == 403
    assert client.post(place(GROUPS_PAGE, "add"), {"site": channel.site_id, "name": "g", "taxis": 0}).status_code == 403
    assert names() == ["old"]
