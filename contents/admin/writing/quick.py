"""The short form of a content, which opens from its row of the list: a few fields of the whole form."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _

from contents.admin.writing.drafts import saving_context
from contents.admin.writing.form import ContentForm
from contents.admin.writing.pages import WritingPage, written_content
from contents.admin.writing.schedule import ScheduleForm
from core.admin.changed_fields_form import posted
from core.admin.views import render_page

FIELDS = ("title", "sub_title", "tags")
_IS_QUICK = "_quick"  # in the data; the whole form that follows an error lacks it


def quick_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    content = written_content(page, request, str(pk))
    if content is None or not page.has_change_permission(request, content):
        raise Http404
    writing = WritingPage(page, request)
    if request.method == "POST" and _IS_QUICK not in request.POST:
        return writing.change(content)
    schedule = ScheduleForm(request.user, content.channel, content.pk)
    written = writing.existing(content)
    form = ContentForm(written, initial={"seen_version": content.version, "seen_draft": written.shown.version})
    if request.method == "POST":
        request.POST = _completed(request.POST, form, schedule)  # type: ignore[assignment]
        return writing.change(content)
    form.fields["title"].widget = forms.TextInput()
    saving = saving_context(form, request.user, schedule.stored)
    context = {
        "title": _("Quick edit"),
        "content_record": content,
        "shown_fields": [form[name] for name in FIELDS],
        "seen": [form["seen_version"], form["seen_draft"]],
        "list_filters": request.GET.get("_changelist_filters", ""),
        **saving,
        "button": saving["buttons"][0],
    }
    return render_page(page, request, "contents/writing/quick.html", context)


def _completed(sent: QueryDict, *untouched: forms.BaseForm) -> QueryDict:
    """Return the data as if a browser had sent the whole form with the other fields unedited."""
    whole = QueryDict(mutable=True)
    for form in untouched:
        for name, field in form.fields.items():
            value: Any = posted(field, form[name].initial)
            if isinstance(value, list):
                whole.setlist(name, value)
            elif value is not None and value is not False:
                whole[name] = "on" if value is True else value
    for name, values in sent.lists():  # `update` would add to the values
        whole.setlist(name, values)
    return whole
