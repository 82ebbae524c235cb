"""Up to 500 contents of a channel in one request."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from rest_framework.request import Request
from rest_framework.response import Response

from channels_app.models import Channel, channel_not_found
from channels_app.services import hold_contents
from contents.api.cleaning import clean_members
from contents.api.former_ids import FormerIdsView
from contents.api.schedules import PlanReader
from contents.api.serializers import (
    BatchSerializer,
    ChangedContentsSerializer,
    CheckedContentsSerializer,
    ChosenContentsSerializer,
    ContentChangesSerializer,
    MovedContentsSerializer,
    NewContentsSerializer,
)
from contents.lists.detail import read_by_id, read_record, require_channel
from contents.lists.page import select
from contents.models import Content, ContentBody
from contents.rules.sql import Rules
from contents.services.bulk import Result, create_contents, update_contents
from contents.services.moving import Target, move_contents
from contents.services.schedules import Plan, require_possible, schedules_of, store_plans
from contents.services.single import check_each, trash_contents
from contents.storing.batches import BODY_TEXT, portions
from contents.storing.locking import Locked, Seen
from contents.wire.records import Record
from contents.wire.serializers import ContentSerializer
from core.lib.errors import InvalidInput, NotFound, ServiceError, attempt
from core.rest.errors import HttpError, body_of, status_of
from core.rest.fields import read_integer
from core.rest.json import Body
from core.rest.serializers import Members

_T = TypeVar("_T")
Store = Callable[[Sequence[Any]], Sequence[Result]]
logger = logging.getLogger(__name__)


class BatchView(FormerIdsView):
    """Base of batches: reads the items, stores valid ones, and responds with all of them."""

    required_scope = "Contents"

    def require_place(self, site_id: int, channel_id: int) -> None:
        require_channel(site_id, channel_id)

    @contextmanager
    def missing_place_first(self) -> Iterator[None]:
        """A missing place is 404 for any body."""
        try:
            yield
        except InvalidInput:
            require_channel(**self.kwargs)
            raise

    def current(self, content_id: Any) -> Any:
        return self.ids.get((self.kwargs["channel_id"], content_id), content_id)

    def seen(self, content_id: int) -> Seen:
        return Seen(self.kwargs["site_id"], content_id, channel_id=self.kwargs["channel_id"])

    def answer(self, batch: "_Batch", items: Sequence[Any], store: Store) -> Response:
        """Store the items together; if the database refuses that and the batch is not atomic, one by one."""
        try:
            with self._transaction():
                return self._answer(batch, items, _stored(items, store))
        except (DataError, IntegrityError):
            if batch.is_atomic:
                raise
        with self._transaction():
            return self._answer(batch, items, _stored(items, partial(_store_each, store)))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with transaction.atomic():
            hold_contents(self.kwargs["site_id"])
            require_channel(**self.kwargs)
            yield

    def _answer(self, batch: "_Batch", items: Sequence[Any], results: Sequence[Result]) -> Response:
        site_id, channel_id = self.kwargs["site_id"], self.kwargs["channel_id"]
        missing = [item for item, result in zip(items, results, strict=True) if isinstance(result, NotFound)]
        if missing:
            places = [(channel_id, getattr(item, "number", item)) for item in missing]
            self.start_again_if_renumbered(site_id, places)
        batch.raise_if_atomic(results)
        # Only now, because the batch may have added the custom fields that it requests.
        selection = select(Rules(site_id), batch.values.get("fields", ()))
        found = read_by_id(site_id, [each.pk for each in results if isinstance(each, Content)], selection)
        if batch.is_atomic:
            return Response(Body(contents=[found[each.pk].json for each in results if isinstance(each, Content)]))
        return Response(
            Body(
                results=[
                    {"status": status_of(each), "error": body_of(each)}
                    if isinstance(each, ServiceError)
                    else {"status": 200, "content": found[each.pk].json}
                    for each in results
                ]
            )
        )


class BatchOfContentsView(BatchView):
    """`/contents/{siteId}/{channelId}/batch`"""

    def post(self, request: Request, **place: int) -> Response:
        with self.missing_place_first():
            batch = _Batch("contents", NewContentsSerializer, self.body)
            plans = PlanReader(place["site_id"])
            bodies = batch.read(partial(_New.read, plans))

        def store(good: Sequence[_New]) -> list[Result]:
            results = create_contents(**place, bodies=[new.members for new in good], user_name=self._user_name)
            _schedule(results, [new.plan for new in good])
            return results

        return self.answer(batch, bodies, store)

    def put(self, request: Request, **place: int) -> Response:
        with self.missing_place_first():
            batch = _Batch("contents", ChangedContentsSerializer, self.body)
            changes = batch.read(partial(_Change.read, PlanReader(place["site_id"]), place, self.current))
            batch.raise_if_repeated([each.number if isinstance(each, _Change) else None for each in changes])

        def store(good: Sequence[_Change]) -> list[Result]:
            seen = [self.seen(change.number) for change in good]
            results = update_contents(seen, _possible(seen, good), self._user_name)
            _schedule(results, [change.plan for change in good])
            return results

        return self.answer(batch, _cleaned(changes), store)

    @property
    def _user_name(self) -> str:
        return self.grant.user_name


class _New(NamedTuple):
    members: Members
    plan: Plan

    @classmethod
    def read(cls, plans: PlanReader, item: Any) -> "_New":
        members = clean_members(ContentSerializer.read(_object(item)))
        plan = plans.read(item, members)
        require_possible(None, plan, is_final=members.values.get("is_checked", False))
        return cls(members, plan)


class _Change(NamedTuple):
    number: int
    # Refused later: a missing content is 404 for any members.
    members: Members | ServiceError
    plan: Plan = {}

    @classmethod
    def read(cls, plans: PlanReader, place: dict[str, int], current: Callable[[Any], Any], item: Any) -> "_Change":
        number = current(ContentSerializer.read_member(_object(item), "id"))
        if number is None:
            raise InvalidInput("missing_member", "id is required.", member="id")
        members = attempt(_read_changes, item, partial(read_record, **place, content_id=number))
        plan = members if isinstance(members, ServiceError) else attempt(plans.read, item, members)
        return cls(number, plan) if isinstance(plan, ServiceError) else cls(number, members, plan)


def _read_changes(item: dict[str, Any], read_answered: Callable[[], Record]) -> Members:
    members = ContentChangesSerializer.read_change(item, read_answered)
    if members.values.pop("is_draft", False):
        raise InvalidInput("invalid_value", "isDraft is not possible in a batch.", member="isDraft")
    return members


def _possible(seen: Sequence[Seen], changes: Sequence[_Change]) -> list[Members | ServiceError]:
    """The members of each change, or the refusal of its times, which depend on the locked content."""
    if not any(change.plan for change in changes):
        return [change.members for change in changes]
    found = {content.pk: content for content in Locked(seen).contents}
    stored = schedules_of(found)
    possible = []
    for change in changes:
        members, content = change.members, found.get(change.number)
        if content is not None and change.plan and isinstance(members, Members):
            is_checked = members.values.get("is_checked", content.is_checked)
            refusal = attempt(partial(require_possible, stored.get(content.pk), change.plan, is_final=is_checked))
            members = refusal if isinstance(refusal, ServiceError) else members
        possible.append(members)
    return possible


def _schedule(results: Sequence[Result], plans: Sequence[Plan]) -> None:
    made = zip(results, plans, strict=True)
    if planned := [(content, plan) for content, plan in made if plan and isinstance(content, Content)]:
        store_plans(planned)


class BatchOfIdsView(BatchView):
    """Base of batches that do the same with each content."""

    serializer: type[ChosenContentsSerializer] = ChosenContentsSerializer

    def post(self, request: Request, **place: int) -> Response:
        with self.missing_place_first():
            batch = _Batch("ids", self.serializer, self.body)
            ids = batch.read(lambda item: self.current(read_integer(item, "id")))
            batch.raise_if_repeated([each if isinstance(each, int) else None for each in ids])
            self.check_values(batch.values)
        return self.answer(batch, ids, lambda good: self.apply([self.seen(number) for number in good], batch.values))

    def check_values(self, values: Mapping[str, Any]) -> None:
        """Raises InvalidInput for members that do not fit the path."""

    def apply(self, seen: Sequence[Seen], values: Mapping[str, Any]) -> Sequence[Result]:
        raise NotImplementedError


class CheckBatchView(BatchOfIdsView):
    """`POST /contents/{siteId}/{channelId}/batch/check`"""

    serializer = CheckedContentsSerializer

    def apply(self, seen: Sequence[Seen], values: Mapping[str, Any]) -> Sequence[Result]:
        return check_each(seen, values.get("reasons", ""), self.grant.user_name)


class MoveBatchView(BatchOfIdsView):
    """`POST /contents/{siteId}/{channelId}/batch/move`"""

    serializer = MovedContentsSerializer

    def check_values(self, values: Mapping[str, Any]) -> None:
        if values["target_channel_id"] == self.kwargs["channel_id"]:
            message = f"The contents are already in channel {values['target_channel_id']}."
            raise InvalidInput("in_channel_already", message, member="targetChannelId")

    def apply(self, seen: Sequence[Seen], values: Mapping[str, Any]) -> Sequence[Result]:
        target, site_id = values["target_channel_id"], self.kwargs["site_id"]
        if not Channel.objects.in_site(site_id).filter(pk=target).exists():
            raise channel_not_found(site_id, target, "targetChannelId")
        Target(target).require_open(site_id, member="targetChannelId")
        return move_contents(seen, target)


class DeleteBatchView(BatchOfIdsView):
    """`POST /contents/{siteId}/{channelId}/batch/delete`"""

    def apply(self, seen: Sequence[Seen], values: Mapping[str, Any]) -> Sequence[Result]:
        return trash_contents(seen)


class _Batch:
    """The body of a request; `name` is the member with its items. Raises InvalidInput."""

    def __init__(self, name: str, serializer: type[BatchSerializer], body: dict[str, Any]) -> None:
        required = [field for field, declared in serializer.field_table().items() if declared.required]
        members = serializer.read(body, require=required)
        serializer.raise_if_typos(members.unknown)
        self.values = members.values
        self.is_atomic: bool = self.values.get("atomic", True)
        self._name, self._items = name, self.values[name]

    def read(self, read: Callable[[Any], _T]) -> list[_T | ServiceError]:
        """The items or their refusals; an atomic batch raises the first refusal."""
        found = [attempt(read, item) for item in self._items]
        self.raise_if_atomic(found)
        return found

    def raise_if_atomic(self, results: Sequence[object]) -> None:
        if not self.is_atomic:
            return
        for position, result in enumerate(results):
            if isinstance(result, ServiceError):
                raise self._located(result, position)

    def raise_if_repeated(self, ids: Sequence[int | None]) -> None:
        first: dict[int, int] = {}
        for position, number in enumerate(ids):
            if number is not None and (before := first.setdefault(number, position)) != position:
                message = f"Content {number} is also in {self._name}[{before}]; send each content once."
                raise self._located(InvalidInput("duplicate_entry", message), position)

    def _located(self, refusal: ServiceError, position: int) -> ServiceError:
        """The refusal with the place of its item: in the message, in `member`, and as `position`."""
        place = f"{self._name}[{position}]"
        member = refusal.members.get("member")
        is_of_member = member is not None and self._name == "contents"
        refusal.message = f"{place}: {refusal.message}"
        refusal.members |= {"member": f"{place}.{member}" if is_of_member else place, "position": position}
        return refusal


def _object(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise InvalidInput("invalid_value", "The content must be a JSON object.")
    return item


def _stored(items: Sequence[Any], store: Store) -> list[Result]:
    """The results of all items; `store` gets the valid ones."""
    results = iter(store([item for item in items if not isinstance(item, ServiceError)]))
    return [item if isinstance(item, ServiceError) else next(results) for item in items]


def _store_each(store: Store, items: Sequence[Any]) -> list[Result]:
    results: list[Result] = []
    for item in items:
        try:
            with transaction.atomic():
                results += store([item])
        except (DataError, IntegrityError) as error:
            logger.error("The database refuses a content of a batch.", exc_info=error)
            message = (
                "The database refuses this content, and nothing of it was stored; the server's log has the details."
            )
            results.append(HttpError("server_error", message))
    return results


def _cleaned(changes: Sequence[_Change | ServiceError]) -> list[_Change | ServiceError]:
    """Clean the bodies if CMS_CLEAN_API_BODIES is set, except those equal to the stored ones."""
    cleaned = list(changes)
    with_body = {
        change.number: (position, change)
        for position, change in enumerate(changes)
        if isinstance(change, _Change) and isinstance(change.members, Members) and "content" in change.members.values
    }
    for numbers in portions(list(with_body), [BODY_TEXT]) if settings.CMS_CLEAN_API_BODIES else ():
        stored = dict(ContentBody.objects.filter(pk__in=numbers).values_list("pk", "text"))
        for number in numbers:
            position, change = with_body[number]
            members = attempt(clean_members, change.members, partial(stored.get, number))
            cleaned[position] = change._replace(members=members)
    return cleaned
