"""The page of people with rights in a channel, where superusers give and take roles."""

from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.contrib.auth.models import Group
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import administrator_services
from accounts.models import Administrator, GroupPlace
from accounts.place_names import Place, channel_names, place_names
from accounts.roles import shown_name
from channels_app.models import Channel
from core.admin.confirmation import ConfirmedForm
from core.admin.error_messages import tell
from core.admin.numbers import read_number
from core.admin.picker import Picker
from core.admin.views import address_of, render_page
from core.lib.errors import ServiceError

_MOST = 500  # people shown


class _RoleField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, group: Any) -> str:
        return shown_name(group.name)


class PersonForm(ConfirmedForm):
    administrator = forms.ModelChoiceField(
        label=gettext_lazy("Person"),
        queryset=Administrator.objects.none(),
        widget=Picker(),
        help_text=gettext_lazy("Superusers and administrators of whole sites need no further rights here."),
    )
    role = _RoleField(label=gettext_lazy("Role"), queryset=Group.objects.none())

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        super().__init__(request, *args, **options)
        people: Any = self.fields["administrator"]
        people.queryset = Administrator.objects.filter(
            is_superuser=False, site_id_collection="", is_locked_out=False
        ).order_by("user_name")
        roles: Any = self.fields["role"]
        roles.queryset = Group.objects.filter(places=None, permissions__isnull=False).distinct().order_by("name")


class Person(NamedTuple):
    administrator: Administrator
    group: Group
    role: str
    where: str
    is_here: bool  # only in this channel


def people_view(page: Any, request: HttpRequest, pk: int) -> HttpResponse:
    """Show who has rights in the channel. A POST gives a role in it and below, or takes one away."""
    channel = Channel.objects.filter(pk=pk, trashed_at=None).select_related("site").first()
    if channel is None or not page.allows(request, "change"):
        raise Http404
    place: Place = (channel.site_id, channel.pk if channel.parent_id else 0)
    form = PersonForm(request, request.POST if request.method == "POST" and "take" not in request.POST else None)
    if request.method == "POST" and _has_acted(request, form, place, str(channel)):
        return HttpResponseRedirect(address_of(page, "people", pk))
    name = channel_names([channel.pk])[channel.pk] if channel.parent_id else str(channel.site)
    context = {
        "title": _("People in “%(name)s”") % {"name": channel},
        "channel": channel,
        "channel_name": name,
        "people": _people(place, [0, *channel.path_ids]),
        "form": form,
        "has_view_permission": True,
    }
    return render_page(page, request, "accounts/people.html", context)


def _has_acted(request: HttpRequest, form: PersonForm, place: Place, channel: str) -> bool:
    try:
        if "take" in request.POST:
            group, administrator = (read_number(text) or 0 for text in f"{request.POST['take']}-".split("-")[:2])
            administrator_services.take_role(administrator, group, place)
            messages.success(request, _("The role was taken away."))
            return True
        if not form.is_valid():
            return False
        administrator, role = form.cleaned_data["administrator"], form.cleaned_data["role"]
        name = shown_name(role.name)
        administrator_services.give_role(administrator.pk, role, place, f"{name} · {channel}")
    except ServiceError as refusal:
        messages.error(request, tell(refusal))
        return True
    told = _("%(person)s is now %(role)s in “%(channel)s”.")
    messages.success(request, told % {"person": administrator, "role": name, "channel": channel})
    return True


def _people(place: Place, channel_ids: list[int]) -> list[Person]:
    here = Q(places__site_id=place[0], places__channel_id__in=channel_ids)
    groups = Group.objects.filter(here | Q(places=None), permissions__isnull=False).distinct()
    by_number = {group.pk: group for group in groups.order_by("name")}
    places: dict[int, list[Place]] = {}
    for row in GroupPlace.objects.filter(group__in=by_number).order_by("pk"):
        places.setdefault(row.group_id, []).append((row.site_id, row.channel_id))
    names = place_names({one for of_group in places.values() for one in of_group})
    members = Administrator.groups.through.objects.filter(
        group__in=by_number, administrator__is_superuser=False, administrator__site_id_collection=""
    )
    people = []
    for member in members.select_related("administrator").order_by("administrator__user_name", "pk")[:_MOST]:
        group, of_group = by_number[member.group_id], places.get(member.group_id, [])
        where = ", ".join(sorted(names[one] for one in of_group)) or _("everywhere")
        role = shown_name(group.name)
        people.append(Person(member.administrator, group, role, where, of_group == [place]))
    return people
