"""Locks contents for a change: one, or several that are decided on one by one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from django.db import connection

from channels_app.services import hold_contents
from contents.lists.detail import raise_missing
from contents.models import Content, ContentBody, ContentQuerySet, content_not_found
from contents.storing.batches import LONG
from core.lib.errors import ServiceError
from core.rest.preconditions import Precondition, require_version

_T = TypeVar("_T")
_Result = TypeVar("_Result")


class Seen(NamedTuple):
    """A content to change, and the version and channel that the client saw; None accepts any."""

    site_id: int
    number: int
    version: int | None = None
    channel_id: int | None = None


class Locked:
    """Contents locked until the transaction ends, without their long members.

    Looks among `rows`, by default all outside the trash. Contents that are missing, changed since `seen`, or rejected
    by a rule are refused; the others proceed.
    """

    def __init__(self, seen: Sequence[Seen], rows: ContentQuerySet | None = None) -> None:
        self._seen = seen
        self._refusals: dict[int, ServiceError] = {}
        self._found: dict[int, Content] = {}
        rows = Content.objects.live() if rows is None else rows
        # Lock order to prevent deadlocks: by site, then by id; locks of channels come after locks of contents.
        for site_id in sorted({each.site_id for each in seen}):
            hold_contents(site_id)
            numbers = {each.number for each in seen if each.site_id == site_id}
            of_site = rows.filter(site_id=site_id, pk__in=numbers).defer(*LONG).order_by("pk").select_for_update()
            self._found |= {content.pk: content for content in of_site}
        for each in seen:
            self._try(each.number, self._look, each)

    @property
    def contents(self) -> list[Content]:
        return [self._found[each.number] for each in self._seen if each.number not in self._refusals]

    def decide(self, rule: Callable[[Content], _T], among: Sequence[Content] | None = None) -> list[tuple[Content, _T]]:
        """Apply the rule to each content (or to `among`); a ServiceError refuses the content from then on."""
        decided = []
        for content in self.contents if among is None else among:
            found = self._try(content.pk, rule, content)
            if content.pk not in self._refusals:
                decided.append((content, found))
        return decided  # type: ignore[return-value]

    def results(self) -> list[Content | ServiceError]:
        """The current content or the refusal, for each of `seen`, in order."""
        return self.results_of(self._found)

    def results_of(self, made: Mapping[int, _Result]) -> list[_Result | ServiceError]:
        """Like `results`, with the value from `made` (by content id) instead of the content."""
        return [self._refusals.get(each.number) or made[each.number] for each in self._seen]

    def results_if_changed(self, changed: Iterable[Content]) -> list[Content | ServiceError | None]:
        """Like `results`, with None for each content that did not need to change."""
        return self.results_of(dict.fromkeys(self._found) | {content.pk: content for content in changed})

    def _look(self, seen: Seen) -> None:
        content = self._found.get(seen.number)
        if content is None or seen.channel_id not in {None, content.channel_id}:
            raise content_not_found(seen.site_id, seen.number, seen.channel_id)
        if seen.version is not None:
            require_version(seen.version, content)

    def _try(self, number: int, rule: Callable[..., _T], *arguments: object) -> _T | None:
        try:
            return rule(*arguments)
        except ServiceError as refusal:
            self._refusals[number] = refusal
            return None


def lock_content(
    site_id: int, content_id: int, precondition: Precondition | None = None, *, channel_id: int | None = None
) -> Content:
    """Lock a content outside the trash, with everything `contents.navigation.page_urls.record_of` needs.

    Raises NotFound, also if it is not in `channel_id`, and errors of the precondition.
    """
    hold_contents(site_id)
    content = read_whole(site_id, content_id, channel_id, lock=" FOR UPDATE OF c")
    # After waiting for a lock, PostgreSQL returns the row's latest version but joined data from before.
    if content.version_before != content.version:
        content.text = ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""
    if precondition is not None:
        precondition(content)
    return content


def read_whole(site_id: int, content_id: int, channel_id: int | None = None, *, lock: str = "") -> Content:
    """A content outside the trash, as `lock_content` returns it. Raises NotFound."""
    sql, params = _WHOLE, [content_id, site_id]
    if channel_id is not None:
        sql, params = f"{sql} AND c.channel_id = %s", [*params, channel_id]
    if connection.vendor == "postgresql":
        sql += lock
    content = next(iter(Content.objects.raw(sql, params)), None)
    if content is not None:
        return content
    if channel_id is not None:
        raise_missing(site_id, channel_id, content_id)
    raise content_not_found(site_id, content_id)


# Raw SQL: every PUT needs it, and the ORM takes several times as long to build it as the database to run it.
_WHOLE = (
    f"SELECT {', '.join(f'c.{field.column}' for field in Content._meta.concrete_fields)}, "
    "COALESCE(b.text, '') AS text, v.number AS tree_number, s.web_url, "
    "(SELECT version FROM contents_content WHERE id = c.id) AS version_before "
    "FROM contents_content c JOIN cms_sites_site s ON s.id = c.site_id "
    "LEFT JOIN contents_contentbody b ON b.content_id = c.id "
    "LEFT JOIN channels_app_treeversion v ON v.site_id = c.site_id "
    "WHERE c.id = %s AND c.site_id = %s AND c.trashed_at IS NULL"
)


def by_site(contents: Iterable[Content]) -> dict[int, list[Content]]:
    found: dict[int, list[Content]] = {}
    for content in contents:
        found.setdefault(content.site_id, []).append(content)
    return found


def only(results: Sequence[_Result | ServiceError]) -> _Result:
    """The single result; raises it if it is a refusal."""
    (result,) = accepted(results)
    return result


def accepted(results: Sequence[_Result | ServiceError]) -> list[_Result]:
    """The results; raises the first refusal among them."""
    for result in results:
        if isinstance(result, ServiceError):
            raise result
    return results  # type: ignore[return-value]
