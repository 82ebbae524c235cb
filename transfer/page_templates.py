"""Page templates of a package: the entries of Template.xml, and the files that their texts include."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from functools import cached_property

from django.utils.translation import gettext_lazy as _

from pages.models import Template, TemplateKind
from transfer import names
from transfer.columns import Columns
from transfer.names import ElementSorter, Fields
from transfer.package import PackageError, TemplateRecord, filled, template_key
from transfer.template_files import SiteFolder, TemplateFiles

# Real sites have up to thirty templates and a megabyte of texts.
MAX_TEMPLATES = 1_000
MAX_CHARACTERS = 32 * 1024**2
INCLUDED = ("html", "htm", "inc", "txt")
# No other tag within one, so that endless starts of tags take linear time.
_INCLUDES = re.compile(r"<stl:include\b([^<>]{0,2000})>|\{stl:include\b([^{}]{0,2000})\}", re.IGNORECASE)
_FILE = re.compile(r"""\bfile\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
# Where files of templates are, by kind, below the site's folder.
_FOLDERS = {TemplateKind.INDEX: "", TemplateKind.CONTENT: "Template/Content/"}
_FOLDER = "Template/"
_EMPTY: Fields = {
    "kind": "",
    "file_name": "",
    "page_path": "",
    "extension": ".html",
    "is_default": False,
    "text": "",
}


def read_templates(files: TemplateFiles, time_zone: tzinfo, defaults: Mapping[str, str]) -> tuple[TemplateRecord, ...]:
    """All templates, then all includes; `defaults` has names by kind. Raises PackageError."""
    reader = TemplateReader(files)
    templates = _described(reader, files, time_zone)
    for kind, name in defaults.items():
        _choose_default([each.fields for each in templates if each.fields["kind"] == kind], name)
    found = (*templates, *reader.includes([each.fields["text"] for each in templates]))
    columns = Columns(Template)
    for each in found:
        columns.check(each.fields, each.origin)
    return found


def included_paths(text: str) -> Iterator[str]:
    """Paths of the files that a template includes, below the site's folder; they may have entities."""
    for match in _INCLUDES.finditer(text):
        if file := _FILE.search(match[1] or match[2] or ""):
            parts = file[1].strip("\"'").strip().replace("\\", "/").lstrip("@~").split("/")
            yield "/".join(part for part in parts if part not in {"", ".", ".."})


def paths_read(files: SiteFolder, templates: Iterable[TemplateRecord]) -> set[str]:
    """Paths of the site's own files that are templates or includes."""
    return {_path_of(files, each.fields) for each in templates} - {""}


def _path_of(files: SiteFolder, fields: Fields) -> str:
    """The path of the file with the text of a template, or ""."""
    if fields["kind"] == TemplateKind.INCLUDE:
        return str(fields["name"])
    folder, name = _FOLDERS.get(fields["kind"], _FOLDER), fields["file_name"]
    return files.path_of(folder + name) or files.path_of(folder + name.strip())


def _choose_default(templates: list[Fields], name: str) -> None:
    """Leave one default: the template of the name, else the first default."""
    named = [each for each in templates if template_key("", each["name"]) == template_key("", name)]
    chosen = named[0] if named else None
    chosen = chosen or next((each for each in templates if each["is_default"]), None)
    for each in templates:
        each["is_default"] = each is chosen


def _described(reader: "TemplateReader", files: TemplateFiles, time_zone: tzinfo) -> list[TemplateRecord]:
    file = files.described.get("template.xml")
    if file is None:
        return []
    sorter = ElementSorter(names.TEMPLATE, None, time_zone)
    found: dict[tuple[str, str], TemplateRecord] = {}
    with files.feed(file) as feed:
        for number, elements in enumerate(feed.entries(), start=1):
            origin = f"{file}, entry {number}"
            fields = reader.complete(sorter.sort(elements, file, f"entry {number}")[0], origin)
            key = template_key(fields["kind"], fields["name"])
            if key in found:
                told = _('Another template of this type is also named "%(name)s".')
                raise PackageError(filled(told, name=fields["name"]), file=origin)
            found[key] = TemplateRecord(fields, origin)
    return list(found.values())


class TemplateReader:
    """Reads the texts of templates and of the files that they include."""

    def __init__(self, files: SiteFolder) -> None:
        self._files = files
        self._count = self._characters = 0

    def includes(self, texts: list[str]) -> Iterator[TemplateRecord]:
        """Yield the files that the texts include, directly or indirectly. Raises PackageError."""
        taken: set[str] = set()
        waiting = list(texts)
        while waiting:
            for path in sorted(self._named(waiting.pop()) - taken):
                taken.add(path)
                name = self._files.site_files[path]
                waiting.append(self._text_of(name))
                fields = {"kind": TemplateKind.INCLUDE.value, "name": path, "text": waiting[-1], "extension": ""}
                yield TemplateRecord(fields, name)

    def _named(self, text: str) -> set[str]:
        """Paths of files that the text includes; a name with an entity stands for every file of the folder."""
        named = set(included_paths(text))
        found = {self._files.path_of(path) for path in named if "{" not in path}
        for folder in {path.partition("{")[0].rpartition("/")[0].casefold() for path in named if "{" in path}:
            # A folder that was taken once is left out: a hostile package could name it in every text.
            found.update(self._folders.pop(folder, ()))
        return {path for path in found if path.rpartition(".")[2].casefold() in INCLUDED}

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        folders = defaultdict(list)
        for path in self._files.site_files:
            if "/" in path:
                folders[path.rpartition("/")[0].casefold()].append(path)
        return dict(folders)

    def complete(self, fields: Fields, origin: str) -> Fields:
        """Return the members of a template with its text, which may be in a file. Raises PackageError."""
        fields = _EMPTY | fields | {"name": fields.get("name", "").strip()}
        if not fields["name"] or not fields["kind"]:
            raise PackageError(_("The template has no name or no type."), file=origin)
        fields["extension"] = "." + fields["extension"].strip().lstrip(".")
        if fields["kind"] == TemplateKind.INDEX:
            fields["page_path"] = fields["page_path"] or f"index{fields['extension']}"
        elif fields["kind"] != TemplateKind.FILE:
            fields["page_path"] = ""  # without meaning there
        path = _path_of(self._files, fields)
        if not fields["text"] and path:
            fields["text"] = self._text_of(self._files.site_files[path])
        else:
            fields["text"] = fields["text"].removeprefix("\ufeff")
            self._count_text(fields["text"], origin)
        return fields

    def _text_of(self, name: str) -> str:
        with self._files.open(name) as stream:
            data = b"".join(iter(stream.read, b""))
        for encoding in ("utf-8-sig", "gb18030"):
            try:
                text = data.decode(encoding)
            except UnicodeDecodeError:
                continue
            if "\0" not in text:
                self._count_text(text, name)
                return text
        raise PackageError(_("The text is neither UTF-8 nor GB18030."), file=name)

    def _count_text(self, text: str, origin: str) -> None:
        self._count += 1
        self._characters += len(text)
        if self._count > MAX_TEMPLATES or self._characters > MAX_CHARACTERS:
            told = _("The package has more than %(count)d templates, or their texts more than %(most)d characters.")
            raise PackageError(filled(told, count=MAX_TEMPLATES, most=MAX_CHARACTERS), file=origin)
