"""The site and the form that the query or the body of a request names."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.lib.errors import InvalidInput, NotFound
from core.rest.fields import invalid, read_integer, read_text
from core.rest.names import raise_if_two_spellings
from forms.models import Form

_NAMES = {"siteid", "formid", "formname", "channelid", "contentid"}


class Place(NamedTuple):
    site_id: int
    form_id: int  # 0: the name counts
    form_name: str
    channel_id: int  # 0: none
    content_id: int


def read_place(query: Mapping[str, Sequence[str]], body: Mapping[str, Sequence[str]] | None = None) -> Place:
    """Return what the query names, else the body. Raises InvalidInput, also without a site."""
    found: dict[str, str] = {}
    for source in (query, body or {}):
        sent = [name for name in source if name.casefold() in _NAMES]
        raise_if_two_spellings(sent)
        for name in sent:
            text = next(iter(source[name]), "").strip()
            if "\0" in text:
                raise invalid(name, "a text without NUL characters")
            if text:
                found.setdefault(name.casefold(), text)
    if "siteid" not in found:
        raise InvalidInput("missing_member", "siteId is required.", member="siteId")
    return Place(
        read_integer(found["siteid"], "siteId"),
        read_integer(found.get("formid", "0"), "formId"),
        read_text(found.get("formname", ""), "formName", 100),
        read_integer(found.get("channelid", "0"), "channelId"),
        read_integer(found.get("contentid", "0"), "contentId"),
    )


def find_form(place: Place, *, is_own_first: bool = False) -> Form:
    """Return the form by its number, else by its name in any letter case. Raises NotFound.

    Pages of SiteServer 7 name a form by the number that it had there; a number of this service counts after that, or
    with `is_own_first` before. Raises InvalidInput if neither is sent.
    """
    if not place.form_id and not place.form_name:
        raise InvalidInput("missing_member", "formId or formName is required.", member="formId")
    forms = Form.objects.filter(site=place.site_id, site__trashed_at=None).select_related("site")
    if place.form_id:
        of_siteserver = forms.filter(origin=Form.Origin.FORM, origin_id=place.form_id)
        own = forms.filter(pk=place.form_id)
        ways = (own, of_siteserver) if is_own_first else (of_siteserver, own)
        form = ways[0].first() or ways[1].first()
    else:
        form = forms.filter(folded_name=place.form_name.casefold()).first()
    if form is None:
        raise form_not_found()
    return form


def form_not_found() -> NotFound:
    return NotFound("form_not_found", "There is no such form.")
