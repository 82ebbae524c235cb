"""Requests at the same time, each in a thread with a database connection of its own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connections

from core.lib.errors import ServiceError
from tests.clients import ApiClient


def at_once(token, *acts):
    """What the acts return; each is called with a client, all of them at one moment."""
    barrier = Barrier(len(acts))

    def run(act):
        try:
            barrier.wait(timeout=30)
            return act(ApiClient(token))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def outcome(act, *arguments, **options):
    """An act for a thread: the code of its refusal, or an empty text."""

    def run(_client):
        try:
            act(*arguments, **options)
        except ServiceError as refusal:
            return refusal.code
        return ""

    return run
