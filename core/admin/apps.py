from django.contrib.admin.apps import AdminConfig
from django.contrib.auth.signals import user_logged_in


class CmsAdminConfig(AdminConfig):
    default_site = "core.admin.site.CmsAdminSite"

    def ready(self) -> None:
        super().ready()
        from django.contrib.admin.templatetags import admin_list

        # At this point the session model is loaded.
        from core.admin import sessions
        from core.admin.formatting import yes_or_no

        # Django's icons are called "True" and "False" in every language.
        admin_list._boolean_icon = yes_or_no  # type: ignore[attr-defined]
        user_logged_in.connect(sessions.begin, dispatch_uid="core.admin.sessions")
