from importlib import import_module

from django.apps import AppConfig
from django.conf import settings
from django.core.cache import close_caches
from django.core.signals import request_finished, request_started
from django.db import reset_queries

from core.lib.environment import is_dsn
from core.operation.logs.current import set_node_name


class CoreConfig(AppConfig):
    name = "core"
    label = "cms_api"  # of its tables and migrations, whose modules were in that package
    verbose_name = "Content management API"

    def ready(self) -> None:
        # Before and after each request these do nothing: no cache needs to be closed, and only DEBUG records queries.
        request_finished.disconnect(close_caches)
        if not settings.DEBUG:
            request_started.disconnect(reset_queries)
        # Load only the logging modules that the settings require.
        set_node_name(settings.CMS_NODE_NAME.strip())
        if settings.CMS_SLOW_STATEMENT_MILLISECONDS > 0:
            statements = import_module("core.operation.logs.statements")
            statements.watch(statements.log_slow)
        if is_dsn(settings.CMS_SENTRY_DSN):  # a check reports an invalid one
            import_module("core.operation.logs.sentry").begin(settings.CMS_SENTRY_DSN)
