"""Environment variables of the service; docs/reference/settings.md is generated from here and the server's table."""

from cms_api.sql_endpoint.catalogue import OPEN_BY_DEFAULT
from core.lib.environment import Setting

SESSION_END_MINUTES = 12 * 60
MAX_VERSIONS = 1_000_000  # of a content
_MAX_DAYS = 36_500
_MAX_PASSWORD_LENGTH = 256  # as in accounts.validators

GROUPS = {
    "Database, cache and secrets": {
        "CMS_DATA_DIR": Setting(
            str, "data", "Folder of the SQLite file, media files and generated secrets.", per_node=True
        ),
        "CMS_DATABASE_URL": Setting(
            str,
            "",
            "`postgres://user:password@host/name` or `sqlite:///path`. Empty: SQLite in the data folder.",
            per_node=True,
        ),
        "CMS_DATABASE_POOL_SIZE": Setting(
            int,
            0,
            "Pooled connections per process. 0: one connection per thread.",
            per_node=True,
            least=0,
        ),
        "CMS_DATABASE_REPLICA_URLS": Setting(
            list,
            [],
            "`postgres://…` of standbys that serve reads of the API ([scaling](docs/scaling.md)). Needs Redis.",
        ),
        "CMS_REPLICA_MAX_LAG_SECONDS": Setting(
            float,
            5.0,
            "Replicas that lag behind by more than this serve no reads.",
            least=2,  # lag is measured to about a second
            most=3600,
        ),
        "CMS_CACHE_URL": Setting(
            str,
            "",
            "`redis://host:6379/0` (or `rediss://`, `unix://`) for counts that nodes share (failed sign-ins, used "
            "captchas, requests per key) and for whole pages. Empty: counts are in the database, pages only in memory.",
        ),
        "CMS_SECRET_KEY": Setting(
            str, "", "Key that signs sessions, tokens and captchas. Empty: generated and stored in the data folder."
        ),
        "CMS_PASSWORD_PEPPERS": Setting(
            str, "", "`id:secret`, comma-separated, newest first. Empty: generated and stored in the data folder."
        ),
    },
    "Access to the service": {
        "CMS_ALLOWED_HOSTS": Setting(list, ["localhost", "127.0.0.1", "[::1]"], "Host names that the service accepts."),
        "CMS_SITE_HOSTS": Setting(
            list,
            [],
            "Hosts that serve only the pages and files of one site, as `host=site`; the site is a folder or an id: "
            "`museum.example.org=museum` ([pages](docs/pages.md)).",
        ),
        "CMS_SECURE": Setting(
            bool,
            False,
            "Clients use HTTPS only: secure cookies, redirects from HTTP, and HSTS for a year are switched on.",
        ),
        "CMS_HSTS": Setting(
            list,
            [],
            "`includeSubDomains`, or `includeSubDomains,preload`: also for every other host below the host names of "
            "the service and of sites ([deploying](docs/deploying.md#before-you-open-the-service)).",
        ),
        "CMS_CORS_ORIGINS": Setting(
            list, [], "Origins (`scheme://host[:port]`) of web pages that may call the API. Empty: any origin."
        ),
        "CMS_TRUSTED_PROXIES": Setting(
            list, [], "Addresses and networks of reverse proxies whose `X-Forwarded-For` is trusted.", per_node=True
        ),
        "CMS_WEBHOOK_NETWORKS": Setting(
            list,
            [],
            "Networks that are not part of the public Internet to which webhooks may be sent, such as `10.1.0.0/16` "
            "([webhooks](docs/webhooks.md)).",
        ),
        "CMS_CHECK_LINKS": Setting(
            bool,
            False,
            "Request the links of approved contents to other websites once a week, to find dead ones "
            "([dead links](docs/writing.md#dead-links)).",
        ),
        "CMS_EXPLORER": Setting(bool, True, "Serve the API explorer at `/api/docs/` ([explorer](docs/explorer.md))."),
        "CMS_TIME_ZONE": Setting(str, "UTC", "Timezone of all dates and times in requests and responses."),
        "CMS_DEBUG": Setting(bool, False, "Debug mode, for development only."),
    },
    "Requests and lists": {
        "CMS_MAX_BODY_BYTES": Setting(
            int,
            10 * 1024 * 1024,
            ("Maximum size of a request body, except for files uploaded in the admin. Larger ones get a 413."),
            least=1024,
        ),
        "CMS_MAX_CUSTOM_FIELD_BYTES": Setting(
            int,
            64 * 1024,
            (
                "Maximum size of a custom field as JSON. All custom fields of a record may have eight times as much. "
                "Larger ones get a 400. Raise it to import a site with longer fields."
            ),
            least=1024,
        ),
        "CMS_MAX_PER_PAGE": Setting(int, 1000, "Maximum number of contents per page.", least=1),
        "CMS_STATEMENT_SECONDS": Setting(
            float,
            5.0,
            ("Time limit of a list query with free rules. Slower ones get a 400."),
            least=0.01,
        ),
        "CMS_TREE_CACHE_BYTES": Setting(
            int,
            32 * 1024 * 1024,
            "Memory per process for cached channel trees. 0: no cache, for machines with little memory.",
            per_node=True,
            least=0,
        ),
        "CMS_CONTENT_CACHE_BYTES": Setting(
            int,
            64 * 1024 * 1024,
            "Memory per process for contents as JSON, with PostgreSQL. 0: no cache.",
            per_node=True,
            least=0,
        ),
        "CMS_PAGE_CACHE_BYTES": Setting(
            int,
            64 * 1024 * 1024,
            "Memory per process for whole pages ([pages](docs/pages.md#speed)). 0: no cache.",
            per_node=True,
            least=0,
        ),
        "CMS_VISIT_MINUTES": Setting(
            int,
            10,
            "Minutes in which a content counts a visitor once ([pages](docs/pages.md#visits)). 0: each visit counts, "
            "and no hash of a visitor is stored.",
            least=0,
            most=24 * 60,
        ),
        "CMS_KEY_REQUESTS_PER_MINUTE": Setting(
            int,
            0,
            "Requests per minute for API keys without a limit of their own; further ones get a 429. 0: no limit "
            "([keys](docs/keys.md#how-many-requests)).",
            least=0,
            most=1_000_000,
        ),
        "CMS_LEGACY_KEY_DAYS": Setting(
            int,
            180,
            "Days for which API keys of a migrated SiteServer installation are accepted unchanged "
            "([keys](docs/keys.md#keys-of-siteserver)).",
            least=1,
            most=3650,
        ),
    },
    "The SQL endpoint": {
        "CMS_SQL_TABLES": Setting(
            list, list(OPEN_BY_DEFAULT), "Tables that statements may read ([SQL](docs/sql.md)). Blank: none."
        ),
        "CMS_SQL_SECONDS": Setting(
            float, 2.0, "Time limit of a statement. Slower ones get a 400.", least=0.05, most=60
        ),
        "CMS_SQL_MAX_ROWS": Setting(
            int,
            1000,
            "Maximum number of rows in a response. The header `X-SQL-Truncated` says if there are more.",
            least=1,
            most=100_000,
        ),
        "CMS_SQL_MAX_BYTES": Setting(
            int,
            4 * 1024 * 1024,
            "Maximum size of the rows in a response, as JSON. Raise it together with `CMS_SQL_MAX_ROWS`.",
            least=1000,
            most=64 * 1024 * 1024,
        ),
        "CMS_SQL_SLOTS": Setting(
            int,
            2,
            "Concurrent statements per worker; further ones get a 429. 0: the endpoint is switched off.",
            least=0,
            most=64,
        ),
        "CMS_SQL_READER_URL": Setting(
            str,
            "",
            "`postgres://…` of the account that runs statements. Empty: the one `set_up_sql_reader` creates.",
            per_node=True,
        ),
    },
    "Passwords and sign-in": {
        "CMS_PASSWORD_MIN_LENGTH": Setting(
            int, 6, "Minimum number of characters in a user's password.", least=0, most=_MAX_PASSWORD_LENGTH
        ),
        "CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH": Setting(
            int,
            8,
            "Minimum number of characters in an administrator's password, which must also be neither common nor "
            "similar to the name. 0: the rules for users apply.",
            least=0,
            most=_MAX_PASSWORD_LENGTH,
        ),
        "CMS_PASSWORD_COMPOSITION": Setting(
            str,
            "LetterAndDigit",
            "Required characters of a password: `LetterAndDigit`, `LetterAndDigitAndSymbol` or `None`.",
        ),
        "CMS_LOCKOUT": Setting(str, "off", "Lock accounts after wrong passwords: `off`, `hours` or `forever`."),
        "CMS_LOCKOUT_FAILURES": Setting(int, 3, "Consecutive wrong passwords that lock an account.", least=1),
        "CMS_LOCKOUT_HOURS": Setting(
            float, 3.0, "Hours until a locked account is unlocked.", least=0.001, most=1_000_000
        ),
        "CMS_LOGIN_FAILURES_PER_ACCOUNT": Setting(
            int,
            10,
            ("Failed sign-ins to an account from one address in 15 minutes; further ones get a 429. 0: no limit."),
            least=0,
        ),
        "CMS_LOGIN_FAILURES_PER_ADDRESS": Setting(
            int,
            100,
            "Failed sign-ins from one address in 15 minutes; further ones get a 429. Raise it if many people share an "
            "address. 0: no limit.",
            least=0,
        ),
        "CMS_LOGIN_FAILURES_EVERYWHERE": Setting(
            int,
            100,
            "Failed sign-ins to an account from all addresses in 15 minutes, after which new addresses must wait "
            "between attempts. 0: they never wait.",
            least=0,
        ),
        "CMS_REGISTRATION": Setting(
            str,
            "off",
            "Registration of users by `POST /users` without an API key: `off`, `pending` (an administrator approves "
            "the user) or `approved`.",
        ),
        "CMS_REQUIRE_SECOND_FACTOR": Setting(
            str,
            "off",
            "Administrators who must set up a second factor after signing in: `off` (none), `highest` (superusers) or "
            "`all`.",
        ),
        "CMS_SESSION_MINUTES": Setting(
            int,
            30,
            "Minutes of inactivity after which the admin asks for the password.",
            least=1,
            most=SESSION_END_MINUTES,
        ),
    },
    "Pictures, files and bodies": {
        "CMS_MEDIA_STORAGE": Setting(
            str,
            "",
            "Storage of all uploads, of sites and of accounts: `s3://bucket/folder?…` "
            "([storage](docs/accounts.md#storage)). Empty: `media` in the data folder.",
        ),
        "CMS_MEDIA_URL": Setting(str, "", "URL at which clients find uploads. Empty: the service serves them."),
        "CMS_AVATAR_MAX_BYTES": Setting(
            int,
            5 * 1024 * 1024,
            "Maximum size of an avatar file. Larger ones get a 413.",
            least=1000,
            most=64 * 1024 * 1024,
        ),
        "CMS_AVATAR_MAX_PIXELS": Setting(
            int,
            25_000_000,
            "Maximum number of pixels of an avatar; larger ones get a 400. Some formats have [lower "
            "limits](docs/accounts.md#avatars).",
            least=1000,
            most=100_000_000,
        ),
        "CMS_PICTURE_MAX_PIXELS": Setting(
            int,
            50_000_000,
            "Maximum number of pixels of a picture uploaded to a site. Processing 49 million pixels takes 360 to "
            "790 MB of memory, 12 million at most 260 MB.",
            least=1000,
            most=200_000_000,
        ),
        "CMS_PICTURE_SIDE": Setting(
            int,
            4096,
            "Maximum length of the longer side of a stored picture, in pixels; larger originals are not stored. Raise "
            "it for printing, lower it to save disk space.",
            least=16,
            most=16_000,
        ),
        "CMS_RENDITION_WIDTHS": Setting(
            list,
            ["160", "320", "480", "640", "800", "1200", "1600", "2000"],
            "Widths and heights, in pixels, of [renditions](docs/media.md#renditions) whose URLs need no signature. "
            "Empty: all need one.",
        ),
        "CMS_EMBED_HOSTS": Setting(
            list, [], "Hosts, including their subdomains, that bodies may embed in frames. Empty: any host with HTTPS."
        ),
        "CMS_CLEAN_API_BODIES": Setting(
            bool,
            False,
            "Clean bodies sent through the API like those written in the admin ([writing](docs/writing.md)).",
        ),
    },
    "Work in the admin": {
        "CMS_JOBS_AT_ONCE": Setting(
            int,
            1,
            "Concurrent jobs per node. 0: jobs do not start automatically.",
            per_node=True,
            least=0,
            most=16,
        ),
        "CMS_PACKAGE_MAX_BYTES": Setting(
            int,
            1024**3,
            "Maximum size of an uploaded site template. Raise it, and the limit of the proxy, for one with videos.",
            least=1,
        ),
    },
    "Retention": {
        "CMS_TRASH_DAYS": Setting(
            int, 30, "Days after which `purge trash` deletes records in the trash.", least=1, most=_MAX_DAYS
        ),
        "CMS_RENDITION_DAYS": Setting(
            int,
            90,
            "Days after its last use when a rendition of a picture is deleted. The next request makes it again.",
            least=1,
            most=_MAX_DAYS,
        ),
        "CMS_AUDIT_DAYS": Setting(
            int, 400, "Days after which `purge audit` deletes entries of the audit log.", least=1, most=_MAX_DAYS
        ),
        "CMS_EVENT_DAYS": Setting(
            int, 30, "Days after which the events of the change feed are deleted.", least=1, most=_MAX_DAYS
        ),
        "CMS_HISTORY_DAYS": Setting(
            int,
            365,
            "Days after which `purge history` deletes versions of contents. 0: no limit by age.",
            least=0,
            most=_MAX_DAYS,
        ),
        "CMS_HISTORY_VERSIONS": Setting(
            int,
            100,
            "Maximum number of versions kept per template and, by `purge history`, per content. 0: no limit by number.",
            least=0,
            most=MAX_VERSIONS,
        ),
    },
    "E-mail": {
        "CMS_EMAIL_URL": Setting(
            str,
            "",
            "Mail server: `smtp+tls://user:password@host:587`, `smtp+ssl://…` or `smtp://…`. Empty: nothing is sent, "
            "and forgotten passwords cannot be reset by e-mail.",
        ),
        "CMS_EMAIL_FROM": Setting(str, "cms@localhost", "Sender of e-mail: `Name <address>` or an address."),
        "CMS_ADMIN_URL": Setting(
            str,
            "",
            "Address of the service in links of e-mails, such as `https://cms.example.org`. Empty: the one at which a "
            "superuser signed in last.",
        ),
    },
    "Nodes, logs and monitoring": {
        "CMS_NODE_NAME": Setting(
            str, "", "Name of this server among several. Empty: its host name and address.", per_node=True
        ),
        "CMS_RESTART_MIN_SECONDS": Setting(
            float,
            5.0,
            "Minimum time between two restarts of a server; requests within it together cause one. 0: no limit.",
            per_node=True,
            least=0,
        ),
        "CMS_LOG_LEVEL": Setting(str, "INFO", "Level of the log on standard error.", per_node=True),
        "CMS_LOG_FORMAT": Setting(
            str,
            "line",
            "`line`, or `json` for one JSON object per line ([monitoring](docs/monitoring.md)).",
            per_node=True,
        ),
        "CMS_SLOW_STATEMENT_MILLISECONDS": Setting(
            int,
            0,
            "Statements that take at least this long are logged, without values. 0: none.",
            per_node=True,
            least=0,
        ),
        "CMS_SENTRY_DSN": Setting(
            str,
            "",
            ("`https://key@host/1`, to which errors are reported. Empty: errors are not reported."),
            per_node=True,
        ),
        "CMS_METRICS": Setting(bool, False, "Serve metrics for Prometheus at `/api/v1/metrics`.", per_node=True),
        "CMS_METRICS_TOKEN": Setting(
            str,
            "",
            (
                "Token of at least 20 characters that gives access to the metrics without an API key. Setting it "
                "switches them on."
            ),
            per_node=True,
        ),
        "CMS_MIN_FREE_DISK_PERCENT": Setting(
            int,
            5,
            "The server reports that it is not ready if the data folder's disk has less free space. 0: never.",
            per_node=True,
            least=0,
            most=90,
        ),
    },
}
ENVIRONMENT = {name: setting for group in GROUPS.values() for name, setting in group.items()}
# Former settings, with their value in words.
CONSTANTS = {
    "CMS_AVATAR_SIDE": "512 pixels",
    "CMS_IMPORT_MAX_BYTES": "32 MiB",
    "CMS_IMPORT_MAX_ROWS": "20,000 rows",
    "CMS_MAX_IN_VALUES": "1,000 values",
    "CMS_MAX_NAMES": "100 names",
    "CMS_MAX_RULES": "50 rules",
    "CMS_STORED_ANSWERS": "100,000 responses",
    "CMS_STORED_ANSWERS_BYTES": "512 MiB",
}
