"""Contents that one transaction changes: one, or several that are locked together and decided on one by one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.db import connection
from django.db.models import F, OuterRef, Subquery, TextField, Value
from django.db.models.functions import Coalesce

from channels_app.services import hold_contents
from cms_api.lib.errors import NotFound, ServiceError
from cms_api.rest.preconditions import Precondition, require_version
from contents.lists.one import refuse_missing
from contents.models import Content, ContentBody, ContentQuerySet
from contents.storing.batches import LONG

_T = TypeVar("_T")
_Result = TypeVar("_Result")


class Seen(NamedTuple):
    """A content that is to be changed; `version` is the one in which it was seen, None if any will do."""

    site_id: int
    number: int
    version: int | None = None


class Locked:
    """Contents that nobody else changes until the transaction ends, without their long members.

    By default those that are present; `rows` are others to look among. One that is not among them, or not of the
    version in which it was seen, is refused, and so is one that a rule refuses; the others go on.
    """

    def __init__(self, seen: Sequence[Seen], rows: ContentQuerySet | None = None) -> None:
        self._seen = seen
        self._rows = Content.objects.present() if rows is None else rows
        self._refusals: dict[int, ServiceError] = {}
        self._found = self._lock()
        for each in seen:
            self._try(each.number, self._look, each)

    @property
    def contents(self) -> list[Content]:
        """Those that are not refused so far, in the order in which they were given."""
        return [self._found[each.number] for each in self._seen if each.number not in self._refusals]

    def decide(self, rule: Callable[[Content], _T], among: Sequence[Content] | None = None) -> list[tuple[Content, _T]]:
        """What the rule answers for each of them; where it raises a ServiceError, the content is out from then on.

        `among` are some of them, by default all.
        """
        decided = []
        for content in self.contents if among is None else among:
            found = self._try(content.pk, rule, content)
            if content.pk not in self._refusals:
                decided.append((content, found))
        return decided  # type: ignore[return-value]

    def results(self) -> list[Content | ServiceError]:
        """For each content that was given, in that order: as it is now, or why it was refused."""
        return [self._refusals.get(each.number) or self._found[each.number] for each in self._seen]

    def results_of(self, made: Mapping[int, _Result]) -> list[_Result | ServiceError]:
        """The same with what was made of each in the place of the content; `made` tells it by the content's number."""
        return [self._refusals.get(each.number) or made[each.number] for each in self._seen]

    def results_if_changed(self, changed: Iterable[Content]) -> list[Content | ServiceError | None]:
        """The same with None for each content that is not among the changed ones: it was so already."""
        return self.results_of(dict.fromkeys(self._found) | {content.pk: content for content in changed})

    def _lock(self) -> dict[int, Content]:
        # Site by site and there in the order of the numbers, as whoever changes several does; the locks of channels
        # come after those of contents. Otherwise two who change the same contents could wait in a circle.
        numbers: dict[int, set[int]] = {}
        for each in self._seen:
            numbers.setdefault(each.site_id, set()).add(each.number)
        found: dict[int, Content] = {}
        for site_id in sorted(numbers):
            hold_contents(site_id)
            rows = self._rows.filter(site_id=site_id, pk__in=numbers[site_id]).defer(*LONG)
            found |= {content.pk: content for content in rows.order_by("pk").select_for_update()}
        return found

    def _look(self, seen: Seen) -> None:
        content = self._found.get(seen.number)
        if content is None:
            raise _missing(seen.site_id, seen.number)
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
    """The present content, of this very channel if one is given, which nobody else changes until the transaction ends.

    It has what its answer needs (`contents.lists.one.record_of`). Raises NotFound, and what the precondition raises.
    """
    hold_contents(site_id)
    rows = Content.objects.in_site(site_id) if channel_id is None else Content.objects.in_channel(site_id, channel_id)
    content = _with_answer(rows.filter(pk=content_id)).select_for_update(of=("self",)).first()
    if content is None:
        if channel_id is not None:
            refuse_missing(site_id, channel_id, content_id)
        raise _missing(site_id, content_id)
    # PostgreSQL, which had to wait for the row, gives its latest version, but what was read along from before.
    if getattr(content, "version_before", content.version) != content.version:
        content.text = ContentBody.objects.filter(content=content).values_list("text", flat=True).first() or ""
    if precondition is not None:
        precondition(content)
    return content


def _with_answer(rows: ContentQuerySet) -> ContentQuerySet:
    read: dict[str, Any] = {
        "text": Coalesce("body__text", Value(""), output_field=TextField()),
        "tree_number": F("site__tree_version__number"),
        "web_url": F("site__web_url"),
    }
    if connection.vendor == "postgresql":
        read["version_before"] = Subquery(Content.objects.filter(pk=OuterRef("pk")).values("version"))
    return rows.annotate(**read)


def _missing(site_id: int, content_id: int) -> NotFound:
    return NotFound("content_not_found", f"Content {content_id} was not found in site {site_id}.")


def by_site(contents: Iterable[Content]) -> dict[int, list[Content]]:
    found: dict[int, list[Content]] = {}
    for content in contents:
        found.setdefault(content.site_id, []).append(content)
    return found


def only(results: Sequence[_Result | ServiceError]) -> _Result:
    """The one result. Raises it where it is a refusal."""
    (result,) = results
    if isinstance(result, ServiceError):
        raise result
    return result
