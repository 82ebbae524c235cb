from collections.abc import Callable, Iterator, Mapping, Sequence
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
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from core.admin import action_views, admin_actions, list_views
from core.admin.admin_actions import AdminAction, Outcome
from core.admin.formatting import format_value
from core.admin.numbers import read_chosen
from core.admin.paging import BoundedPaginator
from core.admin.places import EVERYWHERE, NOWHERE, Places, places_of
from core.admin.ranks import Rank, rank_of
from core.admin.sent_forms import answer_once, once
from core.admin.views import address_of, route
from core.lib.errors import InvalidInput

# Endings of filter parameters that query a column of the list and no relation.
_ENDINGS = ("", "__exact", "__id__exact", "__isnull", "__gte", "__gt", "__lte", "__lt")

POSITION = pgettext_lazy("in an order", "Position")


class Right(NamedTuple):
    subject: str
    words: str


class AskedRight(NamedTuple):
    """A right in words, and the actions that allow it."""

    words: str
    actions: tuple[str, ...]


class BaseModelAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Shows records and changes none; pages that allow more say so.

    Acts go through services, which keep the rules (trash, tree, keys shown once) and write the audit; Django's log
    stays empty.
    """

    admin_actions: Sequence[AdminAction] = ()
    # Lookup from a record to its site id; None: records without a site, hidden from site administrators.
    site_lookup: str | None = None
    # Lookup from a record to its channel, "" for channels; None: only rights in the whole site apply.
    channel_lookup: str | None = None
    # Views other than the list that start actions and that these return to: name in the address → view.
    origins: Mapping[str, str] = {}
    # Groups may grant access to these records; otherwise only the highest rank has it.
    by_groups = True
    # Rights that site administrators never have.
    withheld: frozenset[str] = frozenset()
    rights: Mapping[str, str | Promise] = {"view": gettext_lazy("See")}
    # Field labels that are plainer than the model's verbose names.
    labels: Mapping[str, str | Promise] = {"taxis": POSITION}
    change_form_template = "cms_admin/record.html"
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each facet would count the whole list
    list_per_page = 50
    paginator = BoundedPaginator

    def card_address(self, request: HttpRequest) -> str:
        return address_of(self)

    @admin.display(description=format_html('<input type="checkbox" id="{}">', "action-toggle"))
    def action_checkbox(self, obj: Any) -> SafeString:
        # Django's markup, without a form field for each row: a seventh of the time of a list.
        label = _("Select this object for an action - {}").format(obj)
        markup = '<input type="checkbox" name="{}" value="{}" class="action-select" aria-label="{}">'
        return format_html(markup, ACTION_CHECKBOX_NAME, obj.pk, label)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        shown: Any = super().get_changelist_instance(request)
        # Django would find out for each row that its address is not that of the list.
        kept, shown.preserved_filters = shown.preserved_filters, ""
        if kept:
            address = shown.url_for_result
            shown.url_for_result = lambda row: f"{address(row)}?{kept}"
        return shown

    @property
    def media(self) -> Media:
        # Without jQuery, which only Django's pop-ups and inlines need.
        return Media(js=["admin/js/actions.js"])

    # ---- Visibility

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return self.in_seen_places(request, super().get_queryset(request))

    def in_seen_places(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return self._narrow(queryset, self.seen_places(request.user))

    def in_places(self, request: HttpRequest, queryset: QuerySet[Any], *actions: str) -> QuerySet[Any]:
        return self._narrow(queryset, self.places(request.user, *actions))

    def _narrow(self, queryset: QuerySet[Any], places: Places) -> QuerySet[Any]:
        return places.narrow(queryset, self.site_lookup or "", self.channel_lookup)

    def seen_places(self, user: Any) -> Places:
        """Return where the administrator has any right of this page."""
        return self.places(user, "view", *self.rights, *(action.permission for action in self.admin_actions))

    def places(self, user: Any, *actions: str) -> Places:
        """Return where the administrator may do one of the actions (`view`, `delete`, `approve`, …)."""
        rank = rank_of(user)
        if rank is Rank.HIGHEST:
            return EVERYWHERE
        if rank is Rank.SITES:
            found = NOWHERE if actions and self.withheld.issuperset(actions) else places_of(user)
        else:
            found = places_of(user, *map(self.codename, actions)) if self.by_groups and actions else NOWHERE
        return self.applicable(found)

    def applicable(self, places: Places) -> Places:
        """Return the places, among these, of records of this page."""
        if self.site_lookup is None:
            return EVERYWHERE if places.everywhere else NOWHERE
        return places if self.channel_lookup is not None else places.whole_sites

    def allows(self, request: HttpRequest, action: str, record: Model | None = None) -> bool:
        """Return true if the administrator may do the action on `record`, or without one in any place."""
        places = self.places(request.user, action)
        return bool(places) if record is None else self.is_in(places, record)

    def is_in(self, places: Places, record: Model) -> bool:
        if places.everywhere or self.site_lookup is None:
            return places.everywhere
        return places.covers(self._site_id(record), self._channel_path(record))

    def is_seen_in(self, places: Places, record: Model) -> bool:
        """Return true if the record is visible to those with rights in the places."""
        return self.is_in(places, record)

    def codename(self, action: str) -> str:
        """Return the permission's full name, `contents.approve_content`; proxies (the trash) share it."""
        options = self.model._meta.concrete_model._meta
        return f"{options.app_label}.{action}_{options.model_name}"

    def offered_rights(self) -> dict[str, Right]:
        """Return the permissions that groups may have here, with labels: `Contents`, `Approve`."""
        pages = capfirst(str(self.opts.verbose_name_plural))
        labels = self._labelled_rights() if self.by_groups else {}
        return {self.codename(right): Right(pages, words) for right, words in labels.items()}

    def _labelled_rights(self) -> dict[str, str]:
        labels: dict[str, Any] = {}
        for action in self.admin_actions:
            labels.setdefault(action.permission, action.label)
        labels |= self.rights
        return {right: str(labels[right]) for right in sorted(labels, key=lambda right: right != "view")}

    def asked_rights(self, record: Model | None = None) -> dict[str, AskedRight]:
        """Return everything that a person may do here, or with the record, beginning with seeing."""
        labels = self._labelled_rights()
        if "change" not in labels and type(self).has_change_permission is not BaseModelAdmin.has_change_permission:
            labels["change"] = _("Change")
        seeing = AskedRight(_("See"), ("view", *labels))
        return {"view": seeing} | {right: AskedRight(labels[right], (right,)) for right in labels if right != "view"}

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        rights = {"view", *(action.permission for action in self.admin_actions)}
        return any(self.allows(request, right, obj) for right in rights) or self.has_change_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow only filters that the list offers; Django's rule lets hidden columns be guessed letter by letter."""
        offered = [each[0] if isinstance(each, tuple) else each for each in self.list_filter]
        names = {getattr(each, "parameter_name", each) for each in offered}
        return any(lookup == f"{name}{ending}" for name in names for ending in _ENDINGS)

    # ---- Acts

    def actions_for(self, request: HttpRequest, record: Model | None = None) -> list[AdminAction]:
        return [
            action
            for action in self.admin_actions
            if self.allows(request, action.permission, record) and (record is None or action.suits(record))
        ]

    def may_take_back(self, request: HttpRequest, action: AdminAction, records: Sequence[Any]) -> set[int]:
        return {record.pk for record in records if self.allows(request, action.permission, record)}

    def place_of(self, record: Any) -> str:
        return ""

    def about(self, record: Any) -> list[str]:
        place = self.place_of(record)
        return [place] if place else []

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        if self.actions is None or IS_POPUP_VAR in request.GET:
            return {}
        own = {
            action.name: (partial(action_views.ask_of_chosen, action), action.name, action.label)
            for action in self.actions_for(request)
        }
        return {**super().get_actions(request), **own}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if "action" in request.POST and not request.POST.getlist(ACTION_CHECKBOX_NAME):
            messages.warning(request, _("Nothing is chosen."))
            return HttpResponseRedirect(request.get_full_path())
        found = self.actions_for(request)
        quick = [action for action in found if action.is_quick]
        context = {
            "admin_actions": quick or found,
            "more_actions": [action for action in found if quick and action not in quick],
        }
        answer = super().changelist_view(request, context | {"most": admin_actions.MAX} | (extra_context or {}))
        shown = getattr(answer, "context_data", None) or {}
        if "cl" in shown and IS_POPUP_VAR not in request.GET:
            shown |= list_views.context(self, request, shown["cl"])
        return answer

    @method_decorator(sensitive_post_parameters("own_password"))
    def action_view(self, request: HttpRequest, name: str) -> HttpResponse:
        action = next((action for action in self.actions_for(request) if action.name == name), None)
        sent = request.POST if request.method == "POST" else request.GET
        chosen = dict(islice(read_chosen(",".join(sent.getlist("ids"))).items(), admin_actions.MAX))
        found = self.get_queryset(request).select_related(*(self.list_select_related or ()))  # type: ignore[misc]
        if action is None:
            raise Http404
        records = list(self._in_order(self.in_places(request, found.filter(pk__in=chosen), action.permission)))
        if not records:
            raise Http404
        form = action.make_form(request, records, sent) if request.method == "POST" else None
        if request.method != "POST" or (form is not None and not form.is_valid()):
            asked = action_views.ask(self, request, action, records, sent, form, chosen)
            return asked or HttpResponseRedirect(self._back_address(sent, records))
        values = form.cleaned_data if form else {}

        def perform() -> HttpResponse:
            return HttpResponseRedirect(self._perform(request, action, records, chosen, values, sent))

        return answer_once(request, perform) if action.creates else perform()

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any
    ) -> HttpResponse:
        context |= self.actions_context(request, options.get("obj"))
        return super().render_change_form(request, context, *args, **options)

    def actions_context(self, request: HttpRequest, record: Any) -> dict[str, Any]:
        if record is None:
            return {}
        found = self.actions_for(request, record)
        quick = [action for action in found if action.is_quick] or found
        more = [action for action in found if action not in quick]
        return {"admin_actions": quick, "more_actions": more, "chosen": action_views.identify(record, {})}

    def _perform(
        self,
        request: HttpRequest,
        action: AdminAction,
        records: list[Any],
        seen: Mapping[int, int | None],
        values: Mapping[str, Any],
        sent: QueryDict,
    ) -> str:
        outcome, suited = Outcome(), list(filter(action.suits, records))
        if not suited:  # a concurrent or repeated submit
            messages.warning(request, str(action.nothing_to_do))

        def refuse(record: Any) -> InvalidInput | None:
            if action.is_decision and seen.get(record.pk) not in {None, record.version}:
                return admin_actions.changed_meanwhile()
            return None

        try:
            do = partial(action.perform, request, **values)
            admin_actions.run(do, suited, outcome, at_once=action.at_once, refuse=refuse)
        finally:
            # Also after an error: earlier changes stay.
            back = self._back_address(sent, self.get_queryset(request).filter(pk__in=[one.pk for one in records]))
            admin_actions.report(
                action, request, outcome, action_views.undo_button(self, request, action, outcome.changed, back)
            )
        return back

    def _in_order(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # Acts lock sites until the portion ends; a fixed order prevents deadlocks.
        return queryset.order_by(*filter(None, [self.site_lookup, "pk"]))

    # ---- Forms

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        return super().get_form(request, obj, change, labels=self.labels, **options)

    # ---- Addresses

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        asking = path("actions/<slug:name>/", view(self.action_view), name=f"{name}_action")
        undo = route(self, "undo/", "undo", action_views.undo_view)
        return [asking, undo, *list_views.routes(self), *super().get_urls()]

    @property
    def urls(self) -> list[URLPattern]:
        return [
            URLPattern(each.pattern, self._guarded(each.callback, each.name or ""), each.default_args, each.name)
            for each in self.get_urls()
        ]

    def _guarded(self, view: Callable[..., HttpResponseBase], name: str) -> Callable[..., HttpResponseBase]:
        if name.endswith("_add"):
            view = once(view)

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            # Visitors are redirected to the sign-in from any address.
            if request.user.is_authenticated and request.user.is_active and not self.has_module_permission(request):
                raise Http404
            return view(request, *args, **kwargs)

        return guarded

    def get_object(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
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
        origin, query = sent.get("from", ""), sent.get("list", "")
        if origin == "record" and (record := next(iter(records), None)) is not None:
            return self._address("change", record.pk)
        address = self._address(self.origins.get(origin, "changelist"))
        return f"{address}?{query}" if query else address

    def _address(self, view: str, *arguments: Any) -> str:
        name = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_{view}"
        return reverse(name, args=arguments)

    # ---- History

    # Shows a record's history; set by the audit.
    history_page: ClassVar[Callable[[Any, HttpRequest, Model], HttpResponse]]

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        record = self.get_object(request, unquote(object_id))
        if record is None or not self.has_view_permission(request, record):
            raise Http404
        return self.history_page(request, record)

    def member_label(self, name: str) -> str:
        return name

    def member_words(self, name: str, value: Any) -> str:
        return format_value(value)

    # ---- Django's own log

    def log_addition(self, *args: Any, **options: Any) -> Any:
        """Log nothing: services write the audit."""
        return []

    log_change = log_deletions = log_addition

    def _site_id(self, record: Model) -> int:
        return int(_follow(record, str(self.site_lookup)))

    def _channel_path(self, record: Model) -> Iterator[int]:
        if self.channel_lookup is not None:
            channel = _follow(record, self.channel_lookup)
            yield from (channel.pk, *channel.above_ids)


def _follow(record: Model, lookup: str) -> Any:
    value: Any = record
    for name in filter(None, lookup.split("__")):
        value = getattr(value, name)
    return value


class ActionModelAdmin(BaseModelAdmin):
    """Pages for the highest rank whose forms act during validation, so that refusals appear beside their field."""

    by_groups = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return self.allows(request, "add")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.allows(request, "change", obj)

    def save_model(self, *args: Any) -> None:
        """Save nothing: the form has acted."""

    save_related = save_model  # type: ignore[assignment]


def offered_rights(site: admin.AdminSite) -> dict[str, Right]:
    pages = (site.get_model_admin(model) for model in apps.get_models() if site.is_registered(model))
    return {
        codename: right
        for page in pages
        if isinstance(page, BaseModelAdmin)
        for codename, right in page.offered_rights().items()
    }
