"""Asks for jobs of the kind `test`, as somebody does who has signed in."""

from core import audit
from core.jobs import enqueueing


def acting(administrator):
    return audit.acting_as(
        audit.Actor("administrator", administrator_id=administrator.pk, name=administrator.user_name)
    )


def ask(administrator, token="token", **parameters):
    with acting(administrator):
        return enqueueing.enqueue("test", parameters, token=token)
