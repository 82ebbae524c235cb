from datetime import datetime, timedelta

from tests.migration.installations.generated_channels import PLUGIN_CHANNEL
from tests.migration.installations.tables import ZERO_DATE

_FIRST_DAY = datetime(2012, 1, 1, 8)
_NEVER = "1754-01-01 00:00:00"
_WORDS = (
    "harbour",
    "ferry",
    "tide",
    "pilot",
    "lantern",
    "chart",
    "港口",
    "渡轮",
    "潮汐",
    "引水",
    "码头",
    "航线",
    "公告",
)
_TEXT = "港口今日发布公告，渡轮航线照常运行，潮汐时刻见附表。The ferry leaves the quay at high tide. " * 40
_TAGS = ("年报", '年报 "华东 地区"', "tide,quay", "ferry; chart  pilot", "")
_TYPES = ("Copy", "Reference", "ReferenceContent")


def contents_of(site_id, channels, number, first, chance, *, custom, faults, in_plugin=False):
    """Yield so many contents of a site with ids from `first`, in all channels of the site but the plug-in's."""
    for content_id in range(first, first + number):
        place = PLUGIN_CHANNEL if in_plugin else _place(site_id, content_id, channels)
        row = _content(site_id, site_id + place, content_id, chance)
        if custom:
            row |= {"Region": chance.choice(("north", "south", None)), "Price": f"{chance.randrange(9999)}.50"}
            row["EventDate"] = row["AddDate"]
        if not in_plugin:
            row |= _peculiarity(row, first, channels)
        yield row | (_fault(row) if faults else {})


def _place(site_id, content_id, channels):
    place = content_id % channels
    return place + 1 if (site_id, place) == (1, PLUGIN_CHANNEL) and channels > 2 else place


def _content(site_id, channel_id, content_id, chance):
    added = _FIRST_DAY + timedelta(minutes=content_id * 7)
    start = chance.randrange(1_000)
    text = _TEXT[start : start + 100 + chance.randrange(1_500)]
    editor = 1 + content_id % 3
    name = "admin" if editor == 1 else f"editor{editor}"
    return {
        "Id": content_id,
        "ChannelId": channel_id,
        "SiteId": site_id,
        "AddUserName": name,
        "LastEditUserName": name,
        "LastEditDate": f"{added + timedelta(hours=2):%Y-%m-%d %H:%M:%S}",
        "AdminId": editor,
        "UserId": 0,
        "Taxis": content_id,
        "GroupNameCollection": "group 1,group 2" if content_id % 11 == 0 else "",
        "Tags": _TAGS[content_id % len(_TAGS)],
        "SourceId": 0,
        "ReferenceId": 0,
        "IsChecked": str(content_id % 10 > 0),
        "CheckedLevel": 0,
        "Hits": chance.randrange(10_000),
        "HitsByDay": 1,
        "HitsByWeek": 2,
        "HitsByMonth": 3,
        "LastHitsDate": _NEVER,
        "Downloads": 0,
        "SettingsXml": f'{{"venue":"Pier {content_id % 9}","titleFormatString":"False_False_False_"}}',
        "Title": " ".join(chance.choices(_WORDS, k=5)),
        "IsTop": "False",
        "IsRecommend": str(content_id % 20 == 0),
        "IsHot": "False",
        "IsColor": "False",
        "LinkUrl": "",
        "AddDate": f"{added:%Y-%m-%d %H:%M:%S}",
        "SubTitle": "",
        "ImageUrl": f"@/upload/images/{added:%Y}/{added.month}/{content_id}.jpg" if content_id % 4 == 0 else "",
        "VideoUrl": "",
        "FileUrl": "",
        "Content": f'<p>{text}</p><p><img src="@/upload/images/{content_id}.jpg"></p>',
        "Summary": text[:80],
        "Author": "editor",
        "Source": "",
    }


def _peculiarity(row, first, channels):
    """Return the columns of a content in the trash, a preview, a pinned one, or one that refers to another."""
    content_id = row["Id"]
    if content_id % 41 == 40:
        return {"ChannelId": -row["ChannelId"]}
    if content_id % 97 == 96:
        return {"SourceId": -99}
    if content_id % 50 == 49:
        return {"IsTop": "True", "Taxis": 2_000_000_000 + content_id}
    if content_id % 31 == 30 and content_id - channels >= first:
        # A multiple of the number of channels before is a content of the same channel.
        settings = f'{{"translateContentType":"{_TYPES[content_id % 3]}"}}'
        return {"SourceId": row["ChannelId"], "ReferenceId": content_id - channels, "SettingsXml": settings}
    return {}


def _fault(row):
    return next((change(row) for divisor, change in _FAULTS.items() if row["Id"] % divisor == divisor - 1), {})


# By divisor: every so many-th content has it.
_FAULTS = {
    211: lambda row: {"ChannelId": 888_888_888},  # an orphan
    199: lambda row: {"ChannelId": row["ChannelId"] + 10_000},  # a channel of the next site, or of none
    193: lambda row: dict.fromkeys(name for name in row if name not in ("Id", "SiteId", "ChannelId")),
    181: lambda row: {"AddDate": ZERO_DATE},
    173: lambda row: {"SettingsXml": '{"venue":'},
    167: lambda row: {"SettingsXml": "venue=Pier_add_1&titleformatstring=False_False_False_"},
    157: lambda row: {"IsChecked": "TRUE", "IsTop": "1", "IsHot": "yes"},
    151: lambda row: {"Title": "", "Hits": -5},
    149: lambda row: {"SourceId": 888_888_888, "ReferenceId": 1},
    139: lambda row: {"AddDate": "0001-01-01 00:00:00", "LastEditDate": None, "Tags": '"half', "Taxis": None},
}
