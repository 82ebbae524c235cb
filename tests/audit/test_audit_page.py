"""The page of the audit in the back end, its filters and files, and the history of records."""

import csv
import io
import json
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core import audit
from core.admin.attribute_form import label
from core.audit.actions import actions, group_of, subjects
from core.audit.admin import pages
from core.audit.admin.pages import AuditEntryAdmin
from core.audit.models import AuditEntry
from sites.attributes import REGISTRY
from tests.audit.noting import noted, only
from tests.factories import AdministratorFactory, ApiKeyFactory, ChannelFactory, SiteFactory, UserFactory

pytestmark = pytest.mark.django_db
LIST = "/admin/audit/auditentry/"
FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", " =1", "＝1", "\xa0=1", "\u3000=1", "\ufeff=1", "\x0b=1"]


def desk_of(**rank):
    browser = Client()
    browser.force_login(AdministratorFactory(**rank))
    return browser


@pytest.fixture
def desk():
    """A browser in which an administrator of the highest rank has signed in."""
    return desk_of(user_name="root")


def entry(action="site.changed", **fields):
    return AuditEntry.objects.create(action=action, **({"actor_kind": "administrator", "actor_name": "ann"} | fields))


def listed(desk, **query):
    """The entries that the list shows."""
    answer = desk.get(LIST, query)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def test_the_newest_come_first_in_words(desk):
    user = UserFactory(user_name="reader1")
    old = entry(at="2026-01-01 08:00:00")
    new = entry(
        "user.changed",
        at="2026-02-01 08:00:00",
        actor_kind="key",
        key_name="news robot",
        object_type="accounts.user",
        object_id=str(user.pk),
        object_name="reader1",
        changed=["email", "mobile"],
        address="192.0.2.7",
    )
    assert listed(desk) == [new, old]
    text = desk.get(LIST).content.decode()
    for words in ("ann, by the API key “news robot”", "User changed", "reader1", "email, mobile", "192.0.2.7"):
        assert words in text
    assert f'href="/admin/accounts/user/{user.pk}/change/"' in text


@pytest.mark.parametrize("action", ["user.deleted", "painted.twice"])
def test_what_is_gone_or_unknown_has_no_link(desk, action):
    entry(action, object_type="accounts.user" if action == "user.deleted" else "a.b", object_id="5", object_name="x")
    assert "/admin/accounts/user/5/" not in desk.get(LIST).content.decode()


FILTERS = [
    ({"group": "user"}, {"user.changed"}),
    ({"group": "user", "action": "user.changed"}, {"user.changed"}),
    ({"group": "user", "action": "user.deleted"}, set()),
    ({"by": "command"}, {"audit.purged"}),
    ({"actor": "7"}, {"site.changed", "user.changed"}),
    ({"actor": "8"}, set()),
    ({"actor": "ann"}, set()),
    ({"actor": "9" * 30}, set()),
    ({"key": "3"}, {"user.changed"}),
    ({"key": "news robot"}, set()),
    ({"object": "accounts.user:5"}, {"user.changed"}),
    ({"object": "accounts.user:6"}, set()),
    ({"from": "2026-02-02"}, {"user.changed", "audit.purged"}),
    ({"to": "2026-02-01"}, {"site.changed"}),
    ({"from": "2026-02-01", "to": "2026-02-02"}, {"site.changed", "user.changed"}),
    ({"from": "soon", "to": "9999-12-31"}, {"site.changed", "user.changed", "audit.purged"}),
    ({"q": "ann"}, {"site.changed", "audit.purged"}),
    ({"q": "news robot"}, {"user.changed"}),
    ({"q": " 192.0.2.7 "}, {"user.changed"}),
    ({"q": "abc-1"}, {"audit.purged"}),
    ({"q": "5"}, {"user.changed"}),
    ({"q": "new"}, set()),
]


@pytest.fixture
def three():
    """Three entries of three kinds and days."""
    entry(at="2026-02-01 23:59:59", administrator_id=7)
    where = {"object_type": "accounts.user", "object_id": "5", "address": "192.0.2.7"}
    who = {"actor_kind": "key", "administrator_id": 7, "actor_name": "ben", "key_id": 3, "key_name": "news robot"}
    entry("user.changed", at="2026-02-02 00:00:00", **who, **where)
    entry("audit.purged", at="2026-03-01 12:00:00", actor_kind="command", request_id="abc-1")


@pytest.mark.parametrize(("query", "actions"), FILTERS, ids=[str(query) for query, _ in FILTERS])
def test_filters_choose(desk, three, query, actions):
    assert {found.action for found in listed(desk, **query)} == actions


NAMESAKES = [
    ("actor", {"administrator_id": 1}, {"administrator_id": 2}, "ann"),
    (
        "key",
        {"actor_kind": "key", "key_id": 1, "key_name": "news robot"},
        {"actor_kind": "key", "key_id": 2, "key_name": "news robot"},
        "news robot",
    ),
]


@pytest.mark.parametrize(("parameter", "first", "second", "name"), NAMESAKES)
def test_a_later_actor_of_the_same_name_is_another_one(desk, parameter, first, second, name):
    earlier, later = entry(**first), entry(**second)
    for number, made in (("1", earlier), ("2", later)):
        answer = desk.get(LIST, {parameter: number})
        assert list(answer.context["cl"].result_list) == [made]
        assert f"?{parameter}={number}" in answer.content.decode()
        (filter_,) = [
            each for each in answer.context["cl"].filter_specs if getattr(each, "parameter_name", "") == parameter
        ]
        assert filter_.lookup_choices == [(number, name)]


def test_an_account_of_the_operating_system_leads_to_its_commands(desk):
    made = entry(actor_kind="command", actor_name="deploy")
    assert "?q=deploy" in desk.get(LIST).content.decode()
    assert listed(desk, q="deploy") == [made]


@pytest.mark.parametrize("lookup", ["details__icontains", "actor_name__startswith", "administrator_id"])
def test_nothing_else_is_filtered_by(desk, lookup):
    assert desk.get(LIST, {lookup: "1"}).status_code in {302, 400}


def test_the_table_is_never_counted_or_read_as_a_whole(desk, monkeypatch):
    monkeypatch.setattr(AuditEntryAdmin, "list_per_page", 1)
    made = [entry(), entry()]
    with CaptureQueriesContext(connection) as asked:
        assert listed(desk) == made[1:]
    statements = [query["sql"] for query in asked if "auditentry" in query["sql"]]
    assert [statement for statement in statements if "LIMIT" not in statement] == []


def test_an_old_entry_names_a_kind_that_has_moved_to_another_app(desk):
    made = entry("system.server_forgotten", object_type="cms_api.node", object_id="5", object_name="x")
    assert "Server" in desk.get(reverse("admin:audit_auditentry_change", args=[made.pk])).content.decode()


def test_an_entry_is_shown_and_not_changed(desk):
    made = entry("administrator.sign_in_failed", details={"reason": "locked", "limits": ["account"]})
    place = reverse("admin:audit_auditentry_change", args=[made.pk])
    text = desk.get(place).content.decode()
    assert "right password, but the account is locked" in text
    assert "limits reached: account" in text
    assert desk.post(place, {"actor_name": "x"}).status_code == 403
    assert desk.post(f"{LIST}{made.pk}/delete/", {"post": "yes"}).status_code == 403
    assert desk.get(f"{LIST}add/").status_code == 403
    assert AuditEntry.objects.get(pk=made.pk).actor_name == "ann"


@pytest.mark.parametrize("rest", ["", "export/csv/", "export/jsonl/", "{pk}/change/", "{pk}/history/", "add/"])
@pytest.mark.parametrize("rank", [{}, {"site_id_collection": "1"}], ids=["ordinary", "site"])
def test_for_other_ranks_there_is_no_audit(rank, rest):
    made = entry()
    browser = desk_of(is_superuser=False, **rank)
    with noted() as entries:
        assert browser.get(LIST + rest.format(pk=made.pk)).status_code == 404
    assert entries == []


def test_every_action_has_a_group_and_words():
    assert {group_of(name) for name in actions()} == set(subjects())
    assert len({str(label) for label in actions().values()}) == len(actions())


# ---- files


def exported(desk, ending, **query):
    answer = desk.get(f"{LIST}export/{ending}/", query)
    assert answer.status_code == 200
    return answer, answer.getvalue().decode()


def test_csv_opens_in_a_spreadsheet(desk):
    old = entry(at="2026-01-01 08:00:00", object_name="开放日", changed=["email", "mobile"], details={"limits": ["a"]})
    new = entry(at="2026-01-02 08:00:00")
    answer, text = exported(desk, "csv")
    assert text.startswith("\ufeff")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(text[1:])))
    assert [row["id"] for row in rows] == [str(new.pk), str(old.pk)]
    told = {"at": "2026-01-01 08:00:00", "object_name": "开放日", "changed": "email, mobile"}
    told |= {"details": '{"limits": ["a"]}', "action_in_words": "Site changed"}
    assert rows[1].items() >= told.items()


@pytest.mark.parametrize("formula", FORMULAS, ids=repr)
def test_no_cell_is_a_formula(desk, formula):
    entry(object_name=formula)
    (row,) = csv.DictReader(io.StringIO(exported(desk, "csv")[1][1:], newline=""))
    assert row["object_name"] == f"'{formula}"


def test_no_cell_is_a_formula_where_semicolons_separate(desk):
    entry(object_name="harbour;=1+1; @x\n-1 and 2-1; pier")
    (row,) = csv.DictReader(io.StringIO(exported(desk, "csv")[1][1:], newline=""))
    assert row["object_name"] == "harbour;'=1+1; '@x\n'-1 and 2-1; pier"


def test_json_lines_hold_every_column(desk):
    made = entry(object_name="=1", changed=["email"], details={"limits": ["account"]})
    (line,) = exported(desk, "jsonl")[1].splitlines()
    row = AuditEntry.objects.filter(pk=made.pk).values().get()
    assert json.loads(line) == row | {"at": row["at"].isoformat(" ")}


@pytest.mark.parametrize(("query", "actions"), FILTERS, ids=[str(query) for query, _ in FILTERS])
def test_a_file_holds_what_is_filtered(desk, three, query, actions):
    lines = exported(desk, "jsonl", **query)[1].splitlines()
    assert {json.loads(line)["action"] for line in lines} == actions


@pytest.mark.parametrize("per_statement", [1, 2, 3, 1000])
def test_a_long_file_is_read_in_parts_without_loss(desk, monkeypatch, per_statement):
    monkeypatch.setattr(pages, "ROWS", per_statement)
    days = [datetime(2026, 1, 1) + timedelta(days=number // 3) for number in range(10)]  # three at the same time
    made = [entry(at=day).pk for day in days]
    lines = exported(desk, "jsonl")[1].splitlines()
    assert [json.loads(line)["id"] for line in lines] == made[::-1]


def test_taking_a_file_is_noted_without_what_was_typed(desk, three):
    with noted() as entries:
        exported(desk, "csv", group="user", q="ssk1_secret")
    taken = only(entries)
    assert (taken.action, taken.actor_name) == ("audit.exported", "root")
    assert taken.details == {"format": "csv", "filters": ["group", "q"]}


def test_there_are_no_other_files(desk):
    assert desk.get(f"{LIST}export/xlsx/").status_code == 404


# ---- history


@pytest.fixture
def channel():
    made = ChannelFactory(channel_name="News")
    with audit.serving(Client().get("/api/v1/ping", REMOTE_ADDR="192.0.2.7").wsgi_request):
        audit.record("channel.moved", made, site_id=made.site_id)
        audit.record("channel.trashed", made, site_id=made.site_id)
    return made


def history(browser, record):
    meta = record._meta
    return browser.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_history", args=[record.pk]))


def test_a_record_has_its_history_newest_first(desk, channel):
    other = ChannelFactory(site=channel.site)
    audit.record("channel.restored", other)
    answer = history(desk, channel)
    assert [row["entry"].action for row in answer.context["rows"]] == ["channel.trashed", "channel.moved"]
    assert "192.0.2.7" in answer.content.decode()


def test_a_site_administrator_sees_the_history_of_own_records_without_addresses(channel):
    own = desk_of(is_superuser=False, site_id_collection=str(channel.site_id))
    page = history(own, channel)
    assert page.status_code == 200
    assert "Channel moved" in page.content.decode()
    assert "192.0.2.7" not in page.content.decode()
    assert history(desk_of(is_superuser=False, site_id_collection="999"), channel).status_code == 404


def test_the_history_of_a_key_is_for_the_highest_rank(desk):
    key = ApiKeyFactory()
    assert "API key created" in history(desk, key).content.decode()
    assert history(desk_of(is_superuser=False), key).status_code == 404


def test_the_history_of_a_site_tells_values_and_names_members_without(desk):
    site = SiteFactory()
    changed = ["settings.isWaterMark", "settings.smsKey", "settings.taxis", "siteName"]
    of_site = {"object_type": "cms_sites.site", "object_id": str(site.pk)}
    entry(**of_site, changed=["siteName"])  # of a time when entries had no values
    made = entry(**of_site, changed=changed, details={"values": {changed[0]: [False, True], "siteName": ["", "Port"]}})
    rows = history(desk, site).context["rows"]
    told = [f"{label(REGISTRY.by_name['isWaterMark'])}: off → on", "name: (empty) → Port", "smsKey, taxis"]
    assert [row["changed"] for row in rows] == [told, ["name"]]
    assert [row["details"] for row in rows] == [[], []]
    text = desk.get(reverse("admin:audit_auditentry_change", args=[made.pk])).content.decode()
    assert "siteName: (empty) → Port" in text


@pytest.mark.parametrize("kind", ["administrator", "user"])
def test_a_lock_is_told_as_one(desk, kind):
    entry(f"{kind}.changed", changed=["displayName", "isLockedOut"])
    assert f"{kind.capitalize()} locked" in desk.get(LIST).content.decode()
    assert f"{kind.capitalize()} locked" in exported(desk, "csv")[1]


def test_an_object_without_entries_says_so(desk):
    assert "no entries" in history(desk, UserFactory()).content.decode()


def test_a_chinese_page_tells_details_in_chinese(desk):
    made = entry("administrator.sign_in_failed", details={"reason": "locked", "limits": ["account"]})
    desk.cookies["cms_language"] = "zh-hans"
    text = desk.get(reverse("admin:audit_auditentry_change", args=[made.pk])).content.decode()
    assert "原因: 密码正确，但账号已被锁定" in text
    assert "达到的限制: 账号" in text
    assert "administrator.sign_in_failed" not in text


def test_what_is_in_the_trash_is_linked_there(desk):
    entry("content.trashed", object_type="contents.content", object_id="7")
    assert reverse("admin:contents_trashedcontent_change", args=[7]) in desk.get(LIST).content.decode()
