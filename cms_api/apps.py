from django.apps import AppConfig, apps
from django.core.checks import Tags, register


class CmsApiConfig(AppConfig):
    name = "cms_api"
    verbose_name = "Content management API"

    def ready(self) -> None:
        # They need the settings, which are complete by now.
        from cms_api import checks
        from cms_api.sql_endpoint.checks import check_reader, check_settings
        from cms_api.sql_endpoint.reader_views import connect_signals

        register(checks.check_settings)
        register(check_settings)
        register(check_reader, Tags.database)
        # The signals of an app that stands on all the others' tables.
        connect_signals(apps.get_app_config("contents"))
