"""What the derived tables hold, and what they should hold, in plain Python."""

from collections import Counter

from channels_app.models import Channel, ChannelAncestor
from contents.models import Content, ContentGroup, ContentTag, ListedContent, ListedCount, ListKind
from core.lib.folding import is_blank

FLAGS = ("is_checked", "is_top", "is_recommend", "is_hot", "is_color")
KEYS = (*FLAGS, "channel_id", "taxis", "add_date")


def stored_ancestors():
    return set(ChannelAncestor.objects.values_list("channel_id", "ancestor_id"))


def expected_ancestors():
    parents = dict(Channel.objects.values_list("id", "parent_id"))
    pairs = set()
    for channel in parents:
        above = channel
        while above is not None:
            pairs.add((channel, above))
            above = parents[above]
    return pairs


def stored_lists():
    """Each row as content, list and keys; a list of names is told by the site and the name."""
    owners = {
        ListKind.GROUP: {pk: name for pk, *name in ContentGroup.objects.values_list("id", "site_id", "group_name")},
        ListKind.TAG: {pk: name for pk, *name in ContentTag.objects.values_list("id", "site_id", "tag_name")},
    }
    rows = ListedContent.objects.values_list("content_id", "kind", "owner_id", *KEYS)
    return Counter(
        (content, kind, *(owners[kind][owner] if kind in owners else [owner]), *keys)
        for content, kind, owner, *keys in rows
    )


def expected_lists():
    above = {}
    for channel, ancestor in expected_ancestors():
        above.setdefault(channel, []).append(ancestor)
    rows = Counter()
    for content in Content.objects.filter(trashed_at=None):
        keys = tuple(getattr(content, key) for key in KEYS)
        lists = [(ListKind.CHANNEL, ancestor) for ancestor in above[content.channel_id]]
        for kind, joined in [(ListKind.GROUP, content.group_name_collection), (ListKind.TAG, content.tags)]:
            lists += [
                (kind, content.site_id, name)
                for name in {part.strip(" ") for part in joined.split(",") if not is_blank(part)}
            ]
        rows.update((content.pk, *one, *keys) for one in lists)
    return rows


def stored_counts():
    counts = Counter()
    for kind, owner, flags, contents in ListedCount.objects.values_list("kind", "owner_id", "flags", "contents"):
        counts[kind, owner, flags] += contents
    return {key: contents for key, contents in counts.items() if contents}


def expected_counts():
    rows = ListedContent.objects.values_list("kind", "owner_id", "channel_id", *FLAGS)
    return Counter(
        (kind, owner, sum(bit << place for place, bit in enumerate([*flags, kind == 0 and channel == owner])))
        for kind, owner, channel, *flags in rows
    )


def assert_derived():
    """The derived tables are what channels and contents say."""
    assert stored_ancestors() == expected_ancestors()
    assert stored_lists() == expected_lists()
    assert stored_counts() == expected_counts()
