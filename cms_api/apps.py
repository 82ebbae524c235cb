from importlib import import_module

from django.apps import AppConfig, apps
from django.conf import settings
from django.core.cache import close_caches
from django.core.checks import Tags, register
from django.core.signals import request_finished, request_started
from django.db import reset_queries

from cms_api.operation.logs.current import set_node_name


class CmsApiConfig(AppConfig):
    name = "cms_api"
    verbose_name = "Content management API"

    def ready(self) -> None:
        # Here, since it needs complete settings. Modules that no setting needs are not loaded.
        from cms_api import checks
        from cms_api.sql_endpoint.checks import check_reader, check_settings
        from cms_api.sql_endpoint.reader_setup import connect_signals

        # Before and after each request these do nothing: no cache needs to be closed, and only DEBUG keeps queries.
        request_finished.disconnect(close_caches)
        if not settings.DEBUG:
            request_started.disconnect(reset_queries)
        # Load only the logging modules that the settings ask for.
        set_node_name(settings.CMS_NODE_NAME.strip())
        if settings.CMS_SLOW_STATEMENT_MILLISECONDS > 0:
            statements = import_module("cms_api.operation.logs.statements")
            statements.watch(statements.log_slow)
        if checks.is_dsn(settings.CMS_SENTRY_DSN):  # a check reports an invalid one
            import_module("cms_api.operation.logs.sentry").begin(settings.CMS_SENTRY_DSN)
        # Warnings with the tag "start" are also logged at each start.
        register(checks.check_settings, "start")
        register(checks.check_weak_settings, "start", deploy=True)
        register(checks.check_static_files, "start", deploy=True)
        register(check_settings)
        register(check_reader, Tags.database)
        # Signals of an app that depends on the tables of all others.
        connect_signals(apps.get_app_config("contents"))
