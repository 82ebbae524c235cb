from typing import Any

from django.apps import AppConfig

from cms_api.lib import triggers

_TABLES = ["cms_sites_site", "channels_app_channel", "channels_app_channelancestor", "channels_app_treeversion"]


class ChannelsConfig(AppConfig):
    name = "channels_app"
    verbose_name = "Channels"
    contents: Any  # a channels_app.links.Contents, set by the app of contents

    def ready(self) -> None:
        # check_lists compares the ancestors of channels, too.
        triggers.register(self, tables=_TABLES, repair="check_lists --repair")
