import logging
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest

from accounts.attempts import SignInFailed
from accounts.models import Administrator
from accounts.second_factor import SecondFactorRequired
from accounts.sign_in import Form, check_credentials, sign_in
from accounts.validators import MAX_LENGTH
from core.lib.client_address import client_address
from core.lib.errors import LimitReached

logger = logging.getLogger(__name__)


class AccountBackend(ModelBackend):
    """Signs administrators in by name, e-mail address or mobile and password, within the limits of the API's logins."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> Administrator | None:
        """Return the administrator; a refusal is logged and left in `request.sign_in_refusal` for the form.

        An administrator who must still enter a code is left in `request.half_signed_in`.
        """
        if username is None:
            username = kwargs.get(Administrator.USERNAME_FIELD)
        if not username or not password or len(password) > MAX_LENGTH:
            return None
        address = client_address(request) if request else ""
        try:
            return sign_in(Administrator, username, password, form=Form.PLAIN, address=address)
        except SecondFactorRequired as pending:
            if request:
                request.half_signed_in = pending.administrator  # type: ignore[attr-defined]
            return None
        except (SignInFailed, LimitReached) as refusal:
            logger.warning("A sign-in to the admin from %s was rejected: %s", address or "nowhere", refusal.code)
            if request:
                request.sign_in_refusal = refusal  # type: ignore[attr-defined]
            return None

    def confirm_password(self, request: HttpRequest, administrator: Administrator, password: str) -> None:
        """Raises SignInFailed for a wrong password, and LimitReached by the limits of the API's logins."""
        if not password or len(password) > MAX_LENGTH:
            raise SignInFailed
        check_credentials(Administrator, administrator, password, form=Form.PLAIN, address=client_address(request))
