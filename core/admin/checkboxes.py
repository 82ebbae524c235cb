from typing import Any

from django import forms
from django.template.loader import get_template
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe

MAX_UNSEARCHED = 12  # boxes that need no search


class ManyCheckboxes(forms.CheckboxSelectMultiple):
    """Checkboxes with a search field; `none` is shown without choices, `add` is the view that creates one."""

    template_name = "cms_admin/checkboxes.html"

    def __init__(self, *, none: str | Promise = "", add: str = "", added: str | Promise = "", **options: Any) -> None:
        super().__init__(**options)
        self._none, self._add, self._added = none, add, added

    def _render(self, template_name: str, context: dict[str, Any], renderer: Any = None) -> SafeString:
        # With the templates of pages; forms use Django's own.
        return mark_safe(get_template(template_name).render(context))  # noqa: S308 - a template has escaped it

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        options = sum(len(group) for _name, group, _index in context["widget"]["optgroups"])
        context["widget"] |= {"are_many": options > MAX_UNSEARCHED, "is_empty": not options, "none": self._none}
        context["widget"] |= {"add": reverse(self._add) if self._add else "", "added": self._added}
        return context
