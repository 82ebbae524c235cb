"""What the pages of a key do with it: one row for each act."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apikeys.admin.forms import ActForm, RotationForm
from apikeys.models import ApiKey, ApiKeyToken


@dataclass(frozen=True)
class KeyAct:
    """An act with its page: `perform` returns the new token when there is one."""

    name: str  # the last part of the address
    title: Promise
    explanation: Promise
    done: Promise
    perform: Callable[[ApiKey, Any, str], str | None]
    is_possible: Callable[[ApiKey], bool]
    form: type[ActForm] = ActForm


def _is_in_force(key: ApiKey) -> bool:
    return key.revoked_at is None


def _overlaps(key: ApiKey) -> bool:
    return _is_in_force(key) and key.tokens.filter(slot=ApiKeyToken.Slot.PREVIOUS).exists()


KEY_ACTS = [
    KeyAct(
        "rotate",
        _("Rotate"),
        _(
            "The key gets a new token. The old one stays valid for the time that you choose, so that programs can be "
            "given the new one without an interruption. A token from an earlier rotation ends now."
        ),
        _("The key has a new token."),
        lambda key, values, seen: key.rotate(timedelta(seconds=values["overlap"]), seen=seen),
        _is_in_force,
        RotationForm,
    ),
    KeyAct(
        "end",
        _("End the old token"),
        _("The token from before the last rotation ends now. Programs that still use it are refused."),
        _("The old token has ended."),
        lambda key, values, seen: key.end_overlap(seen=seen),
        _overlaps,
    ),
    KeyAct(
        "reset",
        _("Reset"),
        _("The key gets a new token, and every other one ends at once. Do this when a token may have leaked."),
        _("The key has a new token, and no other."),
        lambda key, values, seen: key.reset(seen=seen),
        _is_in_force,
    ),
    KeyAct(
        "revoke",
        _("Revoke"),
        _("The key is permanently refused from now on. It stays in the list, with its last use."),
        _("The key has been revoked."),
        lambda key, values, seen: key.revoke(seen=seen),
        _is_in_force,
    ),
    KeyAct(
        "delete",
        _("Delete"),
        _("The key goes from the list. What was done with it stays in the audit."),
        _("The key has been deleted."),
        lambda key, values, seen: key.discard(seen=seen),
        lambda key: key.revoked_at is not None,
    ),
]
