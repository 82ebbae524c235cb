"""Finds settings that differ between nodes, by digests that each node stores in its row.

The keys are derived from secrets that the database does not have, so that nothing can be guessed from a digest. The
second allows comparing nodes with different secret keys, by their newest pepper.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from django.conf import settings

from core.lib.environment import Environment
from core.lib.sealing import slow_digest
from core.operation.models import Node

_SECRETS = ("CMS_SECRET_KEY", "CMS_PASSWORD_PEPPERS")
# Addresses, which may differ for the same server: only their presence is compared.
_ADDRESSES = ("CMS_CACHE_URL", "CMS_DATABASE_REPLICA_URLS")
REMEDY = "Give all nodes the same values, and restart them with systemctl restart cms."

_key = lru_cache(maxsize=4)(slow_digest)


def digests() -> dict[str, list[str]]:
    """Return the digests of each setting that nodes share, one for each key."""
    secrets = (settings.SECRET_KEY, *[*settings.PASSWORD_PEPPERS.values()][:1])
    keys = [_key(secret, "settings of nodes").encode() for secret in secrets]
    return {
        name: [hmac.new(key, f"{name}={value!r}".encode(), hashlib.sha256).hexdigest()[:32] for key in keys]
        for name, value in _values().items()
    }


def _values() -> dict[str, Any]:
    read = Environment(settings.ENVIRONMENT)
    values = {name: read(name) for name, setting in settings.ENVIRONMENT.items() if not setting.per_node}
    values = {name: sorted(set(value)) if isinstance(value, list) else value for name, value in values.items()}
    values |= {name: bool(values[name]) for name in _ADDRESSES}
    return values | {
        "CMS_SECRET_KEY": settings.SECRET_KEY,
        "CMS_PASSWORD_PEPPERS": [*settings.PASSWORD_PEPPERS.items()],
    }


def differences(nodes: Iterable[Node]) -> Iterator[tuple[Node, Node, list[str]]]:
    """Yield each node whose settings differ from the first, that one, and the names of these settings.

    Nodes of a release that stored no digests are left out.
    """
    known = [node for node in nodes if node.settings]
    for node in known[1:]:
        if names := _differing(known[0].settings, node.settings):
            yield node, known[0], names


def _differing(one: Any, other: Any) -> list[str]:
    common = sorted(one.keys() & other.keys())
    names = [name for name in common if not set(one[name]) & set(other[name])]
    if names != common:
        return names
    # They have no key in common, so that only the secrets are known to differ.
    return list(_SECRETS[: len(one[_SECRETS[0]])])


def sentences(nodes: Iterable[Node]) -> Iterator[str]:
    for node, first, names in differences(nodes):
        yield f"The settings of {node.name} differ from those of {first.name}: {', '.join(names)}."
