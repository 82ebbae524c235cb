"""One of many sites, channels or groups: a list, and above it a field to find in it once it is long.

Without scripts it is a plain list; with them, static/cms_admin/picker.js adds the field. A list that may be left
empty stays one line high until something is typed.
"""

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

MOST_UNSEARCHED = 100  # choices of a list that needs no search
MOST = 1000  # choices of one list of a page that has several

FIND = _("Find by a part of the name")

_Text = str | Promise


def words_of_picker(find: _Text, *, is_optional: bool) -> dict[str, str]:
    """The attributes by which the script finds a list, with the words that it says."""
    mode = "optional" if is_optional else "required"
    return {"data-picker": mode, "data-find": str(find), "data-found": _now("Found:")}


class Picker(forms.Select):
    """The list; `closed` are values that stand in it and cannot be chosen."""

    most_unsearched = MOST_UNSEARCHED
    closed: frozenset[int] = frozenset()

    class Media:
        js = (forms.Script("cms_admin/picker.js", defer=True),)

    def __init__(self, find: _Text = FIND, **options: Any) -> None:
        super().__init__(**options)
        self._find = find

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Django's, with the words for the script where the list is long."""
        context: dict[str, Any] = super().get_context(name, value, attrs)
        widget = context["widget"]
        if sum(len(options) for _group, options, _index in widget["optgroups"]) > self.most_unsearched:
            widget["attrs"] |= words_of_picker(self._find, is_optional=not self.is_required)
        return context

    def create_option(self, name: str, value: Any, *arguments: Any, **options: Any) -> dict[str, Any]:
        """Django's; a closed one is disabled."""
        option = super().create_option(name, value, *arguments, **options)
        if value in self.closed:
            option["attrs"]["disabled"] = True
        return option
