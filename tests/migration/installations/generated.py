"""A SiteServer 6.15 installation of any size, the same for the same arguments, with rows as old installations have."""

from random import Random

from tests.migration.installations.encryption import SALT, encrypted_password, encrypted_token
from tests.migration.installations.generated_channels import ROOM, channels_of
from tests.migration.installations.generated_contents import contents_of
from tests.migration.installations.tables import ZERO_DATE, Table
from tests.migration.installations.version6 import COLUMNS, CONTENT

PASSWORD = "harbour-21"  # of every account
PLUGIN_TABLE = "plugin_Pictures"
_DAY = "2019-03-01 10:20:30"
# Custom columns of the contents of every second site.
_CUSTOM = {"Region": "s50", "Price": "n", "EventDate": "d"}


def generated_tables(
    *, contents=1_000, sites=4, channels=40, users=50, administrators=10, shared=False, faults=True, seed=1
):
    """Return tables with so many contents in all, and so many channels in each site.

    With `shared`, the first two sites have one content table together. Without `faults`, no row needs a correction.
    """
    site_ids = [number * ROOM + 1 for number in range(sites)]
    rows = {
        "Config": lambda: iter([{"Id": 1, "IsInitialized": "True", "DatabaseVersion": "6.15.51", "UpdateDate": _DAY}]),
        "Site": lambda: _sites(site_ids, shared=shared, faults=faults),
        "Channel": lambda: (row for site in site_ids for row in channels_of(site, channels, faults=faults)),
        "ContentGroup": lambda: _groups(site_ids),
        "Tag": lambda: iter([{"Id": 1, "SiteId": site_ids[0], "Tag": "unused tag", "UseNum": 0}]),
        "TableStyle": lambda: _styles(site_ids, shared=shared),
        "Role": lambda: iter([{"Id": 1, "RoleName": "writers", "Description": ""}]),
        "AdministratorsInRoles": lambda: _roles(administrators),
        "SitePermissions": lambda: iter([_permissions(site_ids[0])]),
        "Administrator": lambda: _administrators(administrators, site_ids, faults=faults),
        "User": lambda: _users(users, faults=faults),
        "UserLog": lambda: _user_log(users),
        "AccessToken": lambda: iter([_token()]),
    }
    tables = {
        name: Table(columns, rows.get(name.removeprefix("siteserver_"), lambda: iter(())))
        for name, columns in COLUMNS.items()
    }
    return tables | _content_tables(contents, site_ids, channels, shared=shared, faults=faults, seed=seed)


def _content_table_of(site_id, site_ids, *, shared):
    return "model_Content" if shared and site_id in site_ids[:2] else f"siteserver_Content_{site_id}"


def _content_tables(contents, site_ids, channels, *, shared, faults, seed):
    """Divide the contents equally; the table of a plug-in has at most 100 of them."""
    in_plugin = min(100, contents // 10)
    share, more = divmod(contents - in_plugin, len(site_ids))
    sites_of = {}
    for index, site_id in enumerate(site_ids):
        table = _content_table_of(site_id, site_ids, shared=shared)
        sites_of.setdefault(table, []).append((site_id, share + (index < more)))

    def table_of(name, parts, custom, **options):
        def rows():
            first = 1
            for site_id, number in parts:
                chance = Random(f"{seed} {name} {site_id}")
                yield from contents_of(site_id, channels, number, first, chance, custom=custom, **options)
                first += number

        return Table(CONTENT | custom, rows)

    tables = {
        name: table_of(name, parts, _CUSTOM if index % 2 else {}, faults=faults)
        for index, (name, parts) in enumerate(sites_of.items())
    }
    plugin = [(site_ids[0], in_plugin)]
    return tables | {PLUGIN_TABLE: table_of(PLUGIN_TABLE, plugin, {}, faults=False, in_plugin=True)}


def _sites(site_ids, *, shared, faults):
    forms = (
        '{"isSeparatedWeb":false,"checkContentLevel":2,"copyright":"Harbour & Co"}',
        "isseparatedweb=False&checkcontentlevel=1&copyright=Harbour_and_Co",
        '{"checkContentLevel":' if faults else "{}",  # broken
        None if faults else "",
    )
    for number, site_id in enumerate(site_ids):
        yield {
            "Id": site_id,
            "SiteName": f"Site {site_id}",
            "SiteDir": f"site{site_id}" if number else "",
            "TableName": _content_table_of(site_id, site_ids, shared=shared),
            "IsRoot": "False" if number else ("true" if faults else "True"),
            "ParentId": site_ids[1] if number == 2 else 0,
            "Taxis": number + 1,
            "SettingsXml": forms[number % len(forms)],
        }


def _groups(site_ids):
    for number, (site_id, name) in enumerate((site, name) for site in site_ids for name in ("group 1", "group 2")):
        yield {"Id": number + 1, "GroupName": name, "SiteId": site_id, "Taxis": number % 2 + 1, "Description": None}


def _styles(site_ids, *, shared):
    kinds = {"Region": "SelectOne", "Price": "Text", "EventDate": "DateTime", "venue": "Text"}
    names = [(site_id, name) for site_id in site_ids for name in kinds]
    for number, (site_id, name) in enumerate(names, 1):
        table = _content_table_of(site_id, site_ids, shared=shared)
        place = {"Id": number, "RelatedIdentity": site_id, "TableName": table, "AttributeName": name, "Taxis": number}
        yield place | {"DisplayName": name.title(), "InputType": kinds[name], "ExtendValues": "{}"}


def _administrator_name(number):
    return "admin" if number == 1 else f"editor{number}"


def _roles(administrators):
    for number in range(1, administrators + 1):
        role = "ConsoleAdministrator" if number == 1 else "SystemAdministrator" if number == 2 else "writers"
        yield {"Id": number, "RoleName": role, "UserName": _administrator_name(number)}


def _permissions(site_id):
    rights = "cms_contentView,cms_contentAdd,cms_contentCheckLevel1"
    return {"Id": 1, "RoleName": "writers", "SiteId": site_id, "ChannelPermissions": rights}


def _secret(number, *, faults):
    if faults and number % 10 == 9:
        return {"Password": "7fef6171469e80d3", "PasswordFormat": "Hashed", "PasswordSalt": SALT}
    if faults and number % 10 == 8:
        return {"Password": "not Base64", "PasswordFormat": None, "PasswordSalt": None}
    return {"Password": encrypted_password(PASSWORD), "PasswordFormat": "Encrypted", "PasswordSalt": SALT}


def _administrators(number, site_ids, *, faults):
    for administrator in range(1, number + 1):
        is_limited = administrator == 2
        yield _secret(administrator, faults=faults and administrator > 2) | {
            "Id": administrator,
            "UserName": _administrator_name(administrator),
            "CreationDate": _DAY,
            "LastActivityDate": ZERO_DATE if faults else _DAY,
            "IsLockedOut": str(administrator % 7 == 0),
            "SiteIdCollection": ",".join(map(str, site_ids[:2])) if is_limited else None,
            "SiteId": site_ids[0],
            "DisplayName": f"Editor {administrator}",
        }


def _users(number, *, faults):
    for user in range(1, number + 1):
        # The same name in another letter case, and the same address as the user before.
        doubled = faults and user % 10 == 5
        yield _secret(user, faults=faults) | {
            "Id": user,
            "UserName": f"MEMBER{user - 1}" if doubled else f"member{user}",
            "CreateDate": ZERO_DATE if doubled else _DAY,
            "CountOfFailedLogin": user % 3,
            "IsChecked": str(user % 5 > 0),
            "IsLockedOut": None if doubled else "False",
            "Email": f"member{user - 1 if doubled else user}@example.com",
            "Mobile": f"139{user:08}",
            "SettingsXml": "organization=Harbour" if user % 2 else '{"organization":"Harbour"}',
        }


def _user_log(users):
    for number in range(1, users + 1):
        yield {
            "Id": number,
            "UserName": f"member{number}",
            "IpAddress": "127.0.0.1",
            "AddDate": _DAY,
            "Action": "login",
        }


def _token():
    token = encrypted_token("5d1c2b1e-93a4-4b7e-8b9a-0c7d6e5f4a3b")
    return {"Id": 1, "Title": "portal", "Token": token, "AdminName": "admin", "Scopes": "contents, channels"}
