"""Rules for new passwords."""

from django.conf import settings
from django.core.exceptions import ValidationError


class CompositionValidator:
    """At least CMS_PASSWORD_MIN_LENGTH characters, with a letter and a digit (original-behaviour §8.1)."""

    def validate(self, password: str, user: object = None) -> None:
        """Raises ValidationError saying what is missing."""
        if len(password) < settings.PASSWORD_MIN_LENGTH:
            raise ValidationError(
                f"A password has at least {settings.PASSWORD_MIN_LENGTH} characters.",
                code="password_too_short",
            )
        if not (any(map(str.isalpha, password)) and any(map(str.isdigit, password))):
            raise ValidationError("A password has a letter and a digit.", code="password_too_simple")

    def get_help_text(self) -> str:
        """The rule as a sentence for forms."""
        return f"At least {settings.PASSWORD_MIN_LENGTH} characters, with a letter and a digit."
