"""`manage.py check_lists`: what it says of damaged tables, and that it mends them."""

from datetime import datetime
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection

from channels_app.models import ChannelAncestor
from contents.models import Content, ContentGroup, ContentTag, ListedContent, ListedCount, ListKind
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory
from tests.worlds import world

FINE = "The lists are correct."


def check(*options):
    """The exit status and the lines of the command."""
    out, status = StringIO(), 0
    try:
        call_command("check_lists", *options, stdout=out)
    except SystemExit as exit_:
        status = exit_.code
    return status, out.getvalue().splitlines()


@world
def content():
    """A content with a group and a tag, two channels below the home channel."""
    channel = ChannelFactory(parent=ChannelFactory())
    return ContentFactory(channel=channel, group_name_collection="g", tags="it's 50%", is_checked=True, is_hot=True)


def test_says_that_all_is_well(content):
    ContentFactory(trashed_at=datetime(2020, 1, 1), tags="t")
    ContentFactory(group_name_collection="a, b,a,, 头条")
    assert check() == (0, [FINE])
    assert check("--repair") == (0, [FINE])


@pytest.mark.django_db
def test_an_empty_database_is_well():
    assert check() == (0, [FINE])


def listed(content, kind=ListKind.CHANNEL):
    return ListedContent.objects.filter(content=content, kind=kind)


def run(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


def list_elsewhere(content):
    (row,) = ListedContent.objects.filter(content=content, kind=ListKind.TAG)
    row.kind, row.owner_id = ListKind.CHANNEL, ContentFactory().channel_id
    row.save(force_insert=True)


# What is done to the tables, and the lines that tell of it; {…} are filled in from the content.
DAMAGES = {
    "a row of a channel's list is gone": (
        lambda content: listed(content).filter(owner_id=content.channel_id).delete(),
        ["Content {content} is missing from the list of channel {channel}."],
    ),
    "a row of a tag's list is gone": (
        lambda content: listed(content, ListKind.TAG).delete(),
        ["Content {content} is missing from the list of tag {tag}."],
    ),
    "a row stands in the list of another site": (
        list_elsewhere,
        ["Content {content} does not belong in the list of channel {other}."],
    ),
    "a sort key is outdated": (
        lambda content: listed(content, ListKind.GROUP).update(taxis=-7),
        ["Content {content} has outdated keys in the list of content group {group}."],
    ),
    "a flag is outdated": (
        lambda content: listed(content, ListKind.GROUP).update(is_top=True),
        [
            "Content {content} has outdated keys in the list of content group {group}.",
            "The list of content group {group} counts 1 contents with checked hot set; it has 0.",
            "The list of content group {group} counts 0 contents with checked top hot set; it has 1.",
        ],
    ),
    "a count is wrong": (
        lambda content: ListedCount.objects.filter(kind=ListKind.TAG).update(contents=5),
        ["The list of tag {tag} counts 5 contents with checked hot set; it has 1."],
    ),
    "a count is gone": (
        lambda content: ListedCount.objects.filter(kind=ListKind.TAG).delete(),
        ["The list of tag {tag} counts 0 contents with checked hot set; it has 1."],
    ),
    "a count is left over": (
        lambda content: ListedCount.objects.create(kind=ListKind.TAG, owner_id=10**9, flags=0, contents=2),
        ["The list of tag 1000000000 counts 2 contents with no flag set; it has 0."],
    ),
    "a channel has lost its ancestor": (
        lambda content: ChannelAncestor.objects.filter(channel=content.channel, ancestor=content.site_id).delete(),
        ["Channel {channel} is not linked to channel {site}."],
    ),
    "a channel has a wrong ancestor": (
        lambda content: ChannelAncestor.objects.create(channel=content.channel.parent, ancestor=content.channel),
        ["Channel {parent} is linked to channel {channel}, which is not above it."],
    ),
    "the row of a tag is gone": (
        lambda content: ContentTag.objects.all().delete(),
        [
            "Site {site} has no tag it's 50%, which contents use.",
            "Content {content} does not belong in the list of tag {tag}.",
        ],
    ),
    "the row of a group is gone": (
        lambda content: ContentGroup.objects.all().delete(),
        [
            "Site {site} has no content group g, which contents use.",
            "Content {content} does not belong in the list of content group {group}.",
        ],
    ),
}


@pytest.mark.parametrize("damage,lines", DAMAGES.values(), ids=DAMAGES)
def test_tells_of_damage_and_mends_it(content, damage, lines):
    group, tag = (model.objects.get().pk for model in (ContentGroup, ContentTag))
    damage(content)
    known = {
        "content": content.pk,
        "channel": content.channel_id,
        "parent": content.channel.parent_id,
        "site": content.site_id,
        "group": group,
        "tag": tag,
        "other": Content.objects.latest("id").channel_id,
    }
    expected = [line.format(**known) for line in lines]
    status, found = check()
    assert status == 1
    assert found == [*expected, f"Differences: {len(expected)}."]
    assert check("--repair") == (0, [*expected, f"Differences: {len(expected)}. The tables were rebuilt.", FINE])
    assert check() == (0, [FINE])
    assert_derived()


def test_checking_changes_nothing(content):
    ListedCount.objects.update(contents=5)
    check()
    assert set(ListedCount.objects.values_list("contents", flat=True)) == {5}


def test_mends_tables_that_are_empty(content):
    for table in (
        "contents_listedcontent",
        "contents_listedcount",
        "contents_contenttag",
        "channels_app_channelancestor",
    ):
        run(f"DELETE FROM {table}")
    assert check("--repair")[0] == 0
    assert_derived()


def test_exits_with_1_when_differences_remain(content, monkeypatch):
    # Only a writer with the triggers switched off could bring this about in time.
    monkeypatch.setattr("contents.lists.derived_tables.rebuild", lambda: None)
    ListedCount.objects.all().delete()
    status, lines = check("--repair")
    assert status == 1
    assert lines[-1].startswith("Differences: ")


def test_has_a_help_text(capsys):
    with pytest.raises(SystemExit):
        call_command("check_lists", "--help")
    assert "--repair" in capsys.readouterr().out
