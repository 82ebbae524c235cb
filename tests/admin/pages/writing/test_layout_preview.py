"""Contents in the page of their site before they are public: beside the form, beside each other, and by a link."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Administrator, GroupPlace
from contents.models import Content, ContentDraft, ContentPreview
from contents.services import previews
from core.audit.models import AuditEntry
from core.lib import clock
from pages.models import Template, TemplateKind
from pages.views import SANDBOX
from sites.attributes import REGISTRY
from tests.admin.pages.browsing import place
from tests.admin.pages.writing.forms import PAGE, change
from tests.admin.world import administrator_with
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.pages.sites import make_site

pytestmark = pytest.mark.django_db
TEMPLATE = (
    "<html><head><title>{content.title}</title></head><body><h1><stl:content type='title'></stl:content></h1>"
    "<stl:content type='content'></stl:content><stl:contents><a>{content.title}</a></stl:contents></body></html>"
)
STATEMENTS = 6  # one for the administrator, another for the permissions of an ordinary one
WEBSITE = "https://www.example.org/preview?t={token}&c={channelId}"


@pytest.fixture
def site():
    site = make_site(site_dir="museum")
    Template.objects.filter(site=site, kind=TemplateKind.CONTENT).update(text=TEMPLATE)
    return site


@pytest.fixture
def content(site):
    return ContentFactory(
        site=site, channel_id=site.pk, title="Old", content="<p>Old body</p>", is_checked=True, settings_xml="{}"
    )


@pytest.fixture
def draft(highest, content):
    change(highest, content, title="New", body="<p>New body</p>", _draft="1")
    return ContentDraft.objects.get(content=content)


def preview(client, site, query, **typed):
    return client.post(f"{place(PAGE, 'preview', site.pk)}?{query}", {"title": "Typed", "body": "<p>x</p>"} | typed)


def page_of(client, content, version=""):
    return client.get(place(PAGE, "page", content.pk) + version).content.decode()


def page_of_form(client, content):
    return client.get(place(PAGE, "change", content.pk)).content.decode()


def share(client, content):
    answer = client.post(place(PAGE, "share", content.pk))
    return answer.json()["address"].removeprefix("http://testserver") if answer.status_code == 200 else answer


def token_of(redirect):
    return redirect["Location"].split("t=")[1].split("&")[0]


# ---- beside the form


def test_a_stored_and_a_new_content_are_shown_in_the_page_as_they_are_typed(highest, site, content):
    with CaptureQueriesContext(connection) as made:
        for query in (f"content={content.pk}", f"channel={site.pk}"):
            page = preview(highest, site, query, body="<p>Typed <b>body</b></p><script>alert(1)</script>")
            shown = page.content.decode()
            assert "<h1>Typed</h1><p>Typed <b>body</b></p><a>Old</a>" in shown and "alert" not in shown
            assert '<head><base href="http://testserver/' in shown
            assert page["Content-Security-Policy"] == f"{SANDBOX}; frame-ancestors 'self'"
            assert "no-store" in page["Cache-Control"]
    assert not [one for one in made if one["sql"].startswith(("INSERT", "UPDATE", "DELETE"))]
    assert list(Content.objects.values_list("title", flat=True)) == ["Old"]


def test_a_public_content_is_shown_with_its_draft(highest, site, content, draft):
    assert "<h1>New</h1>" in preview(highest, site, f"content={content.pk}", title="").content.decode()


def test_a_template_that_shows_too_much_tells_so(highest, site, content):
    Template.objects.filter(site=site).update(text="<stl:contents>" * 4 + "x" + "</stl:contents>" * 4)
    for number in range(60):
        ContentFactory(site=site, channel_id=site.pk, title=str(number), is_checked=True)
    page = preview(highest, site, f"content={content.pk}")
    assert "The lists of the page have more than" in page.content.decode()


@pytest.mark.parametrize("rights", ["view", "foreign"])
def test_only_who_may_change_a_content_previews_what_is_typed(client, site, content, rights):
    other = make_site(site_dir="other")
    foreign = {"view": administrator_with("contents.view_content")}
    foreign["foreign"] = AdministratorFactory(is_superuser=False, site_id_collection=str(other.pk))
    client.force_login(foreign[rights])
    for query in (f"content={content.pk}", f"channel={site.pk}"):
        assert preview(client, site, query).status_code == 404
    assert preview(client, other, f"content={content.pk}").status_code == 404
    assert share(client, content).status_code == 404


# ---- beside each other


def test_the_page_of_a_draft_has_both_versions_in_frames(highest, content, draft):
    shown = highest.get(place(PAGE, "draft", content.pk) + "?view=layout").content.decode()
    assert shown.count("<iframe") == 2 and 'sandbox="allow-scripts"' in shown
    assert "<h1>Old</h1><p>Old body</p>" in page_of(highest, content)
    assert "<h1>New</h1><p>New body</p>" in page_of(highest, content, "?version=draft")


def test_the_review_of_a_waiting_content_has_it_in_the_layout(highest, site):
    waiting = ContentFactory(site=site, channel_id=site.pk, title="Waiting", content="<p>x</p>", settings_xml="{}")
    review = place(PAGE, "review", waiting.pk)
    assert '?list=site%3D1&amp;view=layout"' in highest.get(f"{review}?list=site%3D1").content.decode()
    shown = highest.get(f"{review}?view=layout").content.decode()
    assert f'<iframe sandbox="allow-scripts" src="{place(PAGE, "page", waiting.pk)}"' in shown
    assert "<h1>Waiting</h1><p>x</p>" in page_of(highest, waiting)
    assert not Content.objects.get(pk=waiting.pk).is_checked
    site.settings = {"previewAddress": WEBSITE}
    site.save()
    assert "https://www.example.org" in highest.get(f"{review}?view=layout")["Content-Security-Policy"]


# ---- a link


@pytest.mark.any_database
def test_a_link_shows_one_content_to_anyone(highest, content, draft):
    address, stranger = share(highest, content), Client()
    page = stranger.get(address)
    assert page.status_code == 200
    assert "<h1>New</h1><p>New body</p>" in page.content.decode()
    assert (page["Cache-Control"], page["X-Robots-Tag"]) == ("no-store", "noindex, nofollow")
    assert page["Content-Security-Policy"].startswith(SANDBOX)
    assert not page.cookies
    shown = stranger.get(address.removesuffix("/page")).json()["value"]
    assert (shown["id"], shown["title"], shown["content"]) == (content.pk, "New", "<p>New body</p>")
    entry = AuditEntry.objects.get(action="content.preview_shared")
    assert (entry.object_id, entry.site_id) == (str(content.pk), content.site_id)


def wait(monkeypatch, seconds):
    at = clock.now().timestamp() + seconds
    monkeypatch.setattr("django.core.signing.time.time", lambda: at)


def shows(address):
    """Return whether the address shows the content to anyone, as a page and as JSON."""
    answers = [Client().get(path) for path in (address, address.removesuffix("/page"))]
    for answer in answers:
        assert answer.status_code == 200 or answer.json()["code"] == "preview_ended"
    assert len({answer.status_code for answer in answers}) == 1
    return answers[0].status_code == 200


@pytest.mark.parametrize("end", ["late", "trash", "forged"])
def test_a_link_ends(highest, content, monkeypatch, end):
    address = share(highest, content)
    wait(monkeypatch, previews.SECONDS - 60)
    assert shows(address)
    if end == "late":
        wait(monkeypatch, previews.SECONDS + 60)
    elif end == "trash":
        Content.objects.filter(pk=content.pk).update(trashed_at=clock.now())  # the session has ended, too
    else:
        address = address.replace("/previews/", "/previews/A")
    assert not shows(address)


def lock(maker, content):
    Administrator.objects.filter(pk=maker.pk).update(is_locked_out=True)


def change_password(maker, content):
    maker.set_password("another-21")
    maker.save()


def lose_right(maker, content):
    maker.groups.get().permissions.remove(Permission.objects.get(codename="change_content"))


def lose_branch(maker, content):
    GroupPlace.objects.update(channel_id=ChannelFactory(site=content.site).pk)


def lose_site(maker, content):
    GroupPlace.objects.update(site_id=SiteFactory().pk, channel_id=0)


def move_content(maker, content):
    Content.objects.filter(pk=content.pk).update(channel=ChannelFactory(site=content.site))


def delete(maker, content):
    maker.delete()


ENDS = [lock, change_password, lose_right, lose_branch, lose_site, move_content, delete]


@pytest.fixture
def branch_editor(content):
    """An administrator who may see and change contents in the branch of the content."""
    branch = ChannelFactory(parent=ChannelFactory(site=content.site))
    Content.objects.filter(pk=content.pk).update(channel=branch)
    maker = administrator_with("contents.view_content", "contents.change_content")
    GroupPlace.objects.create(group=maker.groups.get(), site_id=content.site_id, channel_id=branch.parent_id)
    return maker


@pytest.mark.any_database
@pytest.mark.parametrize("end", ENDS)
def test_a_link_ends_with_the_rights_of_its_maker(client, content, branch_editor, end):
    client.force_login(branch_editor)
    address = share(client, content)
    assert shows(address)
    end(branch_editor, content)
    assert not shows(address)


def test_a_link_stays_while_its_maker_signs_out_or_approves(client, content):
    maker = administrator_with("contents.view_content", "contents.approve_content")
    Content.objects.filter(pk=content.pk).update(is_checked=False)
    client.force_login(maker)
    address = share(client, content)
    client.logout()
    Content.objects.filter(pk=content.pk).update(is_checked=True)
    assert shows(address)


def test_who_made_a_link_is_read_with_few_statements(highest, client, content, branch_editor):
    numbers = []
    for maker in (AdministratorFactory(), branch_editor):
        client.force_login(maker)
        address = share(client, content).removesuffix("/page")
        with CaptureQueriesContext(connection) as made:
            assert Client().get(address).status_code == 200
        numbers.append(len(made))
    assert max(numbers) <= STATEMENTS


# ---- websites built elsewhere


@pytest.fixture
def elsewhere(site):
    site.settings = {"previewAddress": WEBSITE}
    site.save()
    return site


@pytest.mark.any_database
def test_a_website_reads_what_is_typed_by_its_token(highest, elsewhere, content):
    first = preview(highest, elsewhere, f"channel={elsewhere.pk}", tags="a,b").json()
    assert first["address"] == f"https://www.example.org/preview?t={first['token']}&c={elsewhere.pk}"
    shown = Client().get(f"/api/v1/previews/{first['token']}", HTTP_ORIGIN="https://www.example.org")
    assert shown["Cache-Control"] == "no-store"
    typed = {name: shown.json()["value"][name] for name in ("id", "title", "content", "tags", "channelId")}
    expected = {"id": -1, "title": "Typed", "content": "<p>x</p>", "tags": "a,b", "channelId": elsewhere.pk}
    assert typed == expected
    again = preview(highest, elsewhere, f"channel={elsewhere.pk}", title="More", preview_token=first["token"]).json()
    for token in (first["token"], again["token"]):
        assert Client().get(f"/api/v1/previews/{token}").json()["value"]["title"] == "More"
    assert ContentPreview.objects.count() == 1
    ContentPreview.objects.update(ends_at=clock.now())
    assert Client().get(f"/api/v1/previews/{again['token']}").status_code == 404
    assert previews.purge_ended() == 1


def test_another_administrators_token_is_not_overwritten(highest, elsewhere):
    first = preview(highest, elsewhere, f"channel={elsewhere.pk}").json()
    other = Client()
    other.force_login(AdministratorFactory())
    preview(other, elsewhere, f"channel={elsewhere.pk}", title="Other", preview_token=first["token"])
    assert Client().get(f"/api/v1/previews/{first['token']}").json()["value"]["title"] == "Typed"


@pytest.mark.any_database
def test_a_frame_of_who_may_only_see_is_recorded_and_its_token_ends_in_a_minute(
    client, elsewhere, content, monkeypatch
):
    viewer = administrator_with("contents.view_content")
    client.force_login(viewer)
    assert share(client, content).status_code == 404
    token = token_of(client.get(place(PAGE, "page", content.pk) + "?version=draft"))
    entry = AuditEntry.objects.get(action="content.preview_shared")
    assert (entry.administrator_id, entry.object_id, entry.details) == (viewer.pk, str(content.pk), {"seconds": 60})
    assert shows(f"/api/v1/previews/{token}/page")
    wait(monkeypatch, previews.FRAME_SECONDS + 5)
    assert not shows(f"/api/v1/previews/{token}/page")


@pytest.mark.parametrize("end", [lock, change_password, lose_site, move_content, delete])
def test_a_frame_ends_with_the_rights_of_its_viewer(client, elsewhere, content, branch_editor, end):
    client.force_login(branch_editor)
    tokens = [token_of(client.get(place(PAGE, "page", content.pk)))]
    tokens.append(preview(client, elsewhere, f"content={content.pk}").json()["token"])
    addresses = [f"/api/v1/previews/{token}" for token in tokens]
    assert [Client().get(address).status_code for address in addresses] == [200, 200]
    # Only the preview of unsaved text survives a move: it shows the text of the form.
    statuses = [404, 200 if end is move_content else 404]
    end(branch_editor, content)
    assert [Client().get(address).status_code for address in addresses] == statuses
    assert not AuditEntry.objects.filter(action="content.preview_shared").exists()


def test_what_is_typed_is_shown_for_a_minute_after_each_update(highest, elsewhere, monkeypatch):
    query = f"channel={elsewhere.pk}"
    first = preview(highest, elsewhere, query).json()
    wait(monkeypatch, previews.FRAME_SECONDS + 5)
    assert Client().get(f"/api/v1/previews/{first['token']}").status_code == 404
    again = preview(highest, elsewhere, query, title="More", preview_token=first["token"]).json()
    assert Client().get(f"/api/v1/previews/{again['token']}").json()["value"]["title"] == "More"
    assert ContentPreview.objects.count() == 1


def test_the_form_may_frame_the_website_and_no_other(highest, elsewhere, content, draft):
    for name in ("change", "draft"):
        page = highest.get(place(PAGE, name, content.pk))
        assert "frame-src 'self' https://www.example.org;" in page["Content-Security-Policy"] + ";"
    assert 'data-sandbox="allow-scripts allow-forms allow-same-origin"' in page_of_form(highest, content)
    moved = highest.get(place(PAGE, "page", content.pk))
    assert moved["Location"].startswith("https://www.example.org/preview?t=")
    assert Client().get(f"/api/v1/previews/{token_of(moved)}").json()["value"]["title"] == "Old"
    assert share(highest, content).startswith("https://www.example.org/preview?t=")


def test_a_website_on_the_host_of_the_admin_gets_no_origin(highest, site, content):
    site.settings = {"previewAddress": "https://testserver/x?{token}"}
    site.save()
    assert 'data-sandbox="allow-scripts"' in page_of_form(highest, content)


@pytest.mark.parametrize(
    ("address", "is_valid"),
    [
        ("", True),
        (WEBSITE, True),
        ("http://localhost:3000/?{token}", True),
        ("http://www.example.org/{token}", False),
        ("https://www.example.org/", False),
        ("https://a.example;frame-src/{token}", False),
        ("https://a.example/ {token}", False),
    ],
)
def test_the_address_is_a_url_with_a_token(address, is_valid):
    assert REGISTRY.by_name["previewAddress"].fits(address) is is_valid
