"""Files of sites: a site with some of everything, what its file holds, and files that somebody has changed."""

import gzip
import hashlib
import io
import json
from dataclasses import dataclass

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from channels_app.models import Channel
from channels_app.services import trash_channel
from contents.models import (
    Content,
    ContentBody,
    ContentGroup,
    ContentPicture,
    ContentTag,
    CustomField,
    LastTaxis,
    ListedContent,
)
from contents.services.single import trash_content
from core.audit.models import AuditEntry
from forms.models import Entry, Field, Form
from media_library.models import MediaFile, MediaFolder
from media_library.services import record_files
from pages.models import FormerAddress, FormerRule, Template
from sites.models import FieldDefinition, Site
from tests.archives import parts, written
from tests.factories import ChannelFactory, ContentFactory, SiteFactory

BODY = "<p>\u2028 'x' \\ %s 欢迎 𝄞</p><img src=\"@/upload/images/a.png\">"
PICTURE = bytes(range(256)) * 3000
KINDS = (  # in the order of the file
    *("site", "field", "definition", "group", "tag", "template", "channel", "last_taxis", "content", "body", "picture"),
    *("former_address", "former_rule", "folder", "file", "form", "form_field", "entry"),
)

_TABLES = (
    *(Site, Channel, Content, ContentBody, ContentGroup, ContentTag, CustomField, LastTaxis, ListedContent),
    *(AuditEntry, ContentPicture, FieldDefinition, Template, FormerAddress, FormerRule, MediaFile, MediaFolder),
    *(Form, Field, Entry),
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
    ContentPicture.objects.create(content=first, large_url="@/upload/images/a.png", taxis=2)
    ContentPicture.objects.create(content=trashed, small_url="@/b.png")
    choices = [["红", "red"], ["Blue", "blue"]]
    FieldDefinition.objects.create(
        site=site, owner="content", name="Colour", folded_name="colour", kind="SelectOne", choices=choices
    )
    lists = Template.objects.create(
        site=site, kind="ChannelTemplate", name="Lists", text=BODY, is_default=True, version=3, extension=".htm"
    )
    Template.objects.create(site=site, kind="IncludeFile", name="include/head.html")
    templates = {"channel_template_id": lists.pk, "content_template_id": lists.pk + 9_000}
    Channel.objects.filter(pk=press.pk).update(**templates)
    LastTaxis.objects.update_or_create(channel=press, defaults={"taxis": 99_999})
    ContentTag.objects.create(site=site, tag_name="unused")
    FormerAddress.objects.create(site=site, path="/first.html", content=first)
    FormerAddress.objects.create(site=site, path="/third.html", content=trashed)
    FormerAddress.objects.create(site=site, path="/新闻/", channel=press)
    FormerRule.objects.create(site=site, rule="/{@year}/{@contentId}.html")
    for name, content in (("images/a.png", PICTURE), ("files/empty.txt", b""), ("files/说明 1.txt", "说明".encode())):
        default_storage.save(f"sites/{site.pk}/upload/{name}", ContentFile(content))
    default_storage.save(f"sites/{site.pk}/css/style.css", ContentFile(b"p {}"))
    record_files(site, ["upload/images/a.png", "upload/files/empty.txt", "upload/files/说明 1.txt"])
    later = MediaFolder.objects.create(site=site, name="Halls")
    folder = MediaFolder.objects.create(site=site, name="Press 新闻", channel_id=press.pk)
    MediaFolder.objects.filter(pk=later.pk).update(parent=folder)
    texts = {"alternative_text": "灯塔", "credit": "Mr Lamp", "tags": "海,sea"}
    MediaFile.objects.filter(path="upload/images/a.png").update(folder=later, focal_x=0.25, focal_y=1, width=3, **texts)
    form = Form.objects.create(site=site, name="Contact 联系", keep_days=30, origin="input", origin_id=7)
    mail = Field.objects.create(form=form, key="Mail", label="E-Mail", rules=[{"type": "Email", "message": "甲"}])
    kinds = Field.objects.create(form=form, key="kinds", label="Kinds", kind="checkbox", choices=["红", "b"], taxis=2)
    values = {str(mail.pk): "ada@example.org", str(kinds.pk): ["红"]}
    about = {"channel_id": press.pk, "content_id": first.pk}
    Entry.objects.create(form=form, values=values, reply="Danke", state="read", **about)
    return site


@dataclass
class Held:
    """What a file holds: its manifest, the uploaded files by their names, and the rows by their kinds, as dicts."""

    manifest: dict
    files: dict
    rows: dict

    @property
    def site(self):
        """All but what tells the time and the installation."""
        return self.files, self.rows


def export(site, path, *options):
    """What `export_site` has written into the file."""
    call_command("export_site", site.pk, str(path), *options, "--quiet", stdout=io.StringIO())
    return read(path)


def read(path):
    """What a file holds."""
    members = dict(parts(path.read_bytes()))
    manifest = json.loads(members["manifest.json"])
    rows = {}
    for kind, table in zip(KINDS, manifest["tables"], strict=True):
        names = sorted(name for name in members if name.startswith(f"tables/{table['name']}/"))
        lines = [line for name in names for line in gzip.decompress(members[name]).splitlines()]
        rows[kind] = [dict(zip(table["columns"], json.loads(line), strict=True)) for line in lines]
    files = {name.removeprefix("media/"): data for name, data in members.items() if name.startswith("media/")}
    return Held(manifest, files, rows)


def write(path, held):
    """A file of that content, with the sums and counts that it would have to have; a row may be bytes."""
    manifest, members, index = held.manifest, {}, []
    for name, data in held.files.items():
        members[f"media/{name}"] = data
        index.append([name, len(data), hashlib.sha256(data).hexdigest()])
    packed = _pack([json.dumps(line).encode() for line in index])
    members["index/000001.jsonl.gz"] = packed
    manifest["media"] |= {"files": len(index), "bytes": sum(map(len, held.files.values()))}
    manifest["media"] |= {"parts": 1, "sha256": hashlib.sha256(packed).hexdigest()}
    for kind, table in zip(KINDS, manifest["tables"], strict=True):
        rows = [row if isinstance(row, bytes) else json.dumps(list(row.values())).encode() for row in held.rows[kind]]
        packed = _pack(rows)
        members[f"tables/{table['name']}/000001.jsonl.gz"] = packed
        table |= {"rows": len(rows), "parts": 1, "sha256": hashlib.sha256(packed).hexdigest()}
    path.write_bytes(written([("manifest.json", _dump(manifest)), *members.items(), _sum(manifest)]))


def _pack(lines):
    return gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0)


def _dump(manifest):
    return json.dumps(manifest).encode()


def _sum(manifest):
    return "manifest.json.sha256", f"{hashlib.sha256(_dump(manifest)).hexdigest()}  manifest.json\n".encode()


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


def raised(held, channels, contents, templates, folders, forms=0, fields=0):
    """The content as it would be with numbers that are higher by so much, where rows have numbers of their site."""
    old = held.manifest["site"]["id"]
    known = {row["id"] for row in held.rows["channel"]}
    have = {row["id"] for row in held.rows["content"]}
    named = {row["id"] for row in held.rows["template"]}

    def of_channel(number):
        return number + channels if number in known else number

    def of_content(number):
        return number + contents if number in have else number

    def of_row(kind, row):
        row = dict(row)
        if kind == "site":
            row |= {"id": row["id"] + channels, "table_name": f"siteserver_Content_{row['id'] + channels}"}
        elif kind == "channel":
            row |= {name: of_channel(row[name]) for name in ("id", "parent_id", "trashed_with_id", "trashed_before_id")}
            for name in ("channel_template_id", "content_template_id"):
                row[name] += templates if row[name] in named else 0
            path = [str(int(part) + channels) for part in row["parents_path"].split(",") if part]
            row["parents_path"] = ",".join(path)
            row["settings"] = _settings(row["settings"], of_channel)
        elif kind == "last_taxis":
            row["channel_id"] = of_channel(row["channel_id"])
        elif kind == "content":
            row |= {name: of_channel(row[name]) for name in ("channel_id", "trashed_with_id")}
            row["id"] += contents
            row["source_id"] = (of_channel if row["reference_id"] > 0 else of_content)(row["source_id"])
            row["reference_id"] = of_content(row["reference_id"])
        elif kind == "template":
            row["id"] += templates
        elif kind in ("body", "picture"):
            row["content_id"] = of_content(row["content_id"])
        elif kind == "folder":
            row |= {name: row[name] and row[name] + folders for name in ("id", "parent_id")}
            row["channel_id"] = of_channel(row["channel_id"])
        elif kind == "file":
            row["folder_id"] = row["folder_id"] and row["folder_id"] + folders
        elif kind == "form":
            row["id"] += forms
        elif kind == "form_field":
            row |= {"id": row["id"] + fields, "form_id": row["form_id"] + forms}
        elif kind == "entry":
            values = {str(int(pk) + fields): value for pk, value in json.loads(row["values"]).items()}
            row |= {"form_id": row["form_id"] + forms, "values": _dump_json(values)}
            row |= {"channel_id": of_channel(row["channel_id"]), "content_id": of_content(row["content_id"])}
        elif kind == "former_address":
            row |= {"channel_id": of_channel(row["channel_id"]), "content_id": of_content(row["content_id"])}
        return row

    manifest = held.manifest | {"site": held.manifest["site"] | {"id": old + channels}}
    files = {name.replace(f"sites/{old}/", f"sites/{old + channels}/"): data for name, data in held.files.items()}
    rows = {kind: [of_row(kind, row) for row in some] for kind, some in held.rows.items()}
    return Held(manifest, files, rows)


def _settings(text, of_channel):
    found = json.loads(text)
    if "transChannelIds" in found:
        found["transChannelIds"] = ",".join(str(of_channel(int(part))) for part in found["transChannelIds"].split(","))
        found["transSiteId"] = of_channel(found["transSiteId"])
    return _dump_json(found)


def _dump_json(found):
    return json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
