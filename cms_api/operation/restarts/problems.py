"""What keeps the service from starting."""

from django.core.checks import run_checks


def serious_problems() -> list[str]:
    """What the system checks say that makes a start impossible; the application has to be loaded."""
    errors = [message for message in run_checks() if message.is_serious() and not message.is_silenced()]
    return [f"{error.msg} {error.hint or ''}".strip() for error in errors]
