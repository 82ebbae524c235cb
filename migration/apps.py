from django.apps import AppConfig


class MigrationConfig(AppConfig):
    name = "migration"
    verbose_name = "Migration from SiteServer"
