"""Templates in the admin: who may do what, saving and conflicts, versions, previews, and assignment to channels."""

import pytest
from django.test import Client
from django.urls import reverse

from channels_app.models import Channel
from core.audit.models import AuditEntry
from pages.models import Template, TemplateChange, TemplateKind
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.pages.sites import make_site, make_template

pytestmark = pytest.mark.django_db

HTML = "text/html; charset=utf-8"


def signed_in(administrator):
    browser = Client()
    browser.force_login(administrator)
    return browser


@pytest.fixture
def browser():
    return signed_in(AdministratorFactory(is_superuser=True))


@pytest.fixture
def site():
    return make_site(site_dir="museum")


@pytest.fixture
def template(site):
    return make_template(site, TemplateKind.CHANNEL, name="Gallery", text="<p>one</p>\n")


def address(view, *arguments):
    return reverse(f"admin:pages_template_{view}", args=arguments)


def change(browser, template, **values):
    sent = {"name": template.name, "text": template.text, "seen_version": template.version, **values}
    return browser.post(address("change", template.pk), sent)


def action(browser, name, *records, model="pages_template", **values):
    sent = {"ids": ",".join(str(record.pk) for record in records), **values}
    return browser.post(reverse(f"admin:{model}_action", args=[name]), sent, follow=True)


def told(response):
    return [str(message) for message in response.context["messages"]]


def draft(browser, view, site, query, text, **values):
    return browser.post(f"{address(view, site.pk)}?{query}", {"text": text, **values})


# ---- the list


def test_the_list_tells_where_each_template_is_used(browser, site, template):
    ChannelFactory(site=site, channel_template_id=template.pk)
    ChannelFactory(site=site, channel_template_id=12345)  # does not exist, so the default
    make_template(site, TemplateKind.INCLUDE, name="include/head.html")
    Template.objects.filter(kind=TemplateKind.CONTENT).update(
        text='<stl:include file="/Include/Head.html"></stl:include>'
    )
    rows = browser.get(address("changelist")).context["cl"].result_list
    uses = {row.name: (len(row.uses.channels), len(row.uses.by_default), len(row.uses.templates)) for row in rows}
    assert uses == {
        "IndexPageTemplate": (0, 0, 0),
        "ChannelTemplate": (0, 1, 0),
        "Gallery": (1, 0, 0),
        "ContentTemplate": (0, 3, 0),
        "include/head.html": (0, 0, 1),
    }
    assert [row.kind for row in rows] == sorted((row.kind for row in rows), key=TemplateKind.values.index)


# ---- saving


def test_a_new_template_is_stored_and_becomes_the_missing_default(browser):
    site = SiteFactory()
    add = f"{address('add')}?site={site.pk}&kind="
    browser.post(f"{add}ContentTemplate", {"name": " Article ", "text": "a\r\nb"})
    browser.post(f"{add}FileTemplate", {"name": "Search", "page_path": "/utils/search.html", "text": ""})
    browser.post(f"{add}IncludeFile", {"name": "@/include//head.html", "text": ""})
    rows = Template.objects.order_by("pk").values_list("kind", "name", "page_path", "text", "is_default")
    assert list(rows) == [
        ("ContentTemplate", "Article", "", "a\nb", True),
        ("FileTemplate", "Search", "utils/search.html", "", False),
        ("IncludeFile", "include/head.html", "", "", False),
    ]
    assert AuditEntry.objects.filter(action="template.created", site_id=site.pk).count() == 3


@pytest.mark.parametrize(
    ("kind", "values", "field"),
    [
        ("ChannelTemplate", {"name": "channeltemplate"}, "name"),
        ("FileTemplate", {"name": "x", "page_path": "../x.html"}, "page_path"),
        ("FileTemplate", {"name": "x", "page_path": "a//x.html"}, "page_path"),
        ("FileTemplate", {"name": "x", "page_path": "search"}, "page_path"),
        ("FileTemplate", {"name": "x", "page_path": "taken.html"}, "page_path"),
        ("IncludeFile", {"name": "head"}, "name"),
        ("ChannelTemplate", {"name": "x", "text": "a" * 2_000_001}, "text"),
    ],
)
def test_a_refusal_is_beside_its_field(browser, site, kind, values, field):
    make_template(site, TemplateKind.FILE, page_path="taken.html")
    before = Template.objects.count()
    response = browser.post(f"{address('add')}?site={site.pk}&kind={kind}", {"text": "", **values})
    assert list(response.context["adminform"].form.errors) == [field]
    assert Template.objects.count() == before


def test_a_change_keeps_the_old_text_and_line_ends(browser, template):
    Template.objects.update(text="one\r\n")
    assert change(browser, template, text="one\r\n").status_code == 302
    assert not TemplateChange.objects.exists()  # browsers send such line ends anyway
    change(browser, template, text="two\r\n")
    change(browser, template, name="Pictures", text="two\r\n", seen_version=2)
    template.refresh_from_db()
    assert (template.text, template.name, template.version) == ("two\r\n", "Pictures", 3)
    assert list(template.changes.order_by("version").values_list("version", "text_before")) == [
        (2, "one\r\n"),
        (3, None),
    ]
    entries = AuditEntry.objects.filter(action="template.changed").order_by("pk")
    assert list(entries.values_list("changed", flat=True)) == [["text"], ["name"]]


def test_the_second_of_two_editors_is_told_and_loses_nothing(browser, template):
    change(browser, template, text="<p>theirs</p>\n")
    response = change(browser, template, text="<p>mine</p>\n")
    page = response.content.decode()
    assert response.status_code == 200
    assert "<ins>mine</ins>" in page and "<del>theirs</del>" in page
    assert "&lt;p&gt;mine&lt;/p&gt;\n</textarea>" in page
    assert Template.objects.get(pk=template.pk).text == "<p>theirs</p>\n"
    change(browser, template, text="<p>mine</p>\n", overwrite=2)
    stored = Template.objects.get(pk=template.pk)
    assert (stored.text, stored.version) == ("<p>mine</p>\n", 3)
    assert stored.changes.get(version=3).text_before == "<p>theirs</p>\n"


def test_old_versions_are_bounded(browser, template, settings):
    settings.CMS_HISTORY_VERSIONS = 2
    for version in range(1, 5):
        change(browser, template, text=f"{version}", seen_version=version)
    assert sorted(template.changes.values_list("version", flat=True)) == [4, 5]
    assert browser.get(address("past", template.pk, 3)).context["text"] == "2"
    assert browser.get(address("past", template.pk, 2)).status_code == 302


# ---- versions


def test_versions_can_be_looked_at_compared_and_restored(browser, template):
    for version, text in enumerate(["two", "three"], start=1):
        change(browser, template, text=text, seen_version=version)
    history = browser.get(address("history", template.pk)).context["history"]
    assert [row.version for row in history.rows] == [3, 2]
    assert history.beginning.version == 1
    assert browser.get(address("past", template.pk, 1)).context["text"] == "<p>one</p>\n"
    shown = browser.get(address("compare", template.pk), {"from": 2, "to": 3}).content.decode()
    assert "<del>two</del>" in shown and "<ins>three</ins>" in shown
    assert browser.get(address("revert", template.pk, 1)).status_code == 200
    browser.post(address("revert", template.pk, 1), {"seen_version": 3})
    stored = Template.objects.get(pk=template.pk)
    assert (stored.text, stored.version, stored.changes.get(version=4).restored) == ("<p>one</p>\n", 4, 1)


def test_restoring_is_refused_if_the_template_has_changed(browser, template):
    change(browser, template, text="two")
    response = browser.post(address("revert", template.pk, 1), {"seen_version": 1})
    assert response.status_code == 200
    assert Template.objects.get(pk=template.pk).text == "two"


def test_a_version_shows_markup_as_text(browser, template):
    change(browser, template, text="</textarea><script>alert(1)</script>")
    for view, arguments in (("past", [2]), ("compare", []), ("revert", [1])):
        assert "<script>alert" not in browser.get(address(view, template.pk, *arguments)).content.decode()


# ---- deleting, duplicating, defaults


def test_templates_in_use_are_not_deleted(browser, site, template):
    ChannelFactory(site=site, channel_template_id=template.pk)
    include = make_template(site, TemplateKind.INCLUDE, name="head.html")
    make_template(site, TemplateKind.FILE, name="Page", page_path="a.html", text='<stl:include file="/head.html"/>')
    default = Template.objects.get(kind=TemplateKind.CONTENT)
    response = action(browser, "delete", template, include, default)
    assert Template.objects.filter(pk__in=[template.pk, include.pk, default.pk]).count() == 3
    assert len(told(response)) == 3
    assert any("Page" in message for message in told(response))
    Channel.objects.update(channel_template_id=0)
    action(browser, "delete", template)
    assert not Template.objects.filter(pk=template.pk).exists()


def test_a_duplicate_has_a_free_name_and_path(browser, site, template):
    page = make_template(site, TemplateKind.FILE, name="Page", page_path="a/page.html", text="x")
    make_template(site, TemplateKind.FILE, name="Page (2)", page_path="b.html")
    action(browser, "duplicate", template, page)
    assert Template.objects.get(name="Gallery (2)").text == template.text
    assert Template.objects.get(name="Page (3)").page_path == "a/page-3.html"


def test_another_template_becomes_the_default(browser, site, template):
    action(browser, "make-default", template)
    assert Template.objects.get(kind=TemplateKind.CHANNEL, is_default=True) == template


# ---- errors and previews of drafts


def test_errors_of_a_draft_have_places(browser, site):
    response = draft(browser, "check", site, "kind=ChannelTemplate", "<p>\r\n<stl:if>\r\n<stl:include file='/x.html'/>")
    found = [(each["line"], each["column"]) for each in response.json()["problems"]]
    assert found == [(2, 1), (3, 1)]


def test_a_preview_shows_the_draft_in_a_sandbox_and_stores_nothing(browser, site, template):
    news = ChannelFactory(site=site, channel_name="News", channel_template_id=template.pk)
    text = "<!DOCTYPE html><html><head><title>x</title></head>{channel.title}<script>1</script>"
    response = draft(browser, "preview", site, f"template={template.pk}", text)
    base = f'<base href="http://testserver/museum/channels/{news.pk}.html">'
    assert response.content.decode() == text.replace("{channel.title}", "News").replace("<head>", f"<head>{base}")
    policy = response.headers["Content-Security-Policy"]
    assert policy == "sandbox allow-scripts allow-forms allow-popups; frame-ancestors 'self'"
    assert "no-store" in response.headers["Cache-Control"]
    assert Template.objects.get(pk=template.pk).text == "<p>one</p>\n"
    assert browser.get(f"/museum/channels/{news.pk}.html").content == b"<p>one</p>\n"


def test_a_preview_of_a_content_template_shows_the_newest_or_the_chosen_content(browser, site):
    channel = ChannelFactory(site=site)
    first, last = (
        ContentFactory(channel=channel, title=title, is_checked=True, taxis=taxis)
        for taxis, title in enumerate("AB", 1)
    )
    ContentFactory(channel=channel, title="C", is_checked=False, taxis=3)
    other = ContentFactory(title="D", is_checked=True)

    def show(**page):
        return draft(
            browser, "preview", site, "kind=ContentTemplate", "{content.title}", page_channel=channel.pk, **page
        )

    assert show().content.endswith(b">B")
    assert show(page_content=first.pk).content.endswith(b">A")
    assert b"no approved content" in show(page_content=other.pk).content
    assert last.title == "B"


def test_a_draft_of_an_include_is_shown_on_a_page_with_it(browser, site):
    include = make_template(site, TemplateKind.INCLUDE, name="head.html", text="old")
    Template.objects.filter(kind=TemplateKind.INDEX).update(text='<stl:include file="/head.html"/>!')
    response = draft(browser, "preview", site, f"template={include.pk}", "new", name="head.html")
    assert response.content.endswith(b">new!")
    unused = draft(browser, "preview", site, "kind=IncludeFile", "x", name="x.html")
    assert b"No template includes it" in unused.content


def test_errors_of_the_page_are_told_with_the_preview(browser, site):
    text = '<stl:include file="{stl.siteName}.html"/>'
    ask = lambda **on_page: draft(browser, "check", site, "kind=IndexPageTemplate", text, **on_page).json()["problems"]  # noqa: E731
    assert ask() == []
    assert [each["line"] for each in ask(on_page=1)] == [0]


# ---- assignment


def test_templates_are_assigned_to_channels_and_those_below(browser, site, template):
    above = ChannelFactory(site=site)
    below, beside = ChannelFactory(parent=above), ChannelFactory(site=site)
    versions = dict(Channel.objects.values_list("pk", "version"))
    sent = {"channel_template_id": template.pk, "content_template_id": "", "with_below": "on"}
    action(browser, "templates", above, model="channels_app_channel", **sent)
    given = dict(Channel.objects.values_list("pk", "channel_template_id"))
    assert [given[channel.pk] for channel in (above, below, beside)] == [template.pk, template.pk, 0]
    raised = {pk for pk, version in Channel.objects.values_list("pk", "version") if version > versions[pk]}
    assert raised == {above.pk, below.pk}
    assert AuditEntry.objects.filter(action="channel.changed").count() == 2


def test_a_template_of_another_site_or_type_is_not_assigned(browser, site):
    channel = ChannelFactory(site=site)
    other = make_template(make_site(site_dir="other"), TemplateKind.CHANNEL, name="Other")
    content = Template.objects.get(site=site, kind=TemplateKind.CONTENT)
    for wrong in (other, content):
        action(browser, "templates", channel, model="channels_app_channel", channel_template_id=wrong.pk)
    assert Channel.objects.get(pk=channel.pk).channel_template_id == 0


def test_the_form_of_a_channel_names_its_templates(browser, site, template):
    channel = ChannelFactory(site=site, content_template_id=999)
    place = reverse("admin:channels_app_channel_change", args=[channel.pk])
    form = browser.get(place).context["adminform"].form
    assert [str(words) for _pk, words in form.fields["channel_template_id"].choices] == [
        "Default: ChannelTemplate",
        "ChannelTemplate",
        "Gallery",
    ]
    assert form.fields["content_template_id"].choices[-1][0] == 999
    sent = {name: "" if value is None else value for name, value in form.initial.items()}
    sent = {name: value for name, value in sent.items() if value is not False}
    browser.post(place, sent | {"channel_template_id": template.pk, "seen_version": channel.version})
    channel.refresh_from_db()
    assert (channel.channel_template_id, channel.content_template_id) == (template.pk, 999)


def test_channels_are_chosen_on_the_page_of_a_template(browser, site, template):
    kept, left, added, other = (
        ChannelFactory(site=site, channel_template_id=pk) for pk in (template.pk, template.pk, 0, 0)
    )
    sent = {"seen": [kept.pk, left.pk], "channels": [kept.pk, added.pk]}
    assert browser.get(address("channels", template.pk)).status_code == 200
    browser.post(address("channels", template.pk), sent)
    given = dict(Channel.objects.values_list("pk", "channel_template_id"))
    assert [given[each.pk] for each in (kept, left, added, other)] == [template.pk, 0, template.pk, 0]


# ---- rights


def test_administrators_of_another_site_reach_nothing(site, template):
    stranger = signed_in(AdministratorFactory(is_superuser=False, site_id_collection=str(SiteFactory().pk)))
    for view in ("change", "history", "channels", "compare"):
        assert stranger.get(address(view, template.pk)).status_code == 404
    for view in ("check", "preview"):
        assert draft(stranger, view, site, f"template={template.pk}", "x").status_code == 404
    assert change(stranger, template, text="theirs").status_code == 404
    assert stranger.get(f"{address('add')}?site={site.pk}&kind=FileTemplate").status_code == 404


def test_a_draft_is_never_checked_against_a_template_of_another_site(site, template):
    own = make_site(site_dir="own")
    editor = signed_in(AdministratorFactory(is_superuser=False, site_id_collection=str(own.pk)))
    assert draft(editor, "preview", own, f"template={template.pk}", "x").status_code == 404


def test_who_may_only_see_templates_changes_none(site, template):
    reader = signed_in(administrator_with("pages.view_template"))
    page = reader.get(address("change", template.pk))
    assert page.status_code == 200
    assert b"template-editor" not in page.content
    assert change(reader, template, text="mine").status_code == 403
    assert reader.post(address("revert", template.pk, 1), {"seen_version": 1}).status_code == 404
    assert draft(reader, "preview", site, f"template={template.pk}", "x").status_code == 404
    assert Template.objects.get(pk=template.pk).text == "<p>one</p>\n"
