"""Moves of channels from the tree: where they lead, what is refused, and the way back."""

import threading

import pytest
from django.db import connection, connections

from channels_app.models import Channel
from channels_app.moving import Position, Step, move_channels
from core.audit.models import AuditEntry
from core.lib.errors import ServiceError
from tests.admin.pages.browsing import place, told
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory
from tests.worlds import world

pytestmark = pytest.mark.django_db
PAGE = "channels_app_channel"


@world
def harbour():
    """Home with A (A1, A2), B, C."""
    site = SiteFactory(home_name="Home")
    made = {name: ChannelFactory(site=site, channel_name=name) for name in "ABC"}
    made |= {name: ChannelFactory(parent=made["A"], channel_name=name) for name in ("A1", "A2")}
    made["Home"] = Channel.objects.get(pk=site.pk)
    ContentFactory(channel=made["A1"])
    return made


def told_tree(harbour):
    """`Home(A(A1 A2) B C)`"""
    return write(Channel.objects.get(pk=harbour["Home"].pk))


def write(channel):
    below = " ".join(write(each) for each in channel.children.filter(trashed_at=None).order_by("taxis"))
    return f"{channel}({below})" if below else str(channel)


def seen(channel):
    channel.refresh_from_db()
    return f"{channel.pk}.{channel.parent_id or 0}"


def move(browser, harbour, names, where, target, **more):
    sent = {
        "channels": ",".join(seen(harbour[name]) for name in names.split()),
        "place": f"{where}.{seen(harbour[target])}",
    }
    return send(browser, harbour, sent | more)


def send(browser, harbour, sent):
    return browser.post(place(PAGE, "move", harbour["Home"].pk), sent, headers={"Accept": "application/json"}).json()


@pytest.mark.parametrize(
    ("names", "where", "target", "after"),
    [
        ("C", "before", "A", "Home(C A(A1 A2) B)"),
        ("C", "after", "A", "Home(A(A1 A2) C B)"),
        ("C", "last", "A", "Home(A(A1 A2 C) B)"),
        ("C", "first", "A", "Home(A(C A1 A2) B)"),
        ("A1", "after", "A2", "Home(A(A2 A1) B C)"),
        ("A1", "after", "A", "Home(A(A2) A1 B C)"),
        ("A", "last", "C", "Home(B C(A(A1 A2)))"),
        ("A", "last", "Home", "Home(B C A(A1 A2))"),
        ("C", "first", "Home", "Home(C A(A1 A2) B)"),
        ("B C", "before", "A", "Home(B C A(A1 A2))"),
        ("B C", "first", "A", "Home(A(B C A1 A2))"),
        ("A1 B", "last", "C", "Home(A(A2) C(A1 B))"),
        ("B", "after", "C", "Home(A(A1 A2) C B)"),
        ("B", "before", "C", "Home(A(A1 A2) B C)"),
    ],
)
def test_channels_are_moved_and_moved_back(highest, harbour, names, where, target, after):
    before = told_tree(harbour)
    outcome = move(highest, harbour, names, where, target)
    assert (outcome["done"], told_tree(harbour)) == (True, after)
    back = send(highest, harbour, {"moves": outcome["undo"]})
    assert (back["done"], told_tree(harbour)) == (True, before)
    again = send(highest, harbour, {"moves": back["undo"]})
    assert (again["done"], told_tree(harbour)) == (True, after)
    assert_derived()


def test_the_answer_tells_the_new_place(highest, harbour):
    assert move(highest, harbour, "C", "first", "A")["message"] == "“C” is now below “A”: 1 of 3."
    assert move(highest, harbour, "A1 A2", "last", "B")["message"] == "2 channels were moved."


@pytest.mark.parametrize(
    ("names", "where", "target", "why"),
    [
        ("A", "last", "A1", "cannot go below itself"),
        ("A", "last", "A", "cannot go below itself"),
        ("A", "after", "A2", "cannot go below itself"),
        ("Home", "last", "A", "home channel"),
        ("B", "before", "Home", "home channel"),
        ("B A", "last", "A2", "cannot go below itself"),
    ],
)
def test_a_move_that_leads_nowhere_is_refused_wholly(highest, harbour, names, where, target, why):
    before = told_tree(harbour)
    outcome = move(highest, harbour, names, where, target)
    assert why in outcome["message"]
    assert (outcome["done"], told_tree(harbour)) == (False, before)


def test_a_move_is_refused_once_the_channel_stands_elsewhere(highest, harbour):
    old = f"{harbour['A1'].pk}.{harbour['A'].pk}"
    move(highest, harbour, "A1", "last", "B")
    outcome = send(highest, harbour, {"channels": old, "place": f"last.{seen(harbour['C'])}"})
    assert "Someone else has moved channels since you opened the page" in outcome["message"]
    assert told_tree(harbour) == "Home(A(A2) B(A1) C)"


def test_a_move_is_refused_once_its_place_stands_elsewhere(highest, harbour):
    old = f"after.{harbour['A1'].pk}.{harbour['A'].pk}"
    move(highest, harbour, "A1", "last", "B")
    outcome = send(highest, harbour, {"channels": seen(harbour["C"]), "place": old})
    assert not outcome["done"]
    assert told_tree(harbour) == "Home(A(A2) B(A1) C)"


@pytest.mark.parametrize("gone", ["C", "B"])
def test_a_move_of_or_to_a_deleted_channel_is_refused(highest, harbour, gone):
    highest.post(place(PAGE, "action", "trash"), {"ids": str(harbour[gone].pk)})
    outcome = move(highest, harbour, "C", "last", "B")
    assert "no longer exists" in outcome["message"]
    assert not outcome["done"]


@pytest.mark.parametrize(
    "sent", [{}, {"channels": "x"}, {"moves": "1.2"}, {"channels": "1.2", "place": "beside.1.2"}, {"moves": ";"}]
)
def test_what_is_no_move_is_refused(highest, harbour, sent):
    assert send(highest, harbour, sent)["done"] is False


def test_a_move_is_in_the_audit(highest, harbour):
    move(highest, harbour, "B", "last", "C")
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.object_name, entry.actor_name) == ("channel.moved", "B", "harriet")


def test_without_scripts_a_place_is_chosen_in_the_tree(highest, harbour):
    tree = place(PAGE, "tree", harbour["Home"].pk)
    begun = highest.post(tree, {"_selected_action": [harbour["B"].pk, harbour["A1"].pk, harbour["A"].pk], "open": ""})
    asked = highest.get(begun["Location"] + f"&open={harbour['Home'].pk},{harbour['A'].pk}")
    # A1 goes along with A.
    assert [str(each) for each in asked.context["moving"]] == ["A", "B"]
    page = asked.content.decode()
    assert f'value="after.{seen(harbour["C"])}"' in page
    assert f'value="after.{seen(harbour["A2"])}"' not in page
    sent = {"channels": asked.context["moving_channels"], "place": f"after.{seen(harbour['C'])}"}
    answer = highest.post(place(PAGE, "move", harbour["Home"].pk), sent)
    assert answer["Location"] == tree
    assert told_tree(harbour) == "Home(C A(A1 A2) B)"
    message = told(answer)[0]
    assert message.startswith("2 channels were moved.")
    undo = message.partition('href="')[2].partition('"')[0].replace("&amp;", "&")
    asked = highest.get(undo)
    assert "Move the channels back to where they were?" in asked.content.decode()
    highest.post(undo.partition("?")[0], {"moves": asked.context["moves"]})
    assert told_tree(harbour) == "Home(A(A1 A2) B C)"


def test_a_refusal_is_told_without_scripts(highest, harbour):
    sent = {"channels": seen(harbour["A"]), "place": f"last.{seen(harbour['A1'])}", "open": "1,2"}
    answer = highest.post(place(PAGE, "move", harbour["Home"].pk), sent)
    assert told(answer) == ["A channel cannot go below itself."]
    assert answer["Location"].endswith("?open=1%2C2")


def test_a_nonsensical_way_back_is_404(highest, harbour):
    assert highest.get(place(PAGE, "move", harbour["Home"].pk), {"moves": "x"}).status_code == 404


def test_moving_needs_the_right_to_change(client, harbour):
    client.force_login(administrator_with("channels_app.view_channel", "channels_app.add_channel"))
    address = place(PAGE, "move", harbour["Home"].pk)
    sent = {"channels": seen(harbour["B"]), "place": f"last.{seen(harbour['C'])}"}
    assert client.post(address, sent).status_code == 404
    assert told_tree(harbour) == "Home(A(A1 A2) B C)"


def test_a_site_administrator_moves_on_own_sites(client, harbour):
    site_id = harbour["Home"].pk
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(site_id)))
    assert move(client, harbour, "B", "last", "C")["done"]


def test_a_channel_of_another_site_cannot_come_here(highest, harbour):
    harbour["X"] = ChannelFactory()
    assert not move(highest, harbour, "X", "last", "C")["done"]
    assert not move(highest, harbour, "C", "last", "X")["done"]


@pytest.mark.django_db(transaction=True)
def test_two_moves_at_once_that_would_make_a_circle_leave_a_tree():
    site = SiteFactory()
    one, other = ChannelFactory(site=site), ChannelFactory(site=site)
    steps = [
        Step(one.pk, site.pk, Position.LAST, other.pk, site.pk),
        Step(other.pk, site.pk, Position.LAST, one.pk, site.pk),
    ]
    done, barrier = [], threading.Barrier(2)

    def run(step):
        barrier.wait(10)
        try:
            move_channels(site.pk, [step])
            done.append(step)
        except ServiceError:
            pass
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(step,)) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(done) == 1
    assert connection.vendor and sorted(Channel.objects.filter(site=site).values_list("parents_count", flat=True)) == [
        0,
        1,
        2,
    ]
    assert_derived()
