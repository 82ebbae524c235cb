"""Registration: people who become users without an API key, where CMS_REGISTRATION allows it."""

from typing import Any

from django.conf import settings

from accounts import services
from accounts.models import User
from cms_api import shared_counts
from cms_api.lib.client_address import network_of
from cms_api.lib.errors import InvalidInput, LimitReached, NotPermitted
from cms_api.rest.names import to_wire

OFF, PENDING, APPROVED = REGISTRATIONS = ("off", "pending", "approved")
MAX_PER_NETWORK = 20  # registrations
SECONDS = 15 * 60
_TAKEN = {"user_name_taken", "email_taken", "mobile_taken"}


def is_open() -> bool:
    """Return true if people may register without an API key."""
    return bool(settings.CMS_REGISTRATION != OFF)


def register(values: dict[str, Any], address: str) -> User:
    """The new user.

    Raises NotPermitted if the values decide about approval or lock, LimitReached after 20 registrations from one
    network in 15 minutes, and InvalidInput as `services.create_user` does. A name or address that is taken counts, too:
    else anyone could ask for any number of them who has an account here.
    """
    standing = {"is_checked": settings.CMS_REGISTRATION == APPROVED, "is_locked_out": False}
    for name, value in standing.items():
        if values.get(name, value) != value:
            message = f"{to_wire(name)} cannot be set without the scope Users:write."
            raise NotPermitted("scope_missing", message, scope="Users:write")
    count_name = f"registrations from {network_of(address) if address else ''}"
    _count(count_name)
    try:
        return services.create_user(values | standing)
    except InvalidInput as refusal:
        if refusal.code not in _TAKEN:
            shared_counts.take_back([count_name])
        raise


def _count(name: str) -> None:
    count = shared_counts.add([name], seconds=SECONDS)[name]
    if count.number > MAX_PER_NETWORK:
        message = f"Too many registrations came from this address; try again in {count.seconds_left} seconds."
        raise LimitReached("too_many_registrations", message, wait=count.seconds_left)
