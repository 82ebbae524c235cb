"""Forms of sites: definitions, sending, and the entries that visitors have sent."""

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, Unpack

import httpx

from cms_client import operations
from cms_client.answers import body_of, list_of, page_of, record_of
from cms_client.binding import D, Resource, operation, walk
from cms_client.exchange import Known
from cms_client.operations import Operation
from cms_client.records import FormEntry, Page, VisitorForm
from cms_client.walking import Plan, Progress, Walk
from cms_client.wire import Members, check_names, without_absent


class EntryFilters(TypedDict, total=False):
    """Filters for entries of a form. All given filters must match.

    state: new, read, approved or spam; by default all but spam
    word: entries with each of these words in a value
    channelId, contentId: entries of pages about this channel or content
    isReplied: True for entries with a reply, False for entries without one
    guid: the entry whose sender has this number
    since, until: entries sent in this period, such as 2026-11-20
    """

    state: str
    word: str
    channelId: int
    contentId: int
    isReplied: bool
    guid: str
    since: str
    until: str


class Forms(Resource[D]):
    """Operations of `client.forms`. Except `styles` and `submit`, they need a key with the scope `Forms`.

    A form is its id or its name.
    """

    @operation
    def list(self, site_id: int, *, top: int | None = None, skip: int | None = None) -> Operation[Page[VisitorForm]]:
        """Return the forms of a site."""
        return operations.get("forms", site_id, read=page_of, query={"top": top, "skip": skip})

    @operation
    def styles(self, site_id: int, form: int | str) -> Operation[dict[str, Any]]:
        """Return the fields (`styles`) and texts of a form. Sends no API key."""
        return operations.get("forms", "styles", read=body_of, query=_place(site_id, form)).open_to_all()

    @operation
    def submit(
        self,
        site_id: int,
        form: int | str,
        values: Members,
        *,
        channel_id: int | None = None,
        content_id: int | None = None,
    ) -> Operation[dict[str, Any]]:
        """Send a form as visitors do, and return the `id` for the sender and the `message`. Sends no API key.

        BadRequest has `members["errors"]` by field. A lost answer is not asked for again.
        """
        made = operations.attempt("forms", read=body_of, body=values)
        return made.with_query(**_place(site_id, form), channelId=channel_id, contentId=content_id)

    @operation
    def entries(
        self,
        site_id: int,
        form: int | str,
        *,
        page: int = 1,
        per_page: int | None = None,
        **filters: Unpack[EntryFilters],
    ) -> Operation[Page[FormEntry]]:
        """Return a page of the entries that match all filters, newest first; by default the first 30."""
        return _entries(site_id, form, filters, page=page, perPage=per_page)

    @walk
    def iterate(
        self,
        site_id: int,
        form: int | str,
        *,
        per_page: int = 100,
        progress: Progress | None = None,
        **filters: Unpack[EntryFilters],
    ) -> Walk[FormEntry]:
        """Iterate over the entries that match all filters, newest first; new entries do not disturb the iteration."""

        def plan(_: Known) -> Plan[FormEntry]:
            return _pages_plan(lambda page: _entries(site_id, form, filters, page=page, perPage=per_page), per_page)

        return Walk(plan, progress, per_page)

    @operation
    def get(self, site_id: int, entry_id: int, *, if_none_match: str | None = None) -> Operation[FormEntry]:
        """Return an entry. Raises NotModified if its ETag still matches `if_none_match`."""
        return operations.get("forms", site_id, "entries", entry_id, read=record_of, if_none_match=if_none_match)

    @operation
    def update(
        self, site_id: int, entry_id: int, members: Members, *, if_match: str | None = None
    ) -> Operation[FormEntry]:
        """Set `state` or `replyContent`, and return the entry. Raises PreconditionFailed if `if_match` is outdated."""
        return operations.put("forms", site_id, "entries", entry_id, read=record_of, body=members, if_match=if_match)

    @operation
    def delete(self, site_id: int, entry_id: int, *, if_match: str | None = None) -> Operation[FormEntry]:
        """Delete an entry for good, and return its last state."""
        return operations.delete("forms", site_id, "entries", entry_id, read=record_of, if_match=if_match)


def _place(site_id: int, form: int | str) -> dict[str, Any]:
    return {"siteId": site_id, "formName" if isinstance(form, str) else "formId": form}


def _entries(
    site_id: int, form: int | str, filters: Mapping[str, Any], **page: int | None
) -> Operation[Page[FormEntry]]:
    check_names(filters, EntryFilters)
    return operations.get(
        "forms", read=_entry_page_of, query=without_absent({**_place(site_id, form), **filters, **page})
    )


def _entry_page_of(answer: httpx.Response) -> Page[FormEntry]:
    return Page(list_of(answer, "items"), body_of(answer).get("total"))


def _pages_plan(ask: Callable[[int], Operation[Page[FormEntry]]], size: int) -> Plan[FormEntry]:
    """Iterate over numbered pages; entries that an earlier page had are left out, because new ones shift the pages."""
    number, seen = 1, set[int]()
    while True:
        page = yield ask(number)
        if page is None:
            return
        yield Page([entry for entry in page if entry["id"] not in seen], page.total)
        seen.update(entry["id"] for entry in page)
        if len(page) < size:
            return
        number += 1
