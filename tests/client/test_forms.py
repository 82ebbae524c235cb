"""Forms of visitors, through both clients, against a real server."""

import pytest
from cms_client import BadRequest, NotFound, PreconditionFailed, Unauthorized

pytestmark = pytest.mark.large
MAKE = """
from forms.models import Field, Form
form, _ = Form.objects.get_or_create(site_id=1, name="Visit", defaults={"guard": "off"})
Field.objects.get_or_create(form=form, key="name", defaults={"label": "Name", "is_required": True})
form.entries.all().delete()
for number in range(5):
    form.entries.create(values={str(form.fields.get().pk): f"Ann {number}"})
"""


@pytest.fixture
def entries(museum, client):
    """The client's operations; five entries of the form are there."""
    museum.manage("shell", "-c", MAKE)
    return client.forms


def test_a_page_sends_without_a_key(entries, make, address):
    stranger = make(address, None).forms
    assert [field["attributeName"] for field in stranger.styles(1, "visit")["styles"]] == ["name"]
    sent = stranger.submit(1, "visit", {"name": "王小明"}, channel_id=11)
    [entry] = entries.entries(1, "visit", guid=sent["id"])
    assert (entry["values"], entry["channelId"], entry["source"]) == ({"name": "王小明"}, 11, "api")
    with pytest.raises(BadRequest) as caught:
        stranger.submit(1, "visit", {"name": ""})
    assert caught.value.code == "form_invalid" and caught.value.members["errors"].keys() == {"name"}
    with pytest.raises(NotFound):
        stranger.entries(1, "visit")
    with pytest.raises(Unauthorized):
        stranger.list(1)


def test_a_program_reads_changes_and_deletes(entries):
    form = next(each for each in entries.list(1, top=10) if each["name"] == "Visit")
    page = entries.entries(1, form["id"], per_page=2, state="new", word="ann")
    assert (len(page), page.total) == (2, 5)
    assert len({entry["id"] for entry in entries.iterate(1, "Visit", per_page=2)}) == 5
    entry = entries.get(1, page[0]["id"])
    assert entry == page[0]
    assert entries.update(1, entry["id"], {"replyContent": "See you"})["state"] == "read"
    with pytest.raises(PreconditionFailed):
        entries.update(1, entry["id"], {"state": "spam"}, if_match='"0"')
    assert entries.delete(1, entry["id"])["replyContent"] == "See you"
    with pytest.raises(NotFound):
        entries.get(1, entry["id"])
    with pytest.raises(TypeError):
        entries.entries(1, "visit", status="new")
