"""Select lists that editor/src/frame/picker.js makes searchable if they are long."""

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

MAX_UNSEARCHED = 100  # choices that need no search
MAX = 1000  # choices per list on a page with several

FIND = _("Find by part of the name")

_Text = str | Promise


def words_of_picker(find: _Text, *, is_optional: bool) -> dict[str, str]:
    mode = "optional" if is_optional else "required"
    words = {"data-found": _now("Found:"), "data-more": _now("– type more of the name")}
    return {"data-picker": mode, "data-find": str(find), **words}


class Picker(forms.Select):
    """The select list; `closed` holds values that are shown disabled."""

    most_unsearched = MAX_UNSEARCHED
    closed: frozenset[int] = frozenset()

    def __init__(self, find: _Text = FIND, **options: Any) -> None:
        super().__init__(**options)
        self._find = find

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        widget = context["widget"]
        if sum(len(options) for _group, options, _index in widget["optgroups"]) > self.most_unsearched:
            widget["attrs"] |= words_of_picker(self._find, is_optional=not self.is_required)
        return context

    def create_option(self, name: str, value: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *arguments, **options)
        if value in self.closed:
            option["attrs"]["disabled"] = True
        return option
