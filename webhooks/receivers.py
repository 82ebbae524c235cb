"""The network rules of deliveries: receivers of the public Internet, and of CMS_WEBHOOK_NETWORKS."""

from django.conf import settings

from core.lib import public_addresses
from core.lib.public_addresses import Network, Target

MAX_URL = 500  # characters


def read_url(url: str) -> Target:
    """Return the parts of a webhook's URL. Raises InvalidInput."""
    return public_addresses.read_url(url, "url", max_length=MAX_URL, networks=allowed_networks())


def resolve(receiver: Target) -> list[str]:
    """Return the numeric addresses of the host. Raises AddressRefused if one of them is refused, and OSError."""
    return public_addresses.resolve(receiver, allowed_networks())


def allowed_networks() -> tuple[Network, ...]:
    """Raises ValueError."""
    return public_addresses.read_networks(tuple(settings.CMS_WEBHOOK_NETWORKS))
