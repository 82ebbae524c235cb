from django.apps import AppConfig


class CmsApiConfig(AppConfig):
    name = "cms_api"
    verbose_name = "Content management API"
