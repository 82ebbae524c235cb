from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "cms_api.jobs"
    verbose_name = "Jobs"
