"""The forms of channels: what they store, what they refuse, and what happens when two people have one open."""

import re

import pytest

from channels_app.models import Channel
from core.audit.models import AuditEntry
from pages.models import TemplateKind
from tests.admin.pages.browsing import place, told, unrendered
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.pages.sites import make_site, make_template

pytestmark = pytest.mark.django_db
PAGE = "channels_app_channel"


def filled(browser, channel):
    """What the form would send as it stands."""
    return sent_by(unrendered(browser, place(PAGE, "change", channel.pk)))


def sent_by(answer):
    form = answer.context_data["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    return {name: "" if value is None else value for name, value in values.items() if value is not False}


def change(browser, channel, **changes):
    """The answer to the form with the changes, after a confirmation of new addresses."""
    answer = change_once(browser, channel, **changes)
    form = answer.context["adminform"].form if answer.status_code == 200 else None
    if getattr(form, "address_change", None):
        return change_once(browser, channel, **changes, confirmed=form.confirmation)
    return answer


def change_once(browser, channel, **changes):
    sent = filled(browser, channel) | changes
    return browser.post(
        place(PAGE, "change", channel.pk), {name: value for name, value in sent.items() if value is not None}
    )


def add(browser, parent, **sent):
    """A form as a browser fills it in: with what stands there when it opens."""
    query = {"below": parent.pk} | {name: sent.pop(name) for name in ("place",) if name in sent}
    opened = unrendered(browser, place(PAGE, "add"), query)
    address = f"{place(PAGE, 'add')}?{opened.wsgi_request.META['QUERY_STRING']}"
    return browser.post(address, sent_by(opened) | sent)


def errors(answer):
    return {name: list(texts) for name, texts in answer.context["adminform"].form.errors.items()}


def children(channel):
    return [str(each) for each in channel.children.filter(trashed_at=None).order_by("taxis")]


def test_the_form_of_a_new_channel_tells_its_place_once(highest):
    opened = highest.get(place(PAGE, "add"), {"below": ChannelFactory(channel_name="Piers").pk}).content.decode()
    assert "goes below “Piers”" in opened
    assert "field-way" not in opened


def test_every_field_is_stored(highest):
    channel = ChannelFactory()
    values = {
        "channel_name": "Ships",
        "index_name": "ships",
        "group_name_collection": "sea,harbour",
        "image_url": "@/upload/ships.jpg",
        "content": "<p>All ships</p>\nof the day",
        "link_type": "LinkToFirstContent",
        "link_url": "https://harbour.example/",
        "file_path": "/ships/index.html",
        "channel_file_path_rule": "/s/{@channelId}.html",
        "content_file_path_rule": "/s/{@contentId}.html",
        "keywords": "ships,boats",
        "description": "What lies at the pier",
        "channel_template_id": make_template(channel.site, TemplateKind.CHANNEL, name="Lists").pk,
        "content_template_id": make_template(channel.site, TemplateKind.CONTENT, name="Texts").pk,
        "content_model_plugin_id": "Model",
        "content_related_plugin_ids": "Other",
    }
    assert change(highest, channel, **values).status_code == 302
    channel.refresh_from_db()
    assert {name: getattr(channel, name) for name in values} == values
    assert channel.version == 2


def test_every_member_of_the_settings_is_stored(highest):
    channel = ChannelFactory()
    values = {
        "isChannelAddable": None,
        "isContentAddable": None,
        "transIsAutomatic": "on",
        "transType": "2",
        "transSiteId": "9",
        "transChannelIds": "4,5",
        "transDoneType": "1",
        "defaultTaxisType": "OrderByHits",
        "contentAttributesOfDisplay": "author",
    }
    assert change(highest, channel, **values).status_code == 302
    channel.refresh_from_db()
    assert channel.settings == {
        "isChannelAddable": False,
        "isContentAddable": False,
        "transIsAutomatic": True,
        "transType": 2,
        "transSiteId": 9,
        "transChannelIds": "4,5",
        "transDoneType": 1,
        "defaultTaxisType": "OrderByHits",
        "contentAttributesOfDisplay": "author",
    }


HOSTILE = "a < b<i onclick='x()'>c</i><script>x()</script>"


@pytest.mark.parametrize("name", ["channel_name", "group_name_collection", "keywords", "description"])
def test_a_text_beside_the_body_is_cleaned(highest, name):
    channel = ChannelFactory()
    answer = change(highest, channel, **{name: HOSTILE})
    channel.refresh_from_db()
    assert getattr(channel, name) == "a < b<i>c</i>"
    assert "onclick" in told(answer)[0] and "script" in told(answer)[0]


def test_a_name_of_which_nothing_is_left_is_refused(highest):
    channel = ChannelFactory(channel_name="Ships")
    for answer in (
        change(highest, channel, channel_name="<script>x()</script>"),
        add(highest, channel, channel_name="<script>x()</script>"),
    ):
        wanted = ["This text consists of markup that is not allowed here; enter a text without it."]
        assert errors(answer) == {"channel_name": wanted}
    channel.refresh_from_db()
    assert (channel.channel_name, channel.children_count) == ("Ships", 0)


def test_the_text_is_stored_without_what_acts_and_that_is_told(highest):
    channel = ChannelFactory()
    answer = change(highest, channel, content='<p onclick="x()">Tide</p><script>x()</script>')
    channel.refresh_from_db()
    assert channel.content == "<p>Tide</p>"
    assert "script" in told(answer)[0]


def test_a_picture_within_the_text_is_refused(highest):
    channel = ChannelFactory()
    answer = change(highest, channel, content='<img src="data:image/png;base64,AA">')
    assert errors(answer)["content"] == ["A picture is embedded in the text itself; upload it instead."]


def test_a_text_that_is_nested_too_deeply_is_refused(highest):
    answer = change(highest, ChannelFactory(), content="<b>" * 500)
    assert errors(answer)["content"] == [
        "Parts of the text are nested too deeply. Paste it again as plain text.",
    ]


def test_files_are_uploaded_where_contents_may_be_written(highest, client):
    channel = ChannelFactory()
    upload = f"/admin/contents/content/upload/{channel.site_id}/"
    assert upload in highest.get(place(PAGE, "change", channel.pk)).content.decode()
    client.force_login(administrator_with("channels_app.change_channel"))
    assert upload not in client.get(place(PAGE, "change", channel.pk)).content.decode()


def test_custom_fields_are_texts_to_edit_and_others_to_see(highest):
    channel = ChannelFactory(settings={"mood kind": "calm", "depth": [1, 2], "isContentAddable": False})
    page = highest.get(place(PAGE, "change", channel.pk)).content.decode()
    assert "<code>[1, 2]</code>" in page
    name = next(name for name in filled(highest, channel) if name.startswith("custom_"))
    change(highest, channel, **{name: "stormy"})
    channel.refresh_from_db()
    assert channel.settings == {"mood kind": "stormy", "depth": [1, 2], "isContentAddable": False}


def test_a_custom_field_that_is_too_large_is_refused_beside_it(highest, settings):
    settings.CMS_MAX_CUSTOM_FIELD_BYTES = 2048
    channel = ChannelFactory(settings={"mood": "calm"})
    name = next(name for name in filled(highest, channel) if name.startswith("custom_"))
    (sentence,) = errors(change(highest, channel, **{name: "x" * 2048}))[name]
    assert sentence.startswith("“mood” is too large. A custom field has at most CMS_MAX_CUSTOM_FIELD_BYTES bytes")
    channel.refresh_from_db()
    assert channel.settings == {"mood": "calm"}


def test_saving_as_it_stands_changes_nothing(highest):
    # A package may bring what the form would refuse; only what is typed anew is looked at.
    channel = ChannelFactory(channel_file_path_rule="/no-extension", content="one\r\ntwo", image_url="@/x.jpg")
    assert change(highest, channel).status_code == 302
    stored = Channel.objects.get(pk=channel.pk)
    assert (stored.version, stored.content, stored.image_url) == (1, "one\r\ntwo", "@/x.jpg")
    assert not AuditEntry.objects.filter(action="channel.changed").exists()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("channel_name", "  ", "required"),
        ("channel_name", "x" * 256, "at most 255"),
        ("channel_file_path_rule", "/news/{@channelId}", "must end in a file extension"),
        ("content_file_path_rule", "/../{@contentId}.html", "must end in a file extension"),
        ("file_path", "/a<b.html", "A path must not contain"),
        ("link_url", "javascript:alert(1)", "must not begin with javascript"),
        ("image_url", "data:x", "must not begin with javascript"),
        ("link_type", "Elsewhere", "valid choice"),
        ("channel_template_id", "-1", "not one of the available choices"),
        ("channel_template_id", "9" * 30, "not one of the available choices"),
        ("transSiteId", "x", "must be an integer"),
        ("index_name", "taken", "Another channel has taken"),
        ("keywords", "\0", "ull characters"),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_nothing_is_stored(highest, name, value, words):
    channel = ChannelFactory(channel_name="Ships")
    ChannelFactory(site=channel.site, index_name="taken")
    answer = change(highest, channel, **{"description": "typed", name: value})
    assert words in errors(answer)[name][0]
    assert answer.context["adminform"].form["description"].value() == "typed"
    stored = Channel.objects.get(pk=channel.pk)
    assert (stored.version, stored.description) == (1, "")


def test_a_change_of_somebody_else_is_told_and_kept(highest):
    channel = ChannelFactory(keywords="old")
    form = filled(highest, channel)
    change(highest, channel, keywords="theirs")
    answer = highest.post(place(PAGE, "change", channel.pk), form | {"keywords": "mine"})
    page = answer.content.decode()
    assert "Someone else has changed this channel" in page
    assert "harriet: Channel changed (keywords)" in page
    assert "<code>theirs</code>" in page
    assert answer.context["adminform"].form["keywords"].value() == "mine"
    assert Channel.objects.get(pk=channel.pk).keywords == "theirs"


def test_what_somebody_else_changed_is_overwritten_by_choice_only(highest):
    channel = ChannelFactory()
    form = filled(highest, channel) | {"keywords": "mine"}
    change(highest, channel, keywords="theirs")
    address = place(PAGE, "change", channel.pk)
    again = highest.post(address, form | sent_by(highest.post(address, form)))
    assert "Someone else has changed this channel" in again.content.decode()
    version = re.search(r'name="overwrite" value="(\d+)"', again.content.decode())[1]
    assert highest.post(address, form | {"overwrite": version}).status_code == 302
    assert Channel.objects.get(pk=channel.pk).keywords == "mine"
    # A third change in between is told again.
    assert highest.post(address, form | {"keywords": "late", "overwrite": version}).status_code == 200


def test_a_channel_deleted_meanwhile_is_404(highest):
    channel = ChannelFactory()
    form = filled(highest, channel)
    highest.post(place(PAGE, "action", "trash"), {"ids": str(channel.pk)})
    assert highest.post(place(PAGE, "change", channel.pk), form).status_code == 404


def test_a_new_channel_goes_below_the_chosen_one(highest):
    parent = ChannelFactory()
    ChannelFactory(parent=parent, channel_name="First")
    answer = add(highest, parent, channel_name="Second", index_name="second", isContentAddable="on")
    made = Channel.objects.get(index_name="second")
    assert answer["Location"].endswith(f"#c{made.pk}")
    assert children(parent) == ["First", "Second"]
    assert made.settings.get("isContentAddable", True)
    assert AuditEntry.objects.filter(action="channel.created", object_id=str(made.pk)).exists()
    assert_derived()


@pytest.mark.parametrize(("where", "order"), [("before", ["New", "A", "B"]), ("after", ["A", "New", "B"])])
def test_a_new_channel_goes_beside_the_chosen_one(highest, where, order):
    parent = ChannelFactory()
    first = ChannelFactory(parent=parent, channel_name="A")
    ChannelFactory(parent=parent, channel_name="B")
    add(highest, parent, place=f"{where}.{first.pk}", channel_name="New")
    assert children(parent) == order
    assert_derived()


def test_nothing_is_added_where_its_neighbour_is_gone(highest):
    parent, elsewhere = ChannelFactory(), ChannelFactory()
    answer = add(highest, parent, place=f"after.{elsewhere.pk}", channel_name="New")
    assert "no longer exists" in errors(answer)["__all__"][0]
    assert children(parent) == []


def test_a_channel_that_takes_none_below_it_says_so(highest):
    parent = ChannelFactory(settings={"isChannelAddable": False})
    answer = add(highest, parent, channel_name="New")
    assert "do not allow channels below it" in errors(answer)["__all__"][0]
    assert children(parent) == []


@pytest.mark.parametrize(
    "query", ["below=0", "below=x", "below=999999", "below={pk}&place=x", "below={pk}&place=beside.1"]
)
def test_a_place_that_there_is_not_is_404(highest, query):
    address = f"{place(PAGE, 'add')}?{query.format(pk=ChannelFactory().pk)}"
    assert highest.get(address).status_code == 404
    assert highest.post(address, {"channel_name": "x"}).status_code == 404


def test_without_a_place_the_sites_are_offered(highest):
    site = SiteFactory(site_name="Harbour")
    page = highest.get(place(PAGE, "add")).content.decode()
    assert f'href="?below={site.pk}"' in page


def test_the_home_channel_has_no_link_and_no_place(highest):
    home = Channel.objects.get(pk=SiteFactory().pk)
    form = filled(highest, home)
    assert not {"link_type", "link_url", "file_path"} & form.keys()
    page = highest.get(place(PAGE, "change", home.pk)).content.decode()
    assert "actions/trash" not in page
    assert "moving=" not in page
    assert change(highest, home, channel_name="Port").status_code == 302
    assert Channel.objects.get(pk=home.pk).channel_name == "Port"


def test_who_may_only_look_sees_the_channel_and_changes_nothing(client):
    channel = ChannelFactory(keywords="light,sea")
    client.force_login(administrator_with("channels_app.view_channel"))
    assert "light,sea" in client.get(place(PAGE, "change", channel.pk)).content.decode()
    assert client.post(place(PAGE, "change", channel.pk), {"channel_name": "x"}).status_code == 403
    assert client.get(place(PAGE, "add"), {"below": channel.pk}).status_code == 403


def test_who_may_add_adds_and_changes_nothing(client):
    channel = ChannelFactory()
    client.force_login(administrator_with("channels_app.add_channel"))
    assert add(client, channel, channel_name="New").status_code == 302
    assert client.post(place(PAGE, "change", channel.pk), {"channel_name": "x"}).status_code == 403


def test_a_site_administrator_adds_and_changes_on_own_sites_only(client):
    own, foreign = ChannelFactory(), ChannelFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    assert change(client, own, channel_name="Pier").status_code == 302
    assert add(client, own, channel_name="New").status_code == 302
    assert client.get(place(PAGE, "change", foreign.pk)).status_code == 404
    assert client.post(f"{place(PAGE, 'add')}?below={foreign.pk}", {"channel_name": "x"}).status_code == 404


# ---- rules of pages


@pytest.mark.parametrize(
    ("name", "rule", "of_single", "of_parent"),
    [
        ("channel_file_path_rule", "/{@nonsense}.html", "is not a known token", "is not a known token"),
        ("channel_file_path_rule", "/{@contentId}.html", "is not a known token", "is not a known token"),
        ("channel_file_path_rule", "/news/index.html", "", "All channels would have the same page"),
        ("channel_file_path_rule", "/news/{@sequence}.html", "", "counts within the channel above"),
        ("channel_file_path_rule", "{@parentRule}/{@sequence}/index.html", "", ""),
        ("channel_file_path_rule", "", "", ""),
        ("content_file_path_rule", "/{@nonsense}.html", "is not a known token", "is not a known token"),
        (
            "content_file_path_rule",
            "/news/{@year}.html",
            "All content items of a channel",
            "All content items of a channel",
        ),
        ("content_file_path_rule", "/news/{@sequence}.html", "", "counts within a channel"),
        ("content_file_path_rule", "/{@channelIndex}/{@sequence}.html", "", ""),
    ],
)
def test_a_rule_is_refused_that_gives_several_pages_one_address(highest, name, rule, of_single, of_parent):
    parent = ChannelFactory()
    single = ChannelFactory(parent=parent)
    for channel, words in ((single, of_single), (Channel.objects.get(pk=parent.pk), of_parent)):
        answer = change(highest, channel, **{name: rule})
        if words:
            assert words in errors(answer)[name][0]
            assert getattr(Channel.objects.get(pk=channel.pk), name) == ""
        else:
            assert answer.status_code == 302


def test_the_form_of_a_new_channel_looks_at_its_rules_too(highest):
    answer = add(highest, ChannelFactory(), channel_name="New", content_file_path_rule="/static.html")
    assert "All content items of a channel" in errors(answer)["content_file_path_rule"][0]


def test_a_rule_that_is_there_keeps_nobody_from_other_fields(highest):
    channel = ChannelFactory(content_file_path_rule="/static.html")
    assert change(highest, channel, keywords="sea").status_code == 302


def test_what_only_programs_read_stands_folded(highest):
    fieldsets = dict(highest.get(place(PAGE, "change", ChannelFactory().pk)).context["adminform"].fieldsets)
    assert "isChannelCreatable" not in fieldsets["Link and pages"]["fields"]
    kept = fieldsets["Stored for programs that generate pages"]
    assert "isChannelCreatable" in kept["fields"]
    assert "collapse" in kept["classes"]


# ---- the preview of addresses


def preview(browser, site, **typed):
    return browser.get(place(PAGE, "address", site.pk), typed).json()


def test_the_preview_is_what_the_channel_answers_once_it_is_stored(highest):
    site = SiteFactory(settings={"isSeparatedWeb": True, "separatedWebUrl": "https://harbour.example"})
    above = ChannelFactory(site=site, channel_file_path_rule="/{@channelIndex}/index.html", index_name="ships")
    ChannelFactory(parent=above)
    channel = ChannelFactory(parent=above, index_name="tugs")
    ChannelFactory(parent=above)
    typed = {
        "index_name": "tugs",
        "channel_name": "Tugs",
        "channel_file_path_rule": "{@parentRule}/{@sequence}-{@channelIndex}.html",
    }
    shown = preview(highest, site, channel=channel.pk, **typed)
    change(highest, channel, **typed)
    answer = highest.get(place(PAGE, "visit", channel.pk))
    assert shown["page"] == answer["Location"]
    assert shown["page"].endswith("/ships/2-tugs.html")


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ({}, "/channels/{pk}.html"),
        ({"file_path": "/ships.html"}, "/ships.html"),
        ({"link_url": "https://harbour.example/"}, "https://harbour.example/"),
        ({"channel_file_path_rule": "/(|{@lowerChannelName}).html", "channel_name": "TUGS"}, "/tugs.html"),
        ({"channel_file_path_rule": "{@nonsense}<>{"}, "/<>{{"),
    ],
)
def test_what_makes_an_address(highest, typed, page):
    channel = ChannelFactory()
    assert preview(highest, channel.site, channel=channel.pk, **typed)["page"].endswith(page.format(pk=channel.pk))


def test_a_new_channel_and_its_contents_have_a_preview_too(highest):
    parent = ChannelFactory(content_file_path_rule="/c/{@year}/{@contentId}.html")
    shown = preview(
        highest, parent.site, below=parent.pk, channel_name="New", channel_file_path_rule="/{@channelName}.html"
    )
    assert shown["page"].endswith("/New.html")
    assert shown["content"].endswith("/123.html")


def test_a_preview_of_nothing_is_404(highest):
    site = SiteFactory()
    assert highest.get(place(PAGE, "address", site.pk), {"channel": ChannelFactory().pk}).status_code == 404


@pytest.mark.parametrize("values,counted,shown", [
    (
        {"channel_file_path_rule": "/{@channelId}/index.html", "content_file_path_rule": "/news/{@contentId}.html"},
        "2 channels and 1 content item",
        [
            ("/channels/{channel}.html", "/{channel}/index.html"),
            ("/contents/{below}/{content}.html", "/news/{content}.html"),
        ],
    ),
    ({"file_path": "/own.html"}, "up to 1 channel.", [("/channels/{channel}.html", "/own.html")]),
])  # fmt: skip
def test_new_addresses_of_a_channel_are_shown_before_they_are_stored(highest, values, counted, shown):
    site = make_site()
    channel = ChannelFactory(site=site)
    below = ChannelFactory(parent=channel)
    content = ContentFactory(channel=below, is_checked=True)
    ContentFactory(channel=ChannelFactory(site=site), is_checked=True)
    form = change_once(highest, channel, **values).context["adminform"].form
    assert counted in form.address_change.sentence
    numbers = {"channel": channel.pk, "below": below.pk, "content": content.pk}
    pairs = [tuple(f"/{site.site_dir}{each.format(**numbers)}" for each in pair) for pair in shown]
    assert set(pairs) <= set(form.address_change.examples)
    assert not any(getattr(Channel.objects.get(pk=channel.pk), name) for name in values)
    other = change_once(highest, channel, **(values | {"file_path": "/other.html"}), confirmed=form.confirmation)
    assert other.context["adminform"].form.address_change
    assert change_once(highest, channel, **values, keywords="tugs", confirmed=form.confirmation).status_code == 302
    for old, new in pairs:
        answer = highest.get(old)
        assert (answer.status_code, answer["Location"]) == (301, new)


def test_changes_of_others_come_before_new_addresses(highest):
    channel = ChannelFactory()
    seen = filled(highest, channel)["seen_version"]
    change(highest, channel, keywords="tugs")
    form = change_once(highest, channel, file_path="/own.html", seen_version=seen).context["adminform"].form
    assert (form.is_stale, form.address_change) == (True, None)
