from pathlib import Path

from csp.constants import NONE, SELF
from django.conf.locale import LANG_INFO
from django.utils.translation import to_language

from cms_api.environment import ENVIRONMENT, SESSION_END_MINUTES
from core.lib.environment import (
    Environment,
    read_data_folder,
    read_database,
    read_hsts,
    read_log_level,
    read_mail_server,
    read_own_secret,
    read_peppers,
    read_site_hosts,
    read_time_zone,
)
from core.lib.media_storage import media_sources, read_media_url, read_storage

BASE_DIR = Path(__file__).resolve().parent.parent

env = Environment(ENVIRONMENT)
# Django's settings are derived from these. The others have the same names; settings that need parsing are set below.
_OF_DJANGO = """
    CMS_DATA_DIR CMS_DATABASE_URL CMS_DATABASE_POOL_SIZE CMS_SECRET_KEY CMS_PASSWORD_PEPPERS CMS_DEBUG CMS_ALLOWED_HOSTS
    CMS_SITE_HOSTS CMS_CORS_ORIGINS CMS_TIME_ZONE CMS_MAX_BODY_BYTES CMS_MEDIA_STORAGE CMS_MEDIA_URL CMS_SECURE
    CMS_HSTS CMS_LOG_LEVEL CMS_EMAIL_FROM
"""
globals().update({name: env(name) for name in ENVIRONMENT if name not in _OF_DJANGO.split()})

DATA_DIR = read_data_folder("CMS_DATA_DIR", BASE_DIR, env("CMS_DATA_DIR"))
SECRET_KEY = env("CMS_SECRET_KEY") or read_own_secret("CMS_SECRET_KEY", DATA_DIR / "secret_key")
# The file is created at first use, and only for a database without passwords (accounts.peppers).
PASSWORD_PEPPER_FILE = DATA_DIR / "password_pepper"
PASSWORD_PEPPERS = read_peppers(env("CMS_PASSWORD_PEPPERS")) if env("CMS_PASSWORD_PEPPERS") else {}
if not PASSWORD_PEPPERS and PASSWORD_PEPPER_FILE.exists():
    PASSWORD_PEPPERS = read_peppers(f"p1:{read_own_secret('CMS_PASSWORD_PEPPERS', PASSWORD_PEPPER_FILE)}")
DEBUG = env("CMS_DEBUG")
# Weak secret keys, DEBUG and empty ALLOWED_HOSTS: cms_api.checks has rules and words of its own. And HSTS without
# includeSubDomains and preload, which would bind hosts of others.
SILENCED_SYSTEM_CHECKS = [f"security.{code}" for code in ("W005", "W009", "W018", "W020", "W021")]
CMS_SITE_HOSTS = read_site_hosts("CMS_SITE_HOSTS", env("CMS_SITE_HOSTS"))
ALLOWED_HOSTS = [*env("CMS_ALLOWED_HOSTS"), *CMS_SITE_HOSTS]

INSTALLED_APPS = [
    "cms_api",
    "core.admin.apps.CmsAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "corsheaders",
    "rest_framework",
    "django_filters",
    "core",
    "core.audit",
    "core.jobs",
    "core.mail",
    "core.notifications",
    "core.operation",
    "cms_api.start_page",
    "apikeys",
    "accounts",
    "sites",
    "media_library",
    "search",
    "channels_app",
    "contents",
    "pages",
    "forms",
    "comments",
    "members",
    "transfer",
    "migration",
    "events",
    "webhooks",
]

CMS_METRICS_TOKEN = env("CMS_METRICS_TOKEN").strip()
CMS_METRICS = env("CMS_METRICS") or bool(CMS_METRICS_TOKEN)
CMS_LOG_FORMAT = env("CMS_LOG_FORMAT").strip().lower()
CMS_SENTRY_DSN = env("CMS_SENTRY_DSN").strip()
_times_statements = env("CMS_SLOW_STATEMENT_MILLISECONDS") > 0
_knows_requests = CMS_LOG_FORMAT == "json" or _times_statements or bool(CMS_SENTRY_DSN)
# Kept pages skip Django, but not this.
WATCHING_MIDDLEWARE = [
    *(["core.operation.metrics.middleware.MetricsMiddleware"] if CMS_METRICS else []),
    *(["core.operation.logs.middleware.LogMiddleware"] if _knows_requests else []),
]
STATEMENTS_ARE_TIMED = CMS_METRICS or _times_statements

MIDDLEWARE = [
    "core.audit.middleware.RequestMiddleware",
    *WATCHING_MIDDLEWARE,
    "core.rest.middleware.ApiMiddleware",
    # REQUESTS OF THE API SKIP ALL MIDDLEWARE BELOW. Middleware that they also need belongs above, or into
    # ApiMiddleware.
    "pages.middleware.PagesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "core.admin.static_files.StaticFilesMiddleware",
    "core.admin.middleware.PageHeaders",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "core.admin.middleware.AdminLanguage",
    "core.admin.middleware.PlainQueries",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "core.admin.sessions.SessionEnd",
    "core.admin.editor.drafts.SavedDrafts",
    "accounts.middleware.SecondFactorFirst",
    "core.admin.large_forms.LargeForms",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "cms_api.urls"
WSGI_APPLICATION = "cms_api.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "core" / "admin" / "templates"],
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
    _database["ENGINE"] = "core.lib.sqlite"
    _database["OPTIONS"].setdefault("timeout", 20)  # seconds that a writer waits for its turn
    _database["OPTIONS"] |= {
        # Writers queue at BEGIN instead of failing half-way; readers never wait.
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;"
            "PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY"
        ),
    }
    # Threads of the test client share the file; an in-memory database would not lock as in production.
    _database["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
    _database["CONN_MAX_AGE"] = None
elif _database["ENGINE"] == "django.db.backends.postgresql":
    _database["ENGINE"] = "core.lib.postgresql"
    # Server-side binding and prepared statements: a fifth more requests per second.
    _database["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": 3}
    # Detects silent hosts in seconds instead of the system's minutes. The URL may override these.
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
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": env("CMS_CACHE_URL")}
    if env("CMS_CACHE_URL")
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# ---- Accounts

# Runs the statements of pages, which import no part of the SQL endpoint.
PAGE_STATEMENTS = "cms_api.sql_endpoint.views.rows_of_site"
# The forms of pages, and paths below the web address of a site that visitors send to.
PAGE_FORMS = "forms.records.find_form"
PAGE_COMMENTS = "comments.records.find_comments"
PAGE_COMMENT_RULES = "comments.records.rules_of"
# Finds the user who is signed in to a site.
SITE_MEMBER = "members.sessions.member_of"
SITE_URLS = ["forms.site_urls", "members.site_urls", "comments.site_urls"]
PAGE_ENTRIES = "forms.public_lists.find_entries"
PAGE_STATEMENT_CHECK = "cms_api.sql_endpoint.views.problem_of_statement"
# Shows a content in its page for the admin of contents, which imports no templates.
CONTENT_PAGE = "pages.admin.previews.show_content"
# Returns whether the token of a key may still write, for links of contents, which import no keys.
KEY_RIGHTS = "apikeys.grants.may_still_write"
# Finds contents by the ids that they had in SiteServer, for the API of contents, which imports no migration.
FORMER_IDS = "migration.former_ids.FormerIds"
AUTH_USER_MODEL = "accounts.Administrator"
AUTHENTICATION_BACKENDS = ["accounts.backends.AccountBackend"]
PASSWORD_HASHERS = ["accounts.hashers.WirePasswordHasher"]
CMS_RENDITION_WIDTHS = env("CMS_RENDITION_WIDTHS")
CMS_EMBED_HOSTS = [host.lower().strip() for host in env("CMS_EMBED_HOSTS")]
AUTH_PASSWORD_VALIDATORS: list[dict[str, object]] = [
    {
        "NAME": "accounts.validators.CompositionValidator",
        "OPTIONS": {"min_length": env("CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH")},
    }
]
if env("CMS_ADMINISTRATOR_PASSWORD_MIN_LENGTH"):
    AUTH_PASSWORD_VALIDATORS += [
        {
            "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
            "OPTIONS": {"user_attributes": ("user_name", "display_name", "email", "mobile")},
        },
        {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    ]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # default target after a sign-in

PASSWORD_RESET_TIMEOUT = 60 * 60  # seconds that the address in an e-mail is valid

# ---- E-mail

if env("CMS_EMAIL_URL"):
    globals().update(read_mail_server("CMS_EMAIL_URL", env("CMS_EMAIL_URL")))
EMAIL_TIMEOUT = 10  # seconds
DEFAULT_FROM_EMAIL = env("CMS_EMAIL_FROM")

# ---- Language and time

LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "cms_api" / "locale"]
# English, and each language with a catalogue of translations.
_TRANSLATED = sorted(to_language(folder.name) for folder in LOCALE_PATHS[0].iterdir())
LANGUAGES = [("en", "English"), *((code, LANG_INFO[code]["name_local"]) for code in _TRANSLATED)]
USE_I18N = True
FORMAT_MODULE_PATH = ["cms_api.formats"]
TIME_ZONE = read_time_zone("CMS_TIME_ZONE", env("CMS_TIME_ZONE"))
# Date-times are wall-clock times of CMS_TIME_ZONE, in requests, responses and Python; no conversion is needed.
USE_TZ = False

# ---- The API

DATA_UPLOAD_MAX_MEMORY_SIZE = env("CMS_MAX_BODY_BYTES")
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1200  # forms.models.MAX_FIELDS fields have up to 22 inputs each
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["apikeys.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["apikeys.permissions.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["apikeys.throttling.KeyThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["core.rest.json.ValueRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.rest.json.ObjectParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core.rest.json.AlwaysJson",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "core.rest.errors.answer_exception",
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
    "deprecation",
    "sunset",
    "link",
    "location",
    "tus-checksum-algorithm",
    "tus-extension",
    "tus-max-size",
    "tus-resumable",
    "tus-version",
    "upload-expires",
    "upload-length",
    "upload-metadata",
    "upload-offset",
    "x-media-id",
]
# Makes responses echo the origin, since browsers refuse "*" together with credentials.
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
    "tus-resumable",
    "upload-checksum",
    "upload-length",
    "upload-metadata",
    "upload-offset",
    "x-requested-with",
    "x-ss-api-key",
    "x-ss-user-token",
    "x-ss-admin-token",
]

# ---- Files

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"  # filled when the server starts (core.admin.static_files)
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "core" / "admin" / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "cms_api.start_page.swagger_files.SwaggerFiles",
]
# With CMS_DEBUG, files are served from the packages without collecting them.
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
DOCUMENTATION_ROOT = BASE_DIR / "site"  # built by `make docs`, served at /docs/
MEDIA_ROOT = DATA_DIR / "media"
# Prefix of uploaded files' addresses: by default this service, for any storage (core.uploads.media).
MEDIA_URL = read_media_url(env("CMS_MEDIA_URL"))
STORAGES = {
    "default": read_storage(env("CMS_MEDIA_STORAGE"), MEDIA_ROOT),
    "staticfiles": {"BACKEND": "core.admin.static_files.StaticFiles"},
    # Files of visitors never go into the media storage, whose bucket or folder may be public.
    "private": {"BACKEND": "core.lib.media_storage.PrivateFiles", "OPTIONS": {"location": str(DATA_DIR / "private")}},
}

# ---- Sessions, cookies and pages of the admin

SESSION_COOKIE_AGE = env("CMS_SESSION_MINUTES") * 60
SESSION_END_SECONDS = SESSION_END_MINUTES * 60  # after which the password is required in any case
# The cookie outlives the session while the browser is open, so that the admin can say that the session has ended.
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = env("CMS_SECURE")
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
# Not "Strict": a link to an admin page, in a mail or a chat, would always open the sign-in page.
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
# Browsers accept this prefix only over HTTPS, for this host and all paths, so that no other host can plant a cookie.
_host_only = "__Host-" if env("CMS_SECURE") else ""
SESSION_COOKIE_NAME = f"{_host_only}cms_session"
CSRF_COOKIE_NAME = f"{_host_only}cms_csrf"
MEMBER_COOKIE_NAME = f"{_host_only}cms_member"
LANGUAGE_COOKIE_NAME = f"{_host_only}cms_language"
CSRF_COOKIE_AGE = None  # until the browser is closed
CSRF_FAILURE_VIEW = "core.admin.old_forms.csrf_failure"
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
# Requested by neighbours of the service, bypassing the HTTPS proxy.
SECURE_REDIRECT_EXEMPT = [r"^api/v1/(health/(live|ready)|metrics)/?$"]
SECURE_HSTS_SECONDS = 31_536_000 if env("CMS_SECURE") else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS, SECURE_HSTS_PRELOAD = read_hsts("CMS_HSTS", env("CMS_HSTS"))
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env("CMS_SECURE") else None
# Not "no-referrer": browsers then send "Origin: null" with forms, which the CSRF check refuses.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

_log_level = read_log_level("CMS_LOG_LEVEL", env("CMS_LOG_LEVEL"))
# Django's loggers for refused requests, each named after an exception.
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
        "json": {"()": "core.operation.logs.json_lines.JsonLines"},
    },
    "filters": {
        "without_secrets": {"()": "core.operation.logs.secrets.WithoutSecrets"},
        "one_line": {"()": "core.lib.refusal_filter.OneLineRefusals"},
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
        # Requests report a missing connection themselves.
        "psycopg.pool": {"level": "ERROR"},
    },
}
