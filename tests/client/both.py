"""The client that awaits, asked like the one that blocks."""

import asyncio
import inspect

from cms_client import AsyncClient


def blocking_client(base_url, api_key, *, waits, **options):
    """An AsyncClient whose methods answer results, and whose iterations are plain ones."""

    async def sleep(seconds):
        waits.append(seconds)

    runner = asyncio.Runner()
    return Blocking(AsyncClient(base_url, api_key, sleep=sleep, **options), runner)


class Blocking:
    """Passes on to a client, or to a part of it, and waits for what is awaited."""

    def __init__(self, target, runner):
        self._target, self._runner = target, runner

    def __getattr__(self, name):
        found = getattr(self._target, name)
        return self._method(found) if callable(found) else Blocking(found, self._runner)

    def __repr__(self):
        return repr(self._target)

    def close(self):
        self._runner.run(self._target.close())
        self._runner.close()

    def _method(self, method):
        def call(*args, **kwargs):
            made = method(*args, **kwargs)
            return self._each(made) if inspect.isasyncgen(made) else self._runner.run(made)

        return call

    def _each(self, records):
        async def following():
            return [record async for record in _up_to(records, 1)]

        while found := self._runner.run(following()):
            yield from found


async def _up_to(records, number):
    for _ in range(number):
        try:
            yield await anext(records)
        except StopAsyncIteration:
            return
