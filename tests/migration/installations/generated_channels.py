from tests.migration.installations.tables import ZERO_DATE

ROOM = 10_000  # numbers of channels of a site: its home channel is the first one
PLUGIN_CHANNEL = 1  # place of the channel with contents in the table of a plug-in, in the first site
_BRANCHES = 5  # children of a channel


def channels_of(site_id, number, *, faults):
    """Yield the rows of the channels of a site in the order of their ids, parents before children."""
    for place in range(number):
        parent = (place - 1) // _BRANCHES if place else None
        row = {
            "Id": site_id + place,
            "ChannelName": f"Channel {place}" if place else f"Home of {site_id}",
            "SiteId": site_id,
            "ContentModelPluginId": "SS.Pictures" if (site_id, place) == (1, PLUGIN_CHANNEL) else "",
            "ParentId": 0 if parent is None else site_id + parent,
            "ParentsPath": "wrong" if faults and place % 7 == 6 else "",
            "IndexName": f"index-{place}",
            "GroupNameCollection": "navigation" if place % 3 == 0 else "",
            "Taxis": place + 1,
            "AddDate": "2018-01-02 03:04:05",
            "FilePath": "",
            "LinkType": "LinkToFirstContent" if place % 9 == 8 else "None",
            "ExtendValues": '{"isContentAddable":true}' if place % 2 else "iscontentaddable=True",
        }
        yield row | (_FAULTS.get(place, lambda site: {})(site_id) if faults else {})
    if faults:
        yield from _cut_off(site_id, site_id + number)


# By place in the site.
_FAULTS = {
    3: lambda site_id: {"IndexName": "INDEX-2"},  # the same one in another letter case
    4: lambda site_id: {"LinkType": "LinkToNowhere", "AddDate": ZERO_DATE},
    5: lambda site_id: {"ExtendValues": '{"isContentAddable":'},
    6: lambda site_id: {"ChannelName": "长" * 255, "GroupNameCollection": None, "Taxis": None},
    7: lambda site_id: {"FilePath": "/same.html", "ChannelName": None},
    8: lambda site_id: {"FilePath": "/Same.html"},
}


def _cut_off(site_id, first):
    """Yield channels without a way to the home channel: two below each other, and one below none."""
    for channel_id, parent in ((first, first + 1), (first + 1, first), (first + 2, 999_999_999)):
        yield {"Id": channel_id, "SiteId": site_id, "ParentId": parent, "ChannelName": f"Cut off {channel_id}"}
