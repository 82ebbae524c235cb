"""The pages of contents: the list, a content, approval, the way to the trash and back."""

import re

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.text import capfirst

from contents.models import Content, CustomField
from contents.services.single import trash_contents
from core.admin import admin_actions, paging
from tests.admin.pages.browsing import act, listed, noted, place, told, undo
from tests.admin.world import administrator_with
from tests.contents.derived import assert_derived
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory, SiteFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"


def test_the_list_can_be_narrowed_by_site_channel_approval_flag_and_title(highest):
    site = SiteFactory()
    above = ChannelFactory(site=site)
    below = ChannelFactory(parent=above)
    first = ContentFactory(channel=above, title="Harbour", is_checked=True)
    second = ContentFactory(channel=below, title="Lighthouse", is_top=True)
    third = ContentFactory(channel=ChannelFactory(site=site), title="Museum")
    other = ContentFactory(title="Elsewhere")

    def rows(**query):
        return set(listed(highest, PAGE, **query))

    assert rows() == {first, second, third, other}
    assert rows(site__id__exact=site.pk) == {first, second, third}
    assert rows(site__id__exact=site.pk, channel__id__exact=above.pk) == {first, second}
    assert rows(channel__id__exact=below.pk) == {second}
    assert rows(is_checked__exact=1) == {first}
    assert rows(is_top__exact=1) == {second}
    assert rows(q="LIGHTH") == {second}
    assert rows(site__id__exact="x") == rows(channel__id__exact="٣") == set()


def test_a_trashed_content_is_not_shown(highest):
    gone = ContentFactory(trashed_at="2026-01-01 00:00:00")
    assert listed(highest, PAGE) == []
    assert highest.get(place(PAGE, "change", gone.pk)).status_code == 404


def test_who_may_only_look_sees_all_members_and_the_body_without_rights(client):
    client.force_login(administrator_with("contents.view_content"))
    content = ContentFactory(title="开放日", content='<p>Doors "open"</p><script>alert(1)</script>', author="Ann")
    text = client.get(place(PAGE, "change", content.pk)).content.decode()
    frame = re.search("<iframe[^>]*>", text)[0]
    assert " sandbox " in frame
    assert f'src="{place(PAGE, "body", content.pk)}"' in frame
    assert "<script>alert" not in text
    assert "开放日" in text
    assert "Ann" in text


def shown_fields(browser, content):
    """The labels and values of the page of whoever may only look."""
    page = browser.get(place(PAGE, "change", content.pk)).context["adminform"]
    shown = [each for fieldset in page for line in fieldset for each in line]
    return {capfirst(str(each.field["label"])): each.contents() for each in shown}


def test_who_may_only_look_sees_custom_fields_by_their_labels(client):
    client.force_login(administrator_with("contents.view_content"))
    settings = {
        "isbn": "978-3",
        "pages": 12,
        "empty": "",
        "TitleFormatString": "False_False_False_",
        "check_isadmin": "True",
        "check_username": "harriet",
    }
    content = ContentFactory(settings_xml=orjson.dumps(settings).decode())
    CustomField.objects.create(site=content.site, name="isbn", folded_name="isbn", label="ISBN <1>")
    assert shown_fields(client, content)["Custom fields"] == "ISBN &lt;1&gt;: 978-3<br>pages: 12"
    assert shown_fields(client, ContentFactory())["Custom fields"] == "-"


@pytest.mark.parametrize("number", [0, -99])
def test_numbers_of_other_contents_are_shown_if_there_are_any(client, number):
    client.force_login(administrator_with("contents.view_content"))
    alone = shown_fields(client, ContentFactory(source_id=number, taxis=7, is_color=True, checked_level=1))
    assert not {"Copied from ID", "Refers to content ID"} & alone.keys()
    assert alone["Position"] == "7"
    assert "Highlighted" in alone
    assert alone["State"] == "Passed level 1"
    related = shown_fields(client, ContentFactory(source_id=5, reference_id=6))
    assert (related["Copied from ID"], related["Refers to content ID"]) == ("5", "6")


def test_a_body_has_an_address_of_its_own_and_no_rights(highest):
    content = ContentFactory(content='<p style="color: red">开放</p><script>alert(1)</script>')
    answer = highest.get(place(PAGE, "body", content.pk))
    assert '<p style="color: red">开放</p><script>alert(1)</script>' in answer.content.decode()
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert "no-store" in answer["Cache-Control"]
    policy = answer["Content-Security-Policy"].split("; ")
    assert {"sandbox", "default-src 'none'", "frame-ancestors 'self'", "form-action 'none'"} <= set(policy)
    assert not [rule for rule in policy if rule.startswith(("script-src", "frame-src", "connect-src"))]


def test_a_body_is_read_by_whoever_may_see_the_content(client):
    own, other = ContentFactory(content="own"), ContentFactory(content="other")
    gone = ContentFactory(channel=own.channel, content="gone", trashed_at="2026-01-01 00:00:00")
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    assert client.get(place(PAGE, "body", own.pk)).content.count(b">own<") == 1
    assert client.get(place("contents_trashedcontent", "body", gone.pk)).content.count(b">gone<") == 1
    for hidden in (
        place(PAGE, "body", other.pk),
        place(PAGE, "body", gone.pk),
        place("contents_trashedcontent", "body", own.pk),
        place(PAGE, "body", 10**30),
    ):
        assert client.get(hidden).status_code == 404
    client.force_login(AdministratorFactory(is_superuser=False))  # of no group
    assert client.get(place(PAGE, "body", own.pk)).status_code == 404
    client.logout()
    assert client.get(place(PAGE, "body", own.pk)).status_code == 302


def test_an_act_asks_before_and_tells_what_it_did(highest):
    one, two = ContentFactory(title="One"), ContentFactory(title="Two", is_checked=True)
    asked = highest.post(place(PAGE), {"action": "approve", "_selected_action": [one.pk, two.pk]})
    # One is approved already.
    assert "Approve 1 content item?" in asked.content.decode()
    assert not Content.objects.get(pk=one.pk).is_checked
    answer = highest.post(asked.context["action_address"], {"ids": asked.context["ids"]})
    assert told(answer) == ["1 content item was approved."]
    stored = Content.objects.get(pk=one.pk)
    assert stored.is_checked
    assert "harriet" in stored.settings_xml
    assert Content.objects.get(pk=two.pk).version == 1
    (entry,) = noted("content.approved")
    assert (entry.actor_name, entry.object_id) == ("harriet", str(one.pk))
    assert_derived()


def test_what_was_moved_to_the_trash_comes_back_by_undo(highest):
    contents = [ContentFactory(tags="t"), ContentFactory()]
    answer = act(highest, PAGE, "trash", *contents)
    assert listed(highest, PAGE) == []
    assert told(undo(highest, answer)) == ["2 changes were undone."]
    assert set(listed(highest, PAGE)) == set(contents)
    assert Content.objects.get(pk=contents[0].pk).version == 3
    assert [entry.action for entry in noted() if entry.action.startswith("content.")] == [
        *["content.trashed"] * 2,
        *["content.restored"] * 2,
    ]
    assert_derived()


def test_the_list_comes_back_as_it_was(highest):
    content = ContentFactory()
    query = f"?site__id__exact={content.site_id}"
    asked = highest.post(place(PAGE) + query, {"action": "trash", "_selected_action": [content.pk]})
    sent = {"ids": asked.context["ids"], "list": asked.context["list_query"]}
    assert highest.post(asked.context["action_address"], sent)["Location"] == place(PAGE) + query


def test_an_act_on_what_has_gone_meanwhile_tells_so(highest):
    content = ContentFactory()
    act(highest, PAGE, "trash", content)
    assert act(highest, PAGE, "trash", content).status_code == 404


@pytest.mark.parametrize("ids", ["", "x", "1,", "9" * 30, "-1", "1 OR 1"])
def test_an_act_on_nothing_is_404(highest, ids):
    assert highest.post(place(PAGE, "action", "trash"), {"ids": ids}).status_code == 404
    assert highest.get(place(PAGE, "action", "trash"), {"ids": ids}).status_code == 404


def test_an_act_needs_the_token_against_forgery(client, highest):
    content = ContentFactory()
    client.handler.enforce_csrf_checks = True
    assert act(client, PAGE, "trash", content).status_code == 403


def test_at_most_so_many_records_at_a_time(highest, monkeypatch):
    monkeypatch.setattr(admin_actions, "MAX", 1)
    chosen = [ContentFactory().pk, ContentFactory().pk]
    answer = highest.post(place(PAGE), {"action": "trash", "_selected_action": chosen})
    assert answer.status_code == 302
    assert told(answer) == ["Choose at most 1 records at a time."]


def test_a_list_leads_to_the_first_ones_and_counts_all(highest, monkeypatch):
    monkeypatch.setattr(paging, "MAX", 2)
    for _ in range(3):
        ContentFactory()
    shown = highest.get(place(PAGE)).context["cl"]
    assert (shown.result_count, shown.paginator.count) == (3, 2)


@pytest.mark.parametrize("query", [{}, {"site__id__exact": 1}, {"q": "a"}])
def test_a_list_reads_neither_bodies_nor_every_row(highest, query):
    channel = ChannelFactory()
    for _ in range(20):
        ContentFactory(channel=channel)
    if query.get("site__id__exact"):
        query = {"site__id__exact": channel.site_id}
    with CaptureQueriesContext(
        connection,
    ) as queries:
        highest.get(place(PAGE), query)
    assert len(queries) <= 30
    statements = [each["sql"] for each in queries if "contents_content" in each["sql"]]
    assert not any("settings_xml" in sql or "contentbody" in sql for sql in statements)
    assert all("LIMIT" in sql for sql in statements if "COUNT" in sql)


def test_an_error_leaves_the_portions_before_it_done_and_says_so(highest, monkeypatch):
    first, second, third, fourth, fifth = contents = ContentFactory.create_batch(5)

    def trash(seen):
        done = trash_contents(seen)
        if fourth.pk in [each.number for each in seen]:
            raise RuntimeError("The disk is full.")
        return done

    monkeypatch.setattr(admin_actions, "BATCH_SIZE", 2)
    monkeypatch.setattr("contents.services.single.trash_contents", trash)
    highest.raise_request_exception = False
    assert act(highest, PAGE, "trash", *contents).status_code == 500
    assert set(Content.objects.live()) == {third, fourth, fifth}
    assert [entry.object_id for entry in noted()] == [str(first.pk), str(second.pk)]
    page = highest.get(place(PAGE)).content.decode()
    assert "2 content items were moved to the trash." in page
    assert "Because of an error, 3 were not changed." in page
