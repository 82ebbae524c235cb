"""The labels of a content's fields in the back end."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from cms_api.admin.pages import POSITION
from contents.models import Content

# Plainer than the verbose names of the model.
LABELS: dict[str, Any] = {
    "taxis": POSITION,
    "source_id": _("copied from number"),
    "reference_id": _("refers to content number"),
    "is_color": _("highlighted"),
    "settings_xml": _("custom fields"),
}


def label_of_field(name: str) -> Any:
    return LABELS.get(name) or Content._meta.get_field(name).verbose_name  # type: ignore[union-attr]
