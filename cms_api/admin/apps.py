from django.contrib.admin.apps import AdminConfig


class CmsAdminConfig(AdminConfig):
    """Django's admin with our own site, and with what happens at each sign-in."""

    default_site = "cms_api.admin.site.CmsAdminSite"

    def ready(self) -> None:
        super().ready()
        # It needs the model of sessions, which is there by now.
        from cms_api.admin import sessions

        sessions.connect()
