from django.apps import AppConfig, apps
from django.core.checks import Tags, register


class ProjectConfig(AppConfig):
    name = "cms_api"
    label = "project"  # "cms_api" is the label of core

    def ready(self) -> None:
        # Here, since it needs complete settings. Modules that no setting needs are not loaded.
        from cms_api import checks
        from cms_api.sql_endpoint.checks import check_reader, check_settings
        from cms_api.sql_endpoint.reader_setup import connect_signals

        # Warnings with the tag "start" are also logged at each start.
        register(checks.check_settings, "start")
        register(checks.check_weak_settings, "start", deploy=True)
        register(checks.check_static_files, "start", deploy=True)
        register(check_settings)
        register(check_reader, Tags.database)
        # Signals of an app that depends on the tables of all others.
        connect_signals(apps.get_app_config("contents"))
