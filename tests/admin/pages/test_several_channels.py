"""Several channels at once, out of a list of names."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from channels_app.models import Channel
from channels_app.outline import read_outline
from core.audit.models import AuditEntry
from core.lib.errors import ServiceError
from tests.admin.pages.browsing import place, told
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import ChannelFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "channels_app_channel"


def send(browser, parent, names, **more):
    address = f"{place(PAGE, 'several', parent.site_id)}?below={parent.pk}"
    return browser.post(address, {"names": names} | more)


def write(channel):
    below = " ".join(write(each) for each in channel.children.filter(trashed_at=None).order_by("taxis"))
    return f"{channel}({below})" if below else str(channel)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("News", [(0, "News", "")]),
        ("News\n  Sea\n  Land\nShips", [(0, "News", ""), (1, "Sea", ""), (1, "Land", ""), (0, "Ships", "")]),
        ("News\n\tSea\n\t\tTugs", [(0, "News", ""), (1, "Sea", ""), (2, "Tugs", "")]),
        ("新闻(news)\n\u3000海事(sea)", [(0, "新闻", "news"), (1, "海事", "sea")]),
        ("— News\n— — Sea", [(0, "News", ""), (1, "Sea", "")]),
        ("A\n    B\n  C", [(0, "A", ""), (1, "B", ""), (1, "C", "")]),
        ("\n  News (old)  \r\n\n", [(0, "News", "old")]),
        ("Ships (big) and tugs", [(0, "Ships (big) and tugs", "")]),
        ("(news)", [(0, "(news)", "")]),
        ("News ()", [(0, "News", "")]),
        ("<b onclick=ran>News</b> (<i>n</i>)", [(0, "<b>News</b>", "<i>n</i>")]),
    ],
)
def test_a_list_is_read(text, expected):
    assert [line[1:] for line in read_outline(text)] == expected


@pytest.mark.parametrize(
    "text", ["", " \n\t\n—", "x\n" * 501, "x" * 256, "a(n)\nb(n)", "a(" + "n" * 256 + ")", "a\0b", "<script>x</script>"]
)
def test_a_list_that_cannot_be_is_refused(text):
    with pytest.raises(ServiceError):
        read_outline(text)


def test_a_long_line_is_read_at_once():
    with pytest.raises(ServiceError):
        read_outline("x" + " (" * 60_000 + "y")


def test_the_preview_adds_nothing(highest):
    parent = ChannelFactory()
    page = send(highest, parent, "News (news)\n  Sea").content.decode()
    assert "2 channels would be added" in page
    assert '<li data-depth="1">Sea</li>' in page
    assert not parent.children.exists()


def test_channels_are_added_behind_those_that_are_there(highest):
    parent = ChannelFactory(channel_name="Top")
    ChannelFactory(parent=parent, channel_name="Old")
    ChannelFactory(site=parent.site)
    answer = send(highest, parent, "News (news)\n  Sea\n    Tugs\n  Land\nShips", add="1")
    assert told(answer) == ["5 channels were added."]
    assert write(parent) == "Top(Old News(Sea(Tugs) Land) Ships)"
    assert Channel.objects.get(index_name="news").children_count == 2
    assert AuditEntry.objects.filter(action="channel.created", actor_name="harriet").count() == 5
    assert_derived()


def test_an_index_name_that_is_taken_leaves_everything_as_it_was(highest):
    parent = ChannelFactory()
    ChannelFactory(site=parent.site, index_name="sea")
    page = send(highest, parent, "News\nSea (sea)", add="1").content.decode()
    assert "Line 2: another channel has the index name “sea”." in page
    assert "News\nSea (sea)" in page
    assert not parent.children.exists()


def test_a_channel_that_takes_none_says_so(highest):
    parent = ChannelFactory(settings={"isChannelAddable": False})
    assert "do not allow channels below it" in send(highest, parent, "News", add="1").content.decode()
    assert not parent.children.exists()


def test_many_cost_hardly_more_than_few(highest):
    parent = ChannelFactory()
    costs = []
    for number in (3, 300):
        with CaptureQueriesContext(connection) as queries:
            send(highest, parent, "\n".join(f"Pier {each}" for each in range(number)), add="1")
        costs.append(len(queries))
    assert parent.children.count() == 303
    # SQLite takes so many rows in one statement only.
    assert costs[1] < costs[0] + 20
    assert_derived()


def test_adding_several_needs_the_right_to_add(client):
    parent = ChannelFactory()
    client.force_login(administrator_with("channels_app.view_channel", "channels_app.change_channel"))
    assert send(client, parent, "News", add="1").status_code == 404
    assert not parent.children.exists()


def test_a_parent_of_another_site_is_404(highest):
    address = f"{place(PAGE, 'several', SiteFactory().pk)}?below={ChannelFactory().pk}"
    assert highest.get(address).status_code == 404
