"""Paths of comments below the web address of a site."""

from django.urls import path

from comments import views
from pages.engine.elements.comments import PATH

urlpatterns = [path(f"{PATH}<int:content_id>", views.comments, name="comments")]
