"""What type checkers know of the client: the lint target runs mypy over this file, and nothing else does."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, assert_type

from cms_client import (
    Administrator,
    AsyncClient,
    Channel,
    Client,
    Content,
    Health,
    LogEntry,
    Login,
    Media,
    Page,
    Picture,
    Rendition,
    Row,
    Rows,
    Site,
    Tagged,
    Upload,
    Use,
    User,
    order,
    where,
)


def sync_use(client: Client) -> None:
    content = client.contents.get(1, 11, 5, fields=["title"])
    assert_type(content, Content)
    assert_type(content["title"], str)
    assert_type(content.get("color_of_mine"), object)  # a custom field
    assert_type(client.contents.list(1, wheres=where("hits", ">", 3), orders=order("id")), Page[Content])
    assert_type(client.contents.iterate(site_id=1, progress=print), Iterator[Content])
    assert_type(client.contents.create(1, 11, {"title": "Launch"}), Content)
    assert_type(client.contents.update(1, 11, 5, content, if_match='"1"'), Content)
    assert_type(client.contents.delete(1, 11, 5), Content)
    assert_type(client.channels.tree(1), list[Channel])
    assert_type(client.channels.move(1, 11, before=2), Channel)
    assert_type(client.media.upload(1, "photo.jpg", {"title": "Harbour"}, copy=True), Upload)
    assert_type(client.media.iterate(1, kind="image"), Iterator[Media])
    assert_type(client.media.uses(1, 5)[0], Use)
    assert_type(client.media.rendition(1, 5, w=333, fit="cover"), Rendition)
    assert_type(client.stl.site(siteId=1), Site | None)
    assert_type(client.stl.text("site", type="siteName"), str)
    assert_type(client.stl.count(siteId=1), int)
    assert_type(client.sql.rows("SELECT 1"), Rows)
    assert_type(client.sql.row("SELECT 1"), Row | None)
    assert_type(client.users.list(keyword="reader", isLockedOut=False), Page[User])
    assert_type(client.users.logs(1), Page[LogEntry])
    assert_type(client.users.log_in("reader1", "lantern7"), Login[User])
    assert_type(client.administrators.iterate(), Iterator[Administrator])
    assert_type(client.captcha.draw("yzm"), Picture)
    assert_type(client.ping(), bool)
    assert_type(client.health(), Health)
    assert_type(client.with_etags.contents.get(1, 11, 5), Tagged[Content])


async def async_use(client: AsyncClient) -> None:
    awaitable: Coroutine[Any, Any, Content] = client.contents.get(1, 11, 5)
    assert_type(await awaitable, Content)
    assert_type(await client.contents.create(1, 11, {"title": "Launch"}), Content)
    assert_type(client.contents.iterate(site_id=1), AsyncIterator[Content])
    assert_type([user async for user in client.users.iterate(per_page=5)], list[User])
    assert_type(await client.with_etags.channels.get(1, 11), Tagged[Channel])
    assert_type(await client.sql.rows("SELECT 1"), Rows)
    content, is_there = await asyncio.gather(client.contents.get(1, 11, 5), client.ping())
    assert_type((content, is_there), tuple[Content, bool])


def misuse(client: Client) -> None:
    # Each of these is told by mypy, which would complain of an unneeded comment.
    client.contents.get(1, 11)  # type: ignore[call-arg]
    client.contents.get(1, 11, "5")  # type: ignore[arg-type]
    client.contents.list(1, no_such_filter=True)  # type: ignore[call-arg]
    client.users.list(isCheked=True)  # type: ignore[call-arg]
    where("hits", "~", 3)  # type: ignore[arg-type]
    client.with_etags.contents.iterate(1)  # type: ignore[arg-type]
