"""The history of a content in the back end: versions, differences, the way back; changes across sites."""

import html
import re
from datetime import datetime

import orjson
import pytest
from django.db import connection

from contents.admin.history import changes as change_pages
from contents.models import Content, ContentChange, CustomField
from contents.services.moving import copy_contents
from contents.services.single import trash_content
from contents.storing.history import version_of
from contents.storing.locking import Seen, only
from core.admin.formatting import tell_moment
from search.following import follow
from tests.admin.markup import offences
from tests.admin.pages.browsing import act, listed, place, told
from tests.admin.world import administrator_with
from tests.contents.trash import restore_content
from tests.factories import AdministratorFactory, ChannelFactory, ContentFactory

pytestmark = pytest.mark.django_db
PAGE = "contents_content"


def put(api, content, /, **members):
    """Change it by the API."""
    answer = api.put(f"/api/v1/contents/{content.site_id}/{content.channel_id}/{content.pk}", members)
    assert answer.status_code == 200, answer.content
    return Content.objects.get(pk=content.pk)


@pytest.fixture
def changed(client_with_key):
    """A content of three versions: another title, then another body and a member of its own."""
    robot = client_with_key(name="robot", administrator=AdministratorFactory(user_name="olga"))
    made = ContentFactory(
        title="Old title", content="<p>Doors open at nine.</p><p>All are welcome.</p>", add_user_name="ada"
    )
    put(robot, made, title="New title", isTop=True)
    return put(robot, made, content="<p>Doors open at ten.</p><p>All are welcome.</p>", width=12)


def page(browser, name, /, *arguments, **query):
    answer = browser.get(place(PAGE, name, *arguments), query)
    assert answer.status_code == 200
    assert offences(answer) == []
    return answer.content.decode()


def test_the_history_tells_who_changed_what_and_leads_on(highest, changed):
    CustomField.objects.filter(name="width").update(label="Width of the picture")
    text = page(highest, "history", changed.pk)
    assert text.count("olga, by the API key “robot”") == 2
    for words in ("<del>Old title</del>", "<ins>New title</ins>", 'title="isTop">Pinned', "Width of the picture"):
        assert words in text
    assert "The first version" in text
    assert "ada" in text
    for view, arguments in (("past", [1]), ("past", [2]), ("revert", [1]), ("revert", [2])):
        assert f'href="{place(PAGE, view, changed.pk, *arguments)}"' in text
    assert f'href="{place(PAGE, "revert", changed.pk, 3)}"' not in text  # as it is now
    assert f"{place(PAGE, 'compare', changed.pk)}?from=1&amp;to=2" in text


def test_the_trash_stands_in_the_history(highest, changed):
    trash_content(changed.site_id, changed.channel_id, changed.pk)
    answer = highest.get(place("contents_trashedcontent", "history", changed.pk))
    rows = [row.what for row in answer.context["history"].rows]
    assert rows[0] == "Content moved to the trash"
    assert "Restore this version" not in answer.content.decode()
    restore_content(changed.site_id, changed.pk)
    answer = highest.get(place(PAGE, "history", changed.pk))
    assert {row.what for row in answer.context["history"].rows} >= {"Content restored from the trash", "Changed"}


def test_a_content_that_never_changed_has_its_beginning(highest):
    text = page(highest, "history", ContentFactory(add_user_name="ada", added_by_key="importer").pk)
    assert "ada" in text
    assert "ada, by the API key “importer”" in text


def test_the_beginning_tells_when_it_was_edited_and_not_the_date_that_its_writers_chose(highest):
    dates = {"add_date": datetime(2019, 5, 1, 9), "last_edit_date": datetime(2026, 11, 20, 16, 29)}
    content = ContentFactory(add_user_name="ada", last_edit_user_name="bert", **dates)
    told = re.sub(r"<[^>]*>", "", page(highest, "history", content.pk))
    assert f"Last edited: {tell_moment(content.last_edit_date)} · bert" in told
    assert "Added by: ada · Content date: 2019-05-01 09:00" in told
    copy = only(copy_contents([Seen(content.site_id, content.pk)], content.channel_id, "cleo"))
    beginning = highest.get(place(PAGE, "history", copy)).context["history"].beginning
    assert (beginning.added_by, beginning.editor, beginning.date) == ("cleo", "cleo", dates["add_date"])
    assert beginning.edited_at > dates["last_edit_date"]


def test_the_number_of_a_request_is_told_as_such_and_leads_to_the_audit(highest, changed):
    number = ContentChange.objects.filter(content=changed).latest("version").request_id
    text = page(highest, "history", changed.pk)
    address = f"{place('audit_auditentry')}?q={number}"
    told = "Request ID, also in the audit log and the access log:"
    assert f'<summary>Request</summary>{told} <a href="{address}">{number}</a>' in text


def many_changes(number):
    content = ContentFactory(title=str(number), version=number + 1)
    ContentChange.objects.bulk_create(
        ContentChange(
            content=content,
            site_id=content.site_id,
            version=version,
            actor_kind="command",
            before=f'{{"title":"{version - 2}","settings_xml":"{{\\"n\\":{version - 2}}}"}}',
            body_before=str(version),
        )
        for version in range(2, number + 2)
    )
    return content


def test_a_long_history_is_read_by_pages(highest, django_assert_max_num_queries):
    content = many_changes(300)
    with django_assert_max_num_queries(25):
        answer = highest.get(place(PAGE, "history", content.pk), {"p": "12"})
    history = answer.context["history"]
    assert [row.version for row in history.rows][:2] == [26, 25]
    # What the change of version 26 made of the title, told by the changes after it.
    assert history.rows[0].changes[0][2:] == ("24", "25")
    assert history.beginning.version == 1
    first = highest.get(place(PAGE, "history", content.pk)).context["history"]
    assert first.beginning is None
    assert first.rows[0].is_present


def test_two_versions_are_compared_by_text_and_by_source(highest, changed):
    text = page(highest, "compare", changed.pk, **{"from": 1, "to": 3})
    for words in ("<del>Old</del> title", "<ins>New</ins> title", "<del>nine</del><ins>ten</ins>"):
        assert words in text
    assert "All are welcome." in text
    assert "&lt;p&gt;" not in text
    source = page(highest, "compare", changed.pk, **{"from": 1, "to": 3, "view": "source"})
    assert "&lt;p&gt;Doors open at <del>nine</del><ins>ten</ins>.&lt;/p&gt;" in source
    # The other way round is the same, and nothing given is what the last change did.
    assert "<del>nine</del><ins>ten</ins>" in page(highest, "compare", changed.pk, **{"from": 3, "to": 1})
    assert "<del>nine</del>" in page(highest, "compare", changed.pk)


def test_chinese_is_compared_by_characters(highest, api):
    content = ContentFactory(title="开放日定于九月", content="<p>上午九点开门，欢迎参观。</p>")
    put(api, content, title="开放日定于十月", content="<p>上午十点开门，欢迎参观。</p>")
    text = page(highest, "compare", content.pk)
    for words in (
        "开放日定于<del>九</del>月",
        "开放日定于<ins>十</ins>月",
        "上午<del>九</del><ins>十</ins>点开门，欢迎参观。",
    ):
        assert words in text


def test_a_change_of_form_only_says_so(highest, api):
    content = ContentFactory(content="<p>One</p>")
    put(api, content, content="<p><b>One</b></p>")
    assert "The text is the same" in page(highest, "compare", content.pk)
    assert "<ins>&lt;b&gt;</ins>" in page(highest, "compare", content.pk, view="source")


def test_what_stands_in_contents_is_shown_as_text(highest, api):
    content = ContentFactory(title="One", content="<p>One</p>")
    evil = '<script>alert(1)</script><img src=x onerror="alert(1)">'
    content = put(api, content, title=evil, content=evil, summary=evil, **{"<b>x</b>": evil})
    for version in (2, 1):
        put(api, content, title=f"{evil}{version}")
    for text in (page(highest, "history", content.pk), page(highest, "compare", content.pk, **{"from": 1, "to": 2})):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<b>x</b>" not in text


@pytest.mark.large
@pytest.mark.any_database
def test_huge_and_hostile_bodies_are_compared_within_bounds(highest, api):
    words = "".join(f"<p>{number} {number * 7919 % 10007}</p>" for number in range(20_000))
    turned = "".join(f"<p>{number} {number * 7907 % 10009}</p>" for number in range(20_000))
    content = ContentFactory(content=words)
    for body in (turned, "<" * 500_000, "<div>" * 100_000, "开放" * 200_000):
        put(api, content, content=body)
        assert len(page(highest, "compare", content.pk)) < 300_000
        assert len(page(highest, "compare", content.pk, view="source")) < 300_000


# ---- within bounds, whatever is stored

MAX_BYTES = 300_000 - 110_000  # of a page, without the styles and scripts that it loads
HOSTILE = {"names": '"' * 240, "chinese": "字" * 240, "short": ""}


def with_many_fields(number, filler=""):
    """A content whose every change overwrote each of 8,000 custom fields."""
    fields = [
        {f"f{place}{filler}": f"{filler}{place} of {each}" for place in range(8000)} for each in range(number + 1)
    ]
    content = ContentFactory(title="0", version=number + 1, settings_xml=orjson.dumps(fields[-1]).decode())
    ContentChange.objects.bulk_create(
        ContentChange(
            content=content,
            site_id=content.site_id,
            version=version,
            actor_kind="command",
            before=orjson.dumps({"settings_xml": orjson.dumps(fields[version - 2]).decode(), "title": "x"}).decode(),
        )
        for version in range(2, number + 2)
    )
    return content


@pytest.mark.large
@pytest.mark.any_database
@pytest.mark.parametrize("filler", HOSTILE.values(), ids=HOSTILE.keys())
def test_thousands_of_custom_fields_make_no_page_heavy(highest, filler):
    content = with_many_fields(3 if filler else 25, filler)
    for view, arguments in (("history", []), ("compare", []), ("past", [2]), ("revert", [2])):
        assert len(highest.get(place(PAGE, view, content.pk, *arguments)).content) < MAX_BYTES, view


def test_no_field_of_a_change_is_out_of_reach(highest):
    content = with_many_fields(1)
    answer = highest.get(place(PAGE, "history", content.pk))
    row = answer.context["history"].rows[0]
    assert row.changes[0].member.wire == "title"  # own members first
    assert 0 < len(row.changes) <= 50
    assert len(row.changes) + row.more == 8001
    assert f"and {row.more} more</a>" in answer.content.decode()
    for view, arguments in (("compare", []), ("past", [1]), ("revert", [1])):
        first = page(highest, view, content.pk, *arguments)
        assert '<a href="?p=161">161</a>' in first
        assert re.search(r"1–50 of 80\d\d fields", first)
        assert "f7999" not in first
        assert "f7999" in page(highest, view, content.pk, *arguments, p=161)


@pytest.mark.large
@pytest.mark.any_database
def test_a_long_body_is_compared_and_shown_within_bounds(highest, api):
    old = "".join(f"<p>Paragraph {number} of a long body &amp; more.</p>" for number in range(45_000))
    assert len(old) > 2_000_000
    content = ContentFactory(content=old)
    content = put(api, content, content=old.replace("Paragraph", "'Section'"))
    compared = place(PAGE, "compare", content.pk)
    addresses = [
        (compared, {}),
        (compared, {"view": "source"}),
        (place(PAGE, "past", content.pk, 1), {}),
        (place(PAGE, "past_member", content.pk, 1, "content"), {}),
        (place(PAGE, "revert", content.pk, 1), {}),
    ]
    for address, query in addresses:
        answer = highest.get(address, query)
        assert answer.status_code == 200
        assert len(answer.content) < MAX_BYTES + 60_000, address
    looked_at = page(highest, "past", content.pk, 1)
    assert "<iframe" not in looked_at
    assert place(PAGE, "past_body", content.pk, 1) in looked_at


def test_a_long_value_is_cut_and_can_be_seen_whole(highest, api, settings):
    settings.CMS_MAX_CUSTOM_FIELD_BYTES = 1_000_000
    long = " ".join(f"word{number}" for number in range(20_000))
    content = ContentFactory(summary="short", settings_xml=orjson.dumps({"a/b?": "short"}).decode())
    content = put(api, content, summary=long, **{"a/b?": long})
    text = page(highest, "compare", content.pk)
    assert "word19999" not in text
    links = re.findall(r'class="whole" href="([^"]*)"', text)
    assert len(links) == 2
    for link in links:
        compared = highest.get(html.unescape(link)).content.decode()
        assert "<del>short</del>" in compared
        whole = re.search(r'href="([^"]*/versions/2/member/[^"]*)"', compared)[1]
        assert whole in page(highest, "past", content.pk, 2)
        parts = [highest.get(whole, {"p": number}).context["page"].object_list[0] for number in range(1, 8)]
        assert "".join(dict.fromkeys(parts)) == long
    assert highest.get(place(PAGE, "past_member", content.pk, 2, "nothing")).status_code == 404
    assert highest.get(place(PAGE, "compare_member", content.pk, "nothing")).status_code == 404


# ---- approval in words


def decide(browser, name, content, reasons):
    """Approve or reject it as it is now."""
    present = Content.objects.get(pk=content.pk)
    assert act(browser, PAGE, name, present, reasons=reasons).status_code == 302
    assert Content.objects.get(pk=content.pk).version == present.version + 1


def test_approval_is_told_in_the_words_of_the_form(highest):
    content = ContentFactory(is_checked=False, checked_level=0)
    decide(highest, "reject", content, "Too long")
    decide(highest, "approve", content, "Fine now")
    changes_text = [
        [(each.member.label, each.before, each.after) for each in row.changes]
        for row in highest.get(place(PAGE, "history", content.pk)).context["history"].rows
    ]
    assert changes_text == [
        [("State", "Rejected at level 1", "Approved")],
        [("State", "Waiting for approval", "Rejected at level 1")],
    ]
    text = re.sub("</?(?:ins|del)>", "", page(highest, "compare", content.pk))
    assert re.search(r"Approved by harriet on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d, reasons: Fine now", text)
    assert re.search(r"<td>by harriet on [-:0-9 ]{19}, reasons: Too long</td>", text)
    looked_at = page(highest, "past", content.pk, 2)
    assert "Rejected at level 1" in looked_at
    for raw in ("check_isadmin", "checkedLevel</", "-1<"):
        assert raw not in looked_at
    assert "State, " in re.sub("<[^>]*>", "", highest.get(place(CHANGES)).content.decode())


def test_a_decision_is_not_told_of_a_state_that_came_later(highest, api):
    content = ContentFactory(is_checked=False, checked_level=0)
    decide(highest, "reject", content, "Too long")
    content = put(api, Content.objects.get(pk=content.pk), isChecked=True)
    looked_at = page(highest, "past", content.pk, content.version)
    assert "Approved by harriet" not in looked_at
    assert re.search(r"<td>by harriet on [-:0-9 ]{19}, reasons: Too long</td>", looked_at)


def test_a_version_is_looked_at_with_its_body_in_a_frame_without_rights(highest, changed):
    text = page(highest, "past", changed.pk, 1)
    assert "Old title" in text
    body = place(PAGE, "past_body", changed.pk, 1)
    assert f'sandbox src="{body}"' in text
    answer = highest.get(body)
    assert "nine" in answer.content.decode()
    assert "sandbox" in answer["Content-Security-Policy"]


@pytest.mark.parametrize(("view", "arguments"), [("past", [9]), ("revert", [9]), ("past", [0])])
def test_a_version_that_is_not_kept_leads_back_to_the_history(highest, changed, view, arguments):
    answer = highest.get(place(PAGE, view, changed.pk, *arguments))
    assert (answer.status_code, answer["Location"]) == (302, place(PAGE, "history", changed.pk))
    assert "no longer stored" in told(answer)[0]
    assert highest.get(place(PAGE, "past_body", changed.pk, 9)).status_code == 404


@pytest.mark.parametrize("query", [{"from": "x"}, {"to": "9" * 30}, {"from": "0", "to": "-1"}, {"p": "x"}])
def test_numbers_that_are_none_count_as_not_given(highest, changed, query):
    assert highest.get(place(PAGE, "compare", changed.pk), query).status_code == 200
    assert highest.get(place(PAGE, "history", changed.pk), query).status_code == 200


# ---- bringing a version back


def revert(browser, content, version, seen):
    return browser.post(place(PAGE, "revert", content.pk, version), {"seen_version": seen})


def test_a_version_comes_back_after_a_look_at_what_it_changes(highest, changed):
    text = page(highest, "revert", changed.pk, 1)
    assert "<ins>nine</ins>" in text
    assert 'name="seen_version" value="3"' in text
    answer = revert(highest, changed, 1, 3)
    assert answer.status_code == 302
    assert "Version 1 was restored." in told(answer)[0]
    stored = Content.objects.get(pk=changed.pk)
    assert (stored.title, stored.version, stored.last_edit_user_name) == ("Old title", 4, "harriet")
    assert "Restored version 1" in page(highest, "history", changed.pk)
    assert version_of(stored, 3)[0]["title"] == "New title"


def test_a_version_does_not_come_back_over_what_somebody_else_has_saved(highest, changed):
    page(highest, "revert", changed.pk, 1)
    Content.objects.filter(pk=changed.pk).update(version=4)
    answer = revert(highest, changed, 1, 3)
    assert "It has changed since you opened it" in answer.content.decode()
    assert 'name="seen_version" value="4"' in answer.content.decode()
    assert Content.objects.get(pk=changed.pk).title == "New title"


def test_a_version_comes_back_once_for_a_double_click(highest, changed):
    revert(highest, changed, 1, 3)
    revert(highest, changed, 1, 3)
    assert Content.objects.get(pk=changed.pk).version == 4


def test_who_may_not_change_contents_reads_their_history_only(client, changed):
    client.force_login(administrator_with("contents.view_content"))
    assert "Restore this version" not in page(client, "history", changed.pk)
    assert client.get(place(PAGE, "revert", changed.pk, 1)).status_code == 404
    assert revert(client, changed, 1, 3).status_code == 404
    assert Content.objects.get(pk=changed.pk).version == 3


def test_the_history_of_another_site_is_not_there(client, changed):
    own = ContentFactory()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    views = [("history", []), ("compare", []), ("past", [1]), ("past_body", [1]), ("revert", [1])]
    for view, arguments in views:
        assert client.get(place(PAGE, view, changed.pk, *arguments)).status_code == 404
        assert client.get(place("contents_trashedcontent", view, changed.pk, *arguments)).status_code == 404
    assert revert(client, changed, 1, 3).status_code == 404
    assert page(client, "history", own.pk)


# ---- changes across sites

CHANGES = "contents_contentchange"


def test_the_changes_of_all_sites_are_narrowed_by_each_filter(highest, api, changed):
    other = put(api, ContentFactory(title="Other"), summary="x")
    key = changed.changes.first().key_id
    own = ContentChange.objects.get(content=other)

    def rows(**query):
        return {(change.content_id, change.version) for change in listed(highest, CHANGES, **query)}

    both = {(changed.pk, 2), (changed.pk, 3)}
    assert rows() == both | {(other.pk, 2)}
    assert rows(site__id__exact=changed.site_id) == both
    assert rows(key=key) == both
    assert rows(actor=own.administrator_id) == {(other.pk, 2)}
    assert rows(q="olga") == rows(q=str(changed.pk)) == both
    assert rows(kind="reverted") == rows(key="x") == rows(q="nobody") == rows(**{"from": "2999-01-01"}) == set()
    assert rows(kind="changed", to="2999-01-01") == both | {(other.pk, 2)}


def test_changes_are_found_by_words_of_the_content(highest, client, api, monkeypatch):
    follow()
    one, two = ContentFactory(title="Harbour opens 图书馆"), ContentFactory(title="Harbour closes")
    put(api, one, summary="x")
    put(api, two, summary="x")

    def found(browser, query):
        return {change.content_id for change in listed(browser, CHANGES, q=query)}

    assert found(highest, "harb") == {one.pk, two.pk}
    assert found(highest, "harb 书馆") == {one.pk}
    assert found(highest, "arbour") == set()
    monkeypatch.setattr(change_pages, "MAX_FOUND", 1)
    answer = highest.get(place(CHANGES), {"q": "harb"})
    assert [change.content_id for change in answer.context["cl"].result_list] == [two.pk]
    assert "More than 1 content items contain these words." in answer.content.decode()
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(one.site_id)))
    assert found(client, "harb") == {one.pk}


def test_a_change_leads_to_what_it_did(highest, changed):
    change = changed.changes.get(version=2)
    answer = highest.get(place(CHANGES, "change", change.pk))
    assert answer["Location"] == place(PAGE, "compare", changed.pk) + "?from=1&to=2"
    text = highest.get(place(CHANGES)).content.decode()
    assert "New title" in text
    assert "olga, by the API key “robot”" in text
    assert "Pinned" in text
    trash_content(changed.site_id, changed.channel_id, changed.pk)
    answer = highest.get(place(CHANGES, "change", change.pk))
    assert answer["Location"].startswith(place("contents_trashedcontent", "compare", changed.pk))


def test_changes_of_other_sites_are_not_seen(client, api, changed):
    own = put(api, ContentFactory(), summary="x")
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    assert [change.content_id for change in listed(client, CHANGES)] == [own.pk]
    assert client.get(place(CHANGES, "change", changed.changes.first().pk)).status_code == 404
    client.force_login(AdministratorFactory(is_superuser=False))
    assert client.get(place(CHANGES)).status_code == 404


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL knows how many changes there are")
def test_changes_of_some_sites_are_read_in_the_order_of_their_index(client, changed):
    sites = f"{changed.site_id},{ContentFactory().site_id}"
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=sites))
    changes = client.get(place(CHANGES)).context["cl"].queryset
    assert "content_change_latest" in changes[:50].explain()


def test_the_list_of_changes_reads_no_body_and_costs_few_statements(highest, django_assert_max_num_queries):
    many_changes(60)
    with django_assert_max_num_queries(20) as queries:
        assert len(listed(highest, CHANGES)) == 50
    read = [each["sql"] for each in queries if "contents_contentchange" in each["sql"]]
    assert not any('"body_before",' in sql or '"settings_xml"' in sql for sql in read)
    assert all("LIMIT" in sql for sql in read)


def test_channels_are_told_by_their_names(highest, changed):
    ContentChange.objects.filter(content=changed, version=3).update(
        before=f'{{"channel_id":{ChannelFactory(channel_name="Harbour", site=changed.site).pk}}}', kind="moved"
    )
    text = page(highest, "history", changed.pk)
    assert "<del>Harbour</del>" in text
    assert "Moved" in text


@pytest.mark.parametrize(
    "parameter,number,name", [("actor", "administrator_id", "actor_name"), ("key", "key_id", "key_name")]
)
def test_a_number_in_the_address_tells_nobody_of_foreign_sites(client, parameter, number, name):
    own, foreign = ContentFactory(version=2), ContentFactory(version=2)
    ContentChange.objects.create(
        content=foreign,
        site_id=foreign.site_id,
        version=2,
        actor_kind="command",
        before='{"title":"a"}',
        **{number: 77, name: "Foreigner"},
    )
    client.force_login(AdministratorFactory(is_superuser=False, site_id_collection=str(own.site_id)))
    answer = client.get(place("contents_contentchange"), {parameter: "77"})
    assert answer.status_code == 200
    assert "Foreigner" not in answer.content.decode()
