"""Renders a draft of a template on a page of the site; stores nothing and bypasses the page cache."""

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from channels_app.tree import Record, Tree
from contents.models import Content
from core.admin.picker import MAX, Picker
from core.lib.errors import InvalidInput
from pages.models import Template, TemplateKind
from pages.rendering import NoSuchContent, PageRequest, RenderedPage, render
from pages.site_source import SiteSource
from pages.template_usage import Uses, uses_of

_KINDS = TemplateKind.values
_OF_CHANNELS = frozenset({TemplateKind.CHANNEL, TemplateKind.CONTENT})


class PageForm(forms.Form):
    """Chooses the page that shows a draft; by default the first that uses the template."""

    page_channel = forms.TypedChoiceField(
        label=_("Channel"), coerce=int, required=False, widget=Picker(_("Find a channel"))
    )
    page_content = forms.IntegerField(
        label=_("Content ID"), required=False, min_value=1, help_text=_("Empty: the newest one.")
    )

    def __init__(self, tree: Tree, kind: str, template: Template | None, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        self._tree, self._kind, self._template = tree, kind, template
        # The template that makes the page: this one or, for an include, one that includes it.
        self.maker = template if kind != TemplateKind.INCLUDE else _maker_of(template, uses_of(tree))
        made = kind if kind != TemplateKind.INCLUDE else self.maker.kind if self.maker else ""
        if made not in _OF_CHANNELS:
            del self.fields["page_channel"]
        else:
            field: Any = self.fields["page_channel"]
            field.choices = self._channels()
        if made != TemplateKind.CONTENT:
            del self.fields["page_content"]

    def _channels(self) -> list[Any]:
        uses = uses_of(self._tree).get(self.maker.pk, Uses()) if self.maker else Uses()
        using = [*uses.channels, *uses.by_default][:MAX]
        known = {channel["id"] for channel in using}
        others = [one for one in self._tree.channels.values() if one["id"] not in known][: MAX - len(using)]
        named = [[(one["id"], self._name(one)) for one in group] for group in (using, others)]
        titles = (_("Uses this template"), _("Other channels"))
        return [(title, group) for title, group in zip(titles, named, strict=True) if group]

    def _name(self, channel: Record) -> str:
        return f"{'— ' * channel['parentsCount']}{channel['channelName']}"

    def page_of(self, name: str, text: str) -> RenderedPage:
        """Return the page that the text makes. Raises InvalidInput if there is none, and TooMuch."""
        draft = Template(site=self._tree.site, kind=self._kind, name=name, text=text)
        drafts = {name.casefold(): text} if self._kind == TemplateKind.INCLUDE else {}
        maker = self.maker if drafts else draft
        if maker is None:
            raise InvalidInput("no_page", _now("No template includes it yet."))
        wanted = replace(self._page(maker), drafts=drafts)
        try:
            return render(wanted)
        except NoSuchContent as error:
            told = _now("This content item has no page: it does not exist or is not approved.")
            raise InvalidInput("no_page", told) from error

    def address(self) -> str:
        """Return the address of the page, the base of its relative addresses."""
        return str(self._page(self.maker or Template(kind=self._kind)).url)

    def _page(self, maker: Template) -> PageRequest:
        tree = self._tree
        channel, content_id, url = tree.home, 0, f"{tree.site.web_url}/{maker.page_path or 'index.html'}"
        if maker.kind in _OF_CHANNELS:
            first = next((pk for _title, group in self._channels() for pk, _name in group), tree.home["id"])
            channel = tree.channels[self.cleaned_data.get("page_channel") or first]
            url = str(channel["navigationUrl"])
        if maker.kind == TemplateKind.CONTENT:
            content_id = self.cleaned_data.get("page_content") or _newest(channel["id"])
            content = SiteSource(tree).content(content_id) if content_id else None
            if content is None or content["channelId"] not in tree.channels:
                raise InvalidInput("no_page", _now("The channel has no approved content item; choose another one."))
            channel, url = tree.channels[content["channelId"]], content["navigationUrl"]
        return PageRequest(tree, maker, channel, content_id, 1, {}, url)


def _newest(channel_id: int) -> int:
    rows = Content.objects.filter(channel_id=channel_id, is_checked=True, trashed_at=None)
    return rows.order_by("-taxis").values_list("pk", flat=True).first() or 0


def _maker_of(include: Template | None, uses: dict[int, Uses]) -> Template | None:
    """Return a template with pages that includes it, directly or through other includes."""
    waiting: list[Template] = [include] if include else []
    seen = set()
    while waiting:
        template = waiting.pop(0)
        if template.kind != TemplateKind.INCLUDE:
            return template
        if template.pk not in seen:
            seen.add(template.pk)
            waiting += sorted(uses[template.pk].templates, key=lambda one: _KINDS.index(one.kind))
    return None
