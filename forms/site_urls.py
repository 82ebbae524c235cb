"""Paths of forms below the web address of a site."""

from django.urls import path

from forms import views
from pages.engine.elements.forms import PATH

urlpatterns = [
    path(f"{PATH}<int:form_id>", views.entries, name="form"),
    path(f"{PATH}<int:form_id>/token", views.token, name="form_token"),
    path(f"{PATH}proof.js", views.solver),
    path(f"{PATH}<int:form_id>/sent", views.sent, name="form_sent"),
]
