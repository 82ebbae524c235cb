"""Acts on many contents: what they change, what they tell before and after, and how they are taken back."""

import re

import pytest

from contents.models import Content, ContentChange, ContentGroup, ContentPicture
from contents.services.single import trash_content
from core.admin import admin_actions
from core.lib import clock
from tests.admin.pages.browsing import act, listed, noted, place, told, undo, undo_button
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"
# What acts do to a content with these members: the form, the members before, and those after.
CHANGES = {
    "pin": ({}, {"is_top": False}, {"is_top": True}),
    "unpin": ({}, {"is_top": True}, {"is_top": False}),
    "recommend": ({}, {"is_recommend": False}, {"is_recommend": True}),
    "unrecommend": ({}, {"is_recommend": True}, {"is_recommend": False}),
    "mark-hot": ({}, {"is_hot": False}, {"is_hot": True}),
    "unmark-hot": ({}, {"is_hot": True}, {"is_hot": False}),
    "colour": ({}, {"is_color": False}, {"is_color": True}),
    "uncolour": ({}, {"is_color": True}, {"is_color": False}),
    "approve": ({}, {"is_checked": False}, {"is_checked": True}),
    "reject": ({"reasons": "Too long."}, {"checked_level": 0}, {"checked_level": -1}),
    "withdraw": ({}, {"is_checked": True}, {"is_checked": False}),
    "hand-in": ({}, {"checked_level": -99}, {"checked_level": 0}),
    "add-group": (
        {"new_group": "news"},
        {"group_name_collection": "front, sports"},
        {"group_name_collection": "front,sports,news"},
    ),
    "remove-group": (
        {"names": ["front", "sports"]},
        {"group_name_collection": "front,news,sports"},
        {"group_name_collection": "news"},
    ),
    "add-tags": ({"names": "sea，sun, sea、　air"}, {"tags": "sun"}, {"tags": "sun,sea,air"}),
    "remove-tags": ({"names": ["sun"]}, {"tags": "sun,sea"}, {"tags": "sea"}),
}
# A name that has come with a comma of Chinese writing is one name, as the database reads it.
ONE_NAME = {
    "add-tags": ({"names": "b，c, 甲，乙"}, {"tags": "甲，乙"}, {"tags": "甲，乙,b,c"}),
    "remove-tags": ({"names": ["甲，乙"]}, {"tags": "甲，乙,b　"}, {"tags": "b　"}),
    "add-group": ({"group": "甲，乙"}, {"group_name_collection": "b"}, {"group_name_collection": "b,甲，乙"}),
    "remove-group": ({"names": ["b"]}, {"group_name_collection": "甲，乙,b"}, {"group_name_collection": "甲，乙"}),
}


def members(content, names):
    return Content.objects.values(*names).get(pk=content.pk)


@pytest.mark.parametrize("name", CHANGES)
def test_an_act_changes_what_it_says_and_is_taken_back(highest, name):
    sent, before, after = CHANGES[name]
    contents = [ContentFactory(**before), ContentFactory(**before)]
    answer = act(highest, PAGE, name, *contents, **sent)
    assert len(told(answer)) == 1
    assert "2 " in told(answer)[0]
    assert [members(content, after) for content in contents] == [after, after]
    assert_derived()
    assert told(undo(highest, answer)) == ["2 changes were undone."]
    assert [members(content, before) for content in contents] == [before, before]
    kinds = ContentChange.objects.filter(content=contents[0]).order_by("version").values_list("kind", "version")
    assert [version for _kind, version in kinds] == [2, 3]
    assert kinds[1][0] == "reverted"
    assert_derived()


@pytest.mark.parametrize("name", ONE_NAME)
def test_an_act_keeps_a_name_with_a_comma_of_chinese_writing_whole(highest, name):
    sent, before, after = ONE_NAME[name]
    content = ContentFactory(**before)
    ContentGroup.objects.get_or_create(site=content.site, group_name="甲，乙")
    assert len(told(act(highest, PAGE, name, content, **sent))) == 1
    assert members(content, after) == after
    assert_derived()


def test_a_new_group_is_one_name(highest):
    content = ContentFactory()
    for name in ("a,b", "a，b", "a、b"):
        answer = act(highest, PAGE, "add-group", content, new_group=name)
        assert answer.context["form"].errors["new_group"] == ["The name of a group must not contain a comma."]
    assert not ContentGroup.objects.exists()


@pytest.mark.parametrize(("act_name", "name"), [("add-group", "new_group"), ("add-tags", "names")])
def test_names_of_acts_are_cleaned(highest, act_name, name):
    content = ContentFactory(tags="", group_name_collection="")
    answer = act(highest, PAGE, act_name, content, **{name: "<script>ran()</script>"})
    assert answer.context["form"].errors[name][0].startswith("This text consists of markup")
    act(highest, PAGE, act_name, content, **{name: "<b onclick='ran()'>a</b>"})
    content.refresh_from_db()
    assert content.tags + content.group_name_collection == "<b>a</b>"


def test_an_act_tells_who_edited_the_content_last(highest):
    content = ContentFactory(last_edit_user_name="anna", last_edit_date="2026-01-01 00:00:00")
    answer = act(highest, PAGE, "pin", content)
    stored = Content.objects.get(pk=content.pk)
    assert stored.last_edit_user_name == "harriet"
    assert stored.last_edit_date > clock.now().replace(year=2026, month=1, day=2)
    undo(highest, answer)
    stored = Content.objects.get(pk=content.pk)
    assert (stored.last_edit_user_name, str(stored.last_edit_date)) == ("anna", "2026-01-01 00:00:00")
    # Whoever follows the changes hears of both.
    assert stored.version == content.version + 2


@pytest.mark.parametrize(
    ("name", "told"),
    [("pin", "Change undone"), ("hand-in", "Change undone"), ("approve", "Approval undone"), ("move", "Move undone")],
)
def test_an_undone_act_leaves_the_last_edit_as_it_was(highest, name, told):
    content = ContentFactory(last_edit_user_name="anna", last_edit_date="2026-01-01 00:00:00", checked_level=-99)
    channel = ChannelFactory(site=content.site)
    undo(highest, act(highest, PAGE, name, content, channel=channel.pk))
    stored = Content.objects.get(pk=content.pk)
    assert (stored.last_edit_user_name, str(stored.last_edit_date)) == ("anna", "2026-01-01 00:00:00")
    assert (stored.channel_id, stored.checked_level, stored.is_top) == (content.channel_id, -99, False)
    assert told in highest.get(place(PAGE, "history", content.pk)).content.decode()


def test_a_move_is_not_an_edit(highest):
    content = ContentFactory(last_edit_user_name="anna", last_edit_date="2026-01-01 00:00:00")
    act(highest, PAGE, "move", content, channel=ChannelFactory(site=content.site).pk)
    stored = Content.objects.get(pk=content.pk)
    assert (stored.last_edit_user_name, str(stored.last_edit_date)) == ("anna", "2026-01-01 00:00:00")
    assert stored.version == content.version + 1


# ---- moving and copying


def test_contents_move_to_the_top_of_a_channel_and_back(highest):
    target = ChannelFactory()
    top = ContentFactory(channel=target, taxis=70)
    source = ChannelFactory(site=target.site)
    contents = [ContentFactory(channel=source, taxis=1, tags="t"), ContentFactory(channel=source, taxis=2)]
    answer = act(highest, PAGE, "move", *contents, channel=target.pk)
    assert told(answer) == ["2 content items were moved."]
    order = Content.objects.filter(channel=target).order_by("-taxis").values_list("pk", flat=True)
    assert list(order) == [contents[1].pk, contents[0].pk, top.pk]
    assert {change.kind for change in ContentChange.objects.all()} == {"moved"}
    assert_derived()
    assert told(undo(highest, answer)) == ["2 changes were undone."]
    assert set(Content.objects.filter(channel=source).values_list("pk", "taxis")) == {
        (contents[0].pk, 1),
        (contents[1].pk, 2),
    }
    assert_derived()


@pytest.mark.parametrize("name", ["move", "copy"])
@pytest.mark.parametrize("wrong", ["of another site", "in the trash", "closed", "not given", "no number"])
def test_a_channel_that_cannot_take_them_is_refused_in_the_form(highest, name, wrong):
    content = ContentFactory()
    make = {
        "of another site": lambda: ChannelFactory().pk,
        "in the trash": lambda: ChannelFactory(site=content.site, trashed_at="2026-01-01 00:00:00").pk,
        "closed": lambda: ChannelFactory(site=content.site, settings={"isContentAddable": False}).pk,
        "not given": lambda: "",
        "no number": lambda: "x",
    }
    answer = act(highest, PAGE, name, content, channel=make[wrong]())
    assert answer.status_code == 200
    assert answer.context["form"].errors["channel"]
    assert Content.objects.get().version == 1


def test_contents_of_several_sites_stay_in_theirs(highest):
    here, there = ContentFactory(), ContentFactory(title="Elsewhere")
    target = ChannelFactory(site=here.site)
    asked = highest.get(place(PAGE, "action", "move"), {"ids": f"{here.pk},{there.pk}"}).content.decode()
    assert "Content items of other sites than the channel&#x27;s are skipped." in asked
    assert "<optgroup" in asked
    answer = act(highest, PAGE, "move", here, there, channel=target.pk)
    assert told(answer) == [
        "1 content item was moved.",
        "Elsewhere: The channel belongs to another site; content items cannot leave their site.",
    ]
    assert Content.objects.get(pk=there.pk).channel_id == there.channel_id
    undo(highest, answer)
    assert Content.objects.get(pk=here.pk).channel_id == here.channel_id


def test_what_stands_in_the_channel_already_stays(highest):
    content = ContentFactory(title="Harbour")
    answer = act(highest, PAGE, "move", content, channel=content.channel_id)
    assert told(answer) == ["Harbour: It is already in this channel."]
    assert Content.objects.get(pk=content.pk).version == 1


def test_a_copy_is_a_content_of_its_own(highest):
    original = ContentFactory(
        title="Harbour",
        content="<p>Ships</p>",
        tags="sea",
        is_top=True,
        is_recommend=True,
        is_hot=True,
        is_color=True,
        hits=9,
        settings_xml='{"width":12,"check_reasons":"Fine."}',
        add_user_name="anna",
        checked_level=1,
    )
    ContentPicture.objects.create(content=original, large_url="@/a.png", taxis=3)
    target = ChannelFactory(site=original.site)
    answer = act(highest, PAGE, "copy", original, channel=target.pk)
    copy = Content.objects.get(channel=target)
    link = f'<a href="{place(PAGE, "change", copy.pk)}">Open the copy</a>'
    assert told(answer) == [f"1 content item was copied. {link}"]
    assert (copy.title, copy.body.text, copy.tags) == ("Harbour", "<p>Ships</p>", "sea")
    assert list(copy.pictures.values_list("large_url", "taxis")) == [("@/a.png", 3)]
    assert original.pictures.count() == 1
    assert (copy.is_top, copy.is_recommend, copy.is_hot, copy.is_color) == (False, False, False, True)
    assert (copy.hits, copy.version, copy.add_user_name, copy.last_edit_user_name) == (0, 1, "harriet", "harriet")
    assert (copy.is_checked, copy.checked_level, copy.settings_xml) == (False, 0, '{"width":12}')
    assert copy.source_id == original.pk
    assert Content.objects.get(pk=original.pk).version == 1
    assert_derived()
    assert told(undo(highest, answer)) == ["1 change was undone."]
    assert listed(highest, PAGE) == [original]
    assert_derived()


def test_a_copy_of_a_reference_is_a_reference(highest):
    shown = ContentFactory()
    reference = ContentFactory(
        channel=ChannelFactory(site=shown.site), reference_id=shown.pk, source_id=shown.channel_id
    )
    target = ChannelFactory(site=shown.site)
    act(highest, PAGE, "copy", reference, channel=target.pk)
    copy = Content.objects.get(channel=target)
    assert (copy.reference_id, copy.source_id) == (shown.pk, shown.channel_id)


@pytest.mark.parametrize(
    ("rights", "is_approved"),
    [({"add"}, False), ({"add", "approve1"}, False), ({"add", "approve2"}, True), ({"add", "approve"}, True)],
)
def test_a_copy_is_approved_only_by_who_may_approve_for_good(client, rights, is_approved):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    original = ContentFactory(channel=ChannelFactory(site=site), is_checked=True)
    user = administrator_with(*(f"contents.{right}_content" for right in rights))
    client.force_login(user)
    target = ChannelFactory(site=site)
    act(client, PAGE, "copy", original, channel=target.pk)
    copy = Content.objects.get(channel=target)
    assert copy.is_checked is is_approved
    assert (f'"check_username":"{user.user_name}"' in copy.settings_xml) is is_approved


@pytest.mark.parametrize("level", [-99, -1, -2])
def test_drafts_and_what_was_rejected_are_copied_as_drafts(highest, level):
    original = ContentFactory(checked_level=level)
    act(highest, PAGE, "copy", original, channel=original.channel_id)
    assert Content.objects.exclude(pk=original.pk).get().checked_level == -99


def test_several_copies_are_told_with_the_way_to_their_channel(highest, monkeypatch):
    monkeypatch.setattr("core.admin.admin_actions.BATCH_SIZE", 2)
    target = ChannelFactory()
    originals = [ContentFactory(channel=ChannelFactory(site=target.site)) for _ in range(3)]
    answer = act(highest, PAGE, "copy", *originals, channel=target.pk)
    query = f"site__id__exact={target.site_id}&amp;channel__id__exact={target.pk}"
    assert told(answer) == [f'3 content items were copied. <a href="{place(PAGE)}?{query}">Open the channel</a>']
    assert len(listed(highest, PAGE, site__id__exact=target.site_id, channel__id__exact=target.pk)) == 3


# ---- what is told before


def test_the_page_that_asks_tells_what_is_affected_and_where(highest):
    pinned = ContentFactory(is_top=True)
    others = [ContentFactory(), ContentFactory()]
    chosen = [pinned, *others]
    asked = highest.get(place(PAGE, "action", "pin"), {"ids": ",".join(str(each.pk) for each in chosen)})
    text = asked.content.decode()
    assert "Pin 2 content items?" in text
    assert "1 of the 3 selected will not change: already pinned." in text
    assert asked.context["places"] == [(f"{each.site} › {each.channel}", 1) for each in others]
    assert "You can undo this for an hour." in text


def test_a_form_with_an_error_asks_again_and_does_nothing(highest):
    content = ContentFactory()
    answer = act(highest, PAGE, "reject", content, reasons=" ")
    assert answer.status_code == 200
    assert "Nothing was saved." in answer.content.decode()
    assert Content.objects.get(pk=content.pk).version == 1


def test_a_level_can_be_chosen_where_the_site_has_several(highest):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 3})
    content = ContentFactory(channel=ChannelFactory(site=site))
    asked = highest.get(place(PAGE, "action", "approve"), {"ids": content.pk})
    choices = [(str(value), label) for value, label in asked.context["form"].fields["level"].choices]
    assert choices == [("3", "final approval"), ("2", "up to level 2 of 3"), ("1", "up to level 1 of 3")]
    act(highest, PAGE, "approve", content, level="2")
    assert Content.objects.get(pk=content.pk).checked_level == 2


def test_beyond_the_rights_is_told_before_and_after(client):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    channel = ChannelFactory(site=site)
    waiting, passed = ContentFactory(channel=channel), ContentFactory(channel=channel, title="B", checked_level=1)
    client.force_login(administrator_with("contents.approve1_content"))
    asked = client.get(place(PAGE, "action", "approve"), {"ids": f"{waiting.pk},{passed.pk}"}).content.decode()
    assert "1 is beyond your level of approval and stays as it is." in asked
    answer = act(client, PAGE, "approve", waiting, passed)
    passed_level = "1 content item was approved up to level 1 and is waiting for the next level."
    assert told(answer) == [passed_level, "B: Your rights do not include this level of approval."]
    assert Content.objects.get(pk=waiting.pk).checked_level == 1


def test_an_approval_that_is_not_final_is_called_by_its_level(client, highest):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    of_two, of_one = ContentFactory(channel=ChannelFactory(site=site)), ContentFactory()
    client.force_login(administrator_with("contents.approve1_content"))
    asked = client.get(place(PAGE, "action", "approve"), {"ids": of_two.pk})
    assert asked.context["title"] == "Approve up to level 1"
    assert asked.context["question"] == "Approve 1 content item up to level 1?"
    both = client.get(place(PAGE, "action", "approve"), {"ids": f"{of_two.pk},{of_one.pk}"})
    assert both.context["question"] == "Approve 2 content items?"
    assert "1 of them is approved up to level 1 only." in both.content.decode()
    answer = act(client, PAGE, "approve", of_two, of_one)
    passed_level = "1 content item was approved up to level 1 and is waiting for the next level."
    assert told(answer) == [passed_level, "1 content item was approved."]
    undo(client, answer)
    assert not Content.objects.exclude(checked_level=0, is_checked=False).exists()


def test_a_lower_level_that_was_chosen_is_told(highest):
    site = SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2})
    answer = act(highest, PAGE, "approve", ContentFactory(channel=ChannelFactory(site=site)), level="1")
    assert told(answer) == ["1 content item was approved up to level 1 and is waiting for the next level."]


def test_a_decision_counts_for_what_was_seen(highest):
    content = ContentFactory(title="Harbour")
    asked = highest.get(place(PAGE, "action", "approve"), {"ids": f"{content.pk}:1"})
    assert asked.context["ids"] == f"{content.pk}:1"
    Content.objects.filter(pk=content.pk).update(title="Casino", version=2)
    answer = highest.post(asked.context["action_address"], {"ids": asked.context["ids"]})
    assert told(answer) == ["Casino: It has changed since you opened it; check it again."]
    assert not Content.objects.get(pk=content.pk).is_checked


def test_what_was_seen_in_a_list_long_ago_counts_too(highest):
    content = ContentFactory()
    Content.objects.filter(pk=content.pk).update(version=2)
    asked = highest.get(place(PAGE, "action", "reject"), {"ids": f"{content.pk}:1"})
    sent = {"ids": asked.context["ids"], "reasons": "No."}
    assert "check it again" in told(highest.post(asked.context["action_address"], sent))[0]


def test_an_act_without_a_choice_is_told_in_one_sentence(highest):
    answer = highest.post(place(PAGE) + "?q=x", {"action": "pin", "index": "0", "select_across": "0"})
    assert (answer.status_code, answer["Location"]) == (302, place(PAGE) + "?q=x")
    assert told(answer) == ["Nothing is chosen."]


def test_a_second_click_does_nothing(highest):
    content = ContentFactory()
    act(highest, PAGE, "pin", content)
    again = act(highest, PAGE, "pin", content)
    assert told(again)[-1] == "Nothing to do: this has already been done to all of them."
    assert Content.objects.get(pk=content.pk).version == 2


# ---- all that a filter finds


def test_all_that_match_are_taken_in_turn(highest, monkeypatch):
    monkeypatch.setattr(admin_actions, "MAX", 2)
    channel = ChannelFactory()
    contents = [ContentFactory(channel=channel) for _ in range(5)]
    pinned = []
    for _ in range(3):
        sent = {"action": "pin", "_selected_action": [contents[0].pk], "select_across": "1", "index": "0"}
        asked = highest.post(f"{place(PAGE)}?site__id__exact={channel.site_id}", sent)
        highest.post(asked.context["action_address"], {"ids": asked.context["ids"]})
        pinned.append(Content.objects.filter(is_top=True).count())
    assert pinned == [2, 4, 5]


def test_more_than_can_be_taken_at_once_is_told(highest, monkeypatch):
    monkeypatch.setattr(admin_actions, "MAX", 1)
    contents = [ContentFactory(), ContentFactory()]
    sent = {"action": "pin", "_selected_action": [contents[0].pk], "select_across": "1", "index": "0"}
    assert "These are the first 1;" in highest.post(place(PAGE), sent).content.decode()


# ---- taking back


def test_what_somebody_has_changed_since_stays(highest):
    one, two = ContentFactory(title="One"), ContentFactory(title="Two")
    answer = act(highest, PAGE, "pin", one, two)
    act(highest, PAGE, "recommend", two)
    assert told(undo(highest, answer))[-2:] == [
        "1 change was undone.",
        "Two: It has changed since you opened it; check it again.",
    ]
    assert set(Content.objects.filter(is_top=True)) == {two}


def test_nothing_is_taken_back_twice(highest):
    content = ContentFactory(title="One")
    answer = act(highest, PAGE, "pin", content)
    undo(highest, answer)
    assert told(undo(highest, answer))[-1].startswith("One: It has changed since")
    assert Content.objects.get(pk=content.pk).version == 3


def test_a_deletion_is_taken_back_unless_it_was_restored_before(highest):
    content = ContentFactory(title="One")
    answer = act(highest, PAGE, "trash", content)
    act(highest, "contents_trashedcontent", "restore", content)
    trash_content(content.site_id, content.channel_id, content.pk)
    assert told(undo(highest, answer))[-1].startswith("One: It has changed since")
    assert Content.objects.get(pk=content.pk).trashed_at is not None


def test_what_has_left_for_good_is_counted(highest):
    content = ContentFactory()
    answer = act(highest, PAGE, "trash", content)
    act(highest, "contents_trashedcontent", "purge", content)
    assert told(undo(highest, answer))[-1] == "1 no longer exists."


def test_nothing_goes_back_into_a_channel_in_the_trash(highest):
    source, target = ChannelFactory(), None
    content = ContentFactory(channel=source, title="One")
    target = ChannelFactory(site=source.site)
    answer = act(highest, PAGE, "move", content, channel=target.pk)
    act(highest, "channels_app_channel", "trash", source)
    assert told(undo(highest, answer))[-1] == "One: The channel no longer exists."
    assert Content.objects.get(pk=content.pk).channel_id == target.pk


def test_only_who_did_it_takes_it_back_and_for_an_hour(client, highest, monkeypatch):
    content = ContentFactory()
    address, sent = undo_button(act(highest, PAGE, "pin", content))
    with monkeypatch.context() as patch:
        patch.setattr("core.admin.action_views.SECONDS", -1)
        assert "can no longer be undone" in told(highest.post(address, sent))[-1]
    client.force_login(AdministratorFactory())
    assert "can no longer be undone" in told(client.post(address, sent))[-1]
    assert Content.objects.get(pk=content.pk).is_top


@pytest.mark.parametrize("value", ["", "x", "a:b:c", None])
def test_a_button_that_nobody_made_takes_nothing_back(highest, value):
    answer = highest.post(place(PAGE, "undo"), {} if value is None else {"undo": value})
    assert answer.status_code == 302
    assert "can no longer be undone" in told(answer)[-1]


def test_a_button_belongs_to_its_page(highest):
    content = ContentFactory()
    _address, sent = undo_button(act(highest, PAGE, "pin", content))
    assert "can no longer be undone" in told(highest.post(place("channels_app_channel", "undo"), sent))[-1]
    assert Content.objects.get(pk=content.pk).is_top


def test_the_page_that_asks_tells_where_each_content_stands(highest):
    content = ContentFactory(is_checked=False, checked_level=-99, channel=ChannelFactory(channel_name="News"))
    asked = highest.get(place(PAGE, "action", "pin"), {"ids": content.pk})
    assert asked.context["records"] == [(content, ["Draft", f"{content.site} › News"])]
    assert "› News" in asked.content.decode()


def test_taking_back_needs_a_post_the_token_and_the_right(client, highest):
    content = ContentFactory()
    site_administrator = AdministratorFactory(is_superuser=False, site_id_collection=str(content.site_id))
    client.force_login(site_administrator)
    address, sent = undo_button(act(client, PAGE, "pin", content))
    led = client.get(address, sent)
    assert (led.status_code, led["Location"], told(led)[-1][:19]) == (302, place(PAGE), "Nothing was undone.")
    client.handler.enforce_csrf_checks = True
    assert client.post(address, sent).status_code == 403
    client.handler.enforce_csrf_checks = False
    site_administrator.site_id_collection = str(SiteFactory().pk)
    site_administrator.save()
    assert "1 no longer exists." in told(client.post(address, sent))
    assert Content.objects.get(pk=content.pk).is_top


def test_the_button_stands_in_the_message_and_needs_no_script(highest):
    content = ContentFactory()
    act(highest, PAGE, "pin", content)
    page = highest.get(place(PAGE)).content.decode()
    assert re.search('<form id="undo" method="post"><input type="hidden" name="csrfmiddlewaretoken"', page)
    button = re.search('<button class="undo"[^>]*>', page)[0]
    assert 'form="undo"' in button
    assert f'formaction="{place(PAGE, "undo")}"' in button


def test_a_channel_comes_back_with_its_contents(highest):
    content = ContentFactory()
    answer = act(highest, "channels_app_channel", "trash", content.channel)
    assert Content.objects.live().count() == 0
    assert told(undo(highest, answer)) == ["1 change was undone."]
    assert list(Content.objects.live()) == [content]
    assert_derived()


# ---- where one is led


def test_from_the_page_of_a_content_one_comes_back_to_it(highest):
    content = ContentFactory()
    page = highest.get(place(PAGE, "change", content.pk)).content.decode()
    link = re.search('href="([^"]*actions/pin/[^"]*)"', page)[1].replace("&amp;", "&")
    asked = highest.get(link)
    sent = {"ids": asked.context["ids"], "from": asked.context["origin"]}
    answer = highest.post(asked.context["action_address"], sent)
    assert answer["Location"] == place(PAGE, "change", content.pk)
    assert undo(highest, answer)["Location"] == place(PAGE, "change", content.pk)
    gone = act(highest, PAGE, "trash", content, **{"from": "record"})
    assert gone["Location"] == place(PAGE)


@pytest.mark.parametrize("origin", ["https://example.org/", "//example.org", "x", "../"])
def test_nobody_is_led_away(highest, origin):
    answer = act(highest, PAGE, "pin", ContentFactory(), **{"from": origin})
    assert answer["Location"] == place(PAGE)


def test_the_bar_has_acts_as_buttons(highest):
    ContentFactory()
    page = highest.get(place(PAGE)).content.decode()
    values = re.findall('<button type="submit"[^>]*name="action" value="([^"]*)"', page)
    assert values[:3] == ["approve", "reject", "pin"]
    assert set(CHANGES) | {"schedule", "move", "copy", "trash"} == set(values)


def test_groups_to_choose_from_are_those_of_the_sites(highest):
    content = ContentFactory(group_name_collection="front")
    ContentFactory(group_name_collection="foreign")
    asked = highest.get(place(PAGE, "action", "add-group"), {"ids": content.pk})
    assert [value for value, _ in asked.context["form"].fields["group"].choices] == ["", "front"]
    answer = act(highest, PAGE, "add-group", content, group="front")
    assert undo_button(answer) is None  # it belongs to it already
    assert ContentGroup.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("add-group", {}),
        ("add-group", {"group": "unknown"}),
        ("add-group", {"new_group": "a,b"}),
        ("add-group", {"new_group": "a" * 256}),
        ("add-tags", {"names": " , ,"}),
        ("add-tags", {"names": "a" * 256}),
        ("remove-tags", {"names": ["unknown"]}),
        ("remove-tags", {}),
        ("approve", {"reasons": "a" * 256}),
    ],
)
def test_nonsense_is_told_beside_its_field(highest, name, sent):
    content = ContentFactory(tags="t")
    answer = act(highest, PAGE, name, content, **sent)
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert Content.objects.get(pk=content.pk).version == 1


def test_too_many_tags_are_refused(highest):
    content = ContentFactory(title="One", tags=",".join(f"tag{n:04}" for n in range(240)))
    answer = act(highest, PAGE, "add-tags", content, names=",".join(f"more{n:04}" for n in range(100)))
    assert told(answer) == ["One: Too many names for one content item."]


def test_each_act_has_entries_in_the_audit_where_it_is_a_decision(highest):
    content = ContentFactory()
    act(highest, PAGE, "reject", content, reasons="No.")
    undo(highest, act(highest, PAGE, "approve", content))
    assert [entry.action for entry in noted()] == [
        "content.rejected",
        "content.approved",
        "content.approval_withdrawn",
    ]


def test_the_page_that_asks_costs_the_same_for_any_number(highest, django_assert_max_num_queries):
    channel = ChannelFactory()
    numbers = ",".join(str(ContentFactory(channel=channel).pk) for _ in range(60))
    for name in ("approve", "move", "pin", "remove-tags", "trash"):
        with django_assert_max_num_queries(15):
            highest.get(place(PAGE, "action", name), {"ids": numbers})


def _site_with_levels(number):
    return SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": number})


def _regroup(user, *rights):
    """Take the user's rights away and give these."""
    user.groups.set(administrator_with(*(f"contents.{right}_content" for right in rights)).groups.all())


def test_an_approval_does_not_come_back_without_the_right(client, db):
    content = ContentFactory(channel=ChannelFactory(site=_site_with_levels(3)), is_checked=True, title="One")
    user = administrator_with("contents.approve_content", "contents.view_content")
    client.force_login(user)
    answer = act(client, PAGE, "withdraw", content)
    _regroup(user, "approve1", "view")
    assert told(undo(client, answer))[-1] == "One: Your rights do not include this level of approval."
    assert not Content.objects.get(pk=content.pk).is_checked


def test_a_rejection_is_taken_back_only_by_whoever_may_decide_on_what_was(client, db):
    content = ContentFactory(channel=ChannelFactory(site=_site_with_levels(3)), checked_level=1, title="One")
    user = administrator_with("contents.approve2_content", "contents.view_content")
    client.force_login(user)
    answer = act(client, PAGE, "reject", content, reasons="No.")
    _regroup(user, "approve1", "view")
    assert "One: " in told(undo(client, answer))[-1]
    assert Content.objects.get(pk=content.pk).checked_level == -2


@pytest.mark.parametrize("name,sent", [("approve", {}), ("reject", {"reasons": "No."})])
def test_who_decided_at_the_first_level_takes_it_back(client, db, name, sent):
    content = ContentFactory(channel=ChannelFactory(site=_site_with_levels(3)), title="One")
    client.force_login(administrator_with("contents.approve1_content", "contents.view_content"))
    answer = act(client, PAGE, name, content, **sent)
    assert Content.objects.get(pk=content.pk).checked_level != 0
    assert told(undo(client, answer))[-1] == "1 change was undone."
    assert Content.objects.get(pk=content.pk).checked_level == 0


def test_who_may_not_take_one_back_takes_the_others_back(client, db):
    own = ContentFactory(channel=ChannelFactory(site=_site_with_levels(1)), title="One")
    other = ContentFactory(channel=ChannelFactory(site=_site_with_levels(3)), title="Other")
    user = administrator_with("contents.approve_content", "contents.view_content")
    client.force_login(user)
    answer = act(client, PAGE, "approve", own, other)
    _regroup(user, "approve1", "view")
    messages = told(undo(client, answer))
    assert messages[-2:] == ["1 change was undone.", "Other: You no longer have the right to do this."]
    checked = Content.objects.order_by("pk").values_list("title", "is_checked")
    assert dict(checked) == {"One": False, "Other": True}


def test_handing_in_is_taken_back_without_a_right_to_decide(client, db):
    content = ContentFactory(checked_level=-99)
    client.force_login(administrator_with("contents.change_content", "contents.view_content"))
    assert told(undo(client, act(client, PAGE, "hand-in", content)))[-1] == "1 change was undone."
    assert Content.objects.get(pk=content.pk).checked_level == -99
