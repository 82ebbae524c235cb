from importlib import import_module

from django.apps import AppConfig, apps
from django.conf import settings
from django.core.checks import Tags, register

from cms_api.operation.logs.node import set_node_name


class CmsApiConfig(AppConfig):
    name = "cms_api"
    verbose_name = "Content management API"

    def ready(self) -> None:
        # They need the settings, which are complete by now.
        from cms_api import checks
        from cms_api.jobs.starting import start_waiting
        from cms_api.operation.restarts import watching
        from cms_api.sql_endpoint.checks import check_reader, check_settings
        from cms_api.sql_endpoint.reader_views import connect_signals

        _begin_to_see()
        # What they warn of stands in the log of each start, too.
        register(checks.check_settings, "start")
        register(checks.check_weak_settings, "start", deploy=True)
        register(checks.check_static_files, "start", deploy=True)
        register(check_settings)
        register(check_reader, Tags.database)
        # Nobody may ever look at the page of a job that waited when the machine went down.
        watching.do_besides(start_waiting)
        # The signals of an app that stands on all the others' tables.
        connect_signals(apps.get_app_config("contents"))


def _begin_to_see() -> None:
    """What settings ask for of logs; the rest is not even loaded."""
    from cms_api.checks import is_dsn  # which needs the settings, too

    set_node_name(settings.CMS_NODE_NAME.strip())
    if settings.CMS_SLOW_STATEMENT_MILLISECONDS > 0:
        statements = import_module("cms_api.operation.logs.statements")
        statements.watch(statements.log_slow)
    if is_dsn(settings.CMS_SENTRY_DSN):  # a check names one that is wrong
        import_module("cms_api.operation.logs.sentry").begin(settings.CMS_SENTRY_DSN)
