"""The form of a content: what it shows, what it stores, and for whom it is there."""

import re
from datetime import datetime

import orjson
import pytest

from accounts.models import GroupPlace
from contents.models import Content, ContentChange, ContentGroup, CustomField
from tests.admin.pages.browsing import act, place, told
from tests.admin.pages.writing.forms import PAGE, add, change, open_form, open_new, save, save_new
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db


def stored(content):
    return Content.objects.select_related("body").get(pk=content.pk)


def test_a_new_content_holds_what_was_typed(highest):
    channel = ChannelFactory()
    ContentGroup.objects.create(site=channel.site, group_name="首页")
    answer = add(
        highest,
        channel,
        title='开放日 "Open" <day>',
        sub_title="All welcome",
        summary="One\r\nTwo",
        body='<p style="color:red">你好</p>',
        image_url="@/upload/images/a.jpg",
        author="Ann",
        source="Gazette",
        link_url="https://example.com/",
        groups=["首页"],
        new_groups="News，Sport",
        tags="one, two，three、one",
        is_top="on",
        add_date="2026-11-20T09:30:00",
        state="waiting",
    )
    assert answer.status_code == 302
    content = Content.objects.select_related("body").get()
    assert (content.title, content.sub_title, content.author) == ('开放日 "Open" <day>', "All welcome", "Ann")
    assert content.body.text == '<p style="color:red">你好</p>'
    assert content.group_name_collection == "首页,News,Sport"
    assert content.tags == "one,two,three"
    assert (content.is_top, content.is_hot, content.is_checked, content.checked_level) == (True, False, False, 0)
    assert str(content.add_date) == "2026-11-20 09:30:00"
    assert content.add_user_name == content.last_edit_user_name == "harriet"
    assert content.image_url == "@/upload/images/a.jpg"
    assert_derived()


def test_names_with_a_comma_of_chinese_writing_stay_whole(highest):
    content = ContentFactory(tags="甲，乙,b", group_name_collection="首页，左, News")
    ContentFactory(channel=content.channel, tags="丙、丁")
    assert change(highest, content, author="Ann").status_code == 302
    kept = stored(content)
    assert (kept.tags, kept.group_name_collection) == ("甲，乙,b", "首页，左, News")
    change(highest, content, tags="甲，乙,b,丙、丁,c，d", new_groups="x、y，首页，左")
    kept = stored(content)
    assert kept.tags == "甲，乙,b,丙、丁,c,d"
    assert kept.group_name_collection == "首页，左,News,x,y,首页,左"
    assert_derived()


@pytest.mark.parametrize(
    ("button", "state", "is_checked", "level"),
    [
        ("_save", "draft", False, -99),
        ("_save", "waiting", False, 0),
        ("_save", "approved", True, 0),
        ("_draft", "approved", False, -99),
    ],
)
def test_a_new_content_gets_the_state_that_was_chosen(highest, button, state, is_checked, level):
    add(highest, ChannelFactory(), title="x", state=state, **{button: "1"})
    content = Content.objects.get()
    assert (content.is_checked, content.checked_level) == (is_checked, level)
    assert_derived()


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("draft", "Saved as a draft; only editors can see it."),
        ("waiting", "The content item was saved and submitted for approval."),
        ("approved", "The content item was saved and approved."),
    ],
)
def test_what_became_of_the_content_is_told(highest, state, sentence):
    assert told(add(highest, ChannelFactory(), title="x", state=state)) == [sentence]
    content = ContentFactory(is_checked=state == "waiting")
    assert told(change(highest, content, title="y", state=state)) == [sentence]
    assert told(change(highest, content, title="z", state="")) == ["The content item was saved."]


def test_an_approval_by_the_form_that_is_not_final_is_told_with_its_level(client):
    channel = ChannelFactory(site=SiteFactory(settings={"isCheckContentLevel": True, "checkContentLevel": 2}))
    client.force_login(administrator_with("contents.add_content", "contents.approve1_content"))
    answer = add(client, channel, title="x", state="approved")
    assert told(answer) == ["The content item was saved and approved up to level 1."]


def test_who_may_not_approve_is_not_offered_it_and_cannot_send_it(client):
    channel = ChannelFactory()
    client.force_login(administrator_with("contents.add_content"))
    offered = dict(client.get(place(PAGE, "add"), {"channel": channel.pk}).context["form"].fields["state"].choices)
    assert set(offered) == {"draft", "waiting"}
    assert add(client, channel, title="x", state="approved").status_code == 200
    assert not Content.objects.exists()


def test_an_unchanged_form_changes_nothing(highest):
    body = '<P onclick="x()">a\n\n<script>1</script> &nbsp;ü\r\nb</P>'
    content = ContentFactory(
        content=body, summary="a\nb", tags="b, a", group_name_collection="g ,h", title=" x ", settings_xml='{"n":1}'
    )
    answer = change(highest, content)
    assert told(answer) == ["Nothing was changed."]
    after = stored(content)
    assert after.body.text == body
    assert (after.tags, after.group_name_collection, after.title, after.version) == ("b, a", "g ,h", " x ", 1)
    assert after.last_edit_date == content.last_edit_date
    assert not ContentChange.objects.exists()


def test_a_body_that_was_not_edited_stays_byte_for_byte_while_the_rest_changes(highest):
    body = '<P onclick="x()">a\r\n<b>b</P><font color=red>'
    content = ContentFactory(content=body)
    change(highest, content, title="Another")
    after = stored(content)
    assert (after.title, after.body.text, after.version) == ("Another", body, 2)


def test_a_change_is_noted_with_what_was_before_and_who_made_it(highest):
    content = ContentFactory(content="<p>old</p>", author="Ann")
    change(highest, content, body="<p>new</p>", author="Bob")
    noted = ContentChange.objects.get()
    assert orjson.loads(noted.before)["author"] == "Ann"
    assert noted.body_before == "<p>old</p>"
    assert noted.actor_name == "harriet"
    assert stored(content).last_edit_user_name == "harriet"


def test_what_was_taken_out_of_the_body_is_named(highest):
    content = ContentFactory(content="")
    answer = change(highest, content, body='<p onclick="x()">a</p><script>alert(1)</script>')
    assert stored(content).body.text == "<p>a</p>"
    assert told(answer)[0] == "Removed from the text for security reasons: script, onclick."


HOSTILE = "a < b & c<img src='x' onerror='ran()'><script>ran()</script>"


@pytest.mark.parametrize("name", ["title", "sub_title", "summary", "author", "source"])
def test_a_text_beside_the_body_is_cleaned(highest, name):
    content = ContentFactory(**{name: "before"})
    answer = change(highest, content, **{name: HOSTILE})
    assert getattr(stored(content), name) == 'a < b & c<img src="x">'
    assert told(answer)[0] == "Removed from the text for security reasons: script, onerror."


@pytest.mark.parametrize("text", ["a < b", "5 > 3 & x", "R&D", "&lt;b&gt;", "I <3 you", "1<2"])
def test_a_title_without_tags_stays_as_it_is(highest, text):
    content = ContentFactory(title="before")
    change(highest, content, title=text)
    assert stored(content).title == text


ONLY_SCRIPT = "<script>ran()</script>"
REFUSED = "This text consists of markup that is not allowed here; enter a text without it."


@pytest.mark.parametrize("name", ["title", "tags", "new_groups"])
def test_a_text_of_which_nothing_is_left_is_refused_beside_its_field(highest, name):
    content = ContentFactory(title="before", tags="", group_name_collection="")
    for answer in (
        change(highest, content, **{name: ONLY_SCRIPT}),
        add(highest, content.channel, **{"title": "new", name: ONLY_SCRIPT}),
    ):
        assert answer.context["form"].errors == {name: [REFUSED]}
    assert (stored(content).title, stored(content).version, Content.objects.count()) == ("before", 1, 1)


@pytest.mark.parametrize("name", ["summary", "tags", "new_groups"])
def test_tangled_markup_is_refused_beside_its_field(highest, name):
    content = ContentFactory()
    answer = change(highest, content, **{name: "<i>" * 250})
    told = "Parts of the text are nested too deeply. Paste it again as plain text."
    assert answer.context["form"].errors == {name: [told]}


def test_a_stored_title_that_is_not_changed_stays(highest):
    content = ContentFactory(title=ONLY_SCRIPT)
    change(highest, content, summary="after")
    assert (stored(content).title, stored(content).summary) == (ONLY_SCRIPT, "after")


@pytest.mark.parametrize("name", ["tags", "new_groups"])
def test_names_typed_in_the_form_are_cleaned(highest, name):
    content = ContentFactory(tags="", group_name_collection="")
    change(highest, content, **{name: "<b onclick='ran()'>a</b>"})
    after = stored(content)
    assert after.tags + after.group_name_collection == "<b>a</b>"


def test_a_body_with_a_picture_as_text_is_refused_beside_its_field(highest):
    content = ContentFactory(content="old")
    answer = change(highest, content, body='<img src="data:image/png;base64,AAAA">')
    assert answer.context["form"].errors["body"] == [
        "A picture is embedded in the text itself; upload it instead.",
    ]
    assert stored(content).body.text == "old"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", ""),
        ("title", "   "),
        ("title", "x" * 256),
        ("sub_title", "x" * 256),
        ("link_url", "javascript:alert(1)"),
        ("image_url", "da\tta:text/html,x"),
        ("tags", "x" * 256),
        ("new_groups", "x" * 256),
        ("add_date", "soon"),
        ("groups", ["nobody knows it"]),
        ("title", "a\0b"),
    ],
)
def test_what_cannot_be_stored_is_told_beside_its_field_and_nothing_is_lost(highest, name, value):
    content = ContentFactory(title="Before", content="<p>old</p>")
    answer = change(highest, content, **{"body": "<p>typed</p>", name: value})
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [name]
    assert "&lt;p&gt;typed&lt;/p&gt;" in answer.content.decode()
    assert (stored(content).title, stored(content).version) == ("Before", 1)


def test_an_address_that_a_migration_brought_may_stay(highest):
    content = ContentFactory(link_url="javascript:void(0)")
    change(highest, content, title="After")
    assert (stored(content).title, stored(content).link_url) == ("After", "javascript:void(0)")
    assert list(change(highest, content, link_url="javascript:void(1)").context["form"].errors) == ["link_url"]


def test_refusals_are_told_in_chinese(highest):
    highest.cookies["cms_language"] = "zh-hans"
    answer = change(highest, ContentFactory(), title="x" * 256)
    assert not answer.context["form"].is_valid()
    assert 'lang="zh-hans"' in answer.content.decode()


def test_details_tell_numbers_of_other_contents_if_there_are_any(highest):
    def details(**values):
        content = ContentFactory(taxis=7, **values)
        text = highest.get(place(PAGE, "change", content.pk)).content.decode()
        facts = text.partition('<section id="tab-more">')[2].partition("</dl>")[0]
        return dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", facts))

    alone = details(source_id=-99)
    assert alone["position"] == "7"
    assert not {"copied from ID", "refers to content ID", "level of approval"} & alone.keys()
    related = details(source_id=5, reference_id=6)
    assert (related["copied from ID"], related["refers to content ID"]) == ("5", "6")


@pytest.mark.any_database
def test_tags_are_suggested_to_who_may_see_a_content_that_has_them(client):
    own = ChannelFactory()
    other = ChannelFactory(site=own.site)
    content = ContentFactory(channel=own, tags="own")
    ContentFactory(channel=other, tags="secret")
    ContentFactory(channel=other, tags="public", is_checked=True)
    ContentFactory(channel=own, tags="gone", trashed_at=datetime(2021, 1, 1))
    editor = administrator_with("contents.view_content", "contents.change_content")
    GroupPlace.objects.create(group=editor.groups.get(), site_id=own.site_id, channel_id=own.pk)
    for who, tags in ((editor, ["own", "public"]), (AdministratorFactory(), ["own", "public", "secret"])):
        client.force_login(who)
        assert list(client.get(place(PAGE, "change", content.pk)).context["known_tags"]) == tags


def test_flags_and_groups_are_taken_away(highest):
    content = ContentFactory(is_top=True, is_hot=True, group_name_collection="a,b")
    sent = open_form(highest, content)
    del sent["is_top"]
    save(highest, content, sent | {"groups": ["b"]})
    after = stored(content)
    assert (after.is_top, after.is_hot, after.group_name_collection) == (False, True, "b")
    assert_derived()


def test_an_approved_content_stays_approved_when_it_is_changed(client):
    content = ContentFactory(is_checked=True)
    client.force_login(administrator_with("contents.change_content", "contents.approve_content"))
    change(client, content, title="Another")
    after = stored(content)
    assert (after.title, after.is_checked) == ("Another", True)


def test_who_may_withdraw_an_approval_chooses_the_state_instead(client):
    content = ContentFactory(is_checked=True)
    client.force_login(administrator_with("contents.change_content", "contents.approve_content"))
    page = client.get(place(PAGE, "change", content.pk)).content.decode()
    assert "Your changes are saved as a draft" not in page
    assert 'name="_hand_in"' not in page


def test_the_form_of_a_new_content_names_who_writes_it_as_author(client):
    channel = ChannelFactory()
    for user_name, name, author in (("ann", "Ann Lee", "Ann Lee"), ("bert", "", "")):
        client.force_login(AdministratorFactory(user_name=user_name, display_name=name))
        assert open_new(client, channel)["author"] == author
        add(client, channel, title="x", state="draft")
        assert Content.objects.latest("pk").author == author
        add(client, channel, title="x", state="draft", author="")
        assert Content.objects.latest("pk").author == ""


@pytest.mark.parametrize(
    ("before", "state", "after"),
    [
        ({"checked_level": -99}, "waiting", (False, 0)),
        ({"checked_level": -1}, "waiting", (False, 0)),
        ({"checked_level": 0}, "draft", (False, -99)),
        ({"checked_level": 0}, "approved", (True, 0)),
        ({"is_checked": True}, "waiting", (False, 0)),
        ({"is_checked": True}, "draft", (False, -99)),
        ({"is_checked": True}, "", (True, 0)),
    ],
)
def test_the_form_changes_the_state(highest, before, state, after):
    content = ContentFactory(**before)
    assert change(highest, content, title="New", state=state).status_code == 302
    found = stored(content)
    assert (found.title, found.is_checked, found.checked_level) == ("New", *after)
    assert_derived()


def test_a_rejected_content_tells_why_and_what_to_do(highest):
    content = ContentFactory(title="Piers")
    act(highest, PAGE, "reject", content, reasons="Too short.")
    shown = highest.get(place(PAGE, "change", content.pk)).content.decode()
    assert "Rejected at level 1 by harriet" in shown
    assert "Too short." in shown
    act(highest, PAGE, "approve", content)
    assert "Too short." not in highest.get(place(PAGE, "change", content.pk)).content.decode()


def test_saving_leads_to_the_list_of_the_channel_or_back_to_the_form(highest):
    content = ContentFactory()
    query = f"site__id__exact={content.site_id}&channel__id__exact={content.channel_id}"
    assert change(highest, content)["Location"] == f"{place(PAGE)}?{query}"
    assert change(highest, content, _continue="1")["Location"] == place(PAGE, "change", content.pk)
    answer = highest.post(f"{place(PAGE, 'change', content.pk)}?_changelist_filters=q%3Dx", open_form(highest, content))
    assert answer["Location"] == f"{place(PAGE)}?q=x"


def test_a_form_that_is_sent_twice_makes_one_content(highest):
    channel = ChannelFactory()
    page = {"csrfmiddlewaretoken": "a" * 64}  # another one on each page
    sent = open_new(highest, channel) | page | {"title": "Once"}
    first, second = save_new(highest, channel, sent), save_new(highest, channel, sent)
    assert first["Location"] == second["Location"]
    assert Content.objects.count() == 1
    save_new(highest, channel, sent | {"csrfmiddlewaretoken": "b" * 64})
    assert Content.objects.count() == 2


def test_text_that_is_typed_after_a_form_was_sent_is_stored_too(highest):
    channel = ChannelFactory()
    sent = open_new(highest, channel) | {"csrfmiddlewaretoken": "a" * 64, "title": "First"}
    save_new(highest, channel, sent)
    save_new(highest, channel, sent | {"title": "First, and more"})
    assert set(Content.objects.values_list("title", flat=True)) == {"First", "First, and more"}


def test_a_channel_that_takes_no_contents_is_told(highest):
    channel = ChannelFactory(settings={"isContentAddable": False})
    answer = highest.get(place(PAGE, "add"), {"channel": channel.pk})
    assert "does not accept content items" in answer.content.decode()
    assert "form" not in answer.context


def test_before_the_form_one_chooses_the_site_and_the_channel(client):
    site, other = SiteFactory(site_name="Harbour"), SiteFactory(site_name="Museum")
    ChannelFactory(site=site, channel_name="News")
    client.force_login(AdministratorFactory())
    first = client.get(place(PAGE, "add"))
    assert first.context["channel_form"] is None
    second = client.get(place(PAGE, "add"), {"site": site.pk}).content.decode()
    assert "News" in second
    assert '<label class="required" for="id_channel">Channel</label>' in second
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(site.pk)))
    own = client.get(place(PAGE, "add")).content.decode()
    assert "News" in own
    assert other.site_name not in own


def test_site_administrators_write_on_their_own_sites_only(client):
    own, other = ContentFactory(content="own"), ContentFactory(title="Other", content="other")
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    assert change(client, own, title="Changed").status_code == 302
    assert add(client, own.channel, title="New").status_code == 302
    sent = open_form(client, own)
    assert save(client, other, sent).status_code == 404
    assert client.get(place(PAGE, "change", other.pk)).status_code == 404
    answer = save_new(client, other.channel, {"title": "New"})
    assert "form" not in answer.context
    assert stored(other).title == "Other"
    assert Content.objects.count() == 3


def test_who_may_only_look_is_shown_the_content_without_a_form(client):
    content = ContentFactory(content="text")
    client.force_login(administrator_with("contents.view_content"))
    page = client.get(place(PAGE, "change", content.pk))
    assert "content-form" not in page.content.decode()
    assert client.post(place(PAGE, "change", content.pk), {"title": "x"}).status_code == 403
    assert client.get(place(PAGE, "add"), {"channel": content.channel_id}).status_code == 403
    assert stored(content).title == content.title


def test_a_content_that_went_to_the_trash_while_it_was_written_is_told(highest):
    content = ContentFactory()
    sent = open_form(highest, content)
    Content.objects.filter(pk=content.pk).update(trashed_at="2026-01-01 00:00:00")
    assert save(highest, content, sent).status_code == 404


def test_a_channel_that_went_to_the_trash_while_a_content_was_written_for_it_leads_to_another(highest):
    channel = ChannelFactory()
    sent = open_new(highest, channel) | {"title": "x"}
    channel.trashed_at = "2026-01-01 00:00:00"
    channel.save()
    answer = save_new(highest, channel, sent)
    assert answer.status_code == 200
    assert not Content.objects.exists()


def test_the_form_needs_the_token_against_forgery(highest):
    content = ContentFactory()
    sent = open_form(highest, content) | {"title": "forged"}
    highest.handler.enforce_csrf_checks = True
    assert save(highest, content, sent).status_code == 403
    assert stored(content).title == content.title


def test_the_form_costs_few_statements_whatever_the_site_has(highest, django_assert_max_num_queries):
    content = ContentFactory()
    for number in range(40):
        ContentGroup.objects.create(site=content.site, group_name=f"g{number}", taxis=number)
        CustomField.objects.create(site=content.site, name=f"f{number}", folded_name=f"f{number}")
    with django_assert_max_num_queries(29):
        highest.get(place(PAGE, "change", content.pk))
    with django_assert_max_num_queries(29):
        highest.get(place(PAGE, "add"), {"channel": content.channel_id})
    sent = open_form(highest, content) | {"title": "x", "body": "<p>y</p>"}
    with django_assert_max_num_queries(29):
        save(highest, content, sent)


def test_a_large_body_is_stored_and_a_huge_one_is_refused(highest, settings):
    content = ContentFactory()
    text = "<p>港口的晚上</p>" * 20_000
    change(highest, content, body=text)
    assert stored(content).body.text == text
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100_000
    assert save(highest, content, open_form(highest, content)).status_code in {400, 413}
    assert stored(content).body.text == text
