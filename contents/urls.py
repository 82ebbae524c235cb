from django.urls import path, register_converter

from cms_api.rest.converters import IdConverter
from contents import views

register_converter(IdConverter, "id")

urlpatterns = [
    path("contents", views.ContentListView.as_view()),
    path("contents/check", views.CheckView.as_view()),
    path("contents/actions/check", views.CheckView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>", views.ContentsOfChannelView.as_view()),
    path("contents/<id:site_id>/<id:channel_id>/<id:content_id>", views.ContentView.as_view()),
]
