import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import Any

from contents.models import CustomField
from transfer.package import ChannelRecord, ContentRecord, SiteRecord

FOLDER = Path(__file__).parent / "sample_site"
_PICTURE = re.compile(r"@/(upload/images/[\w/-]+\.jpg)")
DATES = {"add_date", "last_edit_date", "last_hits_date"}

Member = dict[str, Any]


class SampleSite:
    """Reads site.json, contents/<indexName>.json and pictures/; a content's `references` is the `name` of another."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder, self.name = folder, folder.name
        self._tree: Member = read_json(folder / "site.json")

    @property
    def site(self) -> SiteRecord:
        return SiteRecord(**python_fields(self._tree["site"]))

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

    def pictures(self) -> dict[str, Path]:
        """A file for each picture that the site refers to, by its path below the site's folder."""
        texts = (path.read_text(encoding="utf-8") for path in sorted(self._folder.rglob("*.json")))
        named = dict.fromkeys(path for text in texts for path in _PICTURE.findall(text))
        return dict(zip(named, cycle(sorted(self._folder.glob("pictures/*.jpg"))), strict=False))

    def _channels(self, member: Member, position: tuple[int, ...]) -> Iterator[ChannelRecord]:
        fields = python_fields(member)
        children, settings = fields.pop("children", []), fields.pop("settings", {})
        origin = f"contents/{fields.get('index_name', '')}.json"
        yield ChannelRecord(0, position, fields, settings, origin)
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
