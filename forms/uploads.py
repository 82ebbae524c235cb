"""Files that come with an entry, or before it."""

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.core.signing import TimestampSigner
from django.db import transaction
from django.db.models import Sum
from django.http import HttpRequest
from django.utils.translation import gettext as _

from core.archive import media
from core.lib.errors import InvalidInput
from forms import entry_files, file_kinds
from forms.file_kinds import MEGABYTE
from forms.models import Entry, EntryFile, Field, Form
from pages.engine.elements.forms import FILE_TYPES, MAX_FILE_BYTES, MAX_FILES
from sites.storing import asking

MAX_BODY = 32 * MEGABYTE  # of a request with files; what is left out of it is read, so that texts are not lost
UPLOADS = TimestampSigner(salt="forms.uploads")  # signs the number of the form
MAX_OF_FORM = 2048 * MEGABYTE  # bytes of all files that a form keeps


def file_keys(form: Form) -> frozenset[str]:
    """Return the folded keys of the shown fields that take files."""
    rows = form.fields.filter(is_visible=True, kind__in=FILE_TYPES)
    return frozenset(rows.values_list("folded_key", flat=True))


class Spool(FileUploadHandler):
    """Keeps files of these folded names, or of any, on disk and in bounds; of others, only the size is known."""

    def __init__(self, request: HttpRequest, keys: Collection[str] | None, most: int = MAX_FILES) -> None:
        super().__init__(request)
        self._keys, self._left = keys, most
        self._spooled: Any = None

    def new_file(self, field_name: str, *description: Any, **more: Any) -> None:
        super().new_file(field_name, *description, **more)
        if self._keys is not None and field_name.casefold() not in self._keys:
            raise SkipFile
        self._spooled = tempfile.TemporaryFile()  # noqa: SIM115 - the request closes it
        self._left -= 1

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self._left >= 0 and start + len(raw_data) <= MAX_FILE_BYTES:
            self._spooled.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile:  # type: ignore[type-arg]
        self._spooled.seek(0)
        return UploadedFile(self._spooled, self.file_name, self.content_type, file_size)

    def upload_interrupted(self) -> None:
        if self._spooled:
            self._spooled.close()


class GivenFiles:
    """The files of an entry by the keys of their fields: sent with it, or before it."""

    def __init__(self, form: Form, fields: Sequence[Field], texts: Mapping[str, Sequence[str]], request: HttpRequest):
        self._form = form
        self._fields = [field for field in fields if field.kind in FILE_TYPES]
        folded = {name.casefold(): files for name, files in request.FILES.lists()} if self._fields else {}
        self._sent = {field.key: folded.get(field.folded_key, []) for field in self._fields}
        self._waiting: dict[str, list[EntryFile]] = {}
        self._new: list[tuple[EntryFile, bytes]] = []
        self.problems: dict[str, str] = {}
        for field in self._fields:
            self._find_waiting(field, texts.get(field.folded_key, ()))
        left = MAX_FILES
        for field in self._fields:
            left -= len(self._sent[field.key]) + len(self._waiting[field.key])
            if left < 0:
                told = _("Choose at most %(count)d files.") % {"count": MAX_FILES}
                self.problems.setdefault(field.key, told)

    @property
    def names(self) -> dict[str, str | list[str]]:
        """The names by the keys of the fields."""
        made = {field.key: [row.name for row, _data in self._new if row.field_id == field.pk] for field in self._fields}
        sent = {key: [file_kinds.cleaned(file.name or "") for file in files] for key, files in self._sent.items()}
        return {key: [*(made[key] or sent[key]), *(row.name for row in self._waiting[key])] for key in made}

    @property
    def digests(self) -> list[str]:
        rows = [*(row for row, _data in self._new), *(row for rows in self._waiting.values() for row in rows)]
        return [row.digest for row in rows]

    def accept(self) -> dict[str, str]:
        """Check the content of the files; return what is wrong, by key. Raises LimitReached."""
        problems: dict[str, list[str]] = {}
        for field in self._fields:
            for file in self._sent[field.key]:
                try:
                    self._new.append(checked(self._form, field, file))
                except InvalidInput as refusal:
                    problems.setdefault(field.key, []).append(refusal.message)
        return {key: " ".join(told) for key, told in problems.items()}

    @contextmanager
    def stored(self) -> Iterator[None]:
        """Store the files; those without an entry at the end of the block are deleted.

        Raises LimitReached and Unavailable.
        """
        with entry_files.stored() as rows:
            for row, data in self._new:
                rows.append(row)
                asking(lambda row=row, data=data: entry_files.write(row, data))  # type: ignore[misc]
            yield

    def attach(self, entry: Entry) -> None:
        """Store the rows of the files. Raises InvalidInput if one that came before has another entry, or is gone."""
        for row, _data in self._new:
            row.entry = entry
            row.save(force_insert=True)
        numbers = [row.pk for rows in self._waiting.values() for row in rows]
        if numbers and EntryFile.objects.filter(pk__in=numbers, entry=None).update(entry=entry) < len(numbers):
            raise InvalidInput("file_refused", again())

    def _find_waiting(self, field: Field, texts: Sequence[str]) -> None:
        given = dict.fromkeys(part.strip() for text in texts for part in text.split(",")[: MAX_FILES + 1])
        tokens = [token for part in given if (token := _token(part))]
        rows = EntryFile.objects.filter(form=self._form, field_id=field.pk, token__in=tokens) if tokens else []
        found = {row.token: row for row in rows}
        self._waiting[field.key] = [found[token] for token in tokens if token in found]
        if len(self._waiting[field.key]) < len([part for part in given if part]):
            self.problems[field.key] = again()


def checked(form: Form, field: Field, file: UploadedFile) -> tuple[EntryFile, bytes]:  # type: ignore[type-arg]
    """Return a row without an entry, and the bytes to store. Raises as `file_kinds.accept`."""
    if (file.size or 0) > MAX_FILE_BYTES:
        raise file_kinds.too_large(file.name or "")
    kept = form.files.aggregate(bytes=Sum("size"))["bytes"] or 0
    if kept + (file.size or 0) > MAX_OF_FORM:
        raise InvalidInput("file_refused", _("The form cannot take further files at present."))
    accepted = file_kinds.accept(field.kind, file.name or "", file.read())
    known = {"name": accepted.name, "media_type": accepted.media_type, "size": len(accepted.data)}
    return EntryFile(form=form, field_id=field.pk, digest=media.digest([accepted.data]), **known), accepted.data


def keep(form: Form, field: Field, file: UploadedFile) -> EntryFile:  # type: ignore[type-arg]
    """Store the file until the entry with its token comes, for an hour. Raises as `checked` and `GivenFiles.stored`."""
    row, data = checked(form, field, file)
    with entry_files.stored() as rows:
        rows.append(row)
        asking(lambda: entry_files.write(row, data))
        with transaction.atomic():
            row.save(force_insert=True)
    return row


def again() -> str:
    return _("Please choose the file again.")


def _token(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
