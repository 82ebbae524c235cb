"""Addresses of SiteServer below /api/ that visitors send forms to."""

from django.urls import path

from forms import former_addresses, upload_views

urlpatterns = [
    path("ss.form/<id:site_id>/<id:form_id>", former_addresses.plugin_entries),
    path("ss.form/<id:site_id>/<id:form_id>/actions/get", former_addresses.plugin_definition),
    path("ss.form/<id:site_id>/<id:form_id>/actions/upload", upload_views.plugin_upload),
    path("v1/forms/actions/upload", upload_views.form_upload),
    path("form", former_addresses.form_entry),
    path("form/<id:site_id>/<id:form_id>", former_addresses.form_rows),
    path("form/<id:site_id>/<id:form_id>/actions/getForm", former_addresses.form_definition),
    path("form/<id:site_id>/<id:form_id>/actions/sendSms", former_addresses.form_sms),
    path("stl/actions/input_add/<id:site_id>/<id:form_id>", former_addresses.input_entries),
    path("sys/stl/actions/input_add/<id:site_id>/<id:form_id>", former_addresses.input_entries),
]
