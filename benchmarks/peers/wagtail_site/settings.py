"""Settings of Wagtail's project template for production, without parts that a REST client never uses."""

import os

DEBUG = False
SECRET_KEY = os.environ["SECRET"]
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = [
    "wagtail_site",
    "wagtail.api.v2",
    "wagtail.api.v3",
    "wagtail.contrib.forms",
    "wagtail.contrib.redirects",
    "wagtail.embeds",
    "wagtail.sites",
    "wagtail.users",
    "wagtail.snippets",
    "wagtail.documents",
    "wagtail.images",
    "wagtail.search",
    "wagtail.admin",
    "wagtail",
    "modelcluster",
    "taggit",
    "django_filters",
    "rest_framework",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "wagtail.contrib.redirects.middleware.RedirectMiddleware",
]
ROOT_URLCONF = "wagtail_site.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ["DB_DATABASE"],
        "HOST": os.environ["DB_HOST"],
        "USER": os.environ["DB_USER"],
        "CONN_MAX_AGE": None,  # the default would connect for each request
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "/static/"
LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
MIGRATION_MODULES = {"wagtail_site": "wagtail_migrations"}  # peers.py keeps them outside the repository
WAGTAILSEARCH_BACKENDS = {"default": {"BACKEND": "wagtail.search.backends.database"}}
WAGTAIL_SITE_NAME = "Peers"
WAGTAILADMIN_BASE_URL = "http://127.0.0.1"
# Of the API, only the longest list differs from its default of 20.
WAGTAILAPI_LIMIT_MAX = 100
