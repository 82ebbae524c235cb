"""The table of uses: what triggers write, the queries of it, filling and comparing it."""

import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from io import StringIO
from urllib.parse import quote, unquote

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from channels_app.models import Channel
from contents.models import Content, ContentBody, ContentDraft, ContentPicture
from media_library import filling
from media_library.doctor_checks import _newest_uses, _uses
from media_library.filling import differences
from media_library.models import MediaFile, MediaUse, MediaUseFill, UseSource
from media_library.use_sources import ENDS
from media_library.uses import unused, uses_of
from pages.models import Template
from sites.models import Site
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world


def addresses_in(text):
    """The rule in Python."""
    found = set()
    marked = text.replace("@/upload/", "/upload/").replace("/upload/", "\0upload/").replace("@/", "\0")
    for part in marked.split("\0")[1:]:
        path = cut(part)
        forms = [path, unquote(path), cut(unquote(path))]
        found |= {form for one in forms for form in (one, re.sub(r"_(small|middle)\.", ".", one))}
    return {one for one in found if one not in {"", "upload/"} and len(one.encode()) <= 2000}


def cut(text):
    return re.split(f"[{re.escape(ENDS)}]", text, maxsplit=1)[0]


def uses(**chosen):
    return set(MediaUse.objects.filter(**chosen).values_list("site_id", "source", "source_id", "address"))


@world
def content():
    return ContentFactory(channel=ChannelFactory(parent=ChannelFactory()))


# ---- the rule

TEXTS = {
    '<img src="@/upload/images/1.jpg">': ["upload/images/1.jpg"],
    "<img src='/museum/upload/1.jpg?w=640#x'>": ["upload/1.jpg"],
    "https://example.org/upload/1.jpg, and more": ["upload/1.jpg"],
    "{stl.siteUrl}/upload/1.jpg|{stl.siteUrl}/upload/2.jpg": ["upload/1.jpg", "upload/2.jpg"],
    "url(@/files/map.pdf)": ["files/map.pdf"],
    "@/upload/%E7%85%A7.jpg": ["upload/%E7%85%A7.jpg", "upload/照.jpg"],
    "@/upload/a%20(1).jpg": ["upload/a%20", "upload/a ", "upload/a"],
    "@/upload/100%.jpg": ["upload/100%.jpg"],
    "@/upload/1_small.jpg": ["upload/1_small.jpg", "upload/1.jpg"],
    "@/upload/a/upload/b.jpg": ["upload/a", "upload/b.jpg"],
    "a@b.example, @/ and /upload/ and upload/1.jpg": [],
    "@/upload/" + "x" * 2000: [],
}


@pytest.mark.parametrize("text,expected", TEXTS.items())
def test_addresses_of_a_text(content, text, expected):
    ContentBody.objects.update(text=text)
    assert uses() == {(content.site_id, "content.body", content.pk, address) for address in expected}
    assert addresses_in(text) == set(expected)


PIECES = [
    *("@/", "/upload/", "@/upload/", "upload/"),
    *ENDS,
    *("照", "😀", "%", "%20", "_small.", "a.jpg", "{"),
    quote("照😀 é"),
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES) | st.text("xy/.@%-照", max_size=4), max_size=30).map("".join))
def test_any_text_has_the_addresses_of_the_rule(content, text):
    ContentBody.objects.update(text=text)
    assert {address for *_, address in uses()} == addresses_in(text)


# ---- the triggers

A, B, SOMETHING = "@/upload/a.jpg", "@/upload/b.jpg", "@/upload/照片.jpg"


def settings_with(address):
    return {"photo": address, "note": 'a "quoted" word'}


# Source → what makes a record with an address, and what gives it another one, or none.
SOURCES = {
    "content.body": (
        lambda content, address: ContentBody.objects.create(content=content, text=address),
        lambda body, address: ContentBody.objects.filter(pk=body.pk).update(text=f"<p>{address}</p>"),
    ),
    "content.fields": (
        lambda content, address: ContentFactory(channel=content.channel, video_url=address, content="none"),
        lambda content, address: Content.objects.filter(pk=content.pk).update(video_url=address),
    ),
    "content.pictures": (
        lambda content, address: ContentPicture.objects.create(content=content, large_url=address),
        lambda picture, address: ContentPicture.objects.filter(pk=picture.pk).update(large_url=address),
    ),
    "content.draft": (
        lambda content, address: ContentDraft.objects.create(
            content=content, site_id=content.site_id, draft_body=address, version=1, checked_level=0
        ),
        lambda draft, address: ContentDraft.objects.filter(pk=draft.pk).update(draft_body=address or None),
    ),
    "channel": (
        lambda content, address: ChannelFactory(parent=content.channel, image_url=address),
        lambda channel, address: Channel.objects.filter(pk=channel.pk).update(image_url=address),
    ),
    "template": (
        lambda content, address: Template.objects.create(site=content.site, kind="IncludeFile", name="a", text=address),
        lambda template, address: Template.objects.filter(pk=template.pk).update(text=address),
    ),
    "site": (
        lambda content, address: SiteFactory(settings=settings_with(address)),
        lambda site, address: Site.objects.filter(pk=site.pk).update(settings=settings_with(address)),
    ),
}


def used_in(record, source):
    content_id = getattr(record, "content_id", record.pk)
    site_id = record.pk if source == "site" else getattr(record, "site_id", None) or record.content.site_id
    found = uses()
    assert {found_in[:3] for found_in in found} <= {(site_id, source, content_id)}
    return {address for *_, address in found}


@pytest.fixture(params=SOURCES.items(), ids=SOURCES)
def made(request, content):
    """A record with the address A, and the function that gives it another one."""
    ContentBody.objects.all().delete()
    source, (make, change) = request.param
    record = make(content, A)
    return record, source, lambda address: change(record, address)


def test_a_new_record(made):
    record, source, _ = made
    assert used_in(record, source) == {"upload/a.jpg"}


def test_a_changed_record(made):
    record, source, change = made
    for address, expected in ((B, {"upload/b.jpg"}), ("", set()), (SOMETHING, {"upload/照片.jpg"})):
        change(address)
        assert used_in(record, source) == expected


def test_a_deleted_record(made):
    record, source, _ = made
    if source == "content.fields":
        ContentBody.objects.filter(content=record).delete()
    elif source == "site":
        Channel.objects.filter(site=record).delete()
    type(record)._base_manager.filter(pk=record.pk).delete()
    assert uses() == set()


JSON = {
    "content.fields": lambda content, text: Content.objects.filter(pk=content.pk).update(settings_xml=text),
    "content.draft": lambda content, text: ContentDraft.objects.create(
        content=content, site_id=content.site_id, draft_values=text, version=1, checked_level=0
    ),
    "channel": lambda content, text: Channel.objects.filter(pk=content.channel_id).update(settings=json.loads(text)),
}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("source,store", JSON.items(), ids=JSON)
def test_addresses_in_json(content, source, store, ascii_only):
    body = '<img src="@/upload/照片.jpg">\n@/upload/a\\b.jpg'
    values = {"photo": SOMETHING, "others": [{"body": body}], "number": 5, "none": None}
    store(content, json.dumps(values, ensure_ascii=ascii_only).replace("/", "\\/" if ascii_only else "/"))
    assert {(name, address) for _, name, _, address in uses()} == {(source, "upload/照片.jpg"), (source, "upload/a")}


def test_a_text_that_is_no_json_is_read_as_text(content):
    Content.objects.update(settings_xml=f"\\ {A}")
    assert {address for *_, address in uses()} == {"upload/a.jpg"}


def test_uses_follow_a_content_to_another_site(content):
    other = ChannelFactory()
    ContentPicture.objects.create(content=content, small_url=A)
    ContentBody.objects.update(text=A)
    Content.objects.update(channel=other, site=other.site_id, image_url=A)
    assert {(site, source) for site, source, *_ in uses()} == {
        (other.site_id, source) for source in ("content.body", "content.fields", "content.pictures")
    }


def test_contents_in_the_trash_use_files(api, content):
    ContentBody.objects.update(text=A)
    before = uses()
    path = f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}"
    assert api.delete(path).status_code == 200
    assert uses() == before != set()


def test_another_picture_of_the_content_keeps_its_uses(content):
    first, second = (ContentPicture.objects.create(content=content, small_url=A, large_url=each) for each in (A, B))
    second.delete()
    assert used_in(first, "content.pictures") == {"upload/a.jpg"}


@pytest.mark.django_db(transaction=True)
def test_changes_by_another_client_of_the_database():
    content = ContentFactory(content="none")
    text = "照 @/upload/%E7%85%A7.jpg"
    statements = (
        f"UPDATE contents_contentbody SET text = '{text}'",
        f"INSERT INTO contents_contentpicture (content_id, small_url, middle_url, large_url, description, taxis) "
        f"VALUES ({content.pk}, '{A}', '', '', '', 0)",
        f"UPDATE channels_app_channel SET image_url = '{B}' WHERE id = {content.channel_id}",
    )
    with other_client() as execute:
        for statement in statements:
            execute(statement)
    assert {(source, address) for _, source, _, address in uses()} == {
        *(("content.body", address) for address in addresses_in(text)),
        ("content.pictures", "upload/a.jpg"),
        ("channel", "upload/b.jpg"),
    }
    assert list(differences()) == []
    with other_client() as execute:
        execute("DELETE FROM contents_contentpicture")
    assert uses(source="content.pictures") == set()


@contextmanager
def other_client(*, autocommit=True):
    """Executes statements on a connection that has none of this process's functions."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(name, uri=True, isolation_level=None)) as other:
            yield other.execute
        return
    parameters = connection.get_connection_params()
    address = {key: parameters[key] for key in ("dbname", "user", "password", "host", "port") if parameters.get(key)}
    with psycopg.connect(**address, autocommit=autocommit) as other:
        yield other.execute


# ---- queries


def file_of(content, path):
    return MediaFile.objects.create(site_id=content.site_id, path=path, kind="image", bytes=1)


USED = {
    "upload/1.jpg": "@/upload/1.jpg",
    "upload/照片.jpg": "@/upload/%e7%85%a7%E7%89%87.jpg",
    "upload/photo (1).jpg": '<img src="@/upload/photo (1).jpg">',
    "upload/photo (2).jpg": '<img src="@/upload/photo%20(2).jpg">',
    "upload/a&b.jpg": '<img src="@/upload/a&amp;b.jpg">',
    "upload/a%20b.jpg": "@/upload/a%20b.jpg",
    "upload/2.jpg": "@/upload/2_small.jpg",
    "upload/2020/upload/3.jpg": "@/upload/2020/upload/3.jpg",
    "map.pdf": "@/map.pdf#page=2",
}


@pytest.mark.parametrize("path,text", USED.items())
def test_a_text_uses_a_file(content, path, text):
    file, other, elsewhere = (
        file_of(content, path),
        file_of(content, "upload/other.jpg"),
        file_of(ContentFactory(), path),
    )
    assert set(unused(MediaFile.objects.listed())) == {file, other, elsewhere}
    ContentBody.objects.filter(content=content).update(text=text)
    Channel.objects.filter(pk=content.channel_id).update(content=text)
    expected = [(UseSource.CHANNEL, content.channel_id), (UseSource.BODY, content.pk)]
    assert uses_of(file) == (expected, 2)
    assert uses_of(other) == uses_of(elsewhere) == ([], 0)
    assert set(unused(MediaFile.objects.listed())) == {other, elsewhere}


def test_many_uses_are_counted_and_the_first_ones_shown(content):
    file = file_of(content, "upload/a.jpg")
    forms = ("upload/a.jpg", "upload/a_small.jpg")
    MediaUse.objects.bulk_create(
        MediaUse(site_id=content.site_id, source="template", source_id=number, address=form)
        for number in range(150)
        for form in forms
    )
    found = uses_of(file)
    assert found.total == 150
    assert [use.source_id for use in found.first] == list(range(100))


def test_queries_read_an_index_of_the_uses(content, django_assert_num_queries):
    MediaUse.objects.bulk_create(
        MediaUse(site_id=site, source="template", source_id=number, address=f"upload/{number}.jpg")
        for number in range(2000)
        for site in (content.site_id if number % 2 else 7,)
    )
    MediaFile.objects.bulk_create(
        MediaFile(site_id=content.site_id, path=f"upload/{number}.jpg", kind="image", bytes=1) for number in range(2000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE media_library_mediause")
        cursor.execute("ANALYZE media_library_mediafile")
    file = MediaFile.objects.get(path="upload/1.jpg")
    page = unused(MediaFile.objects.listed().filter(site=content.site_id)).order_by("-created_at", "-pk")[:50]
    some = MediaUse.objects.filter(site_id=file.site_id, address__in=["upload/1.jpg", "upload/2.jpg"])
    for plan in (page.explain(), some.explain()):
        assert "media_use_of_address" in plan
        assert "Seq Scan on media_library_mediause" not in plan and "SCAN U0" not in plan
    with django_assert_num_queries(1):
        assert uses_of(file).total == 1


# ---- filling and comparing


@pytest.fixture
def lost(content):
    """Records with uses of which half are lost, and one that no text has."""
    contents = [ContentFactory(channel=content.channel, content=A, image_url=B) for _ in range(5)]
    expected = uses()
    MediaUse.objects.filter(source_id__in=[each.pk for each in contents[::2]]).delete()
    Template.objects.create(site=content.site, kind="IncludeFile", name="a", text="none")
    MediaUse.objects.create(site_id=1, source="template", source_id=10**9, address="upload/gone.jpg")
    MediaUse.objects.create(site_id=1, source="content.body", source_id=contents[1].pk, address="upload/old.jpg")
    return expected


def test_rebuilding_finds_what_the_triggers_wrote(lost, monkeypatch):
    assert uses() != lost
    monkeypatch.setattr(filling, "_AT_A_TIME", 2)
    filling.rebuild()
    assert uses() == lost
    assert not filling.is_filling()


def test_an_interrupted_rebuilding_continues(lost, monkeypatch):
    monkeypatch.setattr(filling, "_AT_A_TIME", 2)
    monkeypatch.setattr(filling, "_SECONDS", 0)
    filling.begin_again()
    steps = 0
    while filling.is_filling():
        filling.fill_some()
        steps += 1
        ContentFactory(channel=Channel.objects.last(), content="@/upload/new.jpg") if steps == 1 else None
    assert steps > 3
    assert {use for use in uses() if use[3] != "upload/new.jpg"} == lost
    assert list(differences()) == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
def test_filling_waits_for_a_change_of_the_same_record():
    body = ContentFactory(content=A).body
    filling._begin()
    with other_client(autocommit=False) as execute, ThreadPoolExecutor() as pool:
        execute(f"UPDATE contents_contentbody SET text = '{B}' WHERE content_id = {body.pk}")
        stepping = pool.submit(step_elsewhere)
        with pytest.raises(TimeoutError):
            stepping.result(timeout=0.3)
        execute("COMMIT")
        assert stepping.result(timeout=20)
    assert {address for *_, address in uses()} == {"upload/b.jpg"}


def step_elsewhere():
    try:
        return filling.step()
    finally:
        connection.close()


def test_a_small_installation_is_filled_when_the_triggers_come(lost):
    assert filling.begin_again() == ""
    assert uses() == lost


def test_a_large_one_is_filled_by_the_servers(lost, monkeypatch):
    monkeypatch.setattr(filling, "_AT_A_TIME", 1)
    assert "check_media_uses --repair" in filling.begin_again()
    assert filling.is_filling()


def check(*options):
    out, status = StringIO(), 0
    try:
        call_command("check_media_uses", *options, stdout=out)
    except SystemExit as exit_:
        status = exit_.code
    return status, out.getvalue().splitlines()


def test_the_command_prints_differences_and_repairs_them(lost, monkeypatch):
    monkeypatch.setattr(filling, "_COMPARED", 2)
    status, lines = check()
    assert status == 1
    assert "The use of upload/gone.jpg of site 1 by template 1000000000 is stored, but not in its text." in lines
    missing = next(iter(lost - uses()))
    assert f"The use of {missing[3]} of site {missing[0]} by {missing[1]} {missing[2]} is not stored." in lines
    assert lines[-1] == "Differences: 8." and len(lines) == 9
    status, lines = check("--repair")
    assert status == 0
    assert lines[-2:] == ["Differences: 8. All uses were found again.", "The uses are correct."]
    assert check() == (0, ["The uses are correct."])


def test_the_doctor_compares_the_newest_records(lost):
    assert next(_newest_uses()).told.startswith("The uses of media differ from the texts: The use of upload/")
    assert next(_uses()).told == "The uses of media differ from the texts in 8 places."
    MediaUseFill.objects.create(source="template")
    assert next(_newest_uses()).grade == "note"
    filling.rebuild()
    assert list(_newest_uses()) == list(_uses()) == []
