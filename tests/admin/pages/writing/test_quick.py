"""The short form of a content, which the list opens in a dialog."""

import re
from datetime import datetime

import orjson
import pytest
from django.test import Client

from contents.models import Content, ContentDraft, CustomField
from tests.admin.pages.browsing import place
from tests.admin.pages.writing.forms import PAGE
from tests.admin.world import administrator_with
from tests.factories import ContentFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def content():
    content = ContentFactory(
        title="Old",
        sub_title="Below",
        tags="quay,tide",
        content="<p>Old</p>\r\n",
        is_checked=True,
        is_top=True,
        is_hot=True,
        group_name_collection="News,Gone",
        summary="One\nTwo ",
        add_date=datetime(2026, 5, 1, 12, 30, 15, 999),
        link_url="javascript:old",
        settings_xml='{"depth":"7","open":"True","others":[1]}',
    )
    CustomField.objects.filter(site_id=content.site_id, name="open").update(kind=CustomField.Kind.SWITCH)
    return content


def address(content):
    return f"{place(PAGE, 'quick', content.pk)}?_changelist_filters=q%3Dold"


def sent(client, content, **values):
    """Send the short form as it is shown, but for these values and with its button."""
    page = client.get(address(content)).content.decode().partition('<form method="post" class="action">')[2]
    fields = dict(re.findall(r'<input type="(?:hidden|text)" name="(\w+)" value="([^"]*)"', page))
    button = re.search(r'<button type="submit" class="button default" name="(\w+)"', page)[1]
    return fields | {button: "", "csrfmiddlewaretoken": ""} | values


def quick(client, content, **values):
    return client.post(address(content), sent(client, content, **values))


def stored(content):
    return Content.objects.values().get(pk=content.pk)


def test_what_is_not_shown_stays_as_it_is(highest, content):
    before = stored(content)
    answer = quick(highest, content)
    assert answer.url == f"{place(PAGE, 'changelist')}?q=old"
    assert "Nothing was changed." in highest.get(answer.url).content.decode()
    assert stored(content) == before
    quick(highest, content, title="New", tags="quay")
    changed = {name: value for name, value in stored(content).items() if value != before[name]}
    assert changed.keys() == {"title", "tags", "version", "last_edit_user_name", "last_edit_date"}
    assert (changed["title"], changed["tags"]) == ("New", "quay")


def test_an_author_changes_a_draft_of_what_is_public(content):
    author = Client()
    author.force_login(administrator_with("contents.change_content", "contents.view_content", user_name="anna"))
    before = stored(content)
    quick(author, content, title="New")
    assert stored(content) == before
    assert orjson.loads(ContentDraft.objects.get(content=content).draft_values)["title"] == "New"
    quick(author, content, title="Newer")
    assert orjson.loads(ContentDraft.objects.get(content=content).draft_values)["title"] == "Newer"


def test_another_change_meanwhile_is_not_overwritten(highest, content):
    form = sent(highest, content, title="New")
    quick(highest, content, title="Theirs")
    answer = highest.post(address(content), form)
    assert answer.status_code == 409
    assert stored(content)["title"] == "Theirs"


def test_after_an_error_the_whole_form_is_open_and_counts(highest, content):
    answer = quick(highest, content, title=" ")
    page = answer.content.decode()
    assert "Enter a title." in page
    assert 'name="_quick"' not in page
    whole = {"title": "New", "seen_version": content.version, "_save": ""}
    highest.post(address(content), whole)
    assert not stored(content)["is_hot"]  # a box that is not ticked is not sent


def test_who_may_only_look_has_no_short_form(content):
    reader = Client()
    reader.force_login(administrator_with("contents.view_content"))
    assert reader.get(address(content)).status_code == 404
    assert reader.post(address(content), {"title": "New", "_quick": "1"}).status_code == 404
    assert "row-edit" not in reader.get(place(PAGE, "changelist")).content.decode()
