"""The command import_site: a new site, its numbers, and that it comes wholly or not at all."""

import io
import json

import pytest
from django.core.management import call_command
from django.db import connection

from channels_app.models import Channel
from channels_app.services import restore_channel
from contents.models import Content, ContentBody
from core.archive.errors import ArchiveError
from core.audit.models import AuditEntry
from forms.models import Entry, Field
from media_library.models import MediaFile, MediaFolder
from sites.models import Site
from tests.contents.trash import restore_content
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.transfer.site_files import PICTURE, bring_in, export, raised, read, refusal, state, write
from transfer.package import PackageError
from transfer.placement import Placement
from transfer.whole_site.checking import check
from transfer.whole_site.importing import import_site

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_folder")]

FAR = 1000  # as far from the numbers of a file, nobody has been given one
NOBODY = 987_654_321


class Watching:
    """A progress that does something when the second look at the file comes to a stage."""

    def __init__(self, stage="", act=lambda: None):
        self._stage, self._act = stage, act

    def begin(self, what, total=None):
        if what == self._stage:
            self._act()

    def advance(self, number):
        pass

    def end(self):
        pass


def checks():
    """What the commands say that compare derived tables and figures with what they follow from."""
    out = io.StringIO()
    call_command("check_lists", stdout=out)
    call_command("check_tree", stdout=out)
    return out.getvalue()


WELL = "The lists are correct.\nThe trees are correct.\n"


def test_a_copy_beside_the_site_is_the_same_with_other_numbers(museum, site_file, tmp_path):
    told, _ = bring_in(site_file, "--site-dir", "copy", "--name", "Copy")
    copy = Site.objects.get(pk=told["siteId"])
    before, after = read(site_file), export(copy, tmp_path / "copy.tar", "--with-entries")
    channels = copy.pk - museum.pk
    contents = after.rows["content"][0]["id"] - before.rows["content"][0]["id"]
    templates = after.rows["template"][0]["id"] - before.rows["template"][0]["id"]
    folders = after.rows["folder"][0]["id"] - before.rows["folder"][0]["id"]
    forms = after.rows["form"][0]["id"] - before.rows["form"][0]["id"]
    fields = after.rows["form_field"][0]["id"] - before.rows["form_field"][0]["id"]
    assert min(channels, contents, templates, folders, forms, fields) > 0
    expected = raised(before, channels, contents, templates, folders, forms, fields)
    for row in expected.rows["site"]:
        row |= {"site_name": "Copy", "site_dir": "copy"}
    assert after.site == expected.site
    rows = sum(map(len, before.rows.values()))
    assert told == {"siteId": str(copy.pk), "rows": str(rows), "files": "4", "numbers": "raised"}
    assert checks() == WELL


def test_a_folder_of_a_channel_that_the_file_lacks_belongs_to_the_home_channel(museum, site_file):
    held = read(site_file)
    assert held.rows["folder"][1]["channel_id"] is None
    held.rows["folder"][0]["channel_id"] = NOBODY
    write(site_file, held)
    told, _ = bring_in(site_file, "--site-dir", "copy")
    found = MediaFolder.objects.filter(site=told["siteId"]).order_by("parent")
    assert sorted(found.values_list("channel_id", flat=True), key=str) == [int(told["siteId"]), None]


def test_the_site_that_it_was_made_of_stays_as_it_is(museum, site_file, tmp_path):
    bring_in(site_file, "--site-dir", "copy")
    assert export(museum, tmp_path / "again.tar", "--with-entries").site == read(site_file).site


def test_keeps_numbers_that_were_never_given_out(site_file, tmp_path):
    far = tmp_path / "far.tar"
    write(far, raised(read(site_file), FAR, 2 * FAR, 3 * FAR, 4 * FAR, 5 * FAR, 6 * FAR))
    told, _ = bring_in(far, "--site-dir", "far")
    copy = Site.objects.get(pk=told["siteId"])
    assert told["numbers"] == "kept"
    after = export(copy, tmp_path / "after.tar", "--with-entries")
    for row in after.rows["site"]:
        row["site_dir"] = "museum"
    assert after.site == read(far).site
    assert checks() == WELL
    # Nobody is given one of them later.
    assert ChannelFactory(site=copy).pk > max(row["id"] for row in after.rows["channel"])
    assert ContentFactory().pk > max(row["id"] for row in after.rows["content"])


def test_numbers_that_were_given_out_once_are_not_taken_again(site_file, tmp_path):
    number = ContentFactory().pk
    Content.objects.filter(pk=number).delete() if ContentBody.objects.filter(pk=number).delete() else None
    own = tmp_path / "own.tar"
    found = read(site_file)
    distance = number - found.rows["content"][-1]["id"]
    write(own, raised(found, FAR, distance, FAR, FAR))
    assert bring_in(own, "--site-dir", "copy")[0]["numbers"] == "raised"
    assert not Content.objects.filter(pk=number, site__site_dir="copy").exists()


def test_entries_keep_values_by_the_new_ids_of_the_fields_of_their_form(site_file):
    held = read(site_file)
    (row,) = held.rows["entry"]
    values = json.loads(row["values"])
    row["values"] = json.dumps(values | {"987654321": "of a deleted field", "x": "y"})
    write(site_file, held)
    told, _ = bring_in(site_file, "--site-dir", "copy")
    entry = Entry.objects.get(form__site=told["siteId"])
    fields = list(Field.objects.filter(form=entry.form).values_list("pk", flat=True))
    assert entry.values == dict(zip(map(str, fields), ["ada@example.org", ["红"]], strict=True))
    assert (entry.reply, entry.token == Entry.objects.exclude(pk=entry.pk).get().token) == ("Danke", False)


@pytest.mark.parametrize("distance", [0, FAR])
def test_entries_are_about_the_pages_of_the_new_site(site_file, tmp_path, distance):
    held = read(site_file)
    (row,) = held.rows["entry"]
    channel, content = held.rows["channel"][-1]["id"], held.rows["content"][0]["id"]
    lost = {"channel_id": ChannelFactory().pk + 2 * FAR, "content_id": ContentFactory().pk}
    about = {"channel_id": channel, "content_id": content}
    held.rows["entry"] = [row | about, row | lost, row | {"channel_id": None, "content_id": 0}]
    write(tmp_path / "about.tar", raised(held, *[distance] * 6))
    told, _ = bring_in(tmp_path / "about.tar", "--site-dir", "copy")
    known, *others = Entry.objects.filter(form__site=told["siteId"]).order_by("pk")
    site = Site.objects.get(pk=told["siteId"])
    assert site.channels.get(pk=known.channel_id).channel_name == held.rows["channel"][-1]["channel_name"]
    assert Content.objects.get(pk=known.content_id, site=site).title == held.rows["content"][0]["title"]
    assert [(each.channel_id, each.content_id) for each in others] == [(None, None)] * 2


def test_links_by_id_lead_to_the_records_of_the_new_site(museum, site_file):
    first, outside = Content.objects.filter(site=museum).order_by("pk").first(), ContentFactory()
    links = "<a href='@/_content/{0}#x'>1</a> <a href='@/_channel/{1}'>2</a> <a href='@/_content/{2}'>3</a>"
    text, changed = links.format(first.pk, first.channel_id, outside.pk), read(site_file)
    changed.rows["body"][0]["text"] = text
    changed.rows["channel"][1]["content"] = text
    write(site_file, changed)
    told, _ = bring_in(site_file, "--site-dir", "copy")
    copied = Content.objects.filter(site_id=told["siteId"]).order_by("pk").first()
    assert copied.pk != first.pk
    expected = links.format(copied.pk, copied.channel_id, outside.pk)
    assert ContentBody.objects.get(content__site=copied.site_id, text__contains="_content").text == expected
    assert Channel.objects.get(site=copied.site_id, content__contains="_content").content == expected


def test_what_is_outside_of_the_file_stays_and_is_told(museum, site_file, tmp_path):
    outside = ContentFactory()
    changed = read(site_file)
    changed.rows["content"][0] |= {"reference_id": outside.pk, "source_id": -1}
    changed.rows["channel"][1]["settings"] = json.dumps(
        {"transChannelIds": f"{outside.channel_id}", "transSiteId": NOBODY}
    )
    write(site_file, changed)
    told, errors = bring_in(site_file, "--site-dir", "copy")
    content = Content.objects.filter(site_id=told["siteId"]).order_by("pk").first()
    assert (content.reference_id, content.source_id) == (outside.pk, -1)
    settings = Channel.objects.get(site_id=told["siteId"], channel_name="News").settings
    assert settings == {"transChannelIds": f"{outside.channel_id}", "transSiteId": NOBODY}
    assert errors == (
        "Contents that refer to channels or contents outside the file: 1. These references were not changed.\n"
    )


def test_files_are_those_of_the_new_site(site_file, media_folder):
    told, _ = bring_in(site_file, "--site-dir", "copy")
    folder = media_folder / "sites" / told["siteId"] / "upload"
    found = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    assert found == {"images/a.png": PICTURE, "files/empty.txt": b"", "files/说明 1.txt": "说明".encode()}


def test_what_is_in_the_trash_comes_back_out_of_it(site_file):
    told, _ = bring_in(site_file, "--site-dir", "copy")
    number = int(told["siteId"])
    gone = Channel.objects.get(site_id=number, channel_name="Gone")
    assert restore_channel(number, gone.pk) == (1, 1)
    restore_content(number, Content.objects.get(site_id=number, title="Third").pk)
    names = Channel.objects.in_site(number).values_list("channel_name", flat=True)
    assert list(names) == ["Museum 博物馆", "News", "Press", "Gone", "Last"]
    assert checks() == WELL


def test_the_next_content_of_a_channel_comes_after_the_last_that_was_there(site_file, api):
    told, _ = bring_in(site_file, "--site-dir", "copy")
    press = Channel.objects.get(site_id=told["siteId"], channel_name="Press")
    made = api.post(f"/api/v1/contents/{told['siteId']}/{press.pk}", {"title": "Next"})
    assert made.json()["value"]["taxis"] == 100_000


def test_the_figures_of_a_tree_that_was_wrong_are_mended(site_file):
    changed = read(site_file)
    for row in changed.rows["channel"]:
        row |= {"children_count": 9, "taxis": row["taxis"] * 10, "parents_path": ""}
    write(site_file, changed)
    bring_in(site_file, "--site-dir", "copy")
    assert checks() == WELL


def test_the_audit_tells_of_it(site_file):
    told, _ = bring_in(site_file, "--site-dir", "copy")
    entry = AuditEntry.objects.get(action="site.imported")
    assert (entry.site_id, entry.object_id) == (int(told["siteId"]), told["siteId"])
    counts = {name: entry.details[name] for name in ("source", "channels", "contents")}
    assert counts == {"source": "museum.tar", "channels": 5, "contents": 4}


def test_a_dry_run_writes_nothing(site_file, media_folder):
    before, files = state(), sorted(media_folder.rglob("*"))
    told, _ = bring_in(site_file, "--site-dir", "copy", "--dry-run")
    assert (told["siteId"], told["files"], told["numbers"]) == ("0", "4", "raised")
    assert state() == before
    assert sorted(media_folder.rglob("*")) == files


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], 'The folder "museum" belongs to site {site}; give another with --site-dir.'),
        (["--site-dir", "MUSEUM"], 'The folder "MUSEUM" belongs to site {site}; give another with --site-dir.'),
        (["--site-dir", "api"], 'The service itself uses "api"; give another folder with --site-dir.'),
        (["--site-dir", "a/b"], '"a/b" cannot be the folder of a site; give one with --site-dir.'),
    ],
)
def test_a_place_that_is_taken_is_told_with_the_option(museum, site_file, options, reason):
    assert refusal(site_file, *options) == reason.format(site=museum.pk)
    assert refusal(site_file, *options, "--dry-run") == reason.format(site=museum.pk)


def test_can_be_the_root_site(site_file):
    told, _ = bring_in(site_file, "--root", "--site-dir", "copy")
    assert Site.objects.get(pk=told["siteId"]).is_root
    assert refusal(site_file, "--root", "--site-dir", "other").endswith("leave out --root.")


def test_tells_of_another_time_zone(site_file):
    changed = read(site_file)
    changed.manifest["time_zone"] = "Asia/Shanghai"
    write(site_file, changed)
    assert bring_in(site_file, "--site-dir", "copy")[1] == (
        "CMS_TIME_ZONE is UTC here, but was Asia/Shanghai where the archive was made. Times are not converted.\n"
    )


def test_a_name_that_is_taken_meanwhile_leaves_nothing(site_file, media_folder):
    files = sorted(media_folder.rglob("*.*"))
    SiteFactory(site_dir="taken")
    before = state()
    with (
        site_file.open("rb") as file,
        pytest.raises(PackageError, match=r"Rows 1 to 1 of cms_sites.site: The database rejects one"),
    ):
        import_site(file, check(file, Watching()), Placement("taken", is_root=False), Watching(), site_file.name)
    assert state() == before
    assert sorted(media_folder.rglob("*.*")) == files


@pytest.mark.parametrize(
    ("stage", "reason"), [("files", "have changed since they were stored"), ("", "changed while it was being read")]
)
def test_a_file_that_changes_while_it_is_read_leaves_nothing(site_file, media_folder, stage, reason):
    files = sorted(media_folder.rglob("*.*"))
    changed = read(site_file)
    write(site_file, changed)
    changed.rows["content"][-1]["title"] = "Thirt"  # as long as it was
    before = state()
    with site_file.open("rb") as file:
        checked = check(file, Watching())
        if not stage:
            write(site_file, changed)
        watching = Watching(stage, lambda: write(site_file, changed))
        with pytest.raises(ArchiveError, match=reason):
            import_site(file, checked, Placement("copy", is_root=False), watching, site_file.name)
    assert state() == before
    assert sorted(media_folder.rglob("*.*")) == files


def test_numbers_beyond_those_of_clients_are_not_given(site_file, tmp_path):
    far = tmp_path / "far.tar"
    changed = read(site_file)
    changed.rows["content"][-1]["id"] = changed.rows["body"][-1]["content_id"] = 2**53 - 1
    changed.rows["picture"].clear()
    changed.rows["former_address"].clear()
    write(far, changed)
    assert refusal(far, "--site-dir", "copy").startswith("Its ids cannot be raised by ")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_others_are_given_numbers_apart_from_those_of_an_import(site_file):
    made = []
    with site_file.open("rb") as file:
        checked = check(file, Watching())
        watching = Watching("rows", lambda: made.append(ContentFactory().pk))
        imported = import_site(file, checked, Placement("copy", is_root=False), watching, site_file.name)
    own = set(Content.objects.filter(site_id=imported.site_id).values_list("pk", flat=True))
    assert made[0] > max(own)
    assert len(own) == 4


def test_without_files_rows_of_files_wait_for_them(site_file):
    told, _ = bring_in(site_file, "--site-dir", "copy", "--no-media")
    rows = MediaFile.objects.filter(site_id=told["siteId"])
    assert (rows.count(), rows.listed().count()) == (3, 0)


def test_files_without_rows_get_some(museum, site_file):
    changed = read(site_file)
    changed.rows["file"].clear()
    write(site_file, changed)
    told, _ = bring_in(site_file, "--site-dir", "copy")
    assert MediaFile.objects.filter(site_id=told["siteId"]).listed().count() == 3
