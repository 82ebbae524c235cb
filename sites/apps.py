from django.apps import AppConfig


class SitesConfig(AppConfig):
    name = "sites"
    # "sites" as a label belongs to django.contrib.sites, which others may need.
    label = "cms_sites"
    verbose_name = "Sites"
