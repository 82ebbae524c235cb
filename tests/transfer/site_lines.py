"""Files of sites: a site with some of everything, its lines, and files of lines that somebody has changed."""

import gzip
import hashlib
import io
import json

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from channels_app.models import Channel
from channels_app.services import trash_channel
from cms_api.audit.models import AuditEntry
from contents.models import Content, ContentBody, ContentGroup, ContentTag, CustomField, LastTaxis, ListedContent
from contents.services.single import trash_content
from sites.models import Site
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

BODY = "<p>\u2028 'x' \\ %s 欢迎 𝄞</p><img src=\"@/upload/images/a.png\">"
PICTURE = bytes(range(256)) * 3000  # of three pieces

_TABLES = (
    *(Site, Channel, Content, ContentBody, ContentGroup, ContentTag, CustomField, LastTaxis, ListedContent),
    AuditEntry,
)


def make_site(site_dir="museum"):
    """A site with channels, one of them in the trash with its content, contents that refer to each other, and files."""
    site = SiteFactory(
        site_name="Museum 博物馆", site_dir=site_dir, settings={"charset": "gb2312", "own": {"b": 1, "a": [2]}}
    )
    news = ChannelFactory(site=site, channel_name="News", index_name="news", content="A text")
    press = ChannelFactory(parent=news, channel_name="Press")
    settings = {"transChannelIds": f"{news.pk},{press.pk},0", "transSiteId": site.pk, "extra": "红"}
    Channel.objects.filter(pk=press.pk).update(settings=settings)
    gone = ChannelFactory(parent=news, channel_name="Gone", index_name="gone")
    ChannelFactory(site=site, channel_name="Last")
    ContentFactory(channel=gone, title="Gone with its channel")
    trash_channel(site.pk, gone.pk)
    ContentGroup.objects.create(site=site, group_name="甲", taxis=1, description="first")
    CustomField.objects.create(
        site=site, name="colour", folded_name="colour", label="颜色", kind="choice", choices="红\n蓝"
    )
    first = ContentFactory(
        channel=press,
        title="First",
        content=BODY,
        tags="海,sea",
        group_name_collection="甲,乙",
        settings_xml='{"colour":"红"}',
        is_checked=True,
        is_top=True,
        checked_level=2,
        hits=7,
        version=5,
    )
    ContentFactory(channel=news, title="Second", content="", reference_id=first.pk, source_id=press.pk)
    trashed = ContentFactory(channel=news, title="Third", source_id=first.pk)
    trash_content(site.pk, news.pk, trashed.pk)
    LastTaxis.objects.update_or_create(channel=press, defaults={"taxis": 99_999})
    ContentTag.objects.create(site=site, tag_name="unused")
    for name, content in (("images/a.png", PICTURE), ("files/empty.txt", b""), ("files/说明 1.txt", "说明".encode())):
        default_storage.save(f"sites/{site.pk}/upload/{name}", ContentFile(content))
    return site


def export(site, path, *options):
    """What `export_site` has written into the file, line by line."""
    call_command("export_site", site.pk, str(path), *options, "--quiet", stdout=io.StringIO())
    return lines_of(path)


def lines_of(path):
    """The lines of a file, packed or not."""
    data = path.read_bytes()
    text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    return [json.loads(line) for line in text.splitlines()]


def rows_of(lines, kind):
    """The lines of a type."""
    return [line for line in lines if line["type"] == kind]


def write(path, lines):
    """A file of these lines, whose last one is as it would have to be; a line may be bytes, which stay as they are."""
    texts = [
        line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines
    ]
    counts = {}
    for line in lines[:-1]:
        kind = line.get("type", "") if isinstance(line, dict) else ""
        counts[kind] = counts.get(kind, 0) + 1
    footer = {"type": "footer", "counts": counts, "sha256": hashlib.sha256(b"".join(texts[:-1])).hexdigest()}
    path.write_bytes(b"".join(texts[:-1]) + json.dumps(footer).encode() + b"\n")


def bring_in(path, *options):
    """The last line of what `import_site` says, as a dict, and what it says besides."""
    out, errors = io.StringIO(), io.StringIO()
    call_command("import_site", str(path), *options, "--quiet", stdout=out, stderr=errors)
    return dict(part.split("=") for part in out.getvalue().split()), errors.getvalue()


def state():
    """How many rows the tables have that an import writes."""
    return [model.objects.count() for model in _TABLES]


def refusal(path, *options):
    """Why `import_site` refuses the file; nothing is left behind."""
    before = state()
    with pytest.raises(CommandError) as caught:
        bring_in(path, *options)
    assert state() == before
    assert caught.value.returncode == 1
    return str(caught.value)


def raised(lines, channels, contents):
    """The lines as they would be with numbers that are higher by so much, where the rows have numbers of their site."""
    known = {row["id"] for row in rows_of(lines, "channel")}
    have = {row["id"] for row in rows_of(lines, "content")}

    def of_channel(number):
        return number + channels if number in known else number

    def of_content(number):
        return number + contents if number in have else number

    def of_row(row):
        row = dict(row)
        if row["type"] == "site":
            row |= {"id": row["id"] + channels, "tableName": f"siteserver_Content_{row['id'] + channels}"}
        elif row["type"] == "channel":
            row |= {name: of_channel(row[name]) for name in ("id", "parentId", "trashedWithId", "trashedBeforeId")}
            row["parentsPath"] = ",".join(str(int(part) + channels) for part in row["parentsPath"].split(",") if part)
            row["settings"] = _settings(row["settings"], of_channel)
        elif row["type"] == "content":
            row |= {name: of_channel(row[name]) for name in ("channelId", "trashedWithId")}
            row["id"] += contents
            row["sourceId"] = of_channel(row["sourceId"]) if row["referenceId"] > 0 else of_content(row["sourceId"])
            row["referenceId"] = of_content(row["referenceId"])
        return row

    return [of_row(row) for row in lines]


def _settings(settings, of_channel):
    found = dict(settings)
    if "transChannelIds" in found:
        found["transChannelIds"] = ",".join(str(of_channel(int(part))) for part in found["transChannelIds"].split(","))
        found["transSiteId"] = of_channel(found["transSiteId"])
    return found
