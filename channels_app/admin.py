from django.contrib import admin

from channels_app.models import Channel
from cms_api.back_end.pages import RecordPages


@admin.register(Channel)
class ChannelAdmin(RecordPages):
    site_lookup = "site_id"
    list_display = ["indented_name", "id", "site", "index_name", "children_count", "link_type"]
    list_filter = ["site"]
    list_select_related = ["site"]
    ordering = ["site", "taxis"]
    search_fields = ["channel_name", "index_name"]

    @admin.display(description="channel")
    def indented_name(self, channel: Channel) -> str:
        """The name, moved in by its depth in the tree."""
        return "— " * channel.parents_count + channel.channel_name
