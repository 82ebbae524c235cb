from django.contrib.admin.apps import AdminConfig
from django.contrib.auth.signals import user_logged_in


class CmsAdminConfig(AdminConfig):
    default_site = "cms_api.admin.site.CmsAdminSite"

    def ready(self) -> None:
        super().ready()
        # At this point the session model is loaded.
        from cms_api.admin import sessions

        user_logged_in.connect(sessions.begin, dispatch_uid="cms_api.admin.sessions")
