"""The page that adds several channels at once: a list of names, what would become of it, and the button."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from channels_app.admin.sites import site_of, tree_address
from channels_app.models import Channel
from channels_app.outline import MAX_NAME, MOST, Line, add_outline, read_outline
from cms_api.admin.numbers import read_number
from cms_api.admin.refusals import tell
from cms_api.admin.views import render_page
from cms_api.lib.errors import ServiceError

_SENTENCES = {
    "outline_length": _("Write from 1 to %(most)d names."),
    "outline_name": _("Line %(line)d: a name has from 1 to %(longest)d characters."),
    "outline_index": _("Line %(line)d: another channel has the index name “%(index_name)s”."),
}


class OutlineForm(forms.Form):
    """A list of names; those that are moved in go below the one before."""

    names = forms.CharField(
        label=_("Names"),
        strip=False,
        max_length=MOST * 300,
        widget=forms.Textarea(attrs={"rows": 12, "autofocus": True}),
        help_text=_(
            "One name a line. Begin a line with blanks or a tab to put it below the one above. An index name "
            "may follow in parentheses: News (news)."
        ),
    )

    lines: list[Line]

    def clean_names(self) -> str:
        """The text, once it can be read."""
        text = str(self.cleaned_data["names"])
        try:
            self.lines = read_outline(text)
        except ServiceError as refusal:
            raise forms.ValidationError(words_of(refusal)) from refusal
        return text


def words_of(refusal: ServiceError) -> str:
    """What is wrong with the list."""
    sentence = _SENTENCES.get(refusal.code)
    return str(sentence) % {"longest": MAX_NAME, **refusal.members} if sentence else tell(refusal)


def several_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Ask for the names, show what they would become, and add the channels: all of them or none."""
    site = site_of(request, site_id)
    number = read_number(request.GET.get("below")) or site.pk
    parent = Channel.objects.in_site(site.pk).filter(pk=number).first()
    if parent is None or not page.allows(request, "add"):
        raise Http404
    form = OutlineForm(request.POST or None)
    is_read = request.method == "POST" and form.is_valid()
    if is_read and "add" in request.POST:
        try:
            made = add_outline(parent.site_id, parent.pk, form.lines)
        except ServiceError as refusal:
            form.add_error("names", words_of(refusal))
        else:
            told = ngettext("%(count)d channel was added.", "%(count)d channels were added.", len(made))
            messages.success(request, told % {"count": len(made)})
            # Without the channel: the page would scroll to it, away from the message.
            return HttpResponseRedirect(tree_address(parent).partition("#")[0])
    context = {
        "title": _("Add several channels"),
        "site": site,
        "parent": parent,
        "form": form,
        "lines": form.lines if is_read and not form.errors else [],
        "tree_address": tree_address(parent),
    }
    return render_page(page, request, "channels_app/several.html", context)
