from django.apps import AppConfig


class SitesConfig(AppConfig):
    name = "sites"
    # The label "sites" belongs to django.contrib.sites, which other apps may need.
    label = "cms_sites"
    verbose_name = "Sites"
