"""The catalogue of virtual tables: it fits the models and both engines, and holds nothing secret."""

import re
import sqlite3
from datetime import datetime

import pytest
from django.apps import apps
from django.db import connection

from accounts.models import Administrator, User
from channels_app.models import Channel
from channels_app.services import trash_channel
from cms_api.sql_endpoint import catalogue
from cms_api.sql_endpoint.postgresql_views import views_of
from contents.models import Content, ContentBody, ContentGroup, ContentTag, ListedContent, ListedCount, ListKind
from contents.services.labels import describe_group
from core.lib.settings_text import parse_settings_text
from sites.models import Site
from sql_sandbox.catalogue import ValueKind
from tests.factories import (
    AdministratorFactory,
    ChannelFactory,
    ContentFactory,
    SiteFactory,
    UserFactory,
)
from tests.worlds import world as shared_world

MODELS = {
    "siteserver_Site": Site,
    "siteserver_Channel": Channel,
    "siteserver_Content": Content,
    "siteserver_ContentGroup": ContentGroup,
    "siteserver_Tag": ContentTag,
    "siteserver_ContentTag": ContentTag,
    "siteserver_User": User,
    "siteserver_Administrator": Administrator,
}
# The original's columns in its order, without those that are never shown.
COLUMNS = {
    "siteserver_Site": "Id SiteName SiteDir TableName IsRoot ParentId Taxis SettingsXml",
    "siteserver_Channel": (
        "Id ChannelName SiteId ContentModelPluginId ContentRelatedPluginIds ParentId ParentsPath ParentsCount "
        "ChildrenCount IsLastNode IndexName GroupNameCollection Taxis AddDate ImageUrl Content ContentNum FilePath "
        "ChannelFilePathRule ContentFilePathRule LinkUrl LinkType ChannelTemplateId ContentTemplateId Keywords "
        "Description ExtendValues"
    ),
    "siteserver_Content": (
        "Id ChannelId SiteId AddUserName LastEditUserName WritingUserName LastEditDate Taxis GroupNameCollection Tags "
        "SourceId ReferenceId IsChecked CheckedLevel Hits HitsByDay HitsByWeek HitsByMonth LastHitsDate SettingsXml "
        "Title IsTop IsRecommend IsHot IsColor LinkUrl AddDate SubTitle ImageUrl VideoUrl FileUrl Content Summary "
        "Author Source"
    ),
    "siteserver_ContentGroup": "Id GroupName SiteId Taxis Description",
    "siteserver_Tag": "Id SiteId ContentIdCollection Tag UseNum",
    "siteserver_ContentTag": "Id TagName SiteId UseNum",
    "siteserver_User": (
        "Id UserName CreateDate LastResetPasswordDate LastActivityDate CountOfLogin CountOfFailedLogin CountOfWriting "
        "IsChecked IsLockedOut DisplayName AvatarUrl Organization Department Position Gender Birthday Education "
        "Graduation Address WeiXin Qq WeiBo Interests Signature"
    ),
    "siteserver_Administrator": (
        "Id UserName CreationDate LastActivityDate LastChangePasswordDate CountOfLogin CountOfFailedLogin "
        "CreatorUserName IsLockedOut SiteIdCollection SiteId DepartmentId AreaId DisplayName"
    ),
}
# Names of fields, of whatever model, whose values nobody may read by SQL.
SECRET = re.compile(r"password$|e?mail$|mobile|phone|salt|pepper|token|secret|hash|digest|session|public_part")

every_table = pytest.mark.parametrize("table", views_of(catalogue.TABLES), ids=lambda table: table.view_name)
on_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="the authorizer is SQLite's")


def expression(column):
    """The value of the column on the engine of the test, over `s`."""
    return f"s.{column.source}" if column.source else getattr(column, connection.vendor)


def statement(table, columns):
    listed = ", ".join(expression(column) for column in columns)
    condition = f" WHERE {table.present}" if table.present else ""
    return f"SELECT {listed} FROM {table.source} s{condition} ORDER BY s.id"


def read(table):
    """Every row of the table as a dictionary of the catalogue's names."""
    with connection.cursor() as cursor:
        cursor.execute(statement(table, table.columns))
        names = [column.name for column in table.columns]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def one(table, pk):
    return next(row for row in read(table) if row["Id"] == pk)


@shared_world
def world():
    """A row at least for each table; returns a content with group and tags."""
    AdministratorFactory()
    UserFactory()
    channel = ChannelFactory(parent=Channel.objects.get(pk=SiteFactory().pk), settings={"colour": "蓝"})
    return ContentFactory(
        channel=channel,
        content="<p>Body</p>",
        tags="ship,harbour",
        group_name_collection="Featured",
        is_top=True,
        add_date=datetime(2020, 1, 5, 10),
        settings_xml='{"price": "12.50"}',
    )


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_has_the_columns_of_the_original_in_its_order(name):
    table = catalogue.choose_tables([name])[0]
    assert " ".join(column.name for column in table.columns) == COLUMNS[name]


def test_every_table_is_among_those_of_the_original():
    assert [table.name for table in catalogue.TABLES] == list(COLUMNS)


@every_table
def test_the_source_is_the_table_of_a_model_with_these_columns(table):
    model = MODELS[table.name]
    fields = {field.column: field for field in model._meta.concrete_fields}
    assert table.source == model._meta.db_table
    assert {column.source for column in table.columns if column.source} | {table.site} - {""} <= fields.keys()
    assert not table.site or any(column.source == table.site for column in table.columns)


@every_table
def test_every_pair_that_is_read_exists(table):
    columns = {
        (model._meta.db_table, field.column) for model in apps.get_models() for field in model._meta.concrete_fields
    }
    read_pairs = {pair for column in table.columns for pair in column.reads} | set(table.reads)
    assert {pair for pair in read_pairs if pair[0] != "json_each"} <= columns


@every_table
def test_a_present_only_table_hides_the_trash(table):
    names = {"siteserver_ContentGroup", "siteserver_Tag", "siteserver_ContentTag"}
    has_trash = "trashed_at" in {field.name for field in MODELS[table.name]._meta.fields}
    assert bool(table.present) == (has_trash or table.name in names)


@every_table
def test_an_expression_is_there_for_both_engines_or_for_none(table):
    for column in table.columns:
        assert bool(column.source) != bool(column.sqlite)
        assert bool(column.sqlite) == bool(column.postgresql)
        # A flag's text and a number's 0 have to be made.
        assert column.kind is not ValueKind.FLAG or column.sqlite


def test_no_secret_of_any_model_is_in_the_catalogue():
    secrets = {
        (model._meta.db_table, field.column)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if SECRET.search(field.column)
    }
    pairs = {
        pair
        for table in catalogue.TABLES
        for column in table.columns
        for pair in ((table.source, column.source), *column.reads)
    }
    tables = {table for table, _ in pairs}
    assert {("accounts_user", name) for name in ("password", "email", "mobile")} <= secrets
    assert {("accounts_administrator", name) for name in ("password", "email", "mobile")} <= secrets
    assert ("apikeys_apikeytoken", "digest") in secrets
    assert not secrets & pairs
    assert not [name for name in tables if name.startswith(("apikeys_", "django_", "auth_"))]
    words = [column.name for table in catalogue.TABLES for column in table.columns]
    assert not {"password", "passwordformat", "passwordsalt", "email", "mobile"} & {word.casefold() for word in words}


@pytest.mark.parametrize("hidden", ["version", "trashed_at", "trashed_with_id", "is_superuser", "last_login"])
def test_no_column_shows_what_the_original_does_not_have(hidden):
    sources = {column.source for table in catalogue.TABLES for column in table.columns}
    read_by_expressions = {name for table in catalogue.TABLES for column in table.columns for _, name in column.reads}
    assert hidden not in sources | read_by_expressions


def test_people_are_closed_and_the_rest_is_open_by_default():
    closed = {table.name for table in catalogue.TABLES} - set(catalogue.OPEN_BY_DEFAULT)
    assert closed == {"siteserver_User", "siteserver_Administrator"}


def test_tables_are_chosen_by_name_in_any_letter_case():
    chosen = catalogue.choose_tables([" SITESERVER_TAG", "siteserver_site", "siteserver_tag", ""])
    assert [table.name for table in chosen] == ["siteserver_Site", "siteserver_Tag"]


def test_an_unknown_table_cannot_be_chosen():
    with pytest.raises(ValueError, match='There is no table "accounts_user"'):
        catalogue.choose_tables(["accounts_user"])


# ---- With rows


@every_table
def test_every_column_runs_and_has_values_of_its_kind(world, table):
    kinds = {ValueKind.INTEGER: int, ValueKind.TEXT: str, ValueKind.FLAG: str, ValueKind.JSON: str}
    Content.objects.update(is_checked=True)
    rows = read(table)
    assert rows
    for row in rows:
        for column in table.columns:
            value = row[column.name]
            if column.kind is ValueKind.DATE:
                assert value is None or re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", str(value)[:26])
            else:
                assert isinstance(value, kinds[column.kind]), column.name
            assert column.kind is not ValueKind.FLAG or value in ("True", "False")


def test_a_content_is_read_with_its_body(world):
    row = one(catalogue.CONTENT, world.pk)
    assert row["Title"] == world.title
    assert row["Content"] == "<p>Body</p>"
    assert (row["ChannelId"], row["SiteId"]) == (world.channel_id, world.site_id)
    assert (row["IsTop"], row["IsHot"], row["IsChecked"]) == ("True", "False", "False")
    assert (row["SettingsXml"], row["LastHitsDate"]) == ('{"price": "12.50"}', None)
    assert str(row["AddDate"]).startswith("2020-01-05 10:00:00")


def test_a_content_without_a_body_has_an_empty_one(world):
    ContentBody.objects.filter(content=world).delete()
    assert one(catalogue.CONTENT, world.pk)["Content"] == ""


def test_a_channel_counts_its_present_contents(world):
    ContentFactory(channel=world.channel, trashed_at=datetime(2021, 1, 1))
    ContentFactory(channel=world.channel, is_checked=True)
    ContentFactory(channel=ChannelFactory(parent=world.channel))
    row, home = one(catalogue.CHANNEL, world.channel_id), one(catalogue.CHANNEL, world.site_id)
    assert (row["ContentNum"], home["ContentNum"]) == (2, 0)
    assert (row["ParentId"], home["ParentId"]) == (world.site_id, 0)
    assert "蓝" in row["ExtendValues"] or "\\u84dd" in row["ExtendValues"]


def test_what_is_in_the_trash_is_not_there(world):
    trash_channel(world.site_id, world.channel_id)
    assert world.pk not in [row["Id"] for row in read(catalogue.CONTENT)]
    assert world.channel_id not in [row["Id"] for row in read(catalogue.CHANNEL)]
    assert read(catalogue.TAG) == read(catalogue.CONTENT_TAG) == []
    assert read(catalogue.GROUP) == []


def test_a_group_that_is_a_record_of_its_own_stays_without_contents(world):
    ContentGroup.objects.create(site_id=world.site_id, group_name="By hand")
    ContentFactory(channel=world.channel, group_name_collection="Gone,Described", tags="gone").delete()
    describe_group(ContentGroup.objects.get(group_name="Described").pk, "About", 0)
    assert {row["GroupName"] for row in read(catalogue.GROUP)} == {"Featured", "By hand", "Described"}
    assert {row["Tag"] for row in read(catalogue.TAG)} == {"ship", "harbour"}


def test_what_waits_for_approval_is_not_in_the_part_for_pages(world):
    shown = ContentFactory(channel=world.channel, tags="ship", group_name_collection="Shown", is_checked=True)
    ContentGroup.objects.create(site_id=world.site_id, group_name="By hand")
    assert [row["Id"] for row in read(catalogue.CONTENT.approved)] == [shown.pk]
    [tag] = read(catalogue.TAG.approved)
    assert (tag["Tag"], tag["UseNum"], tag["ContentIdCollection"]) == ("ship", 1, str(shown.pk))
    assert [(row["TagName"], row["UseNum"]) for row in read(catalogue.CONTENT_TAG.approved)] == [("ship", 1)]
    assert {row["GroupName"] for row in read(catalogue.GROUP.approved)} == {"Shown", "By hand"}
    assert one(catalogue.CHANNEL.approved, world.channel_id)["ContentNum"] == 1


def test_tags_name_and_count_their_contents(world):
    newer = ContentFactory(channel=world.channel, tags="ship", add_date=datetime(2021, 1, 1))
    approved = ContentFactory(channel=world.channel, tags="ship", is_checked=True, add_date=datetime(2019, 1, 1))
    tags = {row["Tag"]: row for row in read(catalogue.TAG)}
    assert tags["ship"]["ContentIdCollection"] == f"{approved.pk},{newer.pk},{world.pk}"
    assert tags["harbour"]["ContentIdCollection"] == str(world.pk)
    assert {name: row["UseNum"] for name, row in tags.items()} == {"ship": 3, "harbour": 1}
    assert {row["TagName"]: row["UseNum"] for row in read(catalogue.CONTENT_TAG)} == {"ship": 3, "harbour": 1}


def test_a_tag_of_many_contents_names_250_of_them(world):
    tag = ContentTag.objects.get(tag_name="ship")
    listed = ListedContent.objects.get(kind=ListKind.TAG, owner_id=tag.pk)
    shared = {name: getattr(listed, name) for name in ("kind", "owner_id", "channel_id", "is_checked", "taxis")}
    flags = dict.fromkeys(("is_top", "is_recommend", "is_hot", "is_color"), False)
    ListedContent.objects.bulk_create(
        ListedContent(content_id=10_000 + n, add_date=datetime(2024, 1, 1), **shared, **flags) for n in range(300)
    )
    row = one(catalogue.TAG, tag.pk)
    assert row["ContentIdCollection"].split(",") == [str(10_299 - n) for n in range(250)]
    assert row["UseNum"] == 301


def test_counts_are_sums_over_the_slots(world):
    tag = ContentTag.objects.get(tag_name="ship")
    ListedCount.objects.create(kind=ListKind.TAG, owner_id=tag.pk, flags=0, slot=99, contents=4)
    # Another kind's owner may have the same number.
    ListedCount.objects.create(kind=ListKind.GROUP, owner_id=tag.pk, flags=0, slot=98, contents=50)
    assert one(catalogue.CONTENT_TAG, tag.pk)["UseNum"] == 5


# stored settings, the text of SettingsXml
SETTINGS = [
    ({}, ""),
    ({"charset": "gb2312"}, "charset=gb2312"),
    ({"pageSize": 3, "charset": "utf-8"}, "charset=utf-8&pagesize=3"),
    ({"isWaterMark": True, "isCountDownload": False}, "iscountdownload=False&iswatermark=True"),
    ({"empty": None, "blank": ""}, "blank=&empty="),
    ({"ratio": 1.5, "whole": -12}, "ratio=1.5&whole=-12"),
    ({"Signs": "a=b&c?d'e+f\r\ng"}, "signs=a_equals_b_and_c_question_d_quote_e_add_f_return__newline_g"),
    ({"a&b=c": "x"}, "a_and_b_equals_c=x"),
    ({"公司": "望汐"}, "公司=望汐"),
    ({"backslash": 'a\\b"c'}, 'backslash=a\\b"c'),
    ({"true": "true", "null": "null"}, "null=null&true=true"),
]


@pytest.mark.parametrize(("settings", "text"), SETTINGS)
def test_the_settings_of_a_site_are_pairs_that_can_be_read_back(db, settings, text):
    site = SiteFactory(settings=settings)
    answered = one(catalogue.SITE, site.pk)["SettingsXml"]
    assert answered == text
    read_back = {name.lower(): "" if value is None else str(value) for name, value in settings.items()}
    assert parse_settings_text(answered) == read_back


def test_nested_settings_are_json_texts(db):
    site = SiteFactory(settings={"list": [1, "a=b"], "object": {"a": True}})
    answered = parse_settings_text(one(catalogue.SITE, site.pk)["SettingsXml"])
    assert {name: value.replace(" ", "") for name, value in answered.items()} == {
        "list": '[1,"a=b"]',
        "object": '{"a":true}',
    }


def test_a_site_below_another_names_it(db):
    above = SiteFactory(is_root=True)
    below = SiteFactory(parent=above)
    assert [one(catalogue.SITE, site.pk)["ParentId"] for site in (above, below)] == [0, above.pk]
    assert [one(catalogue.SITE, site.pk)["IsRoot"] for site in (above, below)] == ["True", "False"]
    assert one(catalogue.SITE, below.pk)["TableName"] == f"siteserver_Content_{below.pk}"


# ---- What SQLite's authorizer is asked


def asked_by(sql):
    """The pairs that the authorizer is asked to let be read, the functions, and whatever else it is asked."""
    pairs, functions, others = set(), set(), set()

    def note(action, first, second, database, view):
        if action == sqlite3.SQLITE_READ:
            pairs.add((first, second))
        elif action == sqlite3.SQLITE_FUNCTION:
            functions.add(second)
        else:
            others.add(action)
        return sqlite3.SQLITE_OK

    connection.ensure_connection()
    connection.connection.set_authorizer(note)
    try:
        connection.connection.execute(sql).fetchall()
    finally:
        connection.connection.set_authorizer(None)
    return pairs, functions, others


@on_sqlite
@every_table
def test_a_column_reads_what_it_says_and_nothing_else(world, table):
    for column in table.columns:
        sql = statement(table, [column]).removesuffix(" ORDER BY s.id")
        pairs, functions, others = asked_by(sql)
        own = {(table.source, column.source)} if column.source else set()
        # A table of which no column but the row's number is read is asked for with an empty column.
        assert pairs - {(table.source, "")} == own | set(column.reads) | set(table.reads), column.name
        assert functions <= catalogue.SQLITE_FUNCTIONS
        assert others == {sqlite3.SQLITE_SELECT}


@on_sqlite
def test_the_list_of_functions_has_no_more_than_is_called(world):
    called = set()
    for table in catalogue.TABLES:
        called |= asked_by(statement(table, table.columns))[1]
    assert called == catalogue.SQLITE_FUNCTIONS
