"""The bases of all pages of records: who sees which rows, and what may be done to them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from itertools import islice
from typing import Any, ClassVar, NamedTuple, NoReturn

from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.utils import unquote
from django.db.models import Model, QuerySet
from django.forms import Media
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from cms_api.admin import act_views, acts
from cms_api.admin.acts import Act, Outcome
from cms_api.admin.numbers import read_chosen
from cms_api.admin.paging import BoundedPaginator
from cms_api.admin.ranks import Rank, rank_of, sites_of
from cms_api.admin.registered import address_of
from cms_api.admin.shown import shown_value
from cms_api.admin.undo import Undo
from cms_api.admin.views import route

# Endings of a filter's name in an address that ask for a row of the list and nothing behind it.
_ENDINGS = ("", "__exact", "__id__exact", "__isnull", "__gte", "__gt", "__lte", "__lt")

POSITION = pgettext_lazy("in an order", "Position")


class Right(NamedTuple):
    """A permission in words: what it is about, and what it allows."""

    subject: str
    words: str


class RecordPages(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows records and changes none; pages that allow more say so.

    What may be done to a record has rules (the trash, the figures of the tree, keys shown once) that a plain form
    would go round. Every act goes through the services of its app, which write the audit; Django's own log of
    changes stays empty.
    """

    # What may be done to records.
    acts: Sequence[Act] = ()
    # How a record leads to the number of its site; None: records of no site, not for site administrators.
    site_lookup: str | None = None
    # Views besides the list from which acts are begun and to which they lead back: name in the address → view.
    origins: Mapping[str, str] = {}
    # Whether ordinary administrators may be given these records by groups; else the highest rank alone.
    by_groups = True
    # Rights that site administrators never have, on their own sites either.
    withheld: frozenset[str] = frozenset()
    # Rights of groups besides those of the acts, with the words that tell them.
    rights: Mapping[str, str | Promise] = {"view": gettext_lazy("See")}
    # Labels of fields that are plainer than the verbose names of the model.
    labels: Mapping[str, str | Promise] = {"taxis": POSITION}
    change_form_template = "cms_admin/record.html"
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each would count the whole list
    list_per_page = 50
    paginator = BoundedPaginator

    def card_address(self, request: HttpRequest) -> str:
        """Where the card of the start page leads."""
        return address_of(self)

    @property
    def media(self) -> Media:
        """What Django's pages of records need of its scripts: without jQuery, which its pop-ups and inlines are for."""
        return Media(js=["admin/js/core.js", "admin/js/actions.js"])

    # ---- who sees what

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.of_own_sites(request, super().get_queryset(request))

    def of_own_sites(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those of the records that belong to the sites of the administrator."""
        sites = sites_of(request.user)
        if sites is None:
            return queryset
        return queryset.filter(**{f"{self.site_lookup}__in": sites}) if self.site_lookup else queryset.none()

    def allows(self, request: HttpRequest, act: str, record: Model | None = None) -> bool:
        """Whether the administrator may do the act (`view`, `delete`, `approve`, …), to that record if given."""
        rank = rank_of(request.user)
        if rank is Rank.HIGHEST:
            return True
        if rank is Rank.SITES:
            return (
                self.site_lookup is not None
                and act not in self.withheld
                and (record is None or self._site_id(record) in (sites_of(request.user) or ()))
            )
        return self.by_groups and request.user.has_perm(self.codename(act))

    def codename(self, act: str) -> str:
        """The permission to do the act: `contents.approve_content`, also where the record is in the trash."""
        options = self.model._meta.concrete_model._meta
        return f"{options.app_label}.{act}_{options.model_name}"

    def offered_rights(self) -> dict[str, Right]:
        """The permissions that groups may be given here, with the words that tell them: `Contents`, `Approve`."""
        if not self.by_groups:
            return {}
        labels: dict[str, Any] = {}
        for act in self.acts:
            labels.setdefault(act.permission, act.label)
        labels |= self.rights
        pages = capfirst(str(self.opts.verbose_name_plural))
        order = sorted(labels, key=lambda right: right != "view")
        return {self.codename(right): Right(pages, str(labels[right])) for right in order}

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        rights = {"view", *(act.permission for act in self.acts)}
        return any(self.allows(request, right, obj) for right in rights) or self.has_change_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the menu names the page."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody deletes here, but by an act."""
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Whether the address may filter by it: only what the list offers.

        Django lets any column of the record and of the next one be asked about, and so be guessed letter by letter:
        a stored password, the settings of a site that the administrator does not see.
        """
        offered = [each[0] if isinstance(each, tuple) else each for each in self.list_filter]
        names = {getattr(each, "parameter_name", each) for each in offered}
        return any(lookup == f"{name}{ending}" for name in names for ending in _ENDINGS)

    # ---- acts

    def acts_for(self, request: HttpRequest, record: Model | None = None) -> list[Act]:
        """The acts that the administrator may do, to that record if given."""
        return [
            act
            for act in self.acts
            if self.allows(request, act.permission, record) and (record is None or act.suits(record))
        ]

    def may_take_back(self, request: HttpRequest, act: Act, records: Sequence[Any]) -> set[int]:
        """The numbers of those to which whoever did the act may still undo it, if nobody has changed them since."""
        return {record.pk for record in records if self.allows(request, act.permission, record)}

    def place_of(self, record: Any) -> str:
        """Where the record stands, as a summary of an act names it; records of pages without places are not told."""
        return ""

    def about(self, record: Any) -> list[str]:
        """What the page that asks tells of a record beside its name."""
        place = self.place_of(record)
        return [place] if place else []

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """The acts as actions of the list."""
        if self.actions is None or IS_POPUP_VAR in request.GET:
            return {}
        own = {act.name: (partial(act_views.ask_of_chosen, act), act.name, act.label) for act in self.acts_for(request)}
        return {**super().get_actions(request), **own}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if "action" in request.POST and not request.POST.getlist(ACTION_CHECKBOX_NAME):
            messages.warning(request, _("Nothing is chosen."))
            return HttpResponseRedirect(request.get_full_path())
        found = self.acts_for(request)
        quick = [act for act in found if act.is_quick]
        context = {"acts": quick or found, "more_acts": [act for act in found if quick and act not in quick]}
        return super().changelist_view(request, context | {"most": acts.MOST} | (extra_context or {}))

    @method_decorator(sensitive_post_parameters("own_password"))
    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """Ask, and on a POST do it. Records that are not to be seen are as if they did not exist."""
        act = next((act for act in self.acts_for(request) if act.name == name), None)
        sent = request.POST if request.method == "POST" else request.GET
        chosen = dict(islice(read_chosen(",".join(sent.getlist("ids"))).items(), acts.MOST))
        found = self.get_queryset(request).select_related(*(self.list_select_related or ()))  # type: ignore[misc]
        records = list(self._in_order(found.filter(pk__in=chosen)))
        if act is None or not records:
            raise Http404
        form = act.make_form(request, records, sent) if request.method == "POST" else None
        if request.method != "POST" or (form is not None and not form.is_valid()):
            asked = act_views.ask(self, request, act, records, sent, form, chosen)
            return asked or HttpResponseRedirect(self._back_address(sent, records))
        back = self._perform(request, act, records, chosen, form.cleaned_data if form else {}, sent)
        return HttpResponseRedirect(back)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        context |= self.acts_context(request, options.get("obj"))
        return super().render_change_form(request, context, *args, **options)

    def acts_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        """What `cms_admin/record_acts.html` shows: the acts for the record, those done often apart from the others."""
        if record is None:
            return {}
        found = self.acts_for(request, record)
        quick = [act for act in found if act.is_quick] or found
        more = [act for act in found if act not in quick]
        return {"acts": quick, "more_acts": more, "chosen": act_views.identify(record, {})}

    def _perform(
        self,
        request: HttpRequest,
        act: Act,
        records: list[Any],
        seen: Mapping[int, int | None],
        values: Mapping[str, Any],
        sent: QueryDict,
    ) -> str:
        """Do the act and tell of it; the answer is the address of the page that follows."""
        outcome, suited = Outcome(), list(filter(act.suits, records))
        if not suited:  # somebody was quicker, or clicked twice
            messages.warning(request, str(act.nothing_to_do))
        try:
            acts.run(acts.step_of(act, request, seen, values), suited, outcome)
        finally:
            # Also after an error: what has been done until then stays done.
            back = self._back_address(sent, self.get_queryset(request).filter(pk__in=[one.pk for one in records]))
            button = ""
            if act.take_back is not None and outcome.changed:
                undo = Undo(act.name, outcome.changed, back)
                button = undo.button(request, self.opts.label_lower, self._address("undo"))
            acts.report(act, request, outcome, button)
        return back

    def _in_order(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # Acts take locks of a site until the portion ends: in one order, so that two of them, on contents or on
        # channels, cannot wait for each other in a circle.
        return queryset.order_by(*filter(None, [self.site_lookup, "pk"]))

    # ---- forms

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        return super().get_form(request, obj, change, labels=self.labels, **options)

    # ---- addresses

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        asking = path("acts/<slug:name>/", view(self.act_view), name=f"{name}_act")
        return [asking, route(self, "undo/", "undo", act_views.undo_view), *super().get_urls()]

    @property
    def urls(self) -> list[URLPattern]:
        """The addresses of the pages, which lead nowhere for whoever may see none of the records."""
        return [
            URLPattern(each.pattern, self._guarded(each.callback), each.default_args, each.name)
            for each in self.get_urls()
        ]

    def _guarded(self, view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            # Who has not signed in is asked to, whatever the address.
            if request.user.is_authenticated and request.user.is_active and not self.has_module_permission(request):
                raise Http404
            return view(request, *args, **kwargs)

        return guarded

    def get_object(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """The record of the address; the menu is told of which site it is."""
        record = super().get_object(request, *args, **options)
        if record is not None and self.site_lookup is not None:
            request.menu_site = self._site_id(record)  # type: ignore[attr-defined]
        return record

    def _get_obj_does_not_exist_redirect(self, *args: Any) -> NoReturn:
        raise Http404

    def _back_to_list(self, query: str = "") -> HttpResponse:
        address = self._address("changelist")
        return HttpResponseRedirect(f"{address}?{query}" if query else address)

    def _back_address(self, sent: QueryDict, records: Any) -> str:
        """The page from which the act was begun: that of the record while it is there, the list as it was."""
        origin, query = sent.get("from", ""), sent.get("list", "")
        if origin == "record" and (record := next(iter(records), None)) is not None:
            return self._address("change", record.pk)
        address = self._address(self.origins.get(origin, "changelist"))
        return f"{address}?{query}" if query else address

    def _address(self, view: str, *arguments: Any) -> str:
        name = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_{view}"
        return reverse(name, args=arguments)

    # ---- history

    # The page that tells what happened to a record, which the audit puts here.
    history_page: ClassVar[Callable[[Any, HttpRequest, Model], HttpResponse]]

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """What the audit tells of the record, for whoever may see it; others learn nothing of there being one."""
        record = self.get_object(request, unquote(object_id))
        if record is None or not self.has_view_permission(request, record):
            raise Http404
        return self.history_page(request, record)

    def member_label(self, name: str) -> str:
        """What the history calls a member, which the audit names as the interface does."""
        return name

    def member_words(self, name: str, value: Any) -> str:
        """A value of a member in the history."""
        return shown_value(value)

    # ---- Django's own log

    def log_addition(self, *args: Any, **options: Any) -> None:  # type: ignore[override]
        """Nothing: services write the audit."""

    def log_change(self, *args: Any, **options: Any) -> None:  # type: ignore[override]
        """Nothing: services write the audit."""

    def log_deletions(self, *args: Any, **options: Any) -> list[Any]:
        return []

    def _site_id(self, record: Model) -> int:
        value: Any = record
        for name in str(self.site_lookup).split("__"):
            value = getattr(value, name)
        return int(value)


class ActingPages(RecordPages):
    """Pages for the highest rank, whose forms act while they are checked, so that a refusal stands beside its field."""

    by_groups = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.allows(request, "change", obj)

    def save_model(self, *args: Any) -> None:
        """Nothing: the form has acted."""

    def save_related(self, *args: Any) -> None:
        """Nothing: the form has acted."""


def offered_rights(site: admin.AdminSite) -> dict[str, Right]:
    """What all pages offer to groups, by the codenames of the permissions."""
    pages = (site.get_model_admin(model) for model in apps.get_models() if site.is_registered(model))
    return {
        codename: right
        for page in pages
        if isinstance(page, RecordPages)
        for codename, right in page.offered_rights().items()
    }
