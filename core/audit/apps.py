from django.apps import AppConfig

from cms_api.lib import triggers


class AuditConfig(AppConfig):
    name = "cms_api.audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        triggers.register(self, tables=["audit_auditentry", "audit_auditretention"])
