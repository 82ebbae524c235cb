"""The preview beside the form of a content: the unsaved text in the page of the site."""

from copy import copy
from typing import Any

import orjson
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from channels_app.models import Channel
from channels_app.tree import read_tree
from contents.admin.fields import input_name
from contents.admin.preview import cleaned, show_in_page
from contents.admin.writing.form import ADD_DATE, BODY, GROUPS, TEXTS, ContentForm
from contents.admin.writing.pages import WritingPage, written_content
from contents.flags import MARKS
from contents.models import Content
from contents.services.previews import keep_typed, stored_content, website_address
from core.admin.numbers import read_number
from core.rest.custom_members import merge
from sites.attributes import preview_address
from sites.models import Site

_NEW = -1  # number of a content that is not stored
_LAST = 2**62  # its place in the channel
# The page that contains the frame cannot read its scroll position, so both exchange it by messages.
_SCROLLING = b"""<script>
addEventListener("scroll", () => parent.postMessage({ scrolled: scrollY }, "*"), { passive: true });
addEventListener("message", ({ source, data }) => {
  if (source === parent) scrollTo({ top: data.scrollTo, behavior: "instant" });
});
</script>"""


def preview_view(page: Any, request: HttpRequest, site_id: int) -> HttpResponse:
    """Show the submitted form of a content of the site or, with `channel`, of a new one.

    If the site's website is elsewhere, respond with the address of its page instead.
    """
    if request.method not in {"HEAD", "POST"} or not page.may_write_in(request, site_id):
        raise Http404
    if request.method == "HEAD":  # the page asks first, since it cannot detect an error in its frame
        return HttpResponse()
    content = typed_content(page, request, site_id)
    site = Site.objects.get(pk=site_id)
    if preview_address(site):
        token = keep_typed(content, request.user, request.POST.get("preview_token", ""))
        return JsonResponse({"token": token.sign(), "address": website_address(site, content, token)})
    response = show_in_page(request, content)
    if "allow-scripts" in response.headers["Content-Security-Policy"]:
        response.content += _SCROLLING
    return response


def typed_content(page: Any, request: HttpRequest, site_id: int) -> Content:
    """Return the content with the valid values of the submitted form; invalid ones are replaced by the stored
    content's."""
    number = read_number(request.GET.get("content"))
    if number:
        content = written_content(page, request, str(number))
        if content is None or content.site_id != site_id or not page.has_change_permission(request, content):
            raise Http404
        written, base = WritingPage(page, request).existing(content), stored_content(site_id, number)
    else:
        place = read_number(request.GET.get("channel")) or 0
        channels = Channel.objects.live().select_related("site").filter(site=site_id, pk=place)
        channel = page.places(request.user, "add").narrow(channels, "site", "").first()
        if channel is None:
            raise Http404
        written = WritingPage(page, request).new(channel)
        base = Content(pk=_NEW, site_id=site_id, channel_id=channel.pk, taxis=_LAST)
        base.tree_number, base.web_url = read_tree(site_id).number, channel.site.web_url
    form = ContentForm(written, request.POST)
    form.is_valid()
    shown, values = copy(base), form.values
    custom = {field.name: values[input_name(field)] for field in written.fields}
    vars(shown).update(
        {name: values[name] for name in (*TEXTS, *MARKS, ADD_DATE)},
        group_name_collection=values[GROUPS],
        text=cleaned(values[BODY]).text,
        settings_xml=orjson.dumps(merge(orjson.loads(base.settings_xml), custom)).decode(),
    )
    return shown
