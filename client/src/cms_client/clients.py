"""The blocking client and the asyncio client."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Self

import httpx

from cms_client.accounts import Administrators, Users
from cms_client.addresses import Server, server_at
from cms_client.binding import D
from cms_client.captcha import Captchas
from cms_client.channels import Channels
from cms_client.contents import Contents
from cms_client.drivers import TIMEOUT, AsyncDriver, AsyncTagging, Setting, SyncDriver, SyncTagging, no_cookies
from cms_client.media import MediaFiles
from cms_client.repeating import Retries
from cms_client.stl import Sql, Stl
from cms_client.system import System
from cms_client.visitor_forms import Forms
from cms_client.webhooks import Webhooks


class Service(System[D]):
    """All operations of a server, bound to one driver."""

    def __init__(self, driver: D) -> None:
        super().__init__(driver)
        self.contents = Contents(driver)
        self.channels = Channels(driver)
        self.media = MediaFiles(driver)
        self.forms = Forms(driver)
        self.stl = Stl(driver)
        self.sql = Sql(driver)
        self.users = Users(driver)
        self.administrators = Administrators(driver)
        self.captcha = Captchas(driver)
        self.webhooks = Webhooks(driver)


class Client(Service[SyncDriver]):
    """Blocking client of one server. It keeps connections open until it is closed, and threads may share it.

    `base_url` is `https://host`, `https://host/api` or `https://host/api/v1`. If the caller passes `http`, that httpx
    client determines timeouts, proxies and certificates, and `close` leaves it open.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float | httpx.Timeout = TIMEOUT,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        sleep: Callable[[float], object] = time.sleep,
        http: httpx.Client | None = None,
    ) -> None:
        self._server, self._is_own = server_at(base_url, api_key), http is None
        self._http = http or httpx.Client(timeout=timeout, cookies=no_cookies())
        super().__init__(SyncDriver(Setting(self._server, retries), self._http, sleep))
        self.with_etags = Service(SyncTagging(self._driver))

    def __repr__(self) -> str:
        return _shown(self, self._server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, except those of a caller's `http`."""
        if self._is_own:
            self._http.close()


class AsyncClient(Service[AsyncDriver]):
    """Client for asyncio: like Client, but methods return awaitables and iterations need `async for`."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float | httpx.Timeout = TIMEOUT,
        retries: Retries = Retries(),  # noqa: B008 - frozen
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._server, self._is_own = server_at(base_url, api_key), http is None
        self._http = http or httpx.AsyncClient(timeout=timeout, cookies=no_cookies())
        super().__init__(AsyncDriver(Setting(self._server, retries), self._http, sleep))
        self.with_etags = Service(AsyncTagging(self._driver))

    def __repr__(self) -> str:
        return _shown(self, self._server)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections, except those of a caller's `http`."""
        if self._is_own:
            await self._http.aclose()


def _shown(client: object, server: Server) -> str:
    return f"{type(client).__name__}({server.base_url!r})"
