"""The networks from which an account has signed in lately: guesses from elsewhere do not slow it down there."""

from datetime import timedelta

from django.utils.crypto import salted_hmac

from accounts.models import Account, KnownAddress
from cms_api.lib import clock
from cms_api.lib.client_address import network_of

REMEMBERED = timedelta(days=30)


def remember(account: Account, address: str) -> None:
    """Note a sign-in from the address, and forget what is too old."""
    # First, since two sign-ins that each held a renewed row could wait for each other's here.
    KnownAddress.objects.filter(seen_at__lt=clock.now() - REMEMBERED).delete()
    if address:
        known = KnownAddress(digest=_digest(type(account), account, network_of(address)), seen_at=clock.now())
        KnownAddress.objects.bulk_create(
            [known], update_conflicts=True, unique_fields=["digest"], update_fields=["seen_at"]
        )


def is_known(kind: type[Account], account: Account | None, network: str) -> bool:
    """Return true if the account signed in from the network within 30 days. Unknown accounts cost a query too."""
    known = KnownAddress.objects.filter(seen_at__gte=clock.now() - REMEMBERED)
    return known.filter(digest=_digest(kind, account, network)).exists()


def _digest(kind: type[Account], account: Account | None, network: str) -> str:
    value = f"{kind._meta.model_name} {account.pk if account else 0} {network}"
    return salted_hmac("accounts.known_addresses", value, algorithm="sha256").hexdigest()
