import logging
from typing import Any

from django import template
from django.db import DatabaseError

from core.notifications.admin import unread_text

register = template.Library()
logger = logging.getLogger(__name__)


@register.inclusion_tag("notifications/bell.html", takes_context=True)
def notification_bell(context: dict[str, Any]) -> dict[str, str]:
    """Show the bell; without a number if it cannot be counted, since error pages have it, too."""
    try:
        return {"unread": unread_text(context["user"])}
    except DatabaseError:
        logger.exception("The unread notifications could not be counted.")
        return {"unread": ""}
