from django.apps import AppConfig


class OperationConfig(AppConfig):
    name = "cms_api.operation"
    verbose_name = "Operation"
