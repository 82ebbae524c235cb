from django.contrib.admin.apps import AdminConfig


class BackEndConfig(AdminConfig):
    """Django's admin with our own site, and with what happens at each sign-in."""

    default_site = "cms_api.back_end.site.BackEndSite"

    def ready(self) -> None:
        super().ready()
        # It needs the model of sessions, which is there by now.
        from cms_api.back_end import sessions

        sessions.connect()
