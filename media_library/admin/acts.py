"""Acts on chosen files: into a folder, and tags. An undo puts back what each file had."""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from core.admin.admin_actions import AdminAction, Changed
from core.admin.checkboxes import ManyCheckboxes
from core.admin.picker import MAX, Picker
from core.admin.places import Places, places_of
from core.lib.errors import InvalidInput
from core.rest.preconditions import if_version
from media_library.admin.folders import folder_choices
from media_library.branches import require_own_folder
from media_library.changes import update_file
from media_library.models import MediaFile

_COMMAS = re.compile("[,\uff0c\u3001]")  # Chinese ones, too
_TAGS: Any = MediaFile._meta.get_field("tags")


def split_tags(text: str) -> list[str]:
    return list(dict.fromkeys(tag for each in _COMMAS.split(text) if (tag := each.strip())))


class _FilesForm(forms.Form):
    note = ""

    def __init__(self, request: HttpRequest, records: Sequence[MediaFile], data: Any = None) -> None:
        super().__init__(data)
        self.records = records


class MoveForm(_FilesForm):
    folder_id = forms.TypedChoiceField(label=_("Folder"), coerce=int, widget=Picker)

    def __init__(self, request: HttpRequest, *arguments: Any) -> None:
        super().__init__(request, *arguments)
        site_id = self.records[0].site_id
        field: Any = self.fields["folder_id"]
        field.choices = folder_choices(site_id, _now("No folder"), _changeable(request))
        if any(file.site_id != site_id for file in self.records):
            self.note = _now("The files belong to several sites; those of other sites than the folder's do not move.")


class AddTagsForm(_FilesForm):
    names = forms.CharField(label=_("Tags"), max_length=1000, help_text=_("Separate several by commas."))

    def clean_names(self) -> list[str]:
        if not (tags := split_tags(self.cleaned_data["names"])):
            raise ValidationError(_("Enter a tag."))
        return tags


class RemoveTagsForm(_FilesForm):
    names = forms.MultipleChoiceField(label=_("Tags"), widget=ManyCheckboxes)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        present = dict.fromkeys(tag for file in self.records for tag in split_tags(file.tags))
        field: Any = self.fields["names"]
        field.choices = [(tag, tag) for tag in list(present)[:MAX]]


def _changeable(request: HttpRequest) -> Places:
    return places_of(request.user, "media_library.change_mediafile")


def _move(request: HttpRequest, file: MediaFile, *, folder_id: int) -> Changed | None:
    require_own_folder(file.site_id, folder_id, _changeable(request))
    return _update(file, "folder_id", folder_id)


def _add_tags(request: HttpRequest, file: MediaFile, *, names: list[str]) -> Changed | None:
    present = split_tags(file.tags)
    return _set_tags(file, [*present, *(tag for tag in names if tag not in present)])


def _remove_tags(request: HttpRequest, file: MediaFile, *, names: list[str]) -> Changed | None:
    return _set_tags(file, [tag for tag in split_tags(file.tags) if tag not in names])


def _set_tags(file: MediaFile, tags: Iterable[str]) -> Changed | None:
    text = ",".join(tags)
    if len(text) > _TAGS.max_length:
        raise InvalidInput("too_many_names", f"The tags can have at most {_TAGS.max_length} characters together.")
    return _update(file, "tags", text)


def _update(file: MediaFile, name: str, value: Any) -> Changed | None:
    """Change a value of the file that was read; None if it has the value."""
    former = getattr(file, name) or type(value)()  # 0 for no folder, as in the service
    changed = update_file(file.site_id, file.pk, {name: value}, if_version(file.version))
    return Changed(changed.pk, changed.version, former) if changed.version != file.version else None


def _put_back(name: str, request: HttpRequest, file: MediaFile, version: int, former: Any) -> None:
    update_file(file.site_id, file.pk, {name: former}, if_version(version))


def _move_back(request: HttpRequest, file: MediaFile, version: int, former: int) -> None:
    require_own_folder(file.site_id, former, _changeable(request))  # it may have been given to another branch since
    _put_back("folder_id", request, file, version, former)


def _is_listed(file: MediaFile) -> bool:
    return file.trashed_at is None


MOVE = AdminAction(
    "into-folder",
    _("Move to a folder"),
    ngettext_lazy("Move %(count)d file to which folder?", "Move %(count)d files to which folder?", "count"),
    ngettext_lazy("%(count)d file was moved.", "%(count)d files were moved.", "count"),
    _move,
    right="change",
    suits=_is_listed,
    unsuited=_("is in the trash"),
    form=MoveForm,
    take_back=_move_back,
)
ADD_TAGS = AdminAction(
    "add-tags",
    _("Add tags"),
    ngettext_lazy("Add which tags to %(count)d file?", "Add which tags to %(count)d files?", "count"),
    ngettext_lazy("%(count)d file was tagged.", "%(count)d files were tagged.", "count"),
    _add_tags,
    right="change",
    suits=_is_listed,
    unsuited=_("is in the trash"),
    form=AddTagsForm,
    take_back=partial(_put_back, "tags"),
)
REMOVE_TAGS = AdminAction(
    "remove-tags",
    _("Remove tags"),
    ngettext_lazy("Remove which tags from %(count)d file?", "Remove which tags from %(count)d files?", "count"),
    ngettext_lazy("Tags of %(count)d file were removed.", "Tags of %(count)d files were removed.", "count"),
    _remove_tags,
    right="change",
    suits=lambda file: _is_listed(file) and bool(file.tags),
    unsuited=_("without tags"),
    form=RemoveTagsForm,
    take_back=partial(_put_back, "tags"),
)
