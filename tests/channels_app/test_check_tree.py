"""`manage.py check_tree`: what it says of damaged trees, and that it mends them."""

from datetime import datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from channels_app.models import Channel, ChannelAncestor, TreeVersion
from core.lib import triggers
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
FINE = "The trees are correct."
TRIGGERS = ["added", "moved", "removed"]


def check(*options):
    """The exit status and the lines of the command."""
    out, status = StringIO(), 0
    try:
        call_command("check_tree", *map(str, options), stdout=out)
    except SystemExit as exit_:
        status = exit_.code
    return status, out.getvalue().splitlines()


def write(sql, *params):
    """Change the tables past the triggers that keep the table of ancestors."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(sql, params)
            cursor.execute("SET LOCAL session_replication_role = origin")
            return
        for name in TRIGGERS:
            cursor.execute(f"DROP TRIGGER channels_app_channel_{name}")
        cursor.execute(sql, params)
    (files,) = (each for each in triggers.registered if each.app == "channels_app")
    files.install(connection)


def update(channel, **values):
    """Change columns of the channel past services and triggers."""
    columns = ", ".join(f"{name} = %s" for name in values)
    write(f"UPDATE channels_app_channel SET {columns} WHERE id = %s", *values.values(), channel.pk)


class Family:
    """home (a (b (c)), d), a site with four channels and a content in each of two."""

    def __init__(self):
        self.site = SiteFactory()
        self.home = Channel.objects.get(pk=self.site.pk)
        self.a = ChannelFactory(site=self.site)
        self.b = ChannelFactory(parent=self.a)
        self.c = ChannelFactory(parent=self.b)
        self.d = ChannelFactory(site=self.site)
        self.other = ChannelFactory()
        ContentFactory(channel=self.c, tags="t")
        ContentFactory(channel=self.d)

    def numbers(self):
        return {name: each.pk for name, each in vars(self).items()} | {"other_site": self.other.site_id}


@world
def family():
    return Family()


def placed(site):
    """Each channel of the site with its parent, in the order of the tree."""
    return list(Channel.objects.in_site(site.pk).values_list("pk", "parent_id"))


@pytest.mark.usefixtures("family")
def test_says_that_all_is_well():
    assert check() == (0, [FINE])
    assert check("--repair") == (0, [FINE])


def test_an_empty_database_is_well():
    assert check() == (0, [FINE])


def test_channels_in_the_trash_may_say_anything(family):
    update(family.d, trashed_at=datetime(2020, 1, 1), taxis=-3, parents_path="x")
    Channel.objects.filter(pk=family.home.pk).update(children_count=1)
    Channel.objects.filter(pk=family.a.pk).update(is_last_node=True)
    assert check() == (0, [FINE])


# What is done to the channels, and the lines that tell of it; {…} are filled in from the family.
FIGURES = {
    "a path is wrong": (
        lambda family: update(family.c, parents_path="7"),
        ['Channel {c} has "7" as parentsPath; it should be "{home},{a},{b}".'],
    ),
    "a depth is wrong": (
        lambda family: update(family.c, parents_count=9),
        ["Channel {c} has 9 as parentsCount; it should be 3."],
    ),
    "a number of children is wrong": (
        lambda family: update(family.home, children_count=0),
        ["Channel {home} has 0 as childrenCount; it should be 2."],
    ),
    "two are the last": (
        lambda family: update(family.a, is_last_node=True),
        ["Channel {a} has True as isLastNode; it should be False."],
    ),
    "none is the last": (
        lambda family: update(family.d, is_last_node=False),
        ["Channel {d} has False as isLastNode; it should be True."],
    ),
    "there is a gap": (
        lambda family: update(family.d, taxis=10**12),
        ["Channel {d} has 1000000000000 as taxis; it should be 5."],
    ),
    "a channel is numbered before its parent": (
        lambda family: update(family.c, taxis=0),
        ["Channel {c} has 0 as taxis; it should be 4."],
    ),
    "two have one number": (
        lambda family: update(family.d, taxis=2),
        ["Channel {d} has 2 as taxis; it should be 5."],
    ),
    "a channel was moved by hand": (
        lambda family: Channel.objects.filter(pk=family.b.pk).update(parent=family.home),
        [
            "Channel {home} has 2 as childrenCount; it should be 3.",
            "Channel {a} has 1 as childrenCount; it should be 0.",
            'Channel {b} has "{home},{a}" as parentsPath; it should be "{home}".',
            "Channel {b} has 2 as parentsCount; it should be 1.",
            "Channel {b} has True as isLastNode; it should be False.",
            'Channel {c} has "{home},{a},{b}" as parentsPath; it should be "{home},{b}".',
            "Channel {c} has 3 as parentsCount; it should be 2.",
        ],
    ),
    "the number of the tree is gone": (
        lambda family: TreeVersion.objects.filter(site=family.site).delete(),
        ["Site {site} has no version number of its tree."],
    ),
}


@pytest.mark.parametrize("damage,lines", FIGURES.values(), ids=FIGURES)
def test_tells_of_wrong_figures_and_mends_them(family, damage, lines):
    damage(family)
    expected = [line.format(**family.numbers()) for line in lines]
    assert check() == (1, [*expected, f"Differences: {len(expected)}."])
    assert check("--repair") == (0, [*expected, f"Differences: {len(expected)}. All were repaired."])
    assert check() == (0, [FINE])
    assert_derived()


def stray(family, parent_id):
    update(family.b, parent_id=parent_id)


def turn_round(family):
    update(family.a, parent_id=family.c.pk)


def trash(family, channel):
    update(channel, trashed_at=datetime(2020, 1, 1))


def lose_home(family):
    write("DELETE FROM channels_app_channel WHERE id = %s", family.home.pk)
    ChannelAncestor.objects.filter(ancestor=family.home).delete()


# What is done, the lines that tell of it before those of figures, and where the channels stand afterwards.
ASTRAY = {
    "below a channel in the trash": (
        lambda family: trash(family, family.a),
        ["Channel {b} is below channel {a}, which is in the trash."],
        "home: d b, b: c",
    ),
    "below a channel of another site": (
        lambda family: stray(family, family.other.pk),
        ["Channel {b} is below channel {other}, which belongs to site {other_site}."],
        "home: a d b, b: c",
    ),
    "below the home channel of another site": (
        lambda family: stray(family, family.other.site_id),
        ["Channel {b} is below channel {other_site}, which belongs to site {other_site}."],
        "home: a d b, b: c",
    ),
    "below nothing that there is": (
        lambda family: stray(family, 10**12),
        ["Channel {b} is below channel 1000000000000, which does not exist."],
        "home: a d b, b: c",
    ),
    "in a circle": (
        turn_round,
        ["Channel {a} is below itself, through channel {c}."],
        "home: d a, a: b, b: c",
    ),
    "two astray": (
        lambda family: (stray(family, family.other.pk), update(family.c, parent_id=10**12)),
        [
            "Channel {b} is below channel {other}, which belongs to site {other_site}.",
            "Channel {c} is below channel 1000000000000, which does not exist.",
        ],
        "home: a d b c",
    ),
    "the home channel is below another": (
        lambda family: update(family.home, parent_id=family.a.pk),
        ["Channel {home}, the home channel of its site, is below channel {a}."],
        "home: a d, a: b, b: c",
    ),
    "another channel is at the top": (
        lambda family: (update(family.home, parent_id=family.b.pk), update(family.b, parent_id=None)),
        [
            "Channel {home}, the home channel of its site, is below channel {b}.",
            "Channel {b} is below no channel, though it is not the home channel of site {site}.",
        ],
        "home: a d b, b: c",
    ),
    "the home channel is in the trash": (
        lambda family: trash(family, family.home),
        ["Channel {home}, the home channel of its site, is in the trash."],
        "home: a d, a: b, b: c",
    ),
    "there is no home channel": (
        lose_home,
        ["Site {site} has no home channel; there is no channel {home}."],
        "home: a d, a: b, b: c",
    ),
}


@pytest.mark.parametrize("damage,lines,tree", ASTRAY.values(), ids=ASTRAY)
@pytest.mark.parametrize("are_lists_rebuilt", [True, False])
def test_tells_of_channels_astray_and_brings_them_home(family, damage, lines, tree, are_lists_rebuilt):
    damage(family)
    if are_lists_rebuilt:  # whichever of the two commands comes first
        call_command("check_lists", "--repair", stdout=StringIO())
    numbers = family.numbers()
    expected = [line.format(**numbers) for line in lines]
    status, found = check()
    assert status == 1
    assert found[: len(expected)] == expected
    assert not [line for line in found[len(expected) : -1] if "it should be" not in line]
    assert check("--repair") == (0, [*found[:-1], f"Differences: {len(found) - 1}. All were repaired."])
    parents = {
        numbers[name]: numbers[parent] for part in tree.split(", ") for parent, names in [part.split(": ")]
        for name in names.split()
    }  # fmt: skip
    assert dict(placed(family.site)) == {family.site.pk: None} | parents
    assert check() == (0, [FINE])
    assert_derived()


def test_a_channel_that_is_brought_home_takes_its_trash_along(family):
    update(family.c, trashed_at=datetime(2020, 1, 1))
    Channel.objects.filter(pk=family.b.pk).update(children_count=0)
    family.c.contents.update(trashed_at=datetime(2020, 1, 1))
    stray(family, family.other.pk)
    assert check("--repair")[0] == 0
    above = ChannelAncestor.objects.filter(channel=family.c).values_list("ancestor_id", flat=True)
    assert set(above) == {family.c.pk, family.b.pk, family.home.pk}
    assert_derived()


def test_a_home_channel_that_is_made_anew_bears_the_name_of_the_site(family):
    lose_home(family)
    check("--repair")
    home = Channel.objects.get(pk=family.site.pk)
    assert (home.channel_name, home.site_id, home.parent_id) == (family.site.site_name, family.site.pk, None)


def test_a_home_channel_of_another_site_is_left_to_people(family):
    update(family.home, site_id=family.other.site_id, parent_id=family.other.pk)
    told = (
        f"Site {family.site.pk} has no home channel; channel {family.home.pk} belongs to site {family.other.site_id}."
    )
    lines = check("--repair", "--site", family.site.pk)
    assert lines == (1, [told, "Differences: 1."])
    # What the end of the test would object to.
    update(family.home, site_id=family.site.pk, parent_id=None)


def test_waits_for_check_lists_when_the_lists_are_wrong_as_well(family):
    stray(family, family.other.pk)
    # The content of c stands in a list of home of which the table of ancestors knows nothing.
    write("DELETE FROM contents_listedcount")
    ChannelAncestor.objects.filter(channel=family.c, ancestor=family.home).delete()
    content = family.c.contents.get()
    type(content.listings.first()).objects.create(
        content=content, kind=0, owner_id=family.home.pk, channel_id=family.c.pk, is_checked=False, is_top=False,
        is_recommend=False, is_hot=False, is_color=False, taxis=content.taxis, add_date=content.add_date,
    )  # fmt: skip
    before = placed(family.site)
    status, lines = check("--repair")
    assert status == 1
    assert lines[-2].startswith(f"Site {family.site.pk} was not repaired")
    assert lines[-1] == f"Differences: {len(lines) - 2}."
    assert placed(family.site) == before
    call_command("check_lists", "--repair", stdout=StringIO())
    assert check("--repair")[0] == 0
    assert_derived()


def test_a_repair_leaves_what_is_right_alone(family):
    before = list(Channel.objects.order_by("pk").values())
    Channel.objects.filter(pk=family.d.pk).update(taxis=77)
    check("--repair")
    assert list(Channel.objects.order_by("pk").values()) == before


def test_checking_changes_nothing(family):
    Channel.objects.update(taxis=5)
    before = list(Channel.objects.order_by("pk").values())
    assert check()[0] == 1
    assert list(Channel.objects.order_by("pk").values()) == before


def test_looks_at_the_asked_site_only(family):
    Channel.objects.update(children_count=5)
    lines = check("--site", family.other.site_id)[1]
    assert lines[-1] == "Differences: 2."
    check("--repair", "--site", family.other.site_id)
    assert check("--site", family.other.site_id) == (0, [FINE])
    assert check("--site", family.site.pk)[0] == 1


def test_refuses_a_site_that_does_not_exist():
    with pytest.raises(CommandError, match="There is no site 7"):
        check("--site", 7)


@pytest.mark.parametrize("shape", ["chain", "flat"])
def test_writes_the_figures_of_many_channels_in_few_statements(django_assert_max_num_queries, shape):
    home = Channel.objects.get(pk=SiteFactory().pk)
    size = 1500 if shape == "flat" else 300
    parent = home
    for _ in range(size if shape == "chain" else 0):
        parent = Channel.objects.create(site_id=home.pk, parent=parent, channel_name="channel")
    flat = [Channel(site_id=home.pk, parent=home, channel_name="channel") for _ in range(size)]
    Channel.objects.bulk_create(flat if shape == "flat" else [])
    with django_assert_max_num_queries(15):
        assert check("--repair")[0] == 0
    assert check() == (0, [FINE])
    last = Channel.objects.in_site(home.pk).last()
    assert (last.taxis, last.is_last_node) == (size + 1, True)
    assert last.parents_count == (size if shape == "chain" else 1)


def test_has_a_help_text_that_leads_to_check_lists(capsys):
    with pytest.raises(SystemExit):
        call_command("check_tree", "--help")
    shown = " ".join(capsys.readouterr().out.split())
    assert "--repair" in shown
    assert "check_lists" in shown
