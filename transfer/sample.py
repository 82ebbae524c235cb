import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import Any

from contents.models import CustomField
from pages.models import TemplateKind
from transfer.package import ChannelRecord, ContentRecord, FormRecord, SiteRecord, TemplateRecord

FOLDER = Path(__file__).parent / "sample_site"
_UPLOAD = re.compile(r"@/(upload/[\w/-]+)(\.\w+)")
DATES = {"add_date", "last_edit_date", "last_hits_date"}

Member = dict[str, Any]


class SampleSite:
    """Reads site.json, contents/<indexName>.json, templates/ and the files that the site names.

    A content's `references` is the `name` of another.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder, self.name = folder, folder.name
        self._tree: Member = read_json(folder / "site.json")

    @property
    def site(self) -> SiteRecord:
        return SiteRecord(
            **python_fields(self._tree["site"]), templates=tuple(self._templates()), forms=tuple(self._forms())
        )

    @property
    def custom_fields(self) -> list[CustomField]:
        """Descriptions of its custom fields, in order and without a site."""
        described = self._tree["customFields"].items()
        return [
            CustomField(name=name, taxis=taxis, **python_fields(member))
            for taxis, (name, member) in enumerate(described, start=1)
        ]

    def channels(self) -> Iterator[ChannelRecord]:
        (home,) = self._tree["channels"]
        yield from self._channels(home, ())

    def contents(self, channel: ChannelRecord) -> Iterator[ContentRecord]:
        for number, member in enumerate(self._listed(channel.fields.get("index_name", "")), start=1):
            fields = python_fields(member)
            name, reference = fields.pop("name", ""), fields.pop("references", "")
            fields |= {"reference_id": self._numbers[reference]} if reference else {}
            settings = fields.pop("settings", {})
            origin = f"{channel.origin}, entry {number}"
            yield ContentRecord(self._numbers.get(name, 0), fields, settings, origin)

    def files(self) -> dict[str, Path]:
        """The assets of the pages and a file for each upload that the site names, by path below the site's folder.

        An upload has the file of its name in uploads/own/; the others of a type share a few files, in turn.
        """
        texts = (path.read_text(encoding="utf-8") for path in sorted(self._folder.rglob("*.json")))
        named = dict.fromkeys(match.groups() for text in texts for match in _UPLOAD.finditer(text))
        types = {extension for _, extension in named}
        turns = {each: cycle(sorted(self._folder.glob(f"uploads/*{each}"))) for each in types}
        own = {path.name: path for path in self._folder.glob("uploads/own/*")}
        assets = {path.relative_to(self._folder).as_posix(): path for path in sorted(self._folder.glob("assets/*"))}
        uploads = {name + extension: next(turns[extension]) for name, extension in named}
        return assets | {name: own.get(name.rpartition("/")[2], shared) for name, shared in uploads.items()}

    def _templates(self) -> Iterator[TemplateRecord]:
        folder = self._folder / "templates"
        for member in self._tree["templates"]:
            fields = python_fields(member)
            yield TemplateRecord(fields | {"text": (folder / fields["file_name"]).read_text(encoding="utf-8")})
        for path in sorted(folder.glob("include/*")):
            name, text = path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")
            yield TemplateRecord({"kind": TemplateKind.INCLUDE, "name": name, "text": text, "extension": ""})

    def _forms(self) -> Iterator[FormRecord]:
        for taxis, member in enumerate(self._tree["forms"]):
            fields = python_fields(member)
            inputs = [python_fields(each) | {"taxis": place} for place, each in enumerate(fields.pop("fields"))]
            yield FormRecord(fields | {"taxis": taxis}, tuple(inputs))

    def _channels(self, member: Member, position: tuple[int, ...]) -> Iterator[ChannelRecord]:
        fields = python_fields(member)
        children, settings = fields.pop("children", []), fields.pop("settings", {})
        origin = f"contents/{fields.get('index_name', '')}.json"
        templates = {name: fields.pop(name, "") for name in ("channel_template", "content_template")}
        yield ChannelRecord(0, position, fields, settings, origin, **templates)
        for number, child in enumerate(children, start=1):
            yield from self._channels(child, (*position, number))

    def _listed(self, index_name: str) -> list[Member]:
        path = self._folder / "contents" / f"{index_name}.json"
        return read_json(path) if path.is_file() else []

    @cached_property
    def _numbers(self) -> dict[str, int]:
        listed = (member for path in sorted(self._folder.glob("contents/*.json")) for member in read_json(path))
        names = (member["name"] for member in listed if "name" in member)
        return {name: number for number, name in enumerate(names, start=1)}


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def python_fields(member: Member) -> Member:
    named = {re.sub("([A-Z])", r"_\1", name).lower(): value for name, value in member.items()}
    return {name: datetime.fromisoformat(value) if name in DATES else value for name, value in named.items()}
