"""A small fixed world for clients' statements: an open site, two others, and secrets wherever secrets can be.

The rows are committed, because the sandbox reads through a connection of its own.

Site 1 is the one that the limited key reaches. Whatever belongs to the sites 880001 and 890001 bears BRAVO and
CHARLIE, or a number that begins with theirs. Whatever nobody may read bears CANARY, or a number of NUMBERS.
"""

import base64
import hashlib
import json
import re
import tempfile
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.db import connection, transaction

from accounts.models import Administrator, User
from apikeys.models import ApiKey, ApiKeyToken
from channels_app.models import Channel
from channels_app.services import create_channel, create_site, trash_channel
from contents.models import Content, ContentBody, ContentGroup, CustomField
from sites.models import Site

A, B, C = 1, 880001, 890001
SECRET = "CANARY"
# Whole numbers that stand in hidden columns and nowhere else.
NUMBERS = ("7355608731", "6246813579")
# What the texts and ids of the other sites begin with.
FOREIGN = ("BRAVO", "CHARLIE", "88000", "89000")
# What an answer holds, in lower case, only if a statement has read a file or asked the engine about itself.
MACHINE = frozenset({"root:x:0:", "compiled by gcc", "create table", "sqlite format 3"})

CHANNELS = (
    # id, parent, name, index name, fields
    (11, A, "News", "news", {"group_name_collection": "nav,main", "keywords": "harbour,news"}),
    (12, 11, "Events", "events", {"description": "What happens & when"}),
    (13, A, "关于我们", "about", {"link_url": "https://example.org/about", "settings": {"colour": "blue"}}),
    (14, A, "CANARY trashed channel", "CANARY-index", {"content": "CANARY text of a trashed channel"}),
    (880002, B, "BRAVO channel", "BRAVO-index", {"description": "BRAVO description"}),
    (890002, C, "CHARLIE channel", "CHARLIE-index", {}),
)
CONTENTS = (
    # id, channel, taxis, title, add date, hits, author, further fields
    (101, 11, 1, "Harbour opens", "2020-01-05 10:00:00", 10, "Li Lei",
     {"is_top": True, "group_name_collection": "Featured", "tags": "ship,harbour", "summary": "The gates are open.",
      "last_hits_date": datetime(2020, 6, 1), "sub_title": "At last",
      "settings_xml": {"price": "12.50", "noticeType": "gold", "applyFromTime": "2020-01-01", "seats": 40}}),
    (102, 11, 2, "Second boat", "2020-02-10 09:30:00", 25, "Han Meimei",
     {"is_recommend": True, "tags": "ship", "summary": "Blue, 12 metres", "source": "Daily",
      "settings_xml": {"price": "8.00", "noticeType": "silver", "applyFromTime": "2020-02-01"}}),
    (103, 11, 3, "夏日音乐会", "2020-03-15 20:15:30", 7, "Li Lei",
     {"is_hot": True, "group_name_collection": "Featured,Summer", "tags": "music", "summary": "港口的夜晚"}),
    (104, 11, 4, "Draft: O'Neil's 100% plan", "2020-04-01 00:00:00", 0, "",
     {"is_checked": False, "checked_level": 0}),
    (105, 12, 1, "Regatta_2020", "2020-05-20 12:00:00", 25, "Zhou",
     {"link_url": "https://example.org/regatta", "image_url": "@/upload/regatta.jpg"}),
    (106, 12, 2, "harbour closes", "2021-01-31 23:59:59", 3, "Li Lei", {"is_color": True, "tags": "harbour"}),
    (107, 13, 1, "About us", "2019-12-31 00:00:00", 100, "", {"summary": "  padded  ", "source": "Web"}),
    # So many hits that a sum with them is over the limit of whole numbers where the others' is not.
    (108, 11, 5, "CANARY trashed content", "2020-05-05 05:05:05", 10**9, "CANARY author",
     {"summary": "CANARY summary", "settings_xml": {"secret": "CANARY-setting"}, "version": 7355608731}),
    (109, 14, 1, "CANARY in a trashed channel", "2020-05-06 05:05:05", 5, "CANARY author", {}),
    (8800011, 880002, 1, "BRAVO plan", "2020-01-06 00:00:00", 880003, "BRAVO author",
     {"tags": "BRAVO-tag", "group_name_collection": "BRAVO-group", "summary": "BRAVO summary",
      "settings_xml": {"price": "BRAVO-price"}}),
    (8800012, 880002, 2, "BRAVO second", "2020-01-07 00:00:00", 880004, "BRAVO author", {}),
    (8900011, 890002, 1, "CHARLIE plan", "2020-01-08 00:00:00", 890003, "CHARLIE author", {"tags": "CHARLIE-tag"}),
)  # fmt: skip


def load():
    """Fill the empty database. Raises RuntimeError for one that was not made for tests."""
    if "test" not in str(connection.settings_dict["NAME"]):
        raise RuntimeError("The world is for a database that was made for tests.")
    with transaction.atomic():
        _load_sites()
        for channel_id, parent, name, index_name, fields in CHANNELS:
            add_date = datetime(2020, 1, 1, 8)
            create_channel(
                Channel.objects.get(pk=parent), name, id=channel_id, index_name=index_name, add_date=add_date, **fields
            )
        _load_contents()
        Content.objects.filter(pk=108).update(trashed_at=datetime(2021, 1, 1), trashed_with_id=6246813579)
        trash_channel(A, 14)
        _load_secrets()


def _load_sites():
    for site_id, name, folder, table, fields in (
        (A, "Harbour 港口", "harbour", "siteserver_Content_1", {"is_root": True, "taxis": 1}),
        (B, "BRAVO site", "bravo", "model_Content", {"taxis": 2, "settings": {"siteUrl": "BRAVO-settings"}}),
        (C, "CHARLIE site", "charlie", "model_Content", {"taxis": 3}),
    ):
        settings_ = {"charset": "gb2312", "pageSize": 30} if site_id == A else {}
        home = {"id": site_id, "index_name": f"home{site_id}", "add_date": datetime(2020, 1, 1, 8)}
        create_site(name, home=home, **{"site_dir": folder, "table_name": table, "settings": settings_} | fields)
    Site.objects.filter(pk=B).update(parent=A)


def _load_contents():
    sites = dict(Channel.objects.values_list("id", "site_id"))
    for content_id, channel_id, taxis, title, added, hits, author, fields in CONTENTS:
        date = datetime.fromisoformat(added)
        settings_xml = json.dumps(fields.get("settings_xml", {}), ensure_ascii=False, separators=(",", ":"))
        plain = {"is_checked": True, "add_user_name": "editor", "last_edit_date": date} | fields
        content = Content.objects.create(
            id=content_id,
            site_id=sites[channel_id],
            channel_id=channel_id,
            taxis=taxis,
            title=title,
            add_date=date,
            hits=hits,
            author=author,
            **plain | {"settings_xml": settings_xml},
        )
        mark = title.split()[0] if content_id > 107 else "Body"
        ContentBody.objects.create(content=content, text=f"<p>{mark} of {content_id}</p>")
        CustomField.objects.bulk_create(
            [CustomField(site_id=content.site_id, name=name, folded_name=name.casefold())
             for name in json.loads(settings_xml) if name != "secret"],
            ignore_conflicts=True,
        )  # fmt: skip


def _load_secrets():
    """Rows whose every text is a secret, in each table that statements must not reach."""
    secret = {"password": "CANARY-password", "email": "canary@example.org", "mobile": "CANARY-mobile"}
    administrator = Administrator.objects.create(
        user_name="CANARY-administrator", display_name="CANARY name", is_superuser=True, **secret
    )
    User.objects.create(user_name="CANARY-user", display_name="CANARY name", address="CANARY street", **secret)
    key = ApiKey.objects.create(name="CANARY-key", administrator=administrator, scopes="SQL:read")
    digest = hashlib.sha256(b"CANARY-token").hexdigest()
    ApiKeyToken.objects.create(api_key=key, public_part="CANARYpp", digest=digest)
    Session.objects.create(session_key="CANARY-session", session_data="CANARY-data", expire_date=datetime(2099, 1, 1))
    Group.objects.create(name="CANARY-group")
    LogEntry.objects.create(
        user=administrator, object_repr="CANARY-repr", change_message="CANARY-message", action_flag=1
    )
    ContentGroup.objects.filter(site_id=B).update(description="BRAVO description")


def canaries(site_ids=None):
    """The texts, in lower case, that an answer for a key of these sites must not hold; None: of every site."""
    words = [SECRET] if site_ids is None else [SECRET, *(word for word in FOREIGN if not word.isdigit())]
    numbers = NUMBERS if site_ids is None else (*NUMBERS, *(word for word in FOREIGN if word.isdigit()))
    spelled = {spelling for word in words for spelling in spellings(word)}
    files = [path.read_text(encoding="utf-8").strip() for path in _secret_files()]
    digests = [text for row in ApiKeyToken.objects.values_list("digest", "public_part") for text in row]
    return frozenset(text.lower() for text in {*spelled, *numbers, *files, *digests} if text)


def _secret_files():
    return [path for path in Path(settings.DATA_DIR).glob("*") if path.name in {"secret_key", "password_pepper"}]


def spellings(word):
    """The word as it is, backwards, in hexadecimal and in base 64 at each of the three places it can begin."""
    raw = word.encode()
    cased = (word, word.lower(), word.title())
    # The first and last characters of a group of base 64 depend on what stands beside the word.
    places = ((-(-shift * 4 // 3), (shift + len(raw)) * 4 // 3, shift) for shift in range(3))
    shifted = (base64.b64encode(b"\0" * shift + raw + b"\0").decode()[start:end] for start, end, shift in places)
    return {word, word[::-1], *(one.encode().hex() for one in cased), *shifted}


def found_in(text, unwanted, statement=""):
    """The unwanted texts that the answer holds, leaving out what the statement itself says."""
    folded, said = text.lower(), statement.lower()
    return sorted(mark for mark in unwanted if mark in folded and mark not in said and _begins(mark, folded))


def _begins(mark, text):
    # A number counts where it begins; within a product it is chance.
    return not mark.isdigit() or re.search(rf"(?<![0-9]){mark}", text) is not None


def state():
    """A digest of every row of every table, and of what there is: the same as long as nothing is written.

    On PostgreSQL of this database only, and of the roles that are its own: others may be in use meanwhile.
    """
    digest = hashlib.sha256()
    with connection.cursor() as cursor:
        cursor.execute(_RELATIONS[connection.vendor])
        digest.update(repr(sorted(cursor.fetchall())).encode())
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            digest.update(repr((table, sorted(map(repr, cursor.fetchall())))).encode())
    return digest.hexdigest()


_RELATIONS = {
    "sqlite": "SELECT type, name, sql FROM sqlite_master",
    "postgresql": (
        "SELECT n.nspname, c.relname, c.relkind::text, c.relacl::text FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' "
        "UNION ALL SELECT 'schema', nspname, nspacl::text, '' FROM pg_namespace "
        "WHERE nspname NOT LIKE 'pg\\_%temp\\_%' "
        "UNION ALL SELECT 'function', proname, pronamespace::text, oid::text FROM pg_proc "
        "UNION ALL SELECT 'trigger', tgname, tgrelid::regclass::text, tgenabled::text FROM pg_trigger "
        "UNION ALL SELECT 'extension', extname, '', '' FROM pg_extension "
        "UNION ALL SELECT 'large object', oid::text, '', '' FROM pg_largeobject_metadata "
        # Roles and databases are the server's: those of other runs come and go. What follows the name here keeps
        # apart databases whose name begins with this one's, such as those of other processes of one run.
        "UNION ALL SELECT 'role', rolname, rolsuper::text, rolconfig::text FROM pg_roles "
        "WHERE rolname LIKE 'stolen%' OR starts_with(rolname, current_database() || '_sql') "
        "UNION ALL SELECT 'database', datname, '', '' FROM pg_database WHERE datname LIKE 'stolen%'"
    ),
}


def files():
    """What statements may have left in files: all of the data folder, and elsewhere what bears the attacks' name."""
    # Other processes write in these folders, too, under whatever names.
    shared = {Path.cwd(), Path(settings.BASE_DIR), Path("/tmp"), Path(tempfile.gettempdir())}
    left = {path for folder in shared for path in folder.glob(f"*{_STOLEN}*")}
    # SQLite's own files beside the database come and go.
    own = {path for path in Path(settings.DATA_DIR).iterdir() if not path.name.endswith(("-journal", "-wal", "-shm"))}
    return left | own


# Whatever the attacks would make bears this name.
_STOLEN = "stolen"
