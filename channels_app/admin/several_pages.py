"""The page that adds several channels at once: a list of names, what would become of it, and the button."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from channels_app.admin.sites import site_of, tree_address
from channels_app.models import Channel
from channels_app.outline import MAX_NAME, MOST, Line, add_outline, read_outline
from cms_api.admin.numbers import read_number
from cms_api.admin.pages import RecordPages
from cms_api.admin.refusals import tell
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
    """What is wrong with the list, in the present language."""
    sentence = _SENTENCES.get(refusal.code)
    return str(sentence) % {"longest": MAX_NAME, **refusal.members} if sentence else tell(refusal)


class SeveralPages(RecordPages):
    """The part of the pages of channels that adds several at once."""

    def get_urls(self) -> list[URLPattern]:
        """That of the list of names, before the others."""
        view = self.admin_site.admin_view(self.several_view)
        return [path("site/<int:site_id>/several/", view, name="channels_app_channel_several"), *super().get_urls()]

    def several_view(self, request: HttpRequest, site_id: int) -> HttpResponse:
        """Ask for the names, show what they would become, and add the channels: all of them or none."""
        site = site_of(request, site_id)
        number = read_number(request.GET.get("below")) or site.pk
        parent = Channel.objects.in_site(site.pk).filter(pk=number).first()
        if parent is None or not self.allows(request, "add"):
            raise Http404
        form = OutlineForm(request.POST or None)
        is_read = request.method == "POST" and form.is_valid()
        if is_read and "add" in request.POST:
            try:
                return self._add(request, parent, form.lines)
            except ServiceError as refusal:
                form.add_error("names", words_of(refusal))
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": _("Add several channels"),
            "opts": self.opts,
            "site": site,
            "parent": parent,
            "form": form,
            "lines": form.lines if is_read and not form.errors else [],
            "tree_address": tree_address(parent),
        }
        return TemplateResponse(request, "channels_app/several.html", context)

    def _add(self, request: HttpRequest, parent: Channel, lines: list[Line]) -> HttpResponse:
        made = add_outline(parent.site_id, parent.pk, lines)
        told = ngettext("%(count)d channel was added.", "%(count)d channels were added.", len(made))
        messages.success(request, told % {"count": len(made)})
        # Without the channel: the page would scroll to it, away from the message.
        return HttpResponseRedirect(tree_address(parent).partition("#")[0])
