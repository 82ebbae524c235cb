"""A database with every kind of damaged row arrives whole: each row is here, or in the report."""

from datetime import UTC, datetime

import pytest

from accounts.models import Administrator, User, UserLog
from apikeys.models import ApiKey
from channels_app.models import Channel
from contents.models import Content
from migration.report import Outcome
from migration.sources import open_source
from sites.models import Site
from tests.migration.installations.encryption import SECRET_KEY, encrypted_token
from tests.migration.installations.small import small_tables
from tests.migration.installations.tables import ZERO_DATE, columns_of, listed
from tests.migration.installations.writers import write_mysql

pytestmark = pytest.mark.large
OWN_SERVERS = True
NEVER = "1754-01-01 00:00:00"
OTHER_KEY = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
# Columns of further rows that are like the first one of the table; ids begin with 101.
HOSTILE = {
    "siteserver_Content_1": [
        {"SiteId": None},
        {"SiteId": 0},
        {"SiteId": 4711},
        {"SiteId": None, "ChannelId": 4711},
        {"AddDate": ZERO_DATE, "LastEditDate": ZERO_DATE},
        {"AddDate": None, "LastEditDate": None},
        {"AddDate": NEVER, "LastEditDate": NEVER},
        {"SettingsXml": f'{{"venue":"Pier","{"n" * 300}":"x","hall":"4"}}'},
        {"SettingsXml": '{"venue":"Pier",'},
        {"SettingsXml": '<Attributes venue="Pier">'},
        {"LinkUrl": "javascript:void(0)"},
    ],
    "siteserver_Channel": [
        {"SiteId": None, "ParentId": 2, "AddDate": ZERO_DATE, "ExtendValues": '{"a":1,', "IndexName": ""},
        {"SiteId": 4711, "ParentId": 2, "IndexName": ""},
        {"SiteId": 1, "ParentId": 2, "IndexName": "", "FilePath": "../../etc/passwd", "LinkUrl": "javascript:alert(1)"},
    ],
    "siteserver_Administrator": [{"UserName": "", "CreationDate": None, "Email": "", "Mobile": ""}],
    "siteserver_AccessToken": [{"AdminName": None, "Token": encrypted_token(OTHER_KEY), "Title": "without owner"}],
    "siteserver_User": [
        {"UserName": 'a,b"c<d>', "CreateDate": ZERO_DATE, "SettingsXml": "[1", "Email": "", "Mobile": ""}
    ],
    "siteserver_UserLog": [{"AddDate": ZERO_DATE}],
    "siteserver_ContentGroup": [{"SiteId": None}],
}


@pytest.fixture
def source(mariadb):
    tables = small_tables()
    for name, rows in HOSTILE.items():
        own = list(tables[name].rows)
        further = [own[0] | row | {"Id": number} for number, row in enumerate(rows, start=101)]
        tables[name] = listed(tables[name].columns, [*own, *further])
    tables["ss_form_entry"] = listed(columns_of("Id i, Name s50"), [{"Id": 1, "Name": "of a plug-in"}])
    write_mysql(tables, mariadb.url("hostile"))
    with open_source(mariadb.reading_url("hostile"), UTC) as opened:
        yield opened
    mariadb.execute("DROP DATABASE hostile")


def test_every_row_is_here_or_in_the_report(source, moved_from):
    report = moved_from(source, with_keys=True, secret_key=SECRET_KEY)
    assert [each for each in report.checks if not each["is_right"]] == []
    assert +report.outcomes["contents"] == {Outcome.NEW: 8 + 9, Outcome.LEFT_OUT: 2 + 2}
    assert +report.outcomes["channels"] == {Outcome.NEW: 6 + 2, Outcome.LEFT_OUT: 1}
    assert +report.outcomes["API keys"] == {Outcome.NEW: 1, Outcome.LEFT_OUT: 1}
    assert report.outcomes["ss_form_entry, not used"] == {Outcome.LEFT_OUT: 1}
    assert (Site.objects.count(), User.objects.count(), Administrator.objects.count()) == (2, 2, 3)
    assert set(Content.objects.filter(pk__in=[101, 102]).values_list("site_id", flat=True)) == {1}
    dates = Content.objects.filter(pk__in=[105, 106, 107]).values_list("add_date", "last_edit_date")
    assert set(dates) == {(datetime(1970, 1, 1), datetime(1970, 1, 1))}
    assert '"venue":"Pier","hall":"4"' in Content.objects.get(pk=108).settings_xml
    assert Channel.objects.get(pk=101).site_id == 1 and Channel.objects.get(pk=103).file_path == ""
    assert ApiKey.objects.get().administrator.user_name == "admin"
    assert UserLog.objects.filter(add_date=datetime(1970, 1, 1)).count() == 1
    places = {place.casefold() for found in report.findings.values() for place in found.places}
    for table, rows in HOSTILE.items():
        for number, _row in enumerate(rows, start=101):
            is_told = any(place.startswith(f"{table} {number}".casefold()) for place in places)
            # A content whose site follows from its channel needs no finding.
            assert (
                is_told
                or (table, number) in {("siteserver_Content_1", 101), ("siteserver_Content_1", 102)}
                or (table == "siteserver_AccessToken")
            )


def test_a_second_run_changes_nothing(source, moved_from):
    first = moved_from(source)
    second = moved_from(source)
    assert [each for each in second.checks if not each["is_right"]] == []
    for kind in ("contents", "channels", "administrators", "users", "sites"):
        assert not second.outcomes[kind][Outcome.NEW] and not second.outcomes[kind][Outcome.UPDATED]
        assert second.outcomes[kind][Outcome.LEFT_OUT] == first.outcomes[kind][Outcome.LEFT_OUT]
