from django.apps import AppConfig


class StartPageConfig(AppConfig):
    name = "cms_api.start_page"
    verbose_name = "Pages for newcomers"
