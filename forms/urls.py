"""Addresses of SiteServer below /api/ that visitors send forms to."""

from django.urls import path

from forms import former_addresses

urlpatterns = [
    path("ss.form/<id:site_id>/<id:form_id>", former_addresses.plugin_entries),
    path("ss.form/<id:site_id>/<id:form_id>/actions/get", former_addresses.plugin_definition),
    path("stl/actions/input_add/<id:site_id>/<id:form_id>", former_addresses.input_entries),
    path("sys/stl/actions/input_add/<id:site_id>/<id:form_id>", former_addresses.input_entries),
]
