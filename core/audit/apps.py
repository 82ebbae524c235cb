from django.apps import AppConfig

from core.lib import triggers


class AuditConfig(AppConfig):
    name = "core.audit"
    verbose_name = "Audit"

    def ready(self) -> None:
        triggers.register(self, tables=["audit_auditentry", "audit_auditretention"])
