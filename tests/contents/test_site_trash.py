"""Sites in the trash: for clients, visitors and other sites they do not exist; they come back as they were."""

import re
from datetime import timedelta
from io import StringIO
from urllib.parse import quote

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command

from channels_app.models import Channel, TreeVersion
from channels_app.services import create_site
from contents.models import Content, LastTaxis, ListedCount
from contents.services.site_trash import finish_purge, purge_site, restore_site, trash_site
from core.audit.models import AuditEntry
from core.lib import clock
from core.lib.errors import InvalidInput
from core.rest.operations import operations
from events.models import Event
from pages.models import ContentsVersion, TemplateKind
from sites.models import Site, TrashedSite
from tests.contents.derived import assert_derived
from tests.factories import SiteFactory
from tests.pages.sites import make_template
from tests.transfer.site_files import make_site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database]
MISSING = 10**9
# Members of bodies, so that requests are refused for the site only.
_BODIES = {
    "/contents": {},
    "/contents/check": {"contents": []},
    "/contents/{siteId}/{channelId}": {"title": "Launch"},
    "/contents/{siteId}/{channelId}/batch": {"contents": [{"title": "Launch"}]},
    "/contents/{siteId}/{channelId}/batch/check": {"ids": [1]},
    "/contents/{siteId}/{channelId}/batch/delete": {"ids": [1]},
    "/channels/{siteId}": {"channelName": "Launch"},
}
_STL = ["content", "contents", "a", "count", "channel", "channels", "site", "sites", "value"]


@pytest.fixture
def site(media_folder):
    SiteFactory(site_name="Harbour", site_dir="harbour")
    return make_site()


def requests(site_id, channel_id, content_id):
    """Every operation on a site: method, pattern of the path, path, body."""
    for operation in operations():
        if "{siteId}" in operation.path:
            path = operation.path.replace("{siteId}", str(site_id)).replace("{channelId}", str(channel_id))
            body = _BODIES.get(operation.path, {})
            yield operation.method, operation.path, path.replace("{id}", str(content_id)), body
    for path in ("/contents", "/contents/check"):
        yield "POST", path, path, _BODIES[path] | {"siteId": site_id}
    for name in _STL:
        query = f"siteId={site_id}&channelId={channel_id}&id={content_id}"
        yield "GET", f"/stl/{name}", f"/stl/{name}?{query}", None


def answers(client, site_id, channel_id, content_id):
    found = {}
    for method, pattern, path, body in requests(site_id, channel_id, content_id):
        response = client._send(method, f"/api/v1{path}", body)
        text = re.sub(rf"\b([Ss])ite {site_id}\b", r"\1ite …", response.content.decode())
        found[method, pattern] = response.status_code, text
    return found


def test_every_operation_answers_as_for_an_unknown_site(client_with_key, site):
    client = client_with_key(scopes="Contents,Channels,Forms,Media,STL")
    first = Content.objects.get(title="First")
    trash_site(site.pk)
    shown = answers(client, site.pk, first.channel_id, first.pk)
    assert shown == answers(client, MISSING, first.channel_id, first.pk)
    assert {status for status, _text in shown.values()} <= {400, 404}
    assert "site_not_found" in shown["GET", "/contents/{siteId}"][1]
    everywhere = client.get("/api/v1/stl/sites").content.decode()
    assert "harbour" in everywhere
    assert "museum" not in everywhere
    assert client.get(f"/api/v1/stl/site?siteName={quote(site.site_name)}").json()["value"] is None


# Models whose rows record what happened, or change with each change.
_PASSING = {"audit.auditentry", "events.event", "events.numbering", "contents.listedcount", "contents.lasttaxis"}
_PASSING |= {"channels_app.treeversion", "pages.contentsversion", "contenttypes.contenttype", "auth.permission"}
_PASSING |= {"operation.node", "cms_api.sharedcounter"}


def everything():
    """All rows of all tables, without versions."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        label = model._meta.label_lower
        if model._meta.managed and not model._meta.proxy and label not in _PASSING:
            names = [field.attname for field in model._meta.concrete_fields if field.attname != "version"]
            found[label] = sorted(map(repr, model._base_manager.values_list(*names)))
    return found


def test_all_comes_back_as_it_was(site):
    before = everything()
    assert trash_site(site.pk) == (4, 2)
    assert everything() != before
    assert restore_site(site.pk) == (4, 2)
    assert everything() == before
    assert_derived()
    entries = AuditEntry.objects.filter(action__startswith="site.", site_id=site.pk).order_by("pk")
    assert [(each.action, each.details["channels"], each.details["contents"]) for each in entries] == [
        ("site.trashed", 4, 2),
        ("site.restored", 4, 2),
    ]
    told = Event.objects.filter(subject_id=site.pk, name__startswith="site.").order_by("pk")
    assert list(told.values_list("name", flat=True)) == ["site.created", "site.trashed", "site.restored"]


def test_permanent_deletion_leaves_no_row_and_no_file(media_folder):
    other = SiteFactory(site_name="Harbour", site_dir="harbour")
    default_storage.save(f"sites/{other.pk}/upload/a.txt", ContentFile(b"a"))
    before = everything()
    site = make_site()
    numbers = list(Channel.objects.filter(site=site).values_list("pk", flat=True))
    trash_site(site.pk)
    purged = purge_site(site.pk)
    assert purged == (4, 5)
    assert finish_purge(site.pk, purged)
    assert everything() == before
    columns = {ListedCount: "owner_id", LastTaxis: "channel__site", TreeVersion: "site", ContentsVersion: "site"}
    for model, column in columns.items():
        assert not model.objects.filter(**{f"{column}__in": numbers}).exists()
    assert default_storage.listdir("sites")[0] == [str(other.pk)]
    assert purge_site(site.pk) is None
    assert not finish_purge(site.pk, purged)


@pytest.mark.parametrize("step", ["contents", "channels", "files"])
def test_a_killed_deletion_goes_on_and_prevents_a_restore(site, step):
    class Killed(BaseException):
        pass

    def die(name, _number):
        if name == step:
            raise Killed

    trash_site(site.pk)
    with pytest.raises(Killed):
        purge_site(site.pk, die)
    with pytest.raises(InvalidInput) as refused:
        restore_site(site.pk)
    assert refused.value.code == "site_being_deleted"
    call_command("purge", "trash", stdout=StringIO())
    assert not Site.with_trash.filter(pk=site.pk).exists()


def test_the_purge_of_old_records_deletes_old_sites_with_older_records_in_their_trash(site):
    young = SiteFactory()
    third = Content.objects.get(title="Third")
    for each in (site, young):
        trash_site(each.pk)
    for model in (Content, Channel, TrashedSite):
        model.objects.filter(pk__in=[third.pk, site.pk]).update(trashed_at=clock.now() - timedelta(days=31))
    out = StringIO()
    call_command("purge", "trash", "--dry-run", stdout=out)
    call_command("purge", "trash", stdout=out)
    figures = "contents=4 channels=5 sites=1 files=0"
    assert out.getvalue().splitlines() == [f"Would be purged: {figures}", f"Purged: {figures}"]
    assert list(TrashedSite.objects.values_list("pk", flat=True)) == [young.pk]
    # The record in the trash of a young site comes back into the trash, however old it is.
    restore_site(young.pk)


def test_old_records_stay_in_the_trash_of_a_site_in_the_trash(site):
    Content.objects.filter(title="Third").update(trashed_at=clock.now() - timedelta(days=31))
    trash_site(site.pk)
    call_command("purge", "trash", stdout=StringIO())
    assert Content.objects.filter(title="Third").exists()


def test_the_folder_is_free_until_the_site_comes_back(site):
    trash_site(site.pk)
    create_site("Other museum", site_dir="MUSEUM")
    with pytest.raises(InvalidInput) as refused:
        restore_site(site.pk)
    assert refused.value.code == "site_folder_taken"
    assert not Channel.objects.live().filter(site=site.pk).exists()
    restore_site(site.pk, "museum2")
    assert Site.objects.get(pk=site.pk).web_url == "/museum2"


def test_sites_that_others_need_stay(site):
    root = SiteFactory(site_dir="", is_root=True)
    below = SiteFactory(site_dir="below", parent=site)
    for wrong, code in ((root, "site_is_root"), (site, "site_has_sites")):
        with pytest.raises(InvalidInput) as refused:
            trash_site(wrong.pk)
        assert refused.value.code == code
    trash_site(below.pk)
    trash_site(site.pk)
    with pytest.raises(InvalidInput) as refused:
        restore_site(below.pk)
    assert refused.value.code == "parent_site_in_trash"
    # Without its parent, the site comes back at the top.
    finish_purge(site.pk, purge_site(site.pk))
    restore_site(below.pk)
    assert Site.objects.get(pk=below.pk).web_url == "/below"


def test_the_only_site_stays():
    with pytest.raises(InvalidInput) as refused:
        trash_site(SiteFactory().pk)
    assert refused.value.code == "last_site"


def status(client, page):
    response = client.get(page)
    response.close()
    return response.status_code


def test_visitors_get_404_and_other_sites_show_nothing(client, site):
    harbour = Site.objects.get(site_dir="harbour")
    for each in (site, harbour):
        text = '<stl:sites><stl:value type="siteName"></stl:value></stl:sites>'
        make_template(each, TemplateKind.INDEX, is_default=True, page_path="index.html", text=text)
    pages = [f"{site.web_url}/", f"{site.web_url}/upload/images/a.png"]
    assert [status(client, page) for page in pages] == [200, 200]
    assert "Museum" in client.get(f"{harbour.web_url}/").content.decode()
    trash_site(site.pk)
    assert [status(client, page) for page in pages] == [404, 404]
    assert "Museum" not in client.get(f"{harbour.web_url}/").content.decode()
    restore_site(site.pk)
    assert [status(client, page) for page in pages] == [200, 200]
