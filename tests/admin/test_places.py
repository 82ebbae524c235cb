"""Groups limited to sites and branches: what their members reach inside, and that nothing outside is there for them."""

import random

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Q

from accounts.models import Administrator, GroupPlace
from channels_app.models import Channel
from channels_app.moving import Position, Step, move_channels
from channels_app.services import trash_channel
from contents.models import Content, ContentChange, ContentDraft, ContentGroup, ContentSchedule, ContentTag
from contents.services import approval, drafts, trash
from contents.services.single import trash_content
from contents.storing.locking import Seen, only
from core.admin.places import EVERYWHERE, NOWHERE, Places, places_of
from core.audit.models import AuditEntry
from core.lib.errors import ServiceError
from tests.admin.pages.browsing import act, listed, place, told, undo
from tests.admin.world import administrator_with, administrator_with_every_right
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world as shared_world

pytestmark = pytest.mark.django_db
CONTENTS, CHANNELS = "contents_content", "channels_app_channel"


class World:
    """Two sites: Harbour with News (Sports) and Culture, and Valley; a content in each channel, named like it."""

    def __init__(self):
        self.harbour, self.valley = SiteFactory(site_name="Harbour"), SiteFactory(site_name="Valley")
        self.channels = {"Harbour": Channel.objects.get(pk=self.harbour.pk)}
        self.channels["Valley"] = Channel.objects.get(pk=self.valley.pk)
        for name, above in (("News", "Harbour"), ("Sports", "News"), ("Culture", "Harbour"), ("Village", "Valley")):
            self.channels[name] = ChannelFactory(parent=self.channels[above], channel_name=name)
        self.contents = {
            name: ContentFactory(channel=channel, title=f"{name} tidings") for name, channel in self.channels.items()
        }

    def limit(self, user, *names):
        """Limit the user's groups to the channels, or to the sites of home channels."""
        for group in user.groups.all():
            for name in names:
                channel = self.channels[name]
                branch = 0 if channel.parent_id is None else channel.pk
                GroupPlace.objects.create(group=group, site_id=channel.site_id, channel_id=branch)
        return Administrator.objects.get(pk=user.pk)


@shared_world
def world():
    return World()


# A group's place, what is inside of it, and what is not.
LIMITS = [
    pytest.param("News", {"News", "Sports"}, "Culture", id="a branch"),
    pytest.param("Harbour", {"Harbour", "News", "Sports", "Culture"}, "Village", id="a site"),
]
limited = pytest.mark.parametrize(("where", "inside", "outside"), LIMITS)


@pytest.fixture
def signed_in(client, world):
    def sign_in(where, *rights):
        user = administrator_with(*rights) if rights else administrator_with_every_right()
        client.force_login(world.limit(user, where))
        return client

    return sign_in


# ---- the rule


def test_what_is_covered_is_what_is_found(world):
    rng = random.Random(7)
    for _number in range(12):
        ChannelFactory(parent=rng.choice(list(Channel.objects.all())))
    for channel in Channel.objects.all():
        ContentFactory(channel=channel)
    channels, contents = list(Channel.objects.all()), list(Content.objects.select_related("channel"))
    for _number in range(40):
        chosen = rng.sample(channels, rng.randrange(4))
        places = Places.of_rows((one.site_id, one.pk) for one in chosen)
        assert set(places.narrow(Channel.objects.all(), "site", "")) == {
            one for one in channels if places.covers(one.site_id, one.path_ids)
        }
        assert sorted(places.narrow(Content.objects.all(), "site", "channel").values_list("pk", flat=True)) == sorted(
            one.pk for one in contents if places.covers(one.site_id, one.channel_path())
        )
        assert places.whole_sites == Places(site_ids=frozenset(one.site_id for one in chosen if one.parent_id is None))


@pytest.mark.any_database
def test_places_add_up_and_everything_covers_all(world):
    site, branch = Places(site_ids=frozenset({1})), Places.of_rows([(2, 20)])
    both = site | branch
    assert both.covers_site(1) and both.covers(2, [2, 20, 21]) and both.touches_site(2)
    assert not (both.covers_site(2) or both.covers(2, [2, 30]) or both.covers(3, [20]) or both.touches_site(3))
    assert both | EVERYWHERE is EVERYWHERE
    assert not NOWHERE and EVERYWHERE.covers(9, [])


def test_a_permission_applies_where_one_of_its_groups_does(world, django_assert_num_queries):
    user = world.limit(administrator_with("contents.view_content", "contents.add_content"), "News")
    wide = Group.objects.create(name="wide")
    wide.permissions.add(Permission.objects.get(codename="view_content"))
    user.groups.add(wide)
    user.user_permissions.add(Permission.objects.get(codename="purge_content"))
    user = Administrator.objects.get(pk=user.pk)
    with django_assert_num_queries(2):
        assert places_of(user, "contents.view_content", "contents.add_content") is EVERYWHERE
        assert places_of(user, "contents.add_content").branch_ids == {world.channels["News"].pk}
        assert places_of(user, "contents.purge_content") is EVERYWHERE
        assert places_of(user, "contents.change_content") == NOWHERE
    assert user.has_perm("contents.add_content")
    user.is_locked_out = True
    user.save()
    assert places_of(Administrator.objects.get(pk=user.pk)) == NOWHERE


def test_a_purged_channel_covers_nothing_and_a_moved_one_takes_its_rights_along(world):
    user = world.limit(administrator_with("contents.view_content"), "News")
    seen = places_of(user, "contents.view_content")
    move_channels(
        world.harbour.pk,
        [Step(world.channels["Culture"].pk, world.harbour.pk, Position.LAST, world.channels["Sports"].pk,
              world.channels["News"].pk)],
    )  # fmt: skip
    names = seen.narrow(Content.objects.all(), "site", "channel").values_list("channel__channel_name", flat=True)
    assert set(names) == {"News", "Sports", "Culture"}
    trash_channel(world.harbour.pk, world.channels["News"].pk)
    trash.purge_channel(world.harbour.pk, world.channels["News"].pk)
    assert places_of(Administrator.objects.get(pk=user.pk))  # still limited
    assert not seen.narrow(Content.objects.all(), "site", "channel").exists()
    assert not seen.narrow(Channel.objects.all(), "site", "").exists()


# ---- contents


@limited
def test_contents_are_listed_found_and_opened_inside_only(signed_in, world, where, inside, outside):
    browser = signed_in(where)
    expected = {world.contents[name] for name in inside}
    assert set(listed(browser, CONTENTS)) == expected
    assert set(listed(browser, CONTENTS, q="tidings")) == expected
    assert set(listed(browser, CONTENTS, site__id__exact=world.harbour.pk)) == expected
    assert set(listed(browser, CONTENTS, o="-6")) == expected  # in the order of an index
    assert listed(browser, CONTENTS, channel__id__exact=world.channels[outside].pk) == []
    assert set(listed(browser, "contents_contentchange")) == set()
    for name, status in (("Sports", 200), (outside, 404)):
        for view in ("change", "history", "review", "shown", "version"):
            assert browser.get(place(CONTENTS, view, world.contents[name].pk)).status_code == status, (view, name)


@limited
def test_acts_leave_out_what_is_outside(signed_in, world, where, inside, outside):
    browser, chosen = signed_in(where), (world.contents["Sports"], world.contents[outside])
    act(browser, CONTENTS, "pin", *chosen)
    assert [Content.objects.get(pk=one.pk).is_top for one in chosen] == [True, False]
    assert act(browser, CONTENTS, "trash", chosen[1]).status_code == 404
    for name in ("move", "copy"):
        act(browser, CONTENTS, name, chosen[0], channel=world.channels[outside].pk)
    assert Content.objects.filter(channel=world.channels[outside]).count() == 1
    act(browser, CONTENTS, "move", chosen[0], channel=world.channels["News"].pk)
    assert Content.objects.filter(channel=world.channels["News"]).count() == 2


@pytest.mark.any_database
@limited
def test_new_contents_go_inside(signed_in, world, where, inside, outside):
    browser = signed_in(where)
    assert "form" in browser.get(place(CONTENTS, "add"), {"channel": world.channels["Sports"].pk}).context
    asked = browser.get(place(CONTENTS, "add"), {"channel": world.channels[outside].pk}).context
    assert asked["channel_form"] is not None
    offered = {name.replace("— ", "") for _pk, name in asked["channel_form"].fields["channel"].choices[1:]}
    assert offered == {
        name.replace("Harbour", Channel.objects.get(pk=world.harbour.pk).channel_name) for name in inside
    }


@limited
def test_the_queue_and_decisions_are_by_place(signed_in, world, where, inside, outside):
    browser = signed_in(where, "contents.approve_content")
    user = Administrator.objects.latest("pk")
    assert set(approval.waiting_for(user)) == {world.contents[name] for name in inside}
    for name in ("Sports", outside):
        content = world.contents[name]
        Content.objects.filter(pk=content.pk).update(is_checked=True)
        ContentDraft.objects.create(content=content, site_id=content.site_id, version=1, checked_level=0)
    assert [draft.content for draft in drafts.waiting_for(user)] == [world.contents["Sports"]]
    for name, is_inside in (("Sports", True), (outside, False)):
        content = world.contents[name]
        draft = browser.get(place(CONTENTS, "draft", content.pk))
        assert draft.status_code == (200 if is_inside else 404)
        for decide in (
            lambda content=content: only(approval.withdraw_each([Seen(content.site_id, content.pk)], user)),
            lambda content=content: drafts.approve_draft(content.site_id, content.pk, user, 1),
        ):
            if is_inside:
                decide()
            else:
                with pytest.raises(ServiceError, match="level of approval"):
                    decide()


@pytest.mark.any_database
def test_levels_differ_by_place(world):
    user = world.limit(administrator_with("contents.approve1_content"), "Culture")
    other = world.limit(administrator_with("contents.approve_content"), "News")
    user.groups.add(*other.groups.all())
    reach = approval.reach_of(Administrator.objects.get(pk=user.pk))
    assert [reach.at(world.contents[name]) for name in ("Sports", "Culture", "Harbour", "Village")] == [5, 1, 0, 0]


@limited
def test_trash_history_calendar_and_start_page_show_the_inside(signed_in, world, where, inside, outside):
    for name in ("Sports", outside):
        content = world.contents[name]
        ContentChange.objects.create(
            content=content, site_id=content.site_id, version=2, actor_kind="command", before='{"title":"old"}'
        )
        ContentSchedule.objects.create(
            content=content, site_id=content.site_id, unpublish_at="2199-01-02T08:00", actor_kind="command"
        )
        gone = ContentFactory(channel=world.channels[name])
        trash_content(gone.site_id, gone.channel_id, gone.pk)
    browser = signed_in(where)
    assert [one.channel.channel_name for one in listed(browser, "contents_trashedcontent")] == ["Sports"]
    changes = listed(browser, "contents_contentchange", q="tidings")
    assert [one.content for one in changes] == [world.contents["Sports"]]
    events = browser.get(place(CONTENTS, "calendar"), {"month": "2199-01"}).context["weeks"]
    found = [event.schedule.content for week in events for day in week for event in day.events]
    assert found == [world.contents["Sports"]]
    page = browser.get("/admin/").content.decode()
    assert "Sports tidings" in page and f"{outside} tidings" not in page


@limited
def test_a_table_changes_contents_inside_only(signed_in, world, where, inside, outside):
    browser = signed_in(where)
    rows = "".join(f"{world.contents[name].pk},{name} changed\n" for name in ("Sports", outside))
    sent = {"file": SimpleUploadedFile("table.csv", f"id,title\n{rows}".encode())}
    address = f"{place(CONTENTS, 'import')}?site__id__exact={world.harbour.pk}"
    preview = browser.post(address, sent | {"channel": world.channels["Sports"].pk}).headers["Location"]
    assert browser.get(preview).context["preview"].counts["wrong"] == 1
    browser.post(preview, {"import": "1", "leave_out": "1"})
    titles = {name: Content.objects.get(pk=world.contents[name].pk).title for name in ("Sports", outside)}
    assert titles == {"Sports": "Sports changed", outside: f"{outside} tidings"}
    assert browser.post(address, sent | {"channel": world.channels[outside].pk}).status_code == 200


# ---- channels


def rows_of(page):
    return [(row.channel.channel_name, row.is_above) for row in page.context["rows"]]


def test_the_tree_of_a_branch_has_the_branch_and_the_way_to_it(signed_in, world):
    browser, home = signed_in("News"), world.channels["Harbour"].channel_name
    page = browser.get(place(CHANNELS, "tree", world.harbour.pk))
    assert rows_of(page) == [(home, True), ("News", False), ("Sports", False)]
    assert browser.get(place(CHANNELS, "tree", world.valley.pk)).status_code == 404
    beside = browser.get(place(CONTENTS, "tree")).json()["items"]
    assert [item["name"] for item in beside] == ["Harbour › News"]


def test_channels_move_within_the_branch_only(signed_in, world):
    browser, channels = signed_in("News"), world.channels

    def move(name, below):
        moved, target = channels[name], channels[below]
        place_there = f"last.{target.pk}.{target.parent_id or 0}"
        sent = {"channels": f"{moved.pk}.{moved.parent_id}", "place": place_there}
        answer = browser.post(place(CHANNELS, "move", world.harbour.pk), sent, headers={"Accept": "application/json"})
        return answer.json()["done"] if answer.status_code == 200 else answer.status_code

    channels["Tides"] = ChannelFactory(parent=channels["News"], channel_name="Tides")
    assert move("Tides", "Sports")
    channels["Tides"].refresh_from_db()
    assert move("Tides", "Culture") is False
    assert move("Culture", "Sports") == 404
    assert move("News", "Culture") is False


@pytest.mark.any_database
@limited
def test_channels_are_changed_and_added_inside_only(signed_in, world, where, inside, outside):
    browser = signed_in(where)
    for name, is_inside in (("Sports", True), (outside, False)):
        channel = world.channels[name]
        assert browser.get(place(CHANNELS, "change", channel.pk)).status_code == (200 if is_inside else 404)
        assert browser.get(place(CHANNELS, "add"), {"below": channel.pk}).status_code == (200 if is_inside else 404)
        several = place(CHANNELS, "several", channel.site_id)
        assert browser.get(several, {"below": channel.pk}).status_code == (200 if is_inside else 404)
        act(browser, CHANNELS, "trash", channel)
        assert Channel.objects.filter(pk=channel.pk, trashed_at=None).exists() is not is_inside


# ---- what belongs to whole sites, and to none


@pytest.mark.any_database
@pytest.mark.parametrize(("where", "seen"), [("News", set()), ("Harbour", {"Harbour"})])
def test_settings_templates_and_names_need_the_whole_site(signed_in, world, where, seen):
    browser = signed_in(where)
    for page in ("cms_sites_site", "pages_template", "contents_contentgroup", "contents_contenttag"):
        assert browser.get(place(page)).status_code == (200 if seen else 404), page
    for site in (world.harbour, world.valley):
        status = 200 if site.site_name in seen else 404
        assert browser.get(place("cms_sites_site", "change", site.pk)).status_code == status
        assert browser.get(place(CONTENTS, "fields", site.pk)).status_code == status
    assert browser.get(place("accounts_user")).status_code == 404  # users belong to no site


@pytest.mark.any_database
def test_the_menu_names_the_sites_of_branches(signed_in, world):
    page = signed_in("News").get("/admin/").content.decode()
    assert f'href="{place(CHANNELS, "tree", world.harbour.pk)}"' in page
    assert place(CHANNELS, "tree", world.valley.pk) not in page


# ---- several groups


def test_rights_of_one_place_do_not_reach_another(client, world):
    user = world.limit(administrator_with("contents.view_content", "contents.change_content"), "News")
    reader = world.limit(administrator_with("contents.view_content"), "Culture")
    user.groups.add(*reader.groups.all())
    client.force_login(user)
    culture = world.contents["Culture"]
    assert client.get(place(CONTENTS, "change", culture.pk)).status_code == 200
    assert client.post(place(CONTENTS, "change", culture.pk), {"title": "Changed"}).status_code == 403
    assert act(client, CONTENTS, "pin", culture).status_code == 404
    act(client, CONTENTS, "move", world.contents["News"], channel=world.channels["Culture"].pk)
    assert Content.objects.filter(channel=world.channels["Culture"]).count() == 1
    assert not Content.objects.filter(Q(title="Changed") | Q(is_top=True)).exists()


def test_a_full_trashed_channel_is_purged_only_where_that_is_allowed(client, world, monkeypatch):
    monkeypatch.setattr("contents.admin.trash.actions.STEP", 1)
    user = world.limit(administrator_with("channels_app.restore_channel"), "News")
    purging = world.limit(administrator_with("channels_app.purge_channel"), "Culture")
    user.groups.add(*purging.groups.all())
    client.force_login(user)
    for _number in range(2):
        ContentFactory(channel=world.channels["Sports"])
    trash_channel(world.harbour.pk, world.channels["Sports"].pk)
    assert act(client, "channels_app_trashedchannel", "purge", world.channels["Sports"]).status_code == 404
    assert Content.objects.filter(channel=world.channels["Sports"]).count() == 3


def test_a_move_is_taken_back_only_to_where_one_may_change(client, world):
    user = world.limit(administrator_with("contents.view_content", "contents.change_content"), "Sports", "Culture")
    client.force_login(user)
    moved = act(client, CONTENTS, "move", world.contents["Culture"], channel=world.channels["Sports"].pk)
    GroupPlace.objects.filter(channel_id=world.channels["Culture"].pk).delete()
    undo(client, moved)
    assert Content.objects.get(pk=world.contents["Culture"].pk).channel == world.channels["Sports"]
    world.limit(user, "Culture")
    undo(client, moved)
    assert Content.objects.get(pk=world.contents["Culture"].pk).channel == world.channels["Culture"]


# ---- public contents


def sign_in_approver(client, world, where):
    """Sign in a person who changes contents below Harbour and gives final approval below `where`."""
    user = world.limit(administrator_with("contents.view_content", "contents.change_content"), "Harbour")
    approver = world.limit(administrator_with("contents.approve_content"), where)
    user.groups.add(*approver.groups.all())
    client.force_login(user)


@pytest.mark.any_database
@pytest.mark.parametrize("where", ["Culture", "News"])
def test_visitors_see_changes_only_by_those_who_approve_there(client, world, where):
    sign_in_approver(client, world, where)
    content = world.contents["Sports"]
    Content.objects.filter(pk=content.pk).update(is_checked=True)
    act(client, CONTENTS, "pin", content)
    act(client, CONTENTS, "move", content, channel=world.channels["News"].pk)
    stored = Content.objects.get(pk=content.pk)
    assert (stored.is_top, stored.channel.channel_name) == ((True, "News") if where == "News" else (False, "Sports"))
    act(client, CONTENTS, "move", content, channel=world.channels["Harbour"].pk)
    assert Content.objects.get(pk=content.pk).channel_id == stored.channel_id


@pytest.mark.any_database
@pytest.mark.parametrize("where", ["Culture", "News"])
def test_visitors_see_other_groups_and_tags_only_by_those_who_approve_there(client, world, where):
    sign_in_approver(client, world, where)
    public = ContentFactory(channel=world.channels["Sports"], is_checked=True, tags="sun", group_name_collection="a")
    waiting = ContentFactory(channel=world.channels["Harbour"], tags="sun", group_name_collection="a")
    tag, group = ContentTag.objects.get(), ContentGroup.objects.get()

    def names(content):
        return Content.objects.values_list("tags", "group_name_collection").get(pk=content.pk)

    answers = [
        act(client, CONTENTS, "add-tags", public, waiting, names="sea"),
        client.post(place("contents_contenttag", "rename", tag.pk), {"name": "sand"}),
        act(client, CONTENTS, "add-group", public, waiting, new_group="b"),
        client.post(place("contents_contentgroup", "delete", group.pk)),
    ]
    may = where == "News"
    assert names(public) == (("sand,sea", "b") if may else ("sun", "a"))
    assert names(waiting) == (("sand,sea", "b") if may else ("sun,sea", "a,b"))
    refused = "Visitors see this change at once; it needs the right of final approval."
    assert [any(refused in one for one in told(answer)) for answer in answers] == [not may] * 4


# ---- the form of a group


@pytest.mark.any_database
def test_a_group_is_limited_by_its_form(highest, world):
    news, address = world.channels["News"], place("auth_group", "add")
    given = {"name": "Harbour news", "is_limited": "1", "sites": [world.valley.pk], "more_branches": f" {news.pk} "}
    assert highest.post(address, given).status_code == 302
    group = Group.objects.get()
    assert set(group.places.values_list("site_id", "channel_id")) == {(world.valley.pk, 0), (news.site_id, news.pk)}
    entry = AuditEntry.objects.get(action="group.created")
    assert entry.details["places"] == ["Harbour › News", "Valley"]
    assert "Harbour › News, Valley" in highest.get(place("auth_group")).content.decode()
    page = place("auth_group", "change", group.pk)
    form = highest.get(page).context["adminform"].form
    assert form["branches"].field.choices == [(news.pk, "Harbour › News")]
    highest.post(page, {"name": "Harbour news", "is_limited": "1", "branches": [news.pk]})
    assert [one.channel_id for one in group.places.all()] == [news.pk]
    highest.post(page, {"name": "Harbour news"})
    assert not group.places.exists()
    assert AuditEntry.objects.filter(action="group.changed").latest("pk").details["places"] == []


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"is_limited": "1"}, "Choose a site or a channel."),
        ({"sites": ["harbour"]}, "Limit the rights to them"),
        ({"is_limited": "1", "more_branches": "News"}, "Choose one of the channels found"),
        ({"is_limited": "1", "more_branches": "999999"}, "There is no channel with the ID 999999"),
    ],
)
def test_a_group_is_limited_to_places_that_there_are(highest, world, given, told):
    given = given | ({"sites": [world.harbour.pk]} if "sites" in given else {})
    answer = highest.post(place("auth_group", "add"), {"name": "editors"} | given)
    assert told in answer.content.decode()
    assert not Group.objects.exists()


@pytest.mark.any_database
def test_a_place_that_is_gone_stays_until_it_is_taken_away(highest, world):
    group = Group.objects.create(name="editors")
    GroupPlace.objects.create(group=group, site_id=world.harbour.pk, channel_id=999_999)
    page = place("auth_group", "change", group.pk)
    assert "deleted channel 999999" in highest.get(page).content.decode()
    highest.post(page, {"name": "authors", "is_limited": "1", "branches": [999_999]})
    assert group.places.count() == 1
    assert Group.objects.get().name == "authors"


@pytest.mark.any_database
def test_channels_are_found_by_their_names_for_the_highest_rank(highest, client, world):
    found = highest.get(place("auth_group", "places"), {"q": "spo"}).json()["found"]
    assert found == [{"id": world.channels["Sports"].pk, "name": "Harbour › News › Sports"}]
    client.force_login(AdministratorFactory(is_superuser=False))
    assert client.get(place("auth_group", "places"), {"q": "spo"}).status_code == 404
