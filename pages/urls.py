"""Paths below the web address of a site; `pages.views` resolves them, after the site is known."""

from django.conf import settings
from django.urls import include, path, re_path

from channels_app.record_links import CHANNEL, CONTENT
from pages import fragments, sitemaps, suggestions, views, visits

urlpatterns = [
    path(f"{visits.PREFIX}<int:content_id>.gif", visits.count, name="visit"),
    path(suggestions.PATH, suggestions.suggest, name="suggestions"),
    re_path(rf"(?P<kind>{CONTENT}|{CHANNEL})/(?P<record_id>[1-9][0-9]{{0,18}})\Z", views.by_id, name="by_id"),
    path("robots.txt", sitemaps.robots, name="robots"),
    path("sitemap.xml", sitemaps.sitemap, name="sitemap"),
    path("sitemap-<int:number>.xml", sitemaps.sitemap_part, name="sitemap_part"),
    re_path(
        r"_fragments/(?P<template_id>[0-9]{1,18})/(?P<position>[0-9]{1,9})/(?P<path>[\s\S]*)\Z",
        fragments.fragment,
        name="fragment",
    ),
    *(path("", include(module)) for module in settings.SITE_URLS),
    re_path(r"(?P<path>[\s\S]*)\Z", views.missing, name="page"),
]
