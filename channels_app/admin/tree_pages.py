"""The tree of a site's channels: shown, searched, and changed by moving channels."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from channels_app.admin.move_request import read_steps, sentence, write_steps
from channels_app.admin.rows import above, all_open, found_rows, mark_moving, read_open, tree_rows, write_open
from channels_app.admin.sites import site_of
from channels_app.admin.website import WebsitePages
from channels_app.models import Channel
from channels_app.moving import MOST, Step, move_channels
from channels_app.tree import contents, read_tree
from cms_api.admin.numbers import read_chosen, read_number, read_numbers
from cms_api.admin.ranks import sites_of
from cms_api.admin.refusals import tell
from cms_api.admin.registered import address_of, page_of
from cms_api.lib.errors import ServiceError
from sites.models import Site


class TreePages(WebsitePages):
    """The half of the pages of channels that shows and changes the tree of one site."""

    def get_urls(self) -> list[URLPattern]:
        """Those of the tree, before those of records and acts."""
        views = {"": self.tree_view, "rows/": self.rows_view, "move/": self.move_view}
        own = [
            path(f"site/<int:site_id>/{end}", self.admin_site.admin_view(view), name=self._name(end or "tree"))
            for end, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def card_address(self, request: HttpRequest) -> str:
        """The tree of the first site."""
        own = sites_of(request.user)
        sites = Site.objects.order_by("pk") if own is None else Site.objects.filter(pk__in=own).order_by("pk")
        first = sites.values_list("pk", flat=True).first()
        return super().card_address(request) if first is None else address_of(self, "tree", first)

    # ---- showing

    def tree_view(self, request: HttpRequest, site_id: int) -> HttpResponse:
        """The page; a POST begins to move the chosen channels."""
        site = site_of(request, site_id)
        if request.method == "POST":
            chosen = read_numbers(",".join(request.POST.getlist("_selected_action")))[:MOST]
            query = {"open": request.POST.get("open", ""), "moving": ",".join(map(str, chosen))}
            return HttpResponseRedirect(f"{request.path}?{urlencode(query)}")
        context = {
            **self.admin_site.each_context(request),
            **self._rights(request, site),
            **self._shown(request, site),
            "title": _("Channels"),
            "opts": self.opts,
            "site": site,
            "most": MOST,
        }
        return TemplateResponse(request, "channels_app/tree.html", context)

    def rows_view(self, request: HttpRequest, site_id: int) -> HttpResponse:
        """The rows alone, for the page's script; with `below` only those below that channel."""
        site = site_of(request, site_id)
        context = {**self._rights(request, site), **self._shown(request, site)}
        return HttpResponse(render_to_string("channels_app/rows.html", context, request))

    def address_on_website(self, record: Channel) -> str:
        """Where the channel's page is, or where its link leads."""
        tree = read_tree(record.site_id)
        with tree.lock:
            tree.renew_addresses(contents())
            return str(tree.find(record.pk)["navigationUrl"])

    def _shown(self, request: HttpRequest, site: Site) -> dict[str, Any]:
        words, below = request.GET.get("q", "").strip(), read_number(request.GET.get("below"))
        opened = read_open(request.GET["open"]) if "open" in request.GET else all_open(site.pk)
        if (turned := read_number(request.GET.get("turn"))) is not None and opened.pop(turned, None) is None:
            opened |= read_open(str(turned))
        opened |= read_open(request.GET.get("more", ""))
        rows: list[Any] = list(found_rows(site.pk, words)) if words else tree_rows(site.pk, opened, below or 0)
        moving = self._moving(request, site)
        mark_moving(rows, {channel.pk for channel in moving})
        return {
            "rows": rows,
            "words": words,
            "opened": write_open(opened),
            "moving": moving,
            "moving_ids": ",".join(str(channel.pk) for channel in moving),
            "moving_channels": ",".join(f"{channel.pk}.{channel.parent_id}" for channel in moving),
        }

    def _moving(self, request: HttpRequest, site: Site) -> list[Channel]:
        """The channels to be moved; one goes along with another that it stands below."""
        chosen = read_numbers(request.GET.get("moving", ""))[:MOST]
        if not chosen or not self.allows(request, "change"):
            return []
        found = Channel.objects.in_site(site.pk).filter(pk__in=chosen, parent__isnull=False)
        numbers = {str(channel.pk) for channel in found}
        return [channel for channel in found if not numbers & set(channel.parents_path.split(","))]

    def _rights(self, request: HttpRequest, site: Site) -> dict[str, Any]:
        contents_page = page_of(self.admin_site, request, "contents.Content")
        return {
            "site_id": site.pk,
            "may_add": self.allows(request, "add"),
            "may_change": self.allows(request, "change"),
            "may_trash": self.allows(request, "delete"),
            "contents_address": f"{address_of(contents_page)}?site__id__exact={site.pk}" if contents_page else "",
        }

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        """After an act the tree of its channels, unless it was begun elsewhere."""
        address = super()._back_address(sent, records)
        if address != address_of(self):
            return address
        chosen = read_chosen(",".join(sent.getlist("ids")))
        channel = Channel.objects.filter(pk__in=chosen).order_by("pk").first()
        return reverse("admin:" + self._name("tree"), args=[channel.site_id]) if channel else address

    # ---- moving

    def move_view(self, request: HttpRequest, site_id: int) -> HttpResponse:
        """Move channels; a GET asks first. A script is answered in JSON, others go back to the tree."""
        site = site_of(request, site_id)
        if not self.allows(request, "change"):
            raise Http404
        if request.method != "POST":
            return self._ask_before_moving(request, site)
        steps: list[Step] = []
        try:
            steps = read_steps(request.POST)
            undo = move_channels(site.pk, steps)
        except ServiceError as refusal:
            outcome = {"done": False, "message": tell(refusal)}
        else:
            outcome = {"done": True, "message": sentence(steps), "undo": write_steps(undo)}
        return self._answer(request, site, outcome | {"open": above(site.pk, [step.channel_id for step in steps])})

    def _ask_before_moving(self, request: HttpRequest, site: Site) -> HttpResponse:
        try:
            steps = read_steps(request.GET)
        except ServiceError as refusal:
            raise Http404 from refusal
        numbers = [step.channel_id for step in steps]
        context = {
            **self.admin_site.each_context(request),
            "title": _("Move back"),
            "opts": self.opts,
            "site": site,
            "moves": write_steps(steps),
            "channels": Channel.objects.in_site(site.pk).filter(pk__in=numbers),
        }
        return TemplateResponse(request, "channels_app/move.html", context)

    def _answer(self, request: HttpRequest, site: Site, outcome: dict[str, Any]) -> HttpResponse:
        if "application/json" in request.headers.get("Accept", ""):
            return JsonResponse(outcome)
        if outcome["done"]:
            asking = f"{reverse('admin:' + self._name('move'), args=[site.pk])}?{urlencode({'moves': outcome['undo']})}"
            messages.success(
                request, format_html('{} <a class="undo" href="{}">{}</a>', outcome["message"], asking, _("Undo"))
            )
        else:
            messages.error(request, outcome["message"])
        tree = reverse("admin:" + self._name("tree"), args=[site.pk])
        opened = request.POST.get("open")
        return HttpResponseRedirect(f"{tree}?{urlencode({'open': opened})}" if opened else tree)

    def _name(self, view: str) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{view.strip('/')}"
