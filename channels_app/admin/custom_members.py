"""The members of a channel's settings that are none of ours: texts have a field of the form, others are shown."""

from typing import Any

from channels_app.attributes import REGISTRY
from channels_app.models import Channel

_CUSTOM = "custom_"


def custom_name(name: str) -> str:
    """The field for a custom member, whose own name may hold anything."""
    return f"{_CUSTOM}{name.encode().hex()}"


def custom_texts(channel: Channel | None) -> list[str]:
    """The names of the channel's custom members that are texts."""
    members = REGISTRY.custom(channel.settings) if channel else {}
    return sorted(name for name, value in members.items() if isinstance(value, str))


def custom_others(channel: Channel | None) -> dict[str, Any]:
    """The channel's custom members that are no texts."""
    members = REGISTRY.custom(channel.settings) if channel else {}
    return {name: value for name, value in sorted(members.items()) if not isinstance(value, str)}
