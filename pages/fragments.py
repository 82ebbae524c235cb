"""Parts of a page that depend on the query, for pages in files: `_fragments/<template>/<position>/<path>`."""

from functools import lru_cache

from django.http import Http404, HttpRequest, HttpResponse

from channels_app.record_links import with_current_addresses
from pages import rendering
from pages.engine.asking import AskingTemplate, find_asking_includes
from pages.models import Template
from pages.resolver import Addresses, Page
from pages.site_facts import SiteFacts, facts_of
from pages.site_lookup import Place

_TYPE = "text/html; charset=utf-8"


def fragment(
    request: HttpRequest, place: Place, addresses: Addresses, template_id: str, position: str, path: str
) -> HttpResponse:
    """Return the part of the page whose element begins at the position in the template. Raises Http404."""
    page = addresses.find(f"{place.folder}/{path}")
    if not isinstance(page, Page) or str(page.template.pk) != template_id:
        raise Http404
    wanted = rendering.request_of(addresses, page, request.GET.dict())
    try:
        scope = rendering.scope_of(wanted)
        facts = facts_of(addresses.tree)
        text = asking_template(facts, page.template).render_part(scope, int(position))
    except (rendering.NoSuchContent, KeyError) as error:
        raise Http404 from error
    text = facts.mark_replaced(with_current_addresses(text, addresses.tree))
    # Pages on other hosts read it; it needs no cookie, and only has public text.
    headers = {"Access-Control-Allow-Origin": "*", "X-Robots-Tag": "noindex"}
    return HttpResponse(text.encode(errors="replace"), _TYPE, headers=headers)


def asking_template(facts: SiteFacts, template: Template) -> AskingTemplate:
    includes = _asking_includes(tuple(sorted(facts.includes.items())))
    return _compiled(template.pk, template.version, template.text, includes)


@lru_cache(100)
def _asking_includes(includes: tuple[tuple[str, str], ...]) -> frozenset[str]:
    return find_asking_includes(dict(includes))


@lru_cache(200)
def _compiled(template_id: int, version: int, text: str, includes: frozenset[str]) -> AskingTemplate:
    return AskingTemplate(text, includes)
