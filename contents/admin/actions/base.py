from collections.abc import Sequence
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from contents.models import Content
from contents.services.single import trash_contents
from contents.services.undoing import take_back
from contents.storing.locking import Seen
from core.admin.admin_actions import AdminAction, Changed
from core.lib.errors import ServiceError

# Contents and the versions that the action produced.
Pairs = Sequence[tuple[Content, int]]


class ContentActionForm(forms.Form):
    note = ""

    def __init__(self, request: HttpRequest, records: list[Content], data: Any = None) -> None:
        super().__init__(data)
        self.request, self.records = request, records


def reasons_input() -> forms.CharField:
    return forms.CharField(
        label=_("Reasons"),
        max_length=255,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Stored with the content item and in its history, where the author can read them."),
    )


def describe_some(told: str, count: int, **words: int) -> str:
    return told % {"count": count, **words} if count else ""


def of_any_version(contents: Sequence[Content]) -> list[Seen]:
    return [Seen(content.site_id, content.pk) for content in contents]


def brought_to(pairs: Pairs) -> list[Seen]:
    return [Seen(content.site_id, content.pk, version) for content, version in pairs]


def changed(results: Sequence[Content | ServiceError | None]) -> list[Changed | ServiceError | None]:
    """Convert results of a service; None stays: nothing changed, so nothing can be undone."""
    return [Changed(one.pk, one.version) if isinstance(one, Content) else one for one in results]


def take_back_arrivals(request: HttpRequest, pairs: Pairs) -> list[Content | ServiceError]:
    return trash_contents(brought_to(pairs))


# An action that runs in bulk; its changes are undone from the history.
ContentAction = partial(
    AdminAction, take_back=lambda request, pairs: take_back(brought_to(pairs), request.user), at_once=True
)
