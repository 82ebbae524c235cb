"""Drivers that run the steps of an exchange: one blocks, the other awaits."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

import httpx

from cms_client.addresses import Server
from cms_client.errors import CmsError
from cms_client.exchange import Known, Reply, Steps, Wait, exchange
from cms_client.forms import Form
from cms_client.operations import Operation
from cms_client.records import Page
from cms_client.repeating import Retries
from cms_client.walking import Walk, go_on

T = TypeVar("T")
# Reading a long list takes time, but a running server accepts connections at once.
TIMEOUT = httpx.Timeout(60.0, connect=5.0)


@dataclass(slots=True)
class Setting:
    """The server, the retry rules, and what the client has learned about the server."""

    server: Server
    retries: Retries
    known: Known = field(default_factory=Known)

    def steps_of(self, operation: Operation[T]) -> Steps[T]:
        """Return the steps that carry out the operation."""
        return exchange(operation, self.known, self.retries)

    def request_of(self, operation: Operation[Any], http: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        """Build the request, without cookies that a caller's httpx client has stored from responses.

        Raises ValueError for a URL that httpx cannot send, such as one that is too long.
        """
        url, headers = self.server.url_of(operation), self.server.headers_of(operation)
        try:
            content = None if isinstance(operation.body, Form) else operation.body or None
            request = http.build_request(operation.method, url, content=content, headers=headers)
        except httpx.InvalidURL as error:
            raise ValueError(f"The request cannot be sent: {error}.") from None
        if isinstance(operation.body, Form):
            request.stream = operation.body  # httpx would take it for one that can be sent once
        if "Cookie" not in headers and "Cookie" not in http.headers:
            request.headers.pop("Cookie", None)
        return request


@dataclass(slots=True)
class SyncDriver:
    """Runs operations and blocks until they finish."""

    setting: Setting
    http: httpx.Client
    sleep: Callable[[float], object]

    def run(self, operation: Operation[T]) -> T:
        """Run the operation and return its result. Raises CmsError."""
        steps = self.setting.steps_of(operation)
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                result: T = end.value
                return result
            reply = self._do(step)

    def _do(self, step: Operation[Any] | Wait) -> Reply:
        if isinstance(step, Wait):
            self.sleep(step.seconds)
            return None
        try:
            # Never follow redirects: they could send the API key to another server.
            return self.http.send(self.setting.request_of(step, self.http), follow_redirects=False)
        except httpx.RequestError as error:
            return error

    def walk(self, walk: Walk[T]) -> Iterator[T]:
        """Iterate over the records of a list, requesting pages on demand."""
        plan = walk.plan(self.setting.known)
        step = go_on(plan)
        while step is not None:
            if isinstance(step, Page):
                yield from walk.hand_out(step)
                step = go_on(plan)
                continue
            if isinstance(step, Wait):
                self._do(step)
                step = go_on(plan)
                continue
            try:
                page = self.run(step)
            except CmsError as error:
                step = plan.throw(error)
            else:
                step = go_on(plan, page)


@dataclass(slots=True)
class AsyncDriver:
    """Runs operations without blocking the event loop."""

    setting: Setting
    http: httpx.AsyncClient
    sleep: Callable[[float], Awaitable[object]]

    async def run(self, operation: Operation[T]) -> T:
        """Run the operation and return its result. Raises CmsError."""
        steps = self.setting.steps_of(operation)
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                result: T = end.value
                return result
            reply = await self._do(step)

    async def _do(self, step: Operation[Any] | Wait) -> Reply:
        if isinstance(step, Wait):
            await self.sleep(step.seconds)
            return None
        try:
            # Never follow redirects: they could send the API key to another server.
            return await self.http.send(self.setting.request_of(step, self.http), follow_redirects=False)
        except httpx.RequestError as error:
            return error

    async def walk(self, walk: Walk[T]) -> AsyncIterator[T]:
        """Iterate over the records of a list, requesting pages on demand."""
        plan = walk.plan(self.setting.known)
        step = go_on(plan)
        while step is not None:
            if isinstance(step, Page):
                for record in walk.hand_out(step):
                    yield record
                step = go_on(plan)
                continue
            if isinstance(step, Wait):
                await self._do(step)
                step = go_on(plan)
                continue
            try:
                page = await self.run(step)
            except CmsError as error:
                step = plan.throw(error)
            else:
                step = go_on(plan, page)


@dataclass(slots=True)
class SyncTagging:
    """Blocking driver that returns each result with its ETag, as Tagged."""

    driver: SyncDriver

    def run(self, operation: Operation[T]) -> Any:
        return self.driver.run(operation.tagged())


@dataclass(slots=True)
class AsyncTagging:
    """Asynchronous driver that returns each result with its ETag, as Tagged."""

    driver: AsyncDriver

    async def run(self, operation: Operation[T]) -> Any:
        return await self.driver.run(operation.tagged())


def no_cookies() -> CookieJar:
    """Return a jar that stores no cookies: on some servers, a login cookie overrides the API key's administrator."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))
