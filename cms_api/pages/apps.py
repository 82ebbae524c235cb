from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "cms_api.pages"
    verbose_name = "Pages for newcomers"
