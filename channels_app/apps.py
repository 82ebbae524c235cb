from secrets import randbelow
from typing import Any

from django.apps import AppConfig

from core.admin.places import Places
from core.lib import triggers

_TABLES = ["cms_sites_site", "channels_app_channel", "channels_app_channelancestor", "channels_app_treeversion"]


class ChannelsConfig(AppConfig):
    name = "channels_app"
    verbose_name = "Channels"
    contents: Any  # a channels_app.links.Contents, set by the app of contents

    def ready(self) -> None:
        from channels_app.models import ids_below

        Places.ids_below = ids_below
        # check_lists compares the ancestors of channels, too.
        triggers.register(self, tables=_TABLES, repair="check_lists --repair", when_lost=_renew_all)


def _renew_all() -> str:
    """Renew all numbers: trees may have been cached while they did not change."""
    from channels_app.models import TreeVersion

    for version in TreeVersion.objects.all():
        TreeVersion.objects.filter(pk=version.pk).update(number=randbelow(9007199254740991))  # as in the triggers
    return ""
