"""Sites deleted in the admin: to the trash, back, and for good."""

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from contents.models import Content
from contents.services.site_trash import trash_site
from core.audit.models import AuditEntry
from forms.models import Entry, Form
from media_library.models import MediaFile, MediaFolder, MediaUse
from sites.models import Site, TrashedSite
from tests.admin.pages.browsing import place
from tests.factories import AdministratorFactory, ApiKeyFactory, SiteFactory
from tests.transfer.wizard import browser_of, do, token_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("one_at_a_time")]
SITES, TRASH = "cms_sites_site", "cms_sites_trashedsite"


@pytest.fixture
def other():
    return SiteFactory(site_name="Harbour", site_dir="harbour")


def send(browser, page, view, site, **sent):
    """The answer to the form of the view."""
    return browser.post(place(page, view, site.pk), sent)


def text_of(browser, *address):
    return browser.get(place(*address)).content.decode()


def test_the_dialog_says_what_leaves_with_the_site(highest, museum, other):
    for site_ids in (f"{museum.pk}", f"{other.pk},{museum.pk}", f"{museum.pk}0", ""):
        ApiKeyFactory(site_ids=site_ids)
        AdministratorFactory(is_superuser=False, site_id_collection=site_ids)
    shown = highest.get(place(SITES, "trash", museum.pk))
    assert [figure.split()[0] for figure in shown.context["figures"]] == ["4", "2", "2", "4", "2", "2"]


def test_a_site_goes_to_the_trash_once_its_name_is_typed(highest, museum, other):
    refused = send(highest, SITES, "trash", museum, site_name="museum")
    assert "This is not the name of the site." in refused.content.decode()
    assert Site.objects.filter(pk=museum.pk).exists()
    assert send(highest, SITES, "trash", museum, site_name=museum.site_name).status_code == 302
    assert not Site.objects.filter(pk=museum.pk).exists()
    assert AuditEntry.objects.get(action="site.trashed").actor_name == "harriet"
    # A second person is late.
    assert send(highest, SITES, "trash", museum, site_name=museum.site_name).status_code == 404


def test_the_only_site_offers_no_deletion(highest, other):
    shown = text_of(highest, SITES, "trash", other.pk)
    assert "The only site cannot be deleted." in shown
    assert 'type="submit"' not in shown.partition('class="wizard"')[2].partition("</form>")[0]


def test_no_page_shows_a_site_in_the_trash_except_its_list(highest, museum, other):
    content = Content.objects.get(title="First")
    lists = [
        *("contents_content", "channels_app_channel", "contents_trashedcontent", "channels_app_trashedchannel"),
        *("contents_contentgroup", "contents_contenttag", "contents_contentchange", "pages_template", SITES),
    ]
    before = {name: text_of(highest, name, "changelist") for name in lists}
    assert any("Museum" in text for text in before.values())
    trash_site(museum.pk)
    for name in lists:
        assert "Museum" not in text_of(highest, name, "changelist"), name
    assert "Museum" not in highest.get("/admin/").content.decode()
    assert "Museum" in text_of(highest, TRASH, "changelist")
    records = {
        "contents_content": content.pk,
        "contents_trashedcontent": content.pk,
        "channels_app_channel": content.channel_id,
        "contents_contentgroup": museum.content_groups.first().pk,
        "contents_contenttag": museum.content_tags.first().pk,
        "pages_template": museum.templates.first().pk,
        SITES: museum.pk,
    }
    for name, pk in records.items():
        assert highest.get(place(name, "change", pk)).status_code == 404, name


def test_a_site_administrator_neither_deletes_nor_restores(museum, other):
    browser = browser_of(AdministratorFactory(is_superuser=False, site_id_collection=f"{museum.pk},{other.pk}"))
    assert send(browser, SITES, "trash", museum, site_name=museum.site_name).status_code == 403
    assert place(SITES, "trash", museum.pk) not in text_of(browser, SITES, "changelist")
    trash_site(museum.pk)
    for view in ("restore", "purge"):
        assert send(browser, TRASH, view, museum, site_name=museum.site_name).status_code == 404
    assert "Museum" not in text_of(browser, SITES, "changelist")


def test_a_site_comes_back_from_the_list(highest, museum, other):
    trash_site(museum.pk)
    assert place(TRASH, "restore", museum.pk) in text_of(highest, TRASH, "changelist")
    assert send(highest, TRASH, "restore", museum)["Location"] == reverse("admin:cms_sites_site_changelist")
    assert Site.objects.get(pk=museum.pk).web_url == "/museum"
    assert send(highest, TRASH, "restore", museum).status_code == 404


def test_a_site_whose_folder_is_taken_comes_back_with_another(highest, museum, other):
    trash_site(museum.pk)
    SiteFactory(site_dir="Museum")
    shown = send(highest, TRASH, "restore", museum)
    assert shown.context["form"].initial == {"site_dir": "museum-copy"}
    assert send(highest, TRASH, "restore", museum, site_dir="MUSEUM").context["form"].errors
    assert send(highest, TRASH, "restore", museum, site_dir="museum2").status_code == 302
    assert Site.objects.get(pk=museum.pk).web_url == "/museum2"


def test_a_job_deletes_the_site_for_good(highest, museum, other):
    trash_site(museum.pk)
    assert MediaUse.objects.filter(site_id=museum.pk).exists()
    assert send(highest, TRASH, "purge", museum, site_name="x").status_code == 200
    token = token_of(highest.get(place(TRASH, "purge", museum.pk)))
    job = do(send(highest, TRASH, "purge", museum, site_name=museum.site_name, token=token))
    assert (job.state, job.report["channels"], job.report["contents"], job.report["files"]) == ("done", 5, 4, 4)
    assert not TrashedSite.objects.exists()
    assert not default_storage.exists(f"sites/{museum.pk}")
    assert not any(model.objects.exists() for model in (MediaFile, MediaFolder, MediaUse, Form, Entry))
    entry = AuditEntry.objects.get(action="site.purged")
    assert (entry.actor_name, entry.object_name) == ("harriet", museum.site_name)
    assert "permanently deleted" in highest.get(job.get_absolute_url()).content.decode()


def test_a_restored_site_is_not_deleted_by_a_job_that_waits(highest, museum, other):
    trash_site(museum.pk)
    ordered = send(highest, TRASH, "purge", museum, site_name=museum.site_name, token="x")
    send(highest, TRASH, "restore", museum)
    assert do(ordered).state == "failed"
    assert Site.objects.filter(pk=museum.pk).exists()
