"""Every setting of the service, read from environment variables that begin with CMS_."""

from pathlib import Path

from csp.constants import NONE, SELF

from cms_api.lib.environment import Environment, read_peppers
from cms_api.lib.media_storage import media_sources, read_media_url, read_storage
from cms_api.lib.start_settings import read_data_folder, read_database, read_log_level, read_own_secret, read_time_zone
from cms_api.sql_endpoint.catalogue import OPEN_BY_DEFAULT

BASE_DIR = Path(__file__).resolve().parent.parent

# name: (type, default). The README's table of settings is tested against this one.
ENVIRONMENT = {
    "CMS_DATA_DIR": (str, "data"),  # folder: SQLite file, media, generated secrets
    "CMS_DATABASE_URL": (str, ""),  # sqlite:///… or postgres://…; empty: SQLite in the data folder
    "CMS_DATABASE_POOL_SIZE": (int, 0),  # connections per process; 0: one kept per thread
    "CMS_DATABASE_REPLICA_URLS": (list, []),  # postgres://…, streaming standbys of the database; empty: none
    "CMS_REPLICA_MAX_LAG_SECONDS": (float, 5.0),  # behind the database, up to which a replica is read from
    "CMS_CACHE_URL": (str, ""),  # redis://…, for counts that processes share; empty: the database
    "CMS_SECRET_KEY": (str, ""),  # empty: generated, kept in the data folder
    "CMS_PASSWORD_PEPPERS": (str, ""),  # id:secret, the newest first; empty: generated
    "CMS_DEBUG": (bool, False),
    "CMS_ALLOWED_HOSTS": (list, ["localhost", "127.0.0.1", "[::1]"]),
    "CMS_CORS_ORIGINS": (list, []),  # scheme://host[:port]; empty: any
    "CMS_TIME_ZONE": (str, "UTC"),
    "CMS_MAX_PER_PAGE": (int, 1000),  # contents
    "CMS_MAX_BODY_BYTES": (int, 10 * 1024 * 1024),  # except for files that pages take
    "CMS_MAX_CUSTOM_FIELD_BYTES": (int, 64 * 1024),  # of its value as JSON; eight times as many in one record
    "CMS_KEY_REQUESTS_PER_MINUTE": (int, 0),  # of each API key that has no limit of its own; 0: any number
    "CMS_STORED_ANSWERS": (int, 100_000),  # to requests with an Idempotency-Key, of one API key in 24 hours
    "CMS_STORED_ANSWERS_BYTES": (int, 512 * 1024 * 1024),  # of them together
    "CMS_MAX_RULES": (int, 50),  # Where rules, and Order rules, in one list request
    "CMS_MAX_NAMES": (int, 100),  # group names, and tag names, in one list request
    "CMS_MAX_IN_VALUES": (int, 1000),  # values in one In or NotIn rule
    "CMS_STATEMENT_SECONDS": (float, 5.0),  # time that one list query with free rules may take
    "CMS_TREE_CACHE_BYTES": (int, 32 * 1024 * 1024),  # channel trees that a process keeps; 0: none
    # Tables of cms_api.sql_endpoint.catalogue that clients' statements may read.
    "CMS_SQL_TABLES": (list, list(OPEN_BY_DEFAULT)),
    "CMS_SQL_SECONDS": (float, 2.0),  # time that a client's statement may take
    "CMS_SQL_MAX_ROWS": (int, 1000),
    "CMS_SQL_MAX_BYTES": (int, 4 * 1024 * 1024),  # of the rows as JSON
    "CMS_SQL_SLOTS": (int, 2),  # statements at a time per worker; 0: the endpoint is closed
    "CMS_SQL_READER_URL": (str, ""),  # postgres://…, the account that reads; empty: as set_up_sql_reader makes it
    "CMS_PASSWORD_MIN_LENGTH": (int, 6),  # characters
    "CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH": (int, 10),  # characters; 0: no other rules than for users
    "CMS_PASSWORD_COMPOSITION": (str, "LetterAndDigit"),  # or None, or LetterAndDigitAndSymbol
    "CMS_LOCKOUT": (str, "off"),  # after wrong passwords: off, hours or forever
    "CMS_LOCKOUT_FAILURES": (int, 3),  # wrong passwords in succession until an account is locked
    "CMS_LOCKOUT_HOURS": (float, 3.0),  # how long it is locked, unless for ever
    "CMS_LOGIN_FAILURES_PER_ACCOUNT": (int, 10),  # in 15 minutes; 0: off
    "CMS_LOGIN_FAILURES_PER_ADDRESS": (int, 100),  # in 15 minutes; 0: off
    "CMS_LOGIN_FAILURES_EVERYWHERE": (int, 100),  # of an account, in 15 minutes, until other addresses wait; 0: off
    "CMS_REGISTRATION": (str, "off"),  # users who register without an API key: off, pending or approved
    "CMS_TRUSTED_PROXIES": (list, []),  # addresses and networks whose X-Forwarded-For is believed
    "CMS_MEDIA_STORAGE": (str, ""),  # s3://bucket/folder?…; empty: a folder in the data folder
    "CMS_MEDIA_URL": (str, ""),  # where clients fetch media; empty: from this service
    "CMS_AVATAR_MAX_BYTES": (int, 5 * 1024 * 1024),
    "CMS_AVATAR_MAX_PIXELS": (int, 25_000_000),
    "CMS_AVATAR_SIDE": (int, 512),  # pixels of the longer side of a stored avatar
    "CMS_PICTURE_MAX_PIXELS": (int, 50_000_000),  # of a picture that is uploaded to a site
    "CMS_PICTURE_SIDE": (int, 4096),  # pixels of the longer side of such a picture as it is stored
    "CMS_EMBED_HOSTS": (list, []),  # whose pages bodies may show in a frame; empty: any, through HTTPS
    "CMS_CLEAN_API_BODIES": (bool, False),  # bodies from the API are cleaned as those of the back end are
    "CMS_RESTART_MIN_SECONDS": (float, 5.0),  # between the beginnings of two restarts of a node
    "CMS_NODE_NAME": (str, ""),  # of this server among several; empty: host name and address
    "CMS_JOBS_AT_ONCE": (int, 1),  # jobs of the back end that a node does at a time; 0: none start by themselves
    "CMS_PACKAGE_MAX_BYTES": (int, 1024**3),  # of a site template that is uploaded
    "CMS_EXPLORER": (bool, True),  # the page /api/docs/, where the API can be tried
    "CMS_SESSION_MINUTES": (int, 30),  # without a click, until the back end asks for the password again
    "CMS_IMPORT_MAX_ROWS": (int, 20_000),  # of one table that an administrator imports
    "CMS_IMPORT_MAX_BYTES": (int, 32 * 1024 * 1024),  # of its file
    "CMS_TRASH_DAYS": (int, 30),  # what purge trash leaves in the trash
    "CMS_AUDIT_DAYS": (int, 400),  # what purge audit leaves in the audit
    "CMS_HISTORY_DAYS": (int, 365),  # what purge history leaves of the changes of contents; 0: no bound by age
    "CMS_HISTORY_VERSIONS": (int, 100),  # changes that purge history leaves of each content; 0: no bound by number
    "CMS_SECURE": (bool, False),  # the service is reached through HTTPS only
    "CMS_LOG_LEVEL": (str, "INFO"),
    "CMS_LOG_FORMAT": (str, "line"),  # or json: one object a line
    "CMS_SLOW_STATEMENT_MILLISECONDS": (int, 0),  # statements that take so long are logged; 0: none
    "CMS_SENTRY_DSN": (str, ""),  # https://…, where errors are reported; empty: nowhere
    "CMS_METRICS": (bool, False),  # figures for Prometheus
    "CMS_METRICS_TOKEN": (str, ""),  # opens them without an API key, and switches them on; empty: none does
    "CMS_MIN_FREE_DISK_PERCENT": (int, 5),  # of the data folder's disk, or the server says that it is not ready
}
env = Environment(ENVIRONMENT)

DATA_DIR = read_data_folder("CMS_DATA_DIR", BASE_DIR, env("CMS_DATA_DIR"))
SECRET_KEY = env("CMS_SECRET_KEY") or read_own_secret("CMS_SECRET_KEY", DATA_DIR / "secret_key")
# The file is made at first use, and only in front of a database without passwords (accounts.peppers).
PASSWORD_PEPPER_FILE = DATA_DIR / "password_pepper"
PASSWORD_PEPPERS = read_peppers(env("CMS_PASSWORD_PEPPERS")) if env("CMS_PASSWORD_PEPPERS") else {}
if not PASSWORD_PEPPERS and PASSWORD_PEPPER_FILE.exists():
    PASSWORD_PEPPERS = read_peppers(f"p1:{read_own_secret('CMS_PASSWORD_PEPPERS', PASSWORD_PEPPER_FILE)}")
DEBUG = env("CMS_DEBUG")
ALLOWED_HOSTS = env("CMS_ALLOWED_HOSTS")

INSTALLED_APPS = [
    "cms_api.admin.apps.CmsAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "corsheaders",
    "rest_framework",
    "django_filters",
    "cms_api",
    "cms_api.audit",
    "cms_api.jobs",
    "cms_api.operation",
    "cms_api.start_page",
    "apikeys",
    "accounts",
    "sites",
    "channels_app",
    "contents",
    "transfer",
]

CMS_METRICS_TOKEN = env("CMS_METRICS_TOKEN").strip()
CMS_METRICS = env("CMS_METRICS") or bool(CMS_METRICS_TOKEN)
CMS_LOG_FORMAT = env("CMS_LOG_FORMAT").strip().lower()
CMS_SLOW_STATEMENT_MILLISECONDS = env("CMS_SLOW_STATEMENT_MILLISECONDS")
CMS_SENTRY_DSN = env("CMS_SENTRY_DSN").strip()
# What nobody has asked for costs requests nothing.
_knows_requests = CMS_LOG_FORMAT == "json" or CMS_SLOW_STATEMENT_MILLISECONDS > 0 or bool(CMS_SENTRY_DSN)

MIDDLEWARE = [
    "cms_api.audit.middleware.RequestMiddleware",
    *(["cms_api.operation.metrics.middleware.MetricsMiddleware"] if CMS_METRICS else []),
    *(["cms_api.operation.logs.middleware.LogMiddleware"] if _knows_requests else []),
    "cms_api.rest.middleware.ApiMiddleware",
    # REQUESTS OF THE API SKIP ALL MIDDLEWARE BELOW. What they need too belongs above, or into ApiMiddleware.
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "cms_api.admin.middleware.PageHeaders",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "cms_api.admin.middleware.AdminLanguage",
    "cms_api.admin.middleware.PlainQueries",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "cms_api.admin.sessions.SessionEnd",
    "cms_api.admin.large_forms.LargeForms",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "cms_api.urls"
WSGI_APPLICATION = "cms_api.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "cms_api" / "admin" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# ---- Database and cache

_database_url = env("CMS_DATABASE_URL") or f"sqlite:///{DATA_DIR / 'db.sqlite3'}"
DATABASES = {"default": read_database("CMS_DATABASE_URL", _database_url)}
_database = DATABASES["default"]
_database.setdefault("OPTIONS", {})
if _database["ENGINE"] == "django.db.backends.sqlite3":
    _database["ENGINE"] = "cms_api.lib.sqlite"
    _database["OPTIONS"].setdefault("timeout", 20)  # seconds a writer waits for its turn
    _database["OPTIONS"] |= {
        # Writers queue at BEGIN instead of failing half-way; readers never wait.
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;"
            "PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY"
        ),
    }
    # Threads of the test client share the file, so a memory database would lie about locking.
    _database["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
    _database["CONN_MAX_AGE"] = None
elif _database["ENGINE"] == "django.db.backends.postgresql":
    _database["ENGINE"] = "cms_api.lib.postgresql"
    # Statements are bound and prepared by the server: a fifth more requests per second.
    _database["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": 3}
    # A host that is silent holds nobody for minutes, as the system would let it. The address may say otherwise.
    _database["OPTIONS"] = {
        "connect_timeout": 5,  # seconds
        "keepalives_idle": 30,  # seconds
        "keepalives_interval": 10,  # seconds
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,  # milliseconds
    } | _database["OPTIONS"]
    if env("CMS_DATABASE_POOL_SIZE"):
        _database["OPTIONS"]["pool"] = {"max_size": env("CMS_DATABASE_POOL_SIZE")}
    else:
        _database["CONN_MAX_AGE"] = None
        _database["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CMS_DATABASE_REPLICA_URLS = env("CMS_DATABASE_REPLICA_URLS")
CMS_REPLICA_MAX_LAG_SECONDS = env("CMS_REPLICA_MAX_LAG_SECONDS")
CMS_CACHE_URL = env("CMS_CACHE_URL")
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CMS_CACHE_URL}
    if CMS_CACHE_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# ---- Accounts

AUTH_USER_MODEL = "accounts.Administrator"
AUTHENTICATION_BACKENDS = ["accounts.backends.AccountBackend"]
PASSWORD_HASHERS = ["accounts.hashers.WirePasswordHasher"]
CMS_PASSWORD_MIN_LENGTH = env("CMS_PASSWORD_MIN_LENGTH")
CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH = env("CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH")
CMS_PASSWORD_COMPOSITION = env("CMS_PASSWORD_COMPOSITION")
CMS_LOCKOUT = env("CMS_LOCKOUT")
CMS_LOCKOUT_FAILURES = env("CMS_LOCKOUT_FAILURES")
CMS_LOCKOUT_HOURS = env("CMS_LOCKOUT_HOURS")
CMS_LOGIN_FAILURES_PER_ACCOUNT = env("CMS_LOGIN_FAILURES_PER_ACCOUNT")
CMS_LOGIN_FAILURES_PER_ADDRESS = env("CMS_LOGIN_FAILURES_PER_ADDRESS")
CMS_LOGIN_FAILURES_EVERYWHERE = env("CMS_LOGIN_FAILURES_EVERYWHERE")
CMS_REGISTRATION = env("CMS_REGISTRATION")
CMS_TRUSTED_PROXIES = env("CMS_TRUSTED_PROXIES")
CMS_AVATAR_MAX_BYTES = env("CMS_AVATAR_MAX_BYTES")
CMS_AVATAR_MAX_PIXELS = env("CMS_AVATAR_MAX_PIXELS")
CMS_AVATAR_SIDE = env("CMS_AVATAR_SIDE")
CMS_PICTURE_MAX_PIXELS = env("CMS_PICTURE_MAX_PIXELS")
CMS_PICTURE_SIDE = env("CMS_PICTURE_SIDE")
CMS_EMBED_HOSTS = [host.lower().strip() for host in env("CMS_EMBED_HOSTS")]
CMS_CLEAN_API_BODIES = env("CMS_CLEAN_API_BODIES")
AUTH_PASSWORD_VALIDATORS: list[dict[str, object]] = [
    {
        "NAME": "accounts.validators.CompositionValidator",
        "OPTIONS": {"min_length": CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH},
    }
]
if CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH:
    AUTH_PASSWORD_VALIDATORS += [
        {
            "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
            "OPTIONS": {"user_attributes": ("user_name", "display_name", "email", "mobile")},
        },
        {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    ]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # where a sign-in leads that was asked to lead elsewhere

# ---- Language and time

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "cms_api" / "locale"]
USE_I18N = True
FORMAT_MODULE_PATH = ["cms_api.formats"]
TIME_ZONE = read_time_zone("CMS_TIME_ZONE", env("CMS_TIME_ZONE"))
# Date-times are wall-clock times of CMS_TIME_ZONE, on the wire (interface, general conventions) and
# in Python: what is stored is what is answered, without a conversion per value.
USE_TZ = False

# ---- The back end and the operation

CMS_RESTART_MIN_SECONDS = env("CMS_RESTART_MIN_SECONDS")
CMS_MIN_FREE_DISK_PERCENT = env("CMS_MIN_FREE_DISK_PERCENT")
CMS_NODE_NAME = env("CMS_NODE_NAME")
CMS_EXPLORER = env("CMS_EXPLORER")
CMS_JOBS_AT_ONCE = env("CMS_JOBS_AT_ONCE")
CMS_PACKAGE_MAX_BYTES = env("CMS_PACKAGE_MAX_BYTES")
CMS_IMPORT_MAX_ROWS = env("CMS_IMPORT_MAX_ROWS")
CMS_IMPORT_MAX_BYTES = env("CMS_IMPORT_MAX_BYTES")
CMS_TRASH_DAYS = env("CMS_TRASH_DAYS")
CMS_AUDIT_DAYS = env("CMS_AUDIT_DAYS")
CMS_HISTORY_DAYS = env("CMS_HISTORY_DAYS")
CMS_HISTORY_VERSIONS = env("CMS_HISTORY_VERSIONS")

# ---- The API

CMS_KEY_REQUESTS_PER_MINUTE = env("CMS_KEY_REQUESTS_PER_MINUTE")
CMS_STORED_ANSWERS = env("CMS_STORED_ANSWERS")
CMS_STORED_ANSWERS_BYTES = env("CMS_STORED_ANSWERS_BYTES")
CMS_MAX_PER_PAGE = env("CMS_MAX_PER_PAGE")
CMS_MAX_CUSTOM_FIELD_BYTES = env("CMS_MAX_CUSTOM_FIELD_BYTES")
CMS_MAX_RULES = env("CMS_MAX_RULES")
CMS_MAX_NAMES = env("CMS_MAX_NAMES")
CMS_MAX_IN_VALUES = env("CMS_MAX_IN_VALUES")
CMS_STATEMENT_SECONDS = env("CMS_STATEMENT_SECONDS")
CMS_TREE_CACHE_BYTES = env("CMS_TREE_CACHE_BYTES")
CMS_SQL_TABLES = env("CMS_SQL_TABLES")
CMS_SQL_SECONDS = env("CMS_SQL_SECONDS")
CMS_SQL_MAX_ROWS = env("CMS_SQL_MAX_ROWS")
CMS_SQL_MAX_BYTES = env("CMS_SQL_MAX_BYTES")
CMS_SQL_SLOTS = env("CMS_SQL_SLOTS")
CMS_SQL_READER_URL = env("CMS_SQL_READER_URL")
DATA_UPLOAD_MAX_MEMORY_SIZE = env("CMS_MAX_BODY_BYTES")
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["apikeys.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["apikeys.permissions.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["apikeys.throttling.KeyThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["cms_api.rest.json.ValueRenderer"],
    "DEFAULT_PARSER_CLASSES": ["cms_api.rest.json.ObjectParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "cms_api.rest.json.AlwaysJson",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "cms_api.rest.errors.answer_exception",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": None,
}

CORS_URLS_REGEX = r"^/api/"
CORS_ALLOWED_ORIGINS = env("CMS_CORS_ORIGINS")
CORS_ALLOW_ALL_ORIGINS = not CORS_ALLOWED_ORIGINS
CORS_EXPOSE_HEADERS = [
    "etag",
    "idempotency-replayed",
    "x-sql-truncated",
    "retry-after",
    "ratelimit",
    "ratelimit-policy",
    "x-request-id",
]
# Makes the answer echo the origin, since browsers refuse "*" together with credentials.
CORS_ALLOW_CREDENTIALS = True
CORS_ALLOW_HEADERS = [
    "accept",
    "authorization",
    "cache-control",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "pragma",
    "x-requested-with",
    "x-ss-api-key",
    "x-ss-user-token",
    "x-ss-admin-token",
]

# ---- Files

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"  # filled by `manage.py collectstatic`
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "cms_api" / "admin" / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "cms_api.start_page.swagger_files.SwaggerFiles",
]
# With CMS_DEBUG the files are found in the packages, without collecting them.
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
DOCUMENTATION_ROOT = BASE_DIR / "site"  # made by `make docs`, served at /docs/
MEDIA_ROOT = DATA_DIR / "media"
# What addresses of uploaded files begin with: by default this service, whatever the storage (cms_api.uploads.media).
MEDIA_URL = read_media_url(env("CMS_MEDIA_URL"))
STORAGES = {
    "default": read_storage(env("CMS_MEDIA_STORAGE"), MEDIA_ROOT),
    "staticfiles": {"BACKEND": "cms_api.admin.static_files.StaticFiles"},
}

# ---- Sessions, cookies and pages of the back end

CMS_SESSION_MINUTES = env("CMS_SESSION_MINUTES")
SESSION_COOKIE_AGE = CMS_SESSION_MINUTES * 60
SESSION_END_SECONDS = 12 * 60 * 60  # after which the password is asked for again in any case
# The browser keeps the cookie while it is open, so that the back end can say that a session has ended.
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = env("CMS_SECURE")
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
# Not "Strict": a link to a page of the back end, in a mail or a chat, would lead to the sign-in page each time.
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
# Browsers take a cookie of this prefix only through HTTPS, from this host and for all of it: no other host plants one.
_host_only = "__Host-" if env("CMS_SECURE") else ""
SESSION_COOKIE_NAME = f"{_host_only}cms_session"
CSRF_COOKIE_NAME = f"{_host_only}cms_csrf"
LANGUAGE_COOKIE_NAME = f"{_host_only}cms_language"
CSRF_COOKIE_AGE = None  # until the browser is closed
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", *media_sources(MEDIA_URL)],
        "media-src": [SELF, *media_sources(MEDIA_URL)],
        "font-src": [SELF],
        "connect-src": [SELF],
        "frame-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# ---- Transport

SECURE_SSL_REDIRECT = env("CMS_SECURE")
# Asked by what stands beside the service, past the proxy that speaks HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^api/v1/(health/(live|ready)|metrics)/?$"]
SECURE_HSTS_SECONDS = 31_536_000 if env("CMS_SECURE") else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env("CMS_SECURE")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env("CMS_SECURE") else None
# Not "no-referrer": browsers then send "Origin: null" with forms, which the check against forgery refuses.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

_log_level = read_log_level("CMS_LOG_LEVEL", env("CMS_LOG_LEVEL"))
# Django's loggers for requests that it refuses: each has the name of an exception.
_REFUSALS = (
    *("DisallowedHost", "DisallowedModelAdminLookup", "DisallowedModelAdminToField", "DisallowedRedirect"),
    *("InvalidSessionKey", "RequestDataTooBig", "SuspiciousFileOperation", "SuspiciousMultipartForm"),
    *("SuspiciousOperation", "SuspiciousSession", "TooManyFieldsSent", "TooManyFilesSent"),
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "cms_api.operation.logs.json_lines.JsonLines"},
    },
    "filters": {
        "without_secrets": {"()": "cms_api.operation.logs.secrets.WithoutSecrets"},
        "one_line": {"()": "cms_api.lib.refusal_filter.OneLineRefusals"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "json" if CMS_LOG_FORMAT == "json" else "line",
            "filters": ["without_secrets"],
        }
    },
    "root": {"handlers": ["stderr"], "level": _log_level},
    "loggers": {
        "django": {"handlers": [], "propagate": True, "level": _log_level},
        "django.request": {"filters": ["one_line"]},
        **{f"django.security.{name}": {"filters": ["one_line"]} for name in _REFUSALS},
        # Requests say themselves that they got no connection.
        "psycopg.pool": {"level": "ERROR"},
    },
}
