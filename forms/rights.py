"""Who may see forms and their entries: one rule for every page.

A form of a channel belongs to the branch of this channel, any other form to its whole site. Of a limited form,
ordinary administrators have rights only if they are in one of its groups, too.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet

from channels_app.models import Channel, ChannelAncestor
from core.admin.places import Places, places_of
from core.admin.ranks import Rank, rank_of
from forms.models import Entry, Form
from sites.models import trashed_site_ids

READ = ("forms.view_entry", "forms.change_entry", "forms.delete_entry", "forms.export_entry")
DELETE, EXPORT, DELETE_FORM = "forms.delete_entry", "forms.export_entry", "forms.delete_form"


def forms_for(user: Any, *permissions: str) -> QuerySet[Form]:
    """Return the forms, outside the trash, where the user has one of the permissions, by full name."""
    forms = Form.objects.exclude(site_id__in=trashed_site_ids())
    return places_of(user, *permissions).narrow(forms, "site", "channel_id").filter(of_groups(user))


def entries_for(user: Any, *permissions: str) -> QuerySet[Entry]:
    return Entry.objects.filter(form__in=forms_for(user, *permissions))


def of_groups(user: Any, form_lookup: str = "") -> Q:
    """Return the condition for records whose form is not limited, or limited to a group of the user."""
    if rank_of(user) is not Rank.ORDINARY:
        return Q()
    limited = f"{form_lookup}__is_limited" if form_lookup else "is_limited"
    own = Form.groups.through.objects.filter(group__in=user.groups.values("pk")).values("form")
    return Q((limited, False)) | Q((f"{form_lookup or 'pk'}__in", own))


def is_for(user: Any, form: Form) -> bool:
    """Return true unless the form is limited to groups of others."""
    return not form.is_limited or Form.objects.filter(of_groups(user), pk=form.pk).exists()


def path_of(form: Form) -> Iterator[int]:
    """Yield the ids of the form's channel and of those above it; none of a channel that no longer exists."""
    if form.channel_id is not None:
        yield from ChannelAncestor.objects.filter(channel=form.channel_id).values_list("ancestor", flat=True)


def channels_of(site_id: int, places: Places) -> QuerySet[Channel]:
    """Return the channels of the site that the places cover, without the home channel, in the order of the tree."""
    channels = Channel.objects.in_site(site_id).filter(parent__isnull=False)
    return places.narrow(channels, "site", "")


def first_channel(site_id: int, places: Places) -> int | None:
    """Return the channel of a new form: none if the places cover the site, otherwise the first that they cover."""
    return None if places.covers_site(site_id) else channels_of(site_id, places).values_list("pk", flat=True).first()


def copy_groups(source_id: int, copy_id: int) -> None:
    """Give limited forms of a site's copy the groups of the forms with the same names."""
    links = Form.groups.through.objects
    copies = dict(Form.objects.filter(site=copy_id, is_limited=True).values_list("folded_name", "pk"))
    rows = links.filter(form__site=source_id, form__is_limited=True).values_list("form__folded_name", "group_id")
    links.bulk_create(links.model(form_id=copies[name], group_id=group) for name, group in rows if name in copies)
